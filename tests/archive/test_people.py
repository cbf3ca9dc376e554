"""Corrections of players and events: merges, spellings and fields, each of which can be undone on its own.

`KIFU_NAMES=long` undoes a merge after 1,000 later edits instead of 40.
"""

from __future__ import annotations

import os
from random import Random
from typing import Any

import pytest
from django.db import connection

from archive import store
from archive.curation.steps import end_proposal
from archive.derive.name_operations import NameEditError
from archive.models import (
    GAMES_OF,
    NAMED,
    AnyName,
    Correction,
    Game,
    GameChange,
    GamePlayer,
    Place,
    Player,
)
from archive.queries.games.filters import GameFilters, game_filters
from archive.queries.games.listing import find_games
from archive.queries.names.ids_of_names import unique_name
from archive.queries.names.people import names, player_summary
from archive.queries.scope import PUBLIC
from archive.store import people, verify
from archive.store.people import accept_name, correct_name, restore_name, undo_name
from tests.archive.builders import ingest, ready
from tests.archive.rows import empty_index
from tests.archive.spellings import add_spelling
from tests.archive.test_invariants import TABLES

LATER_EDITS = 1_000 if os.environ.get("KIFU_NAMES") == "long" else 40
OPENINGS = [f"{move}" for move in ("7g7f", "2g2f", "5g5f", "6g6f", "1g1f", "9g9f", "3g3f", "4g4f")]

pytestmark = pytest.mark.django_db


def player(name: str) -> Player:
    return Player.objects.get(key=name)


def correct(row: AnyName, *operations: dict[str, Any], apply: bool = True) -> Correction:
    return correct_name(row.KIND, row.pk, list(operations), None, "a reason", apply=apply)


def merge(row: AnyName, into: AnyName) -> Correction:
    return correct(row, {"op": "merge", "into": into.pk})


def field(name: str, old: Any, new: Any, **more: Any) -> dict[str, Any]:
    return {"op": "field", "name": name, "old": old, "new": new, **more}


def games_of(name: str) -> list[str]:
    games = find_games(PUBLIC, GameFilters(player=name)).items
    return sorted(f"{game.first} {game.second}" for game in games)


def test_a_merge_unites_the_games_of_two_players_and_its_undo_parts_them_again():
    ingest(ready("7g7f", black="羽生善治", white="甲"), ready("2g2f", black="乙", white="羽生善冶"))
    right, wrong = player("羽生善治"), player("羽生善冶")
    GameChange.objects.all().delete()
    correction = merge(wrong, right)
    together = ["乙 羽生善治", "羽生善治 甲"]
    assert games_of("羽生善治") == games_of("羽生善冶") == together
    assert [(one.name, one.games) for one in names(PUBLIC, "player", "羽生")] == [("羽生善治", 2)]
    summary = player_summary(PUBLIC, right.pk)
    assert summary and summary.aliases == ("羽生善冶",) and summary.counted == 2
    assert GameChange.objects.values_list("game", flat=True).get() == Game.objects.get(player1=right).pk
    ingest(ready("5g5f", black="羽生善冶", white="丙"))
    assert len(games_of("羽生善治")) == 3
    assert list(verify.verify()) == []
    undo_name(correction.pk, None)
    assert games_of("羽生善治") == ["羽生善治 甲"]
    assert games_of("羽生善冶") == ["乙 羽生善冶", "羽生善冶 丙"]
    assert GamePlayer.objects.exclude(named=None).count() == 0
    assert list(verify.verify()) == []
    restore_name(correction.pk, None)
    assert len(games_of("羽生善冶")) == 3
    assert [one.event for one in correction.events.order_by("pk")] == [
        "proposed", "applied", "undone", "restored",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "headers"), [("event", ("王位戦", "第六期王位")), ("place", ("将棋会館", "東京・将棋会館"))]
)
def test_events_and_places_are_merged_too(kind, headers):
    site = "site" if kind == "place" else kind
    games = (("7g7f", headers[0]), ("2g2f", headers[1]))
    ingest(*(ready(move, black="甲", **{site: text}) for move, text in games))
    one, other = NAMED[kind]._default_manager.order_by("pk")
    listed = GAMES_OF[kind]._default_manager.values_list(kind, "named")
    apart = {*listed}
    correction = merge(other, one)
    assert {*listed.all()} == {(one.pk, None), (one.pk, other.pk)}
    games_there = find_games(PUBLIC, game_filters({kind: other.name})).items
    assert {getattr(game, site) for game in games_there} == {one.name} and len(games_there) == 2
    assert list(verify.verify()) == []
    undo_name(correction.pk, None)
    assert {*listed.all()} == apart == {(one.pk, None), (other.pk, None)}
    assert list(verify.verify()) == []


