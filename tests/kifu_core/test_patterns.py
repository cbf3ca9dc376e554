"""Patterns: what their texts mean, how they print, and where they match in a line of positions."""

from __future__ import annotations

from random import Random

import hypothesis.strategies as st
import pytest
from hypothesis import given

from kifu_core import KifuError
from kifu_core.messages import message
from kifu_core.shogi.moves import from_usi
from kifu_core.shogi.patterns import (
    Pattern,
    PatternMatch,
    PatternStep,
    PieceCount,
    find,
    orientations,
    parse,
    text_of,
)
from kifu_core.shogi.patterns.pattern import ANYTHING, CONTENTS, EMPTY, ENEMY, OWN, content
from kifu_core.shogi.patterns.words import localized_text
from kifu_core.shogi.pieces import BLACK, FU, GI, HAND_KINDS, KA, KI, KINDS, OU, TO, WHITE
from kifu_core.shogi.position import Position
from kifu_core.shogi.rules import legal_moves
from kifu_core.shogi.squares import BY_USI
from tests.cases import each


def only(text: str) -> PatternStep:
    (step,) = parse(text).steps
    return step


def positions_of(*moves: str) -> list[Position]:
    """The positions of a line from the start."""
    position, line = Position.initial(), [Position.initial()]
    for usi in moves:
        position.do_move(from_usi(usi))
        line.append(position.copy())
    return line


# --- texts ------------------------------------------------------------------------------------------------


def test_upper_case_is_own_and_lower_case_the_enemy():
    squares = only("K9i p7f").squares
    assert squares == {BY_USI["9i"]: 1 << content(OU), BY_USI["7f"]: 1 << content(-FU)}


@pytest.mark.parametrize(
    "text,printed",
    [
        ("８八玉 99香", "K8h L9i"),
        ("８八玉、７八金、 ９九香", "K8h G7h L9i"),
        ("☗3三王", "K3c"),
        ("△５一玉 ☖2二竜 ▽8二成銀", "k5a +r2b +s8b"),
        ("▲７七全 ４四と 5五馬 6六成角", "+S7g +P4d +B5e +B6f"),
        ("玉8八 角８七 歩33、△成銀7七", "K8h B8g P3c +s7g"),
        ("9九玉9八香☖1一王", "K9i L9h k1a"),
        ("{金、△銀}7八 !{と,G}7六 -5五 X44", "{s,G}7h !{G,+P}7f -5e X4d"),
        ("8八玉{金,銀}7八", "K8h {S,G}7h"),
        ("{金、銀}6七8八玉!{と}7六-5五K9九", "{S,G}6g K8h !+P7f -5e K9i"),
        ("Ｋ８ｈ\u3000｛Ｇ，Ｓ｝７ｈ ｈａｎｄ：Ｐ＞＝３", "K8h {S,G}7h hand:P>=3"),
    ],
)
def test_japanese_and_wide_letters_are_read(text, printed):
    assert parse(text) == parse(printed)
    assert sorted(text_of(parse(text)).split()) == sorted(printed.split())


