"""Games in bulk as a ZIP of files, written while it is sent."""

import io
from collections.abc import Iterator
from datetime import date
from tempfile import SpooledTemporaryFile
from typing import IO, Any, Final
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from archive.export.contents import OPENS_AT, heading, place_text
from archive.export.csv_text import BOM, csv_lines
from archive.export.file_names import file_name
from archive.export.record_files import UnencodableError, write
from archive.models import Game
from archive.queries.games.bulk import BulkReader, GameWithRecord
from archive.queries.games.game_json import ToGameInfo
from kifu_core.errors import KifuError
from kifu_core.games import GAMES

FILES: Final = tuple(
    name
    for game in GAMES.values()
    for name, writer in game.formats.writers.items()
    if not writer.position_only and name != "json"
)
"""Formats of files in a ZIP, except JSON, which is exported as NDJSON."""

INDEX: Final = "INDEX.csv"
CONTENTS: Final = "CONTENTS.txt"
"""Title and description of a collection, then its games with their files and notes, in its order."""
COLUMNS: Final = ("id", "url", "game", "date", "black", "white", "event", "handicap", "result", "plies")
"""Members of `GameInfo` in the index, after the file and a note."""

COMPLETE: Final = "complete"
CONTINUES: Final = "continues"
"""Notes in the last line of the index: the list is complete, or continues after the number in the line."""

LEVEL: Final = 4
_IN_MEMORY: Final = 256 * 1024
PIECE: Final = 64 * 1024
_YEARS: Final = range(1980, 2108)
"""The years that a ZIP can represent."""
_DAY: Final = date(1980, 1, 1)
"""The day of files without one, so that the same games always make the same ZIP."""


class Pipe(io.RawIOBase):
    """A file that is only written; `take` empties it."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []
        self.size = 0

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        piece = bytes(data)
        self.parts.append(piece)
        self.size += len(piece)
        return len(piece)

    def take(self) -> bytes:
        """Return the data written since the last call."""
        data = b"".join(self.parts)
        self.parts, self.size = [], 0
        return data


def zipped(
    games: BulkReader, to_info: ToGameInfo, extension: str, opens_at: str = OPENS_AT
) -> Iterator[bytes]:
    """Yield a ZIP with a file for each game in a format, and an index of all of them at its end; of a
    collection, the files are numbered in its order, and its contents come last.

    The index has the file and the number of each game; the number is the cursor of what follows. A game that
    the format cannot hold has a note instead of a file. A game with characters that the format's encoding
    lacks is written in UTF-8, and has a note, too.
    """
    pipe = Pipe()
    with (
        SpooledTemporaryFile(max_size=_IN_MEMORY) as index,
        SpooledTemporaryFile(max_size=_IN_MEMORY) as contents,
        ZipFile(pipe, "w", ZIP_DEFLATED, compresslevel=LEVEL) as files,
    ):
        index.write(BOM + csv_lines([("file", "note", *COLUMNS)]))
        if games.collection is not None:
            contents.write(heading(games.collection))
        for game in games.with_records():
            if game is not None:
                name, line = _add(files, game, to_info, extension)
                index.write(line)
                contents.write(place_text(game, name, opens_at))
            if game is None or pipe.size >= PIECE:
                yield pipe.take()
        index.write(csv_lines([_last_line(games)]))
        yield from _add_text(files, INDEX, index, pipe)
        if games.collection is not None:
            yield from _add_text(files, CONTENTS, contents, pipe)
    yield pipe.take()


def _add(files: ZipFile, game: GameWithRecord, to_info: ToGameInfo, extension: str) -> tuple[str, bytes]:
    """Add a game as a file; return its name, empty if there is none, and its line in the index."""
    actual_extension, data, note = file_of(game.game, extension)
    name = ""
    if actual_extension:
        name = file_name(game.row, actual_extension, game.number)
        files.writestr(zip_member(name, game.row.played_from), data, compresslevel=LEVEL)
    info = to_info(game.row)
    return name, csv_lines([[name, note, *(getattr(info, column) for column in COLUMNS)]])


def file_of(game: Game, extension: str) -> tuple[str, bytes, str]:
    """Return a game as a file: its extension, its bytes and a note. The extension is empty if the format
    cannot hold the game.

    The file equals the download on the game's page.
    """
    if extension not in GAMES[game.kind].formats.names:
        return "", b"", "unknown-format"
    try:
        return extension, write(game, extension), ""
    except UnencodableError:
        return f"{extension}u", write(game, f"{extension}u"), "unencodable"
    except KifuError as error:
        return "", b"", error.code


def _last_line(games: BulkReader) -> list[str]:
    note = COMPLETE if games.complete else games.error.code if games.error else CONTINUES
    return ["", note, str(games.after), *[""] * (len(COLUMNS) - 1)]


def _add_text(files: ZipFile, name: str, text: IO[bytes], pipe: Pipe) -> Iterator[bytes]:
    text.seek(0)
    with files.open(zip_member(name), "w") as member:
        while part := text.read(PIECE):
            member.write(part)
            yield pipe.take()


def zip_member(name: str, day: date | None = None) -> ZipInfo:
    """Return an entry of the ZIP, dated by the game if a ZIP can represent the day."""
    day = day if day is not None and day.year in _YEARS else _DAY
    member = ZipInfo(name, (day.year, day.month, day.day, 0, 0, 0))
    member.compress_type = ZIP_DEFLATED
    member.external_attr = 0o644 << 16
    return member
