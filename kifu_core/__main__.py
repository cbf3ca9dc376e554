"""The `kifu` command: convert and check records, make files for engines, print keys and boards.

Needs only this package. Results go to standard output, messages to standard error.
"""

import argparse
import io
import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

from kifu_core import IS_COMPILED, __version__, games
from kifu_core.arguments import Run, parser
from kifu_core.errors import Issue, KifuError
from kifu_core.files import STDIN, SourceFile, files
from kifu_core.games import GAMES, GameKind
from kifu_core.json_text import parse_json
from kifu_core.messages import Language, message
from kifu_core.quoridor import qf_code, qf_object
from kifu_core.record import ParsedGame, players
from kifu_core.reporting import Attempts, print_issue, print_os_error
from kifu_core.shogi import draw, engine_files, formats
from kifu_core.shogi.formats.book_files import BOOK_FILES
from kifu_core.shogi.formats.positions import position_at
from kifu_core.shogi.formats.raw import raw_record
from kifu_core.shogi.formats.writing import padded, width
from kifu_core.shogi.keys import canonical, shogi64
from kifu_core.shogi.position import Position
from kifu_core.shogi.training import FORMS

WRITERS: Final = {name: writer for kind in GAMES.values() for name, writer in kind.formats.writers.items()}

# --- reading ---------------------------------------------------------------------------------------------


def _lines(paths: Sequence[str]) -> Iterator[str]:
    for path in paths or ["-"]:
        if path == "-":
            yield from map(_line, sys.stdin.buffer)
        else:
            with Path(path).open("rb") as file:
                yield from map(_line, file)


def _line(data: bytes) -> str:
    return data.removesuffix(b"\n").removesuffix(b"\r").decode("utf-8", "replace")


# --- convert ---------------------------------------------------------------------------------------------


