"""Standings of tournaments, made from players, rounds and results alone."""

from __future__ import annotations

import pytest

from archive.tournaments.rounds import round_of
from archive.tournaments.standings import Standings, TournamentGame, standings_of


def played(*rounds: str) -> Standings:
    """The standings of games. A round is its name, a colon, and games as `甲>乙`: the first player won; after
    `<` the second one, after `=` nobody, after `?` it is unknown."""
    games = []
    for text in rounds:
        name, _colon, pairs = text.partition(":")
        for first, sign, second in pairs.split():
            games.append(
                TournamentGame(len(games) + 1, (first, second), "><=?".index(sign), name, len(games) + 1)
            )
    return standings_of(games)


def table(standings: Standings) -> list[tuple[str, float, float, float]]:
    return [(one.name, one.points, one.sos, one.sodos) for one in standings.players]


ROUNDS = """
第２回戦 2 2|二回戦 2 2|本戦十二回戦 12 12|Round 3 3 3|R1 1 1|rd 4 4 4|5 5 5|七番勝負 第1局 1 1
準決勝 1080 準決勝|準々決勝 1070 準々決勝|決勝 1100 決勝|Semifinal 1080 Semifinal|決勝トーナメント 1回戦 1 1
三位決定戦 1090 3位決定|ベスト16 1054 ベスト16|Final 1100 Final|Quarter-finals 1070 Quarter-finals
"""


@pytest.mark.parametrize("row", [row for line in ROUNDS.split("\n") if line for row in line.split("|")])
def test_a_round_is_read_as_headers_write_it(row):
    text, order, name = row.rsplit(" ", 2)
    found = round_of(text)
    assert found is not None and (str(found.order), found.name) == (order, name)


@pytest.mark.parametrize("text", ["", "予選", "A級順位戦", "先手番", "2024年", "Rook", "finalist"])
def test_other_words_name_no_round(text):
    assert round_of(text) is None


def test_a_round_robin_is_a_cross_table_with_points_and_ties():
    standings = played("1回戦:甲>乙 丙=丁", "2回戦:乙>丙 丁<甲", "3回戦:甲>丙 乙?丁")
    assert standings.kind == "cross"
    assert table(standings) == [
        ("甲", 3, 2, 2), ("乙", 1, 3.5, 0.5), ("丙", 0.5, 4.5, 0.25), ("丁", 0.5, 3.5, 0.25)
    ]  # fmt: skip
    first = standings.players[0]
    assert (first.wins, first.draws, first.losses) == (3, 0, 0)
    assert [(one.round, one.opponent, one.points) for one in first.scores] == [
        (0, 2, 1),
        (1, 4, 1),
        (2, 3, 1),
    ]


def test_a_swiss_tournament_is_a_table_by_rounds_with_buchholz():
    standings = played(
        "第1回戦:甲>乙 丙>丁 戊>己 庚>辛",
        "第2回戦:甲>丙 戊>庚 乙>丁 己>辛",
        "第3回戦:甲>戊 乙=己 丙>庚 丁>辛",
    )
    assert standings.kind == "swiss"
    assert [name for name, _matches in standings.rounds] == ["1", "2", "3"]
    assert [(one.name, one.points, one.sos) for one in standings.players][:4] == [
        ("甲", 3, 5.5), ("戊", 2, 5.5), ("丙", 2, 5), ("乙", 1.5, 5.5)
    ]  # fmt: skip
    assert [score.opponent for score in standings.players[0].scores] == [4, 3, 2]


def test_a_knockout_is_told_by_its_finals_and_by_losers_who_go():
    standings = played("準決勝:甲>乙 丙<丁", "決勝:甲<丁", "3位決定戦:乙>丙")
    assert standings.kind == "knockout"
    final = standings.rounds[-1]
    assert final[0] == "決勝" and len(final[1]) == 1
    champion = standings.players[(final[1][0].winner or 0) - 1]
    assert champion.name == "丁"
    numbered = played("1回戦:甲>乙 丙>丁 戊>己 庚>辛", "2回戦:甲>丙 戊>庚", "3回戦:甲>戊")
    assert numbered.kind == "knockout"


def test_a_match_of_two_is_a_cross_table():
    standings = played("第1局:甲>乙", "第2局:乙>甲", "第3局:甲>乙")
    assert standings.kind == "cross" and [one.points for one in standings.players] == [2, 1]


def test_a_draw_that_was_replayed_does_not_count():
    standings = played("決勝:甲=乙 乙<甲")
    assert [(one.name, one.points, one.draws) for one in standings.players] == [("甲", 1, 0), ("乙", 0, 0)]
    alone = played("1回戦:甲=乙")
    assert [one.points for one in alone.players] == [0.5, 0.5]


def test_games_without_rounds_have_a_cross_table_and_unknown_results_no_points():
    standings = played(":甲?乙 乙>丙 丙>甲")
    assert standings.kind == "cross" and standings.rounds == ()
    assert [(one.name, one.points) for one in standings.players][-1] == ("甲", 0)
    assert standings.players[-1].scores[0].points is None


def test_no_games_have_no_players():
    assert standings_of([]).players == ()
