"""Reads bytes into entries for the store. Nothing here writes."""

import logging
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import PurePosixPath
from typing import Any, Final

from django.conf import settings

from archive.derive import headers
from archive.derive.game import DerivedEntry, derive_game
from archive.derive.game_limits import game_limits
from archive.intake.time_limits import time_limit
from kifu_core import games
from kifu_core.classes import PUBLIC
from kifu_core.containers.refusals import TOO_MUCH_MEMORY
from kifu_core.containers.walk import FilePart
from kifu_core.deadline import TooSlowError
from kifu_core.decoding import Source, decode
from kifu_core.errors import SOURCE_LINE_LIMIT, Issue, KifuError
from kifu_core.jkf import Record
from kifu_core.record import ParsedGame, ParseResult

log = logging.getLogger(__name__)


WORKER_DIED: Final = "worker-died"


def read_part(
    part: FilePart, name: str, skip: int = 0, failing: int | None = None, space: int = PUBLIC
) -> Iterator[DerivedEntry]:
    """Yield the entries of one part of an upload, in order; at least one. Lines are those of the file, and
    games are derived for the space. `name` is the upload's.

    The first `skip` entries are stored already and are empty; the one with the number `failing` fails.
    Neither is derived.
    """
    if part.issue is not None:
        yield failed(part, part.issue)
        return
    for entry in read_entries(part.data, part.path or name, skip, failing, space):
        yield replace(_placed(entry, part.first_line - 1), path=part.path, part=part.number)


def failed(part: FilePart, issue: Issue) -> DerivedEntry:
    """Return the entry of a part that is not read."""
    return DerivedEntry(seq=0, path=part.path, part=part.number, issues=(issue,))


def _placed(entry: DerivedEntry, lines: int) -> DerivedEntry:
    """Return an entry with its findings `lines` further down."""
    if not lines:
        return entry
    moved = (replace(issue, line=issue.line + lines) if issue.line else issue for issue in entry.issues)
    return replace(entry, issues=tuple(moved))


def read_entries(
    data: bytes, name: str, skip: int = 0, failing: int | None = None, space: int = PUBLIC
) -> Iterator[DerivedEntry]:
    """Yield the entries of one file in order; at least one.

    An unreadable file or game is an entry without a game, with the reasons as its issues. Memory is that of
    the parsed file, whose size is limited by ARCHIVE_MAX_TEXT_BYTES.
    """
    for seq, entry in enumerate(_entries(data, name, skip, failing, space)):
        yield replace(entry, seq=seq)


def _entries(data: bytes, name: str, skip: int, failing: int | None, space: int) -> Iterator[DerivedEntry]:
    limit = settings.ARCHIVE_MAX_TEXT_BYTES
    if len(data) > limit:
        yield _failed(Issue("too-large", "error", params={"bytes": len(data), "limit": limit}))
        return
    seconds = settings.ARCHIVE_ENTRY_SECONDS
    try:
        with time_limit(seconds):
            _, result = games.load(data, name, limits=game_limits())
            result = _with_game_id(result, name)
    except TooSlowError:
        yield _failed(Issue("too-slow", "error", params={"seconds": seconds}))
        return
    except KifuError as error:
        yield _failed(error.issue())
        return
    except MemoryError:
        yield _failed(Issue(TOO_MUCH_MEMORY, "error"))
        return
    except Exception:
        # A bug must not affect other entries, and the owner must see it.
        log.exception("reading %r failed", name)
        yield _failed(Issue("internal-error", "error"))
        return
    source = cache(lambda: _source(data, result))
    yield from _in_order(result, skip, failing, lambda parsed: _derived(parsed, result, source, space))


def _with_game_id(result: ParseResult, name: str) -> ParseResult:
    """Add the id of a game of 将棋ウォーズ, from the file's name, to the header of the only game, if that
    lacks the day: the site writes the day only in the id."""
    stem = PurePosixPath(name.replace("\\", "/")).stem
    players = headers.wars_players(stem)
    if players is None or len(result.games) != 1:
        return result
    (game,) = result.games
    header = game.record["header"]
    fits = all(name in ("", by_id) for name, by_id in zip(headers.players(header), players, strict=True))
    if not fits or headers.played(header).start is not None or headers.GAME_ID in header:
        return result
    record: Record = {**game.record, "header": {**header, headers.GAME_ID: stem}}
    return replace(result, games=(replace(game, record=record),))


