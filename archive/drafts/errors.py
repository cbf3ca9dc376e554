"""Reasons for which a draft cannot be stored or saved."""

from __future__ import annotations

from typing import Final

TEXTS: Final = {
    "too-many-drafts": "an account has at most 200 drafts: delete one first",
    "draft-changed": "the draft has changed since this version: read it again, or send its present version",
}
"""English texts by code."""


class DraftError(Exception):
    """A draft cannot be stored; `code` is a key of `TEXTS`."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code
