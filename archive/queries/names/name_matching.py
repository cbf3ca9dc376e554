"""The players, events or places that a name, a part of a name or a reading matches: 羽生, 棋王戦, はぶ, Habu.

A name that somebody has matches exactly. Any other name, and a name with an asterisk behind it, matches all
names (former names too) that contain it, and all players whose reading it is.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from archive.caching.values import cached_until_commit
from archive.models import NameKind, Player
from archive.names.character_forms import folded
from archive.names.kana_readings import family_of
from archive.names.romaji import given_key, readings
from archive.names.search_text import search_form
from archive.queries.names.ids_of_names import ids_of_name
from archive.queries.scope import Scope
from archive.queries.search.words import names_with_word


class NameMatch(NamedTuple):
    """The ids of the rows that a name matches.

    `part` marks a match by a part or a reading of names. A `vague` name is too short to search for, or too
    many names contain it: then `ids` is empty.
    """

    ids: tuple[int, ...]
    part: bool = False
    vague: bool = False


def match_name(scope: Scope, kind: NameKind, text: str) -> NameMatch:
    """Return the rows that a name matches exactly, else those that it matches in part."""
    part = text.rstrip(_PART)
    if part == text and (ids := ids_of_name(scope, kind, text)):
        return NameMatch(ids)
    if not is_searchable(part):
        return NameMatch((), vague=True)
    return cached_until_commit(f"name {scope} {kind} {part}", lambda: _match_part(scope, kind, part))


def _match_part(scope: Scope, kind: NameKind, part: str) -> NameMatch:
    ids = names_with_word(scope, kind, part)
    if ids is None:
        return NameMatch((), vague=True)
    by_reading = players_by_reading(scope, part) if kind == "player" else ()
    return NameMatch(tuple(sorted({*ids, *by_reading})), part=True)


def with_relatives(scope: Scope, name: str) -> str:
    """Return a player's name, with an asterisk if it is a bare family name that other players share.

    Some records have only the family name.
    """
    if not name or family_of(folded(name))[0] != folded(name):
        return name
    alone, starred = ids_of_name(scope, "player", name), name + _PART[0]
    return starred if alone and len(match_name(scope, "player", starred).ids) > len(alone) else name


_PART: Final = "*＊"
"""Marks the text before it as a part of names, even if it is a complete name."""


def is_searchable(text: str) -> bool:
    """Return whether a text is long enough to be searched in names: two letters or kana, or one kanji."""
    form = search_form(text)
    return len(form) >= _SHORTEST or form > _LAST_KANA


_SHORTEST: Final = 2
_LAST_KANA: Final = "\u30ff"


def players_by_reading(scope: Scope, text: str, *, prefix: bool = False) -> list[int]:
    """Return the players whose names have a text as their reading, in kana or Latin letters; with `prefix`
    also those whose reading begins with it."""
    pks: list[int] = []
    for family, given in readings(text, partial=prefix):
        # A family name is followed by a blank, which sorts before any other character.
        names = Player.objects.filter(
            space__in=scope.spaces, reading__gte=family, reading__lt=family + ("\uffff" if prefix else "!")
        )
        rows = names.order_by("pk").values_list("home_id", "pk", "name", "kana")[:_MOST_NAMES]
        given_keys = {home or pk: given_key(name, kana) for home, pk, name, kana in rows}
        same = [pk for pk, key in given_keys.items() if key == given or (prefix and key.startswith(given))]
        # A given name without a known reading may be this one.
        pks += (same or [pk for pk, key in given_keys.items() if not key]) if given else given_keys
    return pks


_MOST_NAMES: Final = 500
