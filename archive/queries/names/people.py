"""Players and events: lists by name, and what the games of one of them add up to.

Sums are taken over the latest `LOOKED_AT` games of a player or an event at most, so that no page costs more
however many games a program has played; `Summary.more` tells that there are others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Final

from django.db.models import QuerySet

from archive.derive import headers
from archive.index.schema import BLACK_WINS, DRAW, WHITE_WINS
from archive.models import Event, EventAlias, GameEvent, GamePlayer, Player, PlayerAlias
from archive.project.reading import connection
from archive.queries.names.ids_of_names import NameKind, ids_of_name
from archive.queries.names.name_matching import players_by_reading
from archive.queries.scope import Scope
from archive.queries.sql import Sql, conjunction, one_of

LOOKED_AT: Final = 5000
"""Games that a summary looks at: about 20 ms on either engine."""

LISTED: Final = 20
"""Opponents, players and openings that a summary names."""

COUNTED_TO: Final = 1000
"""Games that a list of names counts for each; more are "1000 and more"."""


@dataclass(slots=True)
class ResultCounts:
    """Games by how they ended for one side."""

    wins: int = 0
    losses: int = 0
    draws: int = 0
    unknown: int = 0

    @property
    def games(self) -> int:
        return self.wins + self.losses + self.draws + self.unknown

    @property
    def decided(self) -> int:
        return self.wins + self.losses

    def add_all(self, other: ResultCounts) -> None:
        """Count the games of another tally too."""
        self.wins += other.wins
        self.losses += other.losses
        self.draws += other.draws
        self.unknown += other.unknown

    def add(self, result: int, colour: int, n: int = 1) -> None:
        """Count so many games with a result (`Game.Result`) of one who had a colour."""
        if result == DRAW:
            self.draws += n
        elif result in (BLACK_WINS, WHITE_WINS):
            if (result == BLACK_WINS) == (colour == 0):
                self.wins += n
            else:
                self.losses += n
        else:
            self.unknown += n


@dataclass(frozen=True, slots=True)
class NamedCount:
    """A player or an event in a list; `games` is exact below `COUNTED_TO`."""

    id: int
    name: str
    games: int


@dataclass(slots=True)
class Summary:
    """The games of a player or of an event, added up.

    `sides` are, by kind of game, those of colours 0 and 1: a player's own, or all of an event as each side
    sees them. `people` are a player's opponents (as the player fared against them) or an event's players.
    `years` and `openings` are numbers of games; openings are those that the records name.
    """

    id: int
    name: str
    aliases: tuple[str, ...]
    sides: dict[str, tuple[ResultCounts, ResultCounts]] = field(default_factory=dict)
    people: tuple[tuple[NamedCount, ResultCounts], ...] = ()
    years: tuple[tuple[int, int], ...] = ()
    openings: tuple[tuple[str, int], ...] = ()
    looked_at: int = 0
    more: bool = False

    def add(self, kind: str, result: int, colour: int) -> None:
        """Count a game for a side."""
        self.sides.setdefault(kind, (ResultCounts(), ResultCounts()))[colour].add(result, colour)


TABLES: Final[Mapping[NameKind, Mapping[str, str]]] = {
    "player": {"kind": "player", "table": "archive_player", "by": "key", "games": "archive_gameplayer"},
    "event": {"kind": "event", "table": "archive_event", "by": "name", "games": "archive_gameevent"},
}
"""What pieces of SQL about names are filled in with: the names of tables, and what one is known by."""

_NAMES: Final = """
    WITH {pieces} SELECT n.id, n.name, {number}, {outer} FROM (
        {together} ORDER BY {order} LIMIT %s
    ) n ORDER BY {outer}
"""
_PIECE: Final = """
    p{number} AS (
        SELECT n.* FROM {table} n WHERE n.space = {space} AND {conditions} ORDER BY {order} LIMIT %s
    )
"""
_COUNTED: Final = "SELECT count(*) FROM ({together}) x"
_COUNTED_PIECE: Final = """
    SELECT * FROM (SELECT n.{by} FROM {table} n WHERE n.space = {space} AND {listed} LIMIT %s) p{number}
