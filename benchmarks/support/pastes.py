"""Games pasted while a large import runs: how long until each is found."""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path
from typing import Any, Final

from benchmarks import generate

PASTES: Final = 40
PASTE_SECONDS: Final = 3.0
"""What a paste may take during an import."""


def pastes(games: int) -> dict[str, Any]:
    """Paste games while a file of many is worked off; how long each was not to be found."""
    from tests.serving import archive_at

    load = os.getloadavg()[0]
    data = generate.csa_file(range(games)).encode()
    taken: list[float] = []
    settings = {"ARCHIVE_WEB_WORKERS": "2", "DATABASE_URL": ""}
    with (
        tempfile.TemporaryDirectory(prefix="kifu-ingest-") as name,
        archive_at(Path(name), **settings) as archive,
    ):
        began = time.perf_counter()
        upload = archive.post_file(data, "games.csa")

        def stored() -> int:
            return sum(archive.get(f"/api/v1/uploads/{upload}")["entries"].values())

        while not stored():
            time.sleep(0.02)
        while len(taken) < PASTES and stored() < games:
            taken.append(_paste(archive, games + len(taken)))
        beside = stored()
        while stored() < games:
            time.sleep(0.2)
        seconds = time.perf_counter() - began
    taken.sort()
    return {
        "games": games, "load": load, "seconds": seconds, "stored_before_last_paste": beside,
        "pastes": taken, "target": PASTE_SECONDS,
    }  # fmt: skip


def _paste(archive: Any, number: int) -> float:
    """Paste a game and ask for its last position until it is found; the seconds that took."""
    text = generate.csa(number)
    code = generate.code(number, len(generate.moves(number)))
    began = time.perf_counter()
    archive.post_text(text, "paste.csa")
    while not archive.get(f"/api/v1/positions/shogi/{code}")["total"]:
        time.sleep(0.02)
    return time.perf_counter() - began


def show_pastes(found: dict[str, Any]) -> None:
    taken = found["pastes"]
    print(f"{found['games']} games imported in {found['seconds']:.0f} s; load before {found['load']:.1f}")
    print(f"  {len(taken)} pastes until {found['stored_before_last_paste']} of them were stored, found after")
    for name, share in (("p50", 0.5), ("p95", 0.95), ("max", 1.0)):
        print(f"    {name}  {taken[min(len(taken) - 1, int(share * len(taken)))]:6.2f} s")
    print(f"    target {found['target']:.0f} s")
