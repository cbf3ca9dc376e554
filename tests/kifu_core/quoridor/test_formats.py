"""The formats of Quoridor's records together: round trips, losses, detection, the corpus."""

from __future__ import annotations

import json

import pytest

from kifu_core import games, load
from kifu_core.errors import KifuError, UnknownFormatError
from kifu_core.quoridor import formats
from kifu_core.quoridor.formats import losses
from kifu_core.quoridor.record import as_jkf
from kifu_core.quoridor.replay import main_moves
from kifu_core.record import ParsedGame
from tests.cases import each
from tests.kifu_core.quoridor.reading import SEED, codes, moves_of, one
from tests.kifu_core.quoridor.records import random_record
from tests.shared import CORPUS


@pytest.mark.parametrize("file_format", ["alg", "json"])
def test_records_with_forks_and_comments_survive(file_format):
    for seed in range(15):
        record = as_jkf(random_record(seed))
        text = formats.dump(record, file_format)
        result = formats.load(text)
        assert result.format == file_format
        assert result.games[0].record == record, text
        assert result.games[0].issues == () or codes(result.games[0]) == ["no-path"], text
        assert losses(result.games[0], file_format) == ()


def test_what_a_code_cannot_hold_is_reported_and_the_rest_survives():
    for seed in range(15):
        record = as_jkf(random_record(seed))
        game = one(formats.dump(record, "qf"))
        assert moves_of(game) == moves_of(ParsedGame(record, "game", None))
        assert game.record["initial"] == record["initial"]
        lost = {issue.code: issue.params["count"] for issue in losses(record, "qf")}
        assert ("lost-headers" in lost) == bool(record["header"])
        assert ("lost-forks" in lost) == any("forks" in entry for entry in record["moves"])
        assert ("lost-ending" in lost) == any("special" in entry for entry in record["moves"])


def test_a_comment_with_a_brace_becomes_comments_of_a_line_each():
    record = json.loads(formats.dump(one("1. e2 {x} e8").record, "json"))
    record["moves"][1]["comments"] = ["a } b\nc"]
    text = formats.dump(record, "alg")
    assert one(text).record["moves"][1]["comments"] == ["a } b", "c"]


def test_times_are_lost_in_lists():
    record = json.loads(formats.dump(one("1. e2 e8").record, "json"))
    record["moves"][1]["time"] = {"now": {"m": 1, "s": 0}}
    assert [issue.code for issue in losses(record, "alg")] == ["lost-times"]


def test_a_game_that_no_code_can_hold_is_refused():
    walk = " ".join(["e2 e8 e1 e9"] * 260)
    game = one("1. " + walk)
    assert len(main_moves(game.record)) == 1040  # type: ignore[arg-type]
    with pytest.raises(KifuError) as error:
        formats.dump(game.record, "qf")
    assert error.value.code == "too-many-plies"


@pytest.mark.parametrize("call", [formats.dump, losses])
def test_an_unknown_format_is_refused(call):
    with pytest.raises(KifuError) as error:
        call(one("e2 e8").record, "kif")
    assert error.value.code == "unknown-format"


