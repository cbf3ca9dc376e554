"""Dumps of everything public."""

from datetime import datetime
from typing import Annotated

from archive.shapes.common import About, Address, JSONObject, Number


class DumpFileInfo(JSONObject):
    """A file of a dump: NDJSON of games with their records, or a table of games or of their positions."""

    name: str
    size: Annotated[int, About("Bytes.", minimum=0)]
    sha256: Annotated[str, About(pattern="^[0-9a-f]{64}$")]
    games: Number
    url: Address


class TakenDownInfo(JSONObject):
    """The number of games of an older dump that are no longer public; the manifest has their ids."""

    dump: str
    games: Annotated[int | None, About("Null where the older dump could not be read.", minimum=0)]


class DumpInfo(JSONObject):
    """A dump. Nothing in it ever changes."""

    name: str
    made: datetime
    games: Number
    size: Annotated[int, About("Bytes of all files.", minimum=0)]
    revision: Annotated[
        str, About("Of the archive when the dump was begun; if two are equal, nothing has changed.")
    ]
    files: list[DumpFileInfo]
    manifest_url: Address
    sums_url: Annotated[str, About("The files' SHA-256, as `sha256sum -c` reads them.", format="uri")]
    taken_down: list[TakenDownInfo]


class ColumnFileInfo(JSONObject):
    """A file of columns: a row for each position of its games."""

    name: str
    size: Annotated[int, About("Bytes.", minimum=0)]
    sha256: Annotated[str, About(pattern="^[0-9a-f]{64}$")]
    games: Number
    rows: Number
    url: Address


class ColumnsInfo(JSONObject):
    """The positions of the public games of shogi as Parquet files, which change as games come and go."""

    version: Annotated[int, About("Increased when the meaning of columns changes.", minimum=1)]
    games: Number
    rows: Number
    size: Annotated[int, About("Bytes of all files.", minimum=0)]
    files: list[ColumnFileInfo]
    gone: Annotated[
        int, About("Slots in the files that have to be left out; the manifest names them.", minimum=0)
    ]
    manifest_url: Address


class DumpsInfo(JSONObject):
    """The dumps on offer, newest first; `columns` is null before they are first written."""

    results: list[DumpInfo]
    columns: ColumnsInfo | None
