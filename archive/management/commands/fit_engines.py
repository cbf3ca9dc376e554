"""Fit the scales of engines to the results of analysed games."""

from argparse import ArgumentParser
from typing import Any, Final

from archive import store
from archive.management.batches import batches
from archive.management.command import ArchiveCommand
from archive.models import Engine, Game
from archive.store.game_analyses import FIT_GAMES
from kifu_core.games import SHOGI

BATCH: Final = 100


class Command(ArchiveCommand):
    help = (
        "Fit the scale of each engine's winning chances to the results of the games that it has analysed, "
        "and mark their moves anew. With --games, first analyse all games by the verdicts that are stored."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--games", action="store_true", help="analyse all games first")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["games"]:
            shogi = Game.objects.filter(kind=SHOGI.name)
            number = sum(store.write_analyses(batch) for batch in batches(shogi, BATCH))
            self.stdout.write(f"{number} analyses of games")
        for engine in Engine.objects.exclude(source=Engine.Source.RECORD).order_by("pk"):
            fitted = store.fit_engine(engine.pk)
            self.stdout.write(
                f"{engine}: scale {fitted.scale:.0f}, log loss {fitted.log_loss:.3f} over "
                f"{fitted.positions} positions"
                if fitted
                else f"{engine}: fewer than {FIT_GAMES} decisive games, or no scale fits"
            )
