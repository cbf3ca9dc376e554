"""HTML of rows of lists and tables, and of their parts: addresses, marks of the sides, links in texts."""

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

from archive.web import wording
from kifu_core.games import GAMES, SHOGI

if TYPE_CHECKING:
    from archive.queries.games.excerpts import Excerpt
    from archive.queries.games.listing import GameRow
    from archive.queries.positions.explorer import MoveStats, Results, UnplayedMove
    from archive.web.replay.engine_lines import Thought
    from archive.web.replay.lines import WalkedLine
    from archive.web.replay.notes import Note
    from archive.web.replay.record import MoveListPart, MoveListRow

_IN_PATHS: Final = "!$&'()*+,;=/~:@"
"""Characters of paths that need no quoting (RFC 3986, as in Django)."""


# --- addresses -------------------------------------------------------------------------------------------


def game_address(game: int) -> str:
    """Return the address of a game's page."""
    before, after = _around("game", (0,), "0", get_script_prefix())
    return f"{before}{game}{after}"


def record_address(game: int, writer: str) -> str:
    """Return the address of a game's record in a format."""
    before, after = _around("api:game-record", (_A_GAME, writer), str(_A_GAME), get_script_prefix())
    return f"{before}{game}{after}"


_A_GAME: Final = 1_234_567_890
"""Placeholder for a game's number, which no name of a format contains."""


def position_address(kind: str, path: str) -> str:
    """Return the address of a position's page by its code in addresses."""
    before, after = _around("position", (kind, "CODE"), "CODE", get_script_prefix())
    return before + quote(path, safe=_IN_PATHS) + after


@cache
def _around(name: str, args: tuple[Any, ...], placeholder: str, prefix: str) -> tuple[str, str]:
    """Return the parts of an address around a placeholder, cached since `reverse` is slow in long lists."""
    before, _placeholder, after = reverse(name, args=args).rpartition(placeholder)
    return before, after


# --- marks and results -----------------------------------------------------------------------------------


@cache
def side_mark(kind: str, color: int) -> SafeString:
    """Return the mark before a player of this colour. The style sheet draws it: as text, a black piece would
    be white on a dark page."""
    return _macro("marks", "mark", kind, GAMES[kind].rules.sides[color], wording.MARKS_OF[kind][color])


def side_marks(kind: str) -> tuple[SafeString, SafeString]:
    """Return the marks of both sides."""
    return side_mark(kind, 0), side_mark(kind, 1)


def with_marks(text: object) -> SafeString:
    """Escape a text, and replace the signs of the sides of shogi by marks."""
    shown = escape(str(text))
    for color, sign in enumerate(wording.MARKS_OF[SHOGI.name]):
        shown = shown.replace(sign, side_mark(SHOGI.name, color))
    return mark_safe(shown)


def result_marks(kind: str, result: int) -> SafeString:
    """Return a result in words with the marks of the sides."""
    return _result_marks(get_language(), kind, result)


@cache
def _result_marks(_language: str, kind: str, result: int) -> SafeString:
    return with_marks(wording.RESULTS_OF[kind][result])


def results_box(results: Results, kind: str, *, large: bool = False) -> SafeString:
    """Return a bar of the wins of colour 0, the draws and the wins of colour 1, with the numbers."""
    return _macro("marks", "results_box", results, kind, large)


def private_badge(name: str) -> SafeString:
    """Return the badge of games in a library."""
    return _macro("marks", "private_badge", name)


def _macro(template: str, name: str, *arguments: object) -> SafeString:
    """Return the HTML of a macro of the templates in `archive/jinja2/rows`."""
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
    """Return games as rows of a list; a row with a ply links to that ply.

    `private` are the names of non-public libraries by id. By id of a game, `below` is HTML below its row, and
    `queries` the query of its address.
    """
    return _macro("games", "game_rows", rows, private, below or {}, queries or {})


def excerpt_row(address: str, place: str, excerpt: Excerpt) -> SafeString:
    """Return an excerpt of a game below its row, with a link to its place."""
    return _macro("games", "excerpt_row", address, place, excerpt)


def place_link(game: int, query: str, color: int, text: str) -> SafeString:
    """Return a link below a row to a place in its game of shogi, with the mark of a side."""
    return _macro("games", "place_link", game_address(game) + query, SHOGI.name, color, text)


# --- moves -----------------------------------------------------------------------------------------------


def onward(kind: str, walk: WalkedLine | None) -> Callable[[MoveStats | UnplayedMove], str]:
    """Return a function for the address after a move; `walk` is the line that led to the position, if any."""
    path_code = GAMES[kind].codec.path_code
    if walk is None:
        return lambda move: position_address(kind, path_code(move.code))
    after = walk.onward()
    return lambda move: after(move.name, path_code(move.code))


