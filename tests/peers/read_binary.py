"""Reads training data and opening books with cshogi and rsshogi, by the interpreter that has them.

    python read_binary.py FOLDER

prints a JSON object with the content of the files that the test writes there.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import cshogi
import numpy
from rsshogi.book import SbkBook, YaneuraOuBook
from rsshogi.core import Board


def entries(folder: Path) -> dict[str, Any]:
    """The entries of `hcpe` and `psv`: position, move and the numbers, as cshogi reads them."""
    result = {}
    for name, dtype, place in (
        ("hcpe", cshogi.HuffmanCodedPosAndEval, "set_hcp"),
        ("psv", cshogi.PackedSfenValue, "set_psfen"),
    ):
        rows = []
        for entry in numpy.fromfile(folder / f"train.{name}", dtype):
            board = cshogi.Board()
            getattr(board, place)(numpy.asarray(entry[0]))
            move = (
                board.move_from_move16(int(entry[2]))
                if name == "hcpe"
                else board.move_from_psv(int(entry[2]))
            )
            numbers = [int(entry[1]), *(int(number) for number in list(entry)[3:-1])]
            rows.append([board.sfen().rsplit(" ", 1)[0], cshogi.move_to_usi(move), *numbers])
        result[name] = rows
    return result


def again(folder: Path) -> dict[str, list[str]]:
    """The positions of the entries, packed by rsshogi from their SFEN, in hexadecimal digits."""
    result: dict[str, list[str]] = {"hcpe": [], "psv": []}
    for sfen in json.loads((folder / "packed.json").read_text()):
        board = Board()
        board.set_sfen(f"{sfen} 1")
        result["hcpe"].append(bytes(board.to_hcp()).hex())
        result["psv"].append(bytes(board.to_packed_sfen()).hex())
    return result


def hcpe3(folder: Path) -> list[Any]:
    """The games of `hcpe3`: start, result, and each move with its score and candidates, played by cshogi."""
    data, at, games = (folder / "train.hcpe3").read_bytes(), 0, []
    head = numpy.dtype([("hcp", cshogi.dtypeHcp), ("moves", "<u2"), ("result", "u1"), ("opponent", "u1")])
    info = numpy.dtype([("move", "<i2"), ("eval", "<i2"), ("candidates", "<u2")])
    while at < len(data):
        game = numpy.frombuffer(data, head, 1, at)[0]
        at += head.itemsize
        board = cshogi.Board()
        board.set_hcp(numpy.asarray(game["hcp"]))
        start, rows = board.sfen().rsplit(" ", 1)[0], []
        for _ in range(int(game["moves"])):
            one = numpy.frombuffer(data, info, 1, at)[0]
            at += info.itemsize + 4 * int(one["candidates"])
            move = board.move_from_move16(int(one["move"]))
            rows.append(
                [cshogi.move_to_usi(move), int(one["eval"]), int(one["candidates"]), board.is_legal(move)]
            )
            board.push(move)
        games.append([start, int(game["result"]), rows])
    return games


def books(folder: Path) -> dict[str, Any]:
    """The moves of each position of `positions.json` in the books of each format."""
    positions = json.loads((folder / "positions.json").read_text())
    apery: dict[int, list[Any]] = {}
    for entry in numpy.fromfile(folder / "book.bin", cshogi.BookEntry):
        apery.setdefault(int(entry["key"]), []).append(entry)
    db, sbk = YaneuraOuBook.open(str(folder / "book.db")), SbkBook.open(str(folder / "book.sbk"))
    result: dict[str, Any] = {"apery": [], "db": [], "sbk": []}
    for sfen in positions:
        board = cshogi.Board(f"{sfen} 1")
        result["apery"].append(
            [
                [
                    cshogi.move_to_usi(board.move_from_move16(int(one["fromToPro"]))),
                    int(one["count"]),
                    int(one["score"]),
                ]
                for one in apery[board.book_key()]
            ]
        )
        found = db.lookup_sfen(f"{sfen} 1")
        result["db"].append([[one.mv.to_usi(), one.count, one.score, one.depth] for one in found.moves])
        result["sbk"].append([[one.mv.to_usi(), one.weight] for one in sbk.lookup_sfen(f"{sfen} 1").moves])
    return result


def main() -> None:
    folder = Path(sys.argv[1])
    found = {
        "again": again(folder),
        "hcpe3": hcpe3(folder),
        "entries": entries(folder),
        "books": books(folder),
    }
    print(json.dumps(found))


if __name__ == "__main__":
    main()
