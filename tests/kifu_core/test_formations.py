"""Castles and openings: the table is consistent, and each is recognised where its patterns match."""

from __future__ import annotations

import csv
import re
from functools import cache
from pathlib import Path
from random import Random
from urllib.parse import unquote

from kifu_core import load
from kifu_core.game import FormationOccurrence
from kifu_core.shogi import formations
from kifu_core.shogi.formations import (
    BY_NAME,
    BY_NUMBER,
    CASTLES,
    FORMATIONS,
    OPENINGS,
    WORKS,
    by_any_name,
    find_in_line,
    find_in_record,
    occurrences,
    with_forms,
    with_parents,
)
from kifu_core.shogi.moves import from_usi
from kifu_core.shogi.patterns import find, parse, text_of
from kifu_core.shogi.pieces import BLACK, WHITE
from kifu_core.shogi.position import Position
from kifu_core.shogi.replay import main_moves, start
from kifu_core.shogi.rules import legal_moves
from tests.cases import each

SAMPLES = Path(__file__).parents[2] / "archive" / "samples"
TABLES = Path(formations.__file__).parent
KANA = re.compile(r"[ぁ-ゖー]+")


def after(moves: str) -> list[FormationOccurrence]:
    return occurrences(Position.initial(), [from_usi(usi) for usi in moves.split()])


def names_of(moves: str, color: int) -> set[str]:
    return {one.name for one in after(moves) if one.color == color}


# --- the table ----------------------------------------------------------------------------------------


def test_there_are_sixty_of_each():
    assert len(CASTLES) >= 60 and len(OPENINGS) >= 60


@each("of", ["name", "japanese", "english"])
def test_no_two_are_called_alike(of):
    names = [getattr(one, of) for one in FORMATIONS]
    assert sorted(set(names)) == sorted(names)


@each("formation", FORMATIONS, ids=lambda one: one.name)
def test_each_has_a_name_for_programs_a_reading_and_parents_that_there_are(formation):
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", formation.name)
    assert KANA.fullmatch(formation.reading)
    assert formation.english.isascii() and formation.english.strip() == formation.english
    assert formation.patterns and formation.until > 0
    assert formation.name not in with_parents(formation.parents)


@each("formation", FORMATIONS, ids=lambda one: one.name)
def test_no_pattern_is_twice_in_the_table(formation):
    printed = [text_of(parse(text)) for text in formation.patterns]
    others = {text_of(parse(text)) for one in FORMATIONS if one is not formation for text in one.patterns}
    assert len({*printed}) == len(printed)
    assert (
        not others & {*printed}
        or formation.parents
        or any(formation.name in BY_NAME[one.name].parents for one in FORMATIONS)
    )


def test_who_has_one_has_what_it_is_a_form_of():
    assert with_parents(["so-yagura"]) == {"so-yagura", "kin-yagura", "yagura"}
    assert with_parents([]) == set()


def test_numbers_are_what_is_stored_and_stay():
    assert [one.number for one in CASTLES] == [*range(1, len(CASTLES) + 1)]
    assert [one.number for one in OPENINGS] == [*range(101, len(OPENINGS) + 101)]
    stays = {"yagura": 1, "anaguma": BY_NAME["anaguma"].number, "furibisha": 101}
    assert {name: BY_NUMBER[number].name for name, number in stays.items()} == {name: name for name in stays}


@each("text", ["anaguma", "穴熊", "あなぐま", "Anaguma", "ＡＮＡＧＵＭＡ"])
def test_one_is_found_by_any_of_its_names(text):
    assert by_any_name(text) is BY_NAME["anaguma"]


@each(
    ("text", "name"),
    [
        ("美濃", "mino"),
        ("elmo囲い", "elmo"),
        ("矢倉囲い", "yagura"),
        ("四間飛車戦法", "shikenbisha"),
        ("アヒル", "ahiru"),
    ],
)
def test_the_word_that_says_what_it_is_may_be_there_or_not(text, name):
    assert by_any_name(text) is BY_NAME[name]


def test_regspe_is_short_for_the_white_leghorn_special():
    assert by_any_name("レグスペ").english == "Leghorn Special"


def test_what_none_is_called_is_none():
    assert by_any_name("no such castle") is None and by_any_name("") is None and by_any_name("囲い") is None


