"""Find the castles and openings of stored games again while the archive is used."""

from argparse import ArgumentParser
from typing import Any, Final

from archive import store
from archive.derive import formations
from archive.management.batches import batches
from archive.management.command import ArchiveCommand
from archive.management.progress import Progress
from archive.models import Game

BATCH: Final = 100


class Command(ArchiveCommand):
    help = (
        "Find the castles and openings of games whose were found with an older version of the library, or "
        "never looked for. It can be stopped at any moment; the next run continues from there."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--all", action="store_true", help="all games, also those of the current version")
        parser.add_argument(
            "--batch", type=int, default=BATCH, metavar="N", help=f"games in a transaction ({BATCH})"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        games = Game.objects.all()
        if not options["all"]:
            games = games.exclude(formations_version=formations.VERSION)
        progress, done = Progress(self.stderr, games.count()), 0
        for batch in batches(games, max(1, options["batch"])):
            done += store.find_formations(batch)
            progress.update(done)
        self.stdout.write(f"{done} games examined")
