"""The context of the page of one game, from its row, its record and its entries."""

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
from archive.models import LABELS, Game, GameSeries
from archive.queries.games.twins import twins_of
from archive.queries.patterns.formation_counts import formations_of_game
from archive.queries.positions.novelty import novelty
from archive.queries.scope import Scope, scope_of
from archive.queries.sql import PreparedQuery
from archive.web.addresses import with_parameter
from archive.web.forms import parse_number
from archive.web.game_registry import PAGES
from archive.web.lists.rows import latin_on_page, record_address, side_marks
from archive.web.replay import record as replay
from archive.web.replay.charts import score_chart, time_chart
from archive.web.replay.editions import reading_error, sources_of
from archive.web.replay.engine_lines import thoughts_of
from archive.web.replay.folding import piece_of
from archive.web.replay.notes import NOTE, complete_note, notes_of, shortened
from archive.web.replay.report import SCORES, engines_context, scores_of
from archive.web.wording import (
    RESULTS_OF,
    clock_text,
    day_text,
    entry_text,
    formation_name,
    handicap_text,
    nameless,
    plies_text,
    time_text,
    words_of,
)
from kifu_core.errors import KifuError
from kifu_core.games import GAMES, SHOGI
from kifu_core.shogi.classify import mates

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from archive.web.replay.engine_lines import Thought
    from archive.web.replay.folding import Piece
    from archive.web.replay.report import Scores
    from archive.web.replay.score_notes import ScoreNote
    from kifu_core.formats import Writer
    from kifu_core.jkf import MoveEntry, Record
    from kifu_core.shogi.clock import Tick

SPEEDS: Final = ("0.3", "0.5", "1", "2", "3", "5")
OPENS_HERE: Final = "読み込み時表示"
"""The bookmark at which programs open a KIF."""
_WORK: Final = ("作品名", "作者")
_OPENING_MOVES: Final = 2
"""A novelty before the third move says more about the archive than about the game."""
CODE: Final = "CODE"
"""Placeholder for a position's code in patterns of addresses for scripts."""
CHOICES: Final = 40
"""Continuations that a page lists at once; a position in an opening book may have thousands."""
_BOOKMARKS: Final = 100
HEADERS: Final = 100
HEADER: Final = 1_000
"""Characters of a header that a page shows."""
ALL_HEADERS: Final = 8_000
"""Characters of all headers together."""
_LOOKED_BACK: Final = 1_000
"""Plies before a node in which the last time of each side is looked for."""
_WORDS: Final = 200
"""Characters of names and titles."""


@dataclass(frozen=True, slots=True)
class ShownNode:
    """The shown node for the template. A node itself refers to the record: contexts wait for the garbage
    collector, and up to half a million objects would wait with them."""

    key: str
    ply: int
    played: int
    moves: int


@dataclass(frozen=True, slots=True)
class NodeLink:
    """A link to a node on a game's page."""

    key: str
    ply: int
    text: str
    href: str


@dataclass(frozen=True, slots=True)
class ThinkingTime:
    """The total time of a side, and a link to its longest thought."""

    mark: SafeString
    total: str
    longest: NodeLink


@dataclass(frozen=True, slots=True)
class NodeAddresses:
    """Addresses of the nodes on a game's page, in its current orientation."""

    page: str
    flipped: bool
    opening: int
    """The ply at which the address without a query opens; if not 0, the start has the query `?ply=0`."""
    kept: str = ""
    """Other parameters of the page, which stay in all of these addresses."""

    def address(self, path: str, ply: int, flipped: bool | None = None) -> str:
        query = replay.node_query(path, ply) or self.start_query
        if self.flipped if flipped is None else flipped:
            query += "&flip=1" if query else "?flip=1"
        if self.kept:
            query += f"{'&' if query else '?'}{self.kept}"
        return self.page + query

    def link(self, path: str, ply: int, text: str) -> NodeLink:
        return NodeLink(replay.node_key(path, ply), ply, text, self.address(path, ply))

    @property
    def start_query(self) -> str:
        return "?ply=0" if self.opening else ""


_SERIES: Final = PreparedQuery(lambda game: GameSeries.objects.filter(pk=game).values_list("series"))


def ply_of(request: HttpRequest) -> int | None:
    """Return the ply in the address, 0 for an invalid one; None without a ply."""
    return parse_number(request.GET["ply"], 6) or 0 if "ply" in request.GET else None


