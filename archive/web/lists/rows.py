"""HTML of the rows of lists and tables, and of their parts: addresses, marks of the sides, links in texts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from django.template import engines
from django.template.backends.jinja2 import Jinja2
from django.urls import get_script_prefix, reverse
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from jinja2 import Template

from archive.derive.issues import language
from archive.queries.names.latin_names import latin_names
from archive.web import wording
from archive.web.addresses import with_parameter
from archive.web.replay.score_notes import OPINIONS
from kifu_core.games import GAMES, SHOGI

if TYPE_CHECKING:
    from archive.models import NameKind
    from archive.queries.games.excerpts import Excerpt
    from archive.queries.games.listing import GameRow
    from archive.queries.positions.explorer import MoveStats, Results, UnplayedMove
    from archive.web.replay.engine_lines import Thought
    from archive.web.replay.lines import WalkedLine
    from archive.web.replay.notes import Note
    from archive.web.replay.record import MoveListPart, MoveListRow
    from archive.web.replay.score_notes import ScoreNote
    from kifu_core.shogi.annotations import Mark

_IN_PATHS: Final = "!$&'()*+,;=/~:@"
"""Characters that need no quoting in a path (RFC 3986; Django's `reverse` uses the same ones)."""


# --- addresses -------------------------------------------------------------------------------------------


def game_address(game: int) -> str:
    """Return the address of a game's page."""
    before, after = _address_parts("game", (0,), "0", get_script_prefix())
    return f"{before}{game}{after}"


def record_address(game: int, format_name: str) -> str:
    """Return the address of the record of a game in a format."""
    before, after = _address_parts(
        "api:game-record", (_PLACEHOLDER_ID, format_name), str(_PLACEHOLDER_ID), get_script_prefix()
    )
    return f"{before}{game}{after}"


_PLACEHOLDER_ID: Final = 1_234_567_890
"""Stands for the id of a game in a cached address; the name of a format never contains this number."""


def position_address(kind: str, path_code: str) -> str:
    """Return the address of the page of a position."""
    before, after = _address_parts("position", (kind, "CODE"), "CODE", get_script_prefix())
    return before + quote(path_code, safe=_IN_PATHS) + after


@cache
def _address_parts(name: str, args: tuple[Any, ...], placeholder: str, prefix: str) -> tuple[str, str]:
    """Return the parts of an address before and after a placeholder; cached, because `reverse` is slow."""
    before, _placeholder, after = reverse(name, args=args).rpartition(placeholder)
    return before, after


# --- marks and results -----------------------------------------------------------------------------------


@cache
def side_mark(kind: str, color: int) -> SafeString:
    """Return the mark of the players of a colour. The style sheet draws it: as text, the sign of a black
    piece would be white on a dark page."""
    return _macro("marks", "mark", kind, GAMES[kind].rules.sides[color], wording.MARKS_OF[kind][color])


def side_marks(kind: str) -> tuple[SafeString, SafeString]:
    """Return the marks of both sides."""
    return side_mark(kind, 0), side_mark(kind, 1)


def with_marks(text: object) -> SafeString:
    """Escape a text, and replace the signs of Black and White in shogi with their marks."""
    shown = escape(str(text))
    for color, sign in enumerate(wording.MARKS_OF[SHOGI.name]):
        shown = shown.replace(sign, side_mark(SHOGI.name, color))
    return mark_safe(shown)


def result_marks(kind: str, result: int) -> SafeString:
    """Return a result in words, with marks in place of the signs of the sides."""
    return _result_marks(get_language(), kind, result)


@cache
def _result_marks(_language: str, kind: str, result: int) -> SafeString:
    return with_marks(wording.RESULTS_OF[kind][result])


def results_box(results: Results, kind: str, *, large: bool = False) -> SafeString:
    """Return a bar of the wins of colour 0, the draws and the wins of colour 1, with the numbers."""
    return _macro("marks", "results_box", results, kind, large)


def private_badge(name: str) -> SafeString:
    """Return the badge of the games in a library; `name` is that of the library."""
    return _macro("marks", "private_badge", name)


def _macro(template: str, name: str, *arguments: object) -> SafeString:
    """Return the HTML of a macro from a template in `archive/jinja2/rows`."""
    macro = getattr(_template(template).module, name)
    return mark_safe(str(macro(*arguments)))


@cache
def _template(name: str) -> Template:
    backend = engines["jinja2"]
    assert isinstance(backend, Jinja2)
    return backend.env.get_template(f"rows/{name}.html")


# --- games -----------------------------------------------------------------------------------------------


def game_rows(
    rows: Iterable[GameRow],
    private: Mapping[int, str],
    below: Mapping[int, SafeString] | None = None,
    queries: Mapping[int, str] | None = None,
) -> SafeString:
    """Return the rows of a list of games. A row with a ply links to that ply.

    `private` maps the ids of non-public libraries to their names. `below` maps ids of games to HTML that is
    shown below their rows, `queries` to the query strings of their addresses.
    """
    rows = list(rows)
    players = latin_on_page("player", (pk for row in rows for pk in (row.first_id, row.second_id)))
    events = latin_on_page("event", (row.event_id for row in rows))
    return _macro("games", "game_rows", rows, private, below or {}, queries or {}, players, events)


def latin_on_page(kind: NameKind, ids: Iterable[int | None]) -> dict[int, str]:
    """Return the names in Latin letters, by id, that a page in English shows; none on one in Japanese."""
    return {} if language() == "ja" else latin_names(kind, ids)


def excerpt_row(address: str, place: str, excerpt: Excerpt) -> SafeString:
    """Return an excerpt of a game, shown below its row. `place` is the text of a link to `address`."""
    return _macro("games", "excerpt_row", address, place, excerpt)


def place_link(game: int, query: str, color: int, text: str) -> SafeString:
    """Return a link to a place in a game of shogi, shown below its row, with the mark of a side."""
    return _macro("games", "place_link", game_address(game) + query, SHOGI.name, color, text)


# --- moves -----------------------------------------------------------------------------------------------


def addresses_after_moves(kind: str, walk: WalkedLine | None) -> Callable[[MoveStats | UnplayedMove], str]:
    """Return a function from a move to the address of the position after it. `walk` is the line of moves by
    which the visitor reached the position, if any."""
    path_code = GAMES[kind].codec.path_code
    if walk is None:
        return lambda move: position_address(kind, path_code(move.code))
    address = walk.addresses_after_moves()
    return lambda move: address(move.name, path_code(move.code))


def stat_text(kind: str, position: Any, move: MoveStats | UnplayedMove, walk: WalkedLine | None) -> str:
    """Return the text of a move from the position, with the mark of its side."""
    return wording.played_text(kind, position, move.move, move.text, walk.last if walk else None)


def move_rows(
    kind: str,
    position: Any,
    moves: Sequence[MoveStats],
    total: int,
    walk: WalkedLine | None,
    *,
    detailed: bool,
) -> SafeString:
    """Return the rows of a table of moves, with their shares of `total` games and their results."""
    address = addresses_after_moves(kind, walk)
    rows = ((move, address(move), stat_text(kind, position, move, walk)) for move in moves)
    return _macro("explorer", "move_rows", rows, kind, total, detailed)


# --- the moves of a game ---------------------------------------------------------------------------------

# This is not a template, because that takes three times as long for a list of hundreds of moves.


@dataclass(frozen=True, slots=True)
class MoveListOptions:
    """How to show a list of moves."""

    page: str
    """The address of the page without a query."""
    start_query: str
    """The query of the start position."""
    timed: bool
    """Whether to show times."""
    here: str
    """The key of the current node."""
    novelty: str
    """The key of the novelty; empty if there is none."""
    full_record: str
    """The address of the full record."""


def move_list(parts: Iterable[MoveListPart], options: MoveListOptions) -> SafeString:
    """Return the list of the moves of a game, with nested lists for its forks."""
    return mark_safe("".join(_part(part, options) for part in parts))


def _part(part: MoveListPart, options: MoveListOptions) -> str:
    if part.row is not None:
        return _move(part.row, options)
    if part.omission is not None:
        address = escape(options.page + (part.omission.query or options.start_query))
        return f'<li class="fold"><a href="{address}">… {escape(part.omission.text)}</a></li>'
    return _FRAMES.get(part.name, "</ol>")


_FRAMES: Final = {"end": "</li>", "fork": '<ol class="fork">', "stretch": '<ol class="stretch">'}


def _move(row: MoveListRow, options: MoveListOptions) -> str:
    """Return the beginning of the row of a move. Its forks and its end follow as parts of their own."""
    address = options.page + (row.query or options.start_query)
    total = f' data-total="{escape(row.total)}"' if options.timed and row.total else ""
    note = row.note
    classes = f"{'has-note' if note and note.words else ''}{' ending' if row.ending else ''}"
    shapes = f' data-shapes="{" ".join(map(str, note.shapes))}"' if note and note.shapes else ""
    return "".join(
        (
            f'<li data-key="{escape(row.key)}"{total}{shapes}',
            f' class="{classes}"' if classes else "",
            f'><span class="n">{row.ply}</span><a href="{escape(address)}"',
            ' aria-current="step"' if row.key == options.here else "",
            f">{escape(row.text)}{_sign(note.mark) if note and note.mark else ''}</a>",
            _new() if row.key == options.novelty else "",
            _score(row.score) if row.score else "",
            f'<span class="t">{escape(row.time)}</span>' if options.timed and row.time else "",
            _note(note, options.full_record if row.key == options.here else address) if note else "",
        )
    )


def _score(note: ScoreNote) -> str:
    """Return the score of a move with the network's opinions, whose signs have a name for screen readers."""
    signs = "".join(map(_opinion, note.opinions)) if note.opinions else ""
    return f'<span class="e">{escape(note.text)}{signs}</span>'


def _opinion(name: str) -> str:
    sign, words = OPINIONS[name]
    about = escape(str(words))
    return (
        f' <span class="opinion" role="img" aria-label="{about}" title="{about}">{escape(str(sign))}</span>'
    )


def _new() -> str:
    title = escape(_("First game in the archive to reach this position"))
    return f'<abbr class="novelty" title="{title}">{escape(_("new"))}</abbr>'


def _note(note: Note, rest: str) -> str:
    """Return the comments on a move, hidden until it is the current one. `rest` is the address where they are
    not shortened."""
    if not note.is_shown:
        return ""
    lines = "".join([mark_line(note.mark) if note.mark else "", *map(note_line, note.lines)])
    more = f'<p><a href="{escape(rest)}">{escape(_("Read on"))}</a></p>' if note.cut else ""
    return f'<div class="note" hidden>{lines}{more}</div>'


def _sign(mark: Mark) -> str:
    """Return the sign of a mark behind its move."""
    return f'<b class="sign" title="{escape(mark_word(mark))}">{mark.sign}</b>'


def mark_line(mark: Mark) -> SafeString:
    """Return a mark as the first line of comments."""
    return mark_safe(f'<p class="judged"><b class="sign">{mark.sign}</b> {escape(mark_word(mark))}</p>')


def mark_word(mark: Mark) -> str:
    """Return the name of a mark in the language of the page."""
    return mark.word if get_language() == "ja" else mark.english


def note_line(line: str | Thought, address: str = "") -> SafeString:
    """Return a line of comments. If `address` (that of its node) is given, the moves of an engine's line are
    links. Otherwise a script makes them links (static/archive/js/thoughts.js)."""
    if isinstance(line, str):
        return mark_safe(f"<p>{linkify(line)}</p>")
    data = f' data-moves="{".".join(line.moves)}"' if line.moves else ""
    words = _linked(line, address) if address and line.moves else escape("\n".join(line.words))
    about = f'<b>{with_marks(line.score)}</b> <span class="muted">{escape(line.facts)}</span>'
    return mark_safe(f'<p class="thought">{about} <span class="line"{data}>{words}</span></p>')


def _linked(line: Thought, address: str) -> str:
    before = with_parameter(address, "try=")
    return "\n".join(
        f'<a href="{escape(before + ".".join(line.moves[: number + 1]))}">{escape(word)}</a>'
        for number, word in enumerate(line.words)
    )


# --- links in texts --------------------------------------------------------------------------------------


# An address ends before the punctuation that often follows it in Japanese text.
_URL: Final = re.compile(r"https?://[A-Za-z0-9][^\s<>\"'`\\^{|}「」『』（）【】、。]*")
_TRAILING: Final = ".,;:!?)]"


def linkify(text: str) -> SafeString:
    """Escape a text, and turn http and https addresses in it into links that send no referrer."""
    pieces: list[str] = []
    end = 0
    for match in _URL.finditer(text):
        url = match[0].rstrip(_TRAILING)
        link = f'<a href="{escape(url)}" rel="nofollow noopener noreferrer ugc">{escape(url)}</a>'
        pieces += [escape(text[end : match.start()]), link]
        end = match.start() + len(url)
    return mark_safe("".join([*pieces, escape(text[end:])]))
