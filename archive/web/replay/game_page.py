"""Everything that the page of one game shows, put together from its row, its record and its entries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from django.core.serializers.json import DjangoJSONEncoder
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import json_script
from django.utils.safestring import SafeString
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from archive.derive import series
from archive.derive.headers import BEGINNINGS, ENDS, EVENTS, PLAYERS, SITES, read_day
from archive.models import Game, GameSeries
from archive.queries.games.twins import twins_of
from archive.queries.patterns.formation_counts import formations_of_game
from archive.queries.positions.novelty import novelty
from archive.queries.scope import Scope, scope_of
from archive.queries.sql import PreparedQuery
from archive.web.game_registry import PAGES
from archive.web.lists.rows import record_address, side_marks
from archive.web.replay import record as replay
from archive.web.replay.charts import Longest, score_chart, time_chart
from archive.web.replay.editions import Source, broken, sources_of
from archive.web.replay.engine_lines import thoughts_of
from archive.web.replay.folding import Piece, piece_of
from archive.web.replay.notes import NOTE, lines_of, note_of, notes_of
from archive.web.wording import (
    RESULTS_OF,
    clock_text,
    day_text,
    entry_text,
    formation,
    handicap_text,
    nameless,
    plies_text,
    score_mark,
    time_text,
    words_of,
)
from kifu_core.errors import KifuError
from kifu_core.games import GAMES, SHOGI
from kifu_core.shogi.classify import mates
from kifu_core.shogi.evaluations import best

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from archive.queries.patterns.formation_counts import GameFormationAt
    from archive.web.replay.engine_lines import Thought
    from kifu_core.formats import Writer
    from kifu_core.jkf import MoveEntry, Record
    from kifu_core.shogi.clock import Tick

SPEEDS: Final = ("0.3", "0.5", "1", "2", "3", "5")
OPENS_HERE: Final = "読み込み時表示"
"""The bookmark of a KIF at which programs open it."""
_WORK: Final = ("作品名", "作者")
_OPENING_MOVES: Final = 2
"""News before the third move say more about the archive than about the game."""
CODE: Final = "CODE"
"""Stands for a position's code in the patterns of addresses that scripts get."""
CHOICES: Final = 40
"""Continuations that a page lists at once; an opening book may have thousands of a position."""
_BOOKMARKS: Final = 100
HEADERS: Final = 100
HEADER: Final = 1_000
"""Characters of a header that a page shows."""
ALL_HEADERS: Final = 8_000
"""Characters of all headers together."""
_LOOKED_BACK: Final = 1_000
"""Plies in which a side has a time somewhere, if it has any."""
_WORDS: Final = 200
"""Characters of names and titles."""


@dataclass(frozen=True, slots=True)
class Here:
    """The shown node for the template, which is not given the record: templates' contexts wait for the
    garbage collector, and half a million objects would with them."""

    key: str
    ply: int
    played: int
    moves: int


@dataclass(frozen=True, slots=True)
class Choice:
    """A continuation of the shown node."""

    key: str
    href: str
    text: str


@dataclass(frozen=True, slots=True)
class Bookmark:
    """A place that the record's author marked."""

    ply: int
    name: str
    href: str


@dataclass(frozen=True, slots=True)
class Thinking:
    """A side's times in words, and where its longest thought is."""

    mark: SafeString
    total: str
    longest: str
    key: str
    href: str


@dataclass(frozen=True, slots=True)
class Address:
    """Addresses of the nodes on a game's page, as it is shown now."""

    page: str
    flipped: bool
    opening: int
    """The ply at which the plain address opens; the start then needs an address of its own."""

    def of(self, path: str, ply: int, flipped: bool | None = None) -> str:
        """Return the address of a node."""
        query = replay.node_query(path, ply) or self.start_query
        if self.flipped if flipped is None else flipped:
            query += "&flip=1" if query else "?flip=1"
        return self.page + query

    @property
    def start_query(self) -> str:
        return "?ply=0" if self.opening else ""


