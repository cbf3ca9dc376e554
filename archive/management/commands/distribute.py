"""Spread the archive over the servers of Citus, or bring it back to one."""

from argparse import ArgumentParser
from typing import Any, Final

from django.core.management.base import CommandError

from archive.index import citus
from archive.management.command import ArchiveCommand

SHARDS: Final = 32


class Command(ArchiveCommand):
    help = (
        "Spread the index, records and uploads' bytes over the servers of Citus, of which this database is "
        "the coordinator. Nothing else may use the archive meanwhile. Interrupted, it goes on where it is "
        "started again. Programs that run have to be started anew afterwards."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--shards", type=int, default=SHARDS, metavar="N", help=f"parts ({SHARDS})")
        parser.add_argument("--undo", action="store_true", help="bring all back to this server")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["shards"] < 1:
            raise CommandError("an archive lies in one shard at least")
        try:
            changed = citus.undo() if options["undo"] else citus.distribute(options["shards"])
        except citus.NoCitusError as error:
            raise CommandError(str(error)) from error
        for table in changed:
            self.stdout.write(f"{table}: {'on this server' if options['undo'] else 'in shards'}")
        self.stdout.write(f"{len(changed)} tables moved, {len(citus.SPREAD) - len(changed)} were there")
