"""Moves that no board allows, in every format: a finding or an error of ours, never a fault."""

from __future__ import annotations

import json
from random import Random

import pytest

from kifu_core import KifuError, dump, load
from kifu_core.games import last_position
from kifu_core.messages import message
from kifu_core.shogi.check_jkf import check
from kifu_core.shogi.formats import FORMATS, losses
from kifu_core.shogi.legality import findings
from kifu_core.shogi.moves import DROP, pack
from kifu_core.shogi.normalize import normalize
from kifu_core.shogi.pieces import CODES, NAMES, OU, TO
from kifu_core.shogi.position import Position
from kifu_core.shogi.replay import visits
from kifu_core.shogi.rules import fault
from tests.cases import each

KANJI = "一二三四五六七八九"
DIGITS = "１２３４５６７８９"
HANDS = ("-", "2P", "RBGSNLP", "rbgsnl9p", "RBGSNLPrbgsnlp")
BOARD = "lnsgkgsn1/1r5b1/ppppppp1p/9/9/9/PPPPPPP1P/1B5R1/LNSGKGSN1"

PROMOTED_DROPS = {
    "kif": "手合割：平手\n1 ５五と打\n",
    "kif, a king": "手合割：平手\n1 ５五玉打\n",
    "kif, source 00": "手合割：平手\n1 ５五馬(00)\n",
    "kif, a board": "先手の持駒：歩\n|" + " ・" * 9 + "|一\n1 ５五と打\n",
    "kif, a gold promotes": "手合割：平手\n1 ７八金打成\n",
    "ki2": "▲５五と打",
    "ki2, a king": "▲５五玉打",
    "csa": "PI\n+\n+0055TO\n",
    "csa, a king": "PI\n+\n+0055OU\n",
    "csa, with a time": "PI\n+\n+0055RY,T12\n'x\n",
    "jkf": '{"header":{},"moves":[{},{"move":{"color":0,"to":{"x":5,"y":5},"piece":"TO"}}]}',
    "usi": "startpos moves +P*5e",
    "sfen": "sfen 4k4/9/9/9/9/9/9/9/4K4 b +P 1",
}


@each("name", sorted(PROMOTED_DROPS))
def test_a_drop_of_what_no_hand_can_hold_is_an_error_of_the_text(name):
    text = PROMOTED_DROPS[name]
    result = load(text)
    issues = [*result.issues, *(issue for game in result.games for issue in game.issues)]
    errors = [issue for issue in issues if issue.severity == "error"]
    assert errors
    assert all(message(issue, language=language) for issue in errors for language in ("ja", "en"))
    assert not any("move" in entry for game in result.games for entry in game.record["moves"])


@pytest.mark.parametrize("text", [PROMOTED_DROPS["kif"], PROMOTED_DROPS["csa"], PROMOTED_DROPS["jkf"]])
def test_it_is_named_with_its_ply(text):
    result = load(text)
    (issue,) = [*result.issues, *(issue for game in result.games for issue in game.issues)]
    assert (issue.code, issue.severity, issue.ply) == ("bad-drop", "error", 1)


@each("kind", range(1, len(CODES)))
def test_the_rules_know_every_kind_that_a_packed_drop_may_name(kind):
    found = fault(Position.initial(), pack(DROP + kind, 40))
    assert found == ("bad-move" if kind >= OU else "not-in-hand")


@pytest.mark.parametrize("notation", ["jkf", "kif", "ki2", "csa"])
def test_a_raw_record_is_refused_in_every_notation(notation):
    raw = {"moves": [{}, {"move": {"to": {"x": 5, "y": 5}, "piece": CODES[TO]}}]}
    with pytest.raises(KifuError):
        normalize(raw, notation)


# --- drawn -----------------------------------------------------------------------------------------------


def _kif(chance: Random) -> str:
    rows = ["手合割：平手"] if chance.random() < 0.7 else [_drawn_board(chance)]
    for ply in range(1, chance.randint(2, 12)):
        place = chance.choice(["同　", _place(chance)])
        end = chance.choice(["", "打", "成", "不成", "打成", "成打"])
        source = chance.choice(["", "(00)", "(77)", f"({chance.randint(0, 99):02d})", "(７７)"])
        rows.append(f"{ply} {place}{chance.choice(NAMES[1:])}{end}{source}")
        if chance.random() < 0.1:
            rows.append(f"変化：{chance.randint(0, ply + 1)}手")
    return "\n".join(rows) + "\n"


def _ki2(chance: Random) -> str:
    head = "手合割：平手\n" if chance.random() < 0.7 else _drawn_board(chance) + "\n"
    return (
        head
        + "▲７六歩 " * chance.randint(0, 1)
        + "".join(
            chance.choice("▲△")
            + chance.choice(["同　", _place(chance)])
            + chance.choice(NAMES[1:])
            + chance.choice(["", "打", "右", "左上", "直"])
            + chance.choice(["", "成", "不成"])
            for _ in range(chance.randint(1, 12))
        )
    )


def _csa(chance: Random) -> str:
    head = chance.choice(["PI", "PI82HI22KA", "P1-KY-KE\nP+00FU00TO\nP-00AL", "P+55TO00OU\nP-51OU"])
    legal = ["+7776FU", "-3334FU", "+8822UM"][: chance.randint(0, 3)]
    return "\n".join([head, chance.choice("++-"), *legal] + [_csa_move(chance) for _ in range(12)]) + "\n"