@each(
    ("text", "printed"),
    [
        ("8八玉 その後 9九玉", "K8h then K9i"),
        ("8八玉その後20手以内に9九玉そのあと９八香", "K8h then<=20 K9i then L9h"),
        ("８八玉\u3000その後２０手以内\u3000９九玉", "K8h then<=20 K9i"),
        ("8八玉 その後 20手以内 9九玉", "K8h then<=20 K9i"),
        ("8八玉、その後、20手以内に、9九玉", "K8h then<=20 K9i"),
        ("8八玉そのあと　20手以内9九玉", "K8h then<=20 K9i"),
        ("8八玉 20手以内 9九玉", None),
        ("8八玉 その後 20手 以内 9九玉", None),
        ("8八玉 その後 1000手以内 9九玉", None),
        ("その後 9九玉", None),
        ("hand:角", "hand:B"),
        ("持駒：角", "hand:B"),
        ("持ち駒:歩3", "hand:P>=3"),
        ("持駒:歩三 盤上:歩十八", "hand:P>=3 board:P>=18"),
        ("持駒:角、歩3枚以上、△飛なし", "hand:r=0,P>=3,B"),
        ("持駒:角歩２,P<=5", "hand:P>=2,P<=5,B"),
        ("持駒:歩2枚,相手の桂1枚以下", "hand:n<=1,P=2"),
        ("持駒:角、歩>=3、8八玉", "K8h hand:P>=3,B"),
        ("持駒:角、玉8八", "K8h hand:B"),
        ("9九玉持駒:角", "K9i hand:B"),
        ("8八玉 自分の手番 先手だけ 左右反転も 本譜だけ", "K8h turn:own own:black mirror:yes line:main"),
        ("8八玉相手の手番 後手だけ", "K8h turn:enemy own:white"),
        ("8八玉 先手 左右反転 本譜", "K8h own:black mirror:yes line:main"),
        ("8八玉 後手", "K8h own:white"),
        ("8八玉 own:先手 手番:相手", "K8h turn:enemy own:black"),
        ("8八玉手番:自分", "K8h turn:own"),
        ("8八玉その後4手続く", "K8h kept:4"),
        ("8八玉 その後 ４手続く 9八香", "L9h K8h kept:4"),
        ("8八玉4手続くその後20手以内に9九玉", "K8h kept:4 then<=20 K9i"),
        ("8八玉そのあと、4手続く", "K8h kept:4"),
        ("8八玉 1手後 9九玉", "K8h then<=1 K9i"),
        ("8八玉 ４０手目まで", "K8h ply:..40"),
        ("40手目以内8八玉", "K8h ply:..40"),
        ("8八玉10手目以降", "K8h ply:10.."),
        ("10手目から 8八玉 40手目まで", "K8h ply:10..40"),
        ("10手目から40手目まで8八玉", "K8h ply:10..40"),
        ("8八玉 10〜40手目", "K8h ply:10..40"),
        ("8八玉 10手目～40手目", "K8h ply:10..40"),
        ("8八玉 5手目", "K8h ply:5"),
        ("8八玉 手数:10..40", "K8h ply:10..40"),
        ("8八玉 手数：10～40", "K8h ply:10..40"),
        ("8八玉 手数:..40", "K8h ply:..40"),
        ("8八玉その後40手目まで9九玉", "K8h then K9i ply:..40"),
        ("盤上:銀1〜2枚、△金0〜1枚", "board:g<=1,S>=1,S<=2"),
        ("8八玉 40手目まで 20手目まで", None),
        ("8八玉 40手目まで 手数:10..", None),
        ("8八玉 手数:10.. 40手目まで", None),
        ("8八玉 5手目 40手目まで", None),
        ("8八玉 40手目以降 10手目まで", None),
        ("8八玉 40〜10手目", None),
        ("8八玉 4手続く kept:4", None),
        ("8八玉 手番:先手", None),
        ("8八玉 2手後 9九玉", None),
        ("盤上:銀2〜1枚", None),
    ],
)
def test_conditions_are_read_in_japanese(text, printed):
    if printed is None:
        with pytest.raises(KifuError):
            parse(text)
    else:
        assert text_of(parse(text)) == printed
        assert parse(printed) == parse(text)


