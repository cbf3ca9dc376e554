"""Whom a name means that may be a part of one: 羽生, 棋王戦, はぶ, Habu.

A name that somebody here has means who has it. Any other, and one with an asterisk behind it, means those
whose names, former names too, hold it, and the players that are read so.
"""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

from archive.character_forms import folded
from archive.kana_readings import family_of
from archive.models import Player
from archive.queries.kept import unchanged
from archive.queries.named import named
from archive.queries.scope import Scope
from archive.queries.search.words import names_holding
from archive.romaji import given_key, readings
from archive.search_text import searched

_Kind = Literal["player", "event"]


class Meant(NamedTuple):
    """The ids of whom a name means, none where nobody is; `part` tells that it is only a part of their
    names, `vague` that it is too short to be looked for in names, or that too many hold it."""

    ids: tuple[int, ...]
    part: bool = False
    vague: bool = False


def meant(scope: Scope, kind: _Kind, text: str) -> Meant:
    """Return whom a name means. One that is vague means nobody."""
    part = text.rstrip(_PART)
    if part == text and (found := named(scope, kind, text)):
        return Meant(found)
    if not is_part(part):
        return Meant((), vague=True)
    return unchanged(f"meant {scope} {kind} {part}", lambda: _holding(scope, kind, part))


def _holding(scope: Scope, kind: _Kind, part: str) -> Meant:
    held = names_holding(scope, kind, part)
    if held is None:
        return Meant((), vague=True)
    return Meant(tuple(sorted({*held, *(read_so(scope, part) if kind == "player" else ())})), part=True)


def with_relatives(scope: Scope, name: str) -> str:
    """Return a player's name; one that is a family name alone, as some records have it, with the asterisk
    that makes it mean all of the family where there are others."""
    if not name or family_of(folded(name))[0] != folded(name):
        return name
    alone = named(scope, "player", name)
    return (
        name + _PART[0] if alone and len(meant(scope, "player", name + _PART[0]).ids) > len(alone) else name
    )


_PART: Final = "*＊"
"""What stands behind a part of a name, whoever has it as a whole."""


def is_part(text: str) -> bool:
    """Tell whether a text is long enough to be looked for in names: two letters or kana, or one kanji."""
    form = searched(text)
    return len(form) >= _SHORTEST or form > _LAST_KANA


_SHORTEST: Final = 2
_LAST_KANA: Final = "\u30ff"


def read_so(scope: Scope, text: str, *, begun: bool = False) -> list[int]:
    """Return the players whose names are read as a text, in kana or Latin letters; those whose reading begins
    so where the text is only `begun`."""
    found: list[int] = []
    for family, given in readings(text, begun=begun):
        # Behind a family name stands a blank, which is less than any sign.
        names = Player.objects.filter(
            space__in=scope.spaces, reading__gte=family, reading__lt=family + ("\uffff" if begun else "!")
        )
        rows = names.order_by("pk").values_list("pk", "name")[:_LOOKED_AT]
        own = {pk: given_key(name) for pk, name in rows}
        # A given name whose reading is not known may be this one.
        same = [pk for pk in own if own[pk] == given or (begun and own[pk].startswith(given))]
        found += (same or [pk for pk in own if not own[pk]]) if given else own
    return found


_LOOKED_AT: Final = 500