def _csa_move(chance: Random) -> str:
    origin, to = (chance.choice([0, 77, 27, chance.randint(0, 99)]) for _ in range(2))
    return f"{chance.choice('+-')}{origin:02d}{to:02d}{chance.choice([*CODES[1:], 'XX', 'al'])}"


def _usi(chance: Random) -> str:
    start = chance.choice(
        ["startpos", f"sfen {BOARD} {chance.choice('bw')} {chance.choice([*HANDS, '+P', 'K', '100P'])} 1"]
    )
    letters = ["P", "L", "N", "S", "G", "B", "R", "K", "+P", "+R", "x"]
    moves = [
        chance.choice(["7g7f", "3c3d", _usi_square(chance) + _usi_square(chance)])
        if chance.random() < 0.5
        else f"{chance.choice(letters)}*{_usi_square(chance)}"
        for _ in range(chance.randint(1, 12))
    ]
    return f"{start} moves " + " ".join(move + chance.choice(["", "", "+"]) for move in moves)


def _usen(chance: Random) -> str:
    digits = "0123456789abcdefghijklmnopqrstuvwxyz"
    lines = [
        f"~{chance.randint(0, 9)}."
        + "".join(chance.choice(["7ku", "2jm", "".join(chance.choices(digits, k=3))]) for _ in range(8))
        + chance.choice([".r", ".i" + "".join(chance.choices(digits, k=3)), ""])
        for _ in range(chance.randint(1, 3))
    ]
    return chance.choice(["", "4k4_9_9_9_9_9_9_9_4K4.b.2Pr", "4k4_9_9_9_9_9_9_9_4K4.b.zP"]) + "".join(lines)


def _jkf(chance: Random) -> str:
    moves: list[dict[str, object]] = [{}]
    for _ in range(chance.randint(1, 8)):
        file = chance.randint(1, 9)
        move: dict[str, object] = {"to": chance.choice([_jkf_place(chance), {"x": file, "y": 6}])}
        if chance.random() < 0.6:
            move["from"] = chance.choice([_jkf_place(chance), {"x": file, "y": 7}])
        for name, values in (
            ("piece", CODES[1:]), ("color", (0, 1)), ("promote", (True, False)), ("same", (True,)),
            ("relative", ("L", "H", "RU", "")),
        ):  # fmt: skip
            if chance.random() < 0.5:
                move[name] = chance.choice(values)
        entry: dict[str, object] = {"move": move}
        if chance.random() < 0.2:
            entry["forks"] = [[{"move": {"to": _jkf_place(chance), "piece": chance.choice(CODES[1:])}}]]
        moves.append(entry)
    hands = [{code: chance.randint(0, 3) for code in chance.sample(CODES[1:], 3)} for _ in range(2)]
    data = {"color": chance.randint(0, 1), "board": {}, "hands": hands}
    initial = {"preset": "OTHER", "data": data} if chance.random() < 0.3 else {"preset": "HIRATE"}
    return json.dumps({"header": {}, "initial": initial, "moves": moves})


def _bod(chance: Random) -> str:
    return _drawn_board(chance) + chance.choice(["", "\n後手番", "\n手数＝3  ▲５五と打  まで"]) + "\n"


def _drawn_board(chance: Random) -> str:
    hands = "　".join(chance.choice(NAMES[1:]) + chance.choice(["", "二", "十八", "９９"]) for _ in range(3))
    rows = ["|" + "".join(chance.choice("v ") + chance.choice("・歩と玉金馬") for _ in range(9)) + "|"] * 9
    return "\n".join([f"{chance.choice(['先手', '後手'])}の持駒：{hands}", *rows])


def _place(chance: Random) -> str:
    return chance.choice(DIGITS) + chance.choice(KANJI)


def _usi_square(chance: Random) -> str:
    return chance.choice("1234567890") + chance.choice("abcdefghij")


def _jkf_place(chance: Random) -> dict[str, int]:
    file = chance.randint(1, 9) if chance.random() < 0.97 else chance.randint(-1, 11)
    return {"x": file, "y": chance.randint(1, 9)}


WRITERS = {"kif": _kif, "ki2": _ki2, "csa": _csa, "usi": _usi, "usen": _usen, "jkf": _jkf, "bod": _bod}


@pytest.mark.parametrize("name", sorted(WRITERS))
def test_drawn_moves_of_all_kinds_give_findings_and_nothing_else(name):
    chance, plies, noted = Random(f"illegal {name}"), 0, 0
    for _ in range(400):
        text = WRITERS[name](chance)
        try:
            result = load(text, f"x.{name}")
        except KifuError as error:
            noted += bool(message(error))
            continue
        noted += bool(result.issues)
        for game in result.games:
            plies += last_position(game.record)[0]
            noted += bool(game.issues)
            assert all(message(issue) for issue in (*game.issues, *findings(game)))
            visits(game.record)
            check(json.loads(dump(game.record, "jkf")))
            for written in FORMATS:
                assert dump(game.record, written)
                losses(game, written)
    assert noted > 100
    assert plies > 20 or name == "bod"
