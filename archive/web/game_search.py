"""The list of games: what its form and its search box ask for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from urllib.parse import urlencode

from django.utils.translation import gettext as _

from archive.derive import headers
from archive.models import Upload
from archive.queries import people
from archive.queries.filters import filters_of
from archive.queries.named import named
from archive.queries.scope import Scope
from archive.queries.search.errors import QueryError
from archive.queries.search.fields import BY_KEY, folded
from archive.queries.search.grammar import parse
from archive.queries.search.printing import OPERATORS
from archive.queries.taken_down import hidden_whole
from archive.web.filtering import in_use
from archive.web.forms import is_date
from archive.web.wording import ENDINGS, MENUS
from kifu_core.games import GAMES, SHOGI
from kifu_core.shogi import handicaps, specials

if TYPE_CHECKING:
    from django import forms

    from archive.queries.facets import Facets
    from archive.web.forms import GameFilterForm


@dataclass(frozen=True, slots=True)
class Chip:
    """A filter in use, and the address of the list without it."""

    label: str
    text: str
    href: str


def chips(scope: Scope, form: forms.Form, kept: Mapping[str, str] | None = None) -> list[Chip]:
    """Return the filters in use, in the form's order; both ends of the same day, month or year are one chip.

    What is `kept` stays in the addresses.
    """
    used = in_use(form)
    labels = {field.html_name: str(field.label) for field in form}
    one_date = used.get("from") is not None and used.get("from") == used.get("to")

    def chip(name: str, value: str) -> Chip:
        if one_date and name == "from":
            return Chip(_("Date"), value, _without(kept or {}, used, "from", "to"))
        return Chip(labels[name], _words(scope, form, name, value), _without(kept or {}, used, name))

    filters = {name: value for name, value in used.items() if name not in _NO_FILTERS}
    return [chip(name, value) for name, value in filters.items() if not (one_date and name == "to")]


_NO_FILTERS: Final = ("order",)
"""What stands in addresses beside the filters, and says only how the list is shown."""


def _words(scope: Scope, form: forms.Form, name: str, value: str) -> str:
    """Return a filter's value as the form's menus call it; an upload is called by its name."""
    if name == "upload" and (number := getattr(form, "cleaned_data", {}).get(name)) is not None:
        shown = Upload.objects.exclude(state=Upload.State.DELETING).filter(pk=number, space__in=scope.spaces)
        called = shown.values_list("name", flat=True).first()
        return source_name(number, "" if hidden_whole([number]) else called)
    choices = getattr(form.fields.get(name), "choices", ())
    return next((str(text) for choice, text in choices if choice == value), value)


def source_name(upload: int, name: str | None) -> str:
    """Return what an upload is called: its name, or its number where there is none."""
    return name or _("upload %(number)s") % {"number": upload}


def _without(kept: Mapping[str, str], used: dict[str, str], *names: str) -> str:
    rest = urlencode({**kept, **{key: value for key, value in used.items() if key not in names}})
    return f"?{rest}" if rest else "."


@dataclass(frozen=True, slots=True)
class Facet:
    """One kind of values among the games of a list: its name, and of each value text, number and address."""

    label: str
    values: tuple[tuple[str, int, str], ...]


def facets_of(form: GameFilterForm, found: Facets) -> list[Facet]:
    """Return what can narrow a list down: the kinds of which it has several values, without those in use."""
    used = in_use(form)

    def facet(name: str, values: Iterable[tuple[str, int, dict[str, str]]]) -> Facet:
        linked = ((text, n, f"?{urlencode(used | asked)}") for text, n, asked in values)
        return Facet(str(form.fields[name].label if name in form.fields else _("Year")), tuple(linked))

    kinds = [kind for kind, _n in found.boards] or [SHOGI.name]
    menus = [name for name in _MENUS if len(kinds) == 1 or name not in _OF_ONE]
    all_of_them = [
        facet("player", ((name, n, {"player": name}) for _pk, name, n in found.players)),
        facet("event", ((name, n, {"event": name}) for _pk, name, n in found.events)),
        facet("year", ((str(year), n, {"from": str(year), "to": str(year)}) for year, n in found.years)),
        *(facet(name, _menu_values(form, name, kinds[0], getattr(found, _MENUS[name]))) for name in menus),
        facet("opening", ((text, n, {"opening": text}) for text, n in found.openings)),
        facet("upload", _sources(found)),
    ]
    hidden = {str(form.fields[name].label) for name in form.fields if name in used}
    return [one for one in all_of_them if len(one.values) > 1 and one.label not in hidden]


def _sources(found: Facets) -> Iterator[tuple[str, int, dict[str, str]]]:
    """Yield each upload's name, number of games and filter. Hidden names are hidden from everybody."""
    hidden = hidden_whole([pk for pk, _name, _n in found.sources])
    for pk, name, n in found.sources:
        yield source_name(pk, "" if pk in hidden else name), n, {"upload": str(pk)}


