"""The picture of regions: thread blocks by number against size, coloured by region, as SVG.

As figures 6 and 8 of Huang et al., IPDPS 2014, with what was simulated marked below.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

import numpy as np
from numpy.typing import NDArray

from kcc.report.shared.ink import GRID, INK, PAPER
from kcc.report.simulation.sampling import SampledRun
from kcc.sim.sampling.block_profile import LaunchProfile
from kcc.sim.sampling.estimate import LaunchEstimate

WIDTH, PANEL, LEFT, TOP, MARK = 960, 150, 64, 30, 8
COLUMNS = 440
"""Of a panel: blocks of one column are drawn as a line from the least to the most."""
WIDEST, THIN = 24, 1.5
"""A mark is at most so wide, and reaches so far above and below its value."""
PANELS = 24

COLOURS = ("#2a6f97", "#c8553d", "#588157", "#8f5fa8", "#b08900", "#3d8f8f", "#a4476b", "#5c6b73")
"""Of clusters in turn; far apart also to the colour-blind and in grey."""
NONE = "#b9b9b9"


def sampling_picture(run: SampledRun) -> str:
    """A panel for each launch that was simulated, the largest first."""
    launches = sorted(
        (one for group in run.estimate.groups for one in group.launches),
        key=lambda one: (-one.instructions, one.place),
    )
    shown = sorted(launches[:PANELS], key=lambda one: one.place)
    height = TOP + len(shown) * (PANEL + 46) + 20
    parts = [
        _head(height),
        f'<rect width="{WIDTH}" height="{height}" fill="{PAPER}"/>',
        _text(LEFT, 18, f"{run.source} on {run.label}: warp instructions of thread blocks over "
              "their mean, by region; dark below: simulated"),
    ]  # fmt: skip
    for number, launch in enumerate(shown):
        parts.extend(_panel(launch, run.launches[launch.place], TOP + number * (PANEL + 46)))
    if len(launches) > len(shown):
        left_out = f"{len(launches) - len(shown)} smaller launches are not shown"
        parts.append(_text(LEFT, height - 6, left_out))
    return "\n".join([*parts, "</svg>\n"])


def _head(height: float) -> str:
    size = f'width="{WIDTH}" height="{height:g}" viewBox="0 0 {WIDTH} {height:g}"'
    font = 'font-family="sans-serif" font-size="12"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size} {font}>'


def _text(x: float, y: float, text: str, anchor: str = "start") -> str:
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" fill="{INK}">{escape(text)}</text>'


def _panel(launch: LaunchEstimate, profile: LaunchProfile, top: float) -> Iterator[str]:
    sizes = profile.warp_instructions / max(float(profile.warp_instructions.mean()), 1e-9)
    most = max(float(sizes.max(initial=1.0)), 1.0)
    share = launch.simulated_instructions / max(launch.instructions, 1)
    title = (
        f"launch {launch.number}, {launch.kernel}: {launch.thread_blocks:,} blocks, "
        f"{100 * share:.1f} % simulated"
    )
    yield _text(LEFT, top + 22, title)
    base = top + 28 + PANEL - MARK - 4
    span = base - (top + 28)
    area = f'width="{2 * COLUMNS}" height="{span:g}"'
    yield f'<rect x="{LEFT}" y="{top + 28:g}" {area} fill="{PAPER}" stroke="{GRID}"/>'
    for value in (0.0, most / 2, most):
        yield _text(LEFT - 6, base - span * value / most + 4, f"{value:.2g}", "end")
    region = _clusters(launch)
    blocks = launch.thread_blocks
    columns = min(COLUMNS, blocks)
    step = 2 * COLUMNS / columns
    for column in range(columns):
        first, end = column * blocks // columns, (column + 1) * blocks // columns
        labels: list[int] = np.unique(region[first:end]).tolist()
        for label in labels:
            own = sizes[first:end][region[first:end] == label]
            low, high = base - span * own.min() / most, base - span * own.max() / most
            x = LEFT + (column + 0.5) * step
            colour = COLOURS[label % len(COLOURS)] if label >= 0 else NONE
            line = f'stroke="{colour}" stroke-width="{min(step, WIDEST):.2f}"'
            yield f'<path d="M{x:.1f} {low + THIN:.1f}V{high - THIN:.1f}" {line}/>'
    for part in launch.simulated:
        x = LEFT + 2 * COLUMNS * part.first / blocks
        width = max(2 * COLUMNS * (part.end - part.first) / blocks, 0.7)
        size = f'width="{width:.1f}" height="{MARK}"'
        yield f'<rect x="{x:.1f}" y="{base + 4:g}" {size} fill="{INK}"/>'
    yield _text(LEFT + 2 * COLUMNS, base + 24, f"block {blocks - 1:,}", "end")
    yield _text(LEFT, base + 24, "block 0")


def _clusters(launch: LaunchEstimate) -> NDArray[np.int64]:
    """The cluster of each thread block, -1 for those in no region."""
    found = np.full(launch.thread_blocks, -1, np.int64)
    for region in launch.regions:
        found[region.first : region.last + 1] = region.number
    return found
