"""Write the games that match a query, with their records, to a file."""

import sys
from argparse import ArgumentParser
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError
from django.urls import reverse

from archive.export.opening_books import MIN_GAMES, PLIES
from archive.export.streams import FORMS, stream
from archive.management.command import ArchiveCommand
from archive.models import LARGEST_ID
from archive.project.site_address import site_address
from archive.queries.games.bulk import BulkReader, read_in_bulk
from archive.queries.games.filters import GameFilters
from archive.queries.games.game_json import GameInfo, ToGameInfo
from archive.queries.scope import PUBLIC
from archive.queries.search.errors import QueryError
from kifu_core.shogi.training import POSITION_OPTIONS, TrainingFilter


class Command(ArchiveCommand):
    help = "Write the public games that a query finds (docs/search.md), with their records, to a file."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("query", nargs="?", default="", help="as in the search box; nothing: all games")
        parser.add_argument("--as", dest="form", choices=FORMS, default="ndjson", help="what is written")
        parser.add_argument("--to", default="-", metavar="FILE", help="to where; - is standard output")
        parser.add_argument("--after", type=int, default=0, metavar="ID", help="continue after this game")
        parser.add_argument("--limit", type=int, default=LARGEST_ID, metavar="N", help="games at most")
        parser.add_argument("--plies", type=int, default=PLIES, metavar="N", help="of a book: half-moves")
        parser.add_argument("--min-games", type=int, default=MIN_GAMES, metavar="N", help="of a book")

        parser.add_argument("--first-ply", type=int, default=0, metavar="N", help="of training data")
        parser.add_argument("--last-ply", type=int, metavar="N", help="of training data")
        for name in ("--unscored", "--unique"):
            parser.add_argument(name, action="store_true", help="of training data")

    def handle(self, *args: Any, **options: Any) -> None:
        numbers = ("limit", "plies", "min_games")
        if wrong := [name for name in numbers if options[name] < 1]:
            raise CommandError(f"{', '.join(wrong)}: at least 1")
        filters = GameFilters(q=options["query"] or None)
        try:
            games = read_in_bulk(PUBLIC, filters, options["after"], options["limit"])
            self._write(games, options)
        except QueryError as error:
            raise CommandError(error.message()) from error
        if games.complete:
            self.stderr.write(f"{games.games} games, all there are")
        else:
            self.stderr.write(f"{games.games} games; go on with --after {games.after}")
        if games.error is not None:
            raise CommandError(games.error.message())

    def _write(self, games: BulkReader, options: dict[str, Any]) -> None:
        chosen = TrainingFilter(**{name: options[name] for name in POSITION_OPTIONS})
        pieces = stream(games, _to_info(), options["form"], options["plies"], options["min_games"], chosen)
        to_file = options["to"] != "-"
        with Path(options["to"]).open("wb") if to_file else nullcontext(sys.stdout.buffer) as target:
            for piece in pieces:
                target.write(piece)


def _to_info() -> ToGameInfo:
    base = site_address() + reverse("api:game", args=[0]).removesuffix("0")
    return lambda row: GameInfo.from_row(row, f"{base}{row.id}", "public")
