"""Text for the Spark jobs: words drawn by Zipf's law or evenly, seeded.

python -m benchmarks.spark.text zipf|even LINES FILE [--seed N]
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

WORDS_OF_LINE = 10
VOCABULARY = 20_000
EXPONENT = 1.1


def lines_of(kind: str, count: int, seed: int) -> list[str]:
    """Lines of ten words each."""
    random = np.random.default_rng(seed)
    weights = np.arange(1, VOCABULARY + 1, dtype=np.float64)
    weights = weights**-EXPONENT if kind == "zipf" else np.ones(VOCABULARY)
    drawn = random.choice(VOCABULARY, (count, WORDS_OF_LINE), p=weights / weights.sum())
    return [" ".join(f"w{n}" for n in row) for row in drawn.tolist()]


def main() -> None:
    """Write the text."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=("zipf", "even"))
    parser.add_argument("lines", type=int)
    parser.add_argument("file", type=Path)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    text = "\n".join(lines_of(arguments.kind, arguments.lines, arguments.seed))
    arguments.file.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
