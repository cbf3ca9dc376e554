"""The filters of games, each defined once.

The parameters of the API, the forms of the pages, the search box, the costs of requests and the SQL of lists
and of the explorer are all made from the annotations of the fields of `GameFilters`.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from datetime import date, timedelta
from typing import Annotated, Any, Final, Literal, get_type_hints

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from archive.derive import headers, text
from archive.index.schema import UNKNOWN_DAY
from archive.models import LARGEST_ID, Game, NameKind
from archive.queries.games.color_names import colours_of, default_game
from archive.queries.scope import Scope
from archive.queries.sql import Sql, like_pattern, one_of
from kifu_core.games import GAMES
from kifu_core.shogi import formations, handicaps, specials

MOST_PLIES: Final = 2**31 - 1
"""The largest value of the database column."""
MOST_RATING: Final = 2**15 - 1

MOST_IDS: Final = 500
IDS: Final = re.compile(rf"[0-9]{{1,18}}(,[0-9]{{1,18}}){{0,{MOST_IDS - 1}}}")
"""The ids of several games, separated by commas."""

RESULT_NAMES: Final = ("black", "white", "draw", "unknown")
OWN_SIDES: Final = ("black", "white", "yes")
PRESETS: Final = tuple(dict.fromkeys(preset for game in GAMES.values() for preset in game.rules.presets))
"""The starting positions of all kinds of games, by JKF's names."""

FilterPlace = Literal["games", "positions"]
"""The list that is filtered: all games, or the games through a position."""


def _identity(value: Any) -> Any:
    return value


