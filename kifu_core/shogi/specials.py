"""The endings of records: one table of kinds, their words in every format, and the winner.

JKF has names for fourteen of them; the others are kept as written, with their winner if the table has one. An
ending that is not in the table has no winner.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

from kifu_core.record import Ending

EndingRule = Literal["mover-loses", "mover-wins", "draw", "none", "black-fouled", "white-fouled"]
"""The meaning of an ending for the side to move; `none` decides nothing."""


@dataclass(frozen=True, slots=True)
class EndingKind:
    """A kind of ending.

    `special` is JKF's name or None, `word` that of KIF rows (empty if KIF has none), `aliases` further words
    of KIF and KI2, `csa` the word after `%` in CSA (empty if CSA has none). `phrase` is the text of the まで
    line: `{winner}` and `{mover}` are the sides; empty if nobody writes one.
    """

    special: str | None
    word: str
    csa: str
    rule: EndingRule
    phrase: str
    aliases: tuple[str, ...] = ()


EndingAndWinner = tuple[EndingKind | None, int | None]
"""A kind of ending and the winner that its text names; each is None if the text does not name it."""

ENDINGS: Final = (
    EndingKind("TORYO", "投了", "TORYO", "mover-loses", "{winner}の勝ち", ("Resign", "认输", "認輸")),
    EndingKind("CHUDAN", "中断", "CHUDAN", "none", "中断", ("封じ手", "指し掛け", "指掛け", "指しかけ")),
    EndingKind("SENNICHITE", "千日手", "SENNICHITE", "draw", "千日手"),
    EndingKind(
        "TIME_UP",
        "切れ負け",
        "TIME_UP",
        "mover-loses",
        "時間切れにより{winner}の勝ち",
        ("時間切れ", "時間切れ負け", "Time-up", "超时", "超時"),
    ),
    EndingKind("ILLEGAL_MOVE", "反則負け", "ILLEGAL_MOVE", "mover-loses", "{mover}の反則負け"),
    EndingKind("ILLEGAL_ACTION", "反則勝ち", "", "mover-wins", "{mover}の反則勝ち"),
    EndingKind("+ILLEGAL_ACTION", "", "+ILLEGAL_ACTION", "black-fouled", ""),
    EndingKind("-ILLEGAL_ACTION", "", "-ILLEGAL_ACTION", "white-fouled", ""),
    EndingKind("JISHOGI", "持将棋", "JISHOGI", "draw", "持将棋"),
    EndingKind(
        "KACHI", "入玉勝ち", "KACHI", "mover-wins", "{mover}の入玉勝ち", ("勝ち宣言", "入玉宣言", "宣言勝ち")
    ),
    EndingKind("HIKIWAKE", "引き分け", "HIKIWAKE", "draw", "引き分け", ("引分", "引分け", "和棋")),
    EndingKind("MATTA", "待った", "MATTA", "none", "待った"),
    EndingKind(
        "TSUMI",
        "詰み",
        "TSUMI",
        "mover-loses",
        "詰",
        ("詰", "詰め", "詰み上がり", "詰上がり", "詰上り", "将死", "將死"),
    ),
    EndingKind("FUZUMI", "不詰", "FUZUMI", "none", "不詰"),
    EndingKind("ERROR", "エラー", "ERROR", "none", ""),
    EndingKind(None, "不戦勝", "", "mover-wins", "{mover}の不戦勝", ("不戦勝ち",)),
    EndingKind(None, "不戦敗", "", "mover-loses", "{mover}の不戦敗", ("不戦負け",)),
    EndingKind(None, "トライ", "", "mover-wins", "{mover}のトライ", ("トライ勝ち",)),
    EndingKind(None, "最大手数", "MAX_MOVES", "draw", "最大手数"),
    EndingKind(
        None, "王手千日手", "OUTE_SENNICHITE", "none", "王手千日手", ("連続王手の千日手", "連続王手千日手")
    ),
    EndingKind(
        None,
        "接続切れ",
        "",
        "mover-loses",
        "接続切れにより{winner}の勝ち",
        ("切断", "接続切れ負け", "Disconnect"),
    ),
)

BY_WORD: Final = {word: kind for kind in ENDINGS for word in (kind.word, *kind.aliases) if word}
BY_CSA: Final = {kind.csa: kind for kind in ENDINGS if kind.csa}
BY_SPECIAL: Final = {kind.special: kind for kind in ENDINGS if kind.special}

SIDES: Final = {"先手": 0, "下手": 0, "後手": 1, "上手": 1}
"""The names of the sides to colours; 下手 and 上手 are those of handicap games."""

FOULS: Final = frozenset(["ILLEGAL_MOVE", "ILLEGAL_ACTION", "+ILLEGAL_ACTION", "-ILLEGAL_ACTION"])
"""JKF's names for a game that was lost by breaking a rule."""

