"""The table of what each format carries, made from what comes back when a full record is written and read.

    python -m tests.kifu_core.comparison

writes it into docs/formats/carried.md, between its two marks.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from kifu_core import ParsedGame, dump, load
from kifu_core.jkf import Record
from kifu_core.shogi.formats import SHOGI
from kifu_core.shogi.formats.raw import raw_record
from kifu_core.shogi.replay import start

PAGE = Path(__file__).parents[2] / "docs" / "formats" / "carried.md"
FORMATS = [one.writers[0].name for one in SHOGI.readers.values() if one.writers]

SAMPLE = """\
後手の持駒：飛
  ９ ８ ７ ６ ５ ４ ３ ２ １
+---------------------------+
|v香v桂v銀v金v玉v金v銀v桂v香|一
| ・ ・ ・ ・ ・ ・ ・v角 ・|二
|v歩v歩v歩v歩v歩v歩v歩v歩v歩|三
| ・ ・ ・ ・ ・ ・ ・ ・ ・|四
| ・ ・ ・ ・ ・ ・ ・ ・ ・|五
| ・ ・ ・ ・ ・ ・ ・ ・ ・|六
| 歩 歩 歩 歩 歩 歩 歩 歩 歩|七
| ・ 角 ・ ・ ・ ・ ・ 飛 ・|八
| 香 桂 銀 金 玉 金 銀 桂 香|九
+---------------------------+
先手の持駒：なし
先手：甲
後手：乙
棋戦：某
手数----指手---------消費時間--
*はじめの言葉
   1 ７六歩(77)   ( 0:16/00:00:16)
&しおり
   2 ３四歩(33)   ( 0:02/00:00:02)
   3 ２二角成(88) ( 0:04/00:00:20)+
   4 同　銀(31)   ( 0:01/00:00:03)
   5 ５八金(49)   ( 0:01/00:00:21)
   6 投了         ( 0:01/00:00:04)

変化：3手
   3 ２六歩(27)   ( 0:00/00:00:16)
"""

# Fields of a move, in the words of the format's own definition; 0 forward, 1 back, 2 to be read by people.
FIELDS = {
    "from": "source square (`from`)",
    "capture": "captured piece (`capture`)",
    "promote": "promotion (`promote`)",
    "relative": "relative words (`relative`)",
    "same": "同 (`same`)",
}


JAPANESE = {
    "source square (`from`)": "移動元",
    "captured piece (`capture`)": "取った駒",
    "promotion (`promote`)": "成・不成",
    "relative words (`relative`)": "左・右・直・上・寄・引・打",
    "start position": "開始局面",
    "moves": "指し手",
    "variations": "変化",
    "ending": "終わり方",
    "players": "対局者",
    "other headers": "そのほかの見出し",
    "comments": "コメント",
    "bookmarks": "しおり",
    "times": "消費時間",
    "fractions of seconds": "秒未満の時間",
}
"""The titles of rows in Japanese, where that is another."""


def sample() -> ParsedGame:
    return replace(load(SAMPLE).games[0], fractions={1: "25"})


def rewritten(game: ParsedGame, file_format: str) -> ParsedGame:
    """The game written with everything its format can express, and read again."""
    all_of_it = {"ending": game.ending, "version": "3", "fractions": game.fractions}
    accepted = SHOGI.writer(file_format).options
    options = {name: value for name, value in all_of_it.items() if name in accepted}
    return load(dump(game.record, file_format, **options), f"x.{file_format}").games[0]


def parts(game: ParsedGame) -> dict[str, object]:
    """What there is in a game, by the names of the table's rows."""
    entries = game.record["moves"]
    comments = [text for entry in entries for text in entry.get("comments", [])]
    return {
        "start position": start(game.record).sfen(),
        "moves": [entry["move"] for entry in entries if "move" in entry],
        "variations": [[one["move"] for one in fork] for entry in entries for fork in entry.get("forks", [])],
        "ending": game.ending and (game.ending.special, game.ending.winner),
        "players": sorted(game.record["header"].get(side, "") for side in ("先手", "後手")),
        "other headers": game.record["header"].get("棋戦"),
        "comments": [text for text in comments if not text.startswith("&")],
        "bookmarks": list(game.bookmarks),
        "times": [entry["time"] for entry in entries if "time" in entry],
        "fractions of seconds": dict(game.fractions),
    }


def carried(file_format: str) -> dict[str, bool]:
    """Which parts come back as they were."""
    before, after = parts(sample()), parts(rewritten(sample(), file_format))
    return {name: before[name] == after[name] for name in before}


def fields(file_format: str) -> dict[str, bool]:
    """The fields of a move that are in the text itself; readers find the others by replaying."""
    game: Record = sample().record
    if SHOGI.writer(file_format).position_only:
        return dict.fromkeys(FIELDS.values(), False)
    moves = [entry["move"] for entry in raw_record(game, file_format)["moves"] if "move" in entry]
    return {title: any(field in move for move in moves) for field, title in FIELDS.items()}


def table() -> str:
    """The table as Markdown."""
    answers = {name: fields(name) | carried(name) for name in FORMATS}
    lines = [
        "| | " + " | ".join(name.upper() for name in FORMATS) + " |",
        "| --- " * (len(FORMATS) + 1) + "|",
    ]
    for row in answers["jkf"]:
        title = " · ".join(filter(None, (row, JAPANESE.get(row))))
        lines.append(
            f"| {title} | " + " | ".join("○" if answers[name][row] else "×" for name in FORMATS) + " |"
        )
    return "\n".join(lines) + "\n"


MARKS = re.compile(r"(<!-- table -->\n).*?(<!-- end of the table -->)", re.DOTALL)


def page() -> str:
    """The page with the table of today."""
    return MARKS.sub(lambda match: f"{match[1]}\n{table()}\n{match[2]}", PAGE.read_text(encoding="utf-8"))


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
