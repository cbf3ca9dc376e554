"""The arguments of the `kifu` command and its help, in English and in Japanese."""

import argparse
import codecs
import os
from collections.abc import Callable, Mapping
from typing import Any, Final

from kifu_core.formats import Writer
from kifu_core.messages import Language

Run = Callable[[argparse.Namespace], int]

_JAPANESE: Final = {
    "records and positions of shogi; qf_code of Quoridor": "将棋の棋譜と局面、コリドールの qf_code",
    "write records in another format": "棋譜を別の形式で書く",
    "list games and what is wrong with them": "対局と、おかしなところを調べる",
    "list games in a table": "対局を表にする",
    "SFEN to Shogi64, line by line": "SFEN を Shogi64 に（一行ずつ）",
    "SFEN to canonical code and orientation": "SFEN を正準コードと向きに",
    "qf_code to JSON, line by line": "qf_code を JSON に（一行ずつ）",
    "draw boards in the terminal": "盤面を端末に描く",
    "a file, a folder or a ZIP archive; - is standard input": "ファイル、フォルダー、ZIP 書庫。- は標準入力",
    "of lines; standard input without": "一行に一つ。なければ標準入力",
    "lines of standard input without": "なければ標準入力の各行",
    "language of messages": "メッセージの言語",
    "report errors only": "エラーだけを知らせる",
    "show this help": "この説明を表示する",
    "show the version": "バージョンを表示する",
    "the format to write": "書き出す形式",
    "a file for each game here, not standard output": "標準出力の代わりに、一局ごとのファイルをここに書く",
    "with --output: overwrite existing files": "--output で、すでにあるファイルに上書きする",
    "instead of the format's own": "形式の文字コードの代わりに使うもの",
    "the version of CSA to write": "書き出す CSA のバージョン",
    "JKF as the format's own parser leaves it": "各形式の構文のままの JKF",
    "JKF records one a line": "JKF を一行に一つ書く",
    "one JSON object a line": "一行に一つの JSON で書く",
    "Shogi64 to SFEN": "Shogi64 を SFEN に",
    "JSON to qf_code": "JSON を qf_code に",
    "print the position as a JSON object instead": "代わりに局面を JSON で書く",
    "of a file's game; the last position without": "ファイルの対局の手数。なければ最後の局面",
    "half-moves, or last": "手数、または last",
    "arguments": "引数",
    "options": "オプション",
    "usage: ": "使い方: ",
    "Examples:": "例:",
}

_EXAMPLES: Final = {
    "": ("kifu convert game.csa --to kif", "kifu list games.zip", "kifu check --quiet folder"),
    "convert": (
        "kifu convert game.csa --to kif > game.kif",
        "kifu convert folder --to jkf --lines > games.ndjson",
        "kifu convert games.zip --to csa --output converted",
    ),
    "check": ("kifu check game.kif", "kifu check --quiet --json folder > findings.ndjson"),
    "list": ("kifu list games.zip", "kifu list --json folder | jq .black"),
    "key": ("echo 'lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b -' | kifu key",),
    "class": ("kifu class positions.sfen",),
    "qf": ("kifu qf codes.txt",),
    "show": ("kifu show game.kif --ply 30",),
}


def language_of_environment() -> Language:
    """Return Japanese under a Japanese locale, else English."""
    value = next((os.environ[name] for name in ("LC_ALL", "LC_MESSAGES", "LANG") if os.environ.get(name)), "")
    return "ja" if value.startswith("ja") else "en"


def parser(
    commands: Mapping[str, Run], writers: Mapping[str, Writer], version: str
) -> argparse.ArgumentParser:
    """Return the parser of the command.

    `commands` are the functions of its subcommands by name, `writers` those of the formats to convert to.
    """
    return _Builder(language_of_environment(), writers, version).build(commands)


