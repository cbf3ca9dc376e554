"""Terms, privacy and contact in the owner's words; reports of games, and the staff that settles them."""

from __future__ import annotations

import pytest
from django.test import Client

from archive import libraries
from archive.collections import editing
from archive.models import Game, Report, SiteText, User
from archive.web.replay.reporting import LONGEST, OPEN_OF_A_GAME
from tests.archive.games import KIF
from tests.archive.library_games import game_of, send, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def anna() -> User:
    return User.objects.create_user("anna", password="opensesame")


@pytest.fixture
def game(anna: User) -> Game:
    return game_of(send(anna, KIF, "public"))


def test_a_page_is_there_and_linked_once_it_is_written(client):
    assert client.get("/terms/").status_code == 404
    assert "/terms/" not in client.get("/games/").content.decode()
    SiteText.objects.create(page="terms", language="en", text="Be <b>kind</b>.\r\n\r\nhttps://example.org/a")
    after = client.get("/games/").content.decode()
    assert 'href="/terms/"' in after and "/privacy/" not in after
    shown = client.get("/terms/", HTTP_ACCEPT_LANGUAGE="ja").content.decode()
    assert '<div class="site-text stack" lang="en">' in shown
    assert "<p>Be &lt;b&gt;kind&lt;/b&gt;.</p>" in shown and '<a href="https://example.org/a"' in shown
    SiteText.objects.create(page="terms", language="ja", text="お静かに")
    assert "お静かに" in client.get("/terms/", HTTP_ACCEPT_LANGUAGE="ja").content.decode()


def test_terms_are_read_before_one_has_signed_in(client, settings):
    settings.MIDDLEWARE = [*settings.MIDDLEWARE, "django.contrib.auth.middleware.LoginRequiredMiddleware"]
    SiteText.objects.create(page="privacy", language="en", text="We keep little.")
    assert client.get("/privacy/").status_code == 200
    assert client.get("/games/").status_code == 302


def test_administrators_write_these_pages_in_the_admin(admin_client):
    sent = {"page": "contact", "language": "ja", "text": "<script>"}
    assert admin_client.post("/admin/archive/sitetext/add/", sent).status_code == 302
    assert "&lt;script&gt;" in Client().get("/contact/").content.decode()


def test_a_stranger_reports_a_game_and_a_curator_settles_it(client, game):
    assert f"/games/{game.pk}/report/" in client.get(f"/games/{game.pk}/").content.decode()
    answer = client.post(f"/games/{game.pk}/report/", {"reason": "wrong", "text": "<i>名前</i>が違います"})
    assert answer.headers["Location"] == f"/games/{game.pk}/"
    report = Report.objects.get()
    assert (report.game, report.reason, report.by) == (game.pk, "wrong", None)
    assert report.text == "<i>名前</i>が違います"
    curator = User.objects.create_user("cura", password="opensesame", role="curator", is_staff=True)
    staff = signed_in(curator)
    listed = staff.get("/curation/").content.decode()
    assert "&lt;i&gt;名前&lt;/i&gt;が違います" in listed and f"/games/{game.pk}/" in listed
    given = {"kind": "reports", "answer": "accept", "item": report.pk}
    assert staff.post("/curation/", given).status_code == 302
    report.refresh_from_db()
    assert report.settled is not None and report.settled_by == curator
    assert "が違います" not in staff.get("/curation/?kind=reports").content.decode()
    staff.post("/curation/", {"answer": "undo"})
    assert Report.objects.get().settled is None


def test_a_stranger_reports_a_public_collection(client, game):
    owner = User.objects.create_user("owner", password="opensesame", role="contributor")
    collection = editing.create(owner, libraries.target_space(owner, "mine"), "棋譜集")
    address = f"/collections/{collection.pk}/"
    assert client.post(f"{address}report/", {"reason": "abuse"}).status_code == 404
    editing.show(owner, collection, "public")
    assert f"{address}report/" in client.get(address).content.decode()
    assert client.post(f"{address}report/", {"reason": "wrong"}).status_code == 400
    answer = client.post(f"{address}report/", {"reason": "abuse", "text": "題名がひどい"})
    assert answer.headers["Location"] == address
    report = Report.objects.get()
    assert (report.game, report.collection, report.reason) == (None, collection.pk, "abuse")


def test_a_report_hides_nothing_from_the_staff(client, game):
    sent = {"reason": "other", "text": "名前\u202e違う\x07\r\n二行目\u200b"}
    client.post(f"/games/{game.pk}/report/", sent)
    assert Report.objects.get().text == "名前違う\r\n二行目"


@pytest.mark.parametrize(
    "sent",
    [
        {},
        {"reason": "nonsense"},
        {"reason": "wrong", "text": "x" * (LONGEST + 1)},
        {"reason": "wrong", "text": "\0"},
    ],
)
def test_a_report_without_a_reason_or_too_long_is_asked_for_again(client, game, sent):
    answer = client.post(f"/games/{game.pk}/report/", sent)
    assert answer.status_code == 400 and 'class="field-error"' in answer.content.decode()
    assert not Report.objects.exists()


def test_only_a_game_that_one_reads_can_be_reported(anna, client):
    private = game_of(send(anna, KIF))
    for address in (f"/games/{private.pk}/report/", "/games/999/report/"):
        assert client.get(address).status_code == 404
        assert client.post(address, {"reason": "wrong"}).status_code == 404
    assert signed_in(anna).post(f"/games/{private.pk}/report/", {"reason": "other"}).status_code == 302
    assert Report.objects.get().by == anna
    key = libraries.share_by_link(anna, private)
    client.get(f"/shared/{key}/")
    assert client.post(f"/games/{private.pk}/report/", {"reason": "other"}).status_code == 302


def test_reports_are_limited_by_address_and_by_game(client, game, throttled):
    for _n in range(OPEN_OF_A_GAME):
        Report.objects.create(game=game.pk, reason="other")
    assert client.post(f"/games/{game.pk}/report/", {"reason": "wrong"}).status_code == 302
    assert Report.objects.count() == OPEN_OF_A_GAME
    throttled.ARCHIVE_THROTTLE_REPORTS = 2
    address = {"REMOTE_ADDR": "203.0.113.7"}
    response = [client.post(f"/games/{game.pk}/report/", {"reason": "wrong"}, **address) for _n in range(3)]
    assert [one.status_code for one in response] == [302, 302, 429]