def game_context(
    request: HttpRequest, game: Game, page: str = "", *, ply: int | None = None, kept: str = ""
) -> dict[str, Any]:
    """Return the template's context for the node in the address, or for the nearest one that exists.

    Without a ply the game opens at `ply`, by default at the record's bookmark for this, else at the start.
    Links stay on `page`, by default the game's own, and have the parameters `kept`. A long record is cut to
    the part around the node, its continuations to `CHOICES`.
    """
    record = game.jkf
    sources, more_sources, bookmarks = sources_of(request, game.pk)
    opening = next((at for at, name in bookmarks if name == OPENS_HERE), 0) if ply is None else ply
    flipped, path, ply = request.GET.get("flip") == "1", request.GET.get("fork", ""), ply_of(request)
    number = parse_number(request.GET.get(SCORES, ""), 18)
    kept = kept or ("" if number is None else f"{SCORES}={number}")
    addresses = NodeAddresses(page or reverse("game", args=[game.pk]), flipped, opening, kept)
    node = replay.find_node(record, path, opening if ply is None and not path else ply or 0)
    position, last, played = replay.position_at(record, node)
    rows = _SERIES.rows(game.pk)  # evaluations are stored: reading them out of comments takes long
    data = series.unpack(bytes(rows[0][0]) if rows else b"")
    scores = scores_of(request, game, data.evaluations)
    address = addresses.address(node.path, node.ply)
    return {
        "game": game,
        "node": ShownNode(node.key, node.ply, node.played, node.moves),
        "path": addresses.page,
        "opening": opening,
        "start_query": addresses.start_query,
        "position": position,
        "last": last,
        "flipped": flipped,
        "label": entry_text(game.kind, node.line[-1], node.line[-2] if node.ply else None),
        "words": words_of(game.kind, position),
        "section": "games",
        **PAGES[game.kind].board(position, played),
        **_moves(game, record, node, data, scores.notes()),
        "here": address.removeprefix(addresses.page),
        "note_address": "" if page else address,
        **_links(request, game.kind, node, addresses),
        "novelty_key": _novelty_key(request, game, record),
        "formations": _formations(game, addresses),
        "bookmarks": _bookmarks(bookmarks, addresses),
        "hides_solution": game.record_kind == Game.RecordKind.PROBLEM,
        "sources": sources,
        "more_sources": more_sources,
        "broken": reading_error(sources),
        "twins": [] if page else likely_twins(scope_of(request), game, record),
        **_downloads(game),
        **charts(data, game, addresses, scores),
        **engines_context(request, game, scores),
        **position_links(position, game.kind),
        **facts(game, record),
    }


def _moves(
    game: Game, record: Record, node: replay.RecordNode, data: series.Series, scores: Mapping[int, ScoreNote]
) -> dict[str, Any]:
    """Return the shown piece of a record: its moves, comments, times and evaluations. `scores` are those of
    the main line in short, by ply."""
    piece = piece_of(record, node)
    first = piece.first
    start, _last, played = replay.position_at(record, node, first.ply)
    timed, clock = replay.is_timed(record), clock_texts(data.clock, piece)
    thoughts = thoughts_of(record, data.evaluations, {row.ply for row in piece.rows()})
    notes = notes_of(piece.rows(), node.key, thoughts)
    return {
        # Without spaces: they would be a third of a long record.
        "tree": json_script(piece.data(), "record", encoder=_CompactEncoder),
        "parts": replay.move_list(game.kind, piece, clock, notes, scores),
        "commented": bool(notes),
        **_node_notes(node, timed, thoughts, scores),
        "timed": timed,
        "clocks": clocks(node.line, node.path, clock) if timed else ["", ""],
        "forked": any("forks" in entry for entry in record["moves"]),
        "started": played,
        "start_clocks": clocks(node.line[: first.ply + 1], first.path, clock),
        **PAGES[game.kind].beginning(record, start, first.ply, played),
    }


def _node_notes(
    node: replay.RecordNode,
    timed: bool,
    thoughts: Mapping[int, list[Thought]],
    scores: Mapping[int, ScoreNote],
) -> dict[str, Any]:
    """Return the comments of the shown node, and its line with time, score and first words."""
    entry, ply = node.line[-1], -1 if node.path else node.ply
    note = shortened(complete_note(entry.get("comments", ()), thoughts.get(ply, ())), NOTE)
    time = entry.get("time")
    return {
        "note": note,
        "last_move": {
            "time": time_text(time["now"]) if time and timed else "",
            "score": scores[ply].signs if ply in scores else "",
            "words": note.words[:_WORDS],
        },
    }