class _Converter:
    """Reads files and writes their games.

    Games go to standard output at once. JKF without `--lines` waits for the last game, to be one JSON value.
    Formats of one game a file wait too: several games are refused.
    """

    def __init__(self, arguments: argparse.Namespace) -> None:
        self.arguments = arguments
        self.attempts = Attempts(arguments.language)
        self.format: str = arguments.to
        self.writer = WRITERS[self.format]
        # Containers are read twice: no name may be written before all names are known.
        named = () if arguments.output is None else files(arguments.files)
        self.names = [(file.path, file.name) for file in named]
        paths = (*arguments.files, *(path for path, _ in self.names))
        self.sources = {Path(path).resolve() for path in paths if path != STDIN}
        self.taken = {name for _, name in self.names}
        self.waits = self.writer.between is None or (self.writer.is_json and not arguments.lines)
        self.waiting: list[str] = []
        self.written = 0

    def run(self) -> int:
        if self._is_ambiguous():
            return 1
        self.attempts.read(self.arguments.files, self._take)
        self.attempts.do("-", self._write_waiting)
        return int(self.attempts.failed)

    def _is_ambiguous(self) -> bool:
        """Report sources that would be written to one file; if there are any, nothing is written."""
        first: dict[str, str] = {}
        for path, name in self.names:
            if name in first:
                params: dict[str, str | int] = {"path": f"{name}.{self.format}", "other": first[name]}
                self.attempts.fail(path, KifuError("same-output", params=params))
            elif name:
                first[name] = path
        return self.attempts.failed

    def _take(self, file: SourceFile) -> None:
        kind, result = games.load(file.read(), file.path)
        if self.format not in kind.formats.names:
            raise KifuError("other-game", params={"format": self.format, "game": kind.name})
        for issue in result.issues:
            if issue.severity == "error":
                self.attempts.fail(file.path, issue)
        for number, game in enumerate(result.games):
            self.attempts.failed |= bool(game.unread)
            for issue in (*game.issues, *self._losses(kind, game)):
                if issue.severity == "error" or (issue.code.startswith("lost-") and not self.arguments.quiet):
                    print_issue(file.path, issue, self.arguments.language)
            self._write(file.name, number, self._text(game, result.format))

    def _losses(self, kind: GameKind[Any], game: ParsedGame) -> tuple[Issue, ...]:
        """Return the losses of a game in the format; a position is no game with losses."""
        if self.writer.position_only:
            return ()
        return kind.formats.losses(game, self.format, csa=self.arguments.csa)

    def _text(self, game: ParsedGame, source: str) -> str:
        if self.format == "jkf" and self.arguments.raw:
            return _json(raw_record(game.record, source)) + "\n"
        available = {"ending": game.ending, "version": self.arguments.csa, "fractions": game.fractions}
        if source == self.format:
            available["remarks"] = game.remarks
        if "ply" in self.arguments:
            available["ply"] = self.arguments.ply
        options = {name: value for name, value in available.items() if name in self.writer.options}
        return self.writer.dump(game.record, **options).rstrip("\n") + "\n"

    def _write(self, source: str, number: int, text: str) -> None:
        if self.arguments.output is not None:
            target = self._target(source, number)
            data = self._encoded(text)
            target.parent.mkdir(parents=True, exist_ok=True)
            try:
                with target.open("wb" if self.arguments.force else "xb") as file:
                    file.write(data)
            except FileExistsError as error:
                raise KifuError("file-exists", params={"path": str(target)}) from error
        elif self.waits:
            self.waiting.append(text)
        else:
            between = self.writer.between if self.written else ""
            sys.stdout.buffer.write(self._encoded(f"{between}{text}"))
            sys.stdout.buffer.flush()
        self.written += 1

    def _target(self, source: str, number: int) -> Path:
        """Return the path to write a game to.

        The name is the source's with the format's ending, numbered from the second game on. A number that
        would repeat another name gets more hyphens. Raises KifuError `would-overwrite` for a path that is a
        source.
        """
        name = source
        if number:
            hyphens = "-"
            while (name := f"{source}{hyphens}{number + 1}") in self.taken:
                hyphens += "-"
            self.taken.add(name)
        target = Path(self.arguments.output) / f"{name}.{self.format}"
        if target.resolve() in self.sources:
            raise KifuError("would-overwrite", params={"path": str(target)})
        return target

    def _encoded(self, text: str) -> bytes:
        """Return the bytes of a text; raises KifuError if an encoding was chosen that lacks a character."""
        name = self.arguments.encoding
        if name is None:
            data, issues = self.writer.encoded(text)
            for issue in issues:
                print_issue("-", issue, self.arguments.language)
            return data
        try:
            return text.encode(name)
        except UnicodeEncodeError as error:
            char = text[error.start]
            raise KifuError("unencodable-character", params={"text": char, "encoding": name}) from error

    def _write_waiting(self) -> None:
        texts = self.waiting
        if len(texts) > 1 and not self.writer.is_json:
            params: dict[str, str | int] = {"format": self.format, "count": len(texts)}
            raise KifuError("one-game-a-file", params=params)
        if len(texts) > 1:
            texts = [f"[{','.join(text.rstrip() for text in texts)}]\n"]
        sys.stdout.buffer.write(b"".join(map(self._encoded, texts)))


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


# --- check -----------------------------------------------------------------------------------------------


def _check(arguments: argparse.Namespace) -> int:
    failed = False
    for file in files(arguments.files):
        report = _report(file, arguments.language)
        is_wrong = any(issue["severity"] == "error" for issue in _issues_of(report))
        failed = failed or is_wrong
        if is_wrong or not arguments.quiet:
            print(_json(report) if arguments.json else _report_text(report), flush=True)
    return int(failed)


def _report(file: SourceFile, language: Language) -> dict[str, Any]:
    report: dict[str, Any] = {"path": file.path, "game": None, "encoding": None, "format": None}
    report |= {"program": "", "games": []}
    try:
        kind, result = games.load(file.read(), file.path)
    except OSError as error:
        details = {"line": None, "column": None, "ply": None, "message": error.strerror or str(error)}
        return report | {"issues": [{"code": "unreadable-file", "severity": "error", **details}]}
    except KifuError as error:
        return report | {"issues": [_issue_json(error.issue(), language)]}
    return report | {
        "game": kind.name,
        "encoding": result.encoding,
        "format": result.format,
        "program": result.program,
        "games": [_game_json(game, kind, language) for game in result.games],
        "issues": [_issue_json(issue, language) for issue in result.issues],
    }