@each(
    ("text", "code", "column", "shown"),
    [
        ("9九玉9八香八", "pattern-item", 7, "八"),
        ("8八玉{金,金銀}7八", "pattern-pieces", 7, "金銀"),
        ("8八玉{金,銀}7八9九", "pattern-item", 11, "9九"),
        ("8八玉{金,銀}7h9九玉", "pattern-square", 11, "7h9九玉"),
        ("8八玉{金,銀 7八香", "pattern-open", 4, "{金,銀"),
        ("９九玉 8八玉8八香", "pattern-never", 8, "8八"),
        ("9九玉その後1000手以内9八玉", "pattern-value", 7, "1000"),
        ("9九玉、その後、1000手以内9八玉", "pattern-value", 9, "1000"),
        ("9九玉その後0手以内9八玉", "pattern-never", 7, "その後0手以内"),
        ("その後9九玉", "pattern-nothing", 1, None),
        ("9九玉その後", "pattern-nothing", 7, None),
        ("9九玉その後二十手以内", "pattern-item", 7, "二十手以内"),
        ("9九玉その後20手9八玉", "pattern-item", 7, "20手9八玉"),
        ("持駒:角、玉", "pattern-counts", 6, "玉"),
        ("持駒:角歩3と", "pattern-counts", 7, "と"),
        ("持駒:角歩3個", "pattern-counts", 7, "個"),
        ("持駒:角歩3枚以上、歩2枚以下", "pattern-never", 11, "歩2枚以下"),
        ("持駒:角相手の歩1000枚以上", "pattern-value", 9, "1000"),
        ("持駒:角 持駒:歩", "pattern-twice", 6, "持駒"),
        ("持駒:", "pattern-empty", 4, "持駒:"),
        ("持駒:角、歩>=", "pattern-empty", 9, "歩>="),
        ("持駒:角歩>=x", "pattern-counts", 8, ">=x"),
        ("㍻ 持駒:", "pattern-item", 1, "平成"),
        ("8八玉 手番:先手", "pattern-value", 8, "先手"),
        ("8八玉 手番:", "pattern-empty", 8, "手番:"),
        ("8八玉 その後1000手続く", "pattern-value", 8, "1000"),
        ("8八玉 10手目から1000手目まで", "pattern-value", 11, "1000"),
        ("8八玉 40〜10手目", "pattern-never", 8, "40〜10手目"),
        ("8八玉 40手目以降10手目まで", "pattern-never", 11, "10手目まで"),
        ("8八玉 40手目まで20手目まで", "pattern-twice", 11, "20手目まで"),
        ("8八玉 40手", "pattern-item", 5, "40手"),
        ("盤上:銀1〜1000枚", "pattern-value", 7, "1000"),
        ("9九玉 持物:角", "pattern-item", 5, "持物:角"),
    ],
)
def test_what_is_wrong_in_japanese_is_named_with_its_character(text, code, column, shown):
    with pytest.raises(KifuError) as caught:
        parse(text)
    assert (caught.value.code, caught.value.column, caught.value.params.get("text")) == (code, column, shown)


@pytest.mark.parametrize("text", ["8八金玉", "八8玉", "8八成玉", "8八成金", "0八玉", "8八", "△△8八玉"])
def test_japanese_that_is_no_piece_on_a_square_is_refused(text):
    with pytest.raises(KifuError):
        parse(text)


@pytest.mark.parametrize(
    "text,allowed",
    [
        ("-5e", EMPTY),
        ("X5e", OWN),
        ("x5e", ENEMY),
        ("{X,x}5e", OWN | ENEMY),
        ("+P5e", 1 << content(TO)),
        ("{G,S}5e", 1 << content(KI) | 1 << content(GI)),
        ("!P5e", ANYTHING & ~(1 << content(FU))),
        ("!{G,S}5e", ANYTHING & ~(1 << content(KI) | 1 << content(GI))),
        ("!P5e !S5e", ANYTHING & ~(1 << content(FU) | 1 << content(GI))),
        ("{G,S}5e !S5e", 1 << content(KI)),
    ],
)
def test_a_square_holds_what_its_words_allow(text, allowed):
    assert only(text).squares == {BY_USI["5e"]: allowed}


def test_hands_and_boards_are_counted_by_side():
    step = only("hand:B,P>=3,r=0 board:P=9,p<=8,+B>=1")
    assert step.hands == (PieceCount(-7, 0, 0), PieceCount(FU, 3), PieceCount(KA, 1))
    assert step.board == (PieceCount(-FU, 0, 8), PieceCount(FU, 9, 9), PieceCount(13, 1))


def test_a_number_can_have_both_ends():
    assert only("hand:P>=2,P<=4").hands == (PieceCount(FU, 2, 4),)


@pytest.mark.parametrize(
    "text,bounds", [("ply:20", (20, 20)), ("ply:10..", (10, None)), ("ply:..60", (None, 60))]
)
def test_plies_are_one_or_a_range(text, bounds):
    step = only(text)
    assert (step.first, step.last) == bounds


