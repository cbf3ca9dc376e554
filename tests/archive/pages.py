"""What a page shows, read from its HTML: its lists of names and its tables; and what the API tells."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

from django.test import Client

from tests.archive.html import tidy

_NAME = re.compile(r'<li><a href="/\w+/(\d+)/">(.*?)</a><span[^>]*>(.*?)</span></li>')
_SECTION = re.compile(r"<section[^>]*>(.*?)</section>")
_ROW = re.compile(r"<tr>(<th scope=\"row\">.*?)</tr>")
_CELL = re.compile(r"<t[hd][^>]*>(.*?)</t[hd]>")
_TAG = re.compile(r"<[^>]*>")


def page(client: Client, address: str) -> str:
    """The page of an address, in English."""
    answer = client.get(address, headers={"Accept-Language": "en"})
    assert answer.status_code == 200, address
    return tidy(answer.content.decode())


def get_json(client: Client, address: str) -> Any:
    """Return the JSON at an address: a path below `/api/v1/`, or a complete URL."""
    answer = client.get(address if address.startswith("http") else f"/api/v1/{address}")
    assert answer.status_code == 200, answer.content
    return answer.json()


def text(html: str) -> str:
    """The words of a piece of HTML."""
    return unescape(_TAG.sub("", html)).strip()


def number(words: str) -> int:
    """The number in words such as `1,234 games`."""
    return int(re.sub(r"\D", "", words))


def names(html: str) -> list[tuple[int, str, int]]:
    """The names of a list, with their ids and numbers of games."""
    tight = html.replace("</a> <span", "</a><span")
    return [(int(pk), unescape(name), number(games)) for pk, name, games in _NAME.findall(tight)]


def tables(html: str) -> dict[str, list[list[str]]]:
    """The rows of the tables of a page, by the titles of their sections."""
    results = {}
    for section in _SECTION.findall(html):
        title = re.search(r"<h2>(.*?)</h2>", section)
        if title:
            rows = [list(map(text, _CELL.findall(row))) for row in _ROW.findall(section)]
            results[text(title[1])] = rows
    return results
