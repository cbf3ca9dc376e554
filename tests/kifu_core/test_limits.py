"""A megabyte of anything: bounded memory, time that grows with the length alone, and a largest size."""

from __future__ import annotations

import gc
import subprocess
import sys
import time

import pytest

from kifu_core import KifuError, load
from kifu_core.errors import DecodeError
from kifu_core.formats.positions import most_games
from kifu_core.text import MAX_BYTES, MAX_ISSUES

MEGABYTE = 1_000_000
MEMORY = 200_000_000
HEAD = "手合割：平手\n手数----指手--\n1 ７六歩(77)\n"

# What is repeated until the text is long enough, and what stands before it.
PIECES = {
    "csa games": ("", "PI\n+\n+7776FU\n/\n"),
    "csa moves alone": ("", "+7776FU\n/\n"),
    "csa endings": ("", "%TORYO\n/\n"),
    "csa starts": ("", "PI\n/\n"),
    "csa comments": ("PI\n+\n+7776FU\n", "'a\n"),
    "csa unknown lines": ("PI\n+\n+7776FU\n", "x\n"),
    "kif games": ("", "手合割：平手\n1 ７六歩(77)\n"),
    "kif unreadable games": ("", "先手：\n1 同歩\n"),
    "kif forks": (HEAD, "変化：1手\n1 ２六歩(27)\n"),
    "kif unknown lines": (HEAD, "x\n"),
    "kif comments": (HEAD, "*a\n"),
    "ki2 games": ("", "先手：\n▲７六歩\n"),
    "ki2 marks": ("▲７六歩", "▲"),
    "usi games": ("", "startpos moves 7g7f\n"),
    "sfen positions": ("", "sfen 9/9/9/9/9/9/9/9/9 b - 1\n"),
    "usen games": ("", "~0.\n"),
    "jkf records": ("[", '{"header":{},"moves":[{}]},'),
    "boards": ("", "先手の持駒：飛\n|・\n"),
}


def text_of(name: str, size: int) -> str:
    head, piece = PIECES[name]
    text = head + piece * (size // len(piece.encode()))
    return text[:-1] + "]" if name.startswith("jkf") else text


def seconds(text: str) -> float:
    """Processor time of a reading, which other processes on the machine do not lengthen.

    Nor does the garbage of the tests before: its collection would be counted here.
    """
    data = text.encode()
    gc.disable()
    began = time.process_time()
    try:
        load(data)
    except KifuError as error:
        assert error.code
    finally:
        spent = time.process_time() - began
        gc.enable()
    return spent


@pytest.mark.parametrize("name", sorted(PIECES))
def test_time_grows_no_faster_than_the_text(name):
    short = min(seconds(text_of(name, MEGABYTE // 40)) for _ in range(3))
    long = min(seconds(text_of(name, MEGABYTE // 5)) for _ in range(2))
    # Eight times the text takes about eight times as long; it would be sixty-four if anything were quadratic.
    assert long < max(28 * short, 0.05)


READING = """
import resource, sys
from kifu_core import load
data = sys.stdin.buffer.read()
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
load(data)
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024)
"""


@pytest.mark.parametrize("name", ["csa starts", "csa unknown lines"])
def test_a_megabyte_takes_less_than_200_of_memory(name):
    data = text_of(name, MEGABYTE).encode()
    done = subprocess.run([sys.executable, "-c", READING], input=data, capture_output=True, check=True)
    assert int(done.stdout) < MEMORY


def test_a_text_gives_no_more_games_than_a_real_one_has():
    text = text_of("csa starts", MEGABYTE // 3)
    result = load(text)
    assert len(result.games) == most_games(text, 20_000)
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
