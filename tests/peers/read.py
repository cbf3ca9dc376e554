"""Reads records with python-shogi and cshogi, as far as the interpreter that runs this has them.

    python read.py < requests > answers

A JSON object a line: {"id", "peer", "format", "text"} to {"id", "sfen", "lines"} or {"id", "refused"}. These
peers know the main line only, so `lines` is that of the record without its variations, see record.py.
"""

from __future__ import annotations

import json
import re
import sys
from typing import Any

WINNERS = {"b": 0, "w": 1, "-": "draw", None: None}


def python_shogi() -> Any:
    """The reader of python-shogi."""
    import shogi
    import shogi.CSA
    import shogi.KIF

    def read(file_format: str, text: str) -> dict[str, Any]:
        winner = None
        if file_format == "usi":
            sfen, moves = of_usi(text, shogi.STARTING_SFEN)
        else:
            parser = {"kif": shogi.KIF.Parser, "csa": shogi.CSA.Parser}[file_format]
            summary = parser.parse_str(text)[0]
            sfen, moves, winner = summary["sfen"], summary["moves"], summary["win"]
        board = shogi.Board(sfen)
        for move in moves:
            board.push_usi(move)
        return {"sfen": board.sfen(), "lines": entries(moves), "winner": WINNERS[winner]}

    return read


def cshogi() -> Any:
    """The reader of cshogi."""
    import cshogi as library
    from cshogi import CSA, KI2, KIF

    winners = {library.BLACK_WIN: 0, library.WHITE_WIN: 1, library.DRAW: "draw", None: None}

    def read(file_format: str, text: str) -> dict[str, Any]:
        if file_format == "usi":
            sfen, usi = of_usi(text, library.STARTING_SFEN)
            board = library.Board(sfen)
            for move in usi:
                board.push_usi(move)
            return {"sfen": board.sfen(), "lines": entries(usi)}
        if file_format == "csa":
            parser = CSA.Parser.parse_str(text)[0]
        else:
            parser = {"kif": KIF.Parser, "ki2": KI2.Parser}[file_format].parse_str(apart(text))
        board = library.Board(parser.sfen)
        moves = []
        for move in parser.moves:
            moves.append(library.move_to_usi(move))
            if not board.is_pseudo_legal(move):
                return {"refused": f"cannot play {moves[-1]} as move {len(moves)}"}
            board.push(move)
        found = entries(moves)
        for index, comment in enumerate(parser.comments):
            if comment and index + 1 < len(found):
                found[index + 1]["comments"] = comment.split("\n")
        if parser.comment:
            found[0]["comments"] = parser.comment.split("\n")
        return {"sfen": board.sfen(), "lines": found, "winner": winners.get(parser.win)}

    return read


def apart(text: str) -> str:
    """A text with a move a line: cshogi loses count behind the second move of a line of KI2."""
    lines = text.split("\n")
    return "\n".join(re.sub("(?<!^) *(?=[▲△])", "\n", line) if line[:1] in "▲△" else line for line in lines)


def of_usi(text: str, even: str) -> tuple[str, list[str]]:
    """The start and the moves of a position command."""
    start, _, moves = text.strip().removeprefix("position ").partition(" moves ")
    return even if start == "startpos" else start.removeprefix("sfen "), moves.split()


def entries(moves: list[str]) -> list[dict[str, Any]]:
    """A line of moves behind the start."""
    return [{"comments": [], "forks": []}, *({"move": move, "comments": [], "forks": []} for move in moves)]


def main() -> None:
    """Answer the requests."""
    peers = {}
    for name, make in {"python-shogi": python_shogi, "cshogi": cshogi}.items():
        try:
            peers[name] = make()
        except ImportError:
            continue
    print(json.dumps({"peers": list(peers)}), flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = peers[request["peer"]](request["format"], request["text"])
        except Exception as error:  # whatever a peer raises, it did not read the record
            answer = {"refused": f"{type(error).__name__}: {error}"[:200]}
        print(json.dumps({"id": request["id"], **answer}), flush=True)


if __name__ == "__main__":
    main()