def test_the_address_of_a_game_is_no_place():
    address = "https://lishogi.org/151jxej8"
    ingest(ready("7g7f", black="甲", site=address), ready("2g2f", black="甲", site="81Dojo"))
    assert [place.name for place in Place.objects.all()] == ["81Dojo"]
    assert {game.site for game in find_games(PUBLIC, GameFilters()).items} == {address, "81Dojo"}


def test_merges_are_undone_in_any_order():
    ingest(*(ready(move, black=name) for move, name in zip(OPENINGS, "甲乙丙", strict=False)))
    first = merge(player("甲"), player("乙"))
    second = merge(player("乙"), player("丙"))
    assert len(games_of("丙")) == 3
    undo_name(first.pk, None)
    assert (len(games_of("甲")), len(games_of("丙"))) == (1, 2)
    undo_name(second.pk, None)
    assert [len(games_of(name)) for name in "甲乙丙"] == [1, 1, 1]
    assert list(verify.verify()) == []


def test_facts_are_set_from_their_present_values_and_set_back():
    ingest(ready("7g7f", black="東海林太郎"))
    row = player("東海林太郎")
    facts = [
        field("latin", "", "Shoji Taro"), field("kana", "", "しょうじ たろう"), field("born", "", "1970-09"),
        field("titles", [], [{"title": "名人", "from": "1996"}]), field("name", "東海林太郎", "東海林 太郎"),
    ]  # fmt: skip
    correction = correct(row, *facts)
    row.refresh_from_db()
    assert (row.name, row.reading, row.set_by["latin"]) == ("東海林 太郎", "しようし たろう", "curator")
    for words in ("taro shoji", "しょうじたろう", "東海林太郎", "東海林 太郎"):
        assert [one.id for one in names(PUBLIC, "player", words)] == [row.pk], words
    assert len(games_of("東海林太郎")) == len(games_of("東海林 太郎")) == 1
    later = correct(row, field("born", "1970-09", "1970-09-27", old_by="curator"))
    with pytest.raises(NameEditError, match="fact-changed"):
        undo_name(correction.pk, None)
    undo_name(later.pk, None)
    undo_name(correction.pk, None)
    row.refresh_from_db()
    assert (row.name, row.latin, row.titles, row.born, row.set_by) == ("東海林太郎", "", [], "", {})


@pytest.mark.parametrize(
    ("operation", "code"),
    [
        ({"op": "burn"}, "malformed"), ({"op": "merge", "into": "x"}, "malformed"),
        (field("latin", "other", "Ko"), "fact-changed"), (field("key", "甲", "乙"), "unknown-field"),
        (field("latin", "", "甲"), "no-latin"), (field("kana", "", "甲"), "no-kana"),
        (field("born", "", "1970-13"), "invalid-day"), (field("name", "甲", " "), "invalid-value"),
        (field("note", "", "x" * 5_000), "invalid-value"), (field("place", "", "x"), "invalid-value"),
        (field("titles", [], [{"title": "名人", "until": 3}]), "invalid-value"),
        (field("parent", None, 1), "unknown-field"),
        ({"op": "merge", "into": 987654}, "unknown-target"),
        ({"op": "spelling", "name": "乙"}, "other-has-name"),
        ({"op": "spelling", "name": "甲"}, "has-name"),
    ],
)  # fmt: skip
def test_an_operation_that_cannot_be_applied_is_refused(operation: dict[str, Any], code: str) -> None:
    ingest(ready("7g7f", black="甲", white="乙"))
    with pytest.raises(NameEditError, match=code):
        correct(player("甲"), operation)
    assert not Correction.objects.exists()