def _game_json(game: ParsedGame, kind: GameKind[Any], language: Language) -> dict[str, Any]:
    ending = game.ending
    plies, final = games.last_position(game.record)
    return {
        "record_kind": game.record_kind,
        "plies": plies,
        "preset": game.record.get("initial", {}).get("preset", "HIRATE"),
        "special": ending.special if ending else None,
        "ending": ending.word if ending else None,
        "winner": ending.winner if ending else None,
        **{f"final_{name}": text for name, text in final.items()},
        "issues": [_issue_json(issue, language) for issue in kind.replay.findings(game)],
    }


def _issue_json(issue: Issue, language: Language) -> dict[str, Any]:
    fields = {name: getattr(issue, name) for name in ("code", "severity", "line", "column", "ply")}
    return {**fields, "message": message(issue, language=language)}


def _issues_of(report: dict[str, Any]) -> list[dict[str, Any]]:
    return [*report["issues"], *(issue for game in report["games"] for issue in game["issues"])]


def _report_text(report: dict[str, Any]) -> str:
    games = ", ".join(f"{game['record_kind']} {game['plies']}" for game in report["games"][:3])
    more = "" if len(report["games"]) < 4 else f", … ({len(report['games'])})"
    lines = [
        f"{report['path']}: {report['format'] or '?'} {report['encoding'] or '?'} {games}{more}".rstrip()
    ]
    for issue in _issues_of(report):
        place = ":".join(str(issue[name]) for name in ("line", "column") if issue[name] is not None)
        lines.append(f"  {place or '-'}: {issue['severity']}: {issue['message']} [{issue['code']}]")
    return "\n".join(lines)


# --- list ------------------------------------------------------------------------------------------------

_COLUMNS: Final = {"path": 28, "day": 10, "event": 16, "black": 16, "white": 16, "plies": 5, "ending": 12}
"""The columns of the table with their widths in half-width characters."""

_TITLES: Final = {
    "en": dict(zip(_COLUMNS, ("file", "day", "event", "Black", "White", "plies", "ending"), strict=True)),
    "ja": dict(zip(_COLUMNS, ("ファイル", "日付", "棋戦", "先手", "後手", "手数", "終局"), strict=True)),
}

_DAYS: Final = ("開始日時", "対局日", "対局日時", "開始日", "日時", "終了日時", "終了日")
_EVENTS: Final = ("棋戦", "棋戦名", "大会名", "タイトル")


def _list(arguments: argparse.Namespace) -> int:
    attempts = Attempts(arguments.language)
    if not arguments.json:
        print(_row(_TITLES[arguments.language]))
    attempts.read(arguments.files, partial(_list_file, _json if arguments.json else _row))
    return int(attempts.failed)


def _list_file(text_of: Callable[[Mapping[str, Any]], str], file: SourceFile) -> None:
    kind, result = games.load(file.read(), file.path)
    for game in result.games:
        print(text_of(_facts(file.path, game, kind)), flush=True)


def _facts(path: str, game: ParsedGame, kind: GameKind[Any]) -> dict[str, Any]:
    header, ending = game.record["header"], game.ending
    black, white = players(header)
    winner = None if ending is None or ending.winner is None else kind.rules.sides[ending.winner]
    return {
        "path": path,
        "day": _first(header, _DAYS)[: _COLUMNS["day"]],
        "event": _first(header, _EVENTS),
        "black": black,
        "white": white,
        "plies": games.last_position(game.record)[0],
        "ending": ending.word if ending else "",
        "winner": winner,
    }


def _first(header: dict[str, str], names: Sequence[str]) -> str:
    return next((header[name] for name in names if header.get(name)), "")


def _row(facts: Mapping[str, Any]) -> str:
    """Return a line of the table; the winner's name has a circle."""
    won = facts.get("winner")
    texts = {name: f"○{facts[name]}" if won == name else str(facts[name]) for name in _COLUMNS}
    return "  ".join(_cell(texts[name], name, columns) for name, columns in _COLUMNS.items()).rstrip()


