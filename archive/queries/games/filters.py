"""The filters of games, each defined once.

The parameters of the API, the forms of the pages, the search box, the costs of requests and the SQL of lists
and of the explorer are all made from the annotations of the fields of `GameFilters`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from datetime import date, timedelta
from typing import Annotated, Any, Final, Literal, get_type_hints

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from archive.derive import headers, text
from archive.index.schema import UNKNOWN_DAY
from archive.models import LARGEST_ID, Game
from archive.queries.games.color_names import colours_of, default_game
from archive.queries.scope import Scope
from archive.queries.sql import Sql, like_pattern, one_of
from kifu_core.games import GAMES
from kifu_core.shogi import formations, handicaps, specials

MOST_PLIES: Final = 2**31 - 1
"""The maximum of the column; no game is as long."""
MOST_RATING: Final = 2**15 - 1

RESULT_NAMES: Final = ("black", "white", "draw", "unknown")
PRESETS: Final = tuple(dict.fromkeys(preset for game in GAMES.values() for preset in game.rules.presets))
"""The starts of all kinds of games."""

FilterPlace = Literal["games", "positions"]
"""The list that is filtered: all games, or the games through a position."""


def _identity(value: Any) -> Any:
    return value


@dataclass(frozen=True, slots=True)
class Filter:
    """A filter of games: its parameter, and its condition on games. A "query" is a text of the search
    language (`archive.queries.search`), which is compiled to conditions of its own.

    `name` is its parameter in addresses, `attribute` its field of `GameFilters`, `value` the type of its
    value. For a choice, `choices` are all values with their labels, which are empty if they depend on the
    kind of game. In the search box its key is its name or one of `keys`; `read` turns the box's text into the
    value of the parameter.

    `games` is its condition on a game {g}, in which {one_of} stands for any of a name's ids and {spaces} for
    the readable spaces. `positions` is the condition on the game of a row d, empty if `position_filters`
    handles it, None if positions do not have the filter. `stored` converts the filter's value to that of the
    condition; with `names` that is the id of a player or an event instead.
    """

    label: Promise
    value: Literal["text", "choice", "day", "last day", "number", "formation", "query"]
    _: KW_ONLY
    name: str = ""
    attribute: str = ""
    choices: Mapping[str, str | Promise] = field(default_factory=dict)
    least: int = 0
    most: int = MOST_PLIES
    names: Literal["player", "event"] | None = None
    keys: tuple[str, ...] = ()
    read: Callable[[str], str] = str
    stored: Callable[[Any], Any] = _identity
    games: str | None = None
    positions: str | None = None
    foremost: bool = False
    """The form above the list of games always shows it."""
    hidden: bool = False
    """Pages link to it, but forms do not have it."""

    def applies(self, place: FilterPlace) -> bool:
        """Tell whether this list has the filter."""
        return (self.games if place == "games" else self.positions) is not None

    def condition(self, scope: Scope, values: Sequence[Any], alias: str = "g") -> Sql:
        """Return the condition on a game of a list. A name has one id for each space that has it, any other
        filter has one value."""
        spaces = ", ".join(str(int(space)) for space in scope.spaces)
        text = (self.games or "").format(g=alias, one_of=one_of(values), spaces=spaces)
        return Sql(text, tuple(values) * (text.count("%s") // len(values)))


def _mapped(words: Mapping[str, str]) -> Callable[[str], str]:
    """Return a function that translates some words and leaves others as they are."""
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
_PLAYED_UNTIL: Final = f"{{g}}.played > {UNKNOWN_DAY} AND {{g}}.played <= %s"
_PLAYED: Final = "({g}.player0_id {one_of} OR {g}.player1_id {one_of})"
_HANDICAP: Final = "(SELECT g.handicap FROM archive_game g WHERE g.slot = d.slot) = %s"
_UPLOADED: Final = "(SELECT count(*) FROM archive_entry e WHERE e.game_id = {g}.id AND e.upload_id = %s) > 0"
# Counted for the row's game, so that no planner reads all games of a rating for each row.
_RATED: Final = "(SELECT count(*) FROM archive_gameplayer p WHERE p.slot = d.slot AND p.rating >= %s) = 2"
_BOTH_RATED: Final = (
    "(SELECT count(*) FROM archive_gameplayer p WHERE p.slot = {{g}}.slot AND p.rating {sign} %s) = 2"
)
# Editions that the visitor may not see must not make a game match.
_EDITIONS: Final = """FROM archive_entry e JOIN archive_upload u ON u.id = e.upload_id
    WHERE e.game_id = {{g}}.id AND u.space IN ({{spaces}}) AND u.state <> 'deleting' AND NOT e.hidden"""
_HAS_EDITION: Final = f"(SELECT count(*) {_EDITIONS} AND {{asked}}) > 0"
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


def _number_of(name: str) -> int:
    """Return the number of a formation; 0, which none has, for other names."""
    entry = formations.BY_NAME.get(name)
    return entry.number if entry else 0


def _feature_bit(name: str) -> int:
    return text.FEATURES.get(name, 0)


def _next_day(day: date) -> str:
    """Return the day after a day as text, to be compared with moments."""
    return (day if day == date.max else day + timedelta(days=1)).isoformat()


def _like(text: str) -> str:
    return like_pattern("", headers.plain(text), "")


@dataclass(frozen=True, slots=True)
class GameFilters:
    """Conditions on games; None is no condition. Names are compared normalized; in lists a name that nobody
    has matches as a part of names or as their reading (`archive.queries.names.name_matching`). All other
    values are compared exactly.

    `player` is on either side; `black` and `white` are colours 0 and 1, to which `result` (`Game.Result`)
    refers too: for positions, on the queried board. `since` and `until` are compared with the first day;
    either excludes games without a day. `special` is JKF's name of the ending, or its word; `opening` is
    compared in one spelling; `formation` is the identifier of a castle or an opening of either side;
    `min_plies` and `max_plies` are of the main line, `min_rating` and `max_rating` of both players. `upload`
    is the id of an upload with the game, `source` a part of its name or of the game's path in it; `format`
    and `program` are those of any visible edition, `uploaded_from` and `uploaded_to` are compared with the
    day of the first of these. `q` is a text in the search language.
    """

    # fmt: off
    player: Annotated[str | None, Filter(_("Player"), "text", names="player", keys=("対局者",),
        games=_PLAYED, positions="", foremost=True)] = None
    black: Annotated[str | None, Filter(_("Black"), "text", names="player",
        games="{g}.player0_id {one_of}", positions="")] = None
    white: Annotated[str | None, Filter(_("White"), "text", names="player",
        games="{g}.player1_id {one_of}", positions="")] = None
    event: Annotated[str | None, Filter(_("Event"), "text", names="event", keys=("棋戦",),
        games="{g}.event_id {one_of}", positions="", foremost=True)] = None
    since: Annotated[date | None, Filter(_("From"), "day", name="from", keys=("開始日",),
        stored=date.toordinal, games="{g}.played >= %s", positions="", foremost=True)] = None
    until: Annotated[date | None, Filter(_("To"), "last day", name="to", keys=("終了日",),
        stored=date.toordinal, games=_PLAYED_UNTIL, positions="", foremost=True)] = None
    result: Annotated[int | None, Filter(_("Result"), "choice", choices=dict.fromkeys(RESULT_NAMES, ""),
        keys=("結果",), read=_mapped(_RESULTS), games="{g}.result = %s", positions="", foremost=True)] = None
    opening: Annotated[str | None, Filter(_("Opening"), "text", keys=("戦型",),
        stored=headers.read_opening, games="{g}.opening = %s")] = None
    handicap: Annotated[str | None, Filter(_("Handicap"), "choice", choices=dict.fromkeys(PRESETS, ""),
        keys=("手合割",), read=_preset, games="{g}.handicap = %s", positions=_HANDICAP)] = None
    special: Annotated[str | None, Filter(_("Ending"), "text", keys=("ending", "終わり方"), read=_ending,
        stored=headers.plain, games="{g}.special = %s")] = None
    record_kind: Annotated[str | None, Filter(_("Kind"), "choice", choices=dict(Game.RecordKind.choices),
        keys=("kind", "種類"), read=_mapped(_RECORD_KINDS), games="{g}.record_kind = %s")] = None
    game: Annotated[str | None, Filter(_("Which game"), "choice", choices=dict.fromkeys(GAMES, ""),
        keys=("ゲーム",), read=_mapped(_GAMES), games="{g}.kind = %s")] = None
    min_plies: Annotated[int | None, Filter(_("At least so many moves"), "number",
        games="{g}.plies >= %s")] = None
    max_plies: Annotated[int | None, Filter(_("At most so many moves"), "number",
        games="{g}.plies <= %s")] = None
    min_rating: Annotated[int | None, Filter(_("Both rated at least"), "number", most=MOST_RATING,
        games=_BOTH_RATED.format(sign=">="), positions=_RATED)] = None
    max_rating: Annotated[int | None, Filter(_("Both rated at most"), "number", most=MOST_RATING,
        games=_BOTH_RATED.format(sign="<="))] = None
    site: Annotated[str | None, Filter(_("Place"), "text", keys=("場所", "対局場"),
        stored=headers.plain, games="{g}.site = %s")] = None
    has: Annotated[str | None, Filter(_("With"), "choice", choices={"comments": _("comments"),
        "evals": _("evaluations"), "times": _("times of moves"), "forks": _("variations")}, keys=("内容",),
        read=_mapped(_IN_RECORDS), stored=_feature_bit, games="({g}.features & %s) <> 0")] = None
    formation: Annotated[str | None, Filter(_("Castle or opening"), "formation",
        keys=("castle", "囲い", "戦法"), read=_formation_name, stored=_number_of,
        games=_FORMED.format(side=""), positions="")] = None
    black_formation: Annotated[str | None, Filter(_("Castle or opening of Black"), "formation",
        keys=("black_castle", "先手囲い", "先手の囲い", "先手の戦法"), read=_formation_name,
        stored=_number_of,
        games=_FORMED.format(side=" AND f.colour = 0"), hidden=True)] = None
    white_formation: Annotated[str | None, Filter(_("Castle or opening of White"), "formation",
        keys=("white_castle", "後手囲い", "後手の囲い", "後手の戦法"), read=_formation_name,
        stored=_number_of,
        games=_FORMED.format(side=" AND f.colour = 1"), hidden=True)] = None
    upload: Annotated[int | None, Filter(_("Source"), "number", least=1, most=LARGEST_ID,
        games=_UPLOADED, positions="", hidden=True)] = None
    source: Annotated[str | None, Filter(_("Name of the source"), "text", keys=("出典",), stored=_like,
        games=_HAS_EDITION.format(asked=_SOURCE), hidden=True)] = None
    format: Annotated[str | None, Filter(_("Format"), "text", keys=("形式",), read=str.lower,
        games=_HAS_EDITION.format(asked="e.format = %s"), hidden=True)] = None
    program: Annotated[str | None, Filter(_("Program"), "text", keys=("ソフト",), stored=_like,
        games=_HAS_EDITION.format(asked="lower(e.program) LIKE lower(%s) ESCAPE '!'"), hidden=True)] = None
    uploaded_from: Annotated[date | None, Filter(_("Added from"), "day", keys=("追加開始日", "登録開始日"),
        stored=date.isoformat, games=_FIRST_EDITION.format(sign=">="), hidden=True)] = None
    uploaded_to: Annotated[date | None, Filter(_("Added until"), "last day",
        keys=("追加終了日", "登録終了日"), stored=_next_day,
        games=_FIRST_EDITION.format(sign="<"), hidden=True)] = None
    q: Annotated[str | None, Filter(_("Query"), "query", games="", hidden=True)] = None
    # fmt: on

    def __bool__(self) -> bool:
        return any(self.value_of(field) is not None for field in FILTERS)

    def value_of(self, field: Filter) -> Any:
        """Return the value of a filter; None if it is not set."""
        return getattr(self, field.attribute)

    def days(self) -> tuple[int, int] | None:
        """Return the first and the last day of `since` and `until`, as ordinals; None without either."""
        if self.since is None and self.until is None:
            return None
        first = self.since.toordinal() if self.since else UNKNOWN_DAY + 1
        return first, (self.until or date.max).toordinal()

    def check(self, place: FilterPlace) -> None:
        """Raise ValueError if a filter is set that this list does not have."""
        unusable = [
            field.name for field in FILTERS if self.value_of(field) is not None and not field.applies(place)
        ]
        if unusable:
            raise ValueError(f"{place} are not filtered by {', '.join(unusable)}")


def _all_filters() -> Iterator[Filter]:
    for attribute, hint in get_type_hints(GameFilters, include_extras=True).items():
        (field,) = hint.__metadata__
        yield replace(field, attribute=attribute, name=field.name or attribute)


FILTERS: Final = tuple(_all_filters())
"""All filters, in the order of forms."""


@dataclass(frozen=True, slots=True)
class FilterRange:
    """A field of the search language whose ends are two filters, by their attributes."""

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
    """Return the filters of a list."""
    return tuple(field for field in FILTERS if field.applies(place))


def game_filters(parameters: Mapping[str, Any]) -> GameFilters:
    """Return the filters of a list of games from valid parameters of an address. Names of sides without a
    kind of game are those of shogi."""
    game = default_game(parameters.get("game") or None, parameters)
    return _filters_from("games", game, {**parameters, "game": game})


def position_filters(game: str, parameters: Mapping[str, Any]) -> GameFilters:
    """Return the filters of the games through a position of a kind of game from such parameters."""
    return _filters_from("positions", game, parameters)


def _filters_from(place: FilterPlace, game: str | None, parameters: Mapping[str, Any]) -> GameFilters:
    values = {field.attribute: parameters.get(field.name) for field in filters_of(place)}
    empty = {name: None for name, value in values.items() if value == ""}
    return GameFilters(**values | empty | colours_of(game, parameters))
