"""Every code is issued by something: a text, an option or a code of a position that is its sample."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kifu_core import Board, Game, KifuError, dump, encode_text, load, merge
from kifu_core.__main__ import main
from kifu_core.decoding import MAX_BYTES, MAX_ISSUES
from kifu_core.errors import Issue
from kifu_core.messages import TEXTS
from kifu_core.shogi import patterns
from kifu_core.shogi.formats import FORMATS, losses
from kifu_core.shogi.keys import shogi64
from kifu_core.shogi.legality import findings
from kifu_core.shogi.moves import from_usi
from kifu_core.shogi.position import Position
from kifu_core.shogi.rules import violation
from kifu_core.shogi.texts import from_object
from kifu_core.shogi.training import SKIPPED
from tests.cases import each
from tests.kifu_core.test_losses import full

DATA = Path(__file__).parents[1] / "data"
SOURCES = Path(__file__).parents[2] / "kifu_core"
HEAD = "手合割：平手\n手数----指手--\n"
BARE = "|" + " ・" * 9 + "|一\n"
JKF = '{"header":{},"moves":[{},%s]}'


def nested(levels: int) -> str:
    """A KIF text whose variations lie in one another."""
    golds = ("３二金(41)", "７八金(69)", "４一金(32)", "６九金(78)")
    rows = [f"{ply} {golds[(ply - 2) % 4]}\n" for ply in range(2, levels + 4)]
    forks = "".join(f"変化：{ply}手\n{rows[ply - 2]}{rows[ply - 1]}" for ply in range(2, levels + 2))
    return HEAD + "1 ７六歩(77)\n" + rows[0] + forks


TEXTS_WITH: dict[str, bytes | str] = {
    "too-large": b" " * (MAX_BYTES + 1),
    "bad-bytes": (HEAD + "1 ７六歩(77)\n*").encode("cp932") + b"\x81\xff\xfe\n",
    "double-encoded": (HEAD + "1 ７六歩(77)\n").encode().decode("latin-1"),
    "bad-characters": HEAD + "1 ７六歩(77)\n*a\0\n",
    "empty-file": " \n",
    "bad-declaration": HEAD + "1 ７六歩(77)\n2 入玉勝ち\n",
    "unknown-format": "まったく棋譜ではない文章です。\n",
    "is-address": "https://shogi.example/games/a-b-20240512_221403?tw=1\n",
    "is-picture": bytes.fromhex("89504e470d0a1a0a0000000d49484452"),
    "is-document": b"%PDF-1.7\n",
    "is-container": b"PK\x03\x04",
    "too-many-games": "PI\n/\n" * 10_001,
    "more-issues": HEAD + "1 ７六歩(77)\n" + "なんだろう\n" * (MAX_ISSUES + 1),
    "no-moves": "棋戦：某\n先手：甲\n",
    "unknown-line": HEAD + "1 ７六歩(77)\nなんだろう\n",
    "no-line-ends": "先手：甲 後手：乙 1 ７六歩(77) 2 ３四歩(33) 3 投了",
    "start-among-moves": "PI\n+\n+7776FU\nN+甲\n+7776FU\n",
    "source-inferred": "手合割：平手\n▲７六歩 △３四歩 ▲５八金 △８四歩 ▲７八金\n",
    "rows-missing": HEAD + "1 ７六歩(77)\n4 ３四歩(33)\n",
    "row-order": HEAD + "1 ７六歩(77)\n2 ３四歩(33)\n2 ２六歩(27)\n",
    "after-ending": HEAD + "1 ７六歩(77)\n2 投了\n2 ３四歩(33)\n",
    "game-without-head": HEAD + "1 ７六歩(77)\n1 ２六歩(27)\n",
    "repeated-header": "備考：一\n備考：二\n" + HEAD + "1 ７六歩(77)\n",
    "no-board": "手合割：その他\n手数----指手--\n1 ７六歩(77)\n",
    "unknown-handicap": "手合割：五五将棋\n手数----指手--\n1 ７六歩(77)\n",
    "bad-board": BARE + "1 投了\n",
    "bad-board-piece": BARE.replace("・", "象", 1) * 9,
    "bad-board-rank": "P1-KY\n+\n+7776FU\n",
    "unreadable-rank": "P1-KY ? \n+\n+7776FU\n",
    "other-board": "+---+\n" + "| ・ ・ ・ ・ ・|一\n" * 5 + "+---+\n" + HEAD + "1 ７六歩(77)\n",
    "other-move-count": "1 2003/09/08 A B 1 9\n7776FU\n",
    "book-move": "sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1\n7g7e none 0\n",
    "bad-hand": "先手の持駒：犬\n" + BARE * 9,
    "bad-piece": "P+00OU\n+\n",
    "side-mark": "PI\n+\n-7776FU\n",
    "variation-past-end": HEAD + "1 ７六歩(77)\n変化：2手\n2 ３四歩(33)\n",
    "variation-without-move": HEAD + "1 ７六歩(77)\n変化：9手\n9 ３四歩(33)\n",
    "variation-too-deep": nested(101),
    "unknown-ending": HEAD + "1 ７六歩(77)\n2 なぞ\n",
    "bad-time": HEAD + "1 ７六歩(77) (12)\n",
    "total-mismatch": HEAD + "1 ７六歩(77) ( 0:01/00:00:02)\n",
    "misread": "V2.2\nN+鄒ｽ逕溷埋\ufffd\n+\n+7776FU\n",
    "result-mismatch": HEAD + "1 ７六歩(77)\n2 投了\nまで1手で後手の勝ち\n",
    "json": "{",
    "jkf-type": JKF % "1",
    "jkf-missing": JKF % '{"move":{"from":{"x":7},"to":{"x":7,"y":6}}}',
    "jkf-value": JKF % '{"move":{"from":{"x":0,"y":7},"to":{"x":7,"y":6}}}',
    "jkf-depth": '{"header":{},"moves":[{},' + '{"forks":[[' * 200 + "]]}" * 200 + "]}",
    "unreadable-move": HEAD + "1 ７六歩(70)\n",
    "same-without-move": HEAD + "1 同　歩(77)\n",
    "no-piece": HEAD + "1 ５五歩(56)\n",
    "wrong-side": HEAD + "1 ３四歩(33)\n",
    "occupied": HEAD + "1 ７七桂(89)\n",
    "not-in-hand": HEAD + "1 ５五角打\n",
    "bad-drop": JKF % '{"move":{"color":0,"to":{"x":5,"y":5},"piece":"OU"}}',
    "ambiguous": "▲７六歩 △３四歩 ▲５八金\n",
    "piece-mismatch": HEAD + "1 ７六銀(77)\n",
    "unreachable": HEAD + "1 ２三飛(28)\n",
    "bad-promote": HEAD + "1 ７六歩成(77)\n",
    "must-promote": BARE + "|" + " ・" * 8 + " 歩|二\n" + BARE * 7 + "先手の持駒：なし\n1 １一歩(12)\n",
    "dead-drop": "sfen 4k4/9/9/9/9/9/9/9/4K4 b P 1 moves P*1a\n",
    "nifu": "sfen 4k4/9/9/9/9/9/P8/9/4K4 b P 1 moves P*9e\n",
    "king-taken": "sfen 4k4/4P4/9/9/9/9/9/9/4K4 b - 1 moves 5b5a+\n",
    "sfen-fields": "sfen 9/9/9/9/9/9/9/9/9\n",
    "sfen-board": "sfen 9/9/9/9/9/9/9/9/8 b - 1\n",
    "sfen-turn": "sfen 9/9/9/9/9/9/9/9/9 x - 1\n",
    "sfen-hands": "sfen 9/9/9/9/9/9/9/9/9 b K 1\n",
    "usen-line": "~0.7ku2jm.~x.36e.\n",
}
"""A text whose reading issues the code."""

ILLEGAL = ("self-check", "uchifuzume", "fourfold", "perpetual-check")
"""Codes of `legality.findings`, each with a sample file of its name."""

PATTERNS = {
    "pattern-long": "K5i " * 251,
    "pattern-nothing": "K5i then",
    "pattern-steps": "K5i" + " then K5i" * 8,
    "pattern-item": "castle:mino",
    "pattern-open": "{G,S5i",
    "pattern-empty": "turn:",
    "pattern-pieces": "Q5i",
    "pattern-square": "K0i",
    "pattern-counts": "hand:P>3",
    "pattern-value": "turn:mine",
    "pattern-twice": "turn:own turn:enemy",
    "pattern-never": "K5i G5i",
}
"""Texts of patterns that are refused."""

SHOGI64 = {
    "empty": "",
    "too-long": "A" * 161,
    "bad-char": "=",
    "truncated": "poUAACMaqtYhwHgAAAAPQdTnd3vMgA",
    "trailing-chars": "poUAACMaqtYhwHgAAAAPQdTnd3vMgAAA",
    "nonzero-padding": "poUAACMaqtYhwHgAAAAPQdTnd3vMgAB",
    "noncanonical-mode": "8cea6a84w7A-JJJJIAAAALbbba-g7s8-76795yAAA",
    "king-range": "qQDbbbbbbbbYAAAAAAAAAAAAAAAA",
    "overlap": "gIHbbbbbbbbYAAAAAAAAAAAAAAAA",
}
"""Codes of positions that are refused."""

ELSEWHERE = {
    *("other-game", "main-line-limit", "forks-limit", "fork-moves-limit", "comments-limit"),
    *("packed-position", "packed-move", "packed-rest", "too-many-positions", *SKIPPED),
    *("written-positions", "written-moves"),
    *("book-damaged", "book-unreached"),
    *(f"book-lost-{part}" for part in ("positions", "counts", "scores", "depths", "replies", "remarks")),
    *("bomb", "damaged", "empty-container", "encrypted", "entry-too-large", "link", "nested-too-deep"),
    *("no-files", "too-many-entries", "unknown-compression", "unknown-container", "needs-7z"),
    *("device", "internal-error", "too-much-memory", "unpacks-to-too-much"),
}
"""Codes of the command, between games of both kinds and of containers, in `test_command.py` and
`test_command_files.py`, of the limits that only an archive has, in `test_game_limits.py`, of files that names
tell, in `test_packed.py`, of training data and books, in `test_training.py` and `test_books.py`."""

CALLS: dict[str, Callable[[], object]] = {
    "sfen-number": lambda: Position.from_sfen("9/9/9/9/9/9/9/9/9 b - x"),
    "bad-usi-move": lambda: from_usi("7g7"),
    "unencodable": lambda: shogi64.encode(Position([0] * 80, [[0] * 8, [0] * 8], 0)),
    "bad-position-object": lambda: from_object({"board": []}),
    "bad-move-text": lambda: Board().parse("hello"),
    "no-such-handicap": lambda: Board.handicap("百枚落ち"),
    "no-game": lambda: merge([]),
    "other-start": lambda: merge([Game.from_board(Board()), Game.from_board(Board.handicap("角落ち"))]),
    "no-such-ply": lambda: dump(load("startpos moves 7g7f").games[0].record, "bod", ply=9),
}
"""What raises the code."""

COMMAND = ("one-game-a-file", "would-overwrite", "same-output", "file-exists")
"""Codes of the command."""


def issued(data: bytes | str) -> Iterator[Issue | KifuError]:
    """All findings of a reading."""
    try:
        result = load(data)
    except KifuError as error:
        yield error
        return
    yield from result.issues
    for game in result.games:
        yield from findings(game)


@each("code", sorted(TEXTS_WITH))
def test_a_text_issues_the_code(code):
    assert code in {found.code for found in issued(TEXTS_WITH[code])}


@pytest.mark.parametrize("code", ILLEGAL)
def test_a_sample_file_issues_the_code(code):
    data = (DATA / "illegal" / f"{code}.kifu").read_bytes()
    assert code in {found.code for found in issued(data)}


@pytest.mark.parametrize("code", sorted(SHOGI64))
def test_a_code_of_a_position_is_refused_by_the_code(code):
    with pytest.raises(KifuError) as caught:
        shogi64.decode(SHOGI64[code])
    assert caught.value.code == code


@each("code", sorted(PATTERNS))
def test_a_text_of_a_pattern_is_refused_by_the_code(code):
    with pytest.raises(KifuError) as caught:
        patterns.parse(PATTERNS[code])
    assert caught.value.code == code


def test_a_number_that_is_no_move_is_named():
    assert violation(Position.initial(), 0) == "bad-move"


@pytest.mark.parametrize("code", sorted(CALLS))
def test_a_call_raises_the_code(code):
    with pytest.raises(KifuError) as caught:
        CALLS[code]()
    assert caught.value.code == code


OF_GAMES = {"lost-remarks", "lost-unread"}
"""What `Game.dump` alone refuses to lose."""


def test_writing_issues_what_is_lost():
    games = (full("降参"), load(TEXTS_WITH["total-mismatch"]).games[0])
    found = {issue.code for name in FORMATS for game in games for issue in losses(game, name)}
    assert found == {code for code in TEXTS if code.startswith("lost-")} - OF_GAMES | {"ending-in-remark"}
    assert [issue.code for issue in encode_text("𠮷", "kif")[1]] == ["unencodable-character"]


def test_the_command_issues_its_own(tmp_path, capsys):
    path = tmp_path / "a.kif"
    path.write_text(HEAD + "1 ７六歩(77)\n", encoding="utf-8")
    text = path.read_text(encoding="utf-8")
    two = tmp_path / "two.usi"
    two.write_text("startpos moves 7g7f\nstartpos moves 2g2f\n", encoding="utf-8")
    main(["convert", str(path), "--to", "kif", "--output", str(tmp_path)])
    main(["convert", str(two), "--to", "kif"])
    (tmp_path / "a.csa").touch()
    main(["convert", str(path), "--to", "csa", "--output", str(tmp_path)])
    main(["convert", str(path), str(path), "--to", "csa", "--output", str(tmp_path)])
    stderr = capsys.readouterr().err
    for code in COMMAND:
        parts = [max(re.split(r"\{[^}]*\}", one), key=len) for one in TEXTS[code]]
        assert all(parts) and any(part in stderr for part in parts), code
    assert path.read_text(encoding="utf-8") == text


def of_quoridor() -> set[str]:
    """The codes that occur only in the sources of Quoridor, whose tests issue them."""
    sources = [*SOURCES.rglob("*.py")]
    quoridor = [path for path in sources if "quoridor" in path.parts]
    inside, outside = (
        {code for path in paths for code in re.findall(r'"([a-z]+(?:-[a-z]+)*)"', path.read_text("utf-8"))}
        for paths in (quoridor, [path for path in sources if path not in quoridor])
    )
    return inside - outside


def test_every_code_has_a_sample():
    lost = {code for code in TEXTS if code.startswith("lost-")} | {"ending-in-remark"}
    sampled = {
        "bad-move",
        *TEXTS_WITH,
        *ILLEGAL,
        *SHOGI64,
        *PATTERNS,
        *CALLS,
        *COMMAND,
        *lost,
        "unencodable-character",
    }
    assert set(TEXTS) - of_quoridor() - ELSEWHERE == sampled


@pytest.mark.shared
def test_every_code_of_the_corpus_has_a_sample():
    from tests.shared import CORPUS

    for path in sorted(CORPUS.glob("*/irof__Kifuzo/*")):
        for found in issued(path.read_bytes()):
            assert found.code in TEXTS_WITH or found.code in ILLEGAL, path
