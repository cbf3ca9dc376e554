"""Games in Western letters: Hodges and Hosking with letters and numbers, and the notation of chess."""

from __future__ import annotations

from random import Random

import pytest

from kifu_core import ParsedGame, dump, load
from kifu_core.errors import UnknownFormatError
from kifu_core.shogi.detect import detect
from kifu_core.shogi.fen import as_sfen
from kifu_core.shogi.handicaps import INITIAL_SFEN
from kifu_core.shogi.moves import DROP, promotes, source, target, to_usi
from kifu_core.shogi.pieces import LETTERS, NG, NK, NY, RY, TO, UM
from kifu_core.shogi.position import Position
from kifu_core.shogi.rules import in_check, legal_moves
from kifu_core.shogi.squares import CSA, FILES, RANKS, USI

EVEN = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL"
SAME_GAME = "7g7f 3c3d 8h2b+ 3a2b B*5e 6a5b 4i5h 2b3c"


def only(text: str) -> ParsedGame:
    """The one game of a text, which is read without an issue."""
    result = load(text)
    (game,) = result.games
    assert (result.format, [*result.issues, *game.issues]) == ("psn", [])
    return game


def moves(game: ParsedGame) -> str:
    return dump(game.record, "usi").partition(" moves ")[2].rstrip()


# --- dialects --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "1. P-76 P-34 2. Bx22+ Sx22 3. B*55 G61-52 4. G49-58 S-33\n",
        "1. P76 P34 2. Bx22+ Sx22 3. B'55 G61-52 4. G49-58 S33=",
        "1.P76 2.P34 3.B22+ 4.Sx 5.B*55 6.G6152 7.G4958 8.S2233",
        "1. P-7f P-3d 2. Bx2b+ Sx2b 3. B*5e G6a-5b 4. G4i-5h S-3c",
        "P-76 P-34 Bx22+ Sx22 B*55 G6-52 G4-58 S-33",
        "☗P-76 ☖P-34 ☗Bx22+ ☖Sx22 ☗B*55 ☖G61-52 ☗G49-58 ☖S-33",
        "1. Pc4 Pg6 2. Bxh8=H Sxh8 3. B@e5 Gde8 4. Gfe2 Sg7",
        "1. Pc4 Pg6 2. Bxh8+ Sxh8 3. B*e5 Gd9-e8 4. Gf1e2 Sh8-g7",
        "Kouno against Otsuno\n\n1. P-76 P-34 2. Bx22+ Sx22 3. B*55 G61-52 4. G49-58 S-33\n",
    ],
)
def test_every_notation_plays_the_same_game_without_tags(text):
    result = load(text)
    assert result.format == "psn"
    assert moves(result.games[0]) == SAME_GAME


PYCHESS = """\
[Event "PyChess rated game"]
[Date "2023.11.19"]
[White "kouno"]
[Black "otsuno"]
[Result "0-1"]
[Variant "Shogi"]
[FEN "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL[-] w 0 1"]
[SetUp "1"]

1. Pc4 Pg6 2. Sd2 Pf6 3. Pe4 Pg5 4. Ph4 Pg4 5. Ph5 Pxg3=G 6. Ph6 Gf3 7. Pa4 Ge3 0-1
"""


def test_chess_notation_counts_from_the_lower_left_and_white_begins():
    game = only(PYCHESS)
    header = game.record["header"]
    assert (header["先手"], header["後手"], header["開始日時"]) == ("kouno", "otsuno", "2023/11/19")
    assert game.ending is not None and game.ending.winner == 1
    assert moves(game).endswith("3f3g+ 2e2d 3g4g 9g9f 4g5g")


def test_white_of_pychess_in_2019_is_gote():
    """Its SFEN says so; points count for White first because its tag comes first."""
    tags = f'[White "kouno"]\n[Black "otsuno"]\n[Result "1-0"]\n[FEN "{EVEN}[-] b - 1"]\n[SetUp "1"]\n\n'
    game = only(tags + "1. R-4h P-8d 2. G-3h P-8e 3. S-6h P-8f 4. B-7i Px8g+ 1-0\n")
    assert (game.record["header"]["先手"], game.record["header"]["後手"]) == ("otsuno", "kouno")
    assert game.ending is not None and game.ending.winner == 1


@pytest.mark.parametrize(("first", "second", "winner"), [("Black", "White", 0), ("White", "Black", 1)])
def test_a_result_counts_the_points_of_the_first_tag_first(first, second, winner):
    game = only(f'[{first} "a"]\n[{second} "b"]\n[Result "1-0"]\nP-76 P-34\n')
    assert game.ending is not None and game.ending.winner == winner
    assert game.record["header"]["先手"] == ("a" if first == "Black" else "b")


