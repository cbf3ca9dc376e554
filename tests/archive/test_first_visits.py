"""The first page that a new account opens, outside of any transaction."""

from __future__ import annotations

from http import HTTPStatus

import pytest

from archive.accounts.roles import Role
from archive.collections import editing
from archive.models import Collection, Game, Membership, Space, User
from kifu_core.classes import PUBLIC
from tests.archive.games import KIF, stored
from tests.archive.library_games import signed_in
from tests.archive.routes import routes

pytestmark = pytest.mark.django_db(transaction=True)


def test_every_page_opens_as_the_first_one_of_an_account():
    stored(KIF)
    game = Game.objects.get()
    clara = User.objects.create_user("clara", role=Role.CURATOR)
    space = Space.objects.create(kind=Space.Kind.PERSON)
    Membership.objects.create(space=space, user=clara, owner=True)
    made = editing.create(clara, space.pk, "名局集")
    Collection.objects.filter(pk=made.pk).update(visibility=Collection.Visibility.PUBLIC)
    values = {
        "game_id": game.pk, "player_id": game.player0_id, "event_id": game.event_id, "upload_id": 1,
        "collection": made.pk, "kind": "shogi", "name_id": game.player0_id,
    }  # fmt: skip
    failed = []
    for number, route in enumerate(routes()):
        if route.parts.keys() <= values.keys():
            client = signed_in(User.objects.create_user(f"new-{number}", role=Role.CONTRIBUTOR))
            client.raise_request_exception = False
            if client.get(route.address(**values)).status_code == HTTPStatus.INTERNAL_SERVER_ERROR:
                failed.append(route.template)
    assert not failed


def test_a_new_account_finds_its_library_in_the_list_of_collections():
    page = signed_in(User.objects.create_user("anna", role=Role.CONTRIBUTOR)).get("/collections/")
    assert 'action="/collections/new/"' in page.content.decode()
    assert not Space.objects.exclude(pk=PUBLIC).exists()
