"""A card of the training, answered on the board."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect
from pytest_django.live_server_helper import LiveServer

from archive.models import TrainingCard, User
from archive.training import repertoires
from archive.training.sources import moves_of_text
from tests.browser.boards import after, expect_board, tap
from tests.browser.conftest import BOTH_SIZES_AND_LANGUAGES, PageMaker, follow
from tests.browser.test_libraries import all_right, sign_in

pytestmark = [pytest.mark.browser, pytest.mark.one_engine, pytest.mark.django_db(transaction=True)]


@BOTH_SIZES_AND_LANGUAGES
def test_moves_on_the_board_are_graded_and_the_opponent_replies(
    live_server: LiveServer, open_page: PageMaker, size: tuple[int, int], language: str
) -> None:
    anna = User.objects.create_user("anna", password="opensesame", role=User.Role.CONTRIBUTOR)
    repertoire = repertoires.create(anna, "定跡", 0)
    line = "position startpos moves 7g7f 3c3d 2g2f"
    repertoires.add_lines(anna, repertoire, moves_of_text(line, 9))
    page = open_page(size=size, language=language)
    sign_in(page, live_server, anna)
    page.goto(f"{live_server.url}/mine/training/")
    all_right(page, f"{size[0]}-{language}-training")
    expect(page.locator(".board-host")).to_be_in_viewport(ratio=1)
    expect(page.locator(".under-board")).to_be_in_viewport(ratio=1)
    tap(page, 2, 7)
    tap(page, 2, 6)
    expect(page.locator(".solve-news.wrong")).to_be_visible()
    tap(page, 7, 7)
    tap(page, 7, 6)
    expect(page.locator(".solve-news.solved")).to_be_visible()
    page.wait_for_url("**/mine/training/?after=*")
    expect_board(page, after("7g7f 3c3d"))
    assert TrainingCard.objects.get(reviews=1).step == 0, "graded Again after the wrong move"
    page.locator("details.answer summary").click()
    follow(page.locator("button[value=easy]"))
    assert TrainingCard.objects.filter(state=TrainingCard.State.REVIEW).count() == 1
    page.goto(f"{live_server.url}/mine/training/repertoires/{repertoire.pk}/")
    all_right(page, f"{size[0]}-{language}-repertoire")
