"""A step of the replay in a browser: a long game with many variations in headless Chromium.

    python -m benchmarks.replay [--steps 500] [--slowdown 4] [--json]

Starts an archive, uploads one game of 500 plies with 200 variations, opens it on a screen and on a phone and
presses the key for "forward". A step lasts from the key to the end of the frame that shows it.

How to read it: `empty` is the same key on a page that only changes one number, in the same browser, in turn
with the others: what the browser itself needs for a frame. `ours` is the difference of the medians. Frames
begin at once and not at the next beat of 60 in a second, else half a frame of waiting would be measured. The
target for 95 of 100 is one frame, 16.7 ms. `cpu` is what the page's thread computed for a step, slowdown and
all: a busy machine makes steps late, but the ratio of `cpu` to the empty page's stays.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from dataclasses import dataclass, field

from playwright.sync_api import Browser, CDPSession, Page, sync_playwright

from benchmarks.serve import HOST, percentile, running
from benchmarks.support import interpreter
from benchmarks.support.targets import Target, verdict

FRAME_MS = 1000 / 60
PLIES = 500
VARIATIONS = 200
SCREEN = (1280, 800)
PHONE = (390, 844)
BROWSERS = (
    "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chromium-headless-shell",
)  # fmt: skip
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-gpu-vsync",
    "--disable-frame-rate-limit",
]
SHUFFLE = ("３八飛(28)", "７二飛(82)", "２八飛(38)", "８二飛(72)")
OTHERS = ("７六歩(77)", "３四歩(33)")

STEPS = """
async (steps) => {
  const times = [];
  for (let step = 0; step < steps; step++) {
    times.push(await new Promise((done) => {
      const painted = new MessageChannel();
      const begun = performance.now();
      painted.port1.onmessage = () => done(performance.now() - begun);
      document.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
      requestAnimationFrame(() => painted.port2.postMessage(null));
    }));
    await new Promise((done) => setTimeout(done, 4));
  }
  return times;
}
"""
COUNTER = """
<p id="number">0</p>
<script>
  document.addEventListener("keydown", () => requestAnimationFrame(() => { number.textContent++; }));
</script>
"""
BLOCK = 50
"""Steps in a row on one page, before the next page has its turn."""


def long_game() -> str:
    """A KIF text in which rooks go to and fro, with a variation at every other ply of the first 400."""
    rows = [f"{ply} {SHUFFLE[(ply - 1) % 4]}" for ply in range(1, PLIES + 1)]
    forks = [
        f"\n変化：{ply}手\n{ply} {OTHERS[(ply - 1) % 2]}"
        for ply in sorted((1 + 4 * (n // 2) + n % 2 for n in range(VARIATIONS)), reverse=True)
    ]
    return "手合割：平手\n手数----指手---------消費時間--\n" + "\n".join([*rows, *forks]) + "\n"


@dataclass
class Measured:
    """A page's steps: milliseconds of each, and seconds that its thread computed for all of them."""

    page: Page
    session: CDPSession
    times: list[float] = field(default_factory=list)
    cpu: float = 0

    def go_on(self, steps: int) -> None:
        """So many further steps."""
        self.page.bring_to_front()
        before = self._computed()
        self.times += self.page.evaluate(STEPS, steps)
        self.cpu += self._computed() - before

    def _computed(self) -> float:
        metrics = self.session.send("Performance.getMetrics")["metrics"]
        return float(next(one["value"] for one in metrics if one["name"] == "TaskDuration"))


def opened(browser: Browser, size: tuple[int, int], address: str, slowdown: float) -> Measured:
    """A page at its start, after the first few steps, in which scripts are compiled; empty for no address."""
    page = browser.new_page(viewport={"width": size[0], "height": size[1]})
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    session.send("Emulation.setCPUThrottlingRate", {"rate": slowdown})
    if address:
        page.goto(address)
        page.wait_for_load_state("networkidle")
    else:
        page.set_content(COUNTER)
    page.evaluate(STEPS, 20)
    page.keyboard.press("Home")
    return Measured(page, session)


def measure(steps: int, slowdown: float) -> dict[str, Measured]:
    """The steps of the game's page at two sizes and of an empty one."""
    path = next((place for name in BROWSERS if (place := shutil.which(name))), None)
    if path is None:
        raise SystemExit(f"no Chromium is installed (looked for {', '.join(BROWSERS)})")
    with running(clients=1) as (server, _), sync_playwright() as playwright:
        upload = server.send(long_game(), "long.kifu")
        server.wait(upload)
        (entry,) = server.get(f"/api/v1/uploads/{upload}/entries")["results"]
        address = f"http://{HOST}:{server.port}/games/{entry['game']}/"
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        pages = {
            "empty": opened(browser, SCREEN, "", slowdown),
            "screen": opened(browser, SCREEN, address, slowdown),
            "phone": opened(browser, PHONE, address, slowdown),
        }
        for first in range(0, steps, BLOCK):
            for one in pages.values():
                one.go_on(min(BLOCK, steps - first))
        browser.close()
    return pages


def figures(one: Measured, empty: Measured) -> dict[str, float]:
    shares = {f"p{share}": percentile(one.times, share / 100) for share in (50, 95, 99)}
    ours = shares["p50"] - percentile(empty.times, 0.5)
    return shares | {"max": max(one.times), "ours": ours, "cpu": 1000 * one.cpu / len(one.times)}


def main() -> None:
    """Measure and print; exit with 1 if a target is missed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--steps", type=int, default=PLIES)
    parser.add_argument("--slowdown", type=float, default=4)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    interpreter.announce()
    found = measure(options.steps, options.slowdown)
    rows = {name: figures(one, found["empty"]) for name, one in found.items()}
    print(f"{'ms':<8}" + "".join(f"{name:>8}" for name in rows["empty"]) + f"{'frame':>8}")
    for name, row in rows.items():
        print(f"{name:<8}" + "".join(f"{value:8.1f}" for value in row.values()) + f"{FRAME_MS:8.1f}")
    if options.json:
        print(interpreter.as_json(rows))
    sizes = ("screen", "phone")
    sys.exit(verdict(Target(f"{name}: p95", rows[name]["p95"], FRAME_MS, " ms") for name in sizes))


if __name__ == "__main__":
    main()
