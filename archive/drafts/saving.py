"""Saves a draft as a game: its record is an upload like any other."""

from __future__ import annotations

from hashlib import sha256
from typing import Final

from archive.intake import uploads
from archive.models import Draft, Upload, User, codec
from kifu_core.errors import Issue, KifuError
from kifu_core.games import SHOGI

_UNTITLED: Final = "game"


def file_of(draft: Draft) -> tuple[bytes, list[Issue]]:
    """Return the file of a draft, a normalized record as JKF, and the errors in its moves.

    Equal drafts have equal files, so that a draft that is saved again is the same upload. Raises KifuError
    for a record that cannot be read at all.
    """
    result = SHOGI.formats.load(codec.to_json(codec.unpack(draft.record)).decode(errors="replace"))
    if not result.games:
        first = next(iter(result.issues), None)
        raise KifuError(first.code, params=first.params) if first else KifuError("no-game")
    game = result.games[0]
    errors = [issue for issue in game.issues if issue.severity == "error"]
    return codec.to_json(game.record, sort=True), errors


def is_saved(draft: Draft) -> bool:
    """Return whether an upload has a draft as it is now."""
    upload = Upload.objects.filter(pk=draft.upload or 0, state=Upload.State.DONE).first()
    return upload is not None and sha256(file_of(draft)[0]).hexdigest() == upload.sha256


def save(user: User, draft: Draft, data: bytes, space: int, games_counter: str = "") -> tuple[Upload, bool]:
    """Send the file of a draft to a space of its account; return the upload, and whether it is new.

    Raises `store.UploadTooLarge`.
    """
    name = f"{draft.title or _UNTITLED}.jkf"
    upload, created = uploads.receive(name, [data], user, "api", space=space, games_counter=games_counter)
    Draft.objects.filter(pk=draft.pk).update(upload=upload.pk)
    return upload, created
