"""`manage.py reread_uploads`: read uploads again from their bytes, with the current parser."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from archive import store
from archive.accounts.audit import note
from archive.intake import worker
from archive.management.command import ArchiveCommand
from archive.management.progress import Progress
from archive.models import AuditEvent, GameAlias, Upload
from archive.models.uploads import READING


def _outdated() -> list[int]:
    uploads = Upload.objects.filter(state=Upload.State.DONE).exclude(reader=READING)
    return list(uploads.order_by("pk").values_list("pk", flat=True))


class Command(ArchiveCommand):
    help = (
        "Read uploads again, one after the other. Their games become what is read now and keep their ids; "
        "where two become one, one id leads to the other. Can be interrupted: workers go on."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("ids", nargs="*", type=int, metavar="ID", help="uploads")
        parser.add_argument("--all", action="store_true", help="all uploads that have ended")
        parser.add_argument(
            "--outdated", action="store_true", help="those that an earlier version has read (see catch_up)"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        ids = _outdated() if options["outdated"] else self._chosen(options["ids"], options["all"])
        aliases, again = GameAlias.objects.count(), 0
        progress = Progress(self.stderr, len(ids), "uploads")
        for number, pk in enumerate(ids, start=1):
            if store.reread(pk):
                worker.work_off(pk)
                again += 1
            else:
                self.stderr.write(f"upload {pk} has not ended: left as it is")
            progress.update(number)
        note(AuditEvent.REREAD, None, f"{again} uploads, by the command")
        became_one = GameAlias.objects.count() - aliases
        self.stdout.write(f"{again} uploads read again, {became_one} games became one with another")

    def _chosen(self, ids: list[int], everything: bool) -> list[int]:
        if bool(ids) == everything:
            raise CommandError("name uploads by their ids, or say --all")
        uploads = Upload.objects.order_by("pk")
        uploads = uploads.filter(pk__in=ids) if ids else uploads.filter(state__in=["done", "failed"])
        existing = list(uploads.values_list("pk", flat=True))
        if missing := sorted(set(ids) - set(existing)):
            raise CommandError(f"there is no upload {', '.join(map(str, missing))}")
        return existing
