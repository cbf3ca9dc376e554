"""Corrections of games: the union of the editions stays, and operations apply to it."""

from __future__ import annotations

from typing import Any

import pytest

from archive import libraries, store
from archive.derive.corrections import document_of
from archive.derive.operations import difference
from archive.intake import worker
from archive.models import Correction, Entry, Game, GameAlias, GameIdentity, Player, User
from archive.store.corrections import Author
from archive.store.entry_rows import stored_edition
from archive.store.existing import corrected_games
from archive.store.verify import verify
from tests.archive.games import CSA, KIF, stored

pytestmark = pytest.mark.django_db

ARCHIVE = Author()


def game() -> Game:
    return Game.objects.get()


def header(name: str, old: str | None, new: str | None) -> dict[str, Any]:
    return {"op": "header", "name": name, "old": old, "new": new}


def comment(ply: int, move: str, *new: str) -> dict[str, Any]:
    return {"op": "comments", "at": str(ply), "move": move, "old": [], "new": [*new]}


def correct(*operations: dict[str, Any], of: Game | None = None) -> Correction:
    row = store.propose_correction(of or game(), operations, "a reason", ARCHIVE)
    return store.apply_correction(row.pk, ARCHIVE)


def undo(*rows: Correction) -> None:
    store.undo_corrections([row.pk for row in rows], ARCHIVE)


def events(row: Correction) -> list[str]:
    return list(row.events.order_by("pk").values_list("event", flat=True))


def faults() -> list[Any]:
    return list(verify())


def test_a_proposal_changes_nothing_until_it_is_applied():
    stored(KIF)
    before = game().jkf
    row = store.propose_correction(game(), [header("先手", "先手の人", "羽生")], "misspelt", ARCHIVE)
    assert (game().jkf, row.state, game().corrected) == (before, "proposed", False)
    store.apply_correction(row.pk, ARCHIVE)
    assert game().jkf["header"]["先手"] == "羽生"
    assert game().player0 == Player.objects.get(name="羽生")
    assert events(row) == ["proposed", "applied"]
    assert not faults()


def test_the_file_as_it_was_uploaded_finds_the_corrected_game():
    stored(KIF)
    correct(header("先手", "先手の人", "羽生"))
    again, other_format = stored(KIF + "\n"), stored(CSA)
    assert Game.objects.count() == 1
    assert [entry.state for entry in Entry.objects.filter(upload__in=[again, other_format])] == [
        "duplicate"
    ] * 2
    assert game().jkf["header"]["先手"] == "羽生"
    stored(KIF.replace("先手の人", "羽生"))
    assert Game.objects.count() == 1
    assert not faults()


def test_an_edition_that_disagrees_as_the_corrected_one_did_joins_it_too():
    more = "   8 ４四歩(43)\n   9 ９六歩(97)\n  10 ９四歩(93)\n  11 １六歩(17)\n"
    longer = KIF.replace("   8 投了         ( 0:08/00:00:20)\nまで7手で先手の勝ち\n", more)
    stored(longer)
    correct(header("先手", "先手の人", "羽生"))
    stored(longer.replace("開始日時：2024/05/01\n", ""))
    assert Game.objects.count() == 1


def test_what_an_edition_adds_later_is_corrected_too():
    stored(KIF)
    row = correct(header("先手", "先手の人", "羽生"), comment(1, "7g7f", "好手"))
    longer = KIF.replace("   2 ３四歩", "*角道\n   2 ３四歩")
    stored(longer)
    assert Game.objects.count() == 1
    row.refresh_from_db()
    assert row.state == "failed"
    assert events(row) == ["proposed", "applied", "failed"]
    assert game().jkf["moves"][1]["comments"] == ["角道"]
    assert game().jkf["header"]["先手"] == "先手の人", "a correction applies completely or not at all"
    store.delete_upload(Entry.objects.latest("pk").upload_id)
    row.refresh_from_db()
    assert (row.state, game().jkf["header"]["先手"]) == ("applied", "羽生")
    assert not faults()


def test_corrections_are_undone_in_any_order_and_applied_again_in_their_place():
    stored(KIF)
    before = game()
    record, digest = before.jkf, bytes(before.digest)
    name = correct(header("先手", "先手の人", "羽生"))
    day = correct(header("開始日時", "2024/05/01", "2024/05/02"))
    remark = correct(comment(1, "7g7f", "好手"))
    assert str(game().played_from) == "2024-05-02"
    undo(name)
    assert (game().jkf["header"]["先手"], str(game().played_from)) == ("先手の人", "2024-05-02")
    undo(day, remark)
    after = game()
    assert (after.jkf, bytes(after.digest), after.corrected) == (record, digest, False)
    store.apply_correction(name.pk, ARCHIVE)
    assert game().jkf["header"]["先手"] == "羽生"
    assert events(name) == ["proposed", "applied", "undone", "restored"]
    assert not faults()