@dataclass(frozen=True, slots=True)
class Known:
    """A game with all that the archive knows of it: its record, its editions, how many more of these there
    are, the bookmarks, scores and times, the ply where it was new, likely twins, castles and openings."""

    game: Game
    record: Record
    sources: list[Source]
    more_sources: int
    marks: list[tuple[int, str]]
    series: bytes
    novelty: int | None
    twins: list[tuple[str, str, str]]
    formations: tuple[GameFormationAt, ...]


_SERIES: Final = PreparedQuery(lambda game: GameSeries.objects.filter(pk=game).values_list("series"))


def look_up(request: HttpRequest, game: Game, *, twins: bool = True) -> Known:
    """Return what is known of a game: all that its page asks the database for."""
    record = game.jkf
    stored = _SERIES.rows(game.pk)
    return Known(
        game,
        record,
        *sources_of(request, game.pk),
        # To read evaluations out of comments again takes long.
        series=bytes(stored[0][0]) if stored else b"",
        novelty=novelty(scope_of(request), game, record),
        twins=likely_twins(scope_of(request), game, record) if twins else [],
        formations=formations_of_game(game.slot) if game.kind == SHOGI.name else (),
    )


def game_context(
    known: Known, path: str, ply: int | None, flipped: bool, page: str = "", first_choice: int = 0
) -> dict[str, Any]:
    """Return the template's context for a node of a game, or for the nearest one that exists.

    Without a ply the game opens where its record says, usually at the start. Links stay on `page`, by default
    the game's own. Of a long record it has the part around the node, and of the node's continuations
    `CHOICES` from `first_choice` on.
    """
    game, record = known.game, known.record
    opening = next((place for place, name in known.marks if name == OPENS_HERE), 0)
    address = Address(page or reverse("game", args=[game.pk]), flipped, opening)
    node = replay.find_node(record, path, opening if ply is None and not path else ply or 0)
    position, last, played = replay.position_at(record, node)
    found = series.unpack(known.series)
    piece = piece_of(record, node)
    return {
        "game": game,
        "node": Here(node.key, node.ply, node.played, node.moves),
        "path": address.page,
        "opening": opening,
        "start_query": address.start_query,
        "position": position,
        "last": last,
        "flipped": flipped,
        "label": entry_text(game.kind, node.line[-1], node.line[-2] if node.ply else None),
        "words": words_of(game.kind, position),
        "section": "games",
        **PAGES[game.kind].board(position, played),
        **_moves(game, record, node, piece, found),
        "here": address.of(node.path, node.ply).removeprefix(address.page),
        "note_address": "" if page else address.of(node.path, node.ply),
        **_ways(game.kind, node, address, first_choice if first_choice < len(node.following) else 0),
        **_known_of(known, address),
        **_offers(game),
        **charts(found, game, address),
        **position_links(position, game.kind),
        **facts(game, record),
    }


def _moves(
    game: Game, record: Record, node: replay.Node, piece: Piece, found: series.Series
) -> dict[str, Any]:
    """Return the shown piece of a record: its moves, comments, times and evaluations."""
    timed, clock = replay.is_timed(record), clock_texts(found.clock, piece)
    thoughts = thoughts_of(record, found.evaluations, {row.ply for row in piece.rows()})
    scores = {one.ply: score_mark(one) for one in best(found.evaluations)}
    notes = notes_of(piece.rows(), node.key, thoughts)
    return {
        "tree": tree_data(piece),
        "parts": replay.move_list(game.kind, piece, clock, notes, scores),
        "commented": bool(notes),
        **_shown(node, timed, thoughts, scores),
        "timed": timed,
        "clocks": clocks(node.line, node.path, clock) if timed else ["", ""],
        "forked": any("forks" in entry for entry in record["moves"]),
        **_beginning(game, record, node, piece, clock),
    }


def _shown(
    node: replay.Node, timed: bool, thoughts: Mapping[int, list[Thought]], scores: Mapping[int, str]
) -> dict[str, Any]:
    """Return what is told of the shown node: its comments; on one line its time, score and first words."""
    entry, ply = node.line[-1], -1 if node.path else node.ply
    note = note_of(lines_of(entry.get("comments", ()), thoughts.get(ply, ())), NOTE)
    time = entry.get("time")
    return {
        "note": note,
        "said": {
            "time": time_text(time["now"]) if time and timed else "",
            "score": scores.get(ply, ""),
            "words": note.words[:_WORDS],
        },
    }


