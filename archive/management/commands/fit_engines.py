"""Fit the scales of engines to the results of analysed games."""

from argparse import ArgumentParser
from typing import Any, Final

from archive import store
from archive.derive.calibration import BANDS, Calibration
from archive.management.batches import batches
from archive.management.command import ArchiveCommand
from archive.models import Engine, Game
from archive.store.game_analyses import FIT_GAMES
from kifu_core.games import SHOGI

BATCH: Final = 100
TURN_SECONDS: Final = 10.0


class Command(ArchiveCommand):
    help = (
        "Fit the scale of each engine's winning chances to the results of the games that it has analysed, "
        "mark their moves anew, and show how the chances of held-back games agree with results. With "
        "--games, first analyse all games by the verdicts that are stored."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--games", action="store_true", help="analyse all games first")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["games"]:
            shogi = Game.objects.filter(kind=SHOGI.name)
            number = sum(store.write_analyses(batch) for batch in batches(shogi, BATCH))
            self.stdout.write(f"{number} analyses of games")
        for engine in Engine.objects.exclude(source=Engine.Source.RECORD).order_by("pk"):
            if fitted := store.fit_engine(engine.pk):
                while not store.mark_anew(engine.pk, TURN_SECONDS):
                    pass
                self._write(engine, fitted)
            else:
                self.stdout.write(f"{engine}: fewer than {FIT_GAMES} decisive games, or no scale fits")

    def _write(self, engine: Engine, fitted: Calibration) -> None:
        """Write the scale, and how the chances of held-back games agree with their results."""
        one = fitted.fit
        self.stdout.write(
            f"{engine}: scale {one.scale:.0f}, log loss {one.log_loss:.3f} over {one.positions} positions"
        )
        self.stdout.write("chances of Black  positions   games  mean prediction  share of wins")
        for band in fitted.bands:
            chances = f"{band.least:.1f} to {band.least + 1 / BANDS:.1f}"
            self.stdout.write(
                f"{chances:<16}{band.positions:>11}{band.games:>8}{band.predicted:>17.3f}{band.won:>15.3f}"
            )
