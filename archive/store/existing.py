"""Read the stored games that a plan needs, and lock them.

On PostgreSQL games that could be the same are also under an advisory lock that both their writers take, so
neither overlooks the other.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from hashlib import blake2b
from typing import Any, Final, TypeVar

from django.db import connection
from django.db.models import QuerySet

from archive.derive.corrections import GameCorrection
from archive.derive.editions import Edition, derive_edition
from archive.derive.game import SHORT_PLIES, DerivedGame, Identity
from archive.index.engine import engine
from archive.index.schema import BLACK_WINS, DRAW, UNKNOWN, WHITE_WINS
from archive.models import Correction, Game, GameIdentity, GamePlayer, GameRecord, GameSeries, TakenDown
from archive.store.facts import Facts, facts
from archive.store.game_rows import Details
from archive.store.names import Names
from archive.store.plan import CorrectedGame, Existing, Unread

T = TypeVar("T")

_MEETINGS: Final = """
    WITH pairing (black, white, played, plies, open) AS (VALUES {places})
    SELECT DISTINCT g.id FROM pairing w
    JOIN archive_gameplayer p ON p.player_id = w.black AND p.played = w.played AND p.colour = 0
    JOIN archive_game g ON g.slot = p.slot
    WHERE g.player1_id = w.white AND g.record_kind = 'game'
        AND ((g.result = {unknown} AND g.plies < w.plies) OR (w.open = 1 AND g.plies > w.plies))