def test_forms_of_one_are_those_that_have_it_among_their_parents():
    assert {"kin-yagura", "so-yagura", "yagura"} <= with_forms("yagura")
    assert all("yagura" in with_parents([name]) for name in with_forms("yagura"))


# --- its sources --------------------------------------------------------------------------------------


@cache
def keys() -> dict[str, list[str]]:
    """What the tables say of the works of each formation."""
    lines = [(TABLES / file).read_text("utf-8").splitlines() for file in ("castles.csv", "openings.csv")]
    return {row["name"]: row["sources"].split() for table in lines for row in csv.DictReader(table)}


@each("formation", FORMATIONS, ids=lambda one: one.name)
def test_each_has_works_or_says_that_only_games_were_looked_at(formation):
    works = keys()[formation.name]
    assert works == ["games"] or (works and len({*works}) == len(works) and {*works} <= {*WORKS})
    assert [work.key for work in formation.sources] == [key for key in works if key != "games"]


def test_no_work_is_in_the_list_that_none_is_compared_with():
    assert {key for works in keys().values() for key in works} - {"games"} == {*WORKS}


@each("work", WORKS.values(), ids=lambda one: one.key)
def test_a_work_has_a_title_a_publisher_and_where_to_find_it(work):
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", work.key)
    assert work.title and work.publisher and (work.year is None or 1600 < work.year < 2100)
    assert bool(work.url) != bool(work.isbn)
    assert re.fullmatch(r"https?://[!-~]+|", work.url) and re.fullmatch(r"(978-[0-9-]{13})?", work.isbn)


def test_no_two_works_are_the_same():
    assert len({work.url or work.isbn for work in WORKS.values()}) == len(WORKS)


def test_the_documentation_lists_all_works():
    text = unquote((Path(__file__).parents[2] / "docs" / "formations.md").read_text("utf-8"))
    for work in WORKS.values():
        assert f"| `{work.key}` | " in text and (unquote(work.url) or work.isbn) in text


# --- games --------------------------------------------------------------------------------------------


def test_a_mino_arises_with_its_last_piece():
    ranging = "7g7f 8c8d 7i6h 8d8e 8h7g 3c3d 6g6f 7a6b 2h8h 4a3b 5i4h 5c5d 4h3h 5a4b 3h2h 4b4a 3i3h 6a5b 6i5h"
    found = {one.name: one.ply for one in after(ranging) if one.color == BLACK}
    assert (found["mukaibisha"], found["mino"], found["hon-mino"]) == (9, 17, 19)


def test_white_has_the_same_as_black_would():
    ranging = "7g7f 3c3d 2g2f 4c4d 3i4h 8b4b 5i6h 5a6b"
    assert "shikenbisha" in names_of(ranging, WHITE)
    assert names_of(ranging, BLACK) == {"taikokei"}


def test_a_rook_that_moves_late_is_no_opening():
    shuffle = " ".join(["4i5h 6a5b 5h4i 5b6a"] * 8)
    assert "shikenbisha" in names_of("2h6h 3c3d 1g1f", BLACK)
    assert "shikenbisha" not in names_of(f"{shuffle} 2h6h 3c3d 1g1f", BLACK)


def test_a_rook_that_goes_on_with_its_next_move_ranges_where_it_ends():
    assert names_of("2h6h 3c3d 6h2h 4c4d 1g1f", BLACK) == set()
    assert {"nakabisha", "shikenbisha"} & names_of("2h6h 3c3d 6h5h 4c4d 1g1f", BLACK) == {"nakabisha"}


def test_what_has_to_stay_counts_from_where_it_began():
    mino = "7g7f 8c8d 2h6h 8d8e 5i4h 3c3d 4h3h 7a6b 3h2h 5c5d 3i3h"
    waits = "9c9d 9g9f 1c1d 1g1f 9a9b 9i9h 9b9c 9h9g 3a3b 7i7h 3b3c"
    found = {one.name: one.ply for one in after(f"{mino} {waits}") if one.color == BLACK}
    assert found["mino"] == 11 and "kata-mino" not in found
    found = {one.name: one.ply for one in after(f"{mino} {waits} 7h7g") if one.color == BLACK}
    assert found["kata-mino"] == 11


def test_bishops_in_hand_are_those_of_the_moment():
    exchange = "7g7f 3c3d 2g2f 8c8d 8h2b+ 3a2b"
    assert [one.ply for one in after(exchange) if one.name == "kakugawari"] == [6, 6]