def _ways(kind: str, node: replay.Node, address: Address, first_choice: int) -> dict[str, Any]:
    """Return where the links around the board lead."""
    return {
        "steps": steps(node, address),
        "choices": choices(kind, node, address, first_choice),
        **_further_choices(node, address, first_choice),
        "flip_href": address.of(node.path, node.ply, not address.flipped),
    }


def _known_of(known: Known, address: Address) -> dict[str, Any]:
    """Return what the archive knows of a game beside its moves."""
    new = known.novelty
    places = dict.fromkeys((place, name[:_WORDS]) for place, name in known.marks if name != OPENS_HERE)
    return {
        "novelty_key": replay.node_key("", new) if new and new > _OPENING_MOVES else "",
        "formations": _formations(known.formations, address),
        "bookmarks": [Bookmark(place, name, address.of("", place)) for place, name in places][:_BOOKMARKS],
        "hides_solution": known.game.record_kind == Game.RecordKind.PROBLEM,
        "sources": known.sources,
        "broken": broken(known.sources),
        "more_sources": known.more_sources,
        "twins": known.twins,
    }


def _formations(
    found: Iterable[GameFormationAt], address: Address
) -> list[tuple[SafeString, list[Bookmark]]]:
    """Return the castles and openings of a game by side: of each that has any its mark, and where these
    arise."""
    sides: tuple[list[Bookmark], list[Bookmark]] = ([], [])
    for one in found:
        where = Bookmark(one.ply, formation(one.formation.name), address.of("", one.ply))
        sides[one.colour].append(where)
    return [(mark, mine) for mark, mine in zip(side_marks(SHOGI.name), sides, strict=True) if mine]


def _offers(game: Game) -> dict[str, Any]:
    """Return what a visitor may do with a game: download, copy and replay it."""
    pages = PAGES[game.kind]
    return {
        "downloads": downloads(game),
        "copies": copies(game),
        "whole_record": reverse("api:game-record", args=[game.pk, pages.whole]),
        "programs": pages.programs,
        "speeds": [(seconds, _("%(seconds)s s") % {"seconds": seconds}) for seconds in SPEEDS],
    }


def tree_data(piece: Piece) -> SafeString:
    """Return a piece of a record for the page's scripts."""
    return json_script(piece.data(), "record", encoder=_Compact)


class _Compact(DjangoJSONEncoder):
    """JSON without blanks: a third of what a long record takes would be blanks."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options | {"separators": (",", ":")})


def _beginning(
    game: Game, record: Record, node: replay.Node, piece: Piece, clock: Mapping[int, str]
) -> dict[str, Any]:
    """Return where the shown piece begins, as scripts read it: position, moves before it, clocks."""
    ply = piece.first.ply
    position, _last, played = replay.position_at(record, node, ply)
    return {
        "started": played,
        "start_clocks": clocks(node.line[: ply + 1], piece.first.path, clock),
        **PAGES[game.kind].beginning(record, position, ply, played),
    }


def steps(node: replay.Node, address: Address) -> dict[str, str]:
    """Return where the controls lead; empty where there is nothing in that direction."""
    forward = node.following[0][:2] if node.following else None
    places = {
        "start": ("", 0) if node.ply else None,
        "back": node.before,
        "forward": forward,
        "end": node.end if forward else None,
    }
    return {name: address.of(*place) if place else "" for name, place in places.items()}


def choices(kind: str, node: replay.Node, address: Address, first: int = 0) -> list[Choice]:
    """Return up to `CHOICES` of the continuations of a node, the line's own first."""
    return [
        Choice(replay.node_key(path, ply), address.of(path, ply), entry_text(kind, entry, node.line[-1]))
        for path, ply, entry in node.following[first : first + CHOICES]
    ]


