"""Patterns that no game can match are reported, and no others."""

from __future__ import annotations

from random import Random

from kifu_core.shogi.patterns import Pattern, PatternStep, PieceCount, find, impossible, parse, text_of
from kifu_core.shogi.patterns.pattern import content
from kifu_core.shogi.patterns.words import impossible_words
from kifu_core.shogi.pieces import HAND_KINDS, KINDS
from kifu_core.shogi.position import Position
from kifu_core.shogi.rules import legal_moves
from tests.cases import each


@each(
    ("text", "english", "japanese"),
    [
        ("K5i K6i", "king: 2, but each side has only one", "玉は一枚しかありません（玉が2枚）"),
        (
            "board:k>=2",
            "opponent's king: 2, but each side has only one",
            "玉は一枚しかありません（相手の玉が2枚）",
        ),
        ("K5e k5d", "Kings never stand side by side", "玉と玉が隣り合うことはありません"),
        (
            "R5e r4d {R,+r}3c",
            "rook: at least 3, but a set has only 2",
            "飛は両者合わせて2枚です（3枚以上が必要）",
        ),
        (
            "hand:R>=3",
            "rook: at least 3, but a set has only 2",
            "飛は両者合わせて2枚です（3枚以上が必要）",
        ),
        (
            "hand:P>=10,p>=5 board:+P>=2 P7f P6f",
            "pawn: at least 19, but a set has only 18",
            "歩は両者合わせて18枚です（19枚以上が必要）",
        ),
        ("P7f P7g", "pawn: two on file 7 (nifu)", "7筋の歩が二歩です"),
        ("p7f p7g", "opponent's pawn: two on file 7 (nifu)", "7筋の相手の歩が二歩です"),
        (
            "board:P>=10",
            "pawn: 10 on the board, but only one may stand on a file",
            "歩は盤上に9枚までです（10枚だと二歩になる）",
        ),
        ("P5a", "pawn on 5a: it could never move", "５一の歩は行き所がありません"),
        ("N5b", "knight on 5b: it could never move", "５二の桂は行き所がありません"),
        ("{P,L}5a", "pawn or lance on 5a: it could never move", "５一の歩か香は行き所がありません"),
        ("n5h", "opponent's knight on 5h: it could never move", "５八の相手の桂は行き所がありません"),
        (
            "G5h G4i board:G<=1",
            "gold: 2 on squares, but 1 at most on the board",
            "金は盤上に1枚以下のはずですが、マスに2枚あります",
        ),
        (
            "K5i turn:own kept:4",
            "The side to move changes with each move, so a pattern with a side to move cannot stay",
            "手番は一手ごとに替わるので、手番を決めた形は続きません",
        ),
        (
            "K5i then K5h P1a",
            "Step 2 – pawn on 1a: it could never move",
            "ステップ2：１一の歩は行き所がありません",
        ),
        (
            "K5i ply:40.. then K5h ply:..40",
            "Step 2 – Its move numbers do not fit those of the step before",
            "ステップ2：前のステップに続くには手数の条件が合いません",
        ),
        (
            "K5i ply:0 then<=5 K5h ply:6..",
            "Step 2 – Its move numbers do not fit those of the step before",
            "ステップ2：前のステップに続くには手数の条件が合いません",
        ),
    ],
)
def test_it_is_told_why_no_game_can_have_it(text, english, japanese):
    pattern = parse(text)
    found = [*impossible(pattern)]
    for language, words in (("en", english), ("ja", japanese)):
        assert [impossible_words(one, pattern, language) for one in found] == [words]


@each(
    "text",
    [
        "K5i k5a R2h r8b",
        "P7f +P7g p7c",
        "{P,S}7f P7g",
        "board:P=9,p=9",
        "hand:P>=18",
        "hand:R>=2",
        "p5a n5b P5i N5h",
        "{P,G}5a !P4a",
        "{K,k}5e {K,k}1a",
        "{R,B}5e {R,B}5d {R,B}5c",
        "K5i kept:4 then<=3 turn:own",
        "K5i ply:40.. then K5h ply:..41",
        "K5i ply:0 then<=5 K5h ply:5..",
        "K5i ply:0 then K5h ply:300..",
    ],
)
def test_nothing_is_told_of_what_can_be(text):
    assert [*impossible(parse(text))] == []


def part_of(random: Random, position: Position, ply: int) -> PatternStep:
    """A step that a position answers, in full or in part."""
    squares = random.sample(range(81), random.choice([3, 20, 81]))
    kinds = [sign * kind.value for kind in KINDS for sign in (1, -1)]
    on_board = [(piece, position.board.count(piece)) for piece in random.sample(kinds, 6)]
    in_hand = [(sign * kind, position.hands[sign < 0][kind]) for kind in HAND_KINDS for sign in (1, -1)]
    return PatternStep(
        {square: 1 << content(position.board[square]) for square in squares},
        tuple(PieceCount(piece, n, random.choice([None, n])) for piece, n in sorted(in_hand)),
        tuple(PieceCount(piece, n, random.choice([None, n])) for piece, n in sorted(on_board)),
        random.choice([None, position.turn == 0]),
        random.choice([None, ply]),
        random.choice([None, ply]),
    )


def test_nothing_is_told_of_what_stands_in_a_game():
    random = Random(5)
    for _ in range(30):
        position, line = Position.initial(), [Position.initial()]
        while len(line) < 120 and (moves := legal_moves(position)):
            position.do_move(random.choice(moves))
            line.append(position.copy())
        plies = sorted(random.sample(range(len(line)), 2))
        steps = tuple(part_of(random, line[ply], ply) for ply in plies)
        pattern = Pattern(steps, (random.choice([None, plies[1] - plies[0]]),), own=0)
        assert find(pattern, line), text_of(pattern)
        assert [*impossible(pattern)] == [], text_of(pattern)
