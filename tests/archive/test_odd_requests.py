"""Odd requests to every address: whatever is drawn, the answer is no fault of ours and says what is wrong."""

from __future__ import annotations

import json
import re
from datetime import timedelta
from typing import Any
from urllib.parse import quote

import hypothesis.strategies as st
import pytest
from django.test import Client
from django.utils import timezone
from hypothesis import HealthCheck, given, settings

from archive import libraries
from archive.collections import editing
from archive.collections.games import add
from archive.drafts.own_drafts import create_draft
from archive.models import Game, HeardProcess, Problem, ProcessRole, User
from archive.problems import finding
from archive.queries.scope import PUBLIC
from tests.archive import builders
from tests.archive.games import KIF, stored
from tests.archive.routes import Route, routes
from tests.archive.test_quoridor_api import START as QUORIDOR_START
from tests.cases import each

pytestmark = pytest.mark.django_db

START = "poUAACMaqtYhwHgAAAAPQdTnd3vMgAA"
ROUTES = routes()
PARAMETERS = """
    cursor limit player black white event from to result handicap special opening min_plies max_plies
    record_kind order match lines transpositions min_rating upload depth min_games flip format ply sfen q name
    after failed_after sent part fork theme moves pieces game code text next
"""
ODD = [
    "", "0", "-1", "--5", "²", "１０", "1_0", " 1 ", "+1", "1e5", "9" * 30, "9" * 5000, "NaN", "Infinity",
    "\0", "a\0b", "\ud7ff\ufffe", "\n\r\t\x1b[31m", "\u202e", "'\"<script>", "%", "..", "../../etc/passwd",
    "=cmd", "true", "null", "[]", "{}", "0001-01-01", "9999-12-31", "２０２４-０１-０１", "2024-02-30", START,
    QUORIDOR_START, "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1", "x" * 3000, "𝟙", "١",
]  # fmt: skip
BYTES = [b"\xff", b"%FF%FE", b"%ED%A0%80", b"%00", b"%E3%81", b"a%", b"%zz"]
NUMBERS = ["0", "1", "9", "99999999999999999999", "9223372036854775807", "9223372036854775808", "9" * 4400]
KINDS = ["shogi", "quoridor", "chess", "-"]
EXTENSIONS = ["kif", "jkf", "qf", "bod", "sfen", "csa", "zip"]
ACCEPTS = [
    None,
    "*/*",
    "text/csv",
    "image/svg+xml",
    "application/json;q=0",
    "a/b;q=x",
    ",,;;",
    "*",
    "text/*;q=0.1",
]


def nested(depth: int, inside: str = "") -> str:
    return '{"text":' + "[" * depth + inside + "]" * depth + "}"


BODIES = [
    "", "null", "[]", "5", '"x"', "{", "\ufeff{}", nested(40), nested(5000),
    '{"a":' * 5000 + "1" + "}" * 5000,
    '{"text": "\\ud800"}', '{"codes": ["\\ud800"], "match": "\\ud800", "lines": "\\udfff"}',
    '{"text": "\\u0000"}',
    '{"codes": [1e400]}', '{"game_id": 1e400}', '{"game_id": NaN}', '{"game_id": 99999999999999999999}',
    '{"game_id": 1.5}',
    '{"game_id": true, "ply": "1"}', '{"position": {"turn": [[]], "board": 5}}', '{"board": {"a": [{}]}}',
    '{"text": "x", "to": ["kif"]}', '{"text": "\\u0000\\ud83d\\ude00", "to": "kif", "name": {}}',
    json.dumps({"text": "[" * 5000, "to": "jkf"}), json.dumps({"text": KIF, "name": "\0/..", "to": "jkf"}),
    json.dumps({"text": '{"header":{"a":"\\ud800"},"moves":[{"comments":["\\udfff"]}]}', "to": "jkf"}),
    json.dumps({"codes": ["x"] * 101}), json.dumps({"codes": [START], "match": "any"}),
    json.dumps({"text": "9" * 5000}), json.dumps({"text": "position startpos moves 7g7f", "ply": 0}),
    json.dumps({"text": json.dumps({"game": "quoridor", "version": 1, "moves": [[[]]]})}),
]  # fmt: skip

odd_text = st.one_of(st.sampled_from(ODD), st.text(max_size=20))
queries = st.lists(
    st.tuples(st.sampled_from([*PARAMETERS.split(), "odd", "\0", ""]), odd_text), max_size=4
).map(lambda pairs: "&".join(f"{quote(name)}={quote(value, errors='replace')}" for name, value in pairs))
raw_queries = st.lists(st.sampled_from([*BYTES, b"limit=", b"&", b"q="]), max_size=4).map(b"".join)


@st.composite
def addresses(draw: st.DrawFn, route: Route) -> str:
    values = {}
    for name, kind in route.parts.items():
        if kind == "int":
            values[name] = draw(st.sampled_from(["{known}", *NUMBERS]))
        elif name == "kind":
            values[name] = draw(st.sampled_from(KINDS))
        elif name == "name":
            values[name] = draw(st.sampled_from(EXTENSIONS))
        else:
            codes = st.sampled_from([START, QUORIDOR_START])
            values[name] = quote(draw(st.one_of(codes, odd_text)), safe="/", errors="replace")
    return route.address(**values)