"""
_NUMBER: Final = "(SELECT count(*) FROM (SELECT 1 FROM {games} d WHERE d.{kind}_id {alike} LIMIT %s) x)"
_LISTED: Final = "{holding} AND EXISTS (SELECT 1 FROM {games} d WHERE d.{kind}_id = n.id)"
_HOLDING: Final = "lower(n.{by}) LIKE lower(%s) ESCAPE '!'"
_ALIKE: Final = "IN (SELECT o.id FROM {table} o WHERE o.space IN ({spaces}) AND o.{by} = n.{by})"
_ONCE: Final = """
    ({columns}) <= ({last}) AND NOT EXISTS (
        SELECT 1 FROM {table} o WHERE o.space IN ({before}) AND o.{by} = n.{by}
        AND EXISTS (SELECT 1 FROM {games} d WHERE d.{kind}_id = o.id)
    )
"""
"""Who is known in several spaces is named once: as in the first of them."""
_LAST: Final = """coalesce(
    (SELECT f.{column} FROM p0 f ORDER BY {order} LIMIT 1 OFFSET %s - 1),
    (SELECT max(o.{column}) FROM {table} o WHERE o.space = {space})
)"""
"""How far the names of the other spaces are looked at: as many names of the first space are enough. Where it
has fewer, to the end."""
_GAMES_OF: Final = """
    SELECT d.played, {colour}, g.result, g.player0_id, g.player1_id, g.opening, g.kind
    FROM {games} d JOIN archive_game g ON g.slot = d.slot
    WHERE d.{kind}_id {one_of} AND g.record_kind = 'game'
    ORDER BY d.played DESC, d.slot DESC LIMIT %s
