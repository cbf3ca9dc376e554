"""The admin: files in, failures read again, games deleted through the store."""

from __future__ import annotations

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from archive import store
from archive.intake import tasks, uploads, worker
from archive.models import Entry, Game, Occurrence, Upload, User
from archive.web.pages import admin_site
from archive.web.replay.issue_texts import shown_issues
from tests.archive.games import KIF, UNREADABLE, stored

pytestmark = pytest.mark.django_db


@pytest.fixture
def admin(client):
    client.force_login(User.objects.create_superuser("admin"))
    return client


def test_files_are_uploaded_and_kept_under_the_admins_name(admin):
    files = [SimpleUploadedFile(f"{n}.kif", KIF.replace("甲", str(n)).encode() + b"\n" * n) for n in range(2)]
    answer = admin.post(reverse("admin:archive_upload_add"), {"file": files}, follow=True)
    assert answer.status_code == 200
    assert [upload.uploader.get_username() for upload in Upload.objects.all()] == ["admin", "admin"]
    worker.work_off(Upload.objects.order_by("pk")[0].pk)
    assert Game.objects.count() == 1


def test_an_empty_file_is_refused_with_a_message_and_the_others_are_taken(admin):
    files = [SimpleUploadedFile("a.kif", b""), SimpleUploadedFile("b.kif", KIF.encode())]
    answer = admin.post(reverse("admin:archive_upload_add"), {"file": files}, follow=True)
    texts = [str(message) for message in answer.context["messages"]]
    assert [text[: len("a.kif")] for text in texts] == ["a.kif", "b.kif"]
    assert [upload.name for upload in Upload.objects.all()] == ["b.kif"]


def test_who_may_not_add_uploads_cannot(client):
    staff = User.objects.create_user("staff", is_staff=True)
    client.force_login(staff)
    file = SimpleUploadedFile("a.kif", KIF.encode())
    assert client.post(reverse("admin:archive_upload_add"), {"file": file}).status_code == 403
    assert not Upload.objects.exists()


@pytest.mark.parametrize("model", ["upload", "game", "player", "event"])
def test_every_list_and_every_row_can_be_looked_at(admin, model):
    stored(KIF)
    listing = admin.get(reverse(f"admin:archive_{model}_changelist"))
    assert listing.status_code == 200
    row = listing.context["cl"].result_list[0]
    assert admin.get(reverse(f"admin:archive_{model}_change", args=[row.pk])).status_code == 200


def test_what_failed_is_read_again_on_request(admin):
    upload = stored(UNREADABLE)
    before = Entry.objects.get().pk
    chosen = {"action": "retry", "_selected_action": [upload.pk]}
    admin.post(reverse("admin:archive_upload_changelist"), chosen)
    upload.refresh_from_db()
    assert upload.state == Upload.State.RECEIVED
    worker.work_off(upload.pk)
    assert Entry.objects.get().pk != before


def test_a_deleted_game_leaves_the_index(admin):
    stored(KIF)
    game = Game.objects.get()
    answer = admin.post(reverse("admin:archive_game_delete", args=[game.pk]), {"post": "yes"})
    assert answer.status_code == 302
    assert (Game.objects.count(), Occurrence.objects.count()) == (0, 0)
    assert Entry.objects.get().state == Entry.State.DELETED


def test_several_games_are_deleted_at_once(admin):
    stored(KIF)
    stored(KIF.replace("先手の人", "別の人"))
    chosen = {
        "action": "delete_selected",
        "post": "yes",
        "_selected_action": [game.pk for game in Game.objects.all()],
    }
    admin.post(reverse("admin:archive_game_changelist"), chosen)
    assert (Game.objects.count(), Occurrence.objects.count()) == (0, 0)


def test_many_games_are_deleted_a_few_at_a_time(admin, monkeypatch):
    for name in "甲乙丙":
        stored(KIF.replace("先手の人", name))
    monkeypatch.setattr("archive.admin.games.DELETED_AT_ONCE", 2)
    deleted, parts = store.delete_games, []
    monkeypatch.setattr(store, "delete_games", lambda ids, **how: parts.append(deleted(ids, **how)))
    chosen = {
        "action": "delete_selected",
        "post": "yes",
        "_selected_action": [g.pk for g in Game.objects.all()],
    }
    admin.post(reverse("admin:archive_game_changelist"), chosen)
    assert parts == [2, 1] and not Game.objects.exists()


def test_deleting_many_uploads_takes_no_longer_than_one_and_workers_go_on(
    admin, monkeypatch, django_capture_on_commit_callbacks
):
    ids = [stored(KIF.replace("先手の人", name)).pk for name in "甲乙丙"]
    monkeypatch.setattr(uploads, "DELETE_SECONDS", 0)
    sent = []
    monkeypatch.setattr(tasks, "send_deletion", sent.append)
    chosen = {"action": "delete_selected", "_selected_action": ids, "post": "yes"}
    with django_capture_on_commit_callbacks(execute=True):
        admin.post(reverse("admin:archive_upload_changelist"), chosen)
    assert sorted(sent) == ids and sorted(store.unfinished_deletions()) == ids


