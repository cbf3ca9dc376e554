"""A megabyte of anything: bounded memory, time that grows with the length alone, and a largest size."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from functools import partial

import pytest

from kifu_core import KifuError, load
from kifu_core.decoding import MAX_BYTES, MAX_ISSUES
from kifu_core.errors import DecodeError
from kifu_core.limits import most_games
from kifu_core.shogi.formats import SHOGI
from tests.kifu_core.effort import lines_run, seconds

MEGABYTE = 1_000_000
MEMORY = 200_000_000
HEAD = "手合割：平手\n手数----指手--\n1 ７六歩(77)\n"

Pieces = tuple[str, str | Callable[[int], str]]
"""The beginning, and what is repeated until the text is long enough: a text, or one for every number."""

GOLDS = ("３二金(41)", "７八金(69)", "４一金(32)", "６九金(78)")


def golds(ply: int) -> str:
    """A row of golds that go and come back, from ply 2 on."""
    return f"{ply} {GOLDS[(ply - 2) % 4]}\n"


def files_by_format() -> dict[str, str]:
    """A game as a file of each format that may hold several, with the text between games."""
    record = load(HEAD).games[0].record
    writers = [one.writers[0] for one in SHOGI.readers.values() if one.writers and not one.writers[0].is_json]
    texts = {one.name: (one.dump(record), one.between) for one in writers}
    return {name: text + between for name, (text, between) in texts.items() if between is not None}


PIECES: dict[str, Pieces] = {
    "csa games": ("", "PI\n+\n+7776FU\n/\n"),
    "csa drawn games": ("", "P1-KY\n+\n/\n"),
    "csa moves alone": ("", "+7776FU\n/\n"),
    "csa endings": ("PI\n+\n+7776FU\n", "%A\n"),
    "csa starts": ("", "PI\n/\n"),
    "csa comments": ("PI\n+\n+7776FU\n", "'a\n"),
    "csa unknown lines": ("PI\n+\n+7776FU\n", "x\n"),
    "csa headers": ("", lambda n: f"$A{n}:b\nN+a\n"),
    "kif games": ("", "手合割：平手\n1 ７六歩(77)\n"),
    "kif drawn games": ("", "|\n手合割：a\n1 投了\n"),
    "kif unreadable games": ("", "先手：\n1 同歩\n"),
    "kif moves": (HEAD, lambda n: golds(n + 2)),
    "kif forks": (HEAD, "変化：1手\n1 ２六歩(27)\n"),
    "kif forks in forks": (HEAD + golds(2), lambda n: f"変化：{n + 2}手\n" + golds(n + 2) + golds(n + 3)),
    "kif refused forks": (HEAD, "変化：9手\n9 ２六歩(27)\n&a\n"),
    "kif unknown lines": (HEAD, "x\n"),
    "kif endings": (HEAD, lambda n: f"2 あ{n}\n"),
    "kif comments": (HEAD, "*a\n"),
    "kif bookmarks": (HEAD, "&a\n"),
    "kif headers": ("", lambda n: f"見{n}：x\n"),
    "ki2 games": ("", "先手：\n▲７六歩\n"),
    "ki2 marks": ("▲７六歩", "▲"),
    "usi games": ("", "startpos moves 7g7f\n"),
    "usi moves and words": ("startpos moves ", "6i7h a 4a3b a 7h6i a 3b4a a "),
    "sfen positions": ("", "sfen 9/9/9/9/9/9/9/9/9 b - 1\n"),
    "sfen mates": ("", lambda n: f"sfen 8k/9/7SG/9/9/9/9/9/4K4 b 2G{n % 90 + 2}P 1 moves G*1b 1a2a G*2b\n"),
    "usen games": ("", "~0.\n"),
    "usen forks": ("~0.7ku", "~0.6y2"),
    "usen forks in forks": ("~0.7ku", lambda n: f"~{n + 1}.2jm6y2"),
    "jkf records": ("[", '{"header":{},"moves":[{}]},'),
    "jkf empty forks": ('{"moves":[{},{"special":"TORYO","forks":[', "[{}],"),
    "boards": ("", "先手の持駒：飛\n|・\n"),
    **{f"{name} as written": ("", text) for name, text in files_by_format().items()},
    "saved in a wrong encoding": (HEAD.encode().decode("latin-1"), "*あ\n".encode().decode("latin-1")),
}
TAILS = {"jkf records": "{}]", "jkf empty forks": "[]]}]}"}


def text_of(name: str, size: int) -> str:
    """A text of about so many bytes."""
    head, piece = PIECES[name]
    if isinstance(piece, str):
        body = piece * (size // len(piece.encode()))
    else:
        body = "".join(map(piece, range(size // len(piece(size // 20).encode()))))
    return head + body + TAILS.get(name, "")


def read(data: bytes) -> None:
    try:
        load(data)
    except KifuError as error:
        assert error.code


def reading(name: str, size: int) -> Callable[[], None]:
    return partial(read, text_of(name, size).encode())


@pytest.mark.parametrize("name", sorted(PIECES))
def test_work_grows_no_faster_than_the_text(name):
    short, long = (lines_run(reading(name, size)) for size in (2_000, 16_000))
    # Eight times the text is eight times the work; anything quadratic would make it sixty-four times.
    assert long < 10 * short


@pytest.mark.parametrize("name", sorted(PIECES))
def test_time_grows_no_faster_than_the_text(name):
    short, long = (reading(name, size) for size in (MEGABYTE // 160, MEGABYTE // 10))
    # Of loops inside built-in functions only time tells: linear it is sixteen times, quadratic 256 times.
    most = max(60 * seconds(short, 5), 0.05)
    assert seconds(long, 1) < most or seconds(long, 1) < most


READING = """
import resource, sys
from kifu_core import load
data = sys.stdin.buffer.read()
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
load(data)
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024)
"""


@pytest.mark.parametrize("name", ["csa endings", "usen forks"])
def test_a_megabyte_takes_less_than_200_of_memory(name):
    data = text_of(name, MEGABYTE).encode()
    done = subprocess.run([sys.executable, "-c", READING], input=data, capture_output=True, check=True)
    assert int(done.stdout) < MEMORY


def test_a_text_gives_no_more_games_than_a_real_one_has():
    text = text_of("csa starts", MEGABYTE // 3)
    result = load(text)
    assert len(result.games) == most_games(text)
    assert [issue.code for issue in result.issues] == ["too-many-games"]
    assert result.issues[0].line


def test_issues_of_unreadable_games_are_bounded():
    result = load(text_of("kif unreadable games", MEGABYTE // 8))
    assert result.games == ()
    assert len(result.issues) == MAX_ISSUES + 1


@pytest.mark.parametrize("data", [b" " * 20_000_000, " " * 20_000_000], ids=["bytes", "text"])
def test_twenty_megabytes_are_refused(data):
    assert MAX_BYTES < 20_000_000
    with pytest.raises(DecodeError) as caught:
        load(data)
    assert caught.value.code == "too-large"
