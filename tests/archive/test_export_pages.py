"""Links on pages for downloads in bulk."""

from __future__ import annotations

import csv
import io
import re
from html import unescape
from typing import Any

import pytest
from django.test import Client

from tests.archive import quoridor
from tests.archive.builders import ingest, ready
from tests.archive.games import START, stored

pytestmark = pytest.mark.django_db


def links(page: Any) -> dict[str, str]:
    """The addresses of exports on a page, by what they are called."""
    matches = re.findall(r'<a[^>]*href="(/api/v1/games/export[^"]*)"[^>]*>([^<]*)<', page.content.decode())
    return {" ".join(text.split()): unescape(href) for href, text in matches}


def rows(client: Client, href: str) -> list[dict[str, str]]:
    text = b"".join(client.get(href).streaming_content).decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text)))


@pytest.mark.parametrize(
    "query",
    [
        "",
        "player=甲",
        "black=甲&result=black",
        "from=2020&to=2021-05",
        "min_plies=2&order=longest",
        "q=player:甲 OR plies:>=2",
        "handicap=HIRATE&scope=public",
    ],
)
def test_the_list_can_be_downloaded_as_it_is_shown(query):
    ingest(
        ready("7g7f", black="甲", white="乙", day="2020/01/01"),
        ready("2g2f 8c8d", black="乙", white="甲", day="2021/05/05"),
        ready("9g9f", black="丙", winner=1),
    )
    client = Client(headers={"Accept-Language": "en"})
    page = client.get(f"/games/?{query}")
    result = links(page)
    assert list(result) == ["KIF", "KI2", "CSA", "Opening book (YaneuraOu)", "CSV", "JSON"]
    shown = {int(number) for number in re.findall(r'href="/games/(\d+)/', page.content.decode())}
    assert {int(row["id"]) for row in rows(client, result["CSV"])} == shown != set()
    for href in result.values():
        answer = client.get(href)
        assert answer.status_code == 200 and b"".join(answer.streaming_content)


def test_a_list_of_quoridor_has_formats_of_its_own():
    stored(quoridor.NAMED, "game.txt")
    client = Client(headers={"Accept-Language": "ja"})
    result = links(client.get("/games/?game=quoridor&white=Ada"))
    assert list(result) == ["QF", "ALG", "CSV", "JSON"]
    assert [row["white"] for row in rows(client, result["CSV"])] == ["Ada"]


def test_an_empty_list_offers_nothing():
    assert links(Client().get("/games/?player=誰でもない")) == {}


def test_a_position_that_games_reached_has_a_book():
    client = Client(headers={"Accept-Language": "ja"})
    page = f"/positions/shogi/{START}/"
    assert links(client.get(page)) == {}
    ingest(ready("7g7f 3c3d"), ready("7g7f 8c8d"))
    ((text, href),) = links(client.get(page)).items()
    assert text == "この局面の定跡（やねうら王形式）"
    book = b"".join(client.get(href).streaming_content).decode()
    assert "7g7f none 0 0 2\n" in book


def test_a_list_offers_files_for_engines_with_its_filters():
    ingest(ready("7g7f 3c3d", black="甲"), ready("7g7f 8c8d", black="乙"))
    client = Client(headers={"Accept-Language": "en"})
    page = client.get("/games/?player=甲").content.decode()
    forms = re.findall(r'<form action="/api/v1/games/export">(.*?)</form>', page, re.DOTALL)
    assert len(forms) == 2
    for form in forms:
        assert '<input type="hidden" name="player" value="甲">' in form
        names = re.findall(r'<option(?: value="(\w+)")?>(\w*)', form)
        values = {name: value for name, value in re.findall(r'name="(\w+)" value="(\w+)"', form)}
        for value, text in names:
            answer: Any = client.get("/api/v1/games/export", {**values, "as": value or text})
            assert answer.status_code == 200 and b"".join(answer.streaming_content)
    assert "engine-files" not in client.get("/games/?game=quoridor").content.decode()
