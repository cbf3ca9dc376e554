"""Draws the icons of the app from `archive/static/archive/icon.svg` with the Chromium of the browser tests.

    python -m tools.icons

An icon that may be cut to a circle has its drawing within four fifths of its width.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Final

from playwright.sync_api import sync_playwright

FOLDER: Final = Path(__file__).resolve().parents[1] / "archive" / "static" / "archive"
ICONS: Final = {"icon-192.png": (192, 0), "icon-512.png": (512, 0), "icon-maskable.png": (512, 64)}
"""By file: the width in pixels, and the margin around the drawing."""
_PAGE: Final = """<body style="margin:0;background:{ground}"><style>svg{{display:block;
    width:{width}px;height:{width}px;padding:{margin}px}}</style>{drawing}"""


def main() -> None:
    drawing = (FOLDER / "icon.svg").read_text(encoding="utf-8")
    with sync_playwright() as playwright:
        path = shutil.which("chromium-headless-shell") or shutil.which("chromium")
        page = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"]).new_page()
        for name, (width, margin) in ICONS.items():
            page.set_viewport_size({"width": width, "height": width})
            ground = "#b5371f" if margin else "transparent"
            inner = width - 2 * margin
            page.set_content(_PAGE.format(ground=ground, width=inner, margin=margin, drawing=drawing))
            page.screenshot(path=FOLDER / name, omit_background=True)


if __name__ == "__main__":
    main()