"""


def names(
    scope: Scope, kind: NameKind, words: str = "", after: str = "", limit: int = 100
) -> list[NamedCount]:
    """Return the players or events after a name, ordered by name, whose names hold the words. Width and case
    do not matter, nor does the form of the characters in players' names. This takes one look at the names. A
    name whose games are all gone is gone too."""
    place = Sql("n.name > %s", (after.replace("\0", ""),))
    return [NamedCount(*row[:3]) for row in names_from(scope, kind, ("name",), place, words, limit)]


def names_from(
    scope: Scope, kind: NameKind, order: Sequence[str], place: Sql, words: str, limit: int
) -> list[tuple[Any, ...]]:
    """Return the next names in an order of columns, after the place that a condition on a name n says: of
    each its id, the name, the number of its games up to a limit, and those columns."""
    listed = _listed(scope, kind, words)
    spaces = sorted(scope.spaces)
    pieces = [
        _piece(kind, spaces[: number + 1], order, conjunction([place, listed]), limit)
        for number in range(len(spaces))
    ]
    sql = _NAMES.format(
        pieces=", ".join(piece.text for piece in pieces),
        together=" UNION ALL ".join(f"SELECT * FROM p{number}" for number in range(len(spaces))),
        number=_NUMBER.format(alike=_alike(kind, spaces), **TABLES[kind]),
        order=", ".join(order),
        outer=_columns("n", order),
    )
    values = [value for piece in pieces for value in piece.values]
    with connection.cursor() as cursor:
        cursor.execute(sql, [*values, COUNTED_TO, limit])
        return list(cursor.fetchall())


def _piece(kind: NameKind, spaces: Sequence[int], order: Sequence[str], asked: Sql, limit: int) -> Sql:
    """Return SQL for the first names of the last of some spaces that none of the others before it has."""
    *before, space = spaces
    conditions = [asked]
    if before:
        last = (
            _LAST.format(column=column, order=_columns("f", order), space=space, **TABLES[kind])
            for column in order
        )
        once = _ONCE.format(
            columns=_columns("n", order),
            last=", ".join(last),
            before=", ".join(map(str, before)),
            **TABLES[kind],
        )
        conditions.append(Sql(once, (limit,) * len(order)))
    found = conjunction(conditions)
    text = _PIECE.format(
        number=len(before),
        space=space,
        conditions=found.text,
        order=_columns("n", order),
        **TABLES[kind],
    )
    return Sql(text, (*found.values, limit))


def _columns(alias: str, columns: Sequence[str]) -> str:
    return ", ".join(f"{alias}.{column}" for column in columns)


def _alike(kind: NameKind, spaces: Sequence[int]) -> str:
    """Return what follows the column of a name's id in the condition that it is n's, in any of the spaces."""
    if len(spaces) == 1:
        return "= n.id"
    return _ALIKE.format(spaces=", ".join(map(str, spaces)), **TABLES[kind])


def count_names(scope: Scope, kind: NameKind, words: str, most: int) -> int:
    """Count the players or events that `names` lists, up to `most`."""
    listed = _listed(scope, kind, words)
    pieces = (
        _COUNTED_PIECE.format(number=number, space=space, listed=listed.text, **TABLES[kind])
        for number, space in enumerate(scope.spaces)
    )
    # A name in several spaces counts once: UNION drops equal rows.
    sql = _COUNTED.format(together=" UNION ".join(pieces))
    with connection.cursor() as cursor:
        cursor.execute(sql, [*listed.values, most] * len(scope.spaces))
        return min(most, int(cursor.fetchone()[0]))


def _listed(scope: Scope, kind: NameKind, words: str) -> Sql:
    held = name_condition(scope, kind, words)
    return Sql(_LISTED.format(holding=held.text, **TABLES[kind]), held.values)


def name_condition(scope: Scope, kind: NameKind, words: str) -> Sql:
    """Return the condition that a name n holds words, or is that of a player and read so."""
    held = Sql(_HOLDING.format(**TABLES[kind]), (_like(kind, words),))
    read = tuple(players_by_reading(scope, words)) if kind == "player" else ()
    return Sql(f"({held.text} OR n.id {one_of(read)})", (*held.values, *read)) if read else held


def _like(kind: NameKind, words: str) -> str:
    """Return the pattern of names that hold words."""
    # As the name is stored, but for what would be left of a title alone.
    text = headers.plain(words)
    if kind == "player":
        text = headers.player_key(words) or headers.folded(text)
    return "%" + text.replace("!", "!!").replace("%", "!%").replace("_", "!_") + "%"


def stored_spelling(scope: Scope, text: str) -> str:
    """Return a player's name as it is here, where a text is that name in other cases or the other kana;
    otherwise return the text."""
    if ids_of_name(scope, "player", text):
        return text
    forms = dict.fromkeys([text, text.translate(_TO_KATAKANA), text.translate(_TO_HIRAGANA)])
    alike = {one.name for form in forms for one in names(scope, "player", form, limit=LISTED)}
    same = [name for name in alike if _folded(name) == _folded(headers.plain(text))]
    return same[0] if len(same) == 1 else text


def _folded(name: str) -> str:
    return name.casefold().translate(_TO_KATAKANA)


_HIRAGANA: Final = range(0x3041, 0x3097)
_TO_KATAKANA: Final = {code: code + 0x60 for code in _HIRAGANA}
_TO_HIRAGANA: Final = {code + 0x60: code for code in _HIRAGANA}


def _has_games(rows: QuerySet[Any]) -> bool:
    """Tell whether there are rows, by the index: without its order PostgreSQL may look through the table."""
    return bool(rows.order_by("played", "slot").values_list("slot")[:1])


def player_summary(scope: Scope, player_id: int) -> Summary | None:
    """Return a player's games added up; None for an unknown id, and where no games of it are left."""
    player = Player.objects.filter(pk=player_id, space__in=scope.spaces).first()
    if player is None or not _has_games(GamePlayer.objects.filter(player=player)):
        return None
    mine = Player.objects.filter(space__in=scope.spaces, key=player.key).values_list("pk", flat=True)
    aliases = PlayerAlias.objects.filter(player__in=mine).order_by("name").values_list("name", flat=True)
    summary = Summary(player.pk, player.name, tuple(dict.fromkeys(aliases)))
    rows = _rows("player", tuple(mine), summary)
    against: dict[int, ResultCounts] = {}
    for _played, colour, result, black, white, _opening, kind in rows:
        summary.add(kind, result, colour)
        opponent = white if colour == 0 else black
        if opponent is not None:
            against.setdefault(opponent, ResultCounts()).add(result, colour)
    summary.people = players_of(against)
    return summary