def _further_choices(node: replay.Node, address: Address, first: int) -> dict[str, Any]:
    """Return how many continuations follow those that are listed, and the address of the next ones."""
    left = len(node.following) - first - CHOICES
    here = address.of(node.path, node.ply)
    following = f"{here}{'&' if '?' in here else '?'}from={first + CHOICES}"
    return {"choices_left": max(0, left), "choices_next": following if left > 0 else ""}


def charts(found: series.Series, game: Game, address: Address) -> dict[str, Any]:
    """Return the charts of times and evaluations; None where there are none.

    Their numbers stand beside the moves, the longest times below the chart.
    """
    limits = series.limits_of(game.header_data)
    times = time_chart(found.clock, game.plies)
    told = [(mark, times.longest(color)) for color, mark in enumerate(side_marks(game.kind))] if times else []
    return {
        "time_chart": times,
        "thinking": [_thinking(mark, longest, address) for mark, longest in told if longest],
        "allowance": clock_text(limits[0].main) if limits[0] and limits[0] == limits[1] else "",
        "score_chart": score_chart(best(found.evaluations), game.plies),
    }


def clock_texts(clock: Iterable[Tick], piece: Piece | None = None) -> dict[int, str]:
    """Return, by ply, what the side that moved has used, and what it has left where the limit is known.

    For a piece of a record, these are the plies on it, and those before it that tell how its clocks stand.
    """
    texts = {}
    plies = {shown.ply for shown in piece.rows()} if piece else set()
    first = piece.first.ply if piece else 0
    for tick in clock:
        if plies and tick.ply not in plies and not first - _LOOKED_BACK < tick.ply < first:
            continue
        texts[tick.ply] = clock_text(int(tick.total))
        if tick.remaining is not None:
            texts[tick.ply] += " · " + _("%(time)s left") % {"time": clock_text(int(tick.remaining))}
    return texts


def _thinking(mark: SafeString, longest: Longest, address: Address) -> Thinking:
    return Thinking(
        mark,
        clock_text(longest.total),
        clock_text(longest.seconds),
        replay.node_key("", longest.ply),
        address.of("", longest.ply),
    )


def clocks(line: Sequence[MoveEntry], path: str, clock: Mapping[int, str]) -> list[str]:
    """Return what each side has used, and has left, at the end of a line.

    On forks these are the record's own totals.
    """
    totals = ["", ""]
    first = max(0, len(line) - _LOOKED_BACK)
    for ply, entry in enumerate(line[first:], start=first):
        if "move" in entry and (text := replay.total_text(entry, ply, path, clock)):
            totals[entry["move"]["color"]] = text
    return totals


def position_links(position: Any, kind: str) -> dict[str, str]:
    """Return the address of the position's page and its code, both empty for hands that no code can hold."""
    pattern = reverse("position", args=[kind, CODE])
    try:
        code = GAMES[kind].codec.encode(position)
    except KifuError:
        code = ""
    path_code = GAMES[kind].codec.path_code(code)
    return {
        "code": code,
        "path_code": path_code,
        "position_url": reverse("position", args=[kind, path_code]) if code else "",
        "position_url_pattern": pattern,
        "legal_url_pattern": reverse("api:position-legal", args=[kind, CODE]),
    }


def facts(game: Game, record: Record) -> dict[str, Any]:
    """Return what the headers say about a game besides its moves."""
    header = record["header"]
    names = [_first(header, keys) for keys in PLAYERS]
    pages = PAGES[game.kind]
    sides = pages.side_names(game.handicap)
    return {
        "names": [name or side for name, side in zip(names, sides, strict=True)],
        "title": game_title(names) if any(names) else nameless_title(game, record),
        "event": _first(header, EVENTS),
        "place": _first(header, SITES),
        "date": written_date(game, header),
        "handicap": "" if game.handicap == pages.words.usual else handicap_text(game.kind, game.handicap),
        "result": "" if _has_no_end(game) else RESULTS_OF[game.kind][game.result],
        **_headers(game.kind, header),
    }