RESULT_LINE: Final = re.compile(
    r"[ 　\t(（~～〜]*+(?=まで|以[上下][、,，]?(?:[0-9０-９]{1,6}手|[先後上下]手)"
    r"|[0-9０-９]{1,6}手(?:まで|で)[、,，]?[先後上下]手|[先後上下]手の勝ち[。．.)）]{0,2}[ 　\t]*+(?:\n|\Z))"
    r"(?:まで|以[上下])?[、,，]?[ 　]*+"
    r"((?:[〇一二三四五六七八九十百]{1,6}+(?=手)|[0-9０-９]{0,6}+))[ 　]*+手?"
    r"目?[ 　]*+(?:にて|で|まで|をもって)?[、,，]?([^\n]{0,60}+)[^\n]*+"
)
"""The line that ends a game: まで96手で後手の勝ち, 96手まで後手の勝ち, 後手の勝ち."""

_FOUL_WORDS: Final = (
    "反則", "反則手", "反則行為", "二歩", "打ち歩詰め", "打ち歩詰", "打歩詰め", "打歩詰", "王手放置",
    "王手見逃し", "二手指し", "行き所のない駒",
)  # fmt: skip
_CAUSES: Final = {
    **BY_WORD,
    **dict.fromkeys(_FOUL_WORDS, BY_SPECIAL["ILLEGAL_MOVE"]),
    **dict.fromkeys(["入玉", "宣言", "入玉宣言勝ち", "入玉宣言法", "宣言法"], BY_SPECIAL["KACHI"]),
    **dict.fromkeys(["時間切れ勝ち", "切れ勝ち", "時間切", "持ち時間切れ"], BY_SPECIAL["TIME_UP"]),
    **dict.fromkeys(["通信切断", "回線切断", "切断負け"], BY_WORD["接続切れ"]),
    "詰まし": BY_SPECIAL["TSUMI"],
}
"""Reasons of an ending in sentences."""

_SIGNS: Final = {"▲": 0, "☗": 0, "▼": 0, "△": 1, "☖": 1, "▽": 1}
_ALL_SIDES: Final = SIDES | _SIGNS
_SIDE: Final = "(先手|後手|上手|下手|[▲△☗☖▼▽])(?:番|側)?"
_VERDICT: Final = re.compile(rf"(.*?){_SIDE}[のがは]?(?:(勝ち|勝利|勝)|(?:負け|敗け|敗北|負|敗))")
_BLAMED: Final = re.compile(rf"{_SIDE}[のが]?(.+)")
_JOINED: Final = re.compile(r"(.+?)(?:により|によって|による|のため|の為|にて|で)?[、,，]?")
_DRAWN: Final = re.compile(
    r"(.+?)(?:(?:により|によって|による|のため|にて|で)?[、,，]?(?:引き?分け?|無勝負|指し?直し)|成立)"
)
_OVER: Final = re.compile(r"(.+?)(?:により|にて|で)(?:終局|終了)")
"""81Dojo's last comment: `*時間切れにて終局`."""

