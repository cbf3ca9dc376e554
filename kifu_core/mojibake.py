"""Repair text that was decoded wrongly and saved again: `謇句粋蜑ｲ` for 手合割.

A program that mistakes UTF-8 for cp932 or Latin-1 shows such characters, and saves them. If no byte was lost,
encoding the text back and decoding it rightly gives the original.
"""

import codecs
import re
from typing import Final

_WINDOWS: Final = {ord(bytes([byte]).decode("cp1252", "replace")): byte for byte in range(0x80, 0xA0)}
_WINDOWS.pop(0xFFFD, None)
"""The characters of Windows for the bytes that are control characters in Latin-1."""

_FOREIGN: Final = re.compile(r"[^\x00-\x7f]")
_ONE_BYTE: Final = re.compile(f"[\x00-\xff{''.join(map(chr, _WINDOWS))}]*+")
_SAMPLE: Final = 60
_EXPECTED: Final = re.compile(r"[ぁ-んァ-ヶ一-龯１-９]")
_WORD: Final = re.compile(f"{_EXPECTED.pattern}{{2}}")
RECORD_WORDS: Final = re.compile(
    r"手合|先手|後手|上手|下手|棋戦|平手|投了|手数|変化|[１-９][一二三四五六七八九]"
)

_ENOUGH: Final = {"utf-8": 1, "cp932": 3}
"""Japanese characters that a repair must produce: in cp932 an accented letter and the next one make one.

At least two of them are adjacent there: control characters before ASCII make single ones.
"""

_WRONG: Final = (("cp932", "utf-8"), ("latin-1", "utf-8"), ("latin-1", "cp932"))
"""Pairs of the mistaken encoding and the real one."""


def _encoded(text: str, codec: str) -> bytes:
    return text.translate(_WINDOWS).encode(codec) if codec == "latin-1" else text.encode(codec)


def is_doubtful(text: str) -> bool:
    """Return whether a text has non-ASCII characters, but no word of records among the first of them."""
    return bool(_doubtful_sample(text, _SAMPLE))


def _doubtful_sample(text: str, length: int) -> str:
    """Return a sample from the first non-ASCII character on; empty if it has words of records."""
    first = None if text.isascii() else _FOREIGN.search(text)
    sample = text[first.start() : first.start() + length] if first else ""
    return "" if RECORD_WORDS.search(sample) else sample


def repair(text: str) -> tuple[str, str]:
    """Return the repaired text and the mistaken encoding, or the text itself and an empty name.

    A text is repaired only if all its characters can be encoded back and the result is Japanese. For sound
    texts, only the first non-ASCII characters are checked.
    """
    sample = _doubtful_sample(text, _SAMPLE)
    if not sample:
        return text, ""
    one_byte = _ONE_BYTE.fullmatch(sample) is not None
    for mistaken_for, real in _WRONG:
        if one_byte != (mistaken_for == "latin-1") or not _is_repairable(sample, mistaken_for, real):
            continue
        try:
            return _encoded(text, mistaken_for).decode(real), mistaken_for
        except UnicodeError:
            continue
    return text, ""


def _is_repairable(sample: str, mistaken_for: str, real: str) -> bool:
    """Return whether a sample is Japanese once encoded back and decoded rightly; its end may be cut off."""
    try:
        decoded = codecs.getincrementaldecoder(real)().decode(_encoded(sample, mistaken_for), final=False)
    except UnicodeError:
        return False
    is_japanese = len(_EXPECTED.findall(decoded)) >= _ENOUGH[real] and (
        real == "utf-8" or _WORD.search(decoded)
    )
    return bool(is_japanese) and len(decoded) < len(sample)


_LOST_LEAD: Final = re.compile("[\ufffd・?](?=[ｼｽ])")
"""A substitute for the first byte of full-width digits and colons, for which cp932 has no character."""

_ASCII: Final = bytes(range(0x80))
_MUCH: Final = 600
_MOST: Final = 0.6
_FEW: Final = 3
_LOST: Final = 10
"""With more non-ASCII characters than these, most of them lost, the text was Shift_JIS."""


def misread(text: str) -> str:
    """Return the mistaken encoding of a text with lost characters, or an empty name.

    Such a text cannot be repaired. A sound text that is encoded back is hardly ever valid UTF-8.
    """
    sample = _doubtful_sample(text, _MUCH)
    if not sample:
        return ""
    if 2 * sample.count("\ufffd") > len(_FOREIGN.findall(sample)) > _LOST:
        return "utf-8"
    one_byte = _ONE_BYTE.fullmatch(sample.replace("\ufffd", "")) is not None
    mistaken_for = "latin-1" if one_byte else "cp932"
    data = b"\xef".join(_encode_lossy(part, mistaken_for) for part in _LOST_LEAD.split(sample))
    decoded = data.decode("utf-8", "ignore")
    foreign, valid = (len(one.translate(None, _ASCII)) for one in (data, decoded.encode()))
    return mistaken_for if valid >= _MOST * foreign and len(_EXPECTED.findall(decoded)) >= _FEW else ""


def _encode_lossy(text: str, codec: str) -> bytes:
    return (text.translate(_WINDOWS) if codec == "latin-1" else text).encode(codec, "ignore")