def public_collection(game: int) -> int:
    """A public collection of a game."""
    owner = User.objects.create_user("collector", role=User.Role.CONTRIBUTOR)
    made = editing.create(owner, libraries.own_library(owner).pk, "名局集")
    add(owner, PUBLIC, made, [game])
    editing.show(owner, made, "public")
    return made.pk


@pytest.fixture(scope="module")
def archive(module_db: None) -> dict[str, int]:
    """An archive of one game: the numbers that addresses can name, by what stands before them."""
    upload = stored(KIF)
    # Heard of for as long as the tests take: without a worker an archive says that it is not ready.
    now = timezone.now()
    HeardProcess.objects.create(
        name="worker-1@here", role=ProcessRole.WORKER, started=now, seen=now + timedelta(days=1)
    )
    game = Game.objects.get()
    problem = "4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1"
    builders.ingest(builders.ready("G*5b", kind="problem", start=problem))
    finding.find(Game.objects.exclude(pk=game.pk).values_list("pk", flat=True))
    return {
        "games": game.pk,
        "uploads": upload.pk,
        "entries": upload.entries.get().seq,
        "players": game.player0_id or 0,
        "events": game.event_id or 0,
        "libraries": 1,
        "spaces": 1,
        "members": 1,
        "tokens": 1,
        "hooks": 1,
        "corrections": 1,
        "batches": 1,
        "analyses": 1,
        "versions": 0,
        "collections": public_collection(game.pk),
        "drafts": create_draft(User.objects.create_user("drafter"), {"header": {}, "moves": [{}]}).pk,
        "follows": 1,
        "names": 1,
        "notes": 1,
        "preview": 1,
        "invitations": 1,
        "passkeys": 1,
        "places": game.place_id or 1,
        "problems": Problem.objects.get().pk,
        "repertoires": 1,
        "moves": 1,
        "cards": 1,
    }


def with_ids(address: str, archive: dict[str, int]) -> str:
    """The address with the numbers of the archive."""
    return re.sub(r"(\w+)/{known}", lambda match: f"{match[1]}/{archive[match[1]]}", address)


def sent(client: Client, method: str, address: str, query: str, body: str | None, accept: str | None) -> Any:
    headers = {} if accept is None else {"Accept": accept}
    options: dict[str, Any] = {"headers": headers, "QUERY_STRING": query}
    if body is not None:
        options |= {"data": body.encode("utf-8", "surrogatepass"), "content_type": "application/json"}
    # What a client's path means, without the help that the test client gives.
    return client.generic(method, address, **options)


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: route.template)
@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(data=st.data())
def test_no_address_fails_on_an_odd_request(archive, route, data):
    address = with_ids(data.draw(addresses(route)), archive)
    query = data.draw(st.one_of(queries, raw_queries.map(lambda raw: raw.decode("latin-1"))))
    method = data.draw(st.sampled_from(["GET", "GET", "HEAD", "POST", "POST", "PUT", "OPTIONS", "FOO"]))
    body = data.draw(st.sampled_from(BODIES)) if method == "POST" else None
    accept = data.draw(st.sampled_from(ACCEPTS))
    answer = sent(Client(raise_request_exception=False), method, address, query, body, accept)
    assert answer.status_code < 500, (method, address, query, body)
    if answer.streaming:
        b"".join(answer.streaming_content)
    if address.startswith("/api/") and answer.status_code >= 400:
        assert answer["Content-Type"] == "application/problem+json"
        assert method == "HEAD" or answer.json()["code"]


@pytest.mark.one_engine
@each("number", [2**63, 10**20, 10**300])
@each("route", [one for one in ROUTES if "int" in one.parts.values()])
def test_a_number_that_no_row_can_have_is_not_there(archive, route, number):
    usual = {"name": "kif", "names": "players"} | {
        name: "0" for name, kind in route.parts.items() if kind == "int"
    }
    for name in [name for name, kind in route.parts.items() if kind == "int"]:
        answer = Client().get(route.address(**usual | {name: str(number)}))
        assert answer.status_code == 404


@pytest.mark.one_engine
@each("body", BODIES, ids=lambda body: body[:40])
@pytest.mark.parametrize(
    "address",
    [
        "uploads",
        "convert",
        "check",
        "positions/shogi/find",
        "positions/quoridor/find",
        "positions/shogi/batch",
        "positions/shogi/verdicts",
    ],
)
def test_no_body_is_a_fault(archive, settings, address, body):
    settings.ARCHIVE_ANONYMOUS_UPLOAD = True
    client = Client(raise_request_exception=False)
    answer = sent(client, "POST", f"/api/v1/{address}", "", body, None)
    assert answer.status_code < 500
    assert answer.status_code < 400 or answer["Content-Type"] == "application/problem+json"
