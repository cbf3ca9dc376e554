"""What an update has left to be done: named at the start and to who watches, and done by one command."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import call_command

from archive.models import Game, Upload, User
from archive.observing import measures
from archive.observing.outstanding import outstanding
from tests.archive.games import KIF, stored

pytestmark = pytest.mark.django_db


@pytest.fixture
def outdated():
    """Two games of two uploads, as an earlier version has left them."""
    stored(KIF)
    stored(KIF.replace("先手の人", "別の人"))
    Game.objects.update(formations_version=0, site="wrongly read")
    Upload.objects.update(reader=0)
    measures.clear()
    yield
    measures.clear()


def output_of(command: str) -> str:
    out = StringIO()
    call_command(command, stdout=out, stderr=StringIO(), verbosity=0)
    return out.getvalue()


def test_what_is_stored_now_leaves_nothing():
    stored(KIF)
    assert outstanding() == {}
    assert output_of("catch_up") == "Nothing is left to be done.\n"


def test_it_is_named_at_the_start_on_the_page_for_the_staff_and_in_readiness(client, outdated):
    assert outstanding() == {"reading": 2, "formations": 2}
    assert "reading of 2 uploads, formations of 2 games. `manage.py catch_up`" in output_of("migrate")
    answer = client.get("/readyz?exclude=worker")
    assert (answer.status_code, answer.json()["checks"]["work"]) == (200, "left")
    client.force_login(User.objects.create_user("cora", role="curator", is_staff=True))
    page = client.get("/status/", headers={"accept-language": "en"}).content.decode()
    assert "uploads to be read again" in page and "manage.py catch_up" in page


def test_one_command_does_all_of_it(outdated):
    assert output_of("catch_up").endswith("Nothing is left to be done.\n")
    assert outstanding() == {}
    assert not Game.objects.filter(site="wrongly read").exists()