@pytest.mark.parametrize(
    ("fen", "sfen"),
    [
        (f"{EVEN}[-] w 0 1", INITIAL_SFEN),
        (f"{EVEN}[] w - - 0 1", INITIAL_SFEN),
        (f"{EVEN} w - - 0 1", INITIAL_SFEN),
        (f"{EVEN}[-] b - 1", INITIAL_SFEN),
        (f"{EVEN} b - 1", INITIAL_SFEN),
        (f"{EVEN}_b_-_1", INITIAL_SFEN),
        ("4k4/9/9/9/9/9/9/9/4K4[PPr] b 0 7", "4k4/9/9/9/9/9/9/9/4K4 w r2P"),
        ("4k4/9/9/9/9/9/9/9/4K4[2Pr] b - 7", "4k4/9/9/9/9/9/9/9/4K4 b 2Pr"),
        ("4k4/9/9/9/9/9/9/9/4K4[Bb] w ", "4k4/9/9/9/9/9/9/9/4K4 b Bb"),
        ("4k4/9/9/9/9/9/9/9/4K4 w 2Pr 3", "4k4/9/9/9/9/9/9/9/4K4 w 2Pr"),
    ],
)
def test_fen_and_sfen(fen, sfen):
    assert Position.from_sfen(as_sfen(fen)) == Position.from_sfen(sfen)


def test_a_game_begins_where_its_fen_says():
    game = only('[FEN "4k4/9/9/9/9/9/9/9/4K4[PPr] b 0 7"]\n[Variant "Shogi"]\n\n7... R@e5+ 8. P@e4\n')
    assert dump(game.record, "sfen") == "4k4/9/9/9/9/9/9/9/4K4 w 2Pr 1\n"
    assert moves(game) == "R*5e P*5f"


def test_golds_of_chess_notation_are_all_that_moves_as_one():
    fen = '[FEN "4k4/9/9/9/9/9/9/3+P1G3/4K4[-] w 0 1"]\n[Variant "Shogi"]\n\n'
    assert moves(only(fen + "1. Gde2 Kd9 2. Gfe3 Kc9 3. Gf2")) == "6h5h 5a6a 4h5g 6a7a 5h4h"


@pytest.mark.parametrize(
    "text",
    [
        '[Event "x"]\n[White "A"]\n[Black "B"]\n\n1. e4 e5 2. Nf3 Nc6 1-0\n',
        '[Event "x"]\n\n1. Sf3 Sf6 2. Lb5 Lc5 1-0\n',
        '[Event "x"]\n',
        '[Variant "Crazyhouse"]\n1. e4 d5 2. exd5 Qxd5 3. P@e4 N@d4 1-0\n',
        "1. Pe2 Pe8 2. Pe3 Pe7 3. Hd3 Vd5\n",
        "1. Nf3 Nf6\n",
    ],
)
def test_chess_and_quoridor_are_neither_shogi_nor_json(text):
    assert detect(text)[0] is None
    with pytest.raises(UnknownFormatError):
        load(text)


# --- random games in every notation ------------------------------------------------------------------------

CHESS = tuple(f"{'ihgfedcba'[file - 1]}{10 - rank}" for file, rank in zip(FILES, RANKS, strict=True))
CHESS_LETTERS = {TO: "G", NY: "G", NK: "G", NG: "G", UM: "H", RY: "D"}


def move_text(position: Position, move: int, names: tuple[str, ...], full: bool) -> str:
    """A move in letters, with as much of its source as it needs."""
    chess, to = names is CHESS, names[target(move)]
    if source(move) > DROP:
        return f"{LETTERS[source(move) - DROP]}{'@' if chess else '*'}{to}"
    letter, own = _letter(position, source(move), chess), names[source(move)]
    rivals = {
        source(other)
        for other in legal_moves(position)
        if target(other) == target(move) and source(other) < DROP and source(other) != source(move)
    }
    rivals = {one for one in rivals if _letter(position, one, chess) == letter}
    parts = [own[0], own] if names is CSA else [own[0], own[1], own]
    where = (
        own if full else next(part for part in parts if part == own or not _names_any(part, rivals, names))
    )
    sign = "x" if position.board[target(move)] else "" if chess else "-"
    return letter + (where if rivals or full else "") + sign + to + _tail(position, move, chess)


def _names_any(part: str, squares: set[int], names: tuple[str, ...]) -> bool:
    return any(part in names[square] for square in squares)


def _letter(position: Position, square: int, chess: bool) -> str:
    kind = abs(position.board[square])
    return CHESS_LETTERS.get(kind, LETTERS[kind]) if chess else LETTERS[kind]


def _tail(position: Position, move: int, chess: bool) -> str:
    after = position.copy()
    after.do_move(move)
    if not chess:
        return "+" if promotes(move) else ""
    kind = abs(after.board[target(move)])
    tail = f"={CHESS_LETTERS[kind]}" if promotes(move) else ""
    return tail + ("+" if in_check(after, after.turn) else "")


@pytest.mark.parametrize("names", [USI, CSA, CHESS], ids=["letters", "numbers", "chess"])
@pytest.mark.parametrize("full", [False, True])
def test_random_games_are_read_as_they_were_played(names, full):
    for seed in range(12):
        random, position = Random(seed), Position.initial()
        played, tokens = [], []
        for ply in range(120):
            legal = legal_moves(position)
            if not legal:
                break
            move = random.choice([one for one in legal if promotes(one)] or legal)
            number = f"{ply // 2 + 1}. " if ply % 2 == 0 else ""
            tokens.append(number + move_text(position, move, names, full and names is not CHESS))
            played.append(to_usi(move))
            position.do_move(move)
        tags = (
            f'[White "a"]\n[FEN "{EVEN}[-] {"w 0 1" if names is CHESS else "b - 1"}"]\n[Variant "Shogi"]\n\n'
        )
        assert moves(only(tags + " ".join(tokens))).split() == played
