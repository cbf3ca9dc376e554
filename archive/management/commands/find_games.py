"""List the games that match a query, a line each."""

from argparse import ArgumentParser
from itertools import islice
from typing import Any

from django.core.management.base import CommandError

from archive.management.command import ArchiveCommand
from archive.queries.games.filters import GameFilters
from archive.queries.games.keyset import ORDERS
from archive.queries.games.listing import GameRow, each_game
from archive.queries.scope import PUBLIC
from archive.queries.search.errors import QueryError


class Command(ArchiveCommand):
    help = "List the public games that a query finds (docs/search.md): number, day, players, event, by tabs."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("query", help="as in the search box: 'player:羽生善治 year:2014..2016'")
        parser.add_argument("--order", choices=[*ORDERS], default="newest")
        parser.add_argument("--limit", type=int, default=50, metavar="N", help="games at most (50)")

    def handle(self, *args: Any, **options: Any) -> None:
        filters = GameFilters(q=options["query"])
        try:
            for row in islice(each_game(PUBLIC, filters, options["order"]), max(0, options["limit"])):
                self.stdout.write(_line(row))
        except QueryError as error:
            raise CommandError(_pointing(options["query"], error)) from error


def _line(row: GameRow) -> str:
    day = row.played_from.isoformat() if row.played_from else ""
    return "\t".join((str(row.id), day, row.first, row.second, row.event))


def _pointing(text: str, error: QueryError) -> str:
    """Return the query with a mark at the error's position, and its message."""
    if error.position is None:
        return error.message()
    return f"{text[: error.position]} ⟨?⟩ {text[error.position :]}\n{error.message()}"
