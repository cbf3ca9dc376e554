"""Games in bulk as a ZIP of files that is made while it is sent."""

import io
from collections.abc import Iterator
from datetime import date
from tempfile import SpooledTemporaryFile
from typing import IO, Any, Final
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from archive.export.csv_text import UTF8, lines
from archive.export.file_names import file_name
from archive.export.lists import Told, ending
from archive.export.record_files import UnencodableError, write
from archive.models import Game
from archive.queries.games.bulk import BulkReader, GameWithRecord
from kifu_core.errors import KifuError
from kifu_core.games import GAMES

FILES: Final = tuple(
    name
    for game in GAMES.values()
    for name, writer in game.formats.writers.items()
    if not writer.position_only and name != "json"
)
"""Formats of files in a ZIP. A list of JSON is lines of it."""

INDEX: Final = "INDEX.csv"
COLUMNS: Final = (
    "file", "note", "id", "url", "game", "date", "black", "white", "event", "handicap", "result", "plies",
)  # fmt: skip

COMPLETE: Final = "complete"
CONTINUES: Final = "continues"
"""What the last line of the index says: there is no more, or the list goes on after the number in it."""

_LEVEL: Final = 4
_IN_MEMORY: Final = 256 * 1024
_PIECE: Final = 64 * 1024
_YEARS: Final = range(1980, 2108)
"""The years that a ZIP can have."""
_DAY: Final = date(1980, 1, 1)
"""The first day of these, for what has none: the same games make the same file."""


class _Pipe(io.RawIOBase):
    """A file that is only written, and what was written since it was last taken."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []
        self.size = 0

    def writable(self) -> bool:
        """Tell that it can be written."""
        return True

    def write(self, data: Any) -> int:
        """Take what is written."""
        piece = bytes(data)
        self.parts.append(piece)
        self.size += len(piece)
        return len(piece)

    def taken(self) -> bytes:
        """Return what was written, and forget it."""
        data = b"".join(self.parts)
        self.parts, self.size = [], 0
        return data


def zipped(games: BulkReader, told: Told, extension: str) -> Iterator[bytes]:
    """Yield a ZIP with a file for each game in a format, and an index of all of them at its end.

    The index names each game with its file and its number, which is the cursor of what comes after it. A game
    that cannot be written in the format has no file there and a note instead; one with characters that the
    format's encoding has not is written in UTF-8, and has a note too.
    """
    pipe = _Pipe()
    with (
        SpooledTemporaryFile(max_size=_IN_MEMORY) as index,
        ZipFile(pipe, "w", ZIP_DEFLATED, compresslevel=_LEVEL) as files,
    ):
        index.write(UTF8 + lines([COLUMNS]))
        for found in games.found():
            if found is not None:
                index.write(_add(files, found, told, extension))
            if found is None or pipe.size >= _PIECE:
                yield pipe.taken()
        index.write(lines([_last(games)]))
        index.seek(0)
        yield from _with_index(files, index, pipe)
    yield pipe.taken()


def _add(files: ZipFile, found: GameWithRecord, told: Told, extension: str) -> bytes:
    """Add a game's file, and return its line of the index."""
    written, data, note = file_of(found.game, extension)
    name = file_name(found.row, written) if written else ""
    if written:
        files.writestr(_member(name, found.row.played_from), data, compresslevel=_LEVEL)
    row = told(found.row) | {"file": name, "note": note}
    return lines([[row[column] for column in COLUMNS]])


def file_of(game: Game, extension: str) -> tuple[str, bytes, str]:
    """Return a game as a file: its extension, its bytes and a note; without extension where it is none.

    The file is what the game's page gives to download under that extension.
    """
    if extension not in GAMES[game.kind].formats.names:
        return "", b"", "unknown-format"
    try:
        return extension, write(game, extension), ""
    except UnencodableError:
        return f"{extension}u", write(game, f"{extension}u"), "unencodable"
    except KifuError as error:
        return "", b"", error.code


def _last(games: BulkReader) -> list[str]:
    told = ending(games)
    note = COMPLETE if games.complete else told.get("error", CONTINUES)
    return ["", note, str(games.after), *[""] * (len(COLUMNS) - 3)]


def _with_index(files: ZipFile, index: IO[bytes], pipe: _Pipe) -> Iterator[bytes]:
    with files.open(_member(INDEX), "w") as member:
        while part := index.read(_PIECE):
            member.write(part)
            yield pipe.taken()


def _member(name: str, day: date | None = None) -> ZipInfo:
    """Return a file of the ZIP, of the day of a game where a ZIP can say it."""
    day = day if day is not None and day.year in _YEARS else _DAY
    member = ZipInfo(name, (day.year, day.month, day.day, 0, 0, 0))
    member.compress_type = ZIP_DEFLATED
    member.external_attr = 0o644 << 16
    return member