def at_once(black: str) -> set[str]:
    """The formations of Black with these pieces from rank f on, in a position before any move."""
    begin = Position.from_sfen(f"4k4/9/9/9/9/{black} b - 1")
    return {one.name for one in occurrences(begin, []) if one.color == BLACK}


def test_a_king_that_fled_to_the_right_is_no_right_king():
    assert "migigyoku" in at_once("2P1PPP2/PPSP1SN2/2G1GK3/LN5RL")
    assert "migigyoku" not in at_once("2P1PPP2/PPSP1S3/2G1GK3/LN5RL")
    assert "migigyoku" not in at_once("2P1PPP2/PPSPP1N2/2G1GK3/LN5RL")


def test_a_left_king_is_of_a_rook_that_ranges():
    assert "hidarigyoku" in at_once("P1S1PPP1P/2NG1S1P1/2K3G2/LR5NL")
    assert "hidarigyoku" not in at_once("P1S1PPP1P/2NG1S3/2K3G2/LR5NL")
    assert "hidarigyoku" not in at_once("P1S1PPP1P/3G1S1P1/2K3G2/LR5NL")


def test_a_silver_at_the_kings_head_is_past_the_fifth_file():
    reclining = "7g7f 3c3d 6g6f 8c8d 2h6h 7a6b 7i7h 5a4b 7h6g 4b3b 6g5f 3a4b"
    assert "gyokuto-gin" not in names_of(f"{reclining} 6f6e 4a3a 1g1f", BLACK)
    assert "gyokuto-gin" in names_of(f"{reclining} 5f4e 4a3a 1g1f", BLACK)


def test_the_single_file_of_a_rook_is_the_first():
    assert by_any_name("一間飛車").english == "First File Rook"
    assert "ikkenbisha" in names_of("1g1f 3c3d 1f1e 8c8d 2h1h 8d8e", BLACK)
    assert "ikkenbisha" not in names_of("7g7f 3c3d 6g6f 8c8d 8h7g 7a6b 9g9f 5a4b 2h9h 4b3b", BLACK)


# --- openings that exclude each other -------------------------------------------------------------------


def of_line(moves: str) -> set[tuple[str, int]]:
    found = find_in_line(Position.initial(), [from_usi(usi) for usi in moves.split()])
    return {(one.name, one.color) for one in found}


EXCHANGE = "7g7f 8c8d 2g2f 8d8e 8h7g 3c3d 7i6h 4a3b 6i7h 2b7g+ 6h7g 3a2b"
LOST_TEMPO = "7g7f 3c3d 2g2f 4a3b 2f2e 2b8h+ 7i8h"


def test_a_rook_that_ranges_after_an_exchange_of_bishops_makes_it_no_bishop_exchange():
    opening = f"{EXCHANGE} 9g9f 2b3c 1g1f 7a6b"
    assert ("kakugawari", 0) in of_line(opening)
    ranging = {name for name, _ in of_line(f"{opening} 2h6h 5a4b 5i4h 4b3a 4h3h")}
    assert {"kakkokan-shiken", "taikokei"} <= ranging and "kakugawari" not in ranging


def test_a_rook_that_comes_to_the_middle_late_makes_a_bishop_exchange_no_ranging_rook():
    silvers = "3i4h 2b3c 4g4f 7a6b 4h4g 6c6d 4g5f 6b6c 5i6h 5a4b 6h7i 4b3a 9g9f 9c9d 1g1f 1c1d 7i8h 6c5d"
    names = {name for name, _ in of_line(f"{EXCHANGE} {silvers} 4i5h 7c7d 3g3f 8b5b 8h7i 3a2b 7i8h")}
    assert "kakugawari" in names and not {"furibisha", "taikokei"} & names


def test_a_double_wing_in_which_bishops_are_exchanged_later_stays_one():
    opening = "2g2f 8c8d 2f2e 8d8e 6i7h 4a3b 2e2d 2c2d 2h2d P*2c 2d2h"
    names = {name for name, _ in of_line(f"{opening} 3c3d 7g7f 2b8h+ 7i8h 3a2b 8h7g 2b3c 3i3h 7a6b")}
    assert "aigakari" in names and "kakugawari" not in names


