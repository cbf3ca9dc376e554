"""Index stored games again from their records while the archive is used."""

from argparse import ArgumentParser
from typing import Any, Final

from django.core.management.base import CommandError
from django.db.models import QuerySet

from archive import store
from archive.index import counters, schema, versions
from archive.management.batches import batches
from archive.management.command import ArchiveCommand
from archive.management.progress import Progress
from archive.models import Game

BATCH: Final = 50
MOST_PRINTED: Final = 20
"""Damaged games whose ids are printed."""


class Command(ArchiveCommand):
    help = (
        "Index games again: those in an older version of the index, given ones, or all. Searching and "
        "uploading go on meanwhile. It can be stopped at any moment; the next run continues from there."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--game", type=int, action="append", metavar="ID", help="this game; repeatable")
        parser.add_argument("--all", action="store_true", help="all games, also those of the current version")
        parser.add_argument(
            "--scan", action="store_true", help="find old rows by reading whole segments: repairs damage"
        )
        parser.add_argument(
            "--counters", action="store_true", help="count all hot positions again afterwards"
        )
        parser.add_argument(
            "--batch", type=int, default=BATCH, metavar="N", help=f"games in a transaction ({BATCH})"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        games = _chosen_games(options["game"], options["all"])
        if Game.objects.exclude(index_version=schema.INDEX_VERSION).exists():
            versions.begin()
        progress = Progress(self.stderr, games.count())
        done, damaged = 0, list[int]()
        for batch in batches(games, max(1, options["batch"])):
            damaged += _reindex(batch, scan=options["scan"])
            done += len(batch)
            progress.update(done)
        versions.complete()
        if options["counters"]:
            counters.rebuild()
        self.stdout.write(f"{done - len(damaged)} games indexed again")
        if damaged:
            games_to_repair = " ".join(f"--game {pk}" for pk in damaged[:MOST_PRINTED])
            raise CommandError(
                f"{len(damaged)} games do not have the rows they should; repair them with "
                f"`manage.py reindex_positions --scan {games_to_repair}`"
            )


def _chosen_games(ids: list[int] | None, everything: bool) -> QuerySet[Game]:
    if ids:
        return Game.objects.filter(pk__in=ids)
    if everything:
        return Game.objects.all()
    return Game.objects.exclude(index_version=schema.INDEX_VERSION)


def _reindex(batch: list[int], *, scan: bool) -> list[int]:
    """Reindex games; return the ids of damaged ones, which stay unchanged."""
    try:
        store.reindex_games(batch, scan=scan)
    except store.IndexDamagedError:
        if len(batch) == 1:
            return batch
        return [damaged for pk in batch for damaged in _reindex([pk], scan=scan)]
    return []
