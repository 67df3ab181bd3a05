"""Pictures of the pages, as docs/reference/pages.md shows them: `python -m scripts.screenshots`.

Needs Chromium and Playwright (the extra `browser`); with Pillow the pictures are smaller.
"""

from __future__ import annotations

import importlib.util
import os
import sys
import tempfile
from pathlib import Path

from tests.browser.chromium import executable, missing
from tests.browser.pages import QUICK, ROOT, SLOW, made

FOLDER = ROOT / "docs" / "images" / "pages"
WIDTH, HEIGHT = 1100, 800


def main() -> int:
    """Write a picture of each page, and its size on standard output."""
    from playwright.sync_api import sync_playwright

    if lacking := missing():
        print(lacking, file=sys.stderr)
        return 1
    os.chdir(ROOT)
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name, sync_playwright() as play:
        browser = play.chromium.launch(executable_path=executable(), args=["--no-sandbox"])
        for page in sys.argv[1:] or [*QUICK, *SLOW]:
            path = made(page, Path(name))
            shown = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
            shown.goto(path.as_uri())
            target = FOLDER / f"{page}.png"
            shown.screenshot(path=target)
            shown.close()
            _shrink(target)
            sizes = f"page {path.stat().st_size:,} bytes, picture {target.stat().st_size:,}"
            print(f"{page}: {sizes}", flush=True)
        browser.close()
    return 0


def _shrink(path: Path) -> None:
    """Fewer colours, where Pillow is there: pages have few."""
    if importlib.util.find_spec("PIL") is None:
        return
    from PIL import Image

    with Image.open(path) as picture:
        few = picture.convert("RGB").quantize(256, method=Image.Quantize.MAXCOVERAGE)
    few.save(path, optimize=True)


if __name__ == "__main__":
    sys.exit(main())
