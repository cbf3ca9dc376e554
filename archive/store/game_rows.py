"""The row of a game, and which rows a game keeps when it is derived again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from archive.derive import formations
from archive.derive.corrections import Corrected, attach
from archive.derive.editions import Edition, derive_edition
from archive.derive.game import DerivedGame
from archive.index import schema
from archive.models import Game, codec
from archive.store.facts import people
from archive.store.names import Names, home_of

Derivation = Callable[[Edition, int, int | None], DerivedGame]
"""Derives a game from an edition, a space, and `kept_rows` (`archive.derive.game.DerivedGame`)."""


class Details(NamedTuple):
    """The packed series of a stored game, and the ratings of its players by colour: None for a player without
    a rating, no entry for an unknown player."""

    series: bytes = b""
    ratings: Mapping[int, int | None] = {}


def derive_again(
    game: Game,
    stored: Edition,
    details: Details,
    source: Edition,
    corrected: Corrected | None = None,
    derive: Derivation = derive_edition,
) -> DerivedGame:
    """Return a stored game as derived from the edition `source`, which becomes `corrected` by corrections.
    `stored` is its stored edition with corrections. The game keeps its rows in the index if they stay the
    same."""
    if corrected is None:
        return _derive_again(game, stored, details, source, derive)
    base = derive(source, game.space, 0)
    return attach(_derive_again(game, stored, details, corrected.edition, derive), base, corrected)


def _derive_again(
    game: Game, stored: Edition, details: Details, source: Edition, derive: Derivation
) -> DerivedGame:
    if _same_moves(stored, source):
        derived = derive(source, game.space, game.index_rows)
        if _keeps_rows(game, details, derived):
            return derived
    return derive(source, game.space, None)


def _same_moves(one: Edition, other: Edition) -> bool:
    return codec.same_moves(codec.unpack(one.record), codec.unpack(other.record))


# --- the row of a game -----------------------------------------------------------------------------------


def game_row(game: DerivedGame, names: Names, slot: int) -> dict[str, Any]:
    """Return the values of the columns of a game by name."""
    black, white = people(game, names)
    return {
        "kind": game.kind, "record_kind": game.record_kind, "space": game.space, "digest": game.digest,
        "digest_version": game.digest_version, "stem": game.stem, "slot": slot, "player0_id": black,
        "player1_id": white, "event_id": home_of(names.label_of("event", game)),
        "place_id": home_of(names.label_of("place", game)), "site": game.site,
        "played_from": game.played_from, "played_to": game.played_to, "precision": game.precision,
        "played": game.played, "handicap": game.handicap, "result": game.result, "special": game.special,
        "plies": game.plies, "index_version": schema.INDEX_VERSION, "index_rows": game.row_count,
        "calendar": game.calendar, "round": game.round, "opening": game.opening,
        "header_data": game.header_data, "features": game.features, "formations_version": formations.VERSION,
        "corrected": game.base is not None, "masked": game.masked,
    }  # fmt: skip


def has_row(game: Game, derived: DerivedGame, names: Names) -> bool:
    row = game_row(derived, names, game.slot)
    stored = {name: getattr(game, name) for name in row}
    return stored | {name: bytes(stored[name] or b"") for name in ("digest", "stem")} == row


def _keeps_rows(game: Game, details: Details, derived: DerivedGame) -> bool:
    return (
        game.index_version == schema.INDEX_VERSION
        and (game.record_kind, game.played, game.result)
        == (derived.record_kind, derived.played, derived.result)
        and (bytes(game.digest), game.digest_version) == (derived.digest, derived.digest_version)
        and details.ratings == ratings_of(derived)
    )


def ratings_of(derived: DerivedGame) -> dict[int, int | None]:
    return {
        colour: derived.ratings[colour]
        for colour in (0, 1)
        if derived.players[colour] or derived.attributed[colour]
    }
