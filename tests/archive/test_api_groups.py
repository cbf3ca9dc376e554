"""Groups and invitations through the API: the same rules as on the pages."""

from __future__ import annotations

from typing import Any

import pytest
from rest_framework.test import APIClient

from archive import libraries
from archive.accounts import tokens
from archive.models import Membership, User

pytestmark = pytest.mark.django_db

SPACES = "/api/v1/spaces"


def program(name: str, *scopes: str) -> APIClient:
    """A program with a token of a new account."""
    user = User.objects.create_user(name)
    client = APIClient()
    key = tokens.create(user, "test", scopes or ("read-private", "upload"), None)[1]
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {key}")
    return client


def posted(client: APIClient, address: str, **fields: Any) -> Any:
    return client.post(f"{SPACES}{address}", fields, format="json")


def codes(*answers: Any) -> list[tuple[int, str]]:
    return [(answer.status_code, answer.json()["code"]) for answer in answers]


@pytest.fixture
def anna() -> APIClient:
    return program("anna")


@pytest.fixture
def group(anna) -> int:
    """A group of anna's."""
    return int(posted(anna, "", name="研究会").json()["id"])


def test_a_group_is_created_joined_and_left(anna):
    boris = program("boris")
    made = posted(anna, "", name="  研究   会 ")
    group = made.json()
    assert (made.status_code, group["title"], group["name"]) == (201, "研究 会", f"group-{group['id']}")
    invitation = posted(anna, f"/{group['id']}/invitations").json()
    assert invitation["join_url"] == f"http://testserver/join/{invitation['key']}/"
    assert posted(boris, "/join", key=invitation["key"]).json()["id"] == group["id"]
    assert group["name"] in [one["name"] for one in boris.get(SPACES).json()["results"]]
    members = boris.get(group["members_url"]).json()
    assert [(one["name"], one["owner"]) for one in members["results"]] == [("anna", True), ("boris", False)]
    own = members["results"][1]["id"]
    assert boris.delete(f"{SPACES}/{group['id']}/members/{own}").status_code == 204
    assert boris.get(group["members_url"]).status_code == 404


def test_an_invitation_is_good_for_as_many_as_it_says_until_it_is_ended(anna, group):
    key = posted(anna, f"/{group}/invitations", people=2).json()["key"]
    joined = [posted(program(f"guest{n}"), "/join", key=key) for n in range(3)]
    assert [answer.status_code for answer in joined] == [200, 200, 404]
    key = posted(anna, f"/{group}/invitations", people=2).json()["key"]
    assert anna.delete(f"{SPACES}/{group}/invitations").status_code == 204
    assert codes(posted(program("late"), "/join", key=key)) == [(404, "no-invitation")]


def test_owners_rename_promote_demote_and_remove(anna, group):
    boris = program("boris")
    posted(boris, "/join", key=posted(anna, f"/{group}/invitations").json()["key"])
    first, second = Membership.objects.filter(space=group).order_by("pk").values_list("user", flat=True)
    refused = (
        posted(boris, f"/{group}", name="x"),
        posted(boris, f"/{group}/invitations"),
        posted(boris, f"/{group}/members/{second}", owner=True),
        boris.delete(f"{SPACES}/{group}/members/{first}"),
        boris.delete(f"{SPACES}/{group}/invitations"),
    )
    assert codes(*refused) == [(403, "not-an-owner")] * 5
    assert codes(posted(anna, f"/{group}/members/{first}", owner=False)) == [(409, "last-owner")]
    assert posted(anna, f"/{group}", name="新しい名").status_code == 204
    assert posted(anna, f"/{group}/members/{second}", owner=True).status_code == 204
    assert posted(boris, f"/{group}/members/{first}", owner=False).status_code == 204
    assert boris.delete(f"{SPACES}/{group}/members/{first}").status_code == 204
    members = boris.get(f"{SPACES}/{group}/members").json()
    assert (members["name"], [one["name"] for one in members["results"]]) == ("新しい名", ["boris"])


def test_strangers_and_outsiders_learn_nothing_of_a_group(anna, group):
    outside = program("carol")
    answers = (
        posted(outside, f"/{group}", name="x"),
        posted(outside, f"/{group}/invitations"),
        posted(outside, f"/{group}/members/1", owner=True),
        outside.delete(f"{SPACES}/{group}/members/1"),
        posted(outside, "/999999/invitations"),
    )
    assert codes(*answers) == [(404, "not-found")] * 5
    assert codes(posted(APIClient(), "", name="x")) == [(401, "not-authenticated")]


def test_a_token_needs_the_rights_to_read_and_to_send(anna, group):
    limited = program("dora", "read-private")
    libraries.join(User.objects.get(username="dora"), posted(anna, f"/{group}/invitations").json()["key"])
    answers = (posted(limited, "", name="x"), limited.delete(f"{SPACES}/{group}/members/1"))
    assert codes(*answers) == [(403, "permission-denied")] * 2


def test_fields_are_checked(anna, group):
    answers = (
        posted(anna, "", name=" "),
        posted(anna, f"/{group}/invitations", people=0),
        posted(anna, f"/{group}/members/1"),
        posted(anna, "/join"),
    )
    assert codes(*answers) == [(400, "group-name"), *[(400, "invalid")] * 3]