_NOTED: Final = re.compile(r"([^(（]+)[(（]([^()（）]+)[)）]")
"""A verdict with its reason in brackets: 先手の勝ち（投了）."""

_LONGEST: Final = 80
"""Characters of a sentence about the result."""

_PADDING: Final = re.compile("[ 　\t]+")
_CHINESE: Final = str.maketrans("后胜负", "後勝負")

_MATE: Final = re.compile("(?:[0-9０-９]{1,5}|[〇一二三四五六七八九十百千]{1,7})手(?=詰)")
"""The length of a mate, which ShogiHome repeats: まで7手で7手詰."""

_WARS: Final = re.compile(r"(?:(SENTE|GOTE)_WIN|DRAW)_([A-Z_]{1,30})")
_WARS_KINDS: Final = {
    "TORYO": BY_SPECIAL["TORYO"],
    "CHECKMATE": BY_SPECIAL["TSUMI"],
    "TIMEOUT": BY_SPECIAL["TIME_UP"],
    "DISCONNECT": BY_WORD["接続切れ"],
    "OUTE_SENNICHI": BY_WORD["王手千日手"],
    "ENTERINGKING": BY_SPECIAL["KACHI"],
    "TRY": BY_WORD["トライ"],
    "SENNICHI": BY_SPECIAL["SENNICHITE"],
    "PLY_LIMIT": BY_WORD["最大手数"],
}
"""Endings of 将棋ウォーズ: `GOTE_WIN_TORYO`, `DRAW_SENNICHI`."""

SERVERS_WORDS: Final = {
    "RESIGN": BY_SPECIAL["TORYO"],
    "DISCONNECT": BY_WORD["接続切れ"],
    "abnormal": BY_WORD["接続切れ"],
    **dict.fromkeys(["illegal kachi", "uchifuzume", "oute_kaihimore", "outori"], BY_SPECIAL["ILLEGAL_MOVE"]),
}
"""shogi-server's and 81Dojo's words beyond those of CSA: see `formats.summary`."""

_ENGLISH: Final = {
    **dict.fromkeys(["resigns", "resigned", "resignation"], BY_SPECIAL["TORYO"]),
    **dict.fromkeys(["timeout", "time_out", "timeup", "outoftime"], BY_SPECIAL["TIME_UP"]),
    **dict.fromkeys(["mate", "checkmate", "checkmated", "tsumi"], BY_SPECIAL["TSUMI"]),
    **dict.fromkeys(["draw", "drawn", "hikiwake"], BY_SPECIAL["HIKIWAKE"]),
    **dict.fromkeys(["repetition", "draw_by_repetition", "sennichi_te"], BY_SPECIAL["SENNICHITE"]),
    **dict.fromkeys(["impasse", "entering_king_draw"], BY_SPECIAL["JISHOGI"]),
    **dict.fromkeys(["declaration", "nyugyoku", "entering_king"], BY_SPECIAL["KACHI"]),
    **dict.fromkeys(["illegal", "foul"], BY_SPECIAL["ILLEGAL_MOVE"]),
    **dict.fromkeys(["interrupted", "abort", "aborted", "adjourned", "unfinished"], BY_SPECIAL["CHUDAN"]),
    **dict.fromkeys(["disconnected", "disconnection"], BY_WORD["接続切れ"]),
}
_LOWER: Final = {
    word.lower().replace("-", "_"): kind
    for word, kind in (BY_SPECIAL | BY_CSA | BY_WORD | SERVERS_WORDS).items()
} | _ENGLISH
"""The words of every format in lower case, with underscores for blanks and hyphens."""


_NAMES_OF_SIDES: Final = _ALL_SIDES | {
    "black": 0,
    "sente": 0,
    "b": 0,
    "+": 0,
    "white": 1,
    "gote": 1,
    "w": 1,
    "-": 1,
}