@dataclass(frozen=True, slots=True)
class Filter:
    """A filter of games: how forms and the search box read it, and the SQL that it becomes."""

    label: Promise
    value: Literal["text", "choice", "day", "last day", "number", "formation", "ids", "query"]
    """The type of the value. "ids" are numbers (`IDS`), a "query" is text in the search language
    (`archive.queries.search`)."""
    _: KW_ONLY
    name: str = ""
    """The parameter in addresses."""
    attribute: str = ""
    """The field of `GameFilters`."""
    choices: Mapping[str, str | Promise] = field(default_factory=dict)
    """The values of a "choice", with their labels. A label is empty if it depends on the kind of game."""
    least: int = 0
    most: int = MOST_PLIES
    name_kind: NameKind | None = None
    """For the name of a player, an event or a place: which of these. The SQL then gets its ids."""
    keys: tuple[str, ...] = ()
    """More names of the filter in the search box."""
    parse: Callable[[str], str] = str
    """Converts a word of the search box to a value of the parameter."""
    to_stored: Callable[[Any], Any] = _identity
    """Converts the value to the parameter of the SQL."""
    game_sql: str | None = None
    """The condition on the game {g} of a list. {one_of} becomes the comparison with the ids of a name,
    {spaces} the ids of the spaces that the visitor can read."""
    position_sql: str | None = None
    """The condition on a row d of the position index. Empty if `archive.queries.positions.position_filters`
    makes the condition; None if positions do not have this filter."""
    own: bool = False
    """Whether it is about the own sides of the scope's account (`archive.queries.names.own_names`), which
    makes the condition."""
    foremost: bool = False
    """Always shown in the form above the list of games."""
    hidden: bool = False
    """Pages link to it; in forms it is a hidden input."""

    def applies(self, place: FilterPlace) -> bool:
        """Return whether the filter applies to all games, or to the games through a position."""
        return (self.game_sql if place == "games" else self.position_sql) is not None

    def condition(self, scope: Scope, values: Sequence[Any], alias: str = "g") -> Sql:
        """Return the condition on a game of a list. `values` are the ids of games, or of a name, one for
        each space; for all other filters it is a single value."""
        spaces = ", ".join(str(int(space)) for space in scope.spaces)
        text = (self.game_sql or "").format(g=alias, one_of=one_of(values), spaces=spaces)
        return Sql(text, tuple(values) * (text.count("%s") // len(values)))


def _mapped(words: Mapping[str, str]) -> Callable[[str], str]:
    """Return a function that translates these words and leaves all others unchanged."""
    return lambda text: words.get(text, text)


def _preset(text: str) -> str:
    start = handicaps.by_name(text)
    return start.preset if start else text


def _ending(text: str) -> str:
    ending = specials.BY_WORD.get(text)
    return (ending.special if ending else None) or text


_RECORD_KINDS: Final = {
    "対局": "game", "問題": "problem", "詰将棋": "problem", "定跡": "tree", "局面": "position",
}  # fmt: skip
_GAMES: Final = {word: game.name for game in GAMES.values() for word in game.aliases}
_RESULTS: Final = {"引き分け": "draw", "引分け": "draw", "引分": "draw", "不明": "unknown"}
_SIDES: Final = {"先手": "black", "後手": "white", "はい": "yes"}
# SQLite takes numbers out of JSON, PostgreSQL texts.
_LIMIT: Final = "coalesce(({{g}}.header_data -> 'time_limit' ->> '{name}') || '', '0')"
_MAIN, _BYOYOMI, _ADDED, _PERIODS = (
    _LIMIT.format(name=name) for name in ("main", "byoyomi", "increment", "periods")
)
_CLOCK: Final = f"""({{g}}.header_data -> 'time_limit') IS NOT NULL
    AND {_MAIN} || '+' || {_BYOYOMI} || '+' || {_ADDED}
    || CASE WHEN {_PERIODS} = '0' THEN '' ELSE '+' || {_PERIODS} END = %s"""
_PLAYED_UNTIL: Final = f"{{g}}.played > {UNKNOWN_DAY} AND {{g}}.played <= %s"
_EITHER_PLAYER: Final = "({g}.player0_id {one_of} OR {g}.player1_id {one_of})"
_HANDICAP: Final = "(SELECT g.handicap FROM archive_game g WHERE g.slot = d.slot) = %s"
_UPLOADED: Final = "(SELECT count(*) FROM archive_entry e WHERE e.game_id = {g}.id AND e.upload_id = %s) > 0"
# A count for the game of the row: with EXISTS a planner may read all games of this rating for each row.
_RATED: Final = "(SELECT count(*) FROM archive_gameplayer p WHERE p.slot = d.slot AND p.rating >= %s) = 2"
_COLLECTED: Final = """(SELECT count(*) FROM archive_collectiongame c
    WHERE c.game_id = {g}.id AND c.collection_id {one_of}) > 0"""
_BOTH_RATED: Final = (
    "(SELECT count(*) FROM archive_gameplayer p WHERE p.slot = {{g}}.slot AND p.rating {sign} %s) = 2"
)
# Only editions that the visitor can see: others must not make a game match.
_EDITIONS: Final = """FROM archive_entry e JOIN archive_upload u ON u.id = e.upload_id
    WHERE e.game_id = {{g}}.id AND u.space IN ({{spaces}}) AND u.state <> 'deleting' AND NOT e.hidden"""
_HAS_EDITION: Final = f"(SELECT count(*) {_EDITIONS} AND {{condition}}) > 0"
_FIRST_EDITION: Final = f"(SELECT min(u.received) {_EDITIONS}) {{sign}} %s"
_SOURCE: Final = "(lower(u.name) LIKE lower(%s) ESCAPE '!' OR lower(e.path) LIKE lower(%s) ESCAPE '!')"
_IN_RECORDS: Final = {
    "コメント": "comments", "注釈": "comments", "評価値": "evals", "消費時間": "times", "時間": "times",
    "分岐": "forks", "変化": "forks",
}  # fmt: skip


_FORMED: Final = (
    "(SELECT count(*) FROM archive_gameformation f WHERE f.formation = %s AND f.slot = {{g}}.slot{side}) > 0"
)


def _formation_name(text: str) -> str:
    formation = formations.by_any_name(text)
    return formation.name if formation else text


def _formation_number(name: str) -> int:
    """Return the number of a formation; 0 for an unknown name, which matches no game."""
    entry = formations.BY_NAME.get(name)
    return entry.number if entry else 0


def _feature_bit(name: str) -> int:
    return text.FEATURES.get(name, 0)


def _next_day(day: date) -> str:
    """Return the following day as text, for comparison with timestamps."""
    return (day if day == date.max else day + timedelta(days=1)).isoformat()


def _like(text: str) -> str:
    return like_pattern("", headers.plain(text), "")


@dataclass(frozen=True, slots=True)
class GameFilters:
    """The values of all filters; None if a filter is not set.

    Names are normalized before they are compared. In lists, a name that nothing has may also be
    part of a name, or of its reading (`archive.queries.names.name_matching`). All other values are compared
    exactly.

    - `player`: the name of either player
    - `black`, `white`: the names of the players of colours 0 and 1
    - `result`: `Game.Result`, by colour. For positions, the colours are those of the queried board.
    - `since`, `until`: limits of the first day. Either of them excludes games without a date.
    - `opening`: the name of the opening in the headers, in any spelling
    - `special`: the ending, by JKF's name or by its word in records
    - `min_plies`, `max_plies`: limits of the length of the main line
    - `min_rating`, `max_rating`: limits of the ratings of both players
    - `formation`: the identifier of a castle or an opening that either side plays
    - `me`: the colour of a side that is the account's own, or `EITHER` (`archive.queries.names.own_names`)
    - `min_opponent`, `max_opponent`: limits of the rating of the player against such a side
    - `clock`: the time control of both sides, as in `GameInfo`
    - `upload`: the id of an upload that contains the game
    - `source`: part of the name of such an upload, or of the game's path in it
    - `collection`: the id of a collection that has the game, itself or in a part
    - `format`, `program`: the format and the program of any visible edition
    - `uploaded_from`, `uploaded_to`: limits of the day on which the first visible edition was received
    - `ids`: the ids of games, as `IDS`
    - `q`: text in the search language
    """

    # fmt: off
    player: Annotated[str | None, Filter(_("Player"), "text", name_kind="player", keys=("対局者",),
        game_sql=_EITHER_PLAYER, position_sql="", foremost=True)] = None
    black: Annotated[str | None, Filter(_("Black"), "text", name_kind="player",
        game_sql="{g}.player0_id {one_of}", position_sql="")] = None
    white: Annotated[str | None, Filter(_("White"), "text", name_kind="player",
        game_sql="{g}.player1_id {one_of}", position_sql="")] = None
    event: Annotated[str | None, Filter(_("Event"), "text", name_kind="event", keys=("棋戦",),
        game_sql="{g}.event_id {one_of}", position_sql="", foremost=True)] = None
    since: Annotated[date | None, Filter(_("From"), "day", name="from", keys=("開始日",),
        to_stored=date.toordinal, game_sql="{g}.played >= %s", position_sql="", foremost=True)] = None
    until: Annotated[date | None, Filter(_("To"), "last day", name="to", keys=("終了日",),
        to_stored=date.toordinal, game_sql=_PLAYED_UNTIL, position_sql="", foremost=True)] = None
    result: Annotated[int | None, Filter(_("Result"), "choice", choices=dict.fromkeys(RESULT_NAMES, ""),
        keys=("結果",), parse=_mapped(_RESULTS), game_sql="{g}.result = %s", position_sql="",
        foremost=True)] = None
    opening: Annotated[str | None, Filter(_("Opening"), "text", keys=("戦型",),
        to_stored=headers.read_opening, game_sql="{g}.opening = %s")] = None
    handicap: Annotated[str | None, Filter(_("Handicap"), "choice", choices=dict.fromkeys(PRESETS, ""),
        keys=("手合割",), parse=_preset, game_sql="{g}.handicap = %s", position_sql=_HANDICAP)] = None
    special: Annotated[str | None, Filter(_("Ending"), "text", keys=("ending", "終わり方"), parse=_ending,
        to_stored=headers.plain, game_sql="{g}.special = %s")] = None
    record_kind: Annotated[str | None, Filter(_("Kind"), "choice", choices=dict(Game.RecordKind.choices),
        keys=("kind", "種類"), parse=_mapped(_RECORD_KINDS), game_sql="{g}.record_kind = %s")] = None
    game: Annotated[str | None, Filter(_("Which game"), "choice", choices=dict.fromkeys(GAMES, ""),
        keys=("ゲーム",), parse=_mapped(_GAMES), game_sql="{g}.kind = %s")] = None
    min_plies: Annotated[int | None, Filter(_("At least so many moves"), "number",
        game_sql="{g}.plies >= %s")] = None
    max_plies: Annotated[int | None, Filter(_("At most so many moves"), "number",
        game_sql="{g}.plies <= %s")] = None
    min_rating: Annotated[int | None, Filter(_("Both rated at least"), "number", most=MOST_RATING,
        game_sql=_BOTH_RATED.format(sign=">="), position_sql=_RATED)] = None
    max_rating: Annotated[int | None, Filter(_("Both rated at most"), "number", most=MOST_RATING,
        game_sql=_BOTH_RATED.format(sign="<="))] = None
    place: Annotated[str | None, Filter(_("Place"), "text", name_kind="place",
        keys=("site", "場所", "対局場"), game_sql="{g}.place_id {one_of}", position_sql="")] = None
    has: Annotated[str | None, Filter(_("With"), "choice", choices={"comments": _("comments"),
        "evals": _("evaluations"), "times": _("times of moves"), "forks": _("variations")}, keys=("内容",),
        parse=_mapped(_IN_RECORDS), to_stored=_feature_bit, game_sql="({g}.features & %s) <> 0")] = None
    formation: Annotated[str | None, Filter(_("Castle or opening"), "formation",
        keys=("castle", "囲い", "戦法"), parse=_formation_name, to_stored=_formation_number,
        game_sql=_FORMED.format(side=""), position_sql="")] = None
    black_formation: Annotated[str | None, Filter(_("Castle or opening of Black"), "formation",
        keys=("black_castle", "先手囲い", "先手の囲い", "先手の戦法"), parse=_formation_name,
        to_stored=_formation_number,
        game_sql=_FORMED.format(side=" AND f.colour = 0"), hidden=True)] = None
    white_formation: Annotated[str | None, Filter(_("Castle or opening of White"), "formation",
        keys=("white_castle", "後手囲い", "後手の囲い", "後手の戦法"), parse=_formation_name,
        to_stored=_formation_number,
        game_sql=_FORMED.format(side=" AND f.colour = 1"), hidden=True)] = None
    me: Annotated[int | None, Filter(_("Own games"), "choice", choices=dict.fromkeys(OWN_SIDES, ""),
        keys=("自分",), parse=_mapped(_SIDES), game_sql="", position_sql="", own=True, hidden=True)] = None
    min_opponent: Annotated[int | None, Filter(_("Opponent rated at least"), "number", most=MOST_RATING,
        game_sql="", own=True, hidden=True)] = None
    max_opponent: Annotated[int | None, Filter(_("Opponent rated at most"), "number", most=MOST_RATING,
        game_sql="", own=True, hidden=True)] = None
    clock: Annotated[str | None, Filter(_("Time control"), "text", keys=("持ち時間",), game_sql=_CLOCK,
        hidden=True)] = None
    upload: Annotated[int | None, Filter(_("Source"), "number", least=1, most=LARGEST_ID,
        game_sql=_UPLOADED, position_sql="", hidden=True)] = None
    collection: Annotated[int | None, Filter(_("Collection"), "number", least=1, most=LARGEST_ID,
        keys=("棋譜集",), game_sql=_COLLECTED, position_sql="", hidden=True)] = None
    source: Annotated[str | None, Filter(_("Name of the source"), "text", keys=("出典",), to_stored=_like,
        game_sql=_HAS_EDITION.format(condition=_SOURCE), hidden=True)] = None
    format: Annotated[str | None, Filter(_("Format"), "text", keys=("形式",), parse=str.lower,
        game_sql=_HAS_EDITION.format(condition="e.format = %s"), hidden=True)] = None
    program: Annotated[str | None, Filter(_("Program"), "text", keys=("ソフト",), to_stored=_like,
        game_sql=_HAS_EDITION.format(condition="lower(e.program) LIKE lower(%s) ESCAPE '!'"),
        hidden=True)] = None
    uploaded_from: Annotated[date | None, Filter(_("Added from"), "day", keys=("追加開始日", "登録開始日"),
        to_stored=date.isoformat, game_sql=_FIRST_EDITION.format(sign=">="), hidden=True)] = None
    uploaded_to: Annotated[date | None, Filter(_("Added until"), "last day",
        keys=("追加終了日", "登録終了日"), to_stored=_next_day,
        game_sql=_FIRST_EDITION.format(sign="<"), hidden=True)] = None
    ids: Annotated[str | None, Filter(_("Numbers of games"), "ids", game_sql="{g}.id {one_of}",
        hidden=True)] = None
    q: Annotated[str | None, Filter(_("Query"), "query", game_sql="", hidden=True)] = None
    # fmt: on

    def __bool__(self) -> bool:
        return any(self.value_of(filter_) is not None for filter_ in FILTERS)

    def value_of(self, filter_: Filter) -> Any:
        """Return the value of a filter; None if it is not set."""
        return getattr(self, filter_.attribute)

    @property
    def personal(self) -> bool:
        """Return whether the games may depend on the account of the scope."""
        own = (self.value_of(filter_) for filter_ in FILTERS if filter_.own)
        return self.q is not None or any(value is not None for value in own)

    def days(self) -> tuple[int, int] | None:
        """Return `since` and `until` as ordinals; None if neither is set."""
        if self.since is None and self.until is None:
            return None
        first = self.since.toordinal() if self.since else UNKNOWN_DAY + 1
        return first, (self.until or date.max).toordinal()

    def check(self, place: FilterPlace) -> None:
        """Raise ValueError if a filter is set that does not apply to `place`."""
        unusable = [
            filter_.name
            for filter_ in FILTERS
            if self.value_of(filter_) is not None and not filter_.applies(place)
        ]
        if unusable:
            raise ValueError(f"{place} are not filtered by {', '.join(unusable)}")


def _all_filters() -> Iterator[Filter]:
    for attribute, hint in get_type_hints(GameFilters, include_extras=True).items():
        (filter_,) = hint.__metadata__
        yield replace(filter_, attribute=attribute, name=filter_.name or attribute)


FILTERS: Final = tuple(_all_filters())
"""All filters, in the order in which forms show them."""


@dataclass(frozen=True, slots=True)
class FilterRange:
    """A field of the search language for a range. `least` and `most` are attributes of the filters by the
    ends of the range."""

    name: str
    label: Promise
    least: str
    most: str
    keys: tuple[str, ...]


RANGES: Final = (
    FilterRange("date", _("Date"), "since", "until", ("year", "日付", "年")),
    FilterRange("plies", _("Number of moves"), "min_plies", "max_plies", ("手数",)),
    FilterRange("rating", _("Rating of both"), "min_rating", "max_rating", ("レーティング",)),
    FilterRange("uploaded", _("Added"), "uploaded_from", "uploaded_to", ("追加日", "登録日")),
)


def filters_of(place: FilterPlace) -> tuple[Filter, ...]:
    """Return the filters that apply to `place`."""
    return tuple(filter_ for filter_ in FILTERS if filter_.applies(place))


def game_filters(parameters: Mapping[str, Any]) -> GameFilters:
    """Return the filters of a list of games from the validated parameters of an address. Without a kind of
    game, `black` and `white` are the sides of shogi."""
    game = default_game(parameters.get("game") or None, parameters)
    return _filters_from("games", game, {**parameters, "game": game})


def position_filters(game: str, parameters: Mapping[str, Any]) -> GameFilters:
    """Return the filters of the games through a position from the validated parameters of an address."""
    return _filters_from("positions", game, parameters)


def _filters_from(place: FilterPlace, game: str | None, parameters: Mapping[str, Any]) -> GameFilters:
    values = {filter_.attribute: parameters.get(filter_.name) for filter_ in filters_of(place)}
    empty = {name: None for name, value in values.items() if value == ""}
    return GameFilters(**values | empty | colours_of(game, parameters))


def stored_parameters(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return the validated parameters of a list of games in use, as JSON that `stored_filters` reads."""
    values = ((filter_.name, parameters.get(filter_.name)) for filter_ in filters_of("games"))
    in_use = ((name, value) for name, value in values if value not in (None, ""))
    return {name: value.isoformat() if isinstance(value, date) else value for name, value in in_use}


def stored_filters(stored: Mapping[str, Any]) -> GameFilters:
    """Return the filters of stored parameters."""
    days = {filter_.name for filter_ in filters_of("games") if filter_.value in ("day", "last day")}
    return game_filters(
        {name: date.fromisoformat(value) if name in days else value for name, value in stored.items()}
    )
