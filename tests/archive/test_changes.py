"""The revision of an archive on PostgreSQL: another one after every change of what anybody is shown, and
after nothing else; and no writer waits for another because of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack

import psycopg
import pytest
from django.apps import apps
from django.contrib.sessions.backends.db import SessionStore
from django.db import connection, transaction

from archive import store
from archive.accounts.audit import note
from archive.http.limits.postgresql import PostgreSQLStore
from archive.index.engine import engine
from archive.migrations._database_objects import CHANGE_TABLES
from archive.models import AuditEvent, Entry, Game, Upload, User
from tests.archive.games import KIF, stored

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif("connection.vendor != 'postgresql'", reason="SQLite counts its commits by itself"),
]

NOBODY_IS_SHOWN = {
    "archive_token": "of accounts",
    "archive_accountinvitation": "of accounts",
    "archive_accountinvitation_used_by": "of accounts",
    "archive_devicegrant": "of accounts",
    "archive_draft": "of accounts",
    "archive_follow": "of accounts",
    "archive_positionnote": "of accounts",
    "archive_ownname": "of accounts",
    "archive_repertoire": "of accounts",
    "archive_repertoiremove": "of accounts",
    "archive_trainingcard": "of accounts",
    "archive_membership": "of accounts",
    "archive_invitation": "of accounts",
    "archive_sender": "of one's own uploads",
    "archive_report": "for the staff",
    "archive_auditline": "for administrators",
    "archive_uploadchunk": "bytes that never change",
    "archive_occurrence": "changes with games",
    "archive_gamerecord": "changes with games",
    "archive_gameseries": "changes with games",
    "archive_gametext": "changes with games",
    "archive_gameformation": "changes with games",
    "archive_hotposition": "counts rows",
    "archive_hotmove": "counts rows",
    "archive_hotpart": "counts rows",
    "archive_arrival": "changes with games",
    "archive_gameidentity": "changes with games",
    "archive_collectiongame": "changes with games and collections",
    "archive_gamechange": "changes with games",
    "archive_benchmark": "for curators",
    "archive_engine": "changes with verdicts",
    "archive_analysisrequest": "of accounts",
    "archive_analysisgame": "of accounts",
    "archive_analysisclaim": "of accounts",
    "archive_analysisvolunteer": "of accounts",
    "archive_analysischeck": "for our own engine",
    "archive_problemsource": "changes with problems",
    "archive_problemtheme": "changes with problems",
    "archive_problemneighbour": "changes with problems",
    "archive_problemrating": "moves with each attempt: pages may show the difficulty of some attempts ago",
    "archive_problemscan": "tells what was done",
    "archive_problemsolver": "of accounts",
    "archive_problemattempt": "of accounts",
    "archive_hook": "of accounts",
    "archive_hookdelivery": "of accounts",
    "archive_columnwaiting": "changes with games",
    "archive_columngone": "changes with games",
    "archive_heardprocess": "for who watches over the archive",
    "archive_tally": "for who watches over the archive",
}
"""Tables that are not looked at, and why not."""

WRITERS = 20


@pytest.fixture(autouse=True)
def game() -> Game:
    stored(KIF)
    return Game.objects.get()


@pytest.fixture
def others() -> Iterator[list[psycopg.Connection]]:
    """Connections of other writers."""
    with ExitStack() as stack:
        parameters = PostgreSQLStore.parameters() | {"autocommit": False}
        yield [stack.enter_context(psycopg.connect(**parameters)) for _ in range(WRITERS)]


def test_every_table_is_looked_at_or_has_a_reason():
    named = set(CHANGE_TABLES)
    tables = {one._meta.db_table for one in apps.get_app_config("archive").get_models() if one._meta.managed}
    assert {f"archive_{name}" for name in named} == tables - NOBODY_IS_SHOWN.keys() - {"auth_user"}
    with connection.cursor() as cursor:
        cursor.execute("SELECT tgrelid::regclass::text FROM pg_trigger WHERE tgname = 'archive_changed'")
        assert {table for (table,) in cursor.fetchall()} == {f"archive_{name}" for name in named}


def test_each_transaction_that_changes_something_is_counted_once(game):
    (before,) = engine().revision()
    with transaction.atomic():
        Game.objects.update(plies=8)
        Entry.objects.update(seq=0)
    assert engine().revision() == (before + 1,)
    store.delete_games([game.pk])
    assert engine().revision() == (before + 2,)


def test_what_changes_no_row_that_is_shown_is_not_counted():
    before = engine().revision()
    Upload.objects.filter(pk=0).update(name="x")
    SessionStore().save()
    note(AuditEvent.SHARE, User.objects.create_user("anna"))
    counts = PostgreSQLStore()
    counts.add(b"somebody", 1, 60)
    counts.close()
    assert engine().revision() == before


def test_what_is_rolled_back_is_not_counted_and_what_follows_is():
    (before,) = engine().revision()
    with transaction.atomic():
        Game.objects.update(plies=8)
        transaction.set_rollback(True)
    assert engine().revision() == (before,)
    with transaction.atomic():
        with transaction.atomic():
            Game.objects.update(plies=8)
            transaction.set_rollback(True)
        Game.objects.update(plies=9)
    assert engine().revision() == (before + 1,)


def test_no_writer_waits_for_another(others):
    (before,) = engine().revision()
    for number, other in enumerate(others):
        other.execute("SET lock_timeout = '5s'")
        other.execute("INSERT INTO archive_gonegame (id, space) VALUES (%s, 0)", [1000 + number])
    assert engine().revision() == (before,)
    for number, other in enumerate(others, 1):
        other.commit()
        assert engine().revision() == (before + number,)
