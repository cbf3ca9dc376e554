"""A move on the explorer's board in a browser: from the release of the piece to the new list.

    python -m benchmarks.explorer [--games 2000] [--moves 60] [--address http://host:port] [--json]

Starts an archive, uploads one file of games, opens the usual start's page in headless Chromium and drags
pieces along moves that games played, three deep, with the mouse. A move lasts from the release of the button
to the end of the frame that shows the new list; the target is 100 ms for 95 of 100. With `--address` a
running archive is asked instead, of whatever size.

How to read it: `server` is what the requests for the lists took of that, as the browser saw them; the rest
is the page's own. No position is asked for twice in a page, so that none comes from what the page remembers.
On a machine that does other things both are late: the processor's share is what counts then.
"""

from __future__ import annotations

import argparse
import random
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Page, sync_playwright

from benchmarks import generate
from benchmarks.replay import BROWSERS, FLAGS, SCREEN
from benchmarks.serve import HOST, percentile, running
from benchmarks.support import interpreter
from benchmarks.support.targets import Target, verdict

TARGET_MS = 100
LISTED = "release to list"
DEPTH = 3
START = "/positions/shogi/"
"""Leads to the page of the usual start."""

WATCH = """
() => {
  const place = document.getElementById("position");
  const painted = new MessageChannel();
  window.times = [];
  let begun = 0;
  painted.port1.onmessage = () => window.times.push(performance.now() - begun);
  document.addEventListener("pointerup", () => { begun = performance.now(); }, true);
  new MutationObserver(() => {
    if (!place.hasAttribute("aria-busy")) requestAnimationFrame(() => painted.port2.postMessage(null));
  }).observe(place, { attributeFilter: ["aria-busy"] });
}
"""
CENTRES = """
(usi) => {
  const box = document.querySelector("svg.board").getBoundingClientRect();
  const scale = box.width / 578;
  return [usi.slice(0, 2), usi.slice(2, 4)].map(([file, rank]) => [
    box.x + (8 + (9.5 - file) * 60) * scale, box.y + (26 + ("abcdefghi".indexOf(rank) + 0.5) * 66) * scale,
  ]);
}
"""
ASKED = """
() => performance.getEntriesByType("resource").filter((one) => one.name.includes("/positions/shogi/")
  && !one.name.includes("/api/")).map((one) => one.responseEnd - one.startTime)
"""


@contextmanager
def archive(games: int, address: str) -> Iterator[str]:
    """The address of an archive with so many games, or of one that runs already."""
    if address:
        yield address.rstrip("/")
        return
    with running(clients=1) as (server, _log):
        server.wait(server.send(generate.csa_file(range(games)), "games.csa"))
        yield f"http://{HOST}:{server.port}"


def played(page: Page, address: str, dice: random.Random) -> tuple[list[float], list[float]]:
    """What each move of one line from the start took, and its request; drops and promotions are left out."""
    page.goto(address)
    page.wait_for_selector(".played-on")
    page.evaluate(WATCH)
    for number in range(DEPTH):
        rows = page.locator("tr[data-move]").evaluate_all("(rows) => rows.map((row) => row.dataset.move)")
        plain = [usi for usi in rows if usi[1] != "*" and not usi.endswith("+") and f"{usi}+" not in rows]
        if not plain:
            break
        (x, y), (to_x, to_y) = page.evaluate(CENTRES, dice.choice(plain[:6]))
        page.mouse.move(x, y)
        page.wait_for_timeout(200)
        page.mouse.down()
        page.mouse.move((x + to_x) / 2, (y + to_y) / 2)
        page.mouse.move(to_x, to_y)
        page.mouse.up()
        page.wait_for_function("(count) => window.times.length >= count", arg=number + 1)
    return page.evaluate("window.times"), page.evaluate(ASKED)


def measure(games: int, moves: int, address: str) -> dict[str, list[float]]:
    """Milliseconds of each move and of its request."""
    path = next((place for name in BROWSERS if (place := shutil.which(name))), None)
    if path is None:
        raise SystemExit(f"no Chromium is installed (looked for {', '.join(BROWSERS)})")
    found: dict[str, list[float]] = {LISTED: [], "server": []}
    dice = random.Random(1)
    with archive(games, address) as site, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        page = browser.new_page(viewport={"width": SCREEN[0], "height": SCREEN[1]})
        page.goto(site)
        start = site + str(page.locator(f'a[href^="{START}"]').first.get_attribute("href"))
        played(page, start, dice)
        while len(found[LISTED]) < moves:
            times, asked = played(page, start, dice)
            found[LISTED] += times
            found["server"] += asked
        browser.close()
    return found


def main() -> None:
    """Measure and print; exit with 1 if the target is missed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--games", type=int, default=2000)
    parser.add_argument("--moves", type=int, default=60)
    parser.add_argument("--address", default="")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    interpreter.announce()
    found = measure(options.games, options.moves, options.address)
    rows = {
        name: {f"p{share}": percentile(values, share / 100) for share in (50, 95)} | {"max": max(values)}
        for name, values in found.items()
    }
    print(f"{'ms':<18}{'p50':>8}{'p95':>8}{'max':>8}{'target':>8}")
    for name, row in rows.items():
        print(f"{name:<18}" + "".join(f"{value:8.1f}" for value in row.values()) + f"{TARGET_MS:8}")
    if options.json:
        print(interpreter.as_json(rows))
    sys.exit(verdict([Target(f"{LISTED}: p95", rows[LISTED]["p95"], TARGET_MS, " ms")]))


if __name__ == "__main__":
    main()
