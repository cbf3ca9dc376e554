"""Lists of players, events and places by name, and summaries of the games of one of them.

A summary counts only the latest `MOST_COUNTED` games, because some programs have very many. `Summary.more`
tells whether there are older ones.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Final

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Coalesce

from archive.derive import headers
from archive.index.schema import BLACK_WINS, DRAW, WHITE_WINS
from archive.index.texts import text_index
from archive.models import GAMES_OF, NAMED, AnyName, GamePlayer, NameKind, Player
from archive.names.search_text import search_form
from archive.queries.names.ids_of_names import ids_of_name
from archive.queries.names.name_matching import players_by_reading
from archive.queries.scope import Scope
from archive.queries.sql import Sql, conjunction, joined, one_of

MOST_COUNTED: Final = 5000
"""How many games a summary counts: about 20 ms on SQLite and on PostgreSQL."""

MOST_LISTED: Final = 20
"""How many opponents, players or openings a summary lists."""

COUNT_LIMIT: Final = 1000
"""How many games a list counts for each name. A name with more of them is shown with "1000 and more"."""


@dataclass(slots=True)
class ResultCounts:
    """Numbers of games by their result for one player."""

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
        """Add the numbers of another count to this one."""
        self.wins += other.wins
        self.losses += other.losses
        self.draws += other.draws
        self.unknown += other.unknown

    def add(self, result: int, colour: int, n: int = 1) -> None:
        """Count `n` games with a result (`Game.Result`), in which the player had a colour."""
        if result == DRAW:
            self.draws += n
        elif result not in (BLACK_WINS, WHITE_WINS):
            self.unknown += n
        elif (result == BLACK_WINS) == (colour == 0):
            self.wins += n
        else:
            self.losses += n


@dataclass(frozen=True, slots=True)
class NamedCount:
    """A row in a list; `games` is exact below `COUNT_LIMIT`."""

    id: int
    name: str
    games: int


@dataclass(slots=True)
class Summary:
    """Counts of the games of a player, an event or a place."""

    id: int
    name: str
    aliases: tuple[str, ...]
    entity: AnyName
    sides: dict[str, tuple[ResultCounts, ResultCounts]] = field(default_factory=dict)
    """For each kind of game, the results of colours 0 and 1. Those of a player are the player's own."""
    people: tuple[tuple[NamedCount, ResultCounts], ...] = ()
    """The opponents of a player with the player's results against them, or the players of an event or
    place with their own results."""
    years: tuple[tuple[int, int], ...] = ()
    """Years with their numbers of games."""
    openings: tuple[tuple[str, int], ...] = ()
    """Openings in the headers of records, with their numbers of games."""
    counted: int = 0
    """The number of games in this summary."""
    more: bool = False
    """Whether there are older games, which are not counted."""

    def add(self, kind: str, result: int, colour: int) -> None:
        """Count a game for one of its colours."""
        self.sides.setdefault(kind, (ResultCounts(), ResultCounts()))[colour].add(result, colour)


TABLES: Final[Mapping[NameKind, Mapping[str, str]]] = {
    kind: {"kind": kind, "table": f"archive_{kind}", "games": f"archive_game{kind}"} for kind in NAMED
}
"""Values for the SQL templates below. The column `key` is equal for the same name in two spaces."""

