"""What an archive needs to know of a kind of game is the same for every kind."""

from __future__ import annotations

from itertools import islice

import pytest

from kifu_core import games
from kifu_core.classes import key
from kifu_core.errors import DecodeError, KifuError
from kifu_core.games import GAMES, QUORIDOR, SHOGI, GameKind
from kifu_core.lines import NO_MOVE
from kifu_core.quoridor.keys import code_of_path, path_code

TEXTS = {
    "shogi": "position startpos moves 7g7f 3c3d 2g2f 8c8d 8h2b+ 3a2b B*4e",
    "quoridor": "e2 e8 d3h e3v e3 f6h f2 e7 (d8) b2v",
}


@pytest.fixture(params=GAMES.values(), ids=GAMES)
def game(request) -> GameKind:
    return request.param


def record(game: GameKind):
    kind, result = games.load(TEXTS[game.name])
    assert kind is game
    (parsed,) = result.games
    return parsed.record


def positions(game: GameKind) -> list:
    return [position.copy() for _, position, _, _ in game.replay.main_line(record(game))]


def test_a_record_tells_its_kind(game):
    assert games.of_record(record(game)) is game


def test_the_main_line_the_moves_and_the_visits_tell_the_same(game):
    played = record(game)
    moves = [move for _, _, move, _ in game.replay.main_line(played)]
    assert moves == [*game.replay.main_moves(played), NO_MOVE]
    assert moves[:-1] == [
        game.replay.packed_move(entry["move"]) for entry in played["moves"] if "move" in entry
    ]
    main = [visit for visit in game.replay.visits(played) if not visit.fork]
    assert [game.codec.orient(visit.move, visit.orientation) for visit in main] == moves
    assert [visit.code for visit in main] == [
        game.codec.canonical(position).code for position in positions(game)
    ]


def test_codes_objects_and_addresses_lead_back(game):
    for position in positions(game):
        code = game.codec.encode(position)
        assert game.codec.decode(code) == position == game.codec.from_object(game.codec.as_object(position))
        assert game.codec.code_of_path(game.codec.path_code(code)) == code
        assert game.codec.identity(code) == game.codec.identity(game.codec.encode(game.codec.decode(code)))
        found = game.codec.canonical(position)
        at = key(found.code, found.orientation, game.name)
        assert game.codec.same_class_keys(position)[0] == at == game.codec.same_class_keys(code)[0]


def test_legal_moves_have_names_texts_and_facts(game):
    for position in positions(game):
        moves = game.rules.legal_moves(position)
        assert len({game.text.move_name(move) for move in moves}) == len(moves) > 0
        for move in islice(moves, 5):
            assert game.text.move_text(position, move)
            assert isinstance(game.text.move_facts(position, move), dict)


def test_a_record_ends_where_its_last_position_is(game):
    last = positions(game)[-1]
    plies, names = games.last_position(record(game))
    assert plies == len(game.replay.main_moves(record(game)))
    assert names == (game.text.notations(last, plies) or {"code": game.codec.encode(last)})


def test_the_start_has_a_text_and_a_side(game):
    assert game.replay.start_text(record(game)) and game.replay.first_turn(record(game)) == 0
    assert set(game.rules.sides) == {"black", "white"} and "OTHER" in game.rules.presets


def test_every_format_that_takes_a_position_or_an_ending_is_a_format(game):
    for name in game.formats.names:
        assert game.formats.dump(record(game), name)


def test_a_code_in_an_address_may_have_its_own_characters_or_those_of_addresses():
    code = "k7BRHJ+PDPe/JeRi5ac9OQAA"
    assert path_code(code) == "k7BRHJ-PDPe_JeRi5ac9OQAA"
    assert code_of_path(path_code(code)) == code_of_path(code) == code_of_path(code.replace("+", " ")) == code
    with pytest.raises(DecodeError, match="bad-char"):
        QUORIDOR.codec.decode(path_code(code))


def test_who_placed_a_wall_is_no_part_of_the_identity_of_a_position():
    one, other = (games.load(text)[1].games[0].record for text in ("d3h e6h e2", "e6h d3h e2"))
    codes = [QUORIDOR.codec.encode(list(QUORIDOR.replay.main_line(played))[-1][1]) for played in (one, other)]
    assert codes[0] != codes[1] and QUORIDOR.codec.identity(codes[0]) == QUORIDOR.codec.identity(codes[1])


@pytest.mark.parametrize(
    ("kind", "text", "code"),
    [
        (SHOGI, "4k4/9/9/9/9/9/9/9/4K4 b G 1", "shogi"),
        (SHOGI, "startpos", None),
        (QUORIDOR, "gkwAAIAA", "quoridor"),
        (QUORIDOR, "QGCLJPRA", None),
        (QUORIDOR, "e2 e8", None),
        (QUORIDOR, "e2", None),
    ],
)
def test_a_text_may_be_a_position_by_itself(kind, text, code):
    assert (kind.text.parse_position(text) is not None) == (code is not None)


@pytest.mark.parametrize(("kind", "text"), [(SHOGI, "9/9 b -"), (QUORIDOR, "gkwAAIA"), (QUORIDOR, "x")])
def test_a_wrong_name_of_a_position_is_refused(kind, text):
    with pytest.raises(KifuError):
        kind.text.parse_position(text)


@pytest.mark.parametrize(
    "value",
    [
        {},
        {"color": 0, "pawns": ["e1", "e1"], "walls": [[], []]},
        {"color": 2, "pawns": ["e1", "e9"], "walls": [[], []]},
        {"color": 0, "pawns": ["e1", "j9"], "walls": [[], []]},
        {"color": 0, "pawns": ["e1", "e9"], "walls": [["d3h", "e3h"], []]},
        {"color": 0, "pawns": ["e1", "e9"], "walls": [["e3"], []]},
        {"color": 0, "pawns": "e1", "walls": None},
    ],
)
def test_an_object_that_is_no_position_is_refused(value):
    with pytest.raises(KifuError) as caught:
        QUORIDOR.codec.from_object(value)
    assert caught.value.code == "bad-position-object"
