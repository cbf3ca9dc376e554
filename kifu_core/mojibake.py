"""Text that was decoded wrongly and saved again: `謇句粋蜑ｲ` for 手合割.

A program that takes UTF-8 for cp932 or Latin-1 shows such characters, and saving them makes them the file's
own. As long as no byte was lost on the way, encoding them back and decoding them rightly gives the text.
"""

import codecs
import re
from typing import Final

_WINDOWS: Final = {ord(bytes([byte]).decode("cp1252", "replace")): byte for byte in range(0x80, 0xA0)}
_WINDOWS.pop(0xFFFD, None)
"""What programs on Windows show for the bytes that Latin-1 has no visible characters for."""

_FOREIGN: Final = re.compile(r"[^\x00-\x7f]")
_ONE_BYTE: Final = re.compile(f"[\x00-\xff{''.join(map(chr, _WINDOWS))}]*+")
_SAMPLE: Final = 60
_EXPECTED: Final = re.compile(r"[ぁ-んァ-ヶ一-龯１-９]")
RECORD_WORDS: Final = re.compile(
    r"手合|先手|後手|上手|下手|棋戦|平手|投了|手数|変化|[１-９][一二三四五六七八九]"
)

_ENOUGH: Final = {"utf-8": 1, "cp932": 3}
"""So many Japanese characters must come out: in cp932 an accented letter and the next one make one."""

_WRONG: Final = (("cp932", "utf-8"), ("latin-1", "utf-8"), ("latin-1", "cp932"))
"""Taken for the first, while it was the second."""


def _encoded(text: str, codec: str) -> bytes:
    return text.translate(_WINDOWS).encode(codec) if codec == "latin-1" else text.encode(codec)


def is_doubtful(text: str) -> bool:
    """Tell whether a text has foreign characters, and no word of records among the first of them."""
    return bool(_doubtful_sample(text, _SAMPLE))


def _doubtful_sample(text: str, length: int) -> str:
    """Return a sample from the first non-ASCII character on; empty if it has words of records."""
    first = None if text.isascii() else _FOREIGN.search(text)
    sample = text[first.start() : first.start() + length] if first else ""
    return "" if RECORD_WORDS.search(sample) else sample


def repair(text: str) -> tuple[str, str]:
    """Return the text as it was meant and the encoding it was mistaken for, or as it is and an empty name.

    A text is repaired only if every character of it can be taken back and what comes out is Japanese. Texts
    that are sound cost one look at their first foreign characters.
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
    """Tell whether a sample is Japanese once encoded back and decoded rightly; its end may be cut off."""
    try:
        decoded = codecs.getincrementaldecoder(real)().decode(_encoded(sample, mistaken_for), final=False)
    except UnicodeError:
        return False
    return len(_EXPECTED.findall(decoded)) >= _ENOUGH[real] and len(decoded) < len(sample)


_LOST_LEAD: Final = re.compile("[\ufffd・?](?=[ｼｽ])")
"""What stands for the first byte of full-width digits and colons, which cp932 has nothing for."""

_ASCII: Final = bytes(range(0x80))
_MUCH: Final = 600
_MOST: Final = 0.6
_FEW: Final = 3
_LOST: Final = 10
"""More foreign characters than these, most of them lost: that was Shift_JIS."""


def misread(text: str) -> str:
    """Return the encoding that a text with lost characters looks to have been mistaken for, or an empty name.

    Such a text cannot be repaired: a program does not keep what it cannot show. A sound text taken back so is
    hardly ever valid UTF-8.
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