def test_players_are_not_merged_in_a_circle_or_across_spaces():
    ingest(ready("7g7f", black="甲", white="乙"))
    merge(player("甲"), player("乙"))
    foreign = Player.objects.create(name="丙", space=9)
    for row, into, code in [
        (player("乙"), player("甲"), "merged-with-itself"), (player("甲"), player("乙"), "merged-already"),
        (player("乙"), player("乙"), "merged-with-itself"), (player("乙"), foreign, "unknown-target"),
    ]:  # fmt: skip
        with pytest.raises(NameEditError, match=code):
            merge(row, into)


def test_a_proposal_is_applied_when_it_is_accepted_and_fails_if_its_ground_has_moved():
    ingest(ready("7g7f", black="甲", white="乙"))
    row = player("甲")
    good, bad = (correct(row, field("latin", "", text), apply=False) for text in ("Ko", "Kou"))
    gone = correct(row, field("note", "", "!"), apply=False)
    assert player("甲").latin == ""
    assert accept_name(good.pk, None).state == "applied"
    failed = accept_name(bad.pk, None)
    assert (failed.state, failed.failed_operation) == ("failed", 0)
    assert end_proposal(None, failed, "rejected", "no", of=["failed"]).state == "rejected"
    assert end_proposal(None, gone, "withdrawn").state == "withdrawn"
    with pytest.raises(NameEditError, match="not-open"):
        accept_name(gone.pk, None)
    assert (player("甲").latin, player("甲").note) == ("Ko", "")


def test_games_of_a_large_merge_follow_in_several_transactions(monkeypatch):
    monkeypatch.setattr(people, "SEATS_AT_ONCE", 2)
    ingest(*(ready(move, black="甲", white="乙") for move in OPENINGS[:5]))
    merge(player("甲"), player("乙"))
    assert player("甲").unsettled and list(verify.names()) == []
    assert not people.settle_names(2)
    ingest(ready("6g6f", black="甲", white="丙"))
    assert people.settle_names(2) and people.settle_names(2)
    assert not player("甲").unsettled
    assert GamePlayer.objects.filter(player=player("乙")).count() == 11
    assert list(verify.verify()) == []


def test_a_player_is_split_into_two_of_one_name_who_are_told_apart_by_numbers():
    one, two = ready("7g7f", black="甲", white="乙"), ready("2g2f", black="丙", white="甲")
    ingest(one, two)
    first, game = player("甲"), Game.objects.latest("pk")
    split = {"op": "split", "games": [{"game": game.pk, "colour": 1}]}
    correction = correct(first, split)
    other = Player.objects.get(namesake=first)
    assert (other.name, GamePlayer.objects.get(slot=game.slot, colour=1).player_id) == ("甲", other.pk)
    assert games_of("甲") == ["丙 甲", "甲 乙"]
    assert games_of(unique_name(first)) == ["甲 乙"] and games_of(unique_name(other)) == ["丙 甲"]
    assert [one.games for one in names(PUBLIC, "player", "甲")] == [1, 1]
    assert ingest(two).duplicate == 1
    assert games_of(unique_name(other)) == ["丙 甲"]
    assert list(verify.verify()) == []
    moved = merge(other, player("乙"))
    assert games_of("乙") == ["丙 乙", "甲 乙"]
    ingest(one, two)
    assert list(verify.verify()) == []
    undo_name(moved.pk, None)
    undo_name(correction.pk, None)
    assert games_of(unique_name(first)) == ["丙 甲", "甲 乙"]
    assert [one.name for one in names(PUBLIC, "player", "甲")] == ["甲"]
    assert list(verify.verify()) == []


def test_only_the_games_of_a_player_are_split_off():
    ingest(ready("7g7f", black="甲", white="乙"))
    game = Game.objects.get().pk
    for games in (
        [],
        [{"game": game, "colour": 1}],
        [{"game": 99, "colour": 0}],
        [{"game": game, "colour": 2}],
    ):
        with pytest.raises(NameEditError):
            correct(player("甲"), {"op": "split", "games": games})
    assert Player.objects.count() == 2


# --- later edits -----------------------------------------------------------------------------------------


