"""The bytes of a game that is deleted: there for everybody and said to be, or hidden from all but staff."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import AnonymousUser, Permission
from django.db import connection
from django.test import Client, RequestFactory

from archive import store
from archive.intake import uploads, worker
from archive.models import Entry, Game, Upload, User
from archive.queries.games import taken_down
from archive.store import deletion
from tests.archive.games import KIF, UNREADABLE, stored
from tests.archive.plans import recorded
from tests.containers import zipped

pytestmark = pytest.mark.django_db

TWO = KIF + KIF.replace("先手の人", "別の人")
DELETED = {"ja": "対局は削除されましたが", "en": "its bytes are still here"}
HIDDEN = {"ja": "元のデータも非公開", "en": "its bytes are hidden"}


@pytest.fixture
def keeper() -> Client:
    """Staff that may look at uploads and delete games."""
    return browser(User.objects.create_superuser("keeper"))


def browser(user: User | None = None) -> Client:
    client = Client()
    if user is not None:
        client.force_login(user)
    return client


def first() -> int:
    return Game.objects.order_by("pk").values_list("pk", flat=True)[0]


def text_of(client: Client, address: str, language: str = "en") -> str:
    return client.get(address, headers={"Accept-Language": language}).getvalue().decode()


def status(client: Client, upload: Upload, path: str) -> int:
    return client.get(f"/api/v1/uploads/{upload.pk}/{path}").status_code


# --- what is said ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", ["ja", "en"])
def test_the_page_says_that_a_deleted_games_bytes_are_still_here(language):
    upload = stored(KIF)
    store.delete_games([first()])
    page = text_of(browser(), f"/uploads/{upload.pk}/", language)
    assert DELETED[language] in page and f"/api/v1/uploads/{upload.pk}/entries/0/source" in page
    assert status(browser(), upload, "entries/0/source") == 200


@pytest.mark.parametrize("language", ["ja", "en"])
def test_the_page_says_that_they_are_hidden_and_leads_only_staff_to_them(keeper, language):
    upload = stored(KIF)
    store.delete_games([first()], hide_bytes=True)
    page, of_staff = (text_of(who, f"/uploads/{upload.pk}/", language) for who in (browser(), keeper))
    assert HIDDEN[language] in page and "/source" not in page
    assert HIDDEN[language] in of_staff and "entries/0/source" in of_staff
    assert f"/api/v1/uploads/{upload.pk}/source" in of_staff


def test_the_api_says_it(keeper):
    upload = stored(KIF)
    client, address = browser(), f"/api/v1/uploads/{upload.pk}"
    assert client.get(address).json()["hidden"] is False
    store.delete_games([first()], hide_bytes=True)
    assert client.get(address).json()["hidden"] is True
    (entry,) = client.get(f"{address}/entries").json()["results"]
    assert (entry["state"], entry["hidden"]) == ("deleted", True)


# --- who gets them ---------------------------------------------------------------------------------------


def test_hidden_bytes_are_gone_for_all_but_staff(keeper):
    upload = stored(KIF)
    store.delete_games([first()], hide_bytes=True)
    member = browser(User.objects.create_user("member"))
    for path in ("source", "entries/0/source", "entries/0/report"):
        assert [status(who, upload, path) for who in (browser(), member, keeper)] == [410, 410, 200], path
    viewer = User.objects.create_user("viewer")
    viewer.user_permissions.add(Permission.objects.get(codename="view_upload"))
    assert status(browser(viewer), upload, "source") == 200


def test_a_file_that_holds_hidden_bytes_is_hidden_whole_and_others_of_its_container_are_not():
    other = KIF.replace("後手の人", "丙").encode()
    upload = stored(zipped(("two.kif", TWO.encode()), ("other.kif", other)), "a.zip")
    entries = {(one.path, one.index): one for one in Entry.objects.filter(upload=upload)}
    store.delete_games([entries["two.kif", 0].game_id], hide_bytes=True)
    found = {place: status(browser(), upload, f"entries/{one.seq}/source") for place, one in entries.items()}
    assert found == {("two.kif", 0): 410, ("two.kif", 1): 410, ("other.kif", 0): 200}
    assert status(browser(), upload, "source") == 410
    assert status(browser(), upload, f"entries/{entries['two.kif', 1].seq}/report") == 200


def test_the_other_uploads_of_the_game_are_hidden_too():
    uploads_of_it = [stored(KIF), stored(KIF + "\n", "again.kif")]
    store.delete_games([first()], hide_bytes=True)
    assert [status(browser(), one, "source") for one in uploads_of_it] == [410, 410]


def test_nothing_is_quoted_of_what_is_hidden(keeper):
    upload = stored(UNREADABLE)
    address = f"/api/v1/uploads/{upload.pk}/entries"
    lists = (f"/uploads/{upload.pk}/", address, f"{address}?format=csv", f"{address}?format=ndjson")
    assert all("五々将棋" in text_of(browser(), one) for one in lists)
    Entry.objects.update(hidden=True)
    assert not any("五々将棋" in text_of(browser(), one) for one in lists)
    assert browser().get(address).json()["results"][0]["issues"] == []
    assert keeper.get(address).json()["results"][0]["issues"] != []


def test_the_program_that_a_hidden_record_names_is_hidden_too(keeper):
    upload = stored("# ---- Kifu for Tanaka's eyes V7 棋譜ファイル ----\n" + KIF)
    lists = (*shown_of(upload), f"/api/v1/uploads/{upload.pk}/entries/0")
    telling = [one for one in lists if "Tanaka" in text_of(browser(), one)]
    assert f"/uploads/{upload.pk}/" in telling and lists[-1] in telling
    store.delete_games([first()], hide_bytes=True)
    assert [one for one in lists if "Tanaka" in text_of(browser(), one)] == []
    assert "Tanaka" in keeper.get(lists[-1]).json()["program"]


def shown_of(upload: Upload) -> tuple[str, ...]:
    """The addresses that tell of an upload."""
    address = f"/api/v1/uploads/{upload.pk}"
    pages = (f"/uploads/{upload.pk}/", f"/upload/?sent={upload.pk}", f"/games/?upload={upload.pk}")
    return (*pages, address, *(f"{address}/entries{form}" for form in ("", "?format=csv", "?format=ndjson")))


def test_the_name_of_a_file_that_is_hidden_is_hidden_too(keeper):
    upload = stored(KIF, "tanaka-sato.kif")
    assert all("tanaka" in text_of(browser(), one) for one in shown_of(upload)[:4])
    store.delete_games([first()], hide_bytes=True)
    assert [one for one in shown_of(upload) if "tanaka" in text_of(browser(), one)] == []
    assert browser().get(f"/api/v1/uploads/{upload.pk}").json()["name"] == ""
    assert f"file {upload.pk}" in text_of(browser(), f"/uploads/{upload.pk}/")
    assert "tanaka" in text_of(keeper, f"/uploads/{upload.pk}/")
    assert keeper.get(f"/api/v1/uploads/{upload.pk}").json()["name"] == "tanaka-sato.kif"


def test_the_path_of_a_hidden_file_is_hidden_for_all_that_was_read_from_it(keeper):
    other = KIF.replace("後手の人", "丙").encode()
    upload = stored(zipped(("tanaka.kif", TWO.encode()), ("other.kif", other)), "club.zip")
    hidden, same_file = Entry.objects.filter(upload=upload, path="tanaka.kif").order_by("index")
    lists = (shown_of(upload)[0], *shown_of(upload)[4:])
    assert all("tanaka" in text_of(browser(), one) for one in lists)
    store.delete_games([hidden.game_id], hide_bytes=True)
    places = (
        *shown_of(upload),
        f"/games/{same_file.game_id}/",
        f"/embed/games/{same_file.game_id}/",
        f"/api/v1/uploads/{upload.pk}/entries/{same_file.seq}/report",
    )
    assert [one for one in places if "tanaka" in text_of(browser(), one)] == []
    assert all("other.kif" in text_of(browser(), one) for one in lists)
    assert all("tanaka" in text_of(keeper, one) for one in lists)
    assert browser().get(f"/api/v1/uploads/{upload.pk}").json()["name"] == "club.zip"
    rows = browser().get(f"/api/v1/uploads/{upload.pk}/entries").json()["results"]
    assert sorted(row["path"] for row in rows) == ["", "", "other.kif"]


def test_the_name_of_a_container_of_which_all_is_hidden_is_hidden(keeper):
    upload = stored(zipped(("a.kif", KIF.encode())), "tanaka.zip")
    store.delete_games([first()], hide_bytes=True)
    assert [one for one in shown_of(upload) if "tanaka" in text_of(browser(), one)] == []
    assert "tanaka.zip" in text_of(keeper, f"/uploads/{upload.pk}/")


def test_the_lists_of_games_call_no_hidden_file_by_its_name():
    one, _two = stored(TWO, "tanaka.kif"), stored(KIF.replace("後手の人", "丙"), "other.kif")
    pages = ("/games/", f"/games/?upload={one.pk}", "/api/v1/games/facets")
    assert "tanaka" in text_of(browser(), pages[0])
    store.delete_games([first()], hide_bytes=True)
    assert [page for page in pages if "tanaka" in text_of(browser(), page)] == []


def test_they_stay_hidden_when_the_upload_is_read_again():
    upload = stored(KIF)
    store.delete_games([first()], hide_bytes=True)
    assert uploads.reread(upload.pk)
    worker.work_off(upload.pk)
    assert Entry.objects.get().hidden and status(browser(), upload, "source") == 410


def test_a_reading_that_does_not_find_the_record_any_more_leaves_it_hidden():
    upload = stored(KIF)
    store.delete_games([first()], hide_bytes=True)
    Upload.objects.update(rereads=1)
    deletion.remove_unread(upload.pk)
    assert Entry.objects.get().hidden


def test_they_go_with_their_upload():
    upload = stored(KIF)
    store.delete_games([first()], hide_bytes=True)
    assert store.delete_upload(upload.pk) and not Entry.objects.exists()


# --- the admin -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("fields", "hidden"), [({}, False), ({"hide": "yes"}, True)])
def test_the_page_that_confirms_a_deletion_offers_to_hide_the_bytes(keeper, fields, hidden):
    stored(KIF)
    address = f"/admin/archive/game/{first()}/delete/"
    assert 'name="hide"' in text_of(keeper, address)
    assert keeper.post(address, {"post": "yes"} | fields).status_code == 302
    assert not Game.objects.exists() and Entry.objects.get().hidden is hidden


@pytest.mark.parametrize(("fields", "hidden"), [({}, False), ({"hide": "yes"}, True)])
def test_so_does_that_for_several_games(keeper, fields, hidden):
    stored(TWO)
    chosen = {
        "action": "delete_selected",
        "_selected_action": list(Game.objects.values_list("pk", flat=True)),
    }
    asked = keeper.post("/admin/archive/game/", chosen).content.decode()
    assert 'name="hide"' in asked and asked.count('name="_selected_action"') == 2
    keeper.post("/admin/archive/game/", chosen | {"post": "yes"} | fields)
    assert not Game.objects.exists()
    assert [entry.hidden for entry in Entry.objects.all()] == [hidden, hidden]


# --- deleting by its sender ------------------------------------------------------------------------------


@pytest.mark.parametrize("language", ["ja", "en"])
def test_who_sent_an_upload_deletes_it_on_its_page(language):
    anna = User.objects.create_user("anna")
    upload = stored(KIF)
    Upload.objects.update(uploader=anna)
    client, address = browser(anna), f"/uploads/{upload.pk}/delete/"
    assert f'action="{address}"' in text_of(client, f"/uploads/{upload.pk}/", language)
    assert client.get(address).status_code == 405
    told = client.post(address, follow=True, headers={"Accept-Language": language})
    assert {"ja": "削除しました", "en": "was deleted"}[language] in told.content.decode()
    assert not Upload.objects.exists() and not Game.objects.exists()
    assert client.post(address).status_code == 410


def test_others_are_not_offered_it_and_cannot(keeper):
    upload = stored(KIF)
    Upload.objects.update(uploader=User.objects.create_user("anna"))
    address = f"/uploads/{upload.pk}/"
    for client in (browser(), browser(User.objects.create_user("bert"))):
        assert "delete/" not in text_of(client, address)
        assert client.post(f"{address}delete/").status_code == 403
    assert keeper.post(f"{address}delete/").status_code == 302 and not Upload.objects.exists()
    assert browser().post("/uploads/4711/delete/").status_code == 404


def test_it_takes_the_pages_token():
    anna = User.objects.create_user("anna")
    upload = stored(KIF)
    Upload.objects.update(uploader=anna)
    client = Client(enforce_csrf_checks=True)
    client.force_login(anna)
    assert client.post(f"/uploads/{upload.pk}/delete/").status_code == 403 and Upload.objects.exists()


def test_whether_anything_is_hidden_is_known_without_reading_the_entries_of_an_upload():
    if connection.vendor != "sqlite":
        pytest.skip("PostgreSQL has statistics by which it finds the same")
    entry = Entry.objects.get(upload=stored(KIF))
    request = RequestFactory().get("/")
    request.user = AnonymousUser()
    with recorded() as statements:
        taken_down.hide_paths(request, [entry])
        taken_down.has_hidden(entry.upload)
        taken_down.has_hidden(entry.upload, entry.part)
    asked = [one for one in statements if "hidden" in one.sql and "SELECT" in one.sql and "WHERE" in one.sql]
    assert len(asked) == 3
    with connection.cursor() as cursor:
        for statement in asked:
            cursor.execute(f"EXPLAIN QUERY PLAN {statement.sql}", statement.params)
            assert "COVERING INDEX entry_hidden" in " ".join(row[3] for row in cursor.fetchall())