def _links(
    request: HttpRequest, kind: str, node: replay.RecordNode, addresses: NodeAddresses
) -> dict[str, Any]:
    """Return the links around the board, and up to `CHOICES` continuations of the node, from the one in the
    address on."""
    first = parse_number(request.GET.get("from", ""), 6) or 0
    first = first if first < len(node.following) else 0
    shown = node.following[first : first + CHOICES]
    left = len(node.following) - first - len(shown)
    here = addresses.address(node.path, node.ply)
    return {
        "steps": steps(node, addresses),
        "choices": [
            addresses.link(path, ply, entry_text(kind, entry, node.line[-1])) for path, ply, entry in shown
        ],
        "choices_left": left,
        "choices_next": with_parameter(here, f"from={first + CHOICES}") if left else "",
        "flip_href": addresses.address(node.path, node.ply, not addresses.flipped),
    }


def _novelty_key(request: HttpRequest, game: Game, record: Record) -> str:
    ply = novelty(scope_of(request), game, record)
    return replay.node_key("", ply) if ply and ply > _OPENING_MOVES else ""


def _bookmarks(bookmarks: Iterable[tuple[int, str]], addresses: NodeAddresses) -> list[NodeLink]:
    distinct = dict.fromkeys((ply, name[:_WORDS]) for ply, name in bookmarks if name != OPENS_HERE)
    return [addresses.link("", ply, name) for ply, name in distinct][:_BOOKMARKS]


def _formations(game: Game, addresses: NodeAddresses) -> list[tuple[SafeString, list[NodeLink]]]:
    """Return the castles and openings of each side that has any, with its mark."""
    if game.kind != SHOGI.name:
        return []
    sides: tuple[list[NodeLink], list[NodeLink]] = ([], [])
    for one in formations_of_game(game.slot):
        sides[one.colour].append(addresses.link("", one.ply, formation_name(one.formation.name)))
    return [(mark, links) for mark, links in zip(side_marks(game.kind), sides, strict=True) if links]


def _downloads(game: Game) -> dict[str, Any]:
    """Return the formats for downloading and copying a game, and the speeds of its replay."""
    pages = PAGES[game.kind]
    return {
        "downloads": downloads(game),
        "copies": copies(game),
        "full_record": reverse("api:game-record", args=[game.pk, pages.full_format]),
        "programs": pages.programs,
        "speeds": [(seconds, _("%(seconds)s s") % {"seconds": seconds}) for seconds in SPEEDS],
    }


class _CompactEncoder(DjangoJSONEncoder):
    def __init__(self, **options: Any) -> None:
        super().__init__(**options | {"separators": (",", ":")})


def steps(node: replay.RecordNode, addresses: NodeAddresses) -> dict[str, str]:
    """Return the addresses of the controls; empty at the ends of the line."""
    forward = node.following[0][:2] if node.following else None
    places = {
        "start": ("", 0) if node.ply else None,
        "back": node.before,
        "forward": forward,
        "end": node.end if forward else None,
    }
    return {name: addresses.address(*place) if place else "" for name, place in places.items()}


def charts(data: series.Series, game: Game, addresses: NodeAddresses, scores: Scores) -> dict[str, Any]:
    """Return the charts of times and evaluations, None without such data, and each side's longest thought."""
    limits = series.limits_of(game.header_data)
    times = time_chart(data.clock, game.plies)
    thinking = []
    for color, mark in enumerate(side_marks(game.kind)):
        if times and (longest := times.longest(color)):
            link = addresses.link("", longest.ply, clock_text(longest.seconds))
            thinking.append(ThinkingTime(mark, clock_text(longest.total), link))
    return {
        "time_chart": times,
        "thinking": thinking,
        "allowance": clock_text(limits[0].main) if limits[0] and limits[0] == limits[1] else "",
        "score_chart": score_chart(scores, game.plies),
    }


def clock_texts(clock: Iterable[Tick], piece: Piece | None = None) -> dict[int, str]:
    """Return the used time of the side that moved, by ply, with its remaining time if the limit is known.

    Of a piece of a record these are its plies, and the plies before it that have the clocks at its start.
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


def clocks(line: Sequence[MoveEntry], path: str, clock: Mapping[int, str]) -> list[str]:
    """Return each side's clock at the end of a line; on a fork the record's own totals."""
    totals = ["", ""]
    first = max(0, len(line) - _LOOKED_BACK)
    for ply, entry in enumerate(line[first:], start=first):
        if "move" in entry and (text := replay.total_text(entry, ply, path, clock)):
            totals[entry["move"]["color"]] = text
    return totals


def position_links(position: Any, kind: str) -> dict[str, str]:
    """Return code and addresses of a position; empty if no code can hold its hands."""
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
    """Return the data of a game's headers."""
    header = record["header"]
    latin = latin_on_page("player", (game.player0_id, game.player1_id))
    events, places = (latin_on_page(kind, (getattr(game, f"{kind}_id"),)) for kind in LABELS)
    names = [
        latin.get(player or 0) or _first(header, keys)
        for keys, player in zip(PLAYERS, (game.player0_id, game.player1_id), strict=True)
    ]
    pages = PAGES[game.kind]
    sides = pages.side_names(game.handicap)
    is_game, is_open = game.record_kind == Game.RecordKind.GAME, game.result == Game.Result.UNKNOWN
    return {
        "names": [name or side for name, side in zip(names, sides, strict=True)],
        "title": game_title(names) if any(names) else nameless_title(game, record),
        "event": events.get(game.event_id or 0) or _first(header, EVENTS),
        "place": places.get(game.place_id or 0) or _first(header, SITES),
        "date": date_text(game, header),
        "handicap": "" if game.handicap == pages.words.usual else handicap_text(game.kind, game.handicap),
        # Only games are expected to have a result.
        "result": "" if is_open and not is_game else RESULTS_OF[game.kind][game.result],
        **_headers(game.kind, header),
    }