@each(
    ("text", "name", "kind", "found", "reason"),
    [
        ("1. e2 e8 2. e3", "", "quoridor", "alg", "rows"),
        ("Gap\te2 e8", "a.txt", "quoridor", "alg", "rows"),
        ("d1v", "", "quoridor", "alg", "rows"),
        ('[White "A"]\n1. e2 e8', "", "quoridor", "alg", "rows"),
        ('[Start "gkwAAIAQ"]', "", "quoridor", "alg", "rows"),
        (SEED, "", "quoridor", "qf", "codes"),
        ("1. Pe2 Pe8", "", "quoridor", "alg", "rows"),
        ('[White "A"]\n[Black "B"]\n\n1. Pe2 Pe8 2. Pe3', "", "quoridor", "alg", "rows"),
        ('["e2","e8"]', "", "quoridor", "alg", "rows"),
        ('["7g7f","3c3d"]', "", "shogi", None, ""),
        ('{"header":{"先手":"A1"},"moves":[{"comments":["e2","e8"]}]}', "", "shogi", None, ""),
        ('[{"header":{"先手":"A1","後手":"E2"},"moves":[{"comments":["e2"]}]}]', "", "shogi", None, ""),
        ("1. Pc4 Pg6 2. Bxh8=H Sxh8 3. B@e5 B@g7 1-0", "", "shogi", None, ""),
        ("1. P-76 P-34 2. Bx22+ Sx22 3. B*55", "", "shogi", None, ""),
        ("1. P7f P3d 2. P2f P8d", "", "shogi", None, ""),
        ("手合割：平手\n1) e2 e8\n１ ７六歩(77)\n▲７六歩\n", "", "shogi", None, ""),
        ("QA", "", "quoridor", "qf", "codes"),
        ("gkwAAAAQ==", "", "quoridor", "qf", "codes"),
        ("j7oklAHMe1IC", "", "quoridor", "qf", "codes"),
        ("hello", "x.qf", "quoridor", "qf", "name"),
        ("hello", "", "shogi", None, ""),
        ("The quick brown fox", "", "shogi", None, ""),
        ("", "", "shogi", None, ""),
        ('{"game": "quoridor"}', "", "quoridor", "json", "marker"),
        ('{"header": {"a": "\\"kind\\":\\"quoridor\\""}, "moves": []}', "", "shogi", None, ""),
        ('{"header":{},"moves":[{}]}', "", "shogi", None, ""),
        ('{"header":{"code":"hello"},"moves":[{"comments":["1. e2 e8"]}]}', "", "shogi", None, ""),
        ('{"code":"QBA"}', "", "quoridor", "qf", "quoted"),
        ('<div data-qfcode="gkw">', "", "quoridor", "qf", "quoted"),
        ("{a comment} 1. e2 e8", "", "quoridor", "alg", "rows"),
        ('{"qfcode":"QA"}', "", "quoridor", "qf", "quoted"),
        ("startpos moves 7g7f 3c3d", "", "shogi", None, ""),
        ("手合割：平手\n1 ７六歩(77)\n*e2 e8 e3\n", "", "shogi", None, ""),
        ("lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1", "", "shogi", None, ""),
        ("poUAACMaqtYhwHgAAAAPQdTnd3vMgAA", "", "shogi", None, ""),
    ],
)
def test_a_format_is_recognised_by_its_content(text, name, kind, found, reason):
    assert games.kind_of(text, name).name == kind
    if found is not None:
        assert formats.detect(text, name) == (found, reason)


def test_files_of_any_game_are_read_by_one_function():
    kind, result = games.load(SEED.encode())
    assert (kind.name, result.format, result.encoding) == ("quoridor", "qf", "ascii")
    kind, result = games.load("手合割：平手\n1 ７六歩(77)\n".encode("cp932"), "a.kif")
    assert (kind.name, result.format, result.games) == (
        "shogi", "kif", load("手合割：平手\n1 ７六歩(77)\n".encode("cp932")).games,
    )  # fmt: skip
    for read in (games.load, formats.load):
        with pytest.raises(UnknownFormatError):
            read("hello")


@pytest.mark.shared
def test_the_lists_of_the_corpus_are_read_whole():
    (path,) = CORPUS.glob("quoridor-alg/*/*.txt")
    kind, result = games.load(path.read_bytes(), path.name)
    assert (kind.name, result.format, len(result.games), result.issues) == ("quoridor", "alg", 18, ())
    assert sum(len(game.record["moves"]) - 1 for game in result.games) >= 479
    assert all(issue.severity == "info" for game in result.games for issue in game.issues)
    assert not any(game.unread for game in result.games)
    top_left = [game.index for game in result.games if "top-left-origin" in codes(game)]
    assert top_left == [7, 8]


@pytest.mark.shared
def test_the_codes_of_the_corpus_are_read():
    (path,) = CORPUS.glob("quoridor-qf/*/*.json")
    kind, result = games.load(path.read_bytes(), path.name)
    assert (kind.name, result.format, len(result.games)) == ("quoridor", "qf", 15)
    assert codes(result) == ["no-content"]