def test_uploads_themselves_cannot_be_changed(admin):
    upload = stored(KIF)
    assert (
        admin.post(reverse("admin:archive_upload_change", args=[upload.pk]), {"name": "x"}).status_code == 403
    )


def test_an_upload_is_deleted_with_its_games(admin, django_capture_on_commit_callbacks):
    upload = stored(KIF)
    page = admin.get(reverse("admin:archive_upload_delete", args=[upload.pk]))
    assert page.status_code == 200
    with django_capture_on_commit_callbacks(execute=True):
        answer = admin.post(reverse("admin:archive_upload_delete", args=[upload.pk]), {"post": "yes"})
    assert answer.status_code == 302
    for model in (Upload, Entry, Game, Occurrence):
        assert not model._default_manager.exists()


def test_several_uploads_are_deleted_at_once(admin, django_capture_on_commit_callbacks):
    ids = [stored(KIF).pk, stored(UNREADABLE).pk]
    chosen = {"action": "delete_selected", "_selected_action": ids, "post": "yes"}
    with django_capture_on_commit_callbacks(execute=True):
        admin.post(reverse("admin:archive_upload_changelist"), chosen)
    assert not Upload.objects.exists() and not Game.objects.exists()


def test_everything_is_read_again_on_request(admin):
    upload = stored(KIF)
    before = Game.objects.get()
    Game.objects.update(site="somewhere")
    chosen = {"action": "reread", "_selected_action": [upload.pk]}
    admin.post(reverse("admin:archive_upload_changelist"), chosen)
    worker.work_off(upload.pk)
    assert (Game.objects.get().pk, Game.objects.get().site) == (before.pk, "")


# --- words and time --------------------------------------------------------------------------------------

MODELS = ("upload", "game", "player", "event", "auditline", "sitetext", "user")


@pytest.mark.parametrize("model", MODELS)
def test_no_page_asks_the_database_for_long(admin, monkeypatch, model):
    monkeypatch.setattr(admin_site, "SECONDS", -1.0)
    for query in ("", "?q=x", "?_facets=True"):
        answer = admin.get(reverse(f"admin:archive_{model}_changelist") + query)
        assert answer.status_code == 422
    address = reverse(f"admin:archive_{model}_change", args=[1])
    assert admin.get(address).status_code == 422


@pytest.mark.parametrize("model", ["upload", "game", "player", "event"])
def test_the_choices_of_filters_are_neither_counted_nor_looked_for_among_all_rows(admin, model):
    stored(KIF)
    with CaptureQueriesContext(connection) as queries:
        listing = admin.get(reverse(f"admin:archive_{model}_changelist"), {"_facets": "True"})
    assert not listing.context["cl"].add_facets
    assert not any("DISTINCT" in one["sql"] for one in queries.captured_queries if "archive_" in one["sql"])


def test_games_and_uploads_are_told_in_words(admin):
    upload = stored(KIF)
    failed = stored(UNREADABLE)
    entry, game = Entry.objects.get(upload=failed), Game.objects.get()
    rows = {"upload": upload.pk, "game": game.pk}
    pages = [reverse(f"admin:archive_{model}_changelist") for model in rows]
    pages += [reverse(f"admin:archive_{model}_change", args=[pk]) for model, pk in rows.items()]
    html = {page: admin.get(page, headers={"accept-language": "en"}).content.decode() for page in pages}
    for page, text in html.items():
        for word in ("layer0", "colour 0", "lot:", "header_data", "parsed_facts", "&quot;severity&quot;"):
            assert word not in text, (page, word)
    assert "☗先手の人 ☖後手の人" in html[reverse("admin:archive_game_changelist")]
    reason = shown_issues(entry.issues, 1)[0].text
    assert reason and reason in html[reverse("admin:archive_upload_changelist")]
    deleting = admin.get(reverse("admin:archive_game_delete", args=[game.pk])).content.decode()
    assert f"先手の人 – 後手の人 ({game.pk})" in deleting


def test_the_admin_has_no_groups_but_those_of_libraries(admin):
    assert "/admin/auth/" not in admin.get("/admin/").content.decode()


def test_in_japanese_no_word_of_a_program_is_left(admin):
    assert "登録" not in admin.get("/admin/", headers={"accept-language": "ja"}).content.decode()


@pytest.mark.parametrize(
    ("query", "n"),
    [("kind=shogi", 1), ("kind=quoridor", 0), ("result=0", 1), ("result=9", 1), ("handicap=2", 0)],
)
def test_games_are_filtered_by_words(admin, query, n):
    stored(KIF)
    Game.objects.update(result=0)
    listing = admin.get(f"{reverse('admin:archive_game_changelist')}?{query}")
    assert len(listing.context["cl"].result_list) == n
