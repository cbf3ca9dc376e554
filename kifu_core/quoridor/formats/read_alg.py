"""The reader of move lists: `1. e2 e8 2. e3h e7`, in all notations, with tags, comments, forks and results.

Accepted are tags as in PGN (`[White "..."]`), a label and a tab before the moves of a line, move numbers or
none, comments in braces, after `;`, and after `*` (in BoardGameGeek's forums) to the next number or the end
of the line, lines that begin with `#`, forks in parentheses after the move they replace, `X` for a
resignation, `1-0`, `0-1`, `1/2-1/2`, and `*` for an unfinished game. Letters, digits and punctuation may be
full-width. In JSON a game is a list of moves, or an object with one.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Final, NamedTuple

from kifu_core.deadline import PIECE, check_time, watched
from kifu_core.decoding import Notes, Source
from kifu_core.errors import DecodeError
from kifu_core.jkf import FORK_LEVELS
from kifu_core.json_text import values
from kifu_core.limits import most_games
from kifu_core.memo import Memo
from kifu_core.quoridor import endings, notation, qf_code
from kifu_core.quoridor.formats.finish import QuoridorDraft
from kifu_core.quoridor.formats.headers import RESULT, START, TITLE, header_of
from kifu_core.quoridor.formats.json_record import is_json
from kifu_core.quoridor.notation import FIRST_STEPS, MOVE, SURE_MOVE, Origin
from kifu_core.quoridor.position import QuoridorPosition
from kifu_core.quoridor.qf_code import QfState
from kifu_core.quoridor.record import QuoridorEntry, QuoridorMove
from kifu_core.quoridor.width import narrow
from kifu_core.record import ParsedGame

_LISTS: Final = ("moves", "history", "actions", "plies", "record")
"""Members of JSON objects that may be a list of moves."""
_MEMBERS: Final = "move|to|notation|action|wall|square|cell|pos|position"
"""Members of JSON objects that may be a move."""

_ENDING: Final = "(?:" + "|".join(re.escape(word) for word in endings.BY_WORD if word != "*") + r")(?![\w/-])"

_TOKEN: Final = re.compile(
    rf"""
    (?P<tag>^[ \t]*+\[[ \t]*+(?P<tag_name>[^\s"\[\]][^"\[\]\n]{{0,39}}?)[ \t]++
        "(?P<tag_value>[^"\\\n]*+(?:\\[^\n][^"\\\n]*+){{0,1000}})"[ \t]*+\])
    |(?P<remark>^[ \t]*+(?:\#|//)(?P<remark_text>[^\n]*+))
    |(?P<label>^(?![ \t]*+(?:[0-9]{{1,5}}[.:]|(?:[(\[]?[0-9]{{1,5}}[)\]][ \t]*+)?{MOVE}(?![\w-])))
        [^\t\n]{{1,200}}+\t)
    |(?P<comment>\{{(?P<brace_text>[^}}]*+)(?P<brace_end>\}}?)|;(?P<line_text>[^\n]*+)
        |\*(?![ \t]*+(?:[0-9]{{1,5}}\.|[\n)]|\Z))(?P<star_text>[^\n]*?)
            (?=[ \t][0-9]{{1,5}}\.|\n|\Z))
    |(?P<ending>{_ENDING}|\*)
    |(?P<number>(?P<digits>[0-9]{{1,5}})[ \t]?(?P<dots>\.{{1,3}}|…|:)
        |(?:^[ \t]*+(?P<bare>[0-9]{{1,5}})(?=[ \t])
            |(?P<opens>^[ \t]*+)?[(\[](?P<inside>[0-9]{{1,5}})[)\]]|(?P<before>[0-9]{{1,5}})[ \t]?\))
        (?=[ \t]*+{MOVE}(?![\w-])))
    |(?P<moves>(?:{MOVE}(?![\w-])[ \t,]*+){{1,1000}})
    |(?P<open>\()
    |(?P<close>\))
    |(?P<mark>[!?+\#=]{{1,4}}|\$[0-9]{{1,3}})
    |(?P<gap>[ \t,\n\f\v]++)
    |(?P<word>[^\s,(){{}};]++|.)
    """,
    re.VERBOSE | re.IGNORECASE | re.MULTILINE,
)

LIST: Final = re.compile(
    rf"""(?<![\w.-])(?:[0-9]{{1,5}}[ \t]?[.:)]|[(\[][0-9]{{1,5}}[)\]])[ \t]{{0,9}}{SURE_MOVE}(?![\w-])
    |^(?:[^\t\n]{{1,200}}\t)?[ \t]{{0,9}}(?:1[ \t]{{1,9}})?
        {SURE_MOVE}[ \t]{{0,9}}[,\t\n ][ \t]{{0,9}}{MOVE}(?![\w-])""",
    re.VERBOSE | re.IGNORECASE | re.MULTILINE,
)
"""A numbered move, or a line that begins with two moves."""
JSON_LIST: Final = re.compile(
    rf"""(?:\s*+(?:\[\s*+){{1,2}}|[\s\S]{{0,2000}}?"(?:{"|".join(_LISTS)})"\s{{0,99}}:\s{{0,99}}\[\s{{0,99}})
    (?:(?:\{{\s{{0,99}}"move"\s{{0,9}}:\s{{0,9}})?\{{[^{{}}\[\]]{{0,200}}?"(?:{_MEMBERS})"\s{{0,9}}:\s{{0,9}})?
    "{SURE_MOVE}"\s{{0,99}}[,\]}}]""",
    re.VERBOSE | re.IGNORECASE,
)
"""JSON that begins with a list of moves or has a named one; the first move is a string or in an object."""
START_TAG: Final = re.compile(rf'^[ \t]{{0,9}}\[{START}[ \t]{{1,9}}"', re.MULTILINE)
"""The tag of a start of its own."""
SINGLE: Final = re.compile(rf"\s*{SURE_MOVE}\s*", re.IGNORECASE)
"""A text that is one move."""

AROUND: Final = " \t\n\r\f\v　"
"""Blanks around a comment that are no part of it."""

_ONE_GAME_LINE: Final = 3
"""Without numbers, lines of so many moves are games of their own."""


_FORK: Final = re.compile(
    rf"\([ \t\n]*+(?:[0-9]{{1,5}}[ \t]?(?:\.{{1,3}}|…|:)[ \t\n]*+)?(?:{MOVE}(?![\w-])|{_ENDING})",
    re.IGNORECASE,
)
_ASIDE: Final = re.compile(r"\(([^()\n]{0,400})\)")
_ESCAPED: Final = re.compile(r"\\(.)")
_A_MOVE: Final = re.compile(rf"(?<![\w-]){MOVE}(?![\w-])", re.IGNORECASE)
_MOVE_TEXT: Final = re.compile(MOVE, re.IGNORECASE)
_LYING: Final = frozenset(["h", "v", "horizontal", "vertical"])
_A_WORD: Final = re.compile(r"[^\s,]++")
_A_NUMBER: Final = re.compile(r"(?<![\w-])[0-9]{1,5}[ \t]?[.:)\]]")

_MOVES: Final = Memo(notation.read_move)
"""Moves by their texts; games share them until they are played."""


class _TextLine(NamedTuple):
    """The content of a line of the text: its offsets, whether it has moves and numbers, and whether it would
    be, without numbers, a game of its own."""

    begin: int
    end: int
    moves: bool
    numbered: bool
    opens_game: bool


def _line_between(text: str, begin: int, end: int) -> _TextLine:
    """Describe the line of a text between two offsets.

    Moves are read up to the third, or up to the first pawn move if that comes later.
    """
    count, step = 0, ""
    for match in _A_MOVE.finditer(text, begin, end):
        count += 1
        if not step and len(target := match[0].lower().removeprefix("p")) == len("e2"):
            step = target
        if step and count >= _ONE_GAME_LINE:
            break
    opens = count >= _ONE_GAME_LINE and (not step or step in FIRST_STEPS)
    return _TextLine(begin, end, count > 0, _A_NUMBER.search(text, begin, end) is not None, opens)


def is_list_of_lines(line: str, before: str) -> bool:
    """Return whether a line is a game of its own in a list without numbers; `before` is another line of the
    list."""
    analysed = _line_between(line, 0, len(line))
    return analysed.opens_game and not analysed.numbered and _A_NUMBER.search(before) is None


@dataclass(slots=True)
class _OpenGame:
    """A game while its text is read. `lines` are the main line and the open forks.

    `added` are all entries in the order of the text, `spots` the index of the first entry and the offset of
    each row of words. `cut` is the offset of the first unreadable word of the main line, `rest` the text from
    such a word on in JSON. `skipped` counts open parentheses of a fork that is nested too deep.
    """

    draft: QuoridorDraft
    lines: list[list[QuoridorEntry]]
    added: list[QuoridorEntry] = field(default_factory=list)
    spots: list[tuple[int, int]] = field(default_factory=list)
    numbered: bool = False
    playable: bool = True
    skipped: int = 0
    plies: int = 0
    cut: int | None = None
    end: int = 0
    rest: str = ""
    result: str = ""
    pending: list[str] = field(default_factory=list)

    @property
    def started(self) -> bool:
        return bool(self.draft.entries) or self.cut is not None

    def add(self, entries: list[QuoridorEntry], offset: int) -> None:
        if self.pending:
            entries[0]["comments"] = self.pending
            self.pending = []
        self.spots.append((len(self.added), offset))
        self.added += entries
        self.lines[-1].extend(entries)
        if len(self.lines) == 1:
            self.plies += sum("move" in entry for entry in watched(entries))

    def offsets(self) -> dict[int, int]:
        """Map the ids of entries to their offsets in the text."""
        text, offsets = self.draft.notes.source.text, dict[int, int]()
        for (first, begin), (end, _) in watched(pairwise([*self.spots, (len(self.added), 0)])):
            words = _A_WORD.finditer(text, begin)
            pairs = zip(self.added[first:end], words, strict=False)
            offsets |= {id(entry): word.start() for entry, word in pairs}
        return offsets

    def comment(self, text: str) -> None:
        """Add a comment to the last move; without one, to the start, in a fork to its first move."""
        if self.lines[-1]:
            self.lines[-1][-1].setdefault("comments", []).append(text)
        elif len(self.lines) > 1:
            self.pending.append(text)
        else:
            self.draft.comments.append(text)

    def moves(self) -> Iterator[QuoridorMove]:
        return (entry["move"] for entry in self.draft.entries if "move" in entry)

    def ended(self) -> bool:
        return any("special" in entry for entry in self.draft.entries[-1:])


class _MoveListReader:
    """Reads the tokens of a text into games; `at` is the offset of the next token."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.text = narrow(source.text)
        self.at = 0
        self.games: list[_OpenGame] = []
        self.blank = False
        self.line = _TextLine(0, -1, False, False, False)
        self.last_line = -1
        self.actions: dict[str, Callable[[re.Match[str]], None]] = {
            "tag": self._tag, "remark": self._remark, "label": self._label, "comment": self._comment,
            "ending": self._ending, "number": self._number, "moves": self._moves, "open": self._open,
            "close": self._close, "mark": self._mark, "gap": self._gap, "word": self._word,
        }  # fmt: skip

    def read(self, limit: int) -> list[_OpenGame]:
        """Read the games of the text, at most one more than `limit`."""
        read = 0
        while len(self.games) <= limit and (match := _TOKEN.match(self.text, self.at)):
            self.at, read = match.end(), read + 1
            if not read % PIECE:
                check_time()
            kind = match.lastgroup or ""
            if not (self.games and self.games[-1].skipped) or kind in ("open", "close"):
                self.actions[kind](match)
        if self.games:
            self.games[-1].end = len(self.text)
        return self.games

    @property
    def game(self) -> _OpenGame:
        return self.games[-1] if self.games else self._new(0)

    def _new(self, offset: int) -> _OpenGame:
        draft = QuoridorDraft(Notes(self.source))
        if self.games:
            self.games[-1].end = offset
            draft.first_line = self.source.place(offset)[0]
        game = _OpenGame(draft, [draft.entries])
        draft.offsets = game.offsets
        self.games.append(game)
        return game

    def _line_at(self, offset: int) -> _TextLine:
        """Return the line at an offset; each line is analysed once."""
        if not self.line.begin <= offset <= self.line.end:
            begin = self.text.rfind("\n", 0, offset) + 1
            end = self.text.find("\n", offset)
            self.line = _line_between(self.text, begin, len(self.text) if end < 0 else end)
        return self.line

    def _written(self, match: re.Match[str], group: str) -> str:
        """Return the text of a group as the source has it; empty for a group without text."""
        return self.source.text[slice(*match.span(group))] if match[group] else ""

    # --- around the moves --------------------------------------------------------------------------------

    def _tag(self, match: re.Match[str]) -> None:
        game = self._new(match.start()) if self.game.started else self.game
        name = self._written(match, "tag_name")
        value = _ESCAPED.sub(r"\1", self._written(match, "tag_value")).strip()
        if name.lower() == START.lower():
            self._start(game, value, match.start())
        elif name.lower() == RESULT.lower():
            game.result = value
        elif value.strip("?. -"):
            header = header_of(name)
            game.draft.header[header] = value.replace(".", "/") if name.lower() == "date" else value

    def _start(self, game: _OpenGame, code: str, offset: int) -> None:
        try:
            decoded = qf_code.normalized(qf_code.decode(code))
        except DecodeError as error:
            game.draft.notes.add(error.code, offset, "error", None, **error.params)
            game.playable = False
            return
        game.draft.state = decoded.start()

    def _label(self, match: re.Match[str]) -> None:
        game = self.game
        if game.started or TITLE in game.draft.header:
            game = self._new(match.start())
        game.draft.header[TITLE] = self._written(match, "label").strip()

    def _remark(self, match: re.Match[str]) -> None:
        self.game.draft.remarks.append(self._written(match, "remark_text").strip())

    def _comment(self, match: re.Match[str]) -> None:
        text = "".join(self._written(match, name) for name in ("brace_text", "line_text", "star_text"))
        if match["brace_end"] == "":
            self.game.draft.notes.add("unclosed", match.start(), text="{")
        if text := text.strip(AROUND):
            self.game.comment(text)

    def _mark(self, match: re.Match[str]) -> None:
        self.game.comment(match[0])

    def _gap(self, match: re.Match[str]) -> None:
        self.blank = self.blank or match[0].count("\n") > 1

    # --- moves -------------------------------------------------------------------------------------------

    def _number(self, match: re.Match[str]) -> None:
        game = self.game
        if len(game.lines) > 1:
            return
        number = int(match["digits"] or match["bare"] or match["inside"] or match["before"])
        opens = match["opens"] is not None or not match["inside"]
        if not opens and number not in (game.plies + 1, game.plies // 2 + 1):
            return game.comment(match["inside"])
        first = number == 1 and match["dots"] not in ("...", "…")
        if first and opens and game.started:
            game = self._new(match.start())
        game.numbered = True

    def _moves(self, match: re.Match[str]) -> None:
        """Read a row of moves; the first row of a line may begin another game."""
        line, game = self._line_at(match.start()), self.game
        if line.begin != self.last_line and game.started and len(game.lines) == 1:
            opens_game = not game.numbered and (self.blank or line.opens_game)
            if not line.numbered and (opens_game or game.ended()):
                game = self._new(line.begin)
        self.last_line, self.blank = line.begin, False
        moves = _MOVES.each(match[0].replace(",", " ").split())
        game.add([{"move": move} for move in watched(moves)], match.start())

    def _ending(self, match: re.Match[str]) -> None:
        kind = endings.BY_WORD[match[0].lower()]
        if self.game.started:
            self.game.add([{"special": kind.special}], match.start())

    def _word(self, match: re.Match[str]) -> None:
        line, game = self._line_at(match.start()), self.game
        text = self._written(match, "word")[:40]
        if not line.moves and not line.numbered:
            game.draft.remarks.append(self.source.text[line.begin : line.end].strip()[:1000])
            game.draft.notes.add("unknown-line", line.begin, text=text, expected="list_moves,list_comment")
            self.at = line.end
            return
        game.draft.notes.add("unreadable-move", match.start(), "error", game.plies + 1, text=text)
        if len(game.lines) == 1 and game.cut is None:
            game.cut = match.start()
        game.lines[-1] = []  # what follows has nothing to be played on

    # --- forks -------------------------------------------------------------------------------------------

    def _open(self, match: re.Match[str]) -> None:
        game = self.game
        line = game.lines[-1]
        if game.skipped:
            game.skipped += 1
        elif not _FORK.match(self.text, match.start()) or not line or "move" not in line[-1]:
            aside = _ASIDE.match(self.text, match.start())
            if aside is not None:
                self.at = aside.end()
                game.comment(self.source.text[slice(*aside.span(1))].strip())
        elif len(game.lines) > FORK_LEVELS:
            game.draft.notes.add("variation-too-deep", match.start(), "error", number=game.plies)
            game.skipped = 1
        else:
            fork: list[QuoridorEntry] = []
            line[-1].setdefault("forks", []).append(fork)
            game.lines.append(fork)

    def _close(self, match: re.Match[str]) -> None:
        game = self.game
        if game.skipped:
            game.skipped -= 1
        elif len(game.lines) > 1:
            game.lines.pop()
            game.pending = []


# --- load ------------------------------------------------------------------------------------------------


def load(source: Source, notes: Notes) -> list[ParsedGame]:
    """Read the games of a text of move lists, in order. Issues of unreadable games go to `notes`."""
    limit = most_games(source.text)
    games = list(_in_json(source, notes)) if is_json(source.text) else _MoveListReader(source).read(limit)
    if len(games) > limit:
        notes.add("too-many-games", games[limit].end or None, "error", limit=limit)
    origins = [
        (game, notation.origin_of(game.moves(), game.draft.state.position) if game.playable else None)
        for game in watched(games[:limit])
    ]
    commonest = Counter(origin for _, origin in origins if origin).most_common(1)
    common_origin: Origin = commonest[0][0] if commonest and commonest[0][0] else "bottom-left"
    finished: list[ParsedGame] = []
    for game, origin in watched(origins):
        draft = game.draft
        if game.playable and (game.started or draft.state != QfState(QuoridorPosition.initial())):
            _settle(game, origin, common_origin)
            one = _finished(game, len(finished))
        elif game.playable and not draft.header:
            continue
        else:
            one = None
        if one is not None:
            finished.append(one)
        else:
            draft.give_up(notes)
    return finished


def _in_json(source: Source, notes: Notes) -> Iterator[_OpenGame]:
    """Yield the games of a JSON text: lists of moves, or objects that hold a list and headers."""
    records = values(notes)
    for one in watched([records] if records and _MOVE_TEXT.fullmatch(_move_text(records[0])) else records):
        draft = QuoridorDraft(Notes(source))
        game = _OpenGame(draft, [draft.entries])
        members: dict[str, Any] = one if isinstance(one, dict) else {_LISTS[0]: one}
        for name, value in members.items():
            if name.lower() == RESULT.lower():
                game.result = str(value)
            elif isinstance(value, str) and value.strip():
                draft.header[header_of(name)] = value.strip()
        lists = [members[name] for name in _LISTS if isinstance(members.get(name), list)]
        if not lists:
            game.cut, game.rest = 0, json.dumps(one, ensure_ascii=False)
        moves = lists[0] if lists else []
        for index, text in enumerate(watched(map(_move_text, moves))):
            if kind := endings.BY_WORD.get(text.lower()):
                draft.entries.append({"special": kind.special})
            elif _MOVE_TEXT.fullmatch(text):
                draft.entries.append({"move": _MOVES[text]})
            else:
                draft.notes.add("unreadable-move", None, "error", index + 1, text=text[:40])
                game.cut, game.rest = 0, json.dumps(moves[index:], ensure_ascii=False)
                break
        yield game


def _move_text(value: object) -> str:
    """Return the move of a JSON value: a string, or an object with a string among its values."""
    if isinstance(value, dict) and isinstance(value.get("move"), dict):
        value = value["move"]
    if not isinstance(value, dict):
        return narrow(value).strip() if isinstance(value, str) else ""
    texts = [narrow(one).strip() for one in value.values() if isinstance(one, str)]
    lying = next((one[0] for one in texts if one.lower() in _LYING), "")
    text = value.get("to") or next(filter(_MOVE_TEXT.fullmatch, texts), "")
    return f"{text}{lying}"


def _settle(game: _OpenGame, origin: Origin | None, common_origin: Origin) -> None:
    """Name all moves as today's notation does; if both origins fit, take that of most games of the file."""
    notes = game.draft.notes
    if origin == "top-left":
        notes.add("top-left-origin", severity="info")
    elif origin is None and any(game.moves()):
        if notation.all_playable(game.moves(), common_origin, game.draft.state.position):
            notes.add("origin-unclear", severity="info", text=common_origin)
        origin = common_origin
    if origin != "top-left":
        return
    lines = [game.draft.entries]
    while lines:
        for entry in watched(lines.pop()):
            lines += entry.get("forks", [])
            if "move" in entry:
                entry["move"] = notation.convert_origin(entry["move"], origin)


def _finished(game: _OpenGame, index: int) -> ParsedGame | None:
    """Return the replayed game or None; a result that only a tag names becomes its ending."""
    draft = game.draft
    kind = endings.BY_WORD.get(game.result.lower())
    if kind is not None and kind.special != "CHUDAN" and not game.ended() and game.cut is None:
        draft.entries.append({"special": kind.special})
    unread = game.rest
    if game.cut is not None and not unread:
        unread = draft.notes.source.text[game.cut : game.end].strip()
    return draft.finish(index, unread)
