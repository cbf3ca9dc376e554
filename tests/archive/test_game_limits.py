"""What is kept of one stored game: no more plies, forks, fork moves and comments than the settings say."""

from __future__ import annotations

import pytest

from archive.derive.editions import edition, union
from archive.derive.game_limits import game_limits
from archive.intake.reader import read_entries
from archive.models import Entry, Game, codec
from kifu_core import games
from tests.archive.games import stored
from tests.kifu_core.test_game_limits import (
    PLIES,
    commented,
    dumped,
    fork_lines,
    forked,
    other_pawn,
    shogi_record,
)


def test_the_limits_are_far_above_every_real_game():
    limits = game_limits()
    # Measured over 19,809 games: 402 plies, 227 forks with 2,610 moves, 75 kB of comments at most.
    assert (limits.plies, limits.forks, limits.fork_moves) == (10_000, 20_000, 100_000)
    assert limits.comment_bytes == 1024 * 1024


def test_the_index_can_hold_every_ply_of_a_game():
    assert game_limits().plies < 1 << 15


@pytest.mark.django_db
def test_a_game_beyond_the_limits_is_stored_with_the_rest_as_text(settings):
    settings.ARCHIVE_MAX_PLIES = 15
    stored(dumped(shogi_record(), "kif"))
    game = Game.objects.get()
    assert game.plies == 15
    entry = Entry.objects.get(game=game)
    (issue,) = [issue for issue in entry.issues if issue["code"] == "main-line-limit"]
    assert (issue["line"] is not None, issue["ply"], issue["params"]) == (True, 16, {"limit": 15})
    assert entry.beyond_jkf["unread"].lstrip().startswith("16 ")
    assert entry.beyond_jkf["unread"].count("\n") == 24


@pytest.mark.parametrize(
    ("setting", "code"),
    [
        ("ARCHIVE_MAX_FORKS", "forks-limit"),
        ("ARCHIVE_MAX_FORK_MOVES", "fork-moves-limit"),
        ("ARCHIVE_MAX_COMMENT_BYTES", "comments-limit"),
    ],
)
def test_every_limit_is_a_setting(settings, setting, code):
    setattr(settings, setting, 10)
    text = dumped(commented(forked(shogi_record(), lambda ply: [other_pawn(ply)]), "甲"), "kif")
    (entry,) = read_entries(text.encode(), "game.kif")
    assert entry.game is not None
    assert [issue.code for issue in entry.issues if issue.code.endswith("-limit")] == [code]


def test_an_opening_book_with_ten_thousand_forks_is_kept_whole():
    forks = "変化：1手\n1 １六歩(17)\n変化：1手\n1 ９六歩(97)\n" * 5_000
    (entry,) = read_entries(f"手合割：平手\n1 ７六歩(77)\n\n{forks}".encode(), "book.kif")
    assert entry.game is not None
    record = codec.unpack(entry.game.record)
    assert len(record["moves"][1]["forks"]) == 10_000
    assert "unread" not in entry.beyond_jkf


def test_editions_take_no_more_from_one_another_than_a_game_may_have(settings):
    settings.ARCHIVE_MAX_FORKS = 50
    one = forked(shogi_record(), lambda ply: [other_pawn(ply)])
    two = forked(shogi_record(), lambda ply: [other_pawn(ply)])
    for entry in two["moves"][1:]:
        move = entry["forks"][0][0]["move"]
        move["to"] = {"x": 5, "y": move["to"]["y"]}
        move["from"] = {"x": 5, "y": move["from"]["y"]}
        del entry["forks"][0][1]
    first, second = (next(read_entries(dumped(made, "jkf").encode(), "g.jkf")).game for made in (one, two))
    assert first is not None and second is not None
    (_, merged), settings.ARCHIVE_MAX_FORKS = games_of(union([edition(first), edition(second)])), 100
    assert len(fork_lines(merged)) == PLIES
    (_, merged) = games_of(union([edition(first), edition(second)]))
    assert len(fork_lines(merged)) == 2 * PLIES


def games_of(one):
    kind, result = games.load(codec.to_json(codec.unpack(one.record)))
    return kind, result.games[0]
