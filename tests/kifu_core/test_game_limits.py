"""What a game has beyond the limits is not played: it is unread text, and an issue says from where."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from kifu_core import dump, games
from kifu_core.limits import Limits
from kifu_core.record import ParsedGame

ROOKS = ("2h3h", "8b7b", "3h2h", "7b8b")
STEPS = ("e2", "e8", "e1", "e9")
PLIES = 40
WITH_FORKS = ("kif", "kifu", "ki2", "ki2u", "jkf", "usen")
WITH_COMMENTS = ("kif", "kifu", "ki2", "ki2u", "csa", "jkf")


def shogi(plies: int = PLIES) -> str:
    """Rooks that go and come back, as USI."""
    return "startpos moves " + " ".join(ROOKS[ply % 4] for ply in range(plies))


def shogi_record():
    return json.loads(dump(games.load(shogi())[1].games[0].record, "jkf"))


def quoridor(plies: int = PLIES) -> str:
    """Pawns that go and come back, as a list of moves."""
    return " ".join(f"{ply // 2 + 1}. " * (ply % 2 == 0) + STEPS[ply % 4] for ply in range(plies))


def quoridor_record():
    return json.loads(json.dumps(games.load(quoridor())[1].games[0].record))


def forked(record, make_forks: Callable[[int], list]):
    """The record with forks at each of its plies, the numbers counted from 1."""
    for ply, entry in enumerate(record["moves"][1:], start=1):
        entry["forks"] = make_forks(ply)
    return record


def other_pawn(ply: int):
    """Entries that are other moves than the rooks of that ply, two of them."""
    first, second = (("9g9f", "9c9d"), ("1c1d", "1g1f"))[(ply + 1) % 2]
    line = (
        games.load(f"startpos moves {'2h3h ' * (ply % 2 == 0)}{first} {second}")[1].games[0].record["moves"]
    )
    return [json.loads(json.dumps(entry)) for entry in line[-2:]]


def commented(record, text: str):
    for entry in record["moves"]:
        entry["comments"] = [text]
    return record


def read(data: str, name: str, **limits: int) -> ParsedGame:
    (game,) = games.load(data, name, limits=Limits(**limits))[1].games
    return game


def dumped(record, file_format: str) -> str:
    return games.of_record(record).formats.dump(record, file_format)


def codes(game: ParsedGame) -> list[str]:
    return [issue.code for issue in game.issues if issue.code.endswith("-limit")]


def issue_of(game: ParsedGame, code: str):
    (found,) = [issue for issue in game.issues if issue.code == code]
    return found


def fork_lines(game: ParsedGame) -> list[int]:
    lines, found = [game.record["moves"]], []
    while lines:
        for entry in lines.pop():
            for fork in entry.get("forks", ()):
                found.append(len(fork))
                lines.append(fork)
    return found


@pytest.mark.parametrize("file_format", ["kif", "kifu", "ki2", "ki2u", "csa", "jkf", "usi", "usen"])
def test_a_main_line_ends_at_the_limit_in_every_format_of_shogi(file_format):
    text = dumped(shogi_record(), file_format)
    game = read(text, f"game.{file_format}", plies=15)
    assert len(game.record["moves"]) == 16
    found = issue_of(game, "main-line-limit")
    assert (found.severity, found.ply, found.params["limit"]) == ("error", 16, 15)
    if file_format == "jkf":
        assert len(json.loads(game.unread)) == PLIES - 15
        return
    assert found.line is not None
    # What is left is the text from the sixteenth move on, and the text before it was played.
    assert game.unread
    assert text.rstrip().endswith(game.unread.rstrip())
    assert len(read(text.removesuffix(game.unread), "x." + file_format).record["moves"]) >= 16


@pytest.mark.parametrize("file_format", ["alg", "json"])
def test_a_main_line_ends_at_the_limit_in_every_format_of_quoridor(file_format):
    game = read(dumped(quoridor_record(), file_format), f"game.{file_format}", plies=15)
    assert len(game.record["moves"]) == 16
    found = issue_of(game, "main-line-limit")
    assert (found.severity, found.ply, found.params["limit"]) == ("error", 16, 15)
    assert (found.line is None) == (file_format == "json")
    assert len(json.loads(game.unread)) == PLIES - 15


def test_a_code_of_quoridor_ends_at_the_limit():
    game = read(dumped(quoridor_record(), "qf"), "game.qf", plies=15)
    assert len(game.record["moves"]) == 16
    assert codes(game) == ["main-line-limit"]


def test_a_game_at_the_limit_is_whole():
    for text in (shogi(), quoridor()):
        game = read(text, "game", plies=PLIES, forks=0, fork_moves=0, comment_bytes=0)
        assert (game.issues, game.unread) == ((), "")


@pytest.mark.parametrize("file_format", WITH_FORKS)
def test_forks_beyond_the_limit_are_text(file_format):
    record = forked(shogi_record(), lambda ply: [other_pawn(ply)])
    text = dumped(record, file_format)
    game = read(text, f"game.{file_format}", forks=10)
    assert len(fork_lines(game)) == 10
    assert codes(game) == ["forks-limit"]
    assert len(game.record["moves"]) == PLIES + 1
    whole = read(text, f"game.{file_format}")
    assert (len(fork_lines(whole)), whole.unread) == (PLIES, "")
    # The first ones are kept, the others stand in the unread text.
    assert [bool(entry.get("forks")) for entry in game.record["moves"][1:]] == [True] * 10 + [False] * 30
    assert len(game.unread.strip().split("変化" if "ki" in file_format else "\n")) >= 30


@pytest.mark.parametrize("file_format", WITH_FORKS)
def test_forks_hold_no_more_moves_together_than_the_limit(file_format):
    record = forked(shogi_record(), lambda ply: [other_pawn(ply)])
    game = read(dumped(record, file_format), f"game.{file_format}", fork_moves=11)
    assert sum(fork_lines(game)) == 11
    assert codes(game) == ["fork-moves-limit"]
    assert game.unread


@pytest.mark.parametrize("limits", [{"forks": 10}, {"fork_moves": 10}], ids=["forks", "moves"])
@pytest.mark.parametrize("file_format", ["alg", "json"])
def test_forks_of_quoridor_have_the_same_limits(file_format, limits):
    record = forked(quoridor_record(), lambda ply: [[{"move": {"wall": "a1h"}}]])
    text = dumped(record, file_format)
    assert len(fork_lines(read(text, f"game.{file_format}"))) == PLIES
    game = read(text, f"game.{file_format}", **limits)
    assert len(fork_lines(game)) == 10
    assert codes(game) == ["forks-limit" if "forks" in limits else "fork-moves-limit"]
    assert game.unread.count("a1h") == PLIES - 10


def test_outer_forks_come_before_those_inside_them():
    record = shogi_record()
    first, second = other_pawn(1)
    record["moves"][1]["forks"] = [[first, second | {"forks": [[other_pawn(2)[0]]]}]]
    record["moves"][2]["forks"] = [other_pawn(2)]
    game = read(dumped(record, "kif"), "game.kif", forks=2)
    assert fork_lines(game) == [2, 2]
    assert game.unread.startswith("変化：2手")


@pytest.mark.parametrize("file_format", WITH_COMMENTS)
def test_comments_beyond_the_limit_are_text(file_format):
    record = commented(shogi_record(), "九文字のコメントだ")
    game = read(dumped(record, file_format), f"game.{file_format}", comment_bytes=10 * 28 + 5)
    assert [bool(entry.get("comments")) for entry in game.record["moves"]] == [True] * 10 + [False] * 31
    assert codes(game) == ["comments-limit"]
    assert issue_of(game, "comments-limit").ply == 10
    assert game.unread.count("九文字のコメントだ") == 31


@pytest.mark.parametrize("file_format", ["alg", "json"])
def test_comments_of_quoridor_have_the_same_limit(file_format):
    record = commented(quoridor_record(), "nine char")
    game = read(dumped(record, file_format), f"game.{file_format}", comment_bytes=10 * 10 + 5)
    assert [bool(entry.get("comments")) for entry in game.record["moves"]] == [True] * 10 + [False] * 31
    assert codes(game) == ["comments-limit"]
    assert game.unread.count("nine char") == 31


def test_empty_lines_of_comments_count_too():
    text = "手合割：平手\n手数----指手--\n" + "*\n" * 100 + "1 ７六歩(77)\n"
    game = read(text, "game.kif", comment_bytes=40)
    assert len(game.record["moves"][0]["comments"]) == 40
    assert codes(game) == ["comments-limit"]


def test_bookmarks_are_no_more_than_anybody_sets():
    text = "手合割：平手\n手数----指手--\n1 ７六歩(77)\n" + "&a\n" * 1500
    game = read(text, "game.kif")
    assert len(game.bookmarks) == 1000
    assert len(game.record["moves"][1]["comments"]) == 1500


def test_fractions_of_moves_beyond_the_limit_are_left_out():
    text = "PI\n+\n" + "".join(f"{'+-'[n % 2]}{move}\nT1.5\n" for n, move in enumerate(CSA_ROOKS * 3))
    game = read(text, "game.csa", plies=5)
    assert sorted(game.fractions) == [1, 2, 3, 4, 5]


CSA_ROOKS = ("2838HI", "8272HI", "3828HI", "7282HI")


def test_each_limit_is_reported_once_and_all_of_them_together():
    record = commented(forked(shogi_record(), lambda ply: [other_pawn(ply), other_pawn(ply)]), "甲")
    limits = {"plies": 20, "forks": 5, "fork_moves": 3, "comment_bytes": 20}
    game = read(dumped(record, "kif"), "game.kif", **limits)
    assert sorted(codes(game)) == ["comments-limit", "fork-moves-limit", "forks-limit", "main-line-limit"]


@pytest.mark.parametrize("file_format", ["kif", "csa", "jkf"])
def test_a_game_of_just_as_many_plies_as_are_kept_keeps_its_ending(file_format):
    record = shogi_record()
    record["moves"].append({"special": "TORYO"})
    game = read(dumped(record, file_format), f"a.{file_format}", plies=PLIES)
    assert (codes(game), game.record["moves"][-1].get("special")) == ([], "TORYO")
    assert len(game.record["moves"]) == PLIES + 2
