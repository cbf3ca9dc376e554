"""The form that corrects a game, and the page with its history."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

import pytest
from django.test import Client

from archive.accounts.roles import Role, set_role
from archive.models import Correction, Game, User
from tests.archive.games import KIF, stored
from tests.archive.html import tidy
from tests.archive.library_games import signed_in

pytestmark = pytest.mark.django_db


class Fields(HTMLParser):
    """The fields of the form with a reason, as a browser sends them back: pairs of name and value."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.pairs: list[list[str]] = []
        self.inside = self.reads = False
        self.select = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        attributes = dict(attrs)
        name, value = attributes.get("name") or "", attributes.get("value") or ""
        if tag == "form":
            self.inside = attributes.get("class") == "correct"
        elif not self.inside:
            return
        elif tag == "input":
            self.pairs.append([name, value])
        elif tag == "textarea":
            self.pairs.append([name, ""])
            self.reads = True
        elif tag == "select":
            self.select = name
        elif tag == "option" and "selected" in attributes:
            self.pairs.append([self.select, value])

    def handle_data(self, data: str) -> None:
        if self.reads:
            self.pairs[-1][1] += data.removeprefix("\n") if not self.pairs[-1][1] else data

    def handle_endtag(self, tag: str) -> None:
        self.reads = self.reads and tag != "textarea"

    def set_header(self, name: str, value: str) -> None:
        at = self.pairs.index(["name", name])
        assert self.pairs[at + 2][0] == "new"
        self.pairs[at + 2][1] = value

    def set(self, name: str, value: str) -> None:
        self.pairs = [pair for pair in self.pairs if pair[0] != name] + [[name, value]]

    def data(self, do: str) -> dict[str, list[str]]:
        self.set("do", do)
        data: dict[str, list[str]] = {}
        for name, value in self.pairs:
            data.setdefault(name, []).append(value.replace("\n", "\r\n"))
        return data


def account(name: str, role: Role) -> Client:
    user = User.objects.create_user(name)
    set_role(user, role)
    return signed_in(user)


@pytest.fixture(autouse=True)
def _game() -> None:
    stored(KIF)


@pytest.fixture
def curator() -> Client:
    return account("clara", Role.CURATOR)


@pytest.fixture
def anna() -> Client:
    return account("anna", Role.CONTRIBUTOR)


def game() -> Game:
    return Game.objects.get()


def address(page: str = "correct", query: str = "") -> str:
    return f"/games/{game().pk}/{page}/{query}"


def html(client: Client, where: str) -> str:
    answer = client.get(where, HTTP_ACCEPT_LANGUAGE="en")
    assert answer.status_code == 200
    return tidy(answer.content.decode())


def form(client: Client, query: str = "") -> Fields:
    return Fields(client.get(address(query=query)).content.decode())


def send(client: Client, fields: Fields, do: str = "send", reason: str = "a source") -> Any:
    fields.set("reason", reason)
    return client.post(address(), fields.data(do), HTTP_ACCEPT_LANGUAGE="en")


def test_only_those_who_may_propose_see_the_form(anna):
    stranger = Client()
    assert stranger.get(address()).status_code == 302
    assert account("rita", Role.READER).get(address()).status_code == 403
    assert ">Correct</a>" not in html(stranger, f"/games/{game().pk}/")
    assert ">Correct</a>" in html(anna, f"/games/{game().pk}/")


def test_a_form_that_is_sent_unchanged_changes_nothing(curator):
    assert send(curator, form(curator)).status_code == 400
    assert not Correction.objects.exists()


def test_headers_are_corrected_after_a_preview_of_the_difference(curator):
    fields = form(curator)
    fields.set_header("先手", "渡邊")
    fields.set_header("場所", "東京")
    fields.set_header("開始日時", "")
    preview = send(curator, fields, "preview")
    text = tidy(preview.content.decode())
    assert '<del>先手の人</del> <span aria-hidden="true">→</span> <ins>渡邊</ins>' in text
    assert not Correction.objects.exists()
    assert send(curator, Fields(preview.content.decode())).status_code == 302
    header = game().jkf["header"]
    assert (header["先手"], header["場所"], "開始日時" in header) == ("渡邊", "東京", False)
    assert Correction.objects.get().operations == [
        {"op": "header", "name": "先手", "old": "先手の人", "new": "渡邊"},
        {"op": "header", "name": "開始日時", "old": "2024/05/01", "new": None},
        {"op": "header", "name": "場所", "old": None, "new": "東京"},
    ]


def test_the_comment_of_a_move_is_corrected(curator):
    fields = form(curator, "?ply=3")
    fields.set("comment", "角交換\n好手")
    assert send(curator, fields).status_code == 302
    assert game().jkf["moves"][3]["comments"] == ["角交換", "好手"]
    again = form(curator, "?ply=3")
    again.set("comment", "")
    assert send(curator, again).status_code == 302
    assert "comments" not in game().jkf["moves"][3]


