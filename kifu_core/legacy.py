"""Decode bytes in encodings older than Unicode.

On Windows, EUC-JP and ISO-2022-JP have characters of NEC and IBM (eucJP-ms, CP51932, CP50221), which Python's
codecs lack: an error handler decodes these alone. Programs on Chinese Windows save GB18030.
"""

import codecs
import re
from collections import Counter
from contextlib import suppress
from functools import cache
from typing import Final

from kifu_core.memo import Memo
from kifu_core.mojibake import RECORD_WORDS

_ESCAPES: Final = re.compile(rb"\x1b(?:\$|\(I)")
"""Escapes of ISO-2022-JP: to kanji, to half-width katakana."""

_KANA: Final = re.compile(rb"\x0e([!-_]*+)\x0f|[\xa1-\xdf]++")
_ASCII_AND_KANA: Final = bytes([*range(0x80), *range(0xA1, 0xE0)])
_SEVEN_BITS: Final = (("iso2022_jp", "strict"), ("iso2022_jp_ext", "windows_kanji"))
_EIGHT_BITS: Final = (
    ("cp932", "cp932", "strict"),
    ("euc-jp", "euc_jp", "strict"),
    ("euc-jp", "euc_jp", "windows_kanji"),
)
"""Names of encodings, their codecs, and the error handler for characters that a codec lacks."""

_DAMAGED: Final = (
    ("utf-8", "utf-8", "replace"),
    ("cp932", "cp932", "replace"),
    ("euc-jp", "euc_jp", "replace"),
)

_BEGINNING: Final = 4_000
_MARGIN: Final = 2
"""The lead in likeness that GB18030 needs, as most bytes are valid in it."""


def has_escapes(data: bytes) -> bool:
    """Return whether bytes may be ISO-2022-JP, whose escapes mean nothing in other encodings."""
    return b"\x1b" in data and _ESCAPES.search(data) is not None


def decode(data: bytes) -> tuple[str, str, bool]:
    """Return the text, the name of its encoding, and whether the bytes are valid in it.

    Of several encodings, the text most like a record decides.
    """
    text, name, valid = _japanese(data)
    if valid and RECORD_WORDS.search(text, 0, _BEGINNING):
        return text, name, True
    try:
        chinese = data.decode("gb18030")
    except UnicodeDecodeError:
        return text, name, valid
    return (chinese, "gb18030", True) if likeness(chinese) > likeness(text) + _MARGIN else (text, name, valid)


def _japanese(data: bytes) -> tuple[str, str, bool]:
    """Decode bytes by the encodings of Japan, as `decode` does."""
    if has_escapes(data) and (decoded := _iso_2022_jp(data)):
        return decoded
    if data.isascii():
        return data.decode("ascii"), "ascii", True
    readings: dict[str, str] = {}
    for name, codec, errors in _EIGHT_BITS:
        if name not in readings:
            with suppress(UnicodeDecodeError):
                readings[name] = data.decode(codec, errors)
    if not readings:
        return damaged(data)
    # Looking at a text takes long for what is valid in one encoding only, as most are.
    first, *others = readings
    name = max(readings, key=lambda one: likeness(readings[one])) if others else first
    return readings[name], name, True


def _iso_2022_jp(data: bytes) -> tuple[str, str, bool] | None:
    """Decode ISO-2022-JP as `decode` does; return None for other bytes.

    Half-width katakana may also come by shifts (CP50222) or with eight bits.
    """
    if data.translate(None, _ASCII_AND_KANA):
        return None
    data = _KANA.sub(_with_escapes, data)
    for codec, errors in _SEVEN_BITS:
        with suppress(UnicodeDecodeError):
            return data.decode(codec, errors), "iso-2022-jp", True
    text = data.decode("iso2022_jp_ext", "replace")
    return (text, "iso-2022-jp", False) if data.isascii() and likeness(text) > 0 else None


def _with_escapes(kana: re.Match[bytes]) -> bytes:
    return b"\x1b(I" + (kana[1] or bytes(byte & 0x7F for byte in kana[0])) + b"\x1b(B"


def damaged(data: bytes) -> tuple[str, str, bool]:
    """Decode bytes that are valid in no encoding (cut off, or of mixed encodings) by the most likely one."""
    readings = [(data.decode(codec, errors), name) for name, codec, errors in _DAMAGED]
    text, name = max(readings, key=lambda reading: likeness(reading[0]))
    return text, name, False