def test_steps_follow_each_other_at_any_time_or_within_plies():
    found = parse("K8h then<=20 K9i then G7h own:black mirror:yes line:main")
    assert [len(step.squares) for step in found.steps] == [1, 1, 1]
    assert found.gaps == (20, None)
    assert (found.own, found.mirrored, found.main) == (BLACK, True, True)


@each(
    "text,code,column",
    [
        ("", "pattern-nothing", 1),
        ("   ", "pattern-nothing", 4),
        ("own:black", "pattern-nothing", 10),
        ("then K5i", "pattern-nothing", 1),
        ("K5i then", "pattern-nothing", 9),
        ("K5i K5j", "pattern-square", 7),
        ("K5i K0a", "pattern-square", 6),
        ("K5i K5", "pattern-square", 7),
        ("K5i K5h9", "pattern-square", 8),
        ("K5i Z5h", "pattern-pieces", 5),
        ("{G,+K}5h", "pattern-pieces", 4),
        ("K5i !{G,S,Q}5h", "pattern-pieces", 11),
        ("K5i {G, S}7h", "pattern-open", 5),
        ("K5i !{G", "pattern-open", 6),
        ("K5i turn", "pattern-item", 5),
        ("K5i turn:mine", "pattern-value", 10),
        ("K5i own:red", "pattern-value", 9),
        ("K5i mine:own", "pattern-item", 5),
        ("hand:K", "pattern-counts", 6),
        ("hand:+P", "pattern-counts", 6),
        ("hand:B,Q", "pattern-counts", 8),
        ("hand:B,P3,G", "pattern-counts", 9),
        ("hand:B,P>3", "pattern-counts", 10),
        ("hand:B,P>=x", "pattern-counts", 11),
        ("hand:B,P>=3x", "pattern-counts", 12),
        ("board:+P>=x", "pattern-counts", 11),
        ("hand:P>=1000", "pattern-value", 9),
        ("hand:P>=3,P<=2", "pattern-never", 11),
        ("kept:-1", "pattern-value", 6),
        ("kept:12x", "pattern-value", 8),
        ("kept:1000", "pattern-value", 6),
        ("kept:٣", "pattern-value", 6),
        ("kept:1 kept:2", "pattern-twice", 8),
        ("ply:..", "pattern-value", 7),
        ("ply:10-20", "pattern-value", 7),
        ("ply:10.20", "pattern-value", 8),
        ("ply:10..2x", "pattern-value", 10),
        ("ply:10..2000", "pattern-value", 9),
        ("ply:2000..", "pattern-value", 5),
        ("ply:60..10", "pattern-never", 9),
        ("P7f then<=0 P6f", "pattern-never", 11),
        ("P7f then<5 P6f", "pattern-value", 10),
        ("P7f then<=5x P6f", "pattern-value", 12),
        ("P7f then5 P6f", "pattern-value", 9),
        ("K5i -5i", "pattern-never", 6),
        ("!{X,x,-}5i", "pattern-never", 9),
        ("own:black K5i own:white", "pattern-twice", 15),
        ("K5i then<=9999999999 K5h", "pattern-value", 11),
        ("K5i" + " then K5i" * 9, "pattern-steps", 68),
    ],
)
def test_what_is_wrong_is_named_with_its_column(text, code, column):
    with pytest.raises(KifuError) as caught:
        parse(text)
    assert (caught.value.code, caught.value.column) == (code, column)