@pytest.mark.parametrize(
    ("ending", "result", "special", "stored_result"),
    [
        ("CHUDAN", "3", "CHUDAN", Game.Result.UNKNOWN),
        ("TIME_UP", "0", "TIME_UP", Game.Result.BLACK),
        ("TORYO", "1", "TORYO", Game.Result.WHITE),
        ("SENNICHITE", "2", "SENNICHITE", Game.Result.DRAW),
        ("", "3", "", Game.Result.UNKNOWN),
    ],
)
def test_the_ending_and_the_result_are_corrected(curator, ending, result, special, stored_result):
    fields = form(curator)
    fields.set("ending", ending)
    fields.set("result", result)
    assert send(curator, fields).status_code == 302
    assert (game().special, game().result) == (special, stored_result)
    assert game().jkf["moves"][-1].get("special", "") == special
    assert send(curator, form(curator)).status_code == 400, "nothing is left to change"


def test_what_has_changed_since_the_form_was_opened_is_not_overwritten(curator):
    first, second = form(curator), form(curator)
    first.set_header("先手", "渡邊")
    second.set_header("先手", "渡辺")
    assert send(curator, first).status_code == 302
    answer = send(curator, second)
    assert answer.status_code == 400
    assert "The record has changed since" in answer.content.decode()
    assert 'value="渡辺"' in answer.content.decode(), "what was typed is still there"
    assert game().jkf["header"]["先手"] == "渡邊"


def test_a_correction_needs_a_reason(curator):
    fields = form(curator)
    fields.set_header("先手", "渡邊")
    assert send(curator, fields, reason=" ").status_code == 400


def test_the_history_shows_corrections_in_words_and_their_authors_to_accounts_only(anna, curator):
    fields = form(anna)
    fields.set_header("先手", "渡邊")
    assert send(anna, fields).status_code == 302
    page = html(Client(), address("history"))
    assert "Black:" in page and "<ins>渡邊</ins>" in page and "a source" in page
    assert "anna" not in page and '<button name="action"' not in page
    mine = html(anna, address("history"))
    assert "anna" in mine and 'value="withdraw"' in mine and 'value="accept"' not in mine
    assert 'value="accept"' in html(curator, address("history"))


def act(client: Client, action: str, **fields: Any) -> int:
    data = {"action": action} | fields
    return client.post(address("history"), data).status_code


def test_corrections_are_decided_and_states_restored_on_the_history_page(anna, curator):
    for name in ("渡邊", "渡邉"):
        fields = form(curator)
        fields.set_header("先手", name)
        send(curator, fields)
    first, second = Correction.objects.order_by("pk")
    assert act(curator, "undo", correction=second.pk) == 302
    assert game().jkf["header"]["先手"] == "渡邊"
    assert act(anna, "accept", correction=second.pk) == 302
    assert game().jkf["header"]["先手"] == "渡邊", "contributors do not decide"
    assert act(curator, "accept", correction=second.pk) == 302
    assert game().jkf["header"]["先手"] == "渡邉"
    assert act(curator, "restore", number="0") == 302
    assert game().jkf["header"]["先手"] == "先手の人"
    assert act(curator, "nothing") == 404
    assert act(curator, "undo", correction=str(first.pk + 1000)) == 404
    assert act(Client(), "undo", correction=first.pk) == 404


def test_two_states_are_compared_side_by_side(curator):
    fields = form(curator, "?ply=3")
    fields.set_header("先手", "渡邊")
    fields.set("comment", "角交換")
    send(curator, fields)
    page = html(curator, address("history", "?from=0&to=1"))
    assert "<td>先手の人</td><td>渡邊</td>" in page
    assert page.count('class="differs"') == 2
    assert "* 角交換" in page
    assert "There is no difference." in html(curator, address("history", "?from=1&to=1"))


def test_hostile_operations_of_a_proposal_are_shown_as_text(anna):
    operations = [
        {"op": "line", "at": ["x"], "old": 3, "new": [{"move": "x"}]},
        {"op": "<script>"},
        {"op": "time", "old": {"now": {"m": "x"}}, "new": {"now": 7}},
        {"op": "ending", "old": [1], "new": {}},
        {"op": "comments", "old": "x", "new": {"a": 1}},
        *({"op": op} for op in ("promote", ["x"], "player", "start", "add-variation")),
        7,
    ]
    values = {"subject": "game", "subject_id": game().pk, "state": "proposed", "author_name": "x"}
    row = Correction.objects.create(operations=operations, **values)
    page = html(anna, address("history"))
    assert "&lt;script&gt;" in page and f'id="correction-{row.pk}"' in page