def _headers(kind: str, header: dict[str, str]) -> dict[str, Any]:
    """Return the headers that say something, as far as there is room, and how many are not there whole."""
    told = [(name, text) for name, text in header.items() if text.strip()]
    shown, whole, room = [], 0, ALL_HEADERS
    for name, text in told[:HEADERS]:
        size = len(name) + min(len(text), HEADER)
        if size <= room:
            room -= size
            whole += len(text) <= HEADER
            shown.append((PAGES[kind].header(name), _cut(text, HEADER)))
    return {"headers": shown, "more_headers": len(told) - whole}


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]}…"


def game_title(names: list[str]) -> str:
    """Return `A – B`, or what can be said of a game without names."""
    if not any(names):
        return nameless(Game.RecordKind.GAME)
    black, white = (name or "?" for name in names)
    return f"{black} – {white}"


def nameless_title(game: Game, record: Record) -> str:
    """Return the title of a record without players: of a problem its name and author, or its task; of others
    their kind."""
    if game.record_kind == Game.RecordKind.PROBLEM:
        if name := work_title(record["header"]):
            return name
        if mates(record) or game.plies == 1:
            return task_text(record, game.plies)
    return nameless(game.record_kind)


def task_text(record: Record, plies: int) -> str:
    """Return the task of a problem whose solution has so many moves: `Mate in 3`, `The next move`."""
    if not plies:
        return nameless(Game.RecordKind.PROBLEM)
    if mates(record):
        return _("Mate in %(plies)s") % {"plies": plies}
    return _("The next move") if plies == 1 else plies_text(plies)


def work_title(header: Mapping[str, str]) -> str:
    """Return name and author of a problem, as far as its header tells them."""
    return " – ".join(filter(None, (_first(header, (name,)) for name in _WORK)))


def _has_no_end(game: Game) -> bool:
    """Return whether nobody expects a result: problems, trees and positions are not played to one."""
    return game.record_kind != Game.RecordKind.GAME and game.result == Game.Result.UNKNOWN


def written_date(game: Game, header: dict[str, str]) -> str:
    """Return a day that can be read as the record has it, else as it was understood, else what is there."""
    written = [header[name].strip() for name in (*BEGINNINGS, *ENDS) if header.get(name, "").strip()]
    readable = next((text for text in written if read_day(text).start), None)
    found = readable or day_text(game.played_from, game.precision) or _first(header, BEGINNINGS)
    return _cut(found, _WORDS)


def _first(header: Mapping[str, str], names: tuple[str, ...]) -> str:
    return _cut(next((header[name].strip() for name in names if header.get(name, "").strip()), ""), _WORDS)


def downloads(game: Game) -> list[tuple[str, str]]:
    """Return the names of all formats that a game's record is offered in, and its addresses."""
    writers = GAMES[game.kind].formats.writers.values()
    return [_record_link(game, one) for one in writers if not one.position_only]


def copies(game: Game) -> list[tuple[str, str]]:
    """Return the names of the formats that people paste elsewhere, and the record's addresses in them."""
    readers = GAMES[game.kind].formats.readers.values()
    return [
        (one.writers[0].called(get_language()), _record_link(game, writer)[1])
        for one in readers
        for writer in one.writers
        if writer.copied
    ]


def _record_link(game: Game, writer: Writer) -> tuple[str, str]:
    return writer.called(get_language()), record_address(game.pk, writer.name)


def likely_twins(scope: Scope, game: Game, record: Record) -> list[tuple[str, str, str]]:
    """Return games that may be the same one: address, what each is called, and why."""
    reasons = {
        "same-moves": _("the same moves"),
        "beginning": _("the same players on the same day, and one game is the beginning of the other"),
    }
    found = {twin.id: reasons[twin.reason] for twin in twins_of(scope, game, record)}
    if not found:
        return []
    others = Game.objects.filter(pk__in=found).select_related("player0", "player1")
    return [
        (reverse("game", args=[one.pk]), _game_words(one), found[one.pk]) for one in others.order_by("pk")
    ]


def _game_words(game: Game) -> str:
    """Return what a game is called in a list of few."""
    names = [player.name if player else "" for player in (game.player0, game.player1)]
    day = day_text(game.played_from, game.precision)
    return " · ".join(filter(None, [game_title(names), day, plies_text(game.plies)]))