def _headers(kind: str, header: dict[str, str]) -> dict[str, Any]:
    """Return the non-empty headers within `ALL_HEADERS` characters, and how many are cut or left out."""
    filled = [(name, text) for name, text in header.items() if text.strip()]
    shown, complete, budget = [], 0, ALL_HEADERS
    for name, text in filled[:HEADERS]:
        size = len(name) + min(len(text), HEADER)
        if size <= budget:
            budget -= size
            complete += len(text) <= HEADER
            shown.append((PAGES[kind].header(name), _cut(text, HEADER)))
    return {"headers": shown, "more_headers": len(filled) - complete}


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]}…"


def title_of(game: Game) -> str:
    """Return the title of a game by its players: two queries unless they are joined."""
    return game_title([player.name if player else "" for player in (game.player0, game.player1)])


def game_title(names: list[str]) -> str:
    """Return `A – B`, or the title of a game without names."""
    if not any(names):
        return nameless(Game.RecordKind.GAME)
    black, white = (name or "?" for name in names)
    return f"{black} – {white}"


def nameless_title(game: Game, record: Record) -> str:
    """Return the title of a record without players: a problem's name and author or its task, else its
    kind."""
    if game.record_kind == Game.RecordKind.PROBLEM:
        if name := work_title(record["header"]):
            return name
        if mates(record) or game.plies == 1:
            return task_text(record, game.plies)
    return nameless(game.record_kind)


def task_text(record: Record, plies: int) -> str:
    """Return the task of a problem by the length of its solution: `Mate in 3`, `The next move`."""
    if not plies:
        return nameless(Game.RecordKind.PROBLEM)
    if mates(record):
        return _("Mate in %(plies)s") % {"plies": plies}
    return _("The next move") if plies == 1 else plies_text(plies)


def work_title(header: Mapping[str, str]) -> str:
    """Return name and author of a problem, empty if its header has neither."""
    return " – ".join(filter(None, (_first(header, (name,)) for name in _WORK)))


def date_text(game: Game, header: dict[str, str]) -> str:
    """Return the first date in the headers that can be parsed, else the stored date, else the first
    header."""
    dates = [header[name].strip() for name in (*BEGINNINGS, *ENDS) if header.get(name, "").strip()]
    readable = next((text for text in dates if read_day(text).start), None)
    text = readable or day_text(game.played_from, game.precision) or _first(header, BEGINNINGS)
    return _cut(text, _WORDS)


def _first(header: Mapping[str, str], names: tuple[str, ...]) -> str:
    return _cut(next((header[name].strip() for name in names if header.get(name, "").strip()), ""), _WORDS)


def downloads(game: Game) -> list[tuple[str, str]]:
    """Return name and address of the record in each format that can hold a game."""
    writers = GAMES[game.kind].formats.writers.values()
    return [_record_link(game, one) for one in writers if not one.position_only]


def copies(game: Game) -> list[tuple[str, str]]:
    """Return name and address of the record in each format that people paste elsewhere."""
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
    """Return address, title and reason of games that may be the same one."""
    reasons = {
        "same-moves": _("the same moves"),
        "beginning": _("the same players on the same day, and one game is the beginning of the other"),
    }
    reason_by_id = {twin.id: reasons[twin.reason] for twin in twins_of(scope, game, record)}
    if not reason_by_id:
        return []
    others = Game.objects.filter(pk__in=reason_by_id).select_related("player0", "player1")
    return [
        (reverse("game", args=[twin.pk]), _long_title(twin), reason_by_id[twin.pk])
        for twin in others.order_by("pk")
    ]


def _long_title(game: Game) -> str:
    day = day_text(game.played_from, game.precision)
    return " · ".join(filter(None, [title_of(game), day, plies_text(game.plies)]))
