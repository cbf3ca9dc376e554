"""The arguments of the `kifu` command and its help, in English and in Japanese."""

import argparse
import codecs
import os
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final

from kifu_core.formats import Writer
from kifu_core.messages import Language

Run = Callable[[argparse.Namespace], int]

_JAPANESE: Final = {
    "records and positions of shogi; qf_code of Quoridor": "将棋の棋譜と局面、コリドールの qf_code",
    "write records in another format": "棋譜を別の形式で書く",
    "check games and report what is wrong with them": "対局を調べ、おかしなところを知らせる",
    "list games in a table": "対局を表にする",
    "write positions of games as training data of engines": "対局の局面を将棋エンジンの学習データとして書く",
    "write an opening book from books or games": "定跡ファイルや対局から定跡ファイルを書く",
    "the file to write (default: standard output)": "書き出すファイル。省略すると標準出力",
    "overwrite an existing file": "すでにあるファイルに上書きする",
    "leave out positions after fewer half-moves": "これより手数の少ない局面を除く",
    "leave out positions after more half-moves": "これより手数の多い局面を除く",
    "only games with one of these results": "この結果の対局だけにする",
    "only games of two players with such a rating": "両対局者のレートがこれ以上の対局だけにする",
    "also positions without an evaluation, with the score 0": "評価値のない局面も評価値 0 で書く",
    "each position once": "同じ局面は一度だけ書く",
    "half-moves of games (default: 40)": "対局の手数（省略すると 40 手）",
    "leave out moves that fewer games played (default: 1)": "指した対局がこれより少ない手を除く（省略時 1）",
    "convert SFEN to Shogi64, line by line": "SFEN を Shogi64 に一行ずつ変換する",
    "convert SFEN lines to canonical code and orientation": "SFEN を正準コードと向きに一行ずつ変換する",
    "convert qf_code to JSON, line by line": "qf_code を JSON に一行ずつ変換する",
    "draw boards in the terminal": "盤面を端末に描く",
    "a file, a folder or a container (ZIP, tar, …); - is standard input": (
        "ファイル、フォルダー、圧縮ファイル（ZIP、tar など）。- は標準入力"
    ),
    "a file to read line by line (default: standard input)": "一行ずつ読むファイル。省略すると標準入力",
    "a position, or a file as for list (default: positions on lines of standard input)": (
        "局面、または list と同じファイル。省略すると標準入力の各行の局面"
    ),
    "language of messages": "メッセージの言語",
    "report errors only": "エラーだけを知らせる",
    "show this help": "この説明を表示する",
    "show the version": "バージョンを表示する",
    "the format to write": "書き出す形式",
    "write each game to a file in this folder": "一局ごとのファイルをこのフォルダーに書く",
    "with --output: overwrite existing files": "--output で、すでにあるファイルに上書きする",
    "the encoding to write (default: the format's)": "書き出す文字コード。省略すると形式ごとの文字コード",
    "the version of CSA to write": "書き出す CSA のバージョン",
    "write JKF with no more fields than the source format has": "元の形式にある項目だけの JKF を書く",
    "write JKF as one record per line": "JKF を一行に一つ書く",
    "write one JSON object per line": "一行に一つの JSON で書く",
    "convert Shogi64 to SFEN instead": "逆に Shogi64 を SFEN に変換する",
    "convert JSON to qf_code instead": "逆に JSON を qf_code に変換する",
    "print the position as a JSON object instead": "代わりに局面を JSON で書く",
    "the position of a game after this many half-moves (default: last)": "この手数の局面（省略すると最後）",
    "the position after this many half-moves, or last": "この手数の局面、または last",
    "arguments": "引数",
    "options": "オプション",
    "usage: ": "使い方: ",
    "Examples:": "例:",
}

_OUTCOMES: Final = ("black", "white", "draw")

_EXAMPLES: Final = {
    "": ("kifu convert game.csa --to kif", "kifu list games.zip", "kifu check --quiet folder"),
    "convert": (
        "kifu convert game.csa --to kif > game.kif",
        "kifu convert folder --to jkf --lines > games.ndjson",
        "kifu convert games.zip --to csa --output converted",
    ),
    "check": ("kifu check game.kif", "kifu check --quiet --json folder > findings.ndjson"),
    "list": ("kifu list games.zip", "kifu list --json folder | jq .black"),
    "train": (
        "kifu train games.zip --to hcpe --output games.hcpe",
        "kifu train floodgate --to psv --unique > a.psv",
    ),
    "book": (
        "kifu book user_book1.db --to ybb --output user_book1.ybb",
        "kifu book games.zip --to apery > book.bin",
    ),
    "key": ("echo 'lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b -' | kifu key",),
    "class": ("kifu class positions.sfen",),
    "qf": ("kifu qf codes.txt",),
    "show": ("kifu show game.kif --ply 30", "kifu show problems.zip --ply 0"),
}


def language_of_environment() -> Language:
    """Return "ja" under a Japanese locale, else "en"."""
    value = next((os.environ[name] for name in ("LC_ALL", "LC_MESSAGES", "LANG") if os.environ.get(name)), "")
    return "ja" if value.startswith("ja") else "en"


def parser(
    commands: Mapping[str, Run],
    writers: Mapping[str, Writer],
    engines: Mapping[str, Sequence[str]],
    version: str,
) -> argparse.ArgumentParser:
    """Return the parser of `kifu`.

    `commands` are the functions of its subcommands, `writers` the writers of formats, both by name; `engines`
    are the names of the formats for engines that a subcommand writes.
    """
    return _Builder(language_of_environment(), writers, engines, version).build(commands)


