"""What a web process reads of visitors' texts: so much, for so long, whatever it is."""

from __future__ import annotations

import pytest
from django.test import Client
from rest_framework.test import APIClient

from tests.archive.games import KIF
from tests.kifu_core.quoridor.test_limits import numbered

pytestmark = [pytest.mark.django_db, pytest.mark.one_engine]

EDITOR = "/positions/shogi/edit/"
LIMIT = 2000
USI = "startpos moves " + "6i7h 4a3b 7h6i 3b4a " * 500
QUORIDOR = numbered(2000)


@pytest.fixture
def client() -> APIClient:
    return APIClient(headers={"Accept-Language": "en"})


@pytest.fixture
def over(settings):
    """The time is over as soon as it begins."""
    settings.ARCHIVE_READ_SECONDS = -1


@pytest.mark.usefixtures("over")
@pytest.mark.parametrize(
    ("address", "text"),
    [
        *((address, text) for address in ("check", "convert") for text in (USI, QUORIDOR, KIF)),
        ("positions/shogi/find", USI),
        ("positions/quoridor/find", QUORIDOR),
    ],
)
def test_what_takes_too_long_is_a_clear_422(client, address, text):
    more = {"to": "jkf"} if address == "convert" else {}
    response = client.post(f"/api/v1/{address}", {"text": text, **more}, format="json")
    told = response.json()
    assert (response.status_code, told["code"]) == (422, "too-slow")
    assert "add it" in told["detail"]


@pytest.mark.usefixtures("over")
@pytest.mark.parametrize(
    ("address", "text"), [("/find/", USI), ("/find/", QUORIDOR), (EDITOR, USI), (EDITOR, KIF)]
)
@pytest.mark.parametrize(("language", "words"), [("en", "add it to the archive"), ("ja", "追加すれば")])
def test_pages_say_so_in_a_sentence(address, text, language, words):
    response = Client(headers={"Accept-Language": language}).post(address, {"text": text})
    assert response.status_code == 422
    assert words in response.content.decode()
    assert text.splitlines()[0][:100] in response.content.decode()


@pytest.mark.usefixtures("over")
def test_so_does_the_search_box_in_an_address(client):
    response = Client(headers={"Accept-Language": "en"}).get("/games/", {"q": USI[:300]})
    assert response.status_code == 422
    assert "add it to the archive" in response.content.decode()


@pytest.mark.parametrize("kind", ["shogi", "quoridor"])
@pytest.mark.parametrize("body", ["json", "multipart"])
def test_find_takes_no_more_than_its_limit(client, settings, kind, body):
    settings.ARCHIVE_MAX_FIND_BYTES = LIMIT
    text = {"shogi": USI, "quoridor": QUORIDOR}[kind]
    response = client.post(f"/api/v1/positions/{kind}/find", {"text": text}, format=body)
    told = response.json()
    assert (response.status_code, told["code"]) == (413, "too-large")
    assert str(LIMIT) in told["detail"]
    short = text[: text.rindex(" ", 0, LIMIT)]
    assert client.post(f"/api/v1/positions/{kind}/find", {"text": short}, format=body).status_code == 303


def test_a_body_that_must_be_too_long_is_not_read(client):
    body = b'{"text": "startpos", ' + b" " * 1_000_000 + b"no JSON"
    response = client.post("/api/v1/positions/shogi/find", body, content_type="application/json")
    assert (response.status_code, response.json()["code"]) == (413, "too-large")


@pytest.mark.parametrize(("address", "more"), [("check", {}), ("convert", {"to": "kif"})])
def test_nor_by_check_and_convert(client, settings, address, more):
    settings.ARCHIVE_MAX_CONVERT_BYTES = LIMIT
    body = b"{" + b" " * 200_000 + b"no JSON"
    response = client.post(f"/api/v1/{address}", body, content_type="application/json")
    assert (response.status_code, response.json()["code"]) == (413, "too-large")
    escaped = KIF + "*" + "あ" * ((LIMIT - len(KIF.encode())) // 3 - 1)
    whole = client.post(f"/api/v1/{address}", {"text": escaped, **more}, format="json")
    assert whole.status_code == 200


@pytest.mark.parametrize("address", ["/find/", EDITOR])
def test_a_pasted_text_beyond_the_limit_is_refused_not_cut(settings, address):
    settings.ARCHIVE_MAX_FIND_BYTES = LIMIT
    response = Client(headers={"Accept-Language": "en"}).post(address, {"text": USI})
    assert response.status_code == 413
    assert str(LIMIT) in response.content.decode()
    assert USI[:100] not in response.content.decode()