@each(
    ("text", "column", "english", "japanese"),
    [
        ("K5i turn: L9h", 10, "nothing follows “turn:”, which takes own, enemy", "「turn:」の後に"),
        ("hand:", 6, "nothing follows “hand:”, which takes B, P>=3, r=0", "「hand:」の後に"),
        ("持駒： K5i", 4, "nothing follows “持駒:”, which takes 角、歩3、△飛なし", "「持駒:」の後に"),
        ("kept:", 6, "nothing follows “kept:”, which takes 0..999", "「kept:」の後に"),
        ("ply:", 5, "nothing follows “ply:”, which takes 20, 10.., ..60, 10..60", "「ply:」の後に"),
        ("own:", 5, "nothing follows “own:”, which takes black, white", "「own:」の後に"),
        ("mirror:", 8, "nothing follows “mirror:”, which takes yes, no", "「mirror:」の後に"),
        ("line:", 6, "nothing follows “line:”, which takes main, all", "「line:」の後に"),
        ("{}7h", 2, "nothing follows “{”, which takes G, s, +P, X, x, -", "「{」の後に"),
        ("{G,}7h", 4, "nothing follows “,”, which takes G, s, +P, X, x, -", "「,」の後に"),
        ("{金、}7八", 4, "nothing follows “、”, which takes 金、△銀、と", "「、」の後に"),
        ("hand:B>=", 9, "nothing follows “B>=”, which takes 0..999", "「B>=」の後に"),
        ("hand:B,,P", 8, "nothing follows “,”, which takes B, P>=3, r=0", "「,」の後に"),
        ("board:+P=,K", 10, "nothing follows “+P=”, which takes 0..999", "「+P=」の後に"),
        ("K5i then<= K5h", 11, "nothing follows “then<=”, which takes 1..999", "「then<=」の後に"),
    ],
)
def test_what_is_empty_is_told_with_what_could_stand_there(text, column, english, japanese):
    with pytest.raises(KifuError) as caught:
        parse(text)
    assert (caught.value.code, caught.value.column) == ("pattern-empty", column)
    assert message(caught.value, language="en") == english
    assert message(caught.value, language="ja").startswith(japanese + "書くものがありません")


@given(st.text(alphabet="KGSPkgsp+-!{},Xx123456789abcdei:<=>.then handboardplyturnkeptown ", max_size=60))
def test_any_text_is_a_pattern_that_prints_back_or_an_error_with_a_column(text):
    try:
        found = parse(text)
    except KifuError as error:
        assert error.code.startswith("pattern-") and 1 <= (error.column or 0) <= len(text) + 1
        return
    assert parse(text_of(found)) == found


pieces = st.sampled_from([sign * kind.value for kind in KINDS for sign in (1, -1)])
in_hand = st.sampled_from([sign * kind for kind in HAND_KINDS for sign in (1, -1)])
numbers = st.integers(0, 18)


@st.composite
def counted(draw: st.DrawFn, of: st.SearchStrategy[int]) -> tuple[PieceCount, ...]:
    found = {}
    for piece in draw(st.lists(of, max_size=3, unique=True)):
        least = draw(numbers)
        found[piece] = PieceCount(piece, least, draw(st.none() | st.integers(least, 18)))
    return tuple(sorted(found.values()))


steps = st.builds(
    PatternStep,
    squares=st.dictionaries(st.integers(0, 80), st.integers(1, ANYTHING), min_size=1, max_size=5),
    hands=counted(in_hand),
    board=counted(pieces),
    own_turn=st.none() | st.booleans(),
    first=st.none() | st.integers(0, 50),
    last=st.none() | st.integers(50, 99),
    kept=st.integers(0, 9),
)


@st.composite
def whole(draw: st.DrawFn) -> Pattern:
    found = draw(st.lists(steps, min_size=1, max_size=3))
    gaps = draw(st.tuples(*[st.none() | st.integers(1, 30)] * (len(found) - 1)))
    own = draw(st.sampled_from([None, BLACK, WHITE]))
    return Pattern(tuple(found), gaps, own, draw(st.booleans()), draw(st.booleans()))


@given(whole())
def test_every_pattern_prints_as_a_text_that_means_it(pattern):
    assert parse(text_of(pattern)) == pattern
    assert parse(localized_text(pattern, "ja")) == pattern


