"""Convert and check records without storing anything."""

from __future__ import annotations

import time
from typing import Any, Final

from django.conf import settings
from django.core.cache import cache
from rest_framework.decorators import api_view, throttle_classes
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.throttling import BaseThrottle

from archive import issues
from archive.api.errors import ApiError, nothing_in
from kifu_core.errors import Issue
from kifu_core.games import GAMES, JSON, GameKind, last_position, load
from kifu_core.record import ParsedGame, ParseResult

_MINUTE: Final = 60
_FORMATS: Final = [name for game in GAMES.values() for name in game.formats]


class BytesThrottle(BaseThrottle):
    """So many bytes a minute from one address; a request that goes beyond it is answered 429."""

    def __init__(self) -> None:
        self.left_seconds = 0.0

    def allow_request(self, request: Request, view: Any) -> bool:
        minute, seconds = divmod(time.time(), _MINUTE)
        key = f"convert:{int(minute)}:{self.get_ident(request)}"
        cache.add(key, 0, timeout=2 * _MINUTE)
        size = int(request.META.get("CONTENT_LENGTH") or 0)
        self.left_seconds = _MINUTE - seconds
        return bool(cache.incr(key, max(size, 1)) <= settings.ARCHIVE_CONVERT_BYTES_PER_MINUTE)

    def wait(self) -> float:
        """Seconds until the next minute."""
        return self.left_seconds


@api_view(["POST"])
@throttle_classes([BytesThrottle])
def convert(request: Request) -> Response:
    """The games of a record in another format, with what each loses there."""
    to = str(request.data.get("to", "") if hasattr(request.data, "get") else "")
    if to not in _FORMATS:
        raise ApiError("unknown-format", f"`to` is one of {', '.join(_FORMATS)}, not {to!r}")
    kind, result = _read(request)
    if to not in kind.formats:
        raise ApiError("other-game", f"records of {kind.name} are written as {', '.join(kind.formats)}")
    told = [_converted(kind, game, to) for game in result.games]
    return Response(_about(kind, result) | {"to": to, "games": told})


@api_view(["POST"])
@throttle_classes([BytesThrottle])
def check(request: Request) -> Response:
    """What a record holds and what is wrong with it, with lines and columns."""
    kind, result = _read(request)
    return Response(_about(kind, result) | {"games": [_checked(kind, game) for game in result.games]})


def _read(request: Request) -> tuple[GameKind[Any], ParseResult]:
    """The record of a request (`file`, or `text` with an optional `name`) and its kind of game.

    Raises ApiError, KifuError.
    """
    file = request.FILES.get("file")
    fields = request.data if hasattr(request.data, "get") else {}
    text = fields.get("text")
    if file is not None:
        _check_size(file.size or 0)
        return load(file.read(), file.name)
    if not isinstance(text, str) or not text:
        raise nothing_in(request, "nothing-to-read", "send a file as `file`, or a record as `text`")
    _check_size(len(text.encode("utf-8", "surrogatepass")))
    return load(text, str(fields.get("name") or "") or None)


def _check_size(size: int) -> None:
    limit = settings.ARCHIVE_MAX_CONVERT_BYTES
    if size > limit:
        raise ApiError("too-large", f"a record has at most {limit} bytes here; upload larger ones", 413)


def _about(kind: GameKind[Any], result: ParseResult) -> dict[str, Any]:
    return {
        "kind": kind.name,
        "formats": list(kind.formats),
        "encoding": result.encoding,
        "format": result.format,
        "program": result.program,
        "issues": _told(result.issues),
    }


def _converted(kind: GameKind[Any], game: ParsedGame, to: str) -> dict[str, Any]:
    """A game's text (JSON as an object); the same text is what `GET games/{id}/record` gives."""
    options = {"ending": game.ending} if to in kind.with_ending else {}
    record = game.record if to in JSON else kind.dump(game.record, to, **options)
    return {"record": record, "losses": _told(kind.losses(game, to)), "issues": _told(game.issues)}


def _checked(kind: GameKind[Any], game: ParsedGame) -> dict[str, Any]:
    plies, final = last_position(game.record)
    return {
        "kind": game.kind,
        "header": game.record["header"],
        "plies": plies,
        "preset": game.record.get("initial", {}).get("preset", "HIRATE"),
        "special": game.ending.special if game.ending else None,
        "ending": game.ending.word if game.ending else None,
        "winner": game.ending.winner if game.ending else None,
        **{f"final_{name}": text for name, text in final.items()},
        "issues": _told(kind.findings(game)),
    }


def _told(found: tuple[Issue, ...]) -> list[dict[str, Any]]:
    return [issues.told(issues.as_stored(issue)) for issue in found]
