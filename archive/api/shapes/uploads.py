"""Uploads and their entries."""

from datetime import datetime
from typing import Annotated

from msgspec import UNSET

from archive.shapes.common import (
    About,
    Address,
    EntryState,
    IssueInfo,
    JSONObject,
    NextUrl,
    Number,
    Omittable,
    SpaceName,
    TotalInfo,
    UploadState,
)


class ReceivedUpload(JSONObject):
    """An upload that has been received, now or earlier (`duplicate`)."""

    id: Number
    state: UploadState
    space: SpaceName
    url: Address
    duplicate: bool


class RefusedFile(JSONObject):
    """A file that was refused while others of the same request were not."""

    name: str
    code: str
    detail: str


class ReceivedUploads(JSONObject):
    """The uploads of a request, and the files that were refused."""

    uploads: list[ReceivedUpload]
    refused: Omittable[list[RefusedFile]] = UNSET


class EntryCounts(JSONObject):
    """Entries by state."""

    stored: Number
    duplicate: Number
    failed: Number
    deleted: Number
    held: Number


class UploadListed(JSONObject):
    """An upload in the list of the visitor's own."""

    id: Number
    url: Address
    name: Annotated[str, About("Empty if it is hidden.")]
    size: Annotated[int, About("Bytes.", minimum=0)]
    sha256: Annotated[str, About(pattern="^[0-9a-f]{64}$")]
    received: datetime
    finished: datetime | None
    state: UploadState
    space: SpaceName
    reason: Annotated[IssueInfo | None, About("Why it failed.")]
    entries: EntryCounts
    deletable: Annotated[bool, About("Whether the visitor may delete it.")]


class UploadInfo(UploadListed):
    """An upload with its files and addresses."""

    paths: list[str]
    hidden: Annotated[bool, About("Whether some of its bytes are hidden.")]
    expected: Annotated[int | None, About("Entries that reading has found so far.", minimum=0)]
    moving_to: Annotated[SpaceName | None, About("The space that its games are being moved to.")]
    entries_url: Address
    source_url: Address


class UploadsPage(JSONObject):
    """A page of the visitor's own uploads, newest first."""

    total: TotalInfo
    results: list[UploadListed]
    next_url: NextUrl


class EntryInfo(JSONObject):
    """A record of an upload, and its issues."""

    seq: Number
    path: Annotated[str, About("Its path inside a container.")]
    index: Annotated[int, About("Which game of its file, from 0.", minimum=0)]
    state: EntryState
    game_id: Number | None
    game_url: Annotated[str | None, About(format="uri")]
    encoding: str
    format: str
    program: str
    hidden: bool
    issues: list[IssueInfo]
    more_issues: Annotated[int, About("The number of further issues.", minimum=0)]
    source_url: Address
    report_url: Address


class BookmarkInfo(JSONObject):
    """A ply of the main line that the record's author marked."""

    ply: Number
    name: str


class EntryDetail(EntryInfo):
    """A record of an upload, with contents that are not part of its game."""

    bookmarks: list[BookmarkInfo]
    unread: Annotated[str, About("Text of the record that could not be played.", maxLength=100_000)]
    more_unread: Annotated[int, About("The number of further characters.", minimum=0)]


class EntriesPage(JSONObject):
    """A page of entries, in the order of the file."""

    results: list[EntryInfo]
    next_url: NextUrl
