"""Scores of the moves of a position, in a column that is loaded on demand."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect
from pytest_django.live_server_helper import LiveServer

from archive import store
from archive.derive.verdicts import Line, NewVerdict
from archive.store import EngineIdentity
from kifu_core.games import SHOGI
from kifu_core.shogi.moves import from_usi
from tests.archive.builders import ingest, ready
from tests.archive.games import START
from tests.browser.conftest import PHONE, PageMaker

pytestmark = [pytest.mark.browser, pytest.mark.one_engine, pytest.mark.django_db(transaction=True)]


def judge(moves: str, score: int) -> None:
    """Store the score of the position after these moves."""
    position = SHOGI.rules.initial()
    for move in moves.split():
        position.do_move(from_usi(move))
    (key,) = SHOGI.codec.same_class_keys(position, "exact", SHOGI.name)
    engine = store.engine_of(EngineIdentity("Peer", version="1"))
    line = SHOGI.text.move_name(SHOGI.rules.legal_moves(position)[0])
    store.write_verdicts(engine, {key: NewVerdict((Line(score, moves=(line,)),), nodes=100)})


def test_scores_stand_beside_the_moves_with_those_of_the_best_replies(
    open_page: PageMaker, live_server: LiveServer
):
    ingest(ready("7g7f 3c3d", black="甲", white="乙"), ready("2g2f 8c8d", black="丙", white="丁"))
    for moves, score in (("", 20), ("7g7f", 90), ("7g7f 3c3d", -40), ("2g2f", 30)):
        judge(moves, score)
    page = open_page(f"{live_server.url}/positions/shogi/{START}/")
    page.locator(".move-scores").click()
    rows = page.locator(".moves-table tbody tr")
    expect(rows.filter(has_text="７六歩").locator(".score")).to_have_text("+90 → -40")
    expect(rows.filter(has_text="２六歩").locator(".score")).to_have_text("+30")
    expect(page.locator("th.score")).to_have_attribute("title", re.compile("^Peer 1 · "))
    page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
