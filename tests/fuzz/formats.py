"""Coverage-guided fuzzing of readers and writers: nothing but a KifuError may come out of any bytes, and who
has won, at which ply and after which moves comes back from what is written, or is said to be lost.

    python -m tests.fuzz.formats FORMAT [-max_total_time=600] [options of libFuzzer] [CORPUS FOLDER]

Needs atheris (https://github.com/google/atheris), which no lock file names: not every Python has it.
Without it the same check runs over mutated samples, without coverage, for `-max_total_time` seconds.
"""

from __future__ import annotations

import importlib.util
import random
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # kifu_core is imported where atheris can watch it, see `main`
    from kifu_core import ParsedGame
    from kifu_core.shogi.packed import Packing

SAMPLES = Path(__file__).parents[1] / "data"


DIALECTS = ("commas", "wars")
"""CSA in statements of a line, and that of 将棋ウォーズ."""


def formats() -> tuple[str, ...]:
    """The formats that are read, and the dialects."""
    from kifu_core.shogi.formats import SHOGI

    return (*SHOGI.readers, *DIALECTS)


LINES = {
    "commas": "V2.2,N+甲, 乙,$EVENT:a, b,PI,+,+7776FU,T3,-3334FU,'c, d\n%TORYO,T4,/,PI,-,-3334FU\n".encode(),
    "wars": "N+甲\nN-乙\n$EVENT:10分切れ負け\nPI\n+\n+7776FU,L599\n-3334FU,L598\n+8822UM,L601\n"
    "GOTE_WIN_TIMEOUT\n".encode(),
    "usi": b"position startpos moves 7g7f 3c3d 8h2b+ 3a2b B*4e resign\n",
    "sfen": b"sfen lnsgkgsn1/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w 2P3p 1 moves 3c3d\n",
    "usen": b"~0.7ku2jm6y236e5t2.r~2.6ti3ay77631u.r\n",
    "psn": b'[Sente "A"]\n[Result "0-1"]\n1.P7g-7f P8d 2.B8hx3c+ xN (2...P3d 3.xP?) {a}\n'
    b"1.7g7f (0:05)\n2.Resigns\n",
    "shogidb2": '{"先手":"甲","手合割":"平手","開始日時":"2013-01-06T00:00:00.000Z","result":"gote_win",'
    '"moves":['
    '{"csa":"+7776FU","move":"７六歩(77)","comments":["a"]},{"csa":"-3334FU"}]}'.encode(),
    "csa1": "1 2003/09/08 甲 乙 2 4 某戦 某型\n7776FU3334FU8822UM3122GI\n".encode()
    + b"2 ----/--/-- A B 0 1\n2726FU%CHUDAN\n",
    "db": b"#YANEURAOU-DB2016 1.00\nsfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1\n"
    b"7g7f 3c3d 12 32 2\n2g2f none -3 32\n",
    "bod": "手数＝3  ▲７六歩  まで\n後手番\n|v香v桂v銀v金v玉v金v銀v桂v香|一\n".encode(),
}
ILLEGAL = {
    "commas": b"PI82HI,+,+7776FU,-0055TO,+0055OU\nPI,+,-9900KI,+8822KI,-0000FU,%KACHI,+7776FU,/\n",
    "wars": b"PI\n+\n+7776FU,L9\n-0055TO,L9\n+0055OU,L-1\n-9900KI,L\nSENTE_WIN_OUTE_SENNICHI\nDRAW_TRY\n",
    "kif": "手合割：平手\n1 ５五と打\n2 ５五玉打\n3 ７八金打成(00)\n変化：1手\n1 ５五馬(99)\n".encode(),
    "ki2": "▲７六歩△５五と打▲５五玉打 △７八金成 ▲同　龍打".encode(),
    "csa": b"PI82HI\n+\n+7776FU\n-0055TO\n+0055OU\n-9900KI\n+8822KI\n-0000FU\n",
    "jkf": b'{"moves":[{},{"move":{"to":{"x":5,"y":5},"piece":"TO","promote":true}},'
    b'{"move":{"from":{"x":7,"y":7},"to":{"x":7,"y":7},"piece":"OU"}}]}',
    "usi": b"sfen 4k4/9/9/9/9/9/9/9/4K4 b 2Pr 1 moves P*5a +P*5e K*5e 5i5i+ 1a9i+\n",
    "sfen": b"sfen 4k4/9/9/9/9/9/9/9/4K4 b +PK 1\nsfen KKK6/9/9/9/9/9/9/9/9 w 99P 1\n",
    "usen": b"~0.7kuzzz.r~0.bfq.ibxo~1.000bfr\n4k4_9_9_9_9_9_9_9_4K4.b.zP~0.\n",
    "psn": b'[SFEN "4k4/9/9/9/9/9/9/9/4K4 b P 1"]\nP\'5a +P*5e K*5d xK ) ( ( {x\n'
    b'[SFEN "x"]\nxP Px Sdx1a+ +G5a\n',
    "shogidb2": b'[{"moves":[{"csa":"+0055TO"},{"csa":"%TORYO"},{"csa":7,"comments":[1]}],'
    b'"start_at":"9999-12-31T23:00:00Z"},'
    b'{"moves":[{"csa":"-9900KI"}],"handicap":"x"},{"moves":{"csa":"+7776FU"}},3]',
    "csa1": b"1 x A B 1 3\n0055TO5555OU\n2 x A B 2 9 e\n0000FU9900KI0055OU\n3 x A B 0 0\n8822KI\n",
    "db": b"sfen 4k4/9/9/9/9/9/9/9/4K4 b P 1\nP*5a none 0 1\n5i5i 5a5b 0 1\nP*5e K*5d 1\n"
    b"+P*5e none\nsfen 4k4 b - 1\n",
    "bod": "先手の持駒：と二　玉　金十九\n|v玉vと ・ ・ ・ ・ ・|一\n手数＝3  ▲５五と打  まで\n".encode(),
}
"""Drops and promotions that no board allows, one text for each format."""


