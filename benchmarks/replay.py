"""A step of the replay in a browser: a long game with many variations in headless Chromium.

    python -m benchmarks.replay [--steps 200] [--slowdown 1] [--json]

Starts an archive, uploads one game of 500 plies with 200 variations, opens it and presses the key for
"forward". A step lasts from the key to the end of the frame that shows it.

How to read it: `empty` is the same key on a page that does nothing, in the same browser: what the browser
itself needs for a frame. The limit is one frame of 16.7 ms. `--slowdown 4` is as slow as a cheap phone.
"""

from __future__ import annotations

import argparse
import json
import shutil
from collections.abc import Sequence

from playwright.sync_api import Page, sync_playwright

from benchmarks.serve import HOST, percentile, running

FRAME_MS = 1000 / 60
PLIES = 500
VARIATIONS = 200
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
]
SHUFFLE = ("３八飛(28)", "７二飛(82)", "２八飛(38)", "８二飛(72)")
OTHERS = ("７六歩(77)", "３四歩(33)")

STEP = """
() => new Promise((done) => {
  const begun = performance.now();
  document.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight" }));
  requestAnimationFrame(() => setTimeout(() => done(performance.now() - begun), 0));
})
"""


def long_game() -> str:
    """A KIF text in which rooks go to and fro, with a variation at every other ply of the first 400."""
    rows = [f"{ply} {SHUFFLE[(ply - 1) % 4]}" for ply in range(1, PLIES + 1)]
    forks = [
        f"\n変化：{ply}手\n{ply} {OTHERS[(ply - 1) % 2]}"
        for ply in sorted((1 + 4 * (n // 2) + n % 2 for n in range(VARIATIONS)), reverse=True)
    ]
    return "手合割：平手\n手数----指手---------消費時間--\n" + "\n".join([*rows, *forks]) + "\n"


def measured(page: Page, steps: int) -> list[float]:
    """Milliseconds of each step; the first few, in which scripts are compiled, are left out."""
    times: list[float] = [page.evaluate(STEP) for _ in range(steps + 20)]
    return times[20:]


def measure(steps: int, slowdown: float) -> dict[str, list[float]]:
    """The steps of the game's page and of an empty one."""
    path = next((place for name in BROWSERS if (place := shutil.which(name))), None)
    if path is None:
        raise SystemExit(f"no Chromium is installed (looked for {', '.join(BROWSERS)})")
    with running(clients=1) as (server, _), sync_playwright() as playwright:
        upload = server.send(long_game(), "long.kifu")
        server.wait(upload)
        (entry,) = server.get(f"/api/v1/uploads/{upload}/entries")["results"]
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        page = browser.new_page()
        session = page.context.new_cdp_session(page)
        session.send("Emulation.setCPUThrottlingRate", {"rate": slowdown})
        page.goto("about:blank")
        empty = measured(page, steps)
        page.goto(f"http://{HOST}:{server.port}/games/{entry['game']}/")
        page.wait_for_load_state("networkidle")
        found = {"empty": empty, "step": measured(page, steps)}
        browser.close()
    return found


def figures(times: Sequence[float]) -> dict[str, float]:
    return {f"p{share}": percentile(times, share / 100) for share in (50, 95, 99)} | {"max": max(times)}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--slowdown", type=float, default=1)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    rows = {name: figures(times) for name, times in measure(options.steps, options.slowdown).items()}
    print(f"{'ms':<8}" + "".join(f"{name:>8}" for name in rows["step"]) + f"{'frame':>8}")
    for name, row in rows.items():
        print(f"{name:<8}" + "".join(f"{value:8.1f}" for value in row.values()) + f"{FRAME_MS:8.1f}")
    if options.json:
        print(json.dumps(rows))


if __name__ == "__main__":
    main()