class _Builder:
    """Builds the parser with its help in one language."""

    def __init__(self, language: Language, writers: Mapping[str, Writer], version: str) -> None:
        self.language = language
        self.writers = writers
        self.version = version
        self.files = self.text("a file, a folder or a ZIP archive; - is standard input")

    def text(self, english: str) -> str:
        return english if self.language == "en" else _JAPANESE[english]

    def build(self, commands: Mapping[str, Run]) -> argparse.ArgumentParser:
        about = "records and positions of shogi; qf_code of Quoridor"
        parser: argparse.ArgumentParser = self._parser("kifu", "", about, argparse.ArgumentParser)
        parser.add_argument(
            "--version",
            action="version",
            version=f"%(prog)s {self.version}",
            help=self.text("show the version"),
        )
        added = parser.add_subparsers(required=True, metavar="COMMAND")
        for name, run in commands.items():
            add, about = self._commands()[name]
            command = self._parser(name, name, about, added.add_parser)
            command.add_argument(
                "--language",
                choices=("ja", "en"),
                default=self.language,
                help=self.text("language of messages"),
            )
            add(command)
            command.set_defaults(run=run)
        return parser

    def _parser(self, name: str, examples: str, about: str, make: Callable[..., Any]) -> Any:
        lines = "\n".join(f"  {line}" for line in _EXAMPLES[examples])
        options = {} if name == "kifu" else {"help": self.text(about)}
        usage = self.text("usage: ")

        class Formatter(argparse.RawDescriptionHelpFormatter):
            def add_usage(self, text: Any, actions: Any, groups: Any, prefix: str | None = None) -> None:
                super().add_usage(text, actions, groups, usage if prefix is None else prefix)

        parser = make(
            name,
            description=self.text(about),
            epilog=f"{self.text('Examples:')}\n{lines}",
            formatter_class=Formatter,
            add_help=False,
            **options,
        )
        parser._positionals.title = self.text("arguments")
        parser._optionals.title = self.text("options")
        parser.add_argument("-h", "--help", action="help", help=self.text("show this help"))
        return parser

    def _commands(self) -> dict[str, tuple[Callable[[argparse.ArgumentParser], None], str]]:
        return {
            "convert": (self._add_convert, "write records in another format"),
            "check": (self._add_check, "list games and what is wrong with them"),
            "list": (self._add_list, "list games in a table"),
            "key": (self._add_key, "SFEN to Shogi64, line by line"),
            "class": (self._add_lines, "SFEN to canonical code and orientation"),
            "qf": (self._add_qf, "qf_code to JSON, line by line"),
            "show": (self._add_show, "draw boards in the terminal"),
        }

    def _add_files(self, command: argparse.ArgumentParser) -> None:
        command.add_argument("files", nargs="+", metavar="FILE", help=self.files)

    def _add_flag(self, command: argparse.ArgumentParser, *names: str, about: str) -> None:
        command.add_argument(*names, action="store_true", help=self.text(about))

    def _add_convert(self, command: argparse.ArgumentParser) -> None:
        self._add_files(command)
        command.add_argument(
            "--to",
            required=True,
            choices=tuple(self.writers),
            metavar="FORMAT",
            help=f"{self.text('the format to write')}: {', '.join(self.writers)}",
        )
        about = self.text("a file for each game here, not standard output")
        command.add_argument("--output", metavar="DIR", help=about)
        self._add_flag(command, "--force", about="with --output: overwrite existing files")
        about = self.text("instead of the format's own")
        command.add_argument("--encoding", metavar="NAME", type=_encoding, help=about)
        about = self.text("the version of CSA to write")
        command.add_argument("--csa", choices=("2.2", "3"), default="2.2", help=about)
        self._add_flag(command, "--raw", about="JKF as the format's own parser leaves it")
        self._add_flag(command, "--lines", about="JKF records one a line")
        with_ply = ", ".join(name for name, writer in self.writers.items() if "ply" in writer.options)
        about = f"{with_ply}: {self.text('half-moves, or last')}"
        command.add_argument("--ply", type=_ply, default=argparse.SUPPRESS, help=about)
        self._add_flag(command, "-q", "--quiet", about="report errors only")

    def _add_check(self, command: argparse.ArgumentParser) -> None:
        self._add_files(command)
        self._add_flag(command, "--json", about="one JSON object a line")
        self._add_flag(command, "-q", "--quiet", about="report errors only")

    def _add_list(self, command: argparse.ArgumentParser) -> None:
        self._add_files(command)
        self._add_flag(command, "--json", about="one JSON object a line")

    def _add_lines(self, command: argparse.ArgumentParser) -> None:
        about = self.text("of lines; standard input without")
        command.add_argument("files", nargs="*", metavar="FILE", help=about)

    def _add_key(self, command: argparse.ArgumentParser) -> None:
        self._add_lines(command)
        self._add_flag(command, "--decode", about="Shogi64 to SFEN")
        self._add_flag(command, "--json", about="print the position as a JSON object instead")

    def _add_qf(self, command: argparse.ArgumentParser) -> None:
        self._add_lines(command)
        self._add_flag(command, "--encode", about="JSON to qf_code")

    def _add_show(self, command: argparse.ArgumentParser) -> None:
        about = self.text("lines of standard input without")
        command.add_argument("positions", nargs="*", metavar="SFEN|CODE|FILE", help=about)
        about = self.text("of a file's game; the last position without")
        command.add_argument("--ply", type=_ply, default=None, help=about)


def _ply(text: str) -> int | None:
    if text == "last":
        return None
    if not text.isdecimal():
        raise argparse.ArgumentTypeError("a number of half-moves, or last")
    return int(text)


def _encoding(text: str) -> str:
    try:
        return codecs.lookup(text).name
    except LookupError as error:
        raise argparse.ArgumentTypeError(f"no encoding is named {text}") from error
