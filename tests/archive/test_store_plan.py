"""What the store decides about games, without a database."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pytest

from archive.derive.editions import edition
from archive.derive.game import DerivedGame
from archive.models import NAMED, Game, codec
from archive.store.facts import facts
from archive.store.game_rows import Details, game_row
from archive.store.names import NameIds, Names, names_of
from archive.store.plan import NEW, Existing, Plan, plan, plan_changes
from tests.archive.builders import rated, ready, snapshot

OPENING = "7g7f 3c3d 2g2f 8c8d 2f2e 8d8e 6i7h 4a3b 2e2d 2c2d 2h2d 8e8f"
OTHER = "2g2f 8c8d 2f2e 8d8e 6i7h 4a3b 2e2d 2c2d 2h2d P*2c 2d2h 3a2b"
MEETING = {"black": "甲", "white": "乙", "day": "2020/01/02"}


def archive(
    games: Mapping[int, DerivedGame], *coming: DerivedGame, held: Iterable[DerivedGame] = ()
) -> Existing:
    """Stored games by id, read as far as a plan for the coming ones can need them."""
    every = [*games.values(), *coming]
    named = {kind: {name for game in every for name in names_of(kind, game)} for kind in NAMED}
    names = Names(
        {kind: {name: NameIds(pk, pk) for pk, name in enumerate(sorted(of), 1)} for kind, of in named.items()}
    )
    existing = Existing(names, taken_down={game.identity: False for game in held})
    for pk, game in games.items():
        existing.games[pk] = Game(pk=pk, **game_row(game, names, slot=pk))
        existing.editions[pk] = edition(game)
        ratings = {colour: game.ratings[colour] for colour in (0, 1) if game.players[colour]}
        existing.details[pk] = Details(game.series, ratings)
    return existing


def planned(existing: Existing, *coming: DerivedGame) -> Plan:
    """The plan for games after everything that it needs was read; nothing but `existing` is stored."""
    while (made := plan(coming, existing)).unread:
        assert made.unread.editions <= existing.games.keys()
        assert not made.unread.editions and not made.unread.details
        existing.identified |= {game.identity for game in made.unread.identify}
        existing.compared |= made.unread.compare.keys()
    return made


def changed(made: Plan) -> dict[int, DerivedGame]:
    return {game.pk: derived for game, derived in made.changed}


def test_unknown_games_are_inserted():
    one, two = ready(OPENING, black="甲"), ready(OTHER)
    made = planned(archive({}, one, two), one, two)
    assert sorted(made.inserted) == [made.game_ids[one.identity], made.game_ids[two.identity]]
    assert min(made.inserted) > NEW and not made.changed and not made.merged


def test_a_stored_game_that_comes_again_stays_as_it_is():
    game = ready(OPENING, **MEETING)
    made = planned(archive({7: game}, game), game)
    assert made.game_ids == {game.identity: 7}
    assert not made.games and not made.merged


def test_a_stored_game_takes_the_variations_of_an_edition():
    game, forked = ready(OPENING, **MEETING), ready(OPENING, {3: [["6g6f"]]}, **MEETING)
    made = planned(archive({7: game}, forked), forked)
    assert made.game_ids == {forked.identity: 7}
    assert "forks" in codec.unpack(changed(made)[7].record)["moves"][3]
    assert changed(made)[7].kept_rows is None


def test_a_stored_game_with_the_same_moves_keeps_its_rows():
    game, told = ready(OPENING, **MEETING), ready(OPENING, event="名人戦", **MEETING)
    made = planned(archive({7: game}, told), told)
    assert (changed(made)[7].event, changed(made)[7].kept_rows) == ("名人戦", game.row_count)


def test_a_stored_game_that_gets_a_rating_gets_new_rows():
    game = ready(OPENING, **MEETING)
    made = Plan(existing := archive({7: rated(game, 2400, None)}))
    existing.details[7] = Details(game.series, {0: 2400, 1: None})
    assert made.derive(7, edition(ready(OPENING, event="名人戦", **MEETING))).kept_rows is None


def test_editions_that_come_together_are_one_new_game():
    games = [ready(OPENING, black="甲"), ready(OPENING, {3: [["6g6f"]]}, day="2020/01/02"), ready(OTHER)]
    made = planned(archive({}, *games), *games)
    first, second, other = (made.home(made.game_ids[game.identity]) for game in games)
    assert first == second != other and len(made.inserted) == 2
    assert str(made.inserted[first].played_from) == "2020-01-02"
    assert made.inserted[first].players == ("甲", "")


def test_an_edition_that_fits_two_games_stays_apart():
    one, two = ready(OPENING, day="2020/01/02"), ready(OPENING, day="2020/01/03")
    undated = ready(OPENING)
    made = planned(archive({1: one, 2: two}, undated), undated)
    assert list(made.inserted) == [made.game_ids[undated.identity]] and not made.changed


def test_a_snapshot_becomes_the_game_that_goes_on_from_it():
    early, late = snapshot(OPENING, **MEETING), ready(OPENING + " 8g8f", **MEETING)
    made = planned(archive({7: early}, late), late)
    assert made.game_ids == {late.identity: 7} and changed(made)[7].plies == 13
    assert not planned(archive({7: late}, early), early).games


def test_a_game_that_has_ended_is_no_snapshot():
    ended, longer = ready(OPENING, **MEETING), ready(OPENING + " 8g8f", **MEETING)
    assert len(planned(archive({7: ended}, longer), longer).inserted) == 1


def test_games_that_become_the_same_merge_into_the_oldest():
    early, nameless = snapshot(OPENING, **MEETING), ready(OPENING + " 8g8f", black="甲")
    late = ready(OPENING + " 8g8f", **MEETING)
    made = planned(archive({3: early, 5: nameless}, late), late)
    assert made.merged == {5: 3} and made.home(5) == 3
    assert changed(made)[3].plies == 13 and 5 not in changed(made)


def test_a_game_that_was_taken_down_is_not_placed():
    game, other = ready(OPENING, black="甲"), ready(OTHER)
    made = planned(archive({}, game, other, held=[game]), game, other)
    assert list(made.game_ids) == [other.identity]


def test_a_plan_names_everything_that_it_still_needs():
    one, two = ready(OPENING, **MEETING), ready(OTHER)
    existing = archive({}, one, two)
    made = plan([one, two], existing)
    assert made.unread.identify == [one, two] and not made.game_ids
    existing.identified |= {one.identity, two.identity}
    made = plan([one, two], existing)
    assert list(made.unread.compare) == [facts(game, existing.names) for game in (one, two)]


def test_series_and_ratings_are_read_only_for_games_that_change():
    game, forked = ready(OPENING, **MEETING), ready(OPENING, {3: [["6g6f"]]}, **MEETING)
    existing = archive({7: game}, forked)
    existing.details.clear()
    existing.identified.add(game.identity)
    assert not plan([game], existing).unread
    assert plan([forked], existing).unread.details == {7}


@pytest.mark.parametrize("header", [MEETING, MEETING | {"day": "2020/01/03"}])
def test_changes_that_meet_make_one_game(header):
    one, two = ready(OPENING, **MEETING), ready(OTHER, **MEETING)
    derived = ready(OPENING, **header)
    existing = archive({1: one, 2: two}, derived)
    existing.identified.add(derived.identity)
    existing.compared.add(facts(derived, existing.names))
    made = plan_changes({2: derived}, existing)
    assert made.merged == ({2: 1} if header == MEETING else {})
    assert list(changed(made)) == ([] if header == MEETING else [2])
