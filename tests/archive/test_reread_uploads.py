"""`manage.py reread_uploads`."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from archive import store
from archive.models import Entry, Game, GameAlias, Upload
from archive.store import verify
from tests.archive.games import CSA, KIF, UNREADABLE, stored

pytestmark = pytest.mark.django_db


def run(*arguments: str) -> str:
    out = StringIO()
    call_command("reread_uploads", *arguments, stdout=out, stderr=StringIO())
    return out.getvalue()


def test_games_stored_by_an_older_parser_become_what_is_read_now(monkeypatch):
    first, second = stored(KIF), stored(CSA.replace("2024/05/01", "2024/05/02"), "game.csa")
    older, newer = Game.objects.order_by("pk")
    Game.objects.filter(pk=older.pk).update(site="wrongly read")
    assert run(str(first.pk)) == "1 uploads read again, 0 games became one with another\n"
    older.refresh_from_db()
    assert older.site == "" and Upload.objects.get(pk=second.pk).rereads == 0
    monkeypatch.setattr("archive.derive.headers.dates.BEGINNINGS", ())
    assert run("--all") == "2 uploads read again, 1 games became one with another\n"
    assert GameAlias.objects.get().pk == newer.pk and Game.objects.get().pk == older.pk
    assert sorted(Entry.objects.values_list("state", flat=True)) == ["duplicate", "stored"]
    assert not list(verify.verify())


def test_an_upload_in_work_is_left_alone():
    upload = stored(UNREADABLE)
    assert store.retry(upload.pk)
    assert run(str(upload.pk)).startswith("0 uploads")


@pytest.mark.parametrize("arguments", [[], ["12345"], ["1", "--all"]])
def test_what_to_read_has_to_be_said(arguments):
    with pytest.raises(CommandError):
        run(*arguments)
