"""The JSON of shogidb2.com: a game as an object, or a list of games (.json).

Headers have Japanese names and English ones; a move is an object with its CSA (`csa`), its KIF (`move`), the
position after it (`sfen`) and comments. There is no specification; the names are those in the site's games.
There is no writer: only the site reads the format.
"""

import json
import re
from dataclasses import replace
from typing import Any, Final

from kifu_core import validation
from kifu_core.deadline import watched
from kifu_core.decoding import Notes, Source
from kifu_core.errors import ParseError
from kifu_core.formats import Format, Mark, Stage
from kifu_core.instants import in_japan
from kifu_core.json_text import note_error, values
from kifu_core.memo import Memo
from kifu_core.record import ParsedGame
from kifu_core.shogi.formats.draft import Draft
from kifu_core.shogi.formats.read_csa import read_move
from kifu_core.shogi.handicaps import by_name, is_other_game
from kifu_core.shogi.move_resolution import EndingStep, Step, UnreadableStep
from kifu_core.shogi.position import Position
from kifu_core.shogi.raw_line import RawLine
from kifu_core.shogi.specials import find
from kifu_core.shogi.start import drawn_initial, initial_of

_HEADERS: Final = {
    "player1": "先手",
    "player2": "後手",
    "start_at": "開始日時",
    "end_at": "終了日時",
    "tournament": "棋戦",
    "tournament_detail": "棋戦詳細",
    "place": "場所",
    "strategy": "戦型",
    "handicap": "手合割",
    "time": "持ち時間",
    "time_consumed": "消費時間",
}
"""English names of headers, for objects without the Japanese ones."""

_RESULTS: Final[dict[str, int | None]] = {"sente_win": 0, "gote_win": 1, "draw": None}

_MOVE: Final = re.compile(r"([-+])([0-9]{4}[A-Z]{2})")

_STEPS: Final[Memo[str, Step]] = Memo(read_move)


def load(source: Source, notes: Notes) -> list[ParsedGame]:
    """Return the games of the JSON; unusable values become issues in `notes`."""
    games: list[ParsedGame] = []
    for number, one in enumerate(watched(values(notes))):
        try:
            draft = _draft(validation.object_(one, f"$[{number}]"), source, f"$[{number}]")
        except ParseError as error:
            note_error(notes, error)
            continue
        game = draft.finish(len(games), _locate)
        if game is not None:
            unread = _unread(one, game)
            games.append(replace(game, unread="\n".join(filter(None, [unread, game.unread]))))
        else:
            draft.give_up(notes, has_content=True)
    return games


def _unread(members: Any, game: ParsedGame) -> str:
    """Return the moves that could not be played, as JSON."""
    plies = sum("move" in entry for entry in game.record["moves"])
    rest = (members.get("moves") or [])[plies:]
    return json.dumps(rest, ensure_ascii=False) if any(one.severity == "error" for one in game.issues) else ""


def _locate(block: str) -> list[int]:
    """Return no offsets: the JSON was read as a whole."""
    return []


def _draft(members: dict[str, Any], source: Source, path: str) -> Draft:
    draft = Draft(Notes(source), line=RawLine(restore_same=True))
    draft.header.update(_header(members))
    _set_start(draft)
    signs = ""
    for number, value in enumerate(watched(validation.array(members.get("moves") or [], f"{path}.moves"))):
        move = validation.object_(value, f"{path}.moves[{number}]")
        text = _text(move.get("csa")) or _text(move.get("move"))
        step, sign = _step(text)
        signs += sign
        draft.line.steps.append(step)
        comments = [_text(one) for one in validation.array(move.get("comments") or [], f"{path}.comments")]
        if comments := [one for one in comments if one]:
            draft.line.comments[number] = comments
    if not draft.line.steps or not isinstance(draft.line.steps[-1], EndingStep):
        _end(draft, _text(members.get("result")))
    draft.line.times = [None] * len(draft.line.steps)
    expected = ("+-" if draft.position.turn == 0 else "-+") * (len(signs) // 2 + 1)
    if signs != expected[: len(signs)]:
        ply = next(at for at, sign in enumerate(signs) if sign != expected[at])
        draft.notes.add("side-mark", None, "warning", ply + 1, sign=signs[ply])
    draft.started = True
    return draft


def _text(value: object) -> str:
    """Return a string or an integer as text, an empty text for other values."""
    if isinstance(value, str):
        return value
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else ""


def _header(members: dict[str, Any]) -> dict[str, str]:
    """Return the headers: those with Japanese names, and those that only have English names."""
    headers = {name: _text(value).strip() for name, value in members.items() if not name.isascii()}
    for name, header in _HEADERS.items():
        headers[header] = headers.get(header) or _text(members.get(name)).strip()
    for name in ("開始日時", "終了日時"):
        headers[name] = in_japan(headers.get(name, ""))
    return {name: text for name, text in headers.items() if text}


def _set_start(draft: Draft) -> None:
    name = draft.header.get("手合割", "")
    handicap = by_name(name or "平手")
    if handicap is None:
        draft.notes.add("unknown-handicap", 0, "error", None, name=name)
        draft.playable, draft.doubtful_start = not is_other_game(name), True
        return
    draft.position = Position.from_sfen(handicap.sfen)
    has_preset = handicap.preset != "OTHER"
    draft.initial = initial_of(draft.position) if has_preset else drawn_initial(draft.position)


def _step(text: str) -> tuple[Step, str]:
    if match := _MOVE.fullmatch(text):
        return _STEPS[match[2]], match[1]
    if kind := find(text):
        return EndingStep(text.removeprefix("%"), kind.special), ""
    return UnreadableStep(text[:20]), ""


def _end(draft: Draft, result: str) -> None:
    """End the main line by the site's result, if no move is an ending."""
    if result in _RESULTS:
        draft.decide(_RESULTS[result], 0)
    elif kind := find(result):
        draft.line.steps.append(EndingStep(kind.word, kind.special))
    elif result:
        draft.notes.add("unknown-ending", None, "warning", None, text=json.dumps(result)[:20])


_MARK: Final = re.compile(r'"csa"\s*+:\s*+"(?:[-+][0-9]{4}[A-Z]{2}|%[A-Z])')


def _has_moves(text: str, name: str) -> bool:
    return text.lstrip()[:1] in ("{", "[") and _MARK.search(text) is not None


FORMAT: Final = Format("shogidb2", load, [Mark(Stage.WHOLE, _has_moves)])