def side_of(text: str) -> int | None:
    """Return the colour of a side by its name or mark, None for any other text.

    >>> side_of("▲"), side_of("後手番"), side_of("GOTE"), side_of("")
    (0, 1, 1, None)
    """
    return _NAMES_OF_SIDES.get(re.sub("(?<=手)[番側]$", "", text.strip().lower()))


@lru_cache(maxsize=1024)
def find(word: str) -> EndingKind | None:
    """Return the kind of a word of any format or of the text of a result line; None if unknown.

    >>> find("%TORYO") == find("toryo") == find("投了") == find("後手の勝ち") == find("Resigned")
    True
    """
    plain = word.strip().removeprefix("%")
    kind = _LOWER.get(re.sub("[- ]", "_", plain.lower()))
    return kind or (read_wars(plain) or read_over(plain) or read_result(plain))[0]


def name_of(word: str, special: str | None, named_winner: int | None = None) -> str | None:
    """Return JKF's name for an ending: `special` if valid, else that of its word; None if there is none.

    `named_winner` is the winner, if the reader knows one.

    >>> name_of("投了", "投了"), name_of("x", "TORYO"), name_of("先手の反則負け", None), name_of("x", "x")
    ('TORYO', 'TORYO', 'ILLEGAL_MOVE', None)
    """
    if special in BY_SPECIAL:
        return special
    return special_of(find(word), named_winner)


def winner(kind: EndingKind, turn: int) -> int | None:
    """Return the colour that wins by an ending with `turn` to move; None for none."""
    if kind.rule == "mover-wins":
        return turn
    if kind.rule == "mover-loses":
        return turn ^ 1
    return {"black-fouled": 1, "white-fouled": 0}.get(kind.rule)


def usual_winner(kind: EndingKind, turn: int, *, problem: bool) -> int | None:
    """Return the colour that wins as for `winner`, but None for a problem that ends in mate.

    A problem here is a record from a drawn board.
    """
    return None if problem and kind.special == "TSUMI" else winner(kind, turn)


def loser_of_foul(special: str, turn: int, winner: int | None) -> str:
    """Return JKF's name for a foul with `turn` to move: the name tells which side committed it.

    `winner` is the side that won; with None the name itself tells. `ILLEGAL_ACTION` gets the sign of the
    offender; every other name is returned unchanged.

    >>> loser_of_foul("ILLEGAL_MOVE", 0, 0), loser_of_foul("ILLEGAL_ACTION", 0, None)
    ('-ILLEGAL_ACTION', '-ILLEGAL_ACTION')
    """
    if special not in ("ILLEGAL_MOVE", "ILLEGAL_ACTION"):
        return special
    decided = (turn if special == "ILLEGAL_ACTION" else turn ^ 1) if winner is None else winner
    if decided != turn:
        return "ILLEGAL_MOVE"
    return "+ILLEGAL_ACTION" if turn else "-ILLEGAL_ACTION"


def ending(
    word: str,
    special: str | None,
    ply: int,
    turn: int,
    *,
    problem: bool = False,
    named_winner: int | None = None,
) -> Ending:
    """Return the ending of a record after `ply` half-moves with `turn` to move.

    `special` is JKF's name if the reader knows one (`ILLEGAL_ACTION` still without its side), `named_winner`
    the winner if the word itself names one. A problem that ends in mate has no winner.
    """
    kind = BY_SPECIAL.get(special or "")
    if kind is None:
        kind = find(word)
        special = special_of(kind, named_winner)
    if special is not None:
        special = loser_of_foul(special, turn, named_winner)
    if kind is None:
        return Ending(word, None, ply, named_winner)
    decided = usual_winner(kind, turn, problem=problem)
    if named_winner is not None:
        decided = named_winner
    return Ending(
        word, special if kind.special else None, ply, decided, kind.rule == "draw" and decided is None
    )


