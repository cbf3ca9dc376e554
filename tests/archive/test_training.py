"""Repertoires and their cards: lines that meet, progress that stays, the order of reviews, and games that
leave a repertoire, compared with plain replay."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from random import Random
from typing import TYPE_CHECKING

import pytest

from archive.models import RepertoireMove, TrainingCard, User
from archive.training import cards, repertoires
from archive.training.departures import Departure, departure
from archive.training.errors import TrainingError
from archive.training.moves import moves_of, spot_of
from kifu_core.games import SHOGI
from kifu_core.shogi.moves import to_usi
from kifu_core.shogi.position import Position

if TYPE_CHECKING:
    from archive.models import Repertoire
    from archive.training.moves import Played
    from kifu_core.jkf import Record

pytestmark = pytest.mark.django_db

NOON = datetime(2026, 5, 1, 3, tzinfo=UTC)
"""Noon in Tokyo."""
ONE = "7g7f 3c3d 2g2f 8c8d 2f2e"
OTHER = "2g2f 3c3d 7g7f 8c8d 6i7h"
"""Reaches the position of `ONE` after four moves by another order."""


@pytest.fixture
def anna() -> User:
    return User.objects.create_user("anna")


def record(moves: str, start: str = "startpos") -> Record:
    return SHOGI.formats.load(f"position {start} moves {moves}").games[0].record


def line(moves: str, start: str = "startpos") -> list[Played]:
    return list(moves_of(record(moves, start), 200))


def black(user: User, *lines: str) -> Repertoire:
    """A repertoire of Black with some lines."""
    repertoire = repertoires.create(user, "先手", 0)
    for one in lines:
        repertoires.add_lines(user, repertoire, line(one))
    return repertoire


def details(card: TrainingCard) -> cards.CardDetails:
    (found,) = cards.details_of(card.user, [card])
    return found


def names(found: list[TrainingCard]) -> list[str]:
    return [details(card).answers[0] for card in found]


def rows(repertoire: Repertoire) -> list[RepertoireMove]:
    return list(RepertoireMove.objects.filter(repertoire=repertoire).order_by("pk"))


def test_lines_that_meet_are_one_and_only_own_moves_have_cards(anna):
    repertoire = black(anna, ONE, OTHER)
    assert len(rows(repertoire)) == 5 + 4
    assert names(list(cards.own_cards(anna).order_by("pk"))) == [
        "7g7f",
        "2g2f",
        "2f2e",
        "2g2f",
        "7g7f",
        "6i7h",
    ]


def test_a_line_that_is_removed_and_added_again_keeps_its_progress(anna):
    repertoire = black(anna, ONE)
    first, second, _third = cards.own_cards(anna).order_by("pk")
    cards.review(anna, second.pk, "easy", NOON)
    move = RepertoireMove.objects.get(key=second.key, own=True)
    assert repertoires.remove_move(anna, repertoire, move.pk) == 3
    assert list(cards.own_cards(anna)) == [first]
    assert repertoires.add_lines(anna, repertoire, line(OTHER)) == (5, 3)
    assert repertoires.add_lines(anna, repertoire, line(ONE)) == (2, 1)
    again = TrainingCard.objects.get(pk=second.pk)
    assert not again.suspended and again.due and again.due > NOON + timedelta(days=3)


def test_a_move_that_another_repertoire_has_stays_in_the_training(anna):
    repertoire = black(anna, ONE)
    black(anna, ONE)
    repertoires.remove(anna, repertoire)
    assert cards.own_cards(anna).count() == 3


def test_what_another_order_of_moves_leads_to_stays(anna):
    repertoire = black(anna, ONE, OTHER)
    first = next(row for row in rows(repertoire) if row.own)
    assert repertoires.remove_move(anna, repertoire, first.pk) == 3
    assert names(list(cards.own_cards(anna).order_by("pk"))) == ["2f2e", "2g2f", "7g7f", "6i7h"]


def test_the_mirrored_position_has_the_same_card(anna):
    straight = "9/4k4/9/9/9/9/4P4/9/4K4 b R 1"
    one = SHOGI.codec.encode(Position.from_sfen(straight))
    card = cards.add(
        anna, TrainingCard.Kind.MISTAKE, one, "R*3b", accepted=["R*1b", "5g5f", "nonsense", "5g5e"]
    )
    assert cards.add(anna, TrainingCard.Kind.MISTAKE, one, "R*7b") == card
    assert sorted(details(card).answers[:2]) == ["R*3b", "R*7b"]
    assert details(card).answers[2:] == ["R*1b", "5g5f"]


@pytest.mark.parametrize("move", ["7g7e", "nonsense", "R*5e"])
def test_a_card_needs_a_legal_move(anna, move):
    start = SHOGI.codec.encode(SHOGI.rules.initial())
    with pytest.raises(TrainingError, match="wrong-card"):
        cards.add(anna, TrainingCard.Kind.MOVE, start, move)


def test_due_cards_come_first_then_new_ones_up_to_the_limit_of_the_day(anna):
    anna.new_cards = 2
    black(anna, "7g7f 3c3d 2g2f 8c8d 2f2e 8d8e 6i7h")
    first, second, third, _fourth = cards.own_cards(anna).order_by("pk")
    assert cards.due_cards(anna, 9, NOON) == [first, second]
    cards.review(anna, first.pk, "good", NOON)
    assert cards.due_cards(anna, 9, NOON) == [second]
    assert cards.counts(anna, NOON) == (0, 1, 0, 4)
    cards.review(anna, second.pk, "again", NOON)
    assert cards.due_cards(anna, 9, NOON + timedelta(minutes=2)) == [second]
    assert cards.due_cards(anna, 9, NOON) == [second, first]
    tomorrow = NOON + timedelta(hours=13)
    assert cards.due_cards(anna, 9, tomorrow)[:3] == [second, first, third]
    for _time in range(2):
        cards.review(anna, first.pk, "good", tomorrow)
    assert cards.counts(anna, tomorrow) == (1, 2, 1, 4)


def test_a_better_grade_means_a_later_day_and_a_lapse_is_counted(anna):
    (card,) = [cards.add(anna, TrainingCard.Kind.PROBLEM, line(ONE)[0].code, "7g7f")]
    days = []
    for grade in ("again", "hard", "good", "easy"):
        TrainingCard.objects.filter(pk=card.pk).update(
            due=None, state=1, step=0, stability=None, difficulty=None
        )
        reviewed = cards.review(anna, card.pk, grade, NOON)
        assert reviewed and reviewed.due
        days.append(reviewed.due)
    assert days == sorted(days) and len(set(days)) == 4
    lapsed = cards.review(anna, card.pk, "again", NOON + timedelta(days=30))
    assert lapsed and (lapsed.lapses, lapsed.reviews) == (1, 5)
    assert cards.review(User.objects.create_user("boris"), card.pk, "good") is None


def test_training_goes_on_along_the_line(anna):
    black(anna, "7g7f 8c8d 6g6f", ONE)
    first, other, second, _third = cards.own_cards(anna).order_by("pk")
    cards.review(anna, other.pk, "easy", NOON)
    cards.review(anna, first.pk, "good", NOON)
    assert cards.next_card(anna, first, NOON) == second
    lead = details(second).lead
    assert lead and lead.move == "3c3d"
    assert details(first).lead is None


def test_another_move_of_the_repertoire_is_not_the_one_of_the_card(anna):
    black(anna, "7g7f", "2g2f")
    card, _other = cards.own_cards(anna).order_by("pk")
    assert details(card).others == ["2g2f"]


# --- trees -------------------------------------------------------------------------------------------------


def drawn(random: Random, plies: int) -> list[str]:
    """Random legal moves, of few kinds, so that lines meet."""
    position, moves = SHOGI.rules.initial(), []
    for _ply in range(plies):
        legal = SHOGI.rules.legal_moves(position)
        move = random.choice(legal[:5])
        moves.append(to_usi(move))
        position.do_move(move)
    return moves


def test_a_repertoire_that_is_written_and_read_again_is_the_same(anna):
    random = Random(5)
    repertoire = black(anna, *(" ".join(drawn(random, random.randint(3, 9))) for _line in range(40)))
    written = rows(repertoire)
    ((root, code),) = repertoires.roots_of(written).items()
    tree = repertoires.tree_of(written, root, code)
    for name in ("kif", "jkf"):
        text = SHOGI.formats.dump(tree, name)
        (game,) = SHOGI.formats.load(text).games
        copy = repertoires.create(anna, name, 0)
        repertoires.add_lines(anna, copy, moves_of(game.record, 200))
        assert {(row.key, row.own, row.move, row.after) for row in rows(copy)} == {
            (row.key, row.own, row.move, row.after) for row in written
        }


def test_a_repertoire_begins_wherever_no_move_leads_to(anna):
    repertoire = black(anna, ONE)
    position = Position.from_sfen("4k4/9/9/9/9/9/9/9/4K4 b G 1")
    moves = ["G*5b", "5a4a", "5b5a", "4a5a"]
    sfen = position.sfen(1)
    repertoires.add_lines(anna, repertoire, line(" ".join(moves), f"sfen {sfen}"))
    assert list(repertoires.roots_of(rows(repertoire)).values()) == [
        SHOGI.codec.encode(SHOGI.rules.initial()), SHOGI.codec.encode(position),
    ]  # fmt: skip


# --- games that leave a repertoire -------------------------------------------------------------------------


def by_replay(lines: list[list[str]], color: int, game: list[str]) -> tuple[int, bool, set[str]] | None:
    """Where a game leaves lines: ply, whether the owner moves, and the moves of the lines there. Positions
    are compared as texts."""
    moves: dict[str, set[str]] = {}
    for one in lines:
        position = SHOGI.rules.initial()
        for name in one:
            moves.setdefault(position.sfen(None), set()).add(name)
            position.do_move(by_name(position, name))
    left = None
    position = SHOGI.rules.initial()
    for ply, name in enumerate(game):
        here = moves.get(position.sfen(None))
        if here:
            left = None if name in here else (ply, position.turn == color, here)
        position.do_move(by_name(position, name))
    return left


def by_name(position: Position, name: str) -> int:
    return next(move for move in SHOGI.rules.legal_moves(position) if to_usi(move) == name)


@pytest.mark.parametrize("color", [0, 1])
def test_games_leave_a_repertoire_where_replay_says(color):
    random = Random(color)
    lines = [drawn(random, random.randint(1, 6)) for _line in range(12)]
    table: dict[tuple[int, bool], set[int]] = {}
    for one in lines:
        for move in line(" ".join(one)):
            table.setdefault((move.key, move.color == color), set()).add(move.move)
    outcomes = set()
    for _game in range(150):
        game = drawn(random, random.randint(0, 8))
        left = departure(table, color, line(" ".join(game)) if game else [])
        expected = by_replay(lines, color, game)
        if left is None:
            assert expected is None
        else:
            played, moves = left.names()
            assert (left.ply, left.own, set(moves)) == expected
            assert played == game[left.ply]
        outcomes.add(left.own if isinstance(left, Departure) else None)
    assert outcomes == {None, True, False}


def test_a_game_that_comes_back_by_another_order_has_not_left(anna):
    table = {(one.key, one.color == 0): {one.move} for one in line(ONE)}
    assert departure(table, 0, line(OTHER)) == Departure(
        4, line(OTHER)[4].code, True, line(OTHER)[4].move, (line(ONE)[4].move,)
    )
    assert departure(table, 0, line("2g2f 3c3d 7g7f 8c8d 2f2e 8d8e")) is None
    assert spot_of(SHOGI.rules.initial()).key == line(ONE)[0].key
