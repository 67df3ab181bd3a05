"""`python -m kcc`: the same as the `kcc` command."""

from __future__ import annotations

import sys

from kcc.cli import main

if __name__ == "__main__":
    sys.exit(main())
