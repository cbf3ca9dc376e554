"""The upload page, and the page of one upload."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone
from django.utils.html import escape
from pytest_django.fixtures import Settings

from archive import store
from archive.intake.worker import work_off
from archive.models import Entry, Game, Upload, User
from archive.web.pages import uploading
from tests.archive.html import tidy
from tests.containers import zipped

pytestmark = pytest.mark.django_db

GOOD = "先手：甲\n後手：乙\n手合割：平手\n1 ７六歩(77)\n2 ３四歩(33)\n3 投了\n"
BROKEN = "手合割：平手\n1 ７六歩(77)\n2 ９九玉(11)\n3 ２六歩(27)\n"


@pytest.fixture(autouse=True)
def anyone_may_upload(settings: Settings) -> None:
    settings.ARCHIVE_ANONYMOUS_UPLOAD = True


def file(text: str, name: str = "game.kif") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, text.encode())


def send(client: Client, **fields: object) -> Upload:
    """Post the form and work the upload off."""
    response = client.post("/upload/", fields)
    assert response.status_code == 302
    upload = Upload.objects.latest("pk")
    assert response.headers["Location"] == f"/uploads/{upload.pk}/{'?open=1' if 'text' in fields else ''}"
    work_off(upload.pk)
    return upload


def page(client: Client, address: str, **headers: str) -> str:
    response = client.get(address, headers={"Accept-Language": "ja", **headers})
    assert response.status_code == 200
    return tidy(response.content.decode())


def test_the_form_works_without_javascript(client: Client) -> None:
    html = page(client, "/upload/")
    assert 'enctype="multipart/form-data"' in html
    assert "csrfmiddlewaretoken" in html


def test_a_file_is_stored_and_its_page_shown(client: Client) -> None:
    upload = send(client, file=file(GOOD))
    assert b"".join(upload.stream()).decode() == GOOD
    html = page(client, f"/uploads/{upload.pk}/")
    assert "完了" in html
    assert f'href="/games/{Entry.objects.get().game_id}/"' in html
    assert f"/api/v1/uploads/{upload.pk}/source" in html


def test_pasted_text_is_stored_too(client: Client) -> None:
    upload = send(client, text=GOOD)
    assert upload.name in ("貼り付けた棋譜", "pasted text")
    assert Entry.objects.get().state == Entry.State.STORED


def test_one_pasted_game_opens_and_anything_else_stays_on_the_page_of_its_upload(client: Client) -> None:
    upload = send(client, text=GOOD)
    game = f"/games/{Game.objects.get().pk}/"
    address = f"/uploads/{upload.pk}/?open=1"
    assert client.get(address).headers["Location"] == game
    part = client.get(address, headers={"X-Part": "state"})
    assert (part.status_code, part.headers["Location"]) == (302, game)
    for text in ("nothing", GOOD + "\n" + GOOD.replace("甲", "丙")):
        page(client, f"/uploads/{send(client, text=text).pk}/?open=1")


def test_a_queued_upload_says_so_with_its_place(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    client.force_login(User.objects.create_user("kifu"))
    client.post("/upload/", {"file": [file(GOOD + "*" * n, f"{n}.kif") for n in range(3)]})
    first, second, third = Upload.objects.order_by("pk")
    Upload.objects.filter(pk=first.pk).update(state="processing")
    assert "順番待ち：2番目" in page(client, f"/uploads/{second.pk}/")
    assert "処理しています" in page(client, f"/uploads/{first.pk}/")
    for address in ("/uploads/", f"/upload/?sent={first.pk}-{third.pk}"):
        html = page(client, address)
        assert "順番待ち：2番目" in html and "順番待ち：3番目" in html
    monkeypatch.setattr("archive.store.leases.MOST_QUEUE_PLACES", 2)
    assert "順番待ち：1,000番目より後" in page(client, f"/uploads/{third.pk}/")


def test_pasted_text_is_kept_as_it_came(client: Client) -> None:
    upload = send(client, text=f"\n {GOOD}\n\n")
    assert b"".join(upload.stream()) == f"\n {GOOD}\n\n".encode()


def test_several_files_lead_to_a_list_of_their_uploads(client: Client) -> None:
    response = client.post("/upload/", {"file": [file(GOOD, "a.kif"), file(BROKEN, "b.kif")]})
    assert response.status_code == 302
    html = page(client, response.headers["Location"])
    assert "a.kif" in html and "b.kif" in html
    assert len(re.findall(r'href="/uploads/\d+/"', html)) == 2


def test_the_same_file_twice_is_one_upload(client: Client) -> None:
    assert send(client, file=file(GOOD)).pk == send(client, file=file(GOOD)).pk


def test_a_failure_comes_first_with_its_reason_its_place_and_its_line(client: Client) -> None:
    upload = send(client, file=file("これは棋譜ではありません\n", "letter.txt"))
    html = page(client, f"/uploads/{upload.pk}/")
    assert 'class="entry failed"' in html
    assert "読み取れなかった棋譜" in html
    assert "行目" in html
    for kind in ("csv", "ndjson"):
        address = f"/api/v1/uploads/{upload.pk}/entries?format={kind}"
        assert f'href="{address}"' in html
        assert "failed" in client.get(address).getvalue().decode()
    for what, begins in (("source", "これは棋譜"), ("report", "")):
        address = f"/api/v1/uploads/{upload.pk}/entries/0/{what}"
        assert f'href="{address}"' in html
        assert client.get(address).content.decode().startswith(begins)


def test_a_record_that_breaks_off_shows_the_line_with_the_fault_marked(client: Client) -> None:
    upload = send(client, file=file(BROKEN))
    html = page(client, f"/uploads/{upload.pk}/")
    assert "3行目" in html
    assert "2手目" in html
    assert "?手目" not in html
    assert re.search(r"<pre>[^<]*<mark>[^<]*</mark>[^<]*</pre>", html)


def test_a_fault_far_out_in_a_long_line_is_shown_with_what_stands_around_it(client: Client) -> None:
    line = "position startpos moves" + " 2h3h 8b7b 3h2h 7b8b" * 20 + " 7g7z"
    upload = send(client, file=file(line, "long.usi"))
    html = page(client, f"/uploads/{upload.pk}/")
    assert "7b8b <mark>7</mark>g7z</pre>" in html
    assert "<pre>…" in html and "startpos" not in html


def test_all_failures_can_be_seen_however_many_there_are(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploading, "ROWS", 2)
    names = [f"{n}.txt" for n in range(5)]
    data = zipped(*((name, b"nothing") for name in names), ("good.kif", GOOD.encode()))
    upload = send(client, file=SimpleUploadedFile("pile.zip", data))
    address = f"/uploads/{upload.pk}/"
    seen: list[str] = []
    while address:
        html = page(client, address)
        seen += re.findall(r"\d\.txt", html)
        match = re.search(r'href="(\?failed_after=\d+)"', html)
        address = f"/uploads/{upload.pk}/{match[1]}" if match else ""
    assert seen == names


def test_what_is_deleted_is_told(client: Client) -> None:
    upload = send(client, file=file(GOOD))
    store.delete_games(Game.objects.values_list("pk", flat=True))
    assert "<dt>削除済み</dt><dd>1</dd>" in page(client, f"/uploads/{upload.pk}/")
    store.begin_deletion(upload.pk)
    client.force_login(User.objects.create_superuser("keeper"))
    html = page(client, f"/uploads/{upload.pk}/")
    assert "削除中" in html and "完了" not in html


def test_an_upload_that_waits_is_polled_until_it_is_done(client: Client) -> None:
    client.post("/upload/", {"file": file(GOOD)})
    upload = Upload.objects.get()
    html = page(client, f"/uploads/{upload.pk}/")
    assert f'data-poll="/uploads/{upload.pk}/"' in html
    assert "archive/js/polling.js" in html
    work_off(upload.pk)
    part = page(client, f"/uploads/{upload.pk}/", **{"X-Part": "state"})
    assert part.startswith('<section id="state"')
    assert "data-poll" not in part
    assert "<html" not in part


def test_an_upload_at_work_tells_its_pace_and_what_is_left(client: Client) -> None:
    upload = send(client, file=file(GOOD))
    Upload.objects.update(state="processing", expected=3, received=timezone.now() - timedelta(minutes=1))
    html = page(client, f"/uploads/{upload.pk}/")
    assert "1 / 3" in html
    assert re.search("毎分1局.*残り約2:0", html)
    Upload.objects.update(rereads=1)
    assert "毎分" not in page(client, f"/uploads/{upload.pk}/")


def test_the_list_of_what_was_sent_is_polled_until_all_are_done(client: Client) -> None:
    response = client.post("/upload/", {"file": [file(GOOD, "a.kif"), file("x\n", "b.kif")]})
    address = response.headers["Location"]
    assert f'data-poll="{escape(address)}"' in page(client, address)
    for upload in Upload.objects.all():
        assert "data-poll" in page(client, address)
        work_off(upload.pk)
    part = page(client, address, **{"X-Part": "sent"})
    assert part.startswith('<section id="sent">')
    assert "失敗 1" in part


def test_nothing_chosen_and_empty_files_are_told(client: Client) -> None:
    for fields in ({}, {"text": "  "}, {"file": SimpleUploadedFile("empty.kif", b"")}):
        response = client.post("/upload/", fields)
        assert response.status_code == 400
        assert 'role="alert"' in response.content.decode()
    assert not Upload.objects.exists()


def test_a_file_that_is_too_large_is_refused_with_the_limit(client: Client, settings: Settings) -> None:
    settings.ARCHIVE_MAX_UPLOAD_BYTES = 10
    response = client.post("/upload/", {"file": file(GOOD)})
    assert response.status_code == 400
    assert "MiB" in response.content.decode()


def test_a_file_that_is_refused_is_named_and_does_not_keep_the_others(client: Client) -> None:
    files = [SimpleUploadedFile("empty.kif", b""), file(GOOD, "a.kif"), file(BROKEN, "b.kif")]
    response = client.post("/upload/", {"file": files})
    html = response.content.decode()
    assert response.status_code == 200 and Upload.objects.count() == 2
    assert "empty.kif: ファイルが空です。" in html
    assert len(re.findall(r'href="/uploads/\d+/"', html)) == 2
    numbers = ",".join(str(one.pk) for one in Upload.objects.order_by("pk"))
    assert f'data-poll="/upload/?sent={numbers}"' in html


def test_without_a_login_one_may_not_upload_where_that_is_off(client: Client, settings: Settings) -> None:
    settings.ARCHIVE_ANONYMOUS_UPLOAD = False
    assert "ログイン" in page(client, "/upload/")
    assert client.post("/upload/", {"file": file(GOOD)}).status_code == 403
    assert not Upload.objects.exists()
    user = User.objects.create_user("kifu")
    client.force_login(user)
    assert send(client, file=file(GOOD)).uploader == user


def test_names_and_lines_of_uploads_are_escaped(client: Client) -> None:
    upload = send(client, file=file("<script>x</script>\n", "<b>.kif"))
    html = page(client, f"/uploads/{upload.pk}/")
    assert "<script>x" not in html
    assert "<b>" not in html


def test_an_unknown_upload_is_not_found(client: Client) -> None:
    assert client.get("/uploads/999/").status_code == 404


@pytest.mark.parametrize("numbers", ["x", "0", "²", "9" * 30, "9" * 5000, ",,"])
def test_numbers_of_uploads_that_there_are_not_show_the_plain_page(client: Client, numbers: str) -> None:
    assert 'id="sent"' not in page(client, f"/upload/?sent={numbers}")


def test_many_that_were_sent_are_added_up_and_failures_come_first(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploading, "_SHOWN_UPLOADS", 2)
    files = [file(GOOD, "a.kif"), file(BROKEN, "b.kif"), file("x\n", "c.kif")]
    client.post("/upload/", {"file": files})
    first, *_others, last = Upload.objects.order_by("pk")
    address = f"/upload/?sent={first.pk}-{last.pk}"
    assert '<progress max="3" value="0">' in page(client, address)
    for upload in Upload.objects.all():
        work_off(upload.pk)
    html = page(client, address)
    assert re.findall(r'href="/uploads/\d+/">([^<]*)', html) == ["c.kif", "a.kif"]
    assert re.findall(r"<dd>([^<]*)</dd>", html) == ["2", "0", "1"]
    assert "3 / 3" in html and "+ 1<" in html


@pytest.mark.parametrize(
    ("text", "numbers"),
    [("7", [7]), ("7,10-12", [7, 10, 11, 12]), ("9-7,,x-3,3-,-4", []), ("1-999999999", [*range(1, 5_001)])],
)
def test_ranges_of_uploads_are_bounded(text: str, numbers: list[int]) -> None:
    assert uploading._numbers(text) == numbers


def test_what_was_sent_together_is_counted_by_what_became_of_it(client: Client) -> None:
    sent = [send(client, file=file(text, name)) for text, name in ((GOOD, "a.kif"), ("nothing", "b.kif"))]
    html = page(client, f"/upload/?sent={sent[0].pk},{sent[1].pk}")
    rows = re.findall(r"<li>(.*?)</li>", html.partition('class="sent plain"')[2].partition("</ul>")[0], re.S)
    texts = [re.sub(r"<[^>]+>|\s+", " ", row).split() for row in rows]
    assert texts == [["b.kif", "失敗", "1"], ["a.kif", "追加", "1"]]
