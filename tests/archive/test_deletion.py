"""Deleting uploads: entries and bytes go, games only with their last entry."""

from __future__ import annotations

import pytest

from archive import store
from archive.derive.game import DerivedEntry, DerivedGame, derive_stored
from archive.models import (
    Entry,
    Game,
    GameAlias,
    GamePlayer,
    GameRecord,
    Occurrence,
    Upload,
    UploadChunk,
    codec,
)
from archive.store import deletion, verify
from tests.archive.builders import ready, snapshot, store_entries, upload

pytestmark = pytest.mark.django_db

OPENING = "7g7f 3c3d 2g2f 8c8d 2f2e 8d8e 6i7h 4a3b 2e2d 2c2d 2h2d 8e8f"


def all_right() -> bool:
    return not list(verify.verify())


def sent(*games: DerivedGame) -> int:
    made, token = upload()
    store_entries(made.pk, token, [DerivedEntry(seq, game) for seq, game in enumerate(games)])
    store.finish(made.pk, token)
    return made.pk


def test_a_deleted_upload_takes_its_games_rows_counters_and_bytes(hot_at_three):
    pk = sent(*(ready(OPENING, black=name, day="2020/01/02") for name in "甲乙丙丁"))
    assert store.delete_upload(pk)
    for model in (Upload, UploadChunk, Entry, Game, GamePlayer, Occurrence):
        assert not model._default_manager.exists()
    assert all_right()


def test_a_game_that_somebody_else_sent_too_stays():
    first = sent(ready(OPENING, black="甲", day="2020/01/02"), ready(OPENING[:54], white="乙"))
    sent(ready(OPENING, black="甲", day="2020/01/02"))
    pk = Game.objects.get(plies=12).pk
    assert store.delete_upload(first)
    assert Game.objects.get().pk == pk and Entry.objects.get().state == "stored"
    assert all_right()


def test_a_game_becomes_what_its_other_editions_say():
    dated = sent(ready(OPENING, {3: [["6g6f"]]}, black="甲", day="2020/01/02", event="名人戦"))
    sent(ready(OPENING, {3: [["5g5f"]]}, black="甲", white="乙"))
    game = Game.objects.get()
    assert (game.precision, game.index_rows) == ("day", 13 + 4)
    assert store.delete_upload(dated)
    game.refresh_from_db()
    assert (game.precision, game.index_rows, game.event, game.player1.name) == ("", 13 + 2, None, "乙")
    assert game.jkf["header"] == {"先手": "甲", "後手": "乙"}
    assert all_right()


def test_comments_go_with_their_edition_and_the_index_is_left_alone(hot_at_three):
    plain = [ready(OPENING, {3: [["6g6f"]]}, black=name, day="2020/01/02") for name in "甲乙丙"]
    record = codec.unpack(plain[0].record)
    record["moves"][2]["comments"] = ["角道を開ける"]
    sent(*plain)
    commenting = sent(derive_stored(record, plain[0].parsed_facts))
    before = Game.objects.get(player0__name="甲")
    assert before.jkf["moves"][2]["comments"] == ["角道を開ける"]
    assert store.delete_upload(commenting)
    after = Game.objects.get(player0__name="甲")
    assert (after.slot, after.index_rows) == (before.slot, 13 + 2)
    assert "comments" not in after.jkf["moves"][2]
    assert all_right()


def test_games_of_an_older_version_are_made_anew_from_their_columns():
    first = sent(ready(OPENING, {3: [["6g6f"]]}, winner=1, black="甲", day="2020/01/02"))
    sent(ready(OPENING, winner=1, black="甲", day="2020/01/02"))
    Entry.objects.update(parsed_facts={})
    GameRecord.objects.update(parsed_facts={})
    store.delete_upload(first)
    game = Game.objects.get()
    assert (game.result, game.special, game.record_kind, game.index_rows) == (1, "TORYO", "game", 13)
    assert all_right()


def test_a_snapshot_is_left_when_the_finished_game_goes():
    meeting = {"black": "甲", "white": "乙", "day": "2020/01/02"}
    sent(snapshot(OPENING, **meeting))
    last = sent(ready(OPENING + " 8g8f", **meeting))
    pk = Game.objects.get(plies=13).pk
    store.delete_upload(last)
    game = Game.objects.get()
    assert (game.pk, game.plies, game.special) == (pk, 12, "CHUDAN")
    assert all_right()


def test_two_games_that_are_one_without_the_deleted_edition_become_one():
    undated = ready(OPENING, black="甲")
    first = sent(ready(OPENING, black="甲", day="2020/01/02"))
    sent(undated)
    second = sent(ready(OPENING, black="甲", day="2021/01/02"))
    older, newer = Game.objects.order_by("pk")
    assert older.entries.count() == 2
    store.delete_upload(first)
    assert Game.objects.get().pk == older.pk and GameAlias.objects.get().pk == newer.pk
    assert Game.objects.get().played_from.year == 2021 and all_right()
    store.delete_upload(second)
    assert Game.objects.get().precision == "" and all_right()


def test_a_large_upload_goes_in_several_transactions(monkeypatch, settings):
    settings.MESSAGE_SECONDS = -1
    monkeypatch.setattr(deletion, "BATCH", 2)
    pk = sent(*(ready(OPENING, black=name) for name in "甲乙丙丁戊"))
    assert not store.delete_upload(pk, seconds=0)
    assert Game.objects.count() == 3 and Upload.objects.get().state == "deleting"
    assert store.unfinished_deletions() == [pk] and all_right()
    assert store.delete_upload(pk)
    assert not Game.objects.exists() and not store.unfinished_deletions() and all_right()


def test_a_worker_that_was_at_it_writes_nothing_more():
    made, token = upload()
    store_entries(made.pk, token, [DerivedEntry(0, ready(OPENING))])
    store.begin_deletion(made.pk)
    with pytest.raises(store.ClaimLostError):
        store_entries(made.pk, token, [DerivedEntry(1, ready(OPENING, black="甲"))])
    assert store.sweep() == [] and not store.retry(made.pk) and not store.claim(made.pk, "other")


def test_the_bytes_can_be_sent_again_while_they_are_deleted():
    made, _ = store.create_upload("a.kif", [b"text"])
    store.begin_deletion(made.pk)
    again, created = store.create_upload("a.kif", [b"text"])
    assert created and again.pk != made.pk and all_right()
    store.delete_upload(made.pk)
    assert b"".join(Upload.objects.get().stream()) == b"text"


def test_deleting_what_is_not_there_is_no_error():
    assert store.delete_upload(12345) and not store.begin_deletion(12345)


def test_games_that_were_deleted_before_are_no_obstacle():
    pk = sent(ready(OPENING, black="甲"))
    store.delete_games(Game.objects.values_list("pk", flat=True))
    assert store.delete_upload(pk) and not Entry.objects.exists()