"""
_ROWS_A_STATEMENT: Final = 500
ACTIVE: Final = (Correction.State.APPLIED, Correction.State.FAILED)
"""States of corrections that count for their subject."""


def batched(rows: Sequence[T]) -> list[Sequence[T]]:
    """Return rows in batches, one for each statement."""
    return [rows[start : start + _ROWS_A_STATEMENT] for start in range(0, len(rows), _ROWS_A_STATEMENT)]


def read(existing: Existing, unread: Unread) -> None:
    """Read the rows that a plan lacks, within its transaction."""
    if unread.identify:
        _identify(existing, unread.identify)
    if unread.compare:
        _compare(existing, unread.compare)
    if unread.editions:
        _read_editions(existing, unread.editions)
    if unread.details:
        existing.details.update(details_of([existing.games[pk] for pk in unread.details]))


def _identify(existing: Existing, games: Sequence[DerivedGame]) -> None:
    """Read the games with the same identities, and for games without one those that could be the same."""
    names = existing.names
    names.add_names_of([game for game in games if not names.has_names_of(game)])
    lock(games, names)
    new = {game.identity: game for game in games if game.identity not in existing.identified}
    stored = games_by_identity(new)
    existing.uploaded |= {
        identity: game.pk for identity, game in stored.items() if bytes(game.digest) != identity[1]
    }
    _add(existing, stored.values())
    existing.taken_down |= taken_down(new.keys() - stored.keys())
    existing.identified |= new.keys()
    unmatched = new.keys() - stored.keys() - existing.taken_down.keys()
    if unmatched:
        _compare(existing, {facts(new[identity], names): new[identity] for identity in unmatched})


def _compare(existing: Existing, games: Mapping[Facts, DerivedGame]) -> None:
    stems = {game.stem for game in games.values() if game.plies >= SHORT_PLIES}
    if stems:
        before = GameIdentity.objects.filter(stem__in=stems)
        _add(existing, _locked(Game.objects.filter(stem__in=stems), before))
    if ids := _meetings(games):
        _add(existing, _locked(Game.objects.filter(pk__in=ids)))
    existing.compared |= games.keys()


def _read_editions(existing: Existing, ids: set[int]) -> None:
    if missing := ids - existing.games.keys():
        _add(existing, _locked(Game.objects.filter(pk__in=missing)))
        if ids - existing.games.keys():
            raise Game.DoesNotExist
    existing.editions.update(stored_editions([existing.games[pk] for pk in ids]))


def _add(existing: Existing, games: Iterable[Game]) -> None:
    new = {game.pk: game for game in games if game.pk not in existing.games}
    existing.games |= new
    corrected = corrected_games([game for game in new.values() if game.corrected])
    existing.names.add_names_of([game.base for game in corrected.values()])
    existing.corrected |= corrected


def corrected_games(games: Sequence[Game]) -> dict[int, CorrectedGame]:
    """Return games that have corrections, by id, with these."""
    if not games:
        return {}
    bases = stored_editions(games)
    rows = GameRecord.objects.filter(game__in=games).values_list("game_id", "record", "parsed_facts")
    finals = {pk: Edition(bytes(record), parsed_facts) for pk, record, parsed_facts in rows}
    corrections = corrections_of(list(bases))
    return {
        game.pk: CorrectedGame(
            finals[game.pk], derive_edition(bases[game.pk], game.space, 0), tuple(corrections[game.pk])
        )
        for game in games
    }


def corrections_of(games: Collection[int]) -> dict[int, list[GameCorrection]]:
    """Return the corrections of games that apply or failed, by id, in their order."""
    rows = Correction.objects.filter(
        subject=Correction.Subject.GAME,
        subject_id__in=games,
        state__in=ACTIVE,
    ).order_by("number")
    corrections: dict[int, list[GameCorrection]] = {pk: [] for pk in games}
    for row in rows:
        corrections[row.subject_id].append(GameCorrection(row.pk, row.operations, row.failed_operation))
    return corrections


def stored_editions(games: Sequence[Game]) -> dict[int, Edition]:
    """Return stored games as editions, before corrections, by id. Raises GameRecord.DoesNotExist for one
    without a record."""
    rows = GameRecord.objects.filter(game__in=games).values_list(
        "game_id", "record", "parsed_facts", "base", "base_facts"
    )
    records = {
        pk: (bytes(record), parsed_facts) if base is None else (bytes(base), base_facts)
        for pk, record, parsed_facts, base, base_facts in rows
    }
    if len(records) < len(games):
        raise GameRecord.DoesNotExist
    return {
        game.pk: Edition(records[game.pk][0], records[game.pk][1] or _facts_of_columns(game))
        for game in games
    }


def details_of(games: Sequence[Game]) -> dict[int, Details]:
    """Return the series and ratings of stored games, by id."""
    series = dict(GameSeries.objects.filter(game__in=games).values_list("game_id", "series"))
    ratings: dict[int, dict[int, int | None]] = {game.slot: {} for game in games}
    rows = GamePlayer.objects.filter(slot__in=ratings.keys())
    for slot, colour, rating in rows.values_list("slot", "colour", "rating"):
        ratings[slot][colour] = rating
    return {game.pk: Details(bytes(series.get(game.pk, b"")), ratings[game.slot]) for game in games}


def _facts_of_columns(game: Game) -> dict[str, Any]:
    """Return the parsed facts of a game that was stored without them."""
    winner = game.result if game.result in (BLACK_WINS, WHITE_WINS) else None
    ending = [game.special, game.special, game.plies, winner, game.result == DRAW]
    return {"kind": game.record_kind, "ending": ending if game.special or winner is not None else None}


def games_by_identity(identities: Iterable[Identity]) -> dict[Identity, Game]:
    """Return the stored games with these identities, now or in an edition as uploaded, locked in the order of
    their ids."""
    spaces: dict[int, list[bytes]] = {}
    for space, digest in identities:
        spaces.setdefault(space, []).append(digest)
    found: dict[Identity, Game] = {}
    for space, digests in spaces.items():
        uploaded = GameIdentity.objects.filter(space=space, digest__in=digests)
        games = {
            game.pk: game for game in _locked(Game.objects.filter(space=space, digest__in=digests), uploaded)
        }
        found |= {(game.space, bytes(game.digest)): game for game in games.values()}
        if games:
            rows = uploaded.filter(game__in=games.keys()).values_list("digest", "game")
            found |= {(space, bytes(digest)): games[pk] for digest, pk in rows}
    return found


def _locked(games: QuerySet[Game], before: QuerySet[GameIdentity] | None = None) -> Iterable[Game]:
    """Return games, and those of identities of editions, locked in the order of their ids."""
    if before is not None:
        games = Game.objects.filter(pk__in=games.values("pk").union(before.values("game"), all=True))
    return games.select_for_update().order_by("pk")


def _meetings(games: Mapping[Facts, DerivedGame]) -> set[int]:
    """Return the stored games of the same players and day of which one has stopped and is shorter."""
    pairings = sorted(
        {
            (*pairing.players, game.played, game.plies, int(own.stopped))
            for own, game in games.items()
            if (pairing := own.pairing)
        }
    )
    ids: set[int] = set()
    for part in batched(pairings):
        sql = _MEETINGS.format(places=", ".join(["(%s, %s, %s, %s, %s)"] * len(part)), unknown=UNKNOWN)
        with connection.cursor() as cursor:
            cursor.execute(sql, [value for row in part for value in row])
            ids.update(pk for (pk,) in cursor.fetchall())
    return ids


def taken_down(identities: Collection[Identity]) -> dict[Identity, bool]:
    """Return those identities that were taken down, and whether their bytes were hidden too."""
    if not identities:
        return {}
    rows = TakenDown.objects.filter(digest__in=[digest for _, digest in identities])
    marks = rows.values_list("space", "digest", "hidden")
    held = {(space, bytes(digest)): hidden for space, digest, hidden in marks}
    return {identity: hidden for identity, hidden in held.items() if identity in identities}


def lock(games: Iterable[DerivedGame], names: Names) -> None:
    """Keep others from storing games that could be the same as one of these, until the transaction ends."""
    marks: set[bytes] = set()
    for game in games:
        marks.add(game.stem)
        if pairing := facts(game, names).pairing:
            marks.add(repr(pairing).encode())
    keys = {blake2b(mark, digest_size=4).digest() for mark in marks}
    with connection.cursor() as cursor:
        engine().lock_marks(cursor, sorted(int.from_bytes(key, "big", signed=True) for key in keys))