_MENUS: Final = {
    "game": "boards", "result": "results", "handicap": "handicaps", "special": "endings",
    "record_kind": "kinds",
}  # fmt: skip
_OF_ONE: Final = ("result", "handicap")
"""What has other words in every kind of game."""


def _menu_values(
    form: GameFilterForm, name: str, kind: str, values: Iterable[tuple[str | int, int]]
) -> Iterator[tuple[str, int, dict[str, str]]]:
    """Yield the values of a field with a menu, in its words; no other can be asked for."""
    menu, also = _menu(form, name, kind), {"game": kind} if name in _OF_ONE and kind != SHOGI.name else {}
    for value, n in values:
        if value in menu:
            chosen, text = menu[value]
            yield text, n, {name: chosen} | also


def _menu(form: GameFilterForm, name: str, kind: str) -> dict[str | int, tuple[str, str]]:
    """Return what the address says and what people read, by value."""
    choices = MENUS[name](kind) if name in _OF_ONE else getattr(form.fields[name], "choices", ())
    values = ((number if name == "result" else value) for number, (value, _text) in enumerate(choices))
    return {one: (value, str(text)) for one, (value, text) in zip(values, choices, strict=True)}


KEYS: Final = {key: one for one in filters_of("games") for key in (one.name, *one.keys)}
"""What may stand before the colon in the search box, and the filter it is."""

_ORDER: Final = ("order", "並び順")
_SEATS: Final = {"先手": 0, "後手": 1}
"""What Japanese calls colours 0 and 1 in every kind of game."""

_PLAIN: Final[dict[str, dict[str, str]]] = {
    "result": {"引き分け": "draw", "引分け": "draw", "引分": "draw"},
    "record_kind": {"詰将棋": "problem", "詰め将棋": "problem", "つめ将棋": "problem", "定跡": "tree"},
    "game": {
        word: one.name for one in GAMES.values() if one is not SHOGI for word in (one.name, *one.called)
    },
}
"""Words that say by themselves what a game is."""

_WON: Final = re.compile(f"({'|'.join(specials.SIDES)})の?勝ち?")
_DAY: Final = re.compile(r"(?:1[5-9]|20)\d\d(?:年|[-/.年].*)?")
"""A word that may be a day, a month or a year; other numbers are names."""

_WINNER: Final = re.compile(f"({'|'.join(specials.SIDES)})(?:の?勝ち?)?")

_TOKEN: Final = re.compile(r'(?:([^\s:："]+)[:：])?(?:"([^"]*)"|(\S+))')


_OPERATOR: Final = re.compile(rf"(?<![^\s(])(?:{'|'.join(OPERATORS)})(?![^\s()])")
_KEYED: Final = re.compile(r"""(?<![^\s(])([^\s()":,、]+): *([^\s"「]*)""")
_QUOTED: Final = re.compile(r'"[^"]*"')
_RANGE: Final = re.compile(r"[(<>≦≧≤≥]|.*(?:\.\.|〜|~)")
_LOOKED_AT: Final = 4_000
"""Characters in which a query would show."""


def is_query(words: str) -> bool:
    """Tell whether words are a query of the search language, and more than keys and names one after the
    other: they have an operator, a range, a list, or a field that is no filter by itself."""
    shown = _QUOTED.sub('""', folded(words[:_LOOKED_AT]))
    return bool(_OPERATOR.search(shown)) or any(map(_is_of_query, _KEYED.finditer(shown)))


