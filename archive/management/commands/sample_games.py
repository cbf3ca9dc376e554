"""`manage.py sample_games`: import the sample games as uploads."""

from pathlib import Path
from typing import Any, Final

from archive import store
from archive.intake import worker
from archive.management.command import ArchiveCommand
from archive.models import Game

SAMPLES: Final = Path(__file__).resolve().parents[2] / "samples"


def sample_files() -> list[Path]:
    """Return the files of the sample games, by name."""
    return sorted(path for path in SAMPLES.iterdir() if path.suffix != ".txt")


class Command(ArchiveCommand):
    help = "Load the sample games. Those that are there already stay as they are."

    def handle(self, *args: Any, **options: Any) -> None:
        files = sample_files()
        self.stdout.write(f"Loading {len(files)} sample games ...")
        for path in files:
            upload, _ = store.create_upload(path.name, [path.read_bytes()], source="samples")
            worker.work_off(upload.pk)
        self.stdout.write(f"The archive has {Game.objects.count()} games.")