@pytest.mark.parametrize(
    "text,printed",
    [
        ("K8h k5a +R2b", "△５一玉 ２二龍 ８八玉"),
        ("{G,s,X}7h !P7f x5e -4e", "x５五 -４五 !{歩}７六 {X、△銀}７八"),
        (
            "K8h hand:B,P=3,r=0 board:P<=9 turn:own ply:10..40 kept:2",
            "８八玉 持駒：相手の飛なし、歩3枚、角1枚以上 盤上：歩9枚以下 自分の手番 10〜40手目 その後2手続く",
        ),
        (
            "K8h then K9i then<=1 L9h then<=20 turn:enemy own:black mirror:yes line:main",
            "８八玉 その後 ９九玉 1手後 ９八香 その後20手以内 相手の手番 先手だけ 左右反転も 本譜だけ",
        ),
    ],
)
def test_a_pattern_is_printed_in_japanese(text, printed):
    assert localized_text(parse(text), "ja") == printed
    assert localized_text(parse(printed), "en") == text_of(parse(text))


def test_what_is_too_long_in_japanese_is_printed_in_letters():
    steps = ["hand:p,l,n,s,g,b,r board:p,l,n,s,+p,+l,+n,+s"] * 8
    whole, short = text_of(parse(" then ".join(steps))), text_of(parse(steps[0]))
    assert localized_text(parse(whole), "ja") == whole
    assert localized_text(parse(short), "ja") != short


@pytest.mark.parametrize(
    "text,printed",
    [
        ("S8h K9i L9h", "L9h S8h K9i"),
        ("!{X,x}5e", "-5e"),
        ("{P,p}5e", "{P,p}5e"),
        ("hand:P=3 mirror:no line:all", "hand:P=3"),
        ("hand:P>=1", "hand:P"),
        ("own:white turn:enemy", "turn:enemy own:white"),
    ],
)
def test_texts_that_mean_the_same_print_alike(text, printed):
    assert text_of(parse(text)) == printed


# --- where they stand ---------------------------------------------------------------------------------------


def test_a_pattern_is_found_at_the_ply_where_it_first_stands_for_either_side():
    line = positions_of("7g7f", "3c3d", "2g2f", "8c8d")
    assert find(parse("P7f"), line) == PatternMatch((1,), BLACK, False)
    assert find(parse("P7f own:white"), line) == PatternMatch((2,), WHITE, False)
    assert find(parse("P2f own:white"), line) == PatternMatch((4,), WHITE, False)
    assert find(parse("P3f"), line) is None
    assert find(parse("P5f mirror:yes"), line) is None
    assert find(parse("P8f own:black mirror:yes"), line) == PatternMatch((3,), BLACK, True)


def test_the_side_to_move_is_the_owner_s():
    line = positions_of("7g7f", "3c3d")
    assert find(parse("P7f turn:own own:black"), line) == PatternMatch((2,), BLACK, False)
    assert find(parse("P7f turn:enemy own:black"), line) == PatternMatch((1,), BLACK, False)


def test_hands_are_those_of_the_owner_and_the_enemy():
    line = positions_of("7g7f", "3c3d", "8h2b+", "3a2b")
    assert find(parse("hand:B,b=0"), line) == PatternMatch((3,), BLACK, False)
    assert find(parse("hand:B,b"), line) == PatternMatch((4,), BLACK, False)
    assert find(parse("board:B=0,b=0,+B=0,+b=0"), line) == PatternMatch((4,), BLACK, False)


def test_what_has_to_stay_is_found_where_it_begins():
    line = positions_of("5i5h", "8c8d", "5h5i", "8d8e", "5i5h", "8e8f", "9g9f", "8f8g+")
    assert find(parse("K5h own:black"), line) == PatternMatch((1,), BLACK, False)
    assert find(parse("K5h own:black kept:3"), line) == PatternMatch((5,), BLACK, False)
    assert find(parse("K5h own:black kept:3 ply:..4"), line) is None
    assert find(parse("K5h own:black kept:4"), line) is None


def test_steps_have_to_follow_each_other_within_their_plies():
    line = positions_of("5i5h", "8c8d", "5h5i", "8d8e", "5i5h", "8e8f", "7g7f")
    assert find(parse("K5h then P7f own:black"), line) == PatternMatch((1, 7), BLACK, False)
    assert find(parse("K5h then<=3 P7f own:black"), line) == PatternMatch((5, 7), BLACK, False)
    assert find(parse("K5h then<=1 P7f own:black"), line) == PatternMatch((6, 7), BLACK, False)
    assert find(parse("P7f then K5h own:black"), line) is None
    assert find(parse("K5h then P7f own:black"), line[1:], first_ply=1) == PatternMatch((1, 7), BLACK, False)