_NAMES: Final = """
    WITH {sql} SELECT n.id, n.name, {number}, {outer} FROM (
        {together} ORDER BY {order} LIMIT %s
    ) n ORDER BY {outer}
"""
_PIECE: Final = """
    p{number} AS (
        SELECT n.* FROM {table} n WHERE n.space = {space} AND {sql} ORDER BY {order} LIMIT %s
    )
"""
_COUNTED_PIECE: Final = """
    SELECT * FROM (SELECT n.key FROM {table} n WHERE n.space = {space} AND {sql} LIMIT %s) p{number}
"""
_NUMBER: Final = "(SELECT count(*) FROM (SELECT 1 FROM {games} d WHERE d.{kind}_id {alike} LIMIT %s) x)"
_WITH_GAMES: Final = "{sql} AND EXISTS (SELECT 1 FROM {games} d WHERE d.{kind}_id = n.id)"
_ALIKE: Final = "IN (SELECT o.id FROM {table} o WHERE o.space IN ({spaces}) AND o.key = n.key)"
_ONCE: Final = """
    ({columns}) <= ({last}) AND NOT EXISTS (
        SELECT 1 FROM {table} o WHERE o.space IN ({before}) AND o.key = n.key
        AND EXISTS (SELECT 1 FROM {games} d WHERE d.{kind}_id = o.id)
    )
"""
"""Excludes names of an earlier space: a name in several spaces is listed for the first of them only."""
_LAST: Final = """coalesce(
    (SELECT f.{column} FROM p0 f ORDER BY {order} LIMIT 1 OFFSET %s - 1),
    (SELECT max(o.{column}) FROM {table} o WHERE o.space = {space})
)"""
"""The last name that can be on the page: the one at the limit in the first space (`p0`). If the first space
has fewer names, it is the last name of this space, so that all are read."""
_GAMES_OF: Final = """
    SELECT d.played, {colour}, g.result, g.player0_id, g.player1_id, g.opening, g.kind
    FROM {games} d JOIN archive_game g ON g.slot = d.slot
    WHERE d.{kind}_id {one_of} AND g.record_kind = 'game'
    ORDER BY d.played DESC, d.slot DESC LIMIT %s
"""


def names(
    scope: Scope, kind: NameKind, words: str = "", after: str = "", limit: int = 100
) -> list[NamedCount]:
    """Return the rows with games whose names contain the words, in the order of their names,
    beginning after the name `after`.

    The comparison is that of `archive.names.search_text`, with all spellings of a name. It scans all names.
    """
    place = Sql("n.name > %s", (after.replace("\0", ""),))
    return [NamedCount(*row[:3]) for row in names_from(scope, kind, ("name", "key"), place, words, limit)]


def names_from(
    scope: Scope, kind: NameKind, order: Sequence[str], place: Sql, words: str, limit: int
) -> list[tuple[Any, ...]]:
    """Return rows of names n that contain the words and meet the condition `place`, ordered by the columns
    `order`. A row has the id, the name, the number of games (up to `COUNT_LIMIT`), and the columns of
    `order`."""
    listed = _listed(scope, kind, words)
    spaces = sorted(scope.spaces)
    pieces = [
        _piece(kind, spaces[: number + 1], order, conjunction([place, listed]), limit)
        for number in range(len(spaces))
    ]
    names = joined(pieces, ", ").embed(
        _NAMES,
        COUNT_LIMIT,
        limit,
        together=" UNION ALL ".join(f"SELECT * FROM p{number}" for number in range(len(spaces))),
        number=_NUMBER.format(alike=_alike(kind, spaces), **TABLES[kind]),
        order=", ".join(order),
        outer=_columns("n", order),
    )
    return names.rows()


def _piece(kind: NameKind, spaces: Sequence[int], order: Sequence[str], condition: Sql, limit: int) -> Sql:
    """Return SQL for the first names of the last of these spaces, without those that an earlier space has."""
    *before, space = spaces
    conditions = [condition]
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
    return conjunction(conditions).embed(
        _PIECE, limit, number=len(before), space=space, order=_columns("n", order), **TABLES[kind]
    )


def _columns(alias: str, columns: Sequence[str]) -> str:
    return ", ".join(f"{alias}.{column}" for column in columns)


def _alike(kind: NameKind, spaces: Sequence[int]) -> str:
    """Return the right side of a condition that an id belongs to the name n in any of the spaces."""
    if len(spaces) == 1:
        return "= n.id"
    return _ALIKE.format(spaces=", ".join(map(str, spaces)), **TABLES[kind])


def count_names(scope: Scope, kind: NameKind, words: str, most: int) -> int:
    """Return how many rows `names` lists for these words, but at most `most`."""
    listed = _listed(scope, kind, words)
    pieces = (
        listed.embed(_COUNTED_PIECE, most, number=number, space=space, **TABLES[kind])
        for number, space in enumerate(scope.spaces)
    )
    # A name in several spaces counts once: UNION drops equal rows.
    ((number,),) = joined(pieces, " UNION ").embed("SELECT count(*) FROM ({sql}) x").rows()
    return min(most, int(number))