_SAMPLE: Final = 20_000
_WORDS: Final = re.compile(
    r"[１-９][一二三四五六七八九]|手合割|先手|後手|上手|下手|棋戦|平手|投了|まで|変化|消費|持駒"
)
_FREQUENT: Final = frozenset(
    "手四時指間先六歩五金二飛後合八銀数角三消費一平打七割桂九成香棋玉了持日開始同勝投場戦馬将龍所局分詰王"
    "対車負終駒形名化中譜型番変筋切段上大式十藤木換期面生全取位順選下秒考右者定人第断相読振初不東頭正交有"
    "井反道寄題次備受掛作田囲目優力勢左突利羽矢山引京倉行使入腰級通以狙加追高満"
)
"""The kanji in the records of most programs."""
_FULL_WIDTH: Final = frozenset("　、。・：（）「」『』々▲△※＊＋－～｜")
_SYLLABLE: Final = re.compile("(?:[ｶ-ﾄﾊ-ﾎｳ]ﾞ|[ﾊ-ﾎ]ﾟ|[ｱ-ﾝｦ])(?:(?<=[ｷｼﾁﾆﾋﾐﾘﾞﾟ])[ｬ-ｮ]|(?<=[ﾌｳﾃﾄｸｼﾁﾞ])[ｧ-ｫ])?[ｯｰ]?")
_HALF_WIDTH: Final = re.compile("[｡-ﾟ]")


def likeness(text: str) -> int:
    """Rate how much the beginning of a text is like a Japanese record.

    Bytes in a wrong encoding become rare kanji, or half-width katakana that form no syllables.
    """
    sample = text[:_SAMPLE]
    score = sum(_LIKENESS[one] * count for one, count in Counter(sample).items())
    score += _OF_WORDS * sum(1 for _ in _WORDS.finditer(sample))
    if half := sum(1 for _ in _HALF_WIDTH.finditer(sample)):
        syllables = sum(len(match[0]) for match in _SYLLABLE.finditer(sample))
        score += syllables - 2 * (half - syllables)
    return score


def is_japanese(text: str) -> bool:
    """Return whether the characters of a text are on average those of Japanese."""
    return likeness(text) > len(text[:_SAMPLE])


_OF_WORDS: Final = 4
_OF_FREQUENT: Final = 4
_OF_KANA: Final = 2
_OF_NOTHING: Final = -4


def _rate_character(one: str) -> int:
    if one.isascii() or _HALF_WIDTH.match(one):
        return 0
    if one in _FREQUENT:
        return _OF_FREQUENT
    if "ぁ" <= one <= "ー" or "０" <= one <= "ｚ" or one in _FULL_WIDTH:
        return _OF_KANA
    if one == "\ufffd" or "\ue000" <= one <= "\uf8ff":
        return _OF_NOTHING
    return _rate_kanji(one) if "\u4e00" <= one <= "\u9fff" else _has(one, "cp932") - 1


def _rate_kanji(one: str) -> int:
    """Rate a kanji by its level in JIS, and by whether China or Taiwan use it too."""
    if not _has(one, "euc_jp"):
        return -2
    if not _has(one, "euc_jp", 0xB0, 0xCF):
        return -1
    return 1 + (_has(one, "gb2312", 0xB0, 0xD7) or _has(one, "big5", 0xA4, 0xC6))


def _has(one: str, codec: str, first: int = 0, last: int = 0xFF) -> bool:
    """Return whether a codec has two bytes for a character, the first of them in a range."""
    data = one.encode(codec, "ignore")
    return len(data) == 2 and first <= data[0] <= last


_LIKENESS: Final = Memo(_rate_character)

_THREE_BYTES: Final = 0x8F
"""Begins a character of JIS X 0212 in EUC-JP."""
_FIRST: Final = 0xA1
_LAST: Final = 0xFE


def _windows_kanji(error: UnicodeError) -> tuple[str, int]:
    """Decode a character that the codecs of EUC-JP and ISO-2022-JP lack, as Windows does."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    data, at = error.object, error.start
    size = 3 if data[at] == _THREE_BYTES else 2
    character = _character(data[at : at + size])
    if not character:
        raise error
    return character, at + size


codecs.register_error("windows_kanji", _windows_kanji)


@cache
def _character(data: bytes) -> str:
    """Return the NEC or IBM character for bytes of eucJP-ms, CP51932 or CP50221; empty if there is none."""
    euc = bytes(byte | 0x80 for byte in data)
    if euc[0] == _THREE_BYTES:
        return _ibm_characters().get(euc[1:], "")
    if len(euc) == 1 or min(euc) < _FIRST or max(euc) > _LAST:
        return ""
    row, cell = euc[0] - _FIRST, euc[1] - _FIRST
    lead = (0x81 if row < 62 else 0xC1) + row // 2
    trail = cell + (0x9F if row % 2 else 0x40 if cell < 63 else 0x41)
    return _cp932(lead, trail)


@cache
def _ibm_characters() -> dict[bytes, str]:
    """Return IBM's characters that JIS X 0212 lacks; eucJP-ms appends them in the order of cp932."""
    every = dict.fromkeys(_cp932(lead, trail) for lead in (0xFA, 0xFB, 0xFC) for trail in range(0x40, 0xFD))
    lacking = [
        one
        for one in every
        if one == "№" or (one not in ("", "￢", "￤") and not one.encode("euc_jp", "ignore"))
    ]
    cells = range(_FIRST, _LAST + 1)
    places = [bytes([row, cell]) for row in (0xF3, 0xF4) for cell in cells]
    return dict(zip(places[places.index(b"\xf3\xf3") :], lacking, strict=False))


def _cp932(lead: int, trail: int) -> str:
    try:
        return bytes([lead, trail]).decode("cp932")
    except UnicodeDecodeError:
        return ""
