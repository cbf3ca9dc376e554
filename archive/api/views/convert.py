"""Endpoints that convert and check records. They store nothing."""

from typing import Any, Final, TypeVar

from django.conf import settings
from msgspec import UNSET
from rest_framework.request import Request
from rest_framework.response import Response

from archive.api.bodies.records import ConvertBody, RecordBody
from archive.api.endpoints import body, endpoint
from archive.api.errors import ApiError
from archive.api.findings import issue_list
from archive.api.operations import READING, Example, Operation, merge_problems
from archive.api.shapes.reading import Checked, CheckedRecord, Converted, ConvertedRecord, ReadRecords
from archive.http.limits.text_limits import check_body, check_size, check_text, limited_reading
from archive.shapes.common import FORMATS
from kifu_core.containers import readers
from kifu_core.deadline import watched
from kifu_core.errors import UnknownFormatError
from kifu_core.games import GameKind, last_position, load
from kifu_core.record import ParsedGame, ParseResult

_QUOTED_LENGTH: Final = 40
_KIF: Final = "手合割：平手\n   1 ７六歩(77)\n   2 ３四歩(33)\n   3 投了\n"
_WRONG: Final = "手合割：平手\n   1 ７六歩(77)\n   2 ５五歩(54)\n"
_PROBLEMS: Final = merge_problems(READING, {400: ("nothing-to-read",)})

Answer = TypeVar("Answer", bound=ReadRecords)


def _operation(body: type[RecordBody], answer: Any, *examples: Example) -> Operation:
    return Operation({200: answer}, _PROBLEMS, body, examples=examples)


@endpoint(
    "POST",
    operation=_operation(
        ConvertBody,
        Converted,
        Example("To CSA", body={"text": _KIF, "to": "csa"}),
        Example("To JKF", body={"text": "position startpos moves 7g7f 3c3d", "to": "jkf"}),
        Example("No record", body={"text": "hello", "to": "kif"}, status=400),
    ),
)
def convert(request: Request) -> Response:
    """Write the games of a record in another format, and list the parts of each game that the format cannot
    hold."""
    check_body(request, settings.ARCHIVE_MAX_CONVERT_BYTES)
    fields = body(ConvertBody, request)
    to = fields.get("to", "")
    if to not in FORMATS:
        raise ApiError(
            "unknown-format", f"`to` is one of {', '.join(FORMATS)}, not {to[:_QUOTED_LENGTH]!r}", field="to"
        )
    with limited_reading():
        kind, result = _read(request, fields)
        if to not in kind.formats.names:
            names = ", ".join(kind.formats.names)
            raise ApiError("other-game", f"records of {kind.name} are written as {names}")
        converted = [_converted(kind, game, result.format, to) for game in watched(result.games)]
        return Response(_answer(Converted, kind, result, to=to, games=converted))


@endpoint(
    "POST",
    operation=_operation(
        RecordBody,
        Checked,
        Example("No errors", body={"text": _KIF}),
        Example("A move from an empty square", body={"text": _WRONG, "name": "game.kif"}),
    ),
)
def check(request: Request) -> Response:
    """Describe the contents of a record and list its errors, with lines and columns."""
    check_body(request, settings.ARCHIVE_MAX_CONVERT_BYTES)
    fields = body(RecordBody, request)
    with limited_reading():
        kind, result = _read(request, fields)
        checked = [_checked(kind, game) for game in watched(result.games)]
        return Response(_answer(Checked, kind, result, games=checked))


def _read(request: Request, fields: dict[str, Any]) -> tuple[GameKind[Any], ParseResult]:
    """Return the record of a request, and its kind of game. The record is `file`, or `text` with an optional
    `name`.

    Raises ApiError and KifuError. A container, such as a ZIP file, raises UnknownFormatError: only uploads
    open it.
    """
    file = request.FILES.get("file")
    text = fields.get("text")
    limit = settings.ARCHIVE_MAX_CONVERT_BYTES
    if file is not None:
        check_size(file.size or 0, limit)
        data = file.read()
        if container := readers.kind_of(data[: readers.HEAD_BYTES]):
            code = "unknown-container" if container in readers.UNREADABLE else "is-container"
            raise UnknownFormatError(code, params={"text": container.upper()})
        return load(data, file.name)
    if not text:
        raise ApiError("nothing-to-read", "send a file as `file`, or a record as `text`")
    check_text(text, limit)
    return load(text, fields.get("name") or None)


def _answer(shape: type[Answer], kind: GameKind[Any], result: ParseResult, **members: Any) -> Answer:
    return shape(
        game=kind.name,
        formats=list(kind.formats.names),
        encoding=result.encoding,
        format=result.format,
        program=result.program,
        issues=issue_list(result.issues),
        **members,
    )


def _converted(kind: GameKind[Any], game: ParsedGame, source: str, to: str) -> ConvertedRecord:
    """Return a game in another format, as `GET games/{id}/record` writes it."""
    writer = kind.formats.writer(to)
    values = {"ending": game.ending, "remarks": game.remarks if source == to else ()}
    options = {name: value for name, value in values.items() if name in writer.options}
    record = dict(game.record) if writer.is_json else writer.dump(game.record, **options)
    return ConvertedRecord(
        record=record,
        losses=issue_list(kind.formats.losses(game, to)),
        issues=issue_list(game.issues),
    )


def _checked(kind: GameKind[Any], game: ParsedGame) -> CheckedRecord:
    plies, final = last_position(game.record)
    ending = game.ending
    return CheckedRecord(
        record_kind=game.record_kind,
        header=game.record["header"],
        plies=plies,
        preset=game.record.get("initial", {}).get("preset", "HIRATE"),
        special=ending.special if ending else None,
        ending=ending.word if ending else None,
        winner=ending.winner if ending else None,
        final_sfen=final.get("sfen", UNSET),
        final_code=final.get("code", UNSET),
        issues=issue_list(kind.replay.findings(game)),
    )