def _listed(scope: Scope, kind: NameKind, words: str) -> Sql:
    return name_condition(scope, kind, words).embed(_WITH_GAMES, **TABLES[kind])


def name_condition(scope: Scope, kind: NameKind, words: str) -> Sql:
    """Return the condition that a name n contains these words, or that they are the reading of a player's
    name."""
    holds = Sql(text_index().HOLDS.format(text="n.searched"), (_form(kind, words),))
    read = tuple(players_by_reading(scope, words)) if kind == "player" else ()
    return holds.embed(f"({{sql}} OR n.id {one_of(read)})", *read) if read else holds


def _form(kind: NameKind, words: str) -> str:
    # Players are stored without their titles. If the words are only a title, it is searched for as it is.
    return search_form((headers.player_key(words) if kind == "player" else "") or headers.plain(words))


def stored_spelling(scope: Scope, text: str) -> str:
    """Return the stored spelling of a player's name that `text` spells with other case or other kana. If no
    player or several have such a name, return `text`."""
    if ids_of_name(scope, "player", text):
        return text
    forms = dict.fromkeys([text, text.translate(_TO_KATAKANA), text.translate(_TO_HIRAGANA)])
    alike = {one.name for form in forms for one in names(scope, "player", form, limit=MOST_LISTED)}
    same = [name for name in alike if _folded(name) == _folded(headers.plain(text))]
    return same[0] if len(same) == 1 else text


def _folded(name: str) -> str:
    return name.casefold().translate(_TO_KATAKANA)


_HIRAGANA: Final = range(0x3041, 0x3097)
_TO_KATAKANA: Final = {code: code + 0x60 for code in _HIRAGANA}
_TO_HIRAGANA: Final = {code + 0x60: code for code in _HIRAGANA}


def _has_games(rows: QuerySet[Any]) -> bool:
    """Return whether there are rows. Without the order of the index PostgreSQL may scan the table."""
    return bool(rows.order_by("played", "slot").values_list("slot")[:1])


def with_games(kind: NameKind, ids: Iterable[int]) -> bool:
    """Return whether any of these rows has games. Rows stay when their last game is gone."""
    rows = GAMES_OF[kind]._default_manager.all()
    return any(_has_games(rows.filter(**{kind: pk})) for pk in ids)


def player_summary(scope: Scope, player_id: int) -> Summary | None:
    """Return the summary of a player; None if the id is unknown or the player has no games."""
    player = Player.objects.filter(pk=player_id, space__in=scope.spaces).first()
    if player is None or not _has_games(GamePlayer.objects.filter(player=player)):
        return None
    pks = Player.objects.filter(space__in=scope.spaces, key=player.key).values_list("pk", flat=True)
    summary = Summary(player.pk, player.name, spellings(Player, pks, player.name), player)
    opponents: dict[int, ResultCounts] = {}
    for _played, colour, result, black, white, _opening, kind in _count_latest("player", tuple(pks), summary):
        summary.add(kind, result, colour)
        opponent = white if colour == 0 else black
        if opponent is not None:
            opponents.setdefault(opponent, ResultCounts()).add(result, colour)
    summary.people = most_frequent_players(opponents)
    return summary


def merged_into(scope: Scope, kind: NameKind, pk: int) -> int | None:
    """Return the id of the row that a row was merged into; None if there is none."""
    former = NAMED[kind]._default_manager.filter(pk=pk, space__in=scope.spaces)
    home: int | None = former.values_list("home_id", flat=True).first()
    return home


def shown_rows(scope: Scope, kind: NameKind, ids: Collection[int]) -> list[AnyName]:
    """Return those rows of the scope, by id, that are shown: a game of theirs, or of the row that they are
    merged into, is there."""
    home = Coalesce(OuterRef("home"), OuterRef("pk"))
    if not ids:
        return []
    games = GAMES_OF[kind]._default_manager.filter(**{kind: home})
    return list(NAMED[kind]._default_manager.filter(Exists(games), pk__in=ids, space__in=scope.spaces))


