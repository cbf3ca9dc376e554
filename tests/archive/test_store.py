"""The store: what a batch leaves behind, and that it leaves nothing where it fails."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth import get_user_model
from django.utils import timezone

from archive import store
from archive.derive.game import DerivedEntry, DerivedGame, derive_stored
from archive.index import counters
from archive.models import (
    PIECE_BYTES,
    Entry,
    Event,
    Game,
    GameAlias,
    GameEvent,
    GamePlayer,
    Occurrence,
    Player,
    Upload,
    UploadChunk,
    codec,
)
from archive.store import batches, leases, verify
from kifu_core.errors import Issue
from tests.archive.builders import ingest, ready, replace_games, store_entries, upload
from tests.archive.rows import change_keys

pytestmark = pytest.mark.django_db

OPENING = "7g7f 3c3d 2g2f 8c8d 2f2e 8d8e 6i7h 4a3b 2e2d 2c2d 2h2d 8e8f"


def all_right() -> bool:
    return not list(verify.verify())


def rows_of_index() -> list[tuple[int, ...]]:
    return list(Occurrence.objects.values_list("key", "played", "slot", "ply", "move", "flags", "result"))


# --- uploads ---------------------------------------------------------------------------------------------


def test_it_keeps_the_bytes_of_an_upload_in_pieces():
    data = bytes(range(256)) * 10_000
    made, created = store.create_upload("a.kif", [data[:7], data[7:]], None, "api")
    assert created and made.size == len(data)
    assert b"".join(made.stream()) == data
    assert [len(chunk.bytes) for chunk in made.chunks.order_by("n")] == [
        PIECE_BYTES, PIECE_BYTES, len(data) - 2 * PIECE_BYTES,
    ]  # fmt: skip


def test_the_same_bytes_are_one_upload_for_nobody_and_one_for_each_user():
    anna = get_user_model().objects.create_user("anna")
    first, _ = store.create_upload("a.kif", [b"text"])
    again, created = store.create_upload("b.kif", [b"te", b"xt"])
    assert (again.pk, again.name, created) == (first.pk, "a.kif", False)
    hers, created = store.create_upload("a.kif", [b"text"], anna)
    assert created and hers.pk != first.pk
    assert store.create_upload("a.kif", [b"text"], anna) == (hers, False)
    assert UploadChunk.objects.count() == 2


def test_an_empty_or_too_large_upload_leaves_nothing(settings):
    settings.ARCHIVE_MAX_UPLOAD_BYTES = 10
    with pytest.raises(store.UploadEmpty):
        store.create_upload("a", [])
    with pytest.raises(store.UploadTooLarge):
        store.create_upload("a", [b"12345", b"678901"])
    assert not Upload.objects.exists() and not UploadChunk.objects.exists()


# --- claims ----------------------------------------------------------------------------------------------


def test_a_claimed_upload_is_free_again_when_the_claim_has_run_out():
    made, _ = store.create_upload("a", [b"x"])
    assert store.claim(made.pk, "one")
    assert not store.claim(made.pk, "two")
    Upload.objects.update(claimed_until=timezone.now() - timedelta(seconds=1))
    assert store.claim(made.pk, "two")
    assert not store.finish(made.pk, "one")
    assert store.finish(made.pk, "two")
    assert not store.claim(made.pk, "three")


def test_the_sweeper_finds_lost_messages_and_dead_workers():
    lost, _ = store.create_upload("lost", [b"1"])
    Upload.objects.update(received=timezone.now() - timedelta(hours=1))
    store.create_upload("fresh", [b"2"])
    dead, _ = upload(b"3")
    Upload.objects.filter(pk=dead.pk).update(claimed_until=timezone.now() - timedelta(seconds=1))
    upload(b"4")
    assert store.sweep() == [lost.pk, dead.pk]


def test_the_sweeper_gives_up_what_was_tried_too_often():
    made, _ = upload()
    past = timezone.now() - timedelta(seconds=1)
    Upload.objects.update(claimed_until=past, tries=leases.TRIES_LIMIT)
    assert store.sweep() == []
    made.refresh_from_db()
    assert (made.state, made.reason) == ("failed", {"code": "gave-up", "params": {"tries": 10}})


def test_progress_makes_the_tries_before_not_count():
    made, token = upload()
    Upload.objects.update(tries=4)
    store_entries(made.pk, token, [DerivedEntry(0, ready(OPENING))])
    made.refresh_from_db()
    assert (made.tries, made.expected) == (1, 1)


# --- ingest ----------------------------------------------------------------------------------------------


def test_a_game_is_stored_with_its_rows_names_and_entry():
    game = ready(OPENING, black="羽生善治 九段", white="谷川浩司", event="名人戦", day="2020/01/02")
    assert ingest(game) == store.StoredCounts(stored=1)
    stored = Game.objects.get()
    assert (stored.player0.name, stored.player1.name, stored.event.name) == ("羽生善治", "谷川浩司", "名人戦")
    assert (stored.plies, stored.index_rows, stored.result) == (12, 13, 0)
    assert Occurrence.objects.filter(slot=stored.slot, played=stored.played).count() == 13
    assert sorted(GamePlayer.objects.values_list("slot", "colour")) == [(stored.slot, 0), (stored.slot, 1)]
    assert Entry.objects.get().game == stored and Entry.objects.get().record is None
    assert all_right()


def test_a_failed_entry_keeps_its_issues_and_no_game():
    made, token = upload()
    issue = Issue("illegal-move", "error", 3, None, 5, {"text": "nul \0 surrogate \ud800"}, "line")
    entry = DerivedEntry(0, None, path="dir/a.kif", issues=(issue,), beyond_jkf={"unread": "\0"})
    assert store_entries(made.pk, token, [entry]) == store.StoredCounts(failed=1)
    row = Entry.objects.get()
    assert (row.state, row.game, row.path) == ("failed", None, "dir/a.kif")
    assert row.issues[0]["line"] == 3 and row.issues[0]["params"]["text"] == "nul \ufffd surrogate \ufffd"


def test_the_same_game_again_is_a_duplicate_entry():
    game = ready(OPENING, black="甲", day="2020/01/02")
    assert ingest(game, game) == store.StoredCounts(stored=1, duplicate=1)
    assert ingest(game) == store.StoredCounts(duplicate=1)
    assert Game.objects.count() == 1 and Entry.objects.count() == 3
    assert all_right()


def test_a_batch_that_ran_already_changes_nothing():
    made, token = upload()
    batch = [DerivedEntry(0, ready(OPENING)), DerivedEntry(1, ready(OPENING[:14]))]
    store_entries(made.pk, token, batch)
    before = list(Game.objects.values()), list(Entry.objects.values())
    assert store_entries(made.pk, token, batch) == store.StoredCounts()
    assert before == (list(Game.objects.values()), list(Entry.objects.values()))


def test_known_games_burn_no_ids():
    game = ready(OPENING)
    ingest(game)
    ingest(game)
    ingest(ready(OPENING[:19]))
    first, second = Game.objects.order_by("pk")
    assert second.pk == first.pk + 1 and second.slot == first.slot + 1


def test_who_has_lost_the_claim_writes_nothing():
    made, token = upload()
    with pytest.raises(store.ClaimLostError):
        store_entries(made.pk, "somebody else", [DerivedEntry(0, ready(OPENING))])
    store.finish(made.pk, token)
    with pytest.raises(store.ClaimLostError):
        store_entries(made.pk, token, [DerivedEntry(0, ready(OPENING))])
    assert not Game.objects.exists() and not Player.objects.exists() and not Occurrence.objects.exists()


def test_a_claim_lost_during_the_transaction_rolls_all_of_it_back(monkeypatch):
    made, token = upload()
    prolong = batches._prolong

    def late(*args):
        Upload.objects.update(claimed_by="another")
        prolong(*args)

    monkeypatch.setattr(batches, "_prolong", late)
    with pytest.raises(store.ClaimLostError):
        store_entries(made.pk, token, [DerivedEntry(0, ready(OPENING, black="甲", event="王位戦"))])
    for model in (Game, Player, Event, Occurrence, Entry):
        assert not model._default_manager.exists()


# --- editions --------------------------------------------------------------------------------------------


def test_the_forks_of_a_second_edition_join_the_game():
    plain = ready(OPENING, black="甲", day="2020/01/02")
    forked = ready(OPENING, {3: [["6g6f", "8c8d"]]}, black="甲 九段", day="2020/01/02")
    ingest(plain)
    slot = Game.objects.get().slot
    assert ingest(forked) == store.StoredCounts(duplicate=1)
    game = Game.objects.get()
    assert game.slot != slot and game.index_rows == 13 + 3
    assert game.jkf["moves"][3]["forks"][0][0]["move"]["to"] == {"x": 6, "y": 6}
    first, second = Entry.objects.order_by("pk")
    assert "forks" not in first.jkf["moves"][3]
    assert second.jkf["header"] == {"先手": "甲 九段", "開始日時": "2020/01/02"}
    assert all_right()


def commented(game: DerivedGame, ply: int, text: str) -> DerivedGame:
    """A game with a comment at one of its moves."""
    record = codec.unpack(game.record)
    record["moves"][ply]["comments"] = [text]
    return derive_stored(record, game.parsed_facts)


def test_an_edition_that_plays_nothing_else_leaves_the_index_alone(hot_at_three):
    others = [ready(OPENING, black=name) for name in "乙丙丁"]
    ingest(ready(OPENING, {3: [["6g6f"]]}, black="甲", day="2020/01/02"), *others)
    rows, slot = set(rows_of_index()), Game.objects.get(player0__name="甲").slot
    ingest(commented(ready(OPENING, black="甲", day="2020/01/02", event="名人戦"), 2, "角道を開ける"))
    game = Game.objects.get(player0__name="甲")
    assert (game.slot, game.index_rows, game.event.name) == (slot, 13 + 2, "名人戦")
    assert set(rows_of_index()) == rows
    assert game.jkf["moves"][2]["comments"] == ["角道を開ける"]
    assert GameEvent.objects.get().slot == slot
    assert "comments" not in Entry.objects.filter(game=game).earliest("pk").jkf["moves"][2]
    assert all_right()


def test_an_edition_that_knows_a_rating_takes_a_new_slot(hot_at_three):
    others = [ready(OPENING, black=name) for name in "乙丙丁"]
    ingest(ready(OPENING, black="甲", day="2020/01/02"), *others)
    slot = Game.objects.get(player0__name="甲").slot
    rated = ready(OPENING, black="甲", day="2020/01/02")
    record = codec.unpack(rated.record)
    record["header"]["先手レート"] = "2400"
    ingest(derive_stored(record, rated.parsed_facts))
    game = Game.objects.get(player0__name="甲")
    assert GamePlayer.objects.get(rating=2400).slot == game.slot != slot
    assert all_right()


def test_an_edition_without_anything_new_leaves_the_game_alone():
    forked = ready(OPENING, {3: [["6g6f", "8c8d"]]}, black="甲")
    plain = ready(OPENING, black="甲")
    ingest(forked)
    before = Game.objects.values().get()
    ingest(plain)
    assert Game.objects.values().get() == before
    assert Entry.objects.order_by("pk").last().record is not None
    assert all_right()


def test_editions_in_one_batch_become_their_union():
    ingest(ready(OPENING, {3: [["6g6f"]]}), ready(OPENING, {3: [["5g5f"]], 4: [["8b3b"]]}))
    assert Game.objects.get().index_rows == 13 + 2 + 2 + 2
    assert [entry.record is None for entry in Entry.objects.order_by("pk")] == [False, False]
    assert all_right()


# --- delete and replace ----------------------------------------------------------------------------------


def test_a_deleted_game_leaves_its_entry_and_nothing_else():
    ingest(ready(OPENING, black="甲", event="王位戦", day="2020/01/02"))
    kept = ready("2g2f 8c8d 2f2e 8d8e", white="乙")
    ingest(kept)
    gone = Game.objects.order_by("pk").first()
    assert store.delete_games([gone.pk, 12345]) == 1
    entry = Entry.objects.order_by("pk").first()
    assert (entry.state, entry.game) == ("deleted", None)
    assert Occurrence.objects.count() == 5
    assert all_right()


def test_a_replaced_game_keeps_its_id_and_takes_a_new_slot():
    ingest(ready(OPENING, black="甲", day="2020/01/02"))
    old = Game.objects.get()
    new = ready(OPENING + " 8g8f", white="乙", event="王位戦", day="2021/01/02")
    assert replace_games({old.pk: new, 999: new}) == {old.pk: old.pk}
    game = Game.objects.get()
    assert (game.pk, game.plies, game.player0, game.player1.name) == (old.pk, 13, None, "乙")
    assert game.slot != old.slot and bytes(game.digest) == new.digest
    assert all_right()


def test_a_game_replaced_by_another_ones_edition_becomes_an_alias():
    ingest(ready(OPENING, {2: [["8c8d"]]}, black="甲", day="2020/01/02"))
    ingest(ready(OPENING, {3: [["6g6f"]]}, black="甲", day="2020/01/20"))
    first, second = Game.objects.order_by("pk")
    corrected = ready(OPENING, {3: [["6g6f"]]}, black="甲", day="2020/01/02")
    assert replace_games({second.pk: corrected}) == {second.pk: first.pk}
    assert Game.objects.get().index_rows == 13 + 2 + 2
    assert GameAlias.objects.get(pk=second.pk).game == first
    assert [entry.game_id for entry in Entry.objects.all()] == [first.pk, first.pk]
    assert all_right()
    store.delete_games([first.pk])
    assert not GameAlias.objects.exists() and all_right()


def test_games_can_take_each_others_identity():
    one, two = ready(OPENING, black="甲"), ready(OPENING, black="乙")
    ingest(one, two)
    first, second = Game.objects.order_by("pk")
    names = {first.pk: first.player0.name, second.pk: second.player0.name}
    swap = {pk: two if name == "甲" else one for pk, name in names.items()}
    assert replace_games(swap) == {first.pk: first.pk, second.pk: second.pk}
    assert {game.pk: game.player0.name for game in Game.objects.all()} != names
    assert all_right()


def test_two_games_replaced_by_the_same_one_merge():
    ingest(ready(OPENING, black="甲"), ready(OPENING, black="乙"))
    first, second = Game.objects.order_by("pk")
    same = ready(OPENING, black="丙")
    assert replace_games({first.pk: same, second.pk: same}) == {first.pk: first.pk, second.pk: first.pk}
    assert all_right()


def test_damage_in_the_index_is_told_and_repaired(hot_at_three):
    ingest(*(ready(OPENING, black=name) for name in "甲乙丙丁"))
    game = Game.objects.order_by("pk").first()
    row = Occurrence.objects.filter(slot=game.slot).order_by("ply").first()
    change_keys(5, "slot = %s AND ply = 12", game.slot)
    assert row and not all_right()
    with pytest.raises(store.IndexDamagedError):
        store.delete_games([game.pk])
    assert store.reindex_games([game.pk], scan=True) == 1
    counters.rebuild()
    assert all_right()
