"""What the words of the search box mean: a query of the search language, or filters."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, partial
from itertools import islice
from typing import Final, Literal

from archive.derive import headers
from archive.queries.games.filters import filters_of
from archive.queries.names import people
from archive.queries.names.ids_of_names import NameKind, ids_of_name
from archive.queries.names.name_matching import NameMatch, match_name, with_relatives
from archive.queries.scope import Scope
from archive.queries.search.days import read_day
from archive.queries.search.fields import BY_KEY, folded
from archive.queries.search.printing import OPERATORS, text_of
from archive.queries.search.terms import EqualTo, FieldIs, Term, Word
from kifu_core.games import GAMES, SHOGI
from kifu_core.shogi import formations, handicaps, specials

KEYS: Final = {key: one for one in filters_of("games") for key in (one.name, *one.keys)}
"""What may stand before the colon in the search box, and the filter it is."""

_ORDER: Final = ("order", "並び順")
_SEATS: Final = {"先手": 0, "後手": 1}
"""What Japanese calls colours 0 and 1 in every kind of game."""

_PLAIN: Final[dict[str, dict[str, str]]] = {
    "result": {"引き分け": "draw", "引分け": "draw", "引分": "draw"},
    "record_kind": {"詰将棋": "problem", "詰め将棋": "problem", "つめ将棋": "problem", "定跡": "tree"},
    "game": {
        word: one.name for one in GAMES.values() if one is not SHOGI for word in (one.name, *one.aliases)
    },
}
"""Words that say by themselves what a game is."""

_WON: Final = re.compile(f"({'|'.join(specials.SIDES)})の?勝ち?")
_NO_FILTER: Final = (None, "ILLEGAL_ACTION")
"""Endings that no record is found by: those without a name, and the foul of which is not told whose it is."""
_DAY: Final = re.compile(r"(?:1[5-9]|20)\d\d(?:年|[-/.年].*)?")
"""A word that may be a day, a month or a year; other numbers are names."""

_WINNER: Final = re.compile(f"({'|'.join(specials.SIDES)})(?:の?勝ち?)?")

_TOKEN: Final = re.compile(r'(?:([^\s:："]+)[:：])?(?:"([^"]*)"|(\S+))')


_OPERATOR: Final = re.compile(rf"(?<![^\s(])(?:{'|'.join(OPERATORS)})(?![^\s()])")
_KEYED: Final = re.compile(r"""(?<![^\s(])([^\s()":,、]+): *([^\s"「]*)""")
_QUOTED: Final = re.compile(r'"[^"]*"')
_RANGE: Final = re.compile(r"[(<>≦≧≤≥]|.*(?:\.\.|〜|~)")
_PHRASE: Final = re.compile(r"\"([^\"]+)\"|「([^「」]+)」")
_SURE: Final = re.compile(r'\("(?:[^"]|"")+"\)')
_MINUS: Final = "-−"
"""What means NOT before a key."""
_LOOKED_AT: Final = 4_000
"""Characters in which a query would show."""


def is_query(words: str) -> bool:
    """Tell whether words are a query of the search language, and more than keys and names one after the
    other: they have an operator, a range, a list, or a field that is no filter by itself."""
    shown = _QUOTED.sub('""', folded(words[:_LOOKED_AT]))
    keyed = [*_KEYED.finditer(shown)]
    return bool(_OPERATOR.search(shown)) or any(map(_is_of_query, keyed)) or _repeats_filter(keyed)


def is_phrase(scope: Scope, words: str) -> bool:
    """Tell whether words are one text in quotation marks that is no name of a player or an event, or any text
    in these and parentheses."""
    match = _PHRASE.fullmatch(words.strip())
    if match is None:
        return _SURE.fullmatch(words.strip()) is not None
    text = match[1] or match[2]
    return not (ids_of_name(scope, "player", text) or ids_of_name(scope, "event", text))


def _is_of_query(keyed: re.Match[str]) -> bool:
    if keyed[1][0] in _MINUS and keyed[1][1:].lower() in BY_KEY:
        return True
    field = BY_KEY.get(keyed[1].lower())
    if field is None or keyed[1] in _SEATS:
        return False
    if keyed[1] not in KEYS or (_RANGE.match(keyed[2]) and field.kind != "text") or keyed[2][:1] == "(":
        return True
    return field.kind != "text" and ("," in keyed[2] or "、" in keyed[2])


def _repeats_filter(keyed: Iterable[re.Match[str]]) -> bool:
    """Return whether two players, events, castles or openings are asked for by one key: a filter has place
    for one."""
    fields = [
        field.name
        for one in keyed
        if (field := BY_KEY.get(one[1].lower())) and (field.kind == "formation" or field.name in _KINDS)
    ]
    return len(fields) > len(set(fields))


def filters_of_words(scope: Scope, words: str) -> dict[str, str]:
    """Return the filters that the words of the search box ask for: `key:value`, `@name`, and names.

    Words that name an event, a castle or an opening, and no player, ask for that; others are names of players
    or parts of these or of an event's: `羽生 棋王戦`, `はぶ`, `甲 対 乙`. Castles and openings are those of
    the moves; an opening that is none of these is one that records name. A word may say what a game is:
    `2018`, `角落ち`, `千日手`, `引き分け`, `詰将棋`, `5手詰`, `コリドール`. Beside a player, words that mean
    nothing of this are looked for in texts; without one they are a player's name.
    """
    found, free = _read(scope, words)
    if len(free) > _MOST_WORDS:
        free = [*dict.fromkeys(free)]
    formed = [found.pop("formation")] if "formation" in found else []
    for some in (free, *([word] for word in free[:_MOST_WORDS])):
        name = " ".join(some)
        if "event" not in found and free and _is_event(scope, name):
            found["event"] = name
            free = [word for word in free if word not in some]
        elif name in free and (formation := _formation(scope, name)):
            formed.append(formation)
            free = [word for word in free if word not in some]
        elif "opening" not in found and free and _is_opening(scope, name):
            found["opening"] = headers.read_opening(name)
            free = [word for word in free if word not in some]
    if "player" in found:
        # What follows a name behind `@` is the rest of it.
        found["player"] = " ".join([found["player"], *free])
        return _together(found, {"formation": formed})
    players, rest = _named(scope, found, free)
    if not players:
        players, rest = [" ".join(rest)] if rest else [], []
    return _together(
        found, {"formation": formed, "player": [people.stored_spelling(scope, one) for one in players]}, rest
    )


def _together(
    found: dict[str, str], several: Mapping[str, Sequence[str]], words: Sequence[str] = ()
) -> dict[str, str]:
    """Add castles and openings, players and words: one castle, opening or player alone as a filter, several
    as a query that wants all of them."""
    terms: list[Term] = []
    for name, values in several.items():
        different = [*dict.fromkeys(values)]
        if len(different) == 1 and not (words and name == "player"):
            found[name] = different[0]
        else:
            terms += (FieldIs(name, (EqualTo(one),)) for one in different)
    terms += map(Word, words)
    # By the operator the search box knows a query.
    return found | ({"q": (" AND " if words else " ").join(map(text_of, terms))} if terms else {})


def _named(scope: Scope, found: dict[str, str], free: list[str]) -> tuple[list[str], list[str]]:
    """Return the players whom words mean, and the words that mean nobody; note the event that they mean. Of
    words side by side as many as possible are one name."""
    players, rest = [], []
    look: _Look = cache(partial(match_name, scope))
    for words in _sides(look, free[:_MOST_WORDS]):
        while words:
            size, kind = next(
                ((size, kind) for size in range(len(words), 0, -1) if (kind := _who(look, words[:size]))),
                (1, ""),
            )
            name = " ".join(words[:size])
            if kind == "player":
                players.append(with_relatives(scope, name))
            elif kind == "event" and "event" not in found:
                found["event"] = name
            else:
                rest.append(name)
            words = words[size:]
    return players, rest + free[_MOST_WORDS:]


_KINDS: Final[tuple[NameKind, ...]] = ("player", "event")
_Look = Callable[[NameKind, str], NameMatch]
"""Looks up whom a name means; the same name once."""


def _who(look: _Look, words: Sequence[str]) -> NameKind | Literal[""]:
    """Return whether words are the name, or a part of the name, of a player or an event; empty for
    nobody's. Words of which none is in any name are nobody's together."""
    if len(words) > 1 and not any(_may_be_in_names(look, word) for word in words):
        return ""
    return next((kind for kind in _KINDS if look(kind, " ".join(words)).ids), "")


def _may_be_in_names(look: _Look, word: str) -> bool:
    return any(one.ids or one.vague for one in (look(kind, word) for kind in _KINDS))


def _sides(look: _Look, words: list[str]) -> list[list[str]]:
    """Return the words before and behind what says that two play each other; all of them where nothing
    does."""
    for place, word in enumerate(words):
        if _AGAINST.fullmatch(word) and 0 < place < len(words) - 1:
            return [words[:place], words[place + 1 :]]
        before, against, behind = word.partition(_AGAINST_KANJI)
        if against and not _who(look, [word]) and _who(look, [before]) == _who(look, [behind]) == "player":
            return [[*words[:place], before], [behind, *words[place + 1 :]]]
    return [words]


_MOST_WORDS: Final = 5
"""Words of the search box that are looked up."""
_AGAINST: Final = re.compile(r"対|[vV][sS]?\.?|ｖｓ|ＶＳ|versus|×")
_AGAINST_KANJI: Final = "対"


def _is_event(scope: Scope, name: str) -> bool:
    return bool(ids_of_name(scope, "event", name)) and not ids_of_name(scope, "player", name)


def _is_opening(scope: Scope, name: str) -> bool:
    return headers.is_opening(name) and not ids_of_name(scope, "player", name)


def _formation(scope: Scope, name: str) -> str | None:
    """Return the castle or the opening that a name is, where no player is called so: by its names in
    Japanese, or as records write openings. Those in English are names of people, too (`Ishida`)."""
    one = formations.by_any_name(headers.read_opening(name)) if headers.is_opening(name) else None
    if one is None and not name.isascii():
        one = formations.by_any_name(name)
    return one.name if one and not ids_of_name(scope, "player", name) else None


def _read(scope: Scope, words: str) -> tuple[dict[str, str], list[str]]:
    """Return what is asked for by a key, by `@` or by a word that says it and is no name here, and the other
    words."""
    found: dict[str, str] = {}
    seats: dict[int, str] = {}
    free = []
    for match in _TOKEN.finditer(words):
        key, text = match[1], match[2] if match[2] is not None else match[3]
        if key in _SEATS:
            seats[_SEATS[key]] = text
        elif key in _ORDER:
            found["order"] = text
        elif key in KEYS:
            found[KEYS[key].name] = KEYS[key].read(text)
        elif key is None and text[:1] in ("@", "＠") and len(text) > 1 and "player" not in found:
            found["player"] = text[1:]
        else:
            free.append(match[0] if key else text)
    saying = islice((word for word in dict.fromkeys(free) if _filters_of_word(word)), _MOST_SAYING)
    plain = {word for word in saying if not _is_name(scope, word)}
    free = [word for word in free if word not in plain or not _take_plain(found, word)]
    sides = GAMES.get(found.get("game", ""), SHOGI).rules.sides
    if winner := _WINNER.fullmatch(found.get("result", "")):
        found["result"] = sides[specials.SIDES[winner[1]]]
    return found | {sides[colour]: text for colour, text in seats.items()}, free


_MOST_SAYING: Final = 10
"""Words that say something by themselves that are looked up as names first; further ones are names."""


def _take_plain(found: dict[str, str], word: str) -> bool:
    """Add to the filters what a word says by itself, and return whether it said anything: it says nothing for
    a filter that is there already."""
    asked = _filters_of_word(word)
    if not found.keys().isdisjoint(asked):
        return False
    found |= asked
    return True


def _filters_of_word(word: str) -> dict[str, str]:
    """Return the filters that a word asks for without a key; none for other words."""
    for name, values in _PLAIN.items():
        if (value := values.get(word.lower())) is not None:
            return {name: value}
    if winner := _WON.fullmatch(word):
        return {"result": winner[1]}
    if start := handicaps.by_name(word):
        return {"handicap": start.preset}
    if (ending := specials.BY_WORD.get(word)) and ending.special not in _NO_FILTER:
        return {"special": ending.special}
    if mate := mate_filters(word):
        return mate
    return {"from": word, "to": word} if _DAY.fullmatch(word) and read_day(word) else {}


def mate_filters(word: str) -> dict[str, str]:
    """Return the filters for problems of a length (`13手詰`, `十三手詰め`); none for other words."""
    mate = _MATE.fullmatch(unicodedata.normalize("NFKC", word))
    if mate is None:
        return {}
    moves = str(_number(mate[1]))
    return {"record_kind": "problem", "min_plies": moves, "max_plies": moves}


_MATE: Final = re.compile(r"(\d{1,4}|[一二三四五六七八九]?十?[一二三四五六七八九]?(?<=.))手(?:詰め?|つめ)")
_DIGITS: Final = "〇一二三四五六七八九"


def _number(text: str) -> int:
    """Return a number of digits, or of kanji below a hundred.

    >>> _number("5"), _number("十一"), _number("二十"), _number("三")
    (5, 11, 20, 3)
    """
    if text.isdigit():
        return int(text)
    tens, ten, ones = text.rpartition("十")
    return (_DIGITS.index(tens or "一") * 10 if ten else 0) + _DIGITS.index(ones or "〇")


def _is_name(scope: Scope, name: str) -> bool:
    """Return whether a player or an event has this very name."""
    return bool(ids_of_name(scope, "player", name) or ids_of_name(scope, "event", name))