def merged_rows(row: AnyName) -> list[tuple[int, str, int]]:
    """Return the id and the name of each row that was merged into another one, and the id of the row
    that it was merged into."""
    rows = type(row)._default_manager.filter(home=row.pk).order_by("name", "pk")
    return list(rows.values_list("pk", "name", "merged_into_id"))


def spellings(model: type[AnyName], ids: Iterable[int], name: str) -> tuple[str, ...]:
    """Return the other names of rows, by id, and those of the rows that were merged into
    them."""
    rows = model._default_manager.filter(Q(pk__in=ids) | Q(home__in=ids)).values_list("name", "written")
    return tuple(sorted({text for pair in rows for text in pair} - {name}))


def label_summary(scope: Scope, kind: NameKind, pk: int) -> Summary | None:
    """Return the summary of an event or a place; None if the id is unknown or the row has no games."""
    names = NAMED[kind]._default_manager.filter(space__in=scope.spaces)
    row = names.filter(pk=pk).first()
    if row is None or not with_games(kind, [pk]):
        return None
    pks = names.filter(key=row.key).values_list("pk", flat=True)
    summary = Summary(row.pk, row.name, spellings(type(row), pks, row.name), row)
    players: dict[int, ResultCounts] = {}
    for _played, _colour, result, *seats, _opening, game in _count_latest(kind, tuple(pks), summary):
        for colour, player in enumerate(seats):
            summary.add(game, result, colour)
            if player is not None:
                players.setdefault(player, ResultCounts()).add(result, colour)
    summary.people = most_frequent_players(players)
    return summary


def _count_latest(kind: NameKind, ids: tuple[int, ...], summary: Summary) -> list[tuple[Any, ...]]:
    """Count years and openings of the latest games in a summary, and return the rows of these games, newest
    first."""
    colour = "d.colour" if kind == "player" else "0"
    sql = _GAMES_OF.format(colour=colour, **TABLES[kind], one_of=one_of(ids))
    rows = Sql(sql, (*ids, MOST_COUNTED + 1)).rows()
    summary.more = len(rows) > MOST_COUNTED
    rows = rows[:MOST_COUNTED]
    summary.counted = len(rows)
    summary.years = by_year(played for played, *_rest in rows)
    summary.openings = tuple(Counter(row[5] for row in rows if row[5]).most_common(MOST_LISTED))
    return rows


def by_year(days: Iterable[int] | Mapping[int, int]) -> tuple[tuple[int, int], ...]:
    """Return each year from the first to the last with its number of games.

    `days` are the ordinals of the days of games, or map ordinals to numbers of games. Games without a day are
    not counted.
    """
    return without_gaps(count_by_year(days))


def count_by_year(days: Iterable[int] | Mapping[int, int]) -> Counter[int]:
    """Return the number of games of each year that has any. `days` is that of `by_year`."""
    years = Counter[int]()
    for day, n in Counter(days).items():
        if day > 0:
            years[date.fromordinal(day).year] += n
    return years


def without_gaps(years: Counter[int]) -> tuple[tuple[int, int], ...]:
    """Return each year from the first to the last with its number of games, which may be 0."""
    return tuple((year, years[year]) for year in range(min(years, default=0), max(years, default=-1) + 1))


def most_frequent_players(counts: dict[int, ResultCounts]) -> tuple[tuple[NamedCount, ResultCounts], ...]:
    """Return the players with the most games, from counts by id. A player who is in several spaces counts
    once. Deleted players are left out."""
    names: dict[int, str] = {}
    by_key: dict[str, tuple[int, ResultCounts]] = {}
    players = Player.objects.filter(pk__in=counts).order_by("pk").values_list("pk", "key", "name")
    for pk, key, name in players:
        names[pk] = name
        by_key.setdefault(key, (pk, ResultCounts()))[1].add_all(counts[pk])
    most = sorted(by_key.values(), key=lambda row: (-row[1].games, row[0]))[:MOST_LISTED]
    return tuple((NamedCount(pk, names[pk], results.games), results) for pk, results in most)