def test_a_look_that_sees_the_same_is_taken_once():
    assert len(orientations(parse("K5i mirror:yes"))) == 2
    assert len(orientations(parse("K6i mirror:yes"))) == 4
    assert len(orientations(parse("K6i mirror:yes own:white"))) == 2


def step_matches(step: PatternStep, position: Position) -> bool:
    """Whether a position matches a step whose own pieces are Black's."""
    squares = all(
        allowed & (1 << position.board[square] % CONTENTS) for square, allowed in step.squares.items()
    )
    counts = [(one, _hand(position, one.piece)) for one in step.hands]
    counts += [(one, _board(position, one.piece)) for one in step.board]
    numbers = all(one.least <= n <= (99 if one.most is None else one.most) for one, n in counts)
    return squares and numbers and step.own_turn in (None, position.turn == BLACK)


def chain(pattern: Pattern, seen: list[Position], plies: tuple[int, ...] = ()) -> tuple[int, ...] | None:
    """The plies at which all steps match, each as early as possible, or None."""
    if len(plies) == len(pattern.steps):
        return plies
    step = pattern.steps[len(plies)]
    gap = pattern.gaps[len(plies) - 1] if plies else None
    for ply in range(plies[-1] + 1 if plies else 0, len(seen)):
        window = seen[ply : ply + step.kept + 1]
        if gap is not None and ply > plies[-1] + gap:
            break
        if len(window) <= step.kept or not all(step_matches(step, one) for one in window):
            continue
        if not (step.first or 0) <= ply <= (len(seen) if step.last is None else step.last):
            continue
        if found := chain(pattern, seen, (*plies, ply)):
            return found
    return None


def plainly(pattern: Pattern, line: list[Position]) -> PatternMatch | None:
    """The same by turning and mirroring whole positions, and trying every choice of plies."""
    found = []
    for own in (BLACK, WHITE) if pattern.own is None else (pattern.own,):
        for mirrored in (False, True) if pattern.mirrored else (False,):
            plies = chain(pattern, [one.oriented(2 * own + mirrored) for one in line])
            found += [PatternMatch(plies, own, mirrored)] if plies else []
    return min(found, key=lambda one: (one.plies[0], one.own, one.mirrored), default=None)


def _hand(position: Position, piece: int) -> int:
    return position.hands[piece < 0][abs(piece)]


def _board(position: Position, piece: int) -> int:
    return sum(one == piece for one in position.board)


def drawn(random: Random, line: list[Position]) -> Pattern:
    """A pattern made from a position of a line, with some parts changed."""
    chosen = []
    for _ in range(random.choice([1, 1, 2])):
        position = random.choice(line).oriented(random.randrange(4))
        squares = random.sample(range(81), random.choice([1, 2, 4]))
        own = {square: 1 << content(position.board[square]) for square in squares}
        own = {square: bits if random.random() < 0.8 else bits | OWN for square, bits in own.items()}
        window, turn = random.choice([0, 0, 0, 2]), random.choice([None, None, True, False])
        hands = (PieceCount(FU, random.randrange(2)),) if random.random() < 0.3 else ()
        chosen.append(PatternStep(own, hands, (), turn, None, random.choice([None, 40]), window))
    gaps = tuple(random.choice([None, 5, 20]) for _ in chosen[1:])
    return Pattern(tuple(chosen), gaps, random.choice([None, None, BLACK, WHITE]), random.random() < 0.5)


def test_drawn_patterns_stand_where_turned_boards_show_them():
    random = Random(17)
    found = 0
    for _ in range(40):
        position, line = Position.initial(), [Position.initial()]
        for _ in range(60):
            position.do_move(random.choice(legal_moves(position)))
            line.append(position.copy())
        for _ in range(10):
            pattern = drawn(random, line)
            assert find(pattern, line) == plainly(pattern, line), text_of(pattern)
            found += find(pattern, line) is not None
    assert 100 < found < 400