def _is_of_query(keyed: re.Match[str]) -> bool:
    field = BY_KEY.get(keyed[1].lower())
    if field is None or keyed[1] in _SEATS:
        return False
    if keyed[1] not in KEYS or (_RANGE.match(keyed[2]) and field.kind != "text") or keyed[2][:1] == "(":
        return True
    return field.kind != "text" and ("," in keyed[2] or "、" in keyed[2])


def wrong_place(text: str) -> tuple[str, str, str] | None:
    """Return a query that is none in three parts, of which the middle one is the character that is wrong;
    None where it is the whole text, or nothing."""
    try:
        parse(text)
    except QueryError as error:
        if error.position is not None:
            at = error.position
            return text[:at], text[at : at + 1] or "␣", text[at + 1 :]
    return None


def filters_meant(scope: Scope, words: str) -> dict[str, str]:
    """Return the filters that the words of the search box ask for: `key:value`, `@name`, and names.

    Words that name an event or an opening, and no player, ask for that; others are a player's name, which may
    be written in the other kana or in other cases. A word may say what a game is: `2018`, `角落ち`, `千日手`,
    `引き分け`, `詰将棋`, `コリドール`.
    """
    found, free = _read(scope, words)
    for some in (free, *([word] for word in free[:_MOST_WORDS])):
        name = " ".join(some)
        if "event" not in found and free and _is_event(scope, name):
            found["event"] = name
            free = [word for word in free if word not in some]
        elif "opening" not in found and free and _is_opening(scope, name):
            found["opening"] = headers.read_opening(name)
            free = [word for word in free if word not in some]
    return _with_player(found, people.spelt(scope, " ".join(free)).split() if free else [])


_MOST_WORDS: Final = 5
"""Words of the search box that are looked up one by one."""


def _is_event(scope: Scope, name: str) -> bool:
    return bool(named(scope, "event", name)) and not named(scope, "player", name)


def _is_opening(scope: Scope, name: str) -> bool:
    return headers.is_opening(name) and not named(scope, "player", name)


def _with_player(found: dict[str, str], free: list[str]) -> dict[str, str]:
    """Join the words without a key to the player's name: `@羽生 善治`."""
    if free:
        found["player"] = " ".join([*filter(None, [found.get("player")]), *free])
    return found


def _read(scope: Scope, words: str) -> tuple[dict[str, str], list[str]]:
    """Return what is asked for by a key, by `@` or by a word that says it, and the other words."""
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
    free = [word for word in free if not _take_plain(scope, found, word)]
    sides = GAMES.get(found.get("game", ""), SHOGI).rules.sides
    if winner := _WINNER.fullmatch(found.get("result", "")):
        found["result"] = sides[specials.SIDES[winner[1]]]
    return found | {sides[colour]: text for colour, text in seats.items()}, free


def _take_plain(scope: Scope, found: dict[str, str], word: str) -> bool:
    """Add to the filters what a word says by itself, and return whether it said anything.

    A word that is a player's or an event's name says nothing, nor does one for a filter that is there
    already.
    """
    asked = _said_by(word)
    if not asked or not found.keys().isdisjoint(asked) or _is_known(scope, word):
        return False
    found |= asked
    return True


def _said_by(word: str) -> dict[str, str]:
    """Return the filters that a word asks for without a key; none for other words."""
    for name, values in _PLAIN.items():
        if (value := values.get(word.lower())) is not None:
            return {name: value}
    if winner := _WON.fullmatch(word):
        return {"result": winner[1]}
    if start := handicaps.by_name(word):
        return {"handicap": start.preset}
    if (ending := specials.BY_WORD.get(word)) is not None and ending.special in ENDINGS:
        return {"special": ending.special}
    return {"from": word, "to": word} if _DAY.fullmatch(word) and is_date(word) else {}


def _is_known(scope: Scope, name: str) -> bool:
    """Return whether a player or an event has this very name."""
    return bool(named(scope, "player", name) or named(scope, "event", name))
