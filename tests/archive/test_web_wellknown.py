"""robots.txt and security.txt."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from urllib.robotparser import RobotFileParser

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.utils import timezone

from archive.project import env


def rules(text: str) -> list[tuple[bool, str]]:
    """The rules, whether each allows, and its path."""
    matches = re.findall(r"^(Allow|Disallow): (\S+)$", text, re.MULTILINE)
    return [(kind == "Allow", path) for kind, path in matches]


def allowed(text: str, address: str) -> bool:
    """Whether robots may read an address: the longest matching rule decides (RFC 9309)."""
    fitting = [
        (len(path), allow)
        for allow, path in rules(text)
        if re.match(re.escape(path).replace(r"\*", ".*"), address)
    ]
    return max(fitting)[1] if fitting else True


@pytest.mark.parametrize(
    "address", ["/", "/games/", "/games/1/", "/games/?cursor=abc", "/players/1/", "/events/", "/statistics/"]
)
def test_robots_may_read_games_and_the_front(client, address):
    assert allowed(client.get("/robots.txt").content.decode(), address)


@pytest.mark.parametrize(
    "address",
    [
        "/games/?player=x",
        "/games/1/?ply=3",
        "/games/?player=x&cursor=abc",
        "/positions/shogi/poUAACMaqtYhwHgAAAAPQdTnd3vMgAA/",
        "/positions/shogi/edit/",
        "/api/v1/games",
        "/admin/",
        "/upload/",
        "/uploads/1/",
        "/embed/games/1/",
        "/players/?name=x",
        "/find/",
    ],
)
def test_robots_leave_alone_what_is_endless_or_costs_much(client, address):
    assert not allowed(client.get("/robots.txt").content.decode(), address)


def test_robots_leave_alone_what_is_behind_a_login(client, settings):
    settings.ARCHIVE_LOGIN_REQUIRED = True
    text = client.get("/robots.txt").content.decode()
    parser = RobotFileParser()
    parser.parse(text.splitlines())
    assert not parser.can_fetch("*", "/")


def test_whoever_finds_a_hole_is_told_whom_to_tell(client, settings):
    settings.SECURITY_CONTACT = "mailto:holes@kifu.example"
    answer = client.get("/.well-known/security.txt")
    assert answer["Content-Type"] == "text/plain; charset=utf-8"
    fields = dict(line.split(": ", 1) for line in answer.content.decode().splitlines())
    assert fields["Contact"] == "mailto:holes@kifu.example"
    expires = datetime.fromisoformat(fields["Expires"])
    assert timedelta(days=30) < expires - timezone.now() < timedelta(days=365)


def test_where_nobody_is_named_there_is_no_security_txt(client, settings):
    settings.SECURITY_CONTACT = ""
    assert client.get("/.well-known/security.txt").status_code == 404


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("", ""),
        ("a@kifu.example", "mailto:a@kifu.example"),
        ("mailto:a@kifu.example", "mailto:a@kifu.example"),
        ("https://kifu.example/holes", "https://kifu.example/holes"),
    ],
)
def test_a_contact_is_an_address_of_mail_or_of_a_page(monkeypatch, written, expected):
    monkeypatch.setenv("ARCHIVE_X", written)
    assert env.contact("ARCHIVE_X") == expected


@pytest.mark.parametrize(
    "written", ["me", "http://kifu.example/", "a@b\nExpires: never", "a b@c", "javascript:x"]
)
def test_another_contact_stops_the_start(monkeypatch, written):
    monkeypatch.setenv("ARCHIVE_X", written)
    with pytest.raises(ImproperlyConfigured, match="ARCHIVE_X"):
        env.contact("ARCHIVE_X")