def _source(data: bytes, result: ParseResult) -> Source | None:
    """Decode a file again, to find the place of unread text; return None if it is not text."""
    return None if result.encoding == "binary" else Source(decode(data)[0], result.encoding)


def _in_order(
    result: ParseResult, skip: int, failing: int | None, derived: Callable[[ParsedGame], DerivedEntry]
) -> Iterator[DerivedEntry]:
    """Yield games and unreadable games by their first line; the first entry gets the findings about the
    file."""
    if not result.games:
        has_error = any(issue.severity == "error" for issue in result.issues)
        reason = () if has_error else (Issue("no-game", "error"),)
        yield _failed(*result.issues, *reason, result=result)
        return
    unreadable = [issue for issue in result.issues if issue.severity == "error"]
    of_file = tuple(issue for issue in result.issues if issue.severity != "error")
    items: list[tuple[int, ParsedGame | Issue]] = [(game.first_line, game) for game in result.games]
    items += [(issue.line or 0, issue) for issue in unreadable]
    for index, (_, item) in enumerate(sorted(items, key=lambda pair: pair[0])):
        if index < skip:
            yield DerivedEntry(seq=0)
            continue
        if index == failing:
            item = Issue(WORKER_DIED, "error")
        # Lazily: games of a batch are derived before its transaction begins, while others may write.
        entry = derived(item) if isinstance(item, ParsedGame) else _failed(item, result=result)
        yield replace(entry, index=index, issues=(*of_file, *entry.issues) if index == 0 else entry.issues)


def _derived(
    parsed: ParsedGame, result: ParseResult, source: Callable[[], Source | None], space: int
) -> DerivedEntry:
    seconds = settings.ARCHIVE_ENTRY_SECONDS
    try:
        with time_limit(seconds):
            game = derive_game(parsed, space)
    except TooSlowError:
        return _failed(*parsed.issues, Issue("too-slow", "error", params={"seconds": seconds}), result=result)
    except KifuError as error:
        return _failed(*parsed.issues, error.issue(), result=result)
    except MemoryError:
        return _failed(*parsed.issues, Issue(TOO_MUCH_MEMORY, "error"), result=result)
    except Exception:
        log.exception("game %d of a file failed", parsed.index)
        return _failed(*parsed.issues, Issue("internal-error", "error"), result=result)
    issues = (*parsed.issues, *_unknown_days(parsed, source))
    return _about(result, DerivedEntry(seq=0, game=game, issues=issues, beyond_jkf=_beyond_jkf(parsed)))


def _unknown_days(parsed: ParsedGame, source: Callable[[], Source | None]) -> Iterator[Issue]:
    """Yield an issue for each header of the day that cannot be read, with its place in the file."""
    for text in headers.unknown_days(parsed.record["header"]):
        file = source()
        offset = file.find(text, parsed.first_line) if file else None
        if file and offset is not None:
            yield file.issue("unknown-day", offset, text=text[:SOURCE_LINE_LIMIT])
        else:
            yield Issue("unknown-day", "warning", params={"text": text[:SOURCE_LINE_LIMIT]})


def _beyond_jkf(parsed: ParsedGame) -> dict[str, Any]:
    """Return the parts of a record that JKF cannot hold."""
    beyond_jkf: dict[str, Any] = {
        "bookmarks": [list(bookmark) for bookmark in parsed.bookmarks],
        "unread": parsed.unread,
        "fractions": {str(ply): text for ply, text in parsed.fractions.items()},
        "ending": parsed.ending.word if parsed.ending else "",
    }
    return {name: value for name, value in beyond_jkf.items() if value}


def _failed(*issues: Issue, result: ParseResult | None = None) -> DerivedEntry:
    entry = DerivedEntry(seq=0, issues=issues)
    return _about(result, entry) if result else entry


def _about(result: ParseResult, entry: DerivedEntry) -> DerivedEntry:
    """Return an entry with the facts about its file."""
    return replace(entry, encoding=result.encoding, format=result.format, program=result.program)
