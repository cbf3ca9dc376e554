"""Reading uploads again: games change in place, keep their ids, and become one where they are one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from archive import store
from archive.curation import taking_down
from archive.derive.game import DerivedEntry, DerivedGame
from archive.intake import worker
from archive.models import Entry, Game, GameAlias, Occurrence, Player, Upload, User
from archive.store import verify
from kifu_core.errors import Issue
from tests.archive.builders import ready, store_entries, upload
from tests.archive.games import CSA, KIF, stored

pytestmark = pytest.mark.django_db

OPENING = "7g7f 3c3d 2g2f 8c8d 2f2e 8d8e 6i7h 4a3b 2e2d 2c2d 2h2d 8e8f"
OTHER = "2g2f 8c8d 2f2e 8d8e 6i7h 4a3b 2e2d 2c2d 2h2d P*2c 2d2h 3a2b"


def all_right() -> bool:
    return not list(verify.verify())


def sent(*games: DerivedGame | None) -> int:
    made, token = upload()
    take(made.pk, token, *games)
    return made.pk


def take(pk: int, token: str, *games: DerivedGame | None) -> None:
    failed = (Issue("illegal-move", "error"),)
    entries = [DerivedEntry(seq, game, issues=() if game else failed) for seq, game in enumerate(games)]
    store_entries(pk, token, entries)
    assert store.finish(pk, token)


def reread(pk: int, *games: DerivedGame | None) -> None:
    assert store.reread(pk)
    assert store.claim(pk, "again")
    take(pk, "again", *games)


def test_a_game_that_reads_differently_changes_in_place():
    pk = sent(ready(OPENING, black="甲九段", day="2020/01/02"))
    game = Game.objects.get()
    new = ready(OPENING + " 8g8f", {2: [["8c8d"]]}, black="甲", white="乙", event="名人戦", day="2020/01/03")
    reread(pk, new)
    again = Game.objects.get()
    assert (again.pk, again.plies, again.event.name, again.player1.name) == (game.pk, 13, "名人戦", "乙")
    assert Entry.objects.get().state == "stored" and Entry.objects.get().record is None
    assert Entry.objects.get().rereads == Upload.objects.get().rereads == 1
    assert all_right()


def test_reading_the_same_again_changes_nothing():
    pk = sent(ready(OPENING, {3: [["6g6f"]]}, black="甲"), ready(OTHER), None)
    before = list(Game.objects.order_by("pk").values()), sorted(Occurrence.objects.values_list())
    reread(pk, ready(OPENING, {3: [["6g6f"]]}, black="甲"), ready(OTHER), None)
    assert before == (list(Game.objects.order_by("pk").values()), sorted(Occurrence.objects.values_list()))
    assert [entry.state for entry in Entry.objects.order_by("seq")] == ["stored", "stored", "failed"]


def test_columns_that_are_read_differently_are_written_though_the_game_is_the_same():
    pk = sent(ready(OPENING, black="甲"))
    Game.objects.update(opening="棒銀", digest_version=1)
    reread(pk, ready(OPENING, black="甲"))
    assert Game.objects.get().opening == "" and all_right()


def test_two_games_that_turn_out_to_be_one_are_one_and_an_alias():
    pk = sent(ready(OPENING, {3: [["6g6f"]]}, black="甲 先生"), ready(OTHER), ready(OPENING, black="乙"))
    first, second, third = Game.objects.order_by("pk")
    same = ready(OPENING, {3: [["6g6f"]]}, black="丙")
    reread(pk, same, ready(OTHER), replace(same))
    assert {game.pk for game in Game.objects.all()} == {first.pk, second.pk, third.pk} - {alias().pk}
    assert alias().game.player0.name == "丙"
    assert sorted(Entry.objects.values_list("state", flat=True)) == ["duplicate", "stored", "stored"]
    assert all_right()


def alias() -> GameAlias:
    return GameAlias.objects.get()


def test_a_game_sent_twice_keeps_its_id_when_both_are_read_again():
    old, new = ready(OPENING, black="甲"), ready(OPENING + " 8g8f", black="甲")
    first, second = sent(old), sent(old)
    pk = Game.objects.get().pk
    reread(first, new)
    assert Game.objects.get().plies == 13 and all_right()
    reread(second, new)
    game = Game.objects.get()
    assert (game.pk, game.plies, game.entries.count()) == (pk, 13, 2) and all_right()
    assert [entry.record for entry in Entry.objects.all()] == [None, None]


def test_games_that_were_taken_for_one_are_two_when_read_again():
    old = ready(OPENING, black="甲")
    first, second = sent(old), sent(old)
    reread(first, ready(OPENING, black="甲", day="2020/01/02"))
    reread(second, ready(OPENING, black="甲", day="2021/01/02"))
    assert [game.played_from.year for game in Game.objects.order_by("pk")] == [2020, 2021]
    assert sorted(Entry.objects.values_list("state", flat=True)) == ["stored", "stored"]
    assert all_right()


def test_what_cannot_be_read_any_more_keeps_its_game_and_says_so():
    pk = sent(ready(OPENING, black="甲"))
    reread(pk, None)
    entry = Entry.objects.get()
    assert (entry.state, entry.game) == ("stored", Game.objects.get())
    assert [issue["code"] for issue in entry.issues] == ["illegal-move", "kept-reading"]


def test_what_could_not_be_read_before_is_stored_now():
    pk = sent(None, ready(OPENING, black="甲"))
    reread(pk, ready(OTHER), ready(OPENING, black="甲"))
    assert Game.objects.count() == 2 and not Entry.objects.filter(state="failed").exists() and all_right()


def test_entries_that_are_not_found_any_more_go_with_their_games():
    pk = sent(ready(OPENING, black="甲"), ready(OTHER))
    kept = Entry.objects.get(seq=0).game
    reread(pk, ready(OPENING, black="甲"))
    assert Game.objects.get() == kept and Entry.objects.get().seq == 0 and all_right()


def test_a_text_found_between_others_takes_nobodys_game():
    one, two = ready(OPENING, black="甲"), ready(OTHER, black="乙")
    pk = sent(one, two)
    before = [entry.game_id for entry in Entry.objects.order_by("seq")]
    found = ready("5g5f 3c3d 5f5e 8c8d 2h5h 7a6b 7g7f 6c6d 8h7g 6b6c", black="丁")
    reread(pk, one, found, two)
    assert [entry.game_id for entry in Entry.objects.order_by("seq")][::2] == before
    assert Game.objects.count() == 3 and not GameAlias.objects.exists() and all_right()


def test_a_text_found_between_games_of_the_same_players_takes_nobodys_game():
    one, two = ready(OPENING, black="甲", white="乙"), ready(OTHER, black="甲", white="乙")
    pk = sent(one, two)
    before = [entry.game_id for entry in Entry.objects.order_by("seq")]
    found = ready("5g5f 3c3d 5f5e 8c8d 2h5h 7a6b 7g7f 6c6d 8h7g 6b6c", black="甲", white="乙")
    reread(pk, one, found, two)
    assert [entry.game_id for entry in Entry.objects.order_by("seq")][::2] == before
    assert [entry.state for entry in Entry.objects.order_by("seq")] == ["stored"] * 3
    assert Game.objects.count() == 3 and not GameAlias.objects.exists() and all_right()


def test_a_game_that_an_administrator_deleted_does_not_come_back():
    pk = sent(ready(OPENING, black="甲"))
    store.delete_games(Game.objects.values_list("pk", flat=True))
    reread(pk, ready(OPENING, black="甲"))
    assert not Game.objects.exists() and Entry.objects.get().state == "deleted"


def test_an_upload_that_is_worked_on_is_not_begun_again():
    made, _ = upload()
    assert not store.reread(made.pk)


def test_from_the_bytes_everything_comes_again_and_the_bytes_are_the_same():
    upload = stored(KIF)
    stored(CSA, "game.csa")
    before = Game.objects.values().get(), b"".join(upload.stream())
    assert store.reread(upload.pk)
    worker.work_off(upload.pk)
    upload.refresh_from_db()
    assert (upload.state, upload.rereads) == ("done", 1)
    assert (Game.objects.values().get(), b"".join(upload.stream())) == before and all_right()


def test_a_large_upload_is_read_again_in_turns(monkeypatch):
    monkeypatch.setattr(worker, "BATCH_ENTRIES", 1)
    text = "\n".join(KIF.replace("先手の人", f"{number}番") for number in range(4))
    upload = stored(text)
    ids = list(Game.objects.order_by("pk").values_list("pk", flat=True))
    Game.objects.update(site="wrongly read")
    assert len(ids) == 4 and store.reread(upload.pk)
    turns = 1
    while worker.work_on(upload.pk, f"turn {turns}", seconds=0):
        turns += 1
        Upload.objects.update(claimed_until=None)
    assert turns > 3 and set(Entry.objects.values_list("rereads", flat=True)) == {1}
    assert list(Game.objects.order_by("pk").values_list("pk", "site")) == [(pk, "") for pk in ids]
    assert all_right()


def test_what_is_read_again_is_written_a_few_entries_at_a_time(monkeypatch):
    upload = stored("/\n".join(CSA.replace("先手の人", f"人{n}") for n in range(5)), "games.csa")
    monkeypatch.setattr(worker, "REREAD_ENTRIES", 2)
    ingest, sizes = store.store_batches, []

    def counted(batches, token):
        sizes.append(sum(len(batch.entries) for batch in batches))
        return ingest(batches, token)

    monkeypatch.setattr(store, "store_batches", counted)
    assert store.reread(upload.pk)
    worker.work_off(upload.pk)
    assert sizes == [2, 2, 1] and Game.objects.count() == 5 and all_right()


def test_an_entry_that_a_reading_lacks_stays_while_a_name_is_taken_down_and_is_never_shown_again():
    clara = User.objects.create_user("clara", role=User.Role.CURATOR)
    pk = sent(ready(OTHER, black="乙"), ready(OPENING, black="甲"))
    player = Player.objects.get(name="甲")
    taking_down.take_down_name(clara, player, "his request", "K.")
    reread(pk, ready(OTHER, black="乙"))
    assert Entry.objects.count() == 2 and all_right()
    player.refresh_from_db()
    taking_down.restore_name(clara, player)
    assert all_right()
    reread(pk, ready(OTHER, black="乙"))
    assert Entry.objects.count() == 1 and all_right()
