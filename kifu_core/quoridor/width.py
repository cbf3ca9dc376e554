"""Full-width characters, as Japanese input methods write letters, digits and punctuation marks."""

import string
from typing import Final

_ALIKE: Final = string.ascii_letters + string.digits + ".:,()[]-+/"
_NARROW: Final = {ord(char) + 0xFEE0: char for char in _ALIKE} | {ord("　"): " ", ord("、"): ","}


def narrow(text: str) -> str:
    """Return a text of the same length with half-width letters, digits and punctuation marks.

    >>> narrow("１．ｅ２　ｅ８")
    '1.e2 e8'
    """
    return text if text.isascii() else text.translate(_NARROW)