def wipe() -> None:
    empty_index()
    with connection.cursor() as cursor:
        for table in ("correctionevent", "correction", "arrival", "gamechange"):
            cursor.execute(f"DELETE FROM archive_{table}")
        cursor.execute("UPDATE archive_player SET merged_into_id = NULL, home_id = NULL")
        for table in TABLES:
            cursor.execute(f"DELETE FROM archive_{table}")


def state() -> list[Any]:
    """All that is known of players and of the players of games, without ids."""
    key_of = dict(Player.objects.values_list("pk", "key")) | {None: None}
    rows = [
        (row.key, key_of[row.merged_into_id], key_of[row.home_id], row.name, row.latin, row.kana, row.reading,
         row.searched, row.set_by)
        for row in Player.objects.order_by("key")
    ]  # fmt: skip
    seats = {seat: (key_of[player], key_of[named]) for seat, player, named in _seats()}
    games = [
        (bytes(game.digest), [seats.get((game.slot, colour)) for colour in (0, 1)],
         key_of[game.player0_id], key_of[game.player1_id])
        for game in Game.objects.order_by("digest")
    ]  # fmt: skip
    return [rows, games]


def _seats() -> list[tuple[tuple[int, int], int, int | None]]:
    rows = GamePlayer.objects.values_list("slot", "colour", "player", "named")
    return [((slot, colour), player, named) for slot, colour, player, named in rows]


PEOPLE = "甲乙丙丁戊己庚辛"
"""The first two are merged before the later edits."""
ACTIONS = ["upload"] * 3 + ["delete", "merge", "merge", "undo", "latin", "name", "spelling"]

Edit = tuple[Any, ...]
"""An edit, by keys and not by ids, so that it can be made again in another archive."""


def draw_edit(random: Random, number: int) -> Edit:
    action, one, other = random.choice(ACTIONS), random.choice(PEOPLE), random.choice(PEOPLE)
    if action == "upload":
        return action, random.choice(OPENINGS), one, other, f"2020/01/{random.randrange(1, 29):02}"
    if action == "delete":
        digests = Game.objects.values_list("digest", flat=True)
        return action, random.choice(sorted(map(bytes, digests)) or [b""])
    if action == "undo":
        return action, random.randrange(number + 1)
    return action, one, other, number


def make_edit(edit: Edit, merges: dict[int, int]) -> None:
    """Make an edit. `merges` are the corrections of merges by the numbers of their edits. Raises
    NameEditError."""
    match edit:
        case ("upload", move, black, white, day):
            ingest(ready(move, black=black, white=white, day=day))
        case ("delete", digest):
            store.delete_games(Game.objects.filter(digest=digest).values_list("pk", flat=True))
        case ("merge", one, other, number):
            if one == PEOPLE[0]:
                raise NameEditError("not this one")
            merges[number] = merge(player(one), player(other)).pk
        case ("undo", number):
            if number not in merges:
                raise NameEditError("no merge")
            undo_name(merges[number], None)
        case ("spelling", one, _other, number):
            add_spelling(player(one), f"{one}{number}")
        case (name, one, _other, number):
            row = player(one)
            correct(row, field(name, getattr(row, name), f"{name[0]}{number}", old_by=row.set_by.get(name)))


@pytest.mark.django_db(transaction=True)
def test_a_merge_that_is_undone_after_many_later_edits_has_left_nothing_behind():
    seed = Random().randrange(10**9)
    random = Random(seed)
    start = [
        ready(move, black=one, white=PEOPLE[at - 1])
        for at, (move, one) in enumerate(zip(OPENINGS, PEOPLE, strict=True))
    ]
    ingest(*start)
    united = merge(player(PEOPLE[0]), player(PEOPLE[1]))
    edits, merges = list[Edit](), dict[int, int]()
    for number in range(LATER_EDITS):
        edit = draw_edit(random, number)
        try:
            make_edit(edit, merges)
        except NameEditError:
            continue
        edits.append(edit)
    assert list(verify.verify()) == [], seed
    undo_name(united.pk, None)
    after_undo = state()
    assert list(verify.verify()) == [], seed
    wipe()
    ingest(*start)
    merges.clear()
    for edit in edits:
        make_edit(edit, merges)
    assert after_undo == state(), seed
    wipe()