def stat_text(kind: str, position: Any, move: MoveStats | UnplayedMove, walk: WalkedLine | None) -> str:
    """Return a move from the position in words with the mark of its side."""
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
    """Return the rows of a table of moves with their shares of `total` games and their results."""
    page = onward(kind, walk)
    rows = ((move, page(move), stat_text(kind, position, move, walk)) for move in moves)
    return _macro("explorer", "move_rows", rows, kind, total, detailed)


# --- the moves of a game ---------------------------------------------------------------------------------

# In Python: a template takes three times as long for a list of hundreds of moves.


@dataclass(frozen=True, slots=True)
class MoveList:
    """The parameters of a list of moves: address of the page and query of the start, whether times are shown,
    keys of the shown node and of the novelty, address of the full record."""

    page: str
    start_query: str
    timed: bool
    here: str
    novelty: str
    full_record: str


def move_list(parts: Iterable[MoveListPart], look: MoveList) -> SafeString:
    """Return the moves of a game with nested forks."""
    return mark_safe("".join(_part(part, look) for part in parts))


def _part(part: MoveListPart, look: MoveList) -> str:
    if part.row is not None:
        return _move(part.row, look)
    if part.omission is not None:
        address = escape(look.page + (part.omission.query or look.start_query))
        return f'<li class="fold"><a href="{address}">… {escape(part.omission.text)}</a></li>'
    return _FRAMES.get(part.name, "</ol>")


_FRAMES: Final = {"end": "</li>", "fork": '<ol class="fork">', "stretch": '<ol class="stretch">'}


def _move(row: MoveListRow, look: MoveList) -> str:
    """Return the beginning of a move's row; forks and end are tokens of their own."""
    address = look.page + (row.query or look.start_query)
    total = f' data-total="{escape(row.total)}"' if look.timed and row.total else ""
    classes = f"{'has-note' if row.note and row.note.words else ''}{' ending' if row.ending else ''}"
    return "".join(
        (
            f'<li data-key="{escape(row.key)}"{total}',
            f' class="{classes}"' if classes else "",
            f'><span class="n">{row.ply}</span><a href="{escape(address)}"',
            ' aria-current="step"' if row.key == look.here else "",
            f">{escape(row.text)}</a>",
            _new() if row.key == look.novelty else "",
            f'<span class="e">{with_marks(row.score)}</span>' if row.score else "",
            f'<span class="t">{escape(row.time)}</span>' if look.timed and row.time else "",
            _note(row.note, look.full_record if row.key == look.here else address) if row.note else "",
        )
    )


def _new() -> str:
    title = escape(_("First game in the archive to reach this position"))
    return f'<abbr class="novelty" title="{title}">{escape(_("new"))}</abbr>'


def _note(note: Note, rest: str) -> str:
    """Return comments, hidden until the move is shown; `rest` is the address of the omitted ones."""
    lines = "".join(note_line(line) for line in note.lines)
    more = f'<p><a href="{escape(rest)}">{escape(_("Read on"))}</a></p>' if note.cut else ""
    return f'<div class="note" hidden>{lines}{more}</div>'


def note_line(line: str | Thought, address: str = "") -> SafeString:
    """Return a line of comments. With the `address` of its node the moves of an engine's line are links;
    without, scripts make them links (static/archive/js/thoughts.js)."""
    if isinstance(line, str):
        return mark_safe(f"<p>{linkify(line)}</p>")
    data = f' data-moves="{".".join(line.moves)}"' if line.moves else ""
    words = _linked(line, address) if address and line.moves else escape("\n".join(line.words))
    about = f'<b>{with_marks(line.score)}</b> <span class="muted">{escape(line.facts)}</span>'
    return mark_safe(f'<p class="thought">{about} <span class="line"{data}>{words}</span></p>')


def _linked(line: Thought, address: str) -> str:
    before = f"{address}{'&' if '?' in address else '?'}try="
    return "\n".join(
        f'<a href="{escape(before + ".".join(line.moves[: number + 1]))}">{escape(word)}</a>'
        for number, word in enumerate(line.words)
    )


# --- addresses in texts ----------------------------------------------------------------------------------


# Ends before punctuation that often follows an address in Japanese text.
_URL: Final = re.compile(r"https?://[A-Za-z0-9][^\s<>\"'`\\^{|}「」『』（）【】、。]*")
_TRAILING: Final = ".,;:!?)]"


def linkify(text: str) -> SafeString:
    """Escape a text and make its http and https addresses links without a referrer."""
    pieces: list[str] = []
    end = 0
    for match in _URL.finditer(text):
        url = match[0].rstrip(_TRAILING)
        link = f'<a href="{escape(url)}" rel="nofollow noopener noreferrer ugc">{escape(url)}</a>'
        pieces += [escape(text[end : match.start()]), link]
        end = match.start() + len(url)
    return mark_safe("".join([*pieces, escape(text[end:])]))