def merged_names(scope: Scope, player_id: int) -> int | None:
    """Return the player that the one of this former id turned out to be; None where there is none."""
    former = PlayerAlias.objects.filter(former=player_id, space__in=scope.spaces)
    found = former.values_list("player_id", flat=True).first()
    return None if found is None else int(found)


def event_summary(scope: Scope, event_id: int) -> Summary | None:
    """Return an event's games added up; None for an unknown id, and where no games of it are left."""
    event = Event.objects.filter(pk=event_id, space__in=scope.spaces).first()
    if event is None or not _has_games(GameEvent.objects.filter(event=event)):
        return None
    mine = Event.objects.filter(space__in=scope.spaces, name=event.name).values_list("pk", flat=True)
    aliases = EventAlias.objects.filter(event__in=mine).order_by("name").values_list("name", flat=True)
    summary = Summary(event.pk, event.name, tuple(dict.fromkeys(aliases)))
    scores: dict[int, ResultCounts] = {}
    for _played, _colour, result, *players, _opening, kind in _rows("event", tuple(mine), summary):
        for colour, player in enumerate(players):
            summary.add(kind, result, colour)
            if player is not None:
                scores.setdefault(player, ResultCounts()).add(result, colour)
    summary.people = players_of(scores)
    return summary


def _rows(kind: NameKind, ids: tuple[int, ...], summary: Summary) -> list[tuple[Any, ...]]:
    """Return the latest games, newest first, after adding to the summary what does not depend on the kind."""
    colour = "d.colour" if kind == "player" else "0"
    sql = _GAMES_OF.format(colour=colour, **TABLES[kind], one_of=one_of(ids))
    with connection.cursor() as cursor:
        cursor.execute(sql, [*ids, LOOKED_AT + 1])
        rows: list[tuple[Any, ...]] = cursor.fetchall()
    summary.more = len(rows) > LOOKED_AT
    rows = rows[:LOOKED_AT]
    summary.looked_at = len(rows)
    summary.years = by_year(played for played, *_rest in rows)
    summary.openings = tuple(Counter(row[5] for row in rows if row[5]).most_common(LISTED))
    return rows


def by_year(days: Iterable[int] | Mapping[int, int]) -> tuple[tuple[int, int], ...]:
    """Count games by year, without gaps, out of ordinals or of how many there are of each; games without a
    day are left out."""
    return without_gaps(years_of(days))


def years_of(days: Iterable[int] | Mapping[int, int]) -> Counter[int]:
    """Count games by year as `by_year` does, the years of which there are any."""
    found = Counter[int]()
    for day, n in Counter(days).items():
        if day > 0:
            found[date.fromordinal(day).year] += n
    return found


def without_gaps(found: Counter[int]) -> tuple[tuple[int, int], ...]:
    """Return every year from the first to the last, with its number."""
    if not found:
        return ()
    return tuple((year, found[year]) for year in range(min(found), max(found) + 1))


def players_of(tallies: dict[int, ResultCounts]) -> tuple[tuple[NamedCount, ResultCounts], ...]:
    """Return the most frequent players, with their names. Who is known in several spaces is one, who has gone
    is none."""
    known = {
        pk: (key, name)
        for pk, key, name in Player.objects.filter(pk__in=tallies).values_list("pk", "key", "name")
    }
    together: dict[str, tuple[int, ResultCounts]] = {}
    for pk in sorted(known):
        together.setdefault(known[pk][0], (pk, ResultCounts()))[1].add_all(tallies[pk])
    chosen = sorted(together.values(), key=lambda found: (-found[1].games, found[0]))[:LISTED]
    return tuple((NamedCount(pk, known[pk][1], tally.games), tally) for pk, tally in chosen)
