"""Collections as readers and editors meet them: every page at both sizes, and a game whose moves are guessed.

As in `test_libraries`, no page breaks a rule of axe, is wider than the window, or reports an error.
"""

from __future__ import annotations

import pytest
from playwright.sync_api import expect
from pytest_django.live_server_helper import LiveServer

from archive import libraries
from archive.accounts.roles import Role
from archive.collections import editing
from archive.collections import games as collecting
from archive.models import Collection, Game, User
from archive.queries.scope import PUBLIC
from tests.archive import builders
from tests.browser.boards import tap
from tests.browser.conftest import BOTH_SIZES_AND_LANGUAGES, PHONE, PageMaker, follow
from tests.browser.test_accounts import looked_at
from tests.browser.test_libraries import sign_in

pytestmark = [pytest.mark.browser, pytest.mark.one_engine, pytest.mark.django_db(transaction=True)]

MOVES = "7g7f 3c3d 2g2f 8c8d 2f2e 8d8e 6i7h 4a3b 2e2d 2c2d"
LONG = "とても長い題名の棋譜集は折り返して表示されページの幅を超えることがありません" * 2


@pytest.fixture
def anna() -> User:
    return User.objects.create_user("anna", password="opensesame", role=Role.CONTRIBUTOR)


@pytest.fixture
def collection(anna: User) -> Collection:
    """A public collection of a small knockout, with a note and a part."""
    pairs = (("甲野太郎", "乙山花子", "準決勝"), ("丙川", "丁田", "準決勝"), ("甲野太郎", "丙川", "決勝"))
    builders.ingest(
        *(
            builders.ready(MOVES, black=black, white=white, day=f"2024/05/0{day}", event=f"試しの杯 {round_}")
            for day, (black, white, round_) in enumerate(pairs, start=1)
        )
    )
    made = editing.create(
        anna, libraries.own_library(anna).pk, LONG, "この大会の全局です。\nhttps://example.org/"
    )
    games = list(Game.objects.order_by("pk").values_list("pk", flat=True))
    collecting.add(anna, PUBLIC, made, games)
    collecting.annotate(anna, made, games[0], "ここで▲２四歩が成立する。", 9)
    collecting.add(anna, PUBLIC, editing.create_part(anna, made, "決勝トーナメント"), games)
    editing.show(anna, made, "public")
    made.refresh_from_db()
    return made


@BOTH_SIZES_AND_LANGUAGES
def test_all_pages_of_collections_are_as_every_page(
    live_server: LiveServer,
    open_page: PageMaker,
    anna: User,
    collection: Collection,
    size: tuple[int, int],
    language: str,
) -> None:
    page, pk = open_page(size=size, language=language), collection.pk
    game = Game.objects.order_by("pk")[0].pk
    addresses = [
        "/collections/", f"/collections/{pk}/", f"/collections/{pk}/?view=list", f"/collections/{pk}/print/",
        *(f"/collections/{pk}/standings/?kind={kind}" for kind in ("cross", "swiss", "knockout")),
        f"/collections/{pk}/course/", f"/games/{game}/?collection={pk}", f"/embed/collections/{pk}/",
        f"/games/{game}/?collection={pk}&guess=both",
    ]  # fmt: skip
    own = [
        "/collections/", f"/collections/{pk}/edit/", f"/collections/add/?game={game}",
        "/collections/add/?search=player%3Dx", "/games/?select=1",
    ]  # fmt: skip
    for address in addresses:
        page.goto(live_server.url + address)
        looked_at(page, f"{language}-{size[0]}{address}")
    sign_in(page, live_server, anna)
    for address in own:
        page.goto(live_server.url + address)
        looked_at(page, f"{language}-{size[0]}-own{address}")


def test_the_moves_of_a_game_are_guessed_on_the_board(
    live_server: LiveServer, open_page: PageMaker, collection: Collection
) -> None:
    page = open_page(language="en")
    page.goto(f"{live_server.url}/collections/{collection.pk}/course/")
    follow(page.locator("a.game-row").nth(1))
    news, score = page.locator(".solve-news"), page.locator(".guess-score")
    expect(page.locator("details.solution")).not_to_have_attribute("open", "")
    tap(page, 2, 7)
    tap(page, 2, 6)
    expect(news).to_have_text("The record has another move. Try again.")
    expect(score).to_have_text("Found at once: 0 / 1")
    tap(page, 7, 7)
    tap(page, 7, 6)
    expect(news).to_have_text("Right. Go on.")
    tap(page, 3, 3)
    tap(page, 3, 4)
    expect(score).to_have_text("Found at once: 1 / 2")
    page.reload()
    expect(score).to_have_text("Found at once: 1 / 2")
    page.goto(f"{live_server.url}/collections/{collection.pk}/course/")
    expect(page.locator(".guessed").nth(1)).to_have_text("Found at once: 1 / 2")


def test_standings_of_many_rounds_scroll_on_a_phone_beside_the_names_of_players(
    live_server: LiveServer, open_page: PageMaker, anna: User
) -> None:
    pairs = [("甲野太郎", "乙山花子", round_) for round_ in range(1, 10)]
    builders.ingest(
        *(
            builders.ready(
                MOVES, black=black, white=white, day=f"2024/05/0{number}", event=f"杯 {number}回戦"
            )
            for black, white, number in pairs
        )
    )
    made = editing.create(anna, libraries.own_library(anna).pk, "長い大会")
    collecting.add(anna, PUBLIC, made, list(Game.objects.values_list("pk", flat=True)))
    editing.show(anna, made, "public")
    page = open_page(
        f"{live_server.url}/collections/{made.pk}/standings/?kind=swiss", size=PHONE, language="en"
    )
    looked_at(page, "standings-of-many-rounds")
    page.locator(".standings").evaluate("table => table.scrollTo(table.scrollWidth, 0)")
    name = page.locator(".standings th[scope=row]").first.bounding_box()
    assert name and name["x"] >= 0