def _cell(text: str, name: str, columns: int) -> str:
    """Return a text of so many columns; long paths lose their beginning, other texts their end."""
    short = text
    while width(short) > columns:
        text = text[1:] if name == "path" else text[:-1]
        short = f"…{text}" if name == "path" else f"{text}…"
    return padded(short, columns)


# --- positions -------------------------------------------------------------------------------------------


def _answer(lines: Iterator[str], answer: Callable[[str], str]) -> int:
    """Print an answer for each line, `!` and a code for one that has none; return the exit code."""
    failed = False
    for line in lines:
        try:
            text = answer(line) if line.strip() else "!empty"
        except KifuError as error:
            text = f"!{error.code}"
        failed = failed or text.startswith("!")
        print(text, flush=True)
    return int(failed)


def _key(arguments: argparse.Namespace) -> int:
    def answer(line: str) -> str:
        if arguments.decode:
            position = shogi64.decode(line)
            return _json(shogi64.as_object(position)) if arguments.json else position.sfen()
        position = Position.from_sfen(line)
        code = shogi64.encode(position)
        return _json(shogi64.as_object(position)) if arguments.json else code

    return _answer(_lines(arguments.files), answer)


def _class(arguments: argparse.Namespace) -> int:
    def answer(line: str) -> str:
        result = canonical.canonical(Position.from_sfen(line))
        return f"{result.code} {result.orientation}"

    return _answer(_lines(arguments.files), answer)


def _qf(arguments: argparse.Namespace) -> int:
    def answer(line: str) -> str:
        if not arguments.encode:
            return _json(qf_object.as_object(qf_code.decode(line)))
        value = parse_json(line)
        code = qf_object.from_object(value)
        text = qf_code.encode(code)
        qf_object.check_object(code, value)
        return text

    return _answer(_lines(arguments.files), answer)


def _show(arguments: argparse.Namespace) -> int:
    attempts = Attempts(arguments.language)
    for text in arguments.positions or _lines([]):
        if arguments.positions and (text == STDIN or Path(text).exists()):
            attempts.read([text], partial(_show_file, attempts, text, arguments.ply))
        else:
            attempts.do(text, partial(_show_position, text))
    return int(attempts.failed)


def _show_file(attempts: Attempts, argument: str, ply: int | None, file: SourceFile) -> None:
    """Draw the games of a file; several boards have a line with the file's path before each."""
    result = formats.load(file.read(), file.path)
    if not result.games:
        raise KifuError("no-moves")
    title = f"{file.path}\n" if file.path != argument or len(result.games) > 1 else ""
    for game in result.games:
        attempts.do(file.path, partial(_show_game, title, game, ply))


def _show_game(title: str, game: ParsedGame, ply: int | None) -> None:
    print(title + draw.text(position_at(game.record, ply)[1]), end="", flush=True)


def _show_position(text: str) -> None:
    is_sfen = "/" in text
    position = Position.from_sfen(text.removeprefix("sfen ")) if is_sfen else shogi64.decode(text.strip())
    print(draw.text(position), end="", flush=True)


_COMMANDS: Final[dict[str, Run]] = {
    "convert": lambda arguments: _Converter(arguments).run(),
    "check": _check,
    "list": _list,
    "train": engine_files.train,
    "book": engine_files.book,
    "key": _key,
    "class": _class,
    "qf": _qf,
    "show": _show,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the exit code is 0, or 1 if anything was wrong, or 2 for wrong arguments."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # names of files need not be text
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    engines = {"train": FORMS, "book": tuple(BOOK_FILES)}
    version = f"{__version__} ({'compiled' if IS_COMPILED else 'pure Python'})"
    options = parser(_COMMANDS, WRITERS, engines, version).parse_args(arguments)
    try:
        code: int = options.run(options)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        print_os_error(error, "kifu")
        return 1
    return code


if __name__ == "__main__":
    sys.exit(main())
