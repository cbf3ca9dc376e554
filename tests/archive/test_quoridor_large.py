"""Large files of games of Quoridor: cut into pieces that give the same games as the whole."""

from __future__ import annotations

import io
import json
import tracemalloc

import pytest

from archive.intake import texts
from archive.intake.reader import read_part
from archive.intake.walk import walk
from kifu_core.games import QUORIDOR, load
from kifu_core.quoridor.board import name
from kifu_core.quoridor.qf_code import QfCode, encode
from kifu_core.quoridor.record import as_jkf
from tests.kifu_core.quoridor.games import random_game
from tests.kifu_core.quoridor.records import random_record

GAMES = [random_game(seed, 40) for seed in range(12)]
CODES = [encode(QfCode(None, tuple(game))) for game in GAMES]
LISTS = [" ".join(map(name, game)) for game in GAMES]


def wrapped(text: str) -> str:
    return "\n".join(text[at : at + 20] for at in range(0, len(text), 20))


def numbered(text: str, sign: str = "{}.") -> str:
    words = text.split()
    pairs = range(0, len(words), 2)
    return "\n".join(f"{sign.format(at // 2 + 1)} {' '.join(words[at : at + 2])}" for at in pairs)


def labelled(texts: list[str]) -> list[str]:
    return [f"game {number}\t{text}" for number, text in enumerate(texts)]


FILES = {
    "codes": "\n".join(CODES),
    "labelled codes": "\n".join(labelled(CODES)),
    "broken codes": "\n\n".join(map(wrapped, CODES)),
    "damaged codes": "\n".join(code if n % 3 else code + "A" for n, code in enumerate(CODES)),
    "lists": "\n".join(LISTS),
    "labelled lists": "\n".join(labelled(LISTS)),
    "numbered lists": "\n".join(map(numbered, LISTS)),
    "lists with (1)": "\n".join(numbered(text, "({})") for text in LISTS),
    "lists with 1)": "\n".join(numbered(text, "{})") for text in LISTS),
    "lists with [1]": "\n".join(numbered(text, "[{}]") for text in LISTS),
    "JSON": json.dumps([text.split() for text in LISTS], indent=1),
    "JSON objects": json.dumps([{"moves": text.split()} for text in LISTS], indent=1),
    "tagged lists": "\n".join(
        QUORIDOR.formats.dump(as_jkf(random_record(seed)), "alg") for seed in range(1, 20, 3)
    ),
}


def read(text: str, file: str) -> tuple[list[bytes], int]:
    """The digests of a file's games, and in how many pieces it was read."""
    parts = list(walk(io.BytesIO(text.encode()), file))
    entries = [entry for part in parts for entry in read_part(part, file)]
    return [entry.game.digest for entry in entries if entry.game], len(parts)


@pytest.mark.parametrize("what", FILES)
def test_cutting_gives_the_same_games_as_reading_at_once(what, monkeypatch):
    file = "x.qf" if "codes" in what else "x.txt"
    whole, pieces = read(FILES[what], file)
    assert pieces == 1 and len(whole) >= 7
    monkeypatch.setattr(texts, "UNCUT_BYTES", 100)
    monkeypatch.setattr(texts, "GROUP_BYTES", 60)
    cut, pieces = read(FILES[what], file)
    assert cut == whole
    # Codes that mail programs broke can only be put together by reading them, and JSON is read whole.
    assert (pieces > 3) == (what != "broken codes" and "JSON" not in what)


def test_nothing_is_cut_inside_comments_and_forks(monkeypatch):
    inside = f"1. e2 e8 {{as in\n1. e2 e8\n{LISTS[1]}\n}} 2. e3 (2. d2\n1. e2 e8) e7\n"
    text = inside * 3 + '[White "Ada :("]\n1. d1\n' + '[White "Bo"]\n1. f1\n'
    monkeypatch.setattr(texts, "UNCUT_BYTES", 100)
    monkeypatch.setattr(texts, "GROUP_BYTES", 20)
    found = [part.data.decode() for part in walk(io.BytesIO(text.encode()), "x.txt")]
    assert found == [inside, inside, inside, '[White "Ada :("]\n1. d1\n', '[White "Bo"]\n1. f1\n']


def test_a_large_collection_takes_no_more_memory_than_its_pieces():
    data = ("\n".join(CODES) + "\n").encode() * 2_000
    tracemalloc.start()
    try:
        pieces = sum(1 for _ in walk(io.BytesIO(data), "all.qf"))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert pieces > 20 and peak < len(data) + 1_000_000
    assert load(data[:1000].decode(), "all.qf")[1].format == "qf"
