"""Interpret the words of the search box: as a query of the search language, or as filters."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, partial
from itertools import islice
from typing import Final, Literal

from archive.derive import headers
from archive.models import LABELS, NAMED, NameKind
from archive.queries.games.filters import filters_of
from archive.queries.names import people
from archive.queries.names.ids_of_names import ids_of_name
from archive.queries.names.name_matching import NameMatch, match_name, with_relatives
from archive.queries.scope import Scope
from archive.queries.search.days import read_day
from archive.queries.search.fields import BY_KEY, folded
from archive.queries.search.printing import OPERATORS, text_of
from archive.queries.search.terms import EqualTo, FieldIs, Term, Word
from kifu_core.games import GAMES, SHOGI
from kifu_core.shogi import formations, handicaps, specials

KEYS: Final = {key: filter_ for filter_ in filters_of("games") for key in (filter_.name, *filter_.keys)}
"""Filters by their keys in the search box, which precede a colon."""

_ORDER: Final = ("order", "並び順")
_SEATS: Final = {"先手": 0, "後手": 1}
"""The Japanese names of colours 0 and 1 in every kind of game."""

_PLAIN: Final[dict[str, dict[str, str]]] = {
    "result": {"引き分け": "draw", "引分け": "draw", "引分": "draw"},
    "record_kind": {"詰将棋": "problem", "詰め将棋": "problem", "つめ将棋": "problem", "定跡": "tree"},
    "game": {
        word: one.name for one in GAMES.values() if one is not SHOGI for word in (one.name, *one.aliases)
    },
}
"""Words that are filters by themselves."""

_WON: Final = re.compile(f"({'|'.join(specials.SIDES)})の?勝ち?")
_NO_FILTER: Final = (None, "ILLEGAL_ACTION")
"""Endings that are no filters: those without a name, and the foul of an unnamed side."""
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
"""Signs that mean NOT before a key."""
_MOST_EXAMINED: Final = 4_000
"""Characters that are examined for signs of a query."""


def is_query(words: str) -> bool:
    """Return whether words are a query of the search language, not just keys and names: they have an
    operator, a range, a list, or a field that is no filter."""
    text = _QUOTED.sub('""', folded(words[:_MOST_EXAMINED]))
    keys = [*_KEYED.finditer(text)]
    return bool(_OPERATOR.search(text)) or any(map(_needs_query, keys)) or _repeats_filter(keys)


def is_phrase(scope: Scope, words: str) -> bool:
    """Return whether words are one quoted text that is no name, or any quoted text in parentheses."""
    match = _PHRASE.fullmatch(words.strip())
    if match is None:
        return _SURE.fullmatch(words.strip()) is not None
    text = match[1] or match[2]
    return not any(ids_of_name(scope, kind, text) for kind in _KINDS)


def _needs_query(match: re.Match[str]) -> bool:
    if match[1][0] in _MINUS and match[1][1:].lower() in BY_KEY:
        return True
    field = BY_KEY.get(match[1].lower())
    if field is None or match[1] in _SEATS:
        return False
    if match[1] not in KEYS or (_RANGE.match(match[2]) and field.kind != "text") or match[2][:1] == "(":
        return True
    return field.kind != "text" and ("," in match[2] or "、" in match[2])


def _repeats_filter(matches: Iterable[re.Match[str]]) -> bool:
    """Return whether a key has two names, castles or openings: a filter has only one value."""
    fields = [
        field.name
        for match in matches
        if (field := BY_KEY.get(match[1].lower())) and (field.kind == "formation" or field.name in _KINDS)
    ]
    return len(fields) > len(set(fields))


def filters_of_words(scope: Scope, words: str) -> dict[str, str]:
    """Return the filters of the words of the search box: `key:value`, `@name`, and names.

    Words that are the name of an event, a place, a castle or an opening, and of no player, filter by that;
    others are names or parts of names: `羽生 棋王戦`, `はぶ`, `甲 対 乙`. Castles and openings are those of
    the moves; other openings are those that records name. Some words are filters by themselves:
    `2018`, `角落ち`, `千日手`, `引き分け`, `詰将棋`, `5手詰`, `コリドール`. With a player, all remaining
    words are searched in texts; without one they are a player's name.
    """
    filters, free = _parse(scope, words)
    if len(free) > _MOST_WORDS:
        free = [*dict.fromkeys(free)]
    formation_names = [filters.pop("formation")] if "formation" in filters else []
    for group in (free, *([word] for word in free[:_MOST_WORDS])):
        name = " ".join(group)
        labels = (kind for kind in LABELS if kind not in filters and _is_label(scope, kind, name))
        if free and (label := next(labels, None)):
            filters[label] = name
            free = [word for word in free if word not in group]
        elif name in free and (formation := _formation(scope, name)):
            formation_names.append(formation)
            free = [word for word in free if word not in group]
        elif "opening" not in filters and free and _is_opening(scope, name):
            filters["opening"] = headers.read_opening(name)
            free = [word for word in free if word not in group]
    if "player" in filters:
        # Words after a name with `@` belong to the name.
        filters["player"] = " ".join([filters["player"], *free])
        return _combine(filters, {"formation": formation_names})
    players, others = _split_names(scope, filters, free)
    if not players:
        players, others = [" ".join(others)] if others else [], []
    return _combine(
        filters,
        {"formation": formation_names, "player": [people.stored_spelling(scope, one) for one in players]},
        others,
    )


def _combine(
    filters: dict[str, str], values_by_filter: Mapping[str, Sequence[str]], words: Sequence[str] = ()
) -> dict[str, str]:
    """Add castles and openings, players and words: a single castle, opening or player as a filter, several as
    a query for all of them."""
    terms: list[Term] = []
    for name, values in values_by_filter.items():
        distinct = [*dict.fromkeys(values)]
        if len(distinct) == 1 and not (words and name == "player"):
            filters[name] = distinct[0]
        else:
            terms += (FieldIs(name, (EqualTo(one),)) for one in distinct)
    terms += map(Word, words)
    # With the operator the search box recognizes a query.
    return filters | ({"q": (" AND " if words else " ").join(map(text_of, terms))} if terms else {})


def _split_names(scope: Scope, filters: dict[str, str], free: list[str]) -> tuple[list[str], list[str]]:
    """Return the names of players among words, and the words that are no names; add the names of an event
    and a place to the filters. As many neighbouring words as possible are one name."""
    players, unmatched = [], []
    lookup: _Lookup = cache(partial(match_name, scope))
    for words in _sides(lookup, free[:_MOST_WORDS]):
        while words:
            size, kind = next(
                (
                    (size, kind)
                    for size in range(len(words), 0, -1)
                    if (kind := _kind_of_name(lookup, words[:size]))
                ),
                (1, ""),
            )
            name = " ".join(words[:size])
            if kind == "player":
                players.append(with_relatives(scope, name))
            elif kind and kind not in filters:
                filters[kind] = name
            else:
                unmatched.append(name)
            words = words[size:]
    return players, unmatched + free[_MOST_WORDS:]


_KINDS: Final = tuple(NAMED)
_Lookup = Callable[[NameKind, str], NameMatch]
"""Looks up the matches of a name, each name once."""


def _kind_of_name(lookup: _Lookup, words: Sequence[str]) -> NameKind | Literal[""]:
    """Return the kind of name that the words are, or are part of; empty if there is no
    such name, or no game has it. If no single word is in any name, the words are not looked up together."""
    if len(words) > 1 and not any(_may_be_in_names(lookup, word) for word in words):
        return ""
    name = " ".join(words)
    return next((kind for kind in _KINDS if people.with_games(kind, lookup(kind, name).ids)), "")


def _may_be_in_names(lookup: _Lookup, word: str) -> bool:
    return any(match.ids or match.vague for match in (lookup(kind, word) for kind in _KINDS))


def _sides(lookup: _Lookup, words: list[str]) -> list[list[str]]:
    """Split words at one that means "against"; without such a word, return all of them."""
    for place, word in enumerate(words):
        if _AGAINST.fullmatch(word) and 0 < place < len(words) - 1:
            return [words[:place], words[place + 1 :]]
        before, against, after = word.partition(_AGAINST_KANJI)
        if (
            against
            and not _kind_of_name(lookup, [word])
            and _kind_of_name(lookup, [before]) == _kind_of_name(lookup, [after]) == "player"
        ):
            return [[*words[:place], before], [after, *words[place + 1 :]]]
    return [words]


def split_at_against(words: str) -> tuple[str, str, str]:
    """Split words at one that means "against": into the text before it, that word with the blanks around it,
    and the text after it. All three are empty if there is no such word.

    >>> split_at_against("羽生 対 谷"), split_at_against("羽生対谷")
    (('羽生', ' 対 ', '谷'), ('羽生', '対', '谷'))
    """
    match = _PAIR.fullmatch(words)
    return (match[1], match[2], match[3]) if match else ("", "", "")


def filters_of_players(scope: Scope, names: Iterable[str]) -> dict[str, str]:
    """Return the filters for the games in which all of these players play."""
    return _combine(
        {}, {"player": [people.stored_spelling(scope, with_relatives(scope, name)) for name in names]}
    )


_MOST_WORDS: Final = 5
"""Words of the search box that are looked up."""
_AGAINST: Final = re.compile(r"対|[vV][sS]?\.?|ｖｓ|ＶＳ|versus|×")
_AGAINST_KANJI: Final = "対"
_PAIR: Final = re.compile(rf"(\S.*?)(\s+(?:{_AGAINST.pattern})\s+|{_AGAINST_KANJI})(\S.*)")


def _is_label(scope: Scope, kind: NameKind, name: str) -> bool:
    """Return whether a name is that of an event or a place with games, and of no player."""
    ids = ids_of_name(scope, kind, name) or ()
    return people.with_games(kind, ids) and not ids_of_name(scope, "player", name)


def _is_opening(scope: Scope, name: str) -> bool:
    return headers.is_opening(name) and not ids_of_name(scope, "player", name)


def _formation(scope: Scope, name: str) -> str | None:
    """Return the castle or the opening with a name that no player has: a Japanese name, or an opening as
    records write it. English names are names of people, too (`Ishida`)."""
    one = formations.by_any_name(headers.read_opening(name)) if headers.is_opening(name) else None
    if one is None and not name.isascii():
        one = formations.by_any_name(name)
    return one.name if one and not ids_of_name(scope, "player", name) else None


def _parse(scope: Scope, words: str) -> tuple[dict[str, str], list[str]]:
    """Return the filters of keys, of `@`, and of words that are filters by themselves and no names; and the
    other words."""
    filters: dict[str, str] = {}
    seats: dict[int, str] = {}
    rest = []
    for match in _TOKEN.finditer(words):
        key, text = match[1], match[2] if match[2] is not None else match[3]
        if key in _SEATS:
            seats[_SEATS[key]] = text
        elif key in _ORDER:
            filters["order"] = text
        elif key in KEYS:
            filters[KEYS[key].name] = KEYS[key].parse(text)
        elif key is None and text[:1] in ("@", "＠") and len(text) > 1 and "player" not in filters:
            filters["player"] = text[1:]
        else:
            rest.append(match[0] if key else text)
    plain_words = islice((word for word in dict.fromkeys(rest) if _filters_of_word(word)), _MOST_PLAIN)
    used = {word for word in plain_words if not any(ids_of_name(scope, kind, word) for kind in _KINDS)}
    rest = [word for word in rest if word not in used or not _add_plain(filters, word)]
    sides = GAMES.get(filters.get("game", ""), SHOGI).rules.sides
    if side := _WINNER.fullmatch(filters.get("result", "")):
        filters["result"] = sides[specials.SIDES[side[1]]]
    return filters | {sides[colour]: text for colour, text in seats.items()}, rest


_MOST_PLAIN: Final = 10
"""Words that may be filters by themselves and are looked up as names first; further ones are names."""


def _add_plain(filters: dict[str, str], word: str) -> bool:
    """Add the filters of a word unless one of them is set already; return whether they were added."""
    new = _filters_of_word(word)
    if not filters.keys().isdisjoint(new):
        return False
    filters |= new
    return True


def _filters_of_word(word: str) -> dict[str, str]:
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