def target(file_format: str) -> Callable[[bytes], None]:
    """What is called with every input: read it, write what was read in every format."""
    from kifu_core import KifuError, dump, load
    from kifu_core.messages import message
    from kifu_core.shogi.formats import FORMATS as WRITTEN
    from kifu_core.shogi.legality import findings
    from kifu_core.shogi.replay import visits

    def one(data: bytes) -> None:
        try:
            result = load(data, "x.bin" if file_format == "apery" else f"x.{file_format}")
        except KifuError as error:
            assert message(error)
            return
        for game in result.games[:20]:
            visits(game.record)
            for issue in (*game.issues, *findings(game)):
                assert message(issue) != issue.code
            for written in WRITTEN:
                assert dump(game.record, written)
            for written in KEPT:
                check_result(game, written)

    return one


KEPT = ("kif", "ki2", "csa", "jkf", "usen")
"""The formats that keep moves and endings."""


def check_result(game: ParsedGame, written: str) -> None:
    """Winner and plies come back from a written game, or `losses` says that they do not."""
    from kifu_core import dump, load
    from kifu_core.shogi.formats import losses

    said = {issue.code for issue in losses(game, written)}
    if not said & {"lost-ending", "lost-moves"}:
        options = {"ending": game.ending} if written in ("kif", "ki2", "csa") else {}
        found = load(dump(game.record, written, **options), f"x.{written}").games
        assert [_result(one) for one in found] == [_result(game)], (written, game.ending)


def _result(game: ParsedGame) -> tuple[object, int]:
    """Winner, draw and ply of a game's ending, and the plies of its main line."""
    ending = game.ending and (game.ending.winner, game.ending.draw, game.ending.ply)
    return ending, sum("move" in one for one in game.record["moves"])


def trained(packing: Packing) -> list[bytes]:
    """Training data: the even game's start with moves and results in turn, also with moves that no board
    allows."""
    from kifu_core.shogi.moves import from_usi
    from kifu_core.shogi.position import Position
    from tests.kifu_core.packing import entry

    def entries(*moves: str) -> bytes:
        numbered = enumerate(map(from_usi, moves))
        return b"".join(
            entry(Position.initial(), packing, score=-number, move=move, result=number % 3)
            for number, move in numbered
        )

    return [entries("7g7f", "2g2f", "8h7g"), entries("R*5e", "P*7e", "5i5h+", "8h2b+", "7i1a+", "9a9b")]


def seeds(file_format: str) -> list[bytes]:
    """The samples of a format."""
    if file_format == "hcpe" or file_format == "psv":
        return trained(file_format)
    found = [path.read_bytes() for path in sorted((SAMPLES / file_format).glob("*.*"))]
    return [*found, *(texts[file_format] for texts in (LINES, ILLEGAL) if file_format in texts)]


def mutated(data: bytes, chance: random.Random, others: list[bytes]) -> bytes:
    """A sample with a few bytes changed, moved, doubled, cut, or taken from another sample."""
    text = bytearray(data)
    for _ in range(chance.randint(1, 8)):
        at = chance.randrange(len(text) + 1)
        end = min(len(text), at + chance.randint(1, 40))
        other = chance.choice(others)
        begin = chance.randrange(len(other))
        changes = (
            bytes([chance.randrange(256)]),
            b"",
            bytes(text[at:end]) * 2,
            other[begin : begin + chance.randint(1, 60)],
        )
        text[at:end] = chance.choice(changes)
    return bytes(text)


def without_coverage(file_format: str, seconds: float, seed: int = 0) -> int:
    """Mutate samples for some seconds; the number of inputs tried."""
    one, found, chance = target(file_format), seeds(file_format), random.Random(seed)
    end, count = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        data = mutated(chance.choice(found), chance, found)
        try:
            one(data)
        except Exception:
            print(f"{file_format}: {data!r}", file=sys.stderr)
            raise
        count += 1
    return count


def check_name(file_format: str) -> None:
    """End with the usage if there is no such format."""
    if file_format not in (names := formats()):
        sys.exit(f"usage: python -m tests.fuzz.formats {{{','.join(names)}}} [options of libFuzzer]")


def main(arguments: list[str]) -> None:
    """Fuzz one format."""
    file_format, options = "".join(arguments[1:2]), [arguments[0], *arguments[2:]]
    if importlib.util.find_spec("atheris") is None:
        check_name(file_format)
        limits = [option.partition("=")[2] for option in options if option.startswith("-max_total_time=")]
        count = without_coverage(file_format, float(limits[0]) if limits else 60)
        print(f"{file_format}: {count} inputs without a fault (no atheris: no coverage)")
        return
    import atheris

    with atheris.instrument_imports(include=["kifu_core"]):
        check_name(file_format)
        one = target(file_format)
    with tempfile.TemporaryDirectory() as folder:
        for number, data in enumerate(seeds(file_format)):
            Path(folder, str(number)).write_bytes(data)
        atheris.Setup([*options, f"-seed_inputs={_listed(folder)}"], one)
        atheris.Fuzz()


def _listed(folder: str) -> str:
    """The files of a folder as libFuzzer wants them named."""
    return ",".join(str(path) for path in sorted(Path(folder).iterdir()))


if __name__ == "__main__":
    main(sys.argv)
