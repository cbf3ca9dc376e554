"""Verdicts that accounts store in their libraries: read by their owner, and checked."""

from __future__ import annotations

from typing import Any

import pytest
from rest_framework.test import APIClient

from archive import store
from archive.analysis import own_verdicts
from archive.models import User, Verdict
from archive.store import EngineIdentity
from tests.archive.games import START

pytestmark = pytest.mark.django_db

LINES = [{"cp": 30, "moves": "7g7f 3c3d"}, {"mate": -4, "moves": "9i9h"}]


def client_of(user: User | None = None) -> APIClient:
    client = APIClient()
    if user is not None:
        client.force_authenticate(user)
    return client


def sent(client: APIClient, **fields: Any) -> Any:
    body = {"position": START, "engine": "An engine", "nodes": 1000, "lines": LINES} | fields
    return client.post("/api/v1/account/verdicts", body, format="json")


def read(client: APIClient) -> list[Any]:
    answer = client.get(f"/api/v1/positions/shogi/{START}/verdicts").json()
    return [[(line["score"], line["usi"]) for line in one["lines"]] for one in answer["verdicts"]]


def test_a_verdict_of_ones_own_is_read_by_its_owner_only():
    anna, boris = (User.objects.create_user(name, role=User.Role.CONTRIBUTOR) for name in ("anna", "boris"))
    assert sent(client_of(anna)).status_code == 204
    assert read(client_of(anna)) == [[(30, ["7g7f", "3c3d"]), (None, ["9i9h"])]]
    assert read(client_of(boris)) == read(client_of()) == []


def test_it_never_replaces_one_of_a_public_engine_of_its_name():
    anna = User.objects.create_user("anna", role=User.Role.CONTRIBUTOR)
    public = store.engine_of(EngineIdentity("An engine"))
    sent(client_of(anna))
    assert Verdict.objects.get().engine_id != public


@pytest.mark.parametrize(
    ("fields", "status", "code"),
    [
        ({"lines": [{"cp": 1, "moves": "5e5d"}]}, 400, "bad-analysis"),
        ({"lines": [{"moves": "7g7f"}]}, 400, "bad-analysis"),
        ({"lines": [{"cp": 1, "moves": "7g7f"}] * 2}, 400, "bad-analysis"),
        ({"position": "x"}, 400, "truncated"),
        ({"lines": []}, 400, "invalid"),
    ],
)
def test_nothing_is_stored_of_a_bad_one(fields, status, code):
    anna = User.objects.create_user("anna", role=User.Role.CONTRIBUTOR)
    answer = sent(client_of(anna), **fields)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert not Verdict.objects.exists()


def test_strangers_store_none_and_an_account_has_a_limit(monkeypatch):
    assert sent(client_of()).status_code == 401
    monkeypatch.setattr(own_verdicts, "OWN_VERDICTS", 1)
    anna = User.objects.create_user("anna", role=User.Role.CONTRIBUTOR)
    assert sent(client_of(anna)).status_code == 204
    assert sent(client_of(anna)).json()["code"] == "too-many-verdicts"
