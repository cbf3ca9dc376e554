"""Games that were taken down do not come back by themselves: who sends them again waits for the staff."""

from __future__ import annotations

import pytest
from django.core.management import call_command
from django.test import Client

from archive import store
from archive.models import Entry, Game, TakenDown, Upload, User
from archive.store.verify import verify
from tests.archive.builders import ready
from tests.archive.games import KIF, stored
from tests.archive.test_rereading import OPENING, OTHER, reread, sent

pytestmark = pytest.mark.django_db

AGAIN = KIF + "\n"
"""Other bytes of the same game."""


def take_down(hide: bool = False) -> None:
    store.delete_games(Game.objects.values_list("pk", flat=True), hide_bytes=hide)


def entry_of(upload: Upload) -> Entry:
    return Entry.objects.get(upload=upload)


def codes(entry: Entry) -> list[str]:
    return [issue["code"] for issue in entry.issues]


def all_right() -> bool:
    return not list(verify())


def test_a_game_that_was_taken_down_is_held_when_it_is_sent_again():
    stored(KIF)
    take_down()
    entry = entry_of(stored(AGAIN))
    assert (entry.state, entry.game, entry.hidden) == ("held", None, False)
    assert codes(entry)[-1] == "taken-down"
    assert not Game.objects.exists() and all_right()


def test_so_is_each_of_its_editions():
    sent(ready(OPENING, black="甲"), ready(OPENING, black="甲", white="乙", day="2020/01/02"))
    assert Game.objects.count() == 1
    take_down()
    sent(ready(OPENING, black="甲"))
    sent(ready(OPENING, black="甲", white="乙", day="2020/01/02"), ready(OTHER))
    states = list(Entry.objects.order_by("pk").values_list("state", flat=True))
    assert states == ["deleted", "deleted", "held", "held", "stored"]
    assert all_right()


def test_games_are_taken_down_in_an_order_that_cannot_deadlock():
    for n in range(20):
        stored(KIF.replace("先手の人", f"先手{n}"))
    take_down()
    identities = TakenDown.objects.order_by("pk").values_list("space", "digest")
    ordered = [(space, bytes(digest)) for space, digest in identities]
    assert len(ordered) == 20 and ordered == sorted(ordered)


def test_and_one_that_is_imported(tmp_path, capsys):
    stored(KIF)
    take_down()
    (tmp_path / "again.kif").write_text(AGAIN)
    call_command("import_kifu", str(tmp_path), verbosity=0)
    assert "0 games stored" in (told := capsys.readouterr().out) and "1 held" in told
    assert not Game.objects.exists()


def test_and_one_that_an_upload_turns_out_to_have_when_it_is_reread():
    sent(ready(OPENING, black="甲"))
    take_down()
    failed, other = sent(None), sent(ready(OTHER))
    reread(failed, ready(OPENING, black="甲"))
    reread(other, ready(OPENING, black="甲"))
    states = [Entry.objects.get(upload=pk).state for pk in (failed, other)]
    assert states == ["held", "held"] and not Game.objects.exists() and all_right()


def test_a_reread_entry_of_what_was_taken_down_is_known_by_what_it_says_now():
    pk = sent(ready(OPENING, black="甲"))
    take_down()
    reread(pk, ready(OPENING, black="丙"))
    sent(ready(OPENING, black="丙"))
    assert list(Entry.objects.order_by("pk").values_list("state", flat=True)) == ["deleted", "held"]


def test_its_bytes_are_hidden_if_those_before_were_and_the_reason_is_told():
    stored(KIF)
    take_down(hide=True)
    upload = stored(AGAIN)
    client, address = Client(), f"/api/v1/uploads/{upload.pk}"
    assert client.get(f"{address}/source").status_code == 410
    (told,) = client.get(f"{address}/entries").json()["results"]
    assert (told["state"], told["game_id"]) == ("held", None)
    assert [issue["code"] for issue in told["issues"]] == ["taken-down"]
    page = client.get(f"/uploads/{upload.pk}/", headers={"Accept-Language": "en"}).getvalue().decode()
    assert "held for the staff" in page and "it is held until the staff lets it in" in page


def test_the_staff_lets_it_in_and_then_it_is_a_game_like_others():
    stored(KIF)
    take_down(hide=True)
    upload = stored(AGAIN)
    browser = Client()
    browser.force_login(User.objects.create_superuser("keeper"))
    browser.post("/curation/", {"kind": "held", "answer": "accept", "item": entry_of(upload).pk})
    entry = entry_of(upload)
    assert (entry.state, entry.game, entry.hidden) == ("stored", Game.objects.get(), False)
    assert "taken-down" not in codes(entry)
    assert entry_of(stored(AGAIN + "\n")).state == "duplicate" and all_right()


def test_only_what_is_held_is_let_in():
    pk = sent(ready(OPENING, black="甲"), None)
    assert store.release_held(Entry.objects.values_list("pk", flat=True)) == 0
    take_down()
    assert store.release_held(Entry.objects.filter(upload=pk).values_list("pk", flat=True)) == 0