class _Builder:
    """Builds the parser, with help in one language."""

    def __init__(
        self,
        language: Language,
        writers: Mapping[str, Writer],
        engines: Mapping[str, Sequence[str]],
        version: str,
    ) -> None:
        self.language = language
        self.writers = writers
        self.engines = engines
        self.version = version
        self.files = self.text("a file, a folder or a container (ZIP, tar, …); - is standard input")

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
            "check": (self._add_check, "check games and report what is wrong with them"),
            "list": (self._add_list, "list games in a table"),
            "train": (self._add_train, "write positions of games as training data of engines"),
            "book": (self._add_book, "write an opening book from books or games"),
            "key": (self._add_key, "convert SFEN to Shogi64, line by line"),
            "class": (self._add_lines, "convert SFEN lines to canonical code and orientation"),
            "qf": (self._add_qf, "convert qf_code to JSON, line by line"),
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
        about = self.text("write each game to a file in this folder")
        command.add_argument("--output", metavar="DIR", help=about)
        self._add_flag(command, "--force", about="with --output: overwrite existing files")
        about = self.text("the encoding to write (default: the format's)")
        command.add_argument("--encoding", metavar="NAME", type=_encoding, help=about)
        about = self.text("the version of CSA to write")
        command.add_argument("--csa", choices=("2.2", "3"), default="2.2", help=about)
        self._add_flag(command, "--raw", about="write JKF with no more fields than the source format has")
        self._add_flag(command, "--lines", about="write JKF as one record per line")
        with_ply = ", ".join(name for name, writer in self.writers.items() if "ply" in writer.options)
        about = f"{with_ply}: {self.text('the position after this many half-moves, or last')}"
        command.add_argument("--ply", type=_ply, default=argparse.SUPPRESS, help=about)
        self._add_flag(command, "-q", "--quiet", about="report errors only")

    def _add_output(self, command: argparse.ArgumentParser, formats: Sequence[str]) -> None:
        self._add_files(command)
        about = f"{self.text('the format to write')}: {', '.join(formats)}"
        command.add_argument("--to", required=True, choices=formats, metavar="FORMAT", help=about)
        about = self.text("the file to write (default: standard output)")
        command.add_argument("--output", metavar="FILE", help=about)
        self._add_flag(command, "--force", about="overwrite an existing file")
        self._add_flag(command, "-q", "--quiet", about="report errors only")

    def _add_number(
        self, command: argparse.ArgumentParser, name: str, about: str, least: int, default: int | None
    ) -> None:
        command.add_argument(
            name, type=partial(_number, least), default=default, metavar="N", help=self.text(about)
        )

    def _add_train(self, command: argparse.ArgumentParser) -> None:
        self._add_output(command, self.engines["train"])
        self._add_number(command, "--first-ply", "leave out positions after fewer half-moves", 0, 0)
        self._add_number(command, "--last-ply", "leave out positions after more half-moves", 0, None)
        about = f"{self.text('only games with one of these results')}: {','.join(_OUTCOMES)}"
        command.add_argument("--results", type=_results, default=_OUTCOMES, metavar="LIST", help=about)
        about = "only games of two players with such a rating"
        self._add_number(command, "--min-rating", about, -9_999, None)
        self._add_flag(command, "--unscored", about="also positions without an evaluation, with the score 0")
        self._add_flag(command, "--unique", about="each position once")

    def _add_book(self, command: argparse.ArgumentParser) -> None:
        self._add_output(command, self.engines["book"])
        self._add_number(command, "--plies", "half-moves of games (default: 40)", 1, 40)
        about = "leave out moves that fewer games played (default: 1)"
        self._add_number(command, "--min-games", about, 1, 1)

    def _add_check(self, command: argparse.ArgumentParser) -> None:
        self._add_files(command)
        self._add_flag(command, "--json", about="write one JSON object per line")
        self._add_flag(command, "-q", "--quiet", about="report errors only")

    def _add_list(self, command: argparse.ArgumentParser) -> None:
        self._add_files(command)
        self._add_flag(command, "--json", about="write one JSON object per line")

    def _add_lines(self, command: argparse.ArgumentParser) -> None:
        about = self.text("a file to read line by line (default: standard input)")
        command.add_argument("files", nargs="*", metavar="FILE", help=about)

    def _add_key(self, command: argparse.ArgumentParser) -> None:
        self._add_lines(command)
        self._add_flag(command, "--decode", about="convert Shogi64 to SFEN instead")
        self._add_flag(command, "--json", about="print the position as a JSON object instead")

    def _add_qf(self, command: argparse.ArgumentParser) -> None:
        self._add_lines(command)
        self._add_flag(command, "--encode", about="convert JSON to qf_code instead")

    def _add_show(self, command: argparse.ArgumentParser) -> None:
        about = self.text("a position, or a file as for list (default: positions on lines of standard input)")
        command.add_argument("positions", nargs="*", metavar="SFEN|CODE|FILE", help=about)
        about = self.text("the position of a game after this many half-moves (default: last)")
        command.add_argument("--ply", type=_ply, default=None, help=about)


def _ply(text: str) -> int | None:
    if text == "last":
        return None
    if not text.isdecimal():
        raise argparse.ArgumentTypeError("must be a number of half-moves, or last")
    return int(text)


def _number(least: int, text: str) -> int:
    if not re.fullmatch(r"-?[0-9]{1,9}", text) or int(text) < least:
        raise argparse.ArgumentTypeError(f"must be a number from {least} on")
    return int(text)


def _results(text: str) -> list[str]:
    names = text.split(",")
    if not set(names) <= set(_OUTCOMES):
        raise argparse.ArgumentTypeError(f"must be some of {','.join(_OUTCOMES)}")
    return names


def _encoding(text: str) -> str:
    try:
        return codecs.lookup(text).name
    except LookupError as error:
        raise argparse.ArgumentTypeError(f"no encoding is named {text}") from error