def special_of(kind: EndingKind | None, named_winner: int | None) -> str | None:
    """Return JKF's name for a kind of ending; None if there is none.

    Perpetual check is a foul of the other side, if its winner is named.
    """
    if kind is None:
        return None
    return "ILLEGAL_MOVE" if kind is BY_WORD["王手千日手"] and named_winner is not None else kind.special


def read_wars(text: str) -> EndingAndWinner | None:
    """Read a result word of 将棋ウォーズ; return None for any other text.

    Its draws are draws, even for a reason by which a side wins elsewhere.

    >>> kind, side = read_wars("GOTE_WIN_TIMEOUT")
    >>> kind.special, side
    ('TIME_UP', 1)

    What it calls a draw is one, also by a reason that elsewhere makes a side win.
    """
    match = _WARS.fullmatch(text)
    if match is None:
        return None
    kind = _WARS_KINDS.get(match[2])
    if match[1] is None and kind and kind.rule != "draw":
        kind = BY_SPECIAL["HIKIWAKE"]
    return kind, {"SENTE": 0, "GOTE": 1}.get(match[1])


def read_over(text: str) -> EndingAndWinner | None:
    """Read a sentence such as 時間切れにて終局; return None for any other text.

    A foul is that of the side that moved last.
    """
    return _read_closing(text) if len(text) <= _LONGEST else None


@lru_cache(maxsize=1024)
def _read_closing(text: str) -> EndingAndWinner | None:
    match = _OVER.fullmatch(_PADDING.sub("", text).rstrip("。．."))
    kind = _CAUSES.get(match[1]) if match else None
    if kind is None:
        return None
    return (BY_SPECIAL["ILLEGAL_ACTION"] if kind.special == "ILLEGAL_MOVE" else kind), None


def read_result(text: str) -> EndingAndWinner:
    """Read the text after まで96手で: the kind of ending, and the winner it names.

    The text is understood as a whole or not at all; from a sentence with an unknown reason only the winner is
    read.

    >>> kind, side = read_result("時間切れにより後手の勝ち")
    >>> kind.special, side
    ('TIME_UP', 1)
    """
    return _read_sentence(text if len(text) <= _LONGEST else "")


@lru_cache(maxsize=1024)  # most games end with one of a few sentences
def _read_sentence(text: str) -> EndingAndWinner:
    text = _PADDING.sub("", text).rstrip("。．.！!")
    if not ("(" in text or "（" in text):  # the line began with the bracket
        text = text.rstrip(")）").rstrip("。．.")
    text = _MATE.sub("", text.translate(_CHINESE), count=1)
    if text in BY_WORD:
        return BY_WORD[text], None
    if match := _VERDICT.fullmatch(_NOTED.sub(r"\2により\1", text)):
        return _read_verdict(match[1], _ALL_SIDES[match[2]] ^ (match[3] is None))
    if (match := _BLAMED.fullmatch(text)) and (kind := _cause(match[2])):
        side = _ALL_SIDES[match[1]]
        return kind, side if match[2].endswith("勝ち") else winner(kind, side)
    if (match := _DRAWN.fullmatch(text)) and (kind := _cause(match[1])) and kind.rule == "draw":
        return kind, None
    return (_cause(text), None) if text.endswith(("負け", "勝ち")) else (None, None)


def _read_verdict(reason: str, won: int) -> EndingAndWinner:
    """Read a sentence that ends in the winner, with the reason before."""
    if not reason:
        return BY_SPECIAL["TORYO"], won
    match = _JOINED.fullmatch(reason)
    reason = match[1] if match else reason
    blamed = _BLAMED.fullmatch(reason)
    kind = _cause(blamed[2] if blamed else reason)
    if blamed and kind and winner(kind, _ALL_SIDES[blamed[1]]) not in (won, None):
        return None, None  # it contradicts itself
    return kind, won


def _cause(text: str) -> EndingKind | None:
    return _CAUSES.get(text) or _CAUSES.get(text.removesuffix("負け").removesuffix("の反則"))
