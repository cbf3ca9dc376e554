"""Drafts of the visitor's account."""

from datetime import datetime
from typing import Annotated, Any

from archive.shapes.common import About, Address, JSONObject, Number


class DraftInfo(JSONObject, kw_only=True):
    """A draft in the list of the account's own."""

    id: Number
    url: Address
    title: Annotated[str, About("The players and the event, from the headers.")]
    game_id: Annotated[int | None, About("The game that it was made from.")]
    upload_id: Annotated[int | None, About("The upload as which it was saved last.")]
    version: Annotated[int, About("Goes up by one whenever the record is replaced.", minimum=1)]
    changed: datetime


class DraftRecord(DraftInfo, kw_only=True):
    """A draft with its record."""

    record: Annotated[dict[str, Any], About("As JKF; moves need not be complete.")]


class Drafts(JSONObject):
    """The drafts of an account."""

    results: Annotated[list[DraftInfo], About("The last changed first.")]


class SavedDraft(JSONObject):
    """The upload of a saved draft."""

    upload_id: Number
    upload_url: Address
    replaced_upload_id: Annotated[
        int | None, About("Another upload as which an earlier version of the draft was saved.")
    ]