def test_one_side_ranges_or_both_do():
    one = "7g7f 3c3d 6g6f 8c8d 2h6h 8d8e 8h7g 7a6b 5i4h 5a4b"
    assert ("taikokei", 0) in of_line(one)
    waits = "4h3h 4b3b 3h2h 5c5d 3i3h 1c1d 1g1f 9c9d 9g9f 7c7d 6i5h 6b7c 4g4f 7c6d 3g3f 3a4b 5h4g 4b5c"
    found = of_line(f"{one} {waits} 2i3g 4a4b 4i4h 8b5b 7g8h 9a9b 8h7g")
    assert ("taikokei", WHITE) in found and ("furibisha", WHITE) not in found


def test_who_exchanges_bishops_at_home_has_lost_a_tempo():
    assert ("ittezon-kakugawari", WHITE) in of_line(LOST_TEMPO)
    assert ("ittezon-kakugawari", BLACK) not in of_line(f"{LOST_TEMPO} 3a2b 8h7g 2b3c")
    assert ("kakugawari", BLACK) in of_line(f"{LOST_TEMPO} 3a2b 8h7g 2b3c 3i4h 8c8d 6i7h")
    assert not {("ittezon-kakugawari", color) for color in (BLACK, WHITE)} & of_line(f"{EXCHANGE} 3i4h 2b3c")


def test_a_bishop_that_is_dropped_at_once_on_the_other_diagonal_is_no_bishop_exchange():
    names = {name for name, _ in of_line(f"{LOST_TEMPO} B*6e 3i4h 6e7f")}
    assert "sujichigai" in names and "kakugawari" not in names


def lines() -> list[tuple[Position, list[int]]]:
    """Games of the samples, and random ones."""
    found = []
    for path in sorted(SAMPLES.glob("*.k*")):
        for game in load(path.read_bytes()).games:
            found.append((start(game.record), main_moves(game.record)))
    random = Random(7)
    for _ in range(10):
        position, moves = Position.initial(), []
        for _ in range(60):
            moves.append(random.choice(legal_moves(position)))
            position.do_move(moves[-1])
        found.append((Position.initial(), moves))
    return found


def plainly(begin: Position, moves: list[int]) -> set[FormationOccurrence]:
    """The same by looking for every pattern in all positions."""
    position, line = begin.copy(), [begin.copy()]
    for move in moves:
        position.do_move(move)
        line.append(position.copy())
    found = set()
    for formation in FORMATIONS:
        for color in (BLACK, WHITE):
            plies = []
            for text in formation.patterns:
                (one,) = parse(text).steps
                pattern = parse(f"{text} own:{'white' if color else 'black'} ply:..{formation.until}")
                assert one.first is one.last is None
                plies += [where.plies[0] for where in [find(pattern, line)] if where]
            if plies:
                found.add(FormationOccurrence(formation.name, color, min(plies)))
    return found


def test_moves_give_the_same_formations_as_positions():
    games = lines()
    assert sum(len(moves) > 30 for _, moves in games) > 20
    arisen_at_all = set()
    for begin, moves in games:
        assert {*occurrences(begin, moves)} == plainly(begin, moves)
        arisen_at_all |= {one.name for one in occurrences(begin, moves)}
    assert len(arisen_at_all) > 20


def test_a_record_has_what_its_main_line_has_with_all_that_this_is_a_form_of():
    for path in sorted(SAMPLES.glob("*.k*")):
        for game in load(path.read_bytes()).games:
            moves = main_moves(game.record)
            found, plain = find_in_record(game.record, moves), occurrences(start(game.record), moves)
            for color in (BLACK, WHITE):
                names = [one.name for one in found if one.color == color]
                assert len(names) == len({*names})
                assert {*names} == with_parents(one.name for one in plain if one.color == color)
            assert [one.ply for one in found] == sorted(one.ply for one in found)


def test_more_in_hand_than_there_are_pieces_is_as_much_as_there_are():
    begin = Position.from_sfen("lnsgkgsnl/1r7/pppppp1pp/6p2/9/2P4R1/PP1PPPPPP/9/LNSGKGSNL b 97P2B99p2b 1")
    moves = [from_usi(usi) for usi in ["B*4e", "8b8d", "4e3d", "P*2h", "2f2d"]]
    assert {*occurrences(begin, moves)} == plainly(begin, moves)


def test_a_move_that_cannot_be_made_ends_the_line():
    assert after("2h6h 3c3d 5e5d 8b4b") == after("2h6h 3c3d")
