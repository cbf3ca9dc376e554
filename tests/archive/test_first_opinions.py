"""The first opinion of the neural network: every game gets it, the newest first, nothing twice."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec

import pytest
from django.conf import settings

from archive import libraries, store
from archive.analysis import opinions
from archive.analysis.network import Network
from archive.analysis.usi import SearchedPosition
from archive.derive.game import derive_game
from archive.derive.verdicts import Line, NewVerdict
from archive.intake import worker
from archive.models import Engine, Game, User, Verdict
from archive.queries.positions.verdicts import verdicts_of_game
from archive.queries.scope import PUBLIC
from archive.store import EngineIdentity
from kifu_core import load
from kifu_core.games import SHOGI
from tests.archive.builders import replace_games
from tests.archive.games import KIF, stored

pytestmark = pytest.mark.django_db

START = SHOGI.replay.start_text({"header": {}, "moves": [{}]})
SHORT = KIF.replace("   7 ３四角(45)   ( 0:07/00:00:16)\n   8 投了", "   7 投了")
MATE = "4k4/9/4P4/9/9/9/9/9/4K4 b G2r2b3g4s4n4l17p 1"

needs_the_network = pytest.mark.skipif(
    find_spec("minioslcc") is None, reason="the neural network is not made for this machine"
)


class Recorder:
    """A network that says the same of every position, and notes what it was given."""

    identity = EngineIdentity("a network", Engine.Source.NETWORK)

    def __init__(self) -> None:
        self.situations: list[SearchedPosition] = []

    def verdicts(self, situations: Sequence[SearchedPosition]) -> list[NewVerdict | None]:
        self.situations += situations
        return [NewVerdict((Line(5, moves=("7g7f",), policy=300),), nodes=1, history=True)] * len(situations)


@pytest.fixture
def recorder(monkeypatch) -> Recorder:
    recorder = Recorder()
    monkeypatch.setattr(opinions, "network", lambda: recorder)
    return recorder


def test_every_position_of_every_game_is_judged_once(recorder):
    stored(KIF)
    stored(KIF.replace("先手の人", "別の人"), "b.kif")
    assert opinions.waiting()
    assert opinions.form_opinions(5)
    assert not opinions.waiting()
    assert len(recorder.situations) == len({one.moves for one in recorder.situations}) == 8
    game = Game.objects.earliest("pk")
    assert [len(at) for at in verdicts_of_game(PUBLIC, game, game.jkf)] == [1] * 8


def test_the_newest_game_comes_first(recorder):
    stored(KIF)
    stored(
        KIF.replace("７六歩(77)", "２六歩(27)").replace("   3 ２二角成(88)", "   3 ２五歩(26)")[:170], "b.kif"
    )
    assert opinions.form_opinion()
    assert ("2g2f",) in {one.moves for one in recorder.situations}
    assert list(Game.objects.order_by("pk").values_list("network_version", flat=True)) == [0, 1]


def test_a_game_that_becomes_longer_is_looked_at_again(recorder):
    stored(SHORT)
    opinions.form_opinions(5)
    recorder.situations.clear()
    replace_games({Game.objects.get().pk: derive_game(load(KIF).games[0])})
    opinions.form_opinions(5)
    assert [len(one.moves) for one in recorder.situations] == [7]


def test_what_is_private_stays_in_its_library(recorder):
    anna = User.objects.create_user("anna")
    space = libraries.own_library(anna).pk
    upload, _new = store.create_upload("a.kif", [KIF.encode()], anna, "web", space=space)
    worker.work_off(upload.pk)
    opinions.form_opinions(5)
    game = Game.objects.get()
    assert {one.space for one in Verdict.objects.all()} == {space}
    assert not any(verdicts_of_game(PUBLIC, game, game.jkf))


@needs_the_network
def test_the_network_reads_positions_and_finds_a_mate_in_one():
    network = Network()
    start, reply, mate, unreadable = network.verdicts(
        [
            SearchedPosition(START, ()),
            SearchedPosition(START, ("7g7f",)),
            SearchedPosition(MATE, ()),
            SearchedPosition("a", ()),
        ]
    )
    assert start is not None and abs(start.lines[0].score or 0) < 200
    assert start.lines[0].moves[0] in ("7g7f", "2g2f") and (start.lines[0].policy or 0) > 200
    assert reply is not None and reply.lines[0].moves[0] in ("3c3d", "8c8d")
    assert mate is not None and mate.lines[0] == Line(None, 0, 1, ("G*5b",), 1000)
    assert unreadable is None


@needs_the_network
def test_the_network_says_the_same_of_a_position_with_the_colours_exchanged():
    network = Network()
    black, white = network.verdicts(
        [
            SearchedPosition("4k4/9/9/9/9/9/9/9/R3K4 b - 1", ()),
            SearchedPosition("4k3r/9/9/9/9/9/9/9/4K4 w - 1", ()),
        ]
    )
    assert black is not None and white is not None
    scores = black.lines[0].score, white.lines[0].score
    assert all(scores) and scores[0] == pytest.approx(-scores[1], rel=0.05)


def test_a_setting_turns_first_opinions_off():
    assert (find_spec("minioslcc") is not None) == settings.ARCHIVE_NETWORK