def test_a_correction_on_another_one_fails_without_it():
    stored(KIF)
    first = correct(header("先手", "先手の人", "羽生"))
    second = correct(header("先手", "羽生", "羽生善治"))
    undo(first)
    second.refresh_from_db()
    assert (second.state, second.failed_operation) == ("failed", 0)
    assert game().jkf["header"]["先手"] == "先手の人"
    store.apply_correction(first.pk, ARCHIVE)
    second.refresh_from_db()
    assert (second.state, game().jkf["header"]["先手"]) == ("applied", "羽生善治")
    assert not faults()


def test_moves_are_corrected_with_their_rows_in_the_index():
    stored(KIF)
    edition = stored_edition(game())
    edited = document_of(edition)
    edited.record["moves"][7:] = [{"move": {"color": 0, "from": {"x": 4, "y": 5}, "to": {"x": 6, "y": 3},
                                            "piece": "KA", "promote": True, "capture": "FU"}}]  # fmt: skip
    edited.ending = None
    correct(*difference(document_of(edition), edited))
    assert [entry["move"]["to"] for entry in game().jkf["moves"][1:]][-1] == {"x": 6, "y": 3}
    assert (game().plies, game().result, game().special) == (7, Game.Result.UNKNOWN, "")
    assert not faults()


def test_moves_that_cannot_be_played_are_refused():
    stored(KIF)
    before = game().jkf
    row = correct({"op": "line", "at": "7", "old": ["4e3d", "%TORYO"], "new": [before["moves"][1]]})
    assert (row.state, game().jkf) == ("failed", before)


def test_a_correction_that_makes_a_game_equal_to_another_one_is_refused():
    stored(KIF)
    stored(KIF.replace("先手の人", "羽生"))
    first, second = Game.objects.order_by("pk")
    row = store.propose_correction(first, [header("先手", "先手の人", "羽生")], "", ARCHIVE)
    with pytest.raises(store.SameGameError) as refused:
        store.apply_correction(row.pk, ARCHIVE)
    assert refused.value.other == second.pk
    row.refresh_from_db()
    assert (row.state, Game.objects.count()) == ("proposed", 2)
    assert not faults()


def test_a_side_is_attributed_to_another_person_of_the_same_name():
    stored(KIF)
    other = Player.objects.create(name="先手の人（別人）")
    row = correct({"op": "player", "colour": 0, "old": None, "new": other.pk})
    assert (game().player0, game().jkf["header"]["先手"]) == (other, "先手の人")
    undo(row)
    assert game().player0 == Player.objects.get(name="先手の人")
    assert not faults()


def test_a_corrected_game_that_was_taken_down_is_held_in_every_form():
    stored(KIF)
    correct(header("先手", "先手の人", "羽生"))
    store.delete_games([game().pk])
    stored(KIF + "\n")
    stored(KIF.replace("先手の人", "羽生"))
    assert [entry.state for entry in Entry.objects.order_by("pk")] == ["deleted", "held", "held"]
    assert not GameIdentity.objects.exists()


def test_corrections_follow_a_game_into_another_library():
    anna = User.objects.create_user("anna")
    library = libraries.own_library(anna).pk
    upload, _ = store.create_upload("a.kif", [KIF.encode()], anna, "web", space=library)
    worker.work_off(upload.pk)
    correct(header("先手", "先手の人", "羽生"))
    store.move_game(game().pk, 0)
    assert (game().space, game().jkf["header"]["先手"], Correction.objects.get().space) == (0, "羽生", 0)
    assert not faults()


def test_the_corrections_of_games_that_become_one_apply_to_it():
    stored(KIF.replace("後手：後手の人\n", "").replace("開始日時：2024/05/01\n", ""))
    first = correct(comment(1, "7g7f", "好手"))
    stored(KIF.replace("先手：先手の人\n", "").replace("試しの", "別の"))
    stored(KIF)
    assert corrected_games(list(Game.objects.filter(corrected=True)))
    assert first.subject_id in Game.objects.values_list("pk", flat=True)
    assert not faults()


def test_a_game_that_was_taken_down_is_restored_with_its_editions_and_corrections():
    stored(KIF)
    stored(CSA)
    row = correct(header("先手", "先手の人", "羽生"))
    before, record = game(), game().jkf
    store.delete_games([before.pk], hide_bytes=True)
    assert not Game.objects.exists()
    restored = store.restore_games([before.pk])
    after = game()
    assert restored == {before.pk: after.pk}
    assert (after.jkf, after.corrected) == (record, True)
    assert [(entry.state, entry.hidden) for entry in after.entries.order_by("pk")] == [
        ("stored", False), ("duplicate", False)
    ]  # fmt: skip
    assert GameAlias.objects.get(pk=before.pk).game == after
    row.refresh_from_db()
    assert (row.state, row.subject_id) == ("applied", after.pk)
    undo(row)
    assert game().jkf["header"]["先手"] == "先手の人"
    assert store.restore_games([before.pk]) == {}
    assert not faults()
