"""What tells that the public archive has changed: another number after every change of what it holds, and the
same whatever happens in libraries."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.apps import apps
from django.db import connection, transaction
from django.utils import timezone

from archive import libraries, store
from archive.index.changes import public_revision
from archive.index.engine import engine
from archive.intake import worker
from archive.migrations._database_objects import PUBLIC_CONDITIONS
from archive.models import Entry, Game, HeardProcess, Player, Upload, User
from kifu_core.classes import PUBLIC
from tests.archive.games import KIF, stored

pytestmark = pytest.mark.django_db(transaction=True)

WITH_THEIR_GAMES = {
    "gamerecord", "gameseries", "gametext", "gameplayer", "gameevent", "gameformation", "occurrence",
    "hotposition", "hotmove", "hotpart", "columnwaiting", "columngone", "arrival", "gamechange",
    "gameidentity", "gameplace",
    "collectiongame", "engine",
}  # fmt: skip
"""Tables whose rows change in transactions that change the row of their game, collection or verdict."""
IN_NO_EXPORT = {
    "sitetext", "share", "space", "membership", "invitation", "report", "token", "accountinvitation",
    "auditline", "hook", "hookdelivery", "sender", "uploadchunk", "heardprocess", "tally", "indexstate",
    "devicegrant", "draft", "follow", "positionnote", "ownname", "correction", "correctionevent",
    "correctionbatch", "benchmark",
    "problemattempt", "problemneighbour", "problemrating", "problemscan", "problemsolver", "problemsource",
    "problemtheme", "repertoire", "repertoiremove", "trainingcard",
    "analysisrequest", "analysisgame", "analysisclaim", "analysisvolunteer", "analysischeck",
}  # fmt: skip


@pytest.fixture
def anna() -> User:
    return User.objects.create_user("anna", role=User.Role.ADMINISTRATOR)


def sent(user: User, text: str = KIF) -> Game:
    """A game of a library."""
    space = libraries.own_library(user).pk
    upload, _new = store.create_upload("a.kif", [text.encode()], user, "web", space=space)
    worker.work_off(upload.pk)
    return Entry.objects.get(upload=upload).game


def rename() -> None:
    Player.objects.filter(pk=Player.objects.earliest("pk").pk).update(name="other")


def changes(deed: Callable[[], object]) -> bool:
    before = public_revision()
    deed()
    return public_revision() != before


def test_every_table_is_looked_at_or_has_a_reason():
    tables = {one._meta.db_table for one in apps.get_app_config("archive").get_models() if one._meta.managed}
    named = {*PUBLIC_CONDITIONS} | WITH_THEIR_GAMES | IN_NO_EXPORT
    assert {f"archive_{name}" for name in named} == tables - {"auth_user"}
    sqlite = "SELECT tbl_name FROM sqlite_master WHERE name LIKE 'archive_public_%'"
    pg = "SELECT tgrelid::regclass::text FROM pg_trigger WHERE tgname LIKE 'archive_public_%'"
    with connection.cursor() as cursor:
        cursor.execute(sqlite if connection.vendor == "sqlite" else pg)
        found = [table for (table,) in cursor.fetchall()]
    assert sorted(found) == sorted(f"archive_{table}" for table in PUBLIC_CONDITIONS for _deed in range(3)), (
        "a migration that makes a table anew makes its triggers anew, too"
    )


def test_what_is_done_in_libraries_changes_nothing(anna):
    game = sent(anna)
    assert not changes(lambda: sent(anna, KIF.replace("先手の人", "別の人")))
    assert not changes(rename)
    assert not changes(lambda: libraries.share_by_link(anna, game))
    assert not changes(lambda: Upload.objects.update(state=Upload.State.DELETING))
    assert not changes(lambda: store.delete_games([game.pk]))


@pytest.mark.parametrize(
    "deed",
    [
        lambda: stored(KIF.replace("先手の人", "別の人")),
        rename,
        lambda: Game.objects.update(plies=8),
        lambda: Entry.objects.update(hidden=True),
        lambda: Upload.objects.update(state=Upload.State.DELETING),
        lambda: store.delete_games([Game.objects.get().pk]),
    ],
    ids=["new", "renamed", "corrected", "hidden", "deleting", "deleted"],
)
def test_each_change_of_what_is_public_counts(deed):
    stored(KIF)
    assert changes(deed)


def test_publishing_counts_and_then_the_end_of_the_upload_to_the_library(anna):
    game = sent(anna)
    assert changes(lambda: libraries.publish(anna, game))
    assert Upload.objects.get().space != PUBLIC
    assert changes(lambda: Upload.objects.update(state=Upload.State.DELETING))
    Upload.objects.update(state=Upload.State.DONE)
    assert changes(lambda: libraries.take_back(anna, Game.objects.get()))


def test_what_is_rolled_back_does_not_count_and_what_is_open_has_no_number():
    stored(KIF)

    def undone() -> None:
        with transaction.atomic():
            Game.objects.update(plies=8)
            assert public_revision() is None
            transaction.set_rollback(True)

    assert not changes(undone)


def test_a_heartbeat_is_no_new_revision_and_a_game_is() -> None:
    before = engine().revision(), engine().lasting_revision()
    now = timezone.now()
    HeardProcess.objects.create(name="worker", role="worker", version="1", started=now, seen=now)
    assert (engine().revision(), engine().lasting_revision()) == before
    stored(KIF)
    assert engine().revision() != before[0] and engine().lasting_revision() != before[1]
