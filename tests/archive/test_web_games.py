"""The list of games, its filters and the search box."""

from __future__ import annotations

import re
from html import unescape
from urllib.parse import parse_qs, urlencode

import pytest
from django.test import Client

from archive.queries.scope import PUBLIC
from archive.queries.search.box import filters_of_words
from archive.web.pages import views
from kifu_core.shogi.keys import shogi64
from kifu_core.shogi.position import Position
from tests.archive import builders
from tests.archive.games import stored
from tests.archive.html import tidy

pytestmark = pytest.mark.django_db


@pytest.fixture
def three_games() -> None:
    """甲 beats 乙 in 2020, 乙 beats 甲 in 2021 in the 名人戦, 丙 and 丁 draw without a day."""
    for game in (
        builders.ready("7g7f 3c3d", black="甲", white="乙", day="2020/01/05"),
        builders.ready("2g2f 8c8d 7g7f", winner=1, black="甲", white="乙", event="名人戦", day="2021/05/06"),
        builders.ready("5g5f 5c5d 7g7f 3c3d", winner=None, black="丙", white="丁"),
    ):
        builders.ingest(game)


def listed(client: Client, query: str = "") -> list[str]:
    """Black's names in the list, in order."""
    html = client.get(f"/games/{query}").content.decode()
    return re.findall(r'☗</span></span> <span class="name">([^<]+)</span>', html)


def test_a_problem_in_the_list_says_what_it_is_and_names_no_winner(client: Client) -> None:
    builders.ingest(
        builders.ready("G*5b", kind="problem", start="4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1")
    )
    page = client.get("/games/?record_kind=problem", HTTP_ACCEPT_LANGUAGE="ja").content.decode()
    row = re.search(r'<a class="game-row".*?</a>', page, re.S)
    assert row and "問題" in row[0] and "☗" not in row[0] and '<span class="result"></span>' in row[0]


def dates(client: Client, query: str = "") -> list[str]:
    """The days in the list."""
    html = client.get(f"/games/{query}").content.decode()
    return [day.strip() for day in re.findall(r'class="date">([^<]*)<', html)]


@pytest.mark.usefixtures("three_games")
def test_the_newest_games_come_first_and_those_without_a_day_last(client: Client) -> None:
    assert dates(client) == ["2021-05-06", "2020-01-05", "–"]
    assert listed(client) == ["甲", "甲", "丙"]


@pytest.mark.usefixtures("three_games")
@pytest.mark.parametrize(
    ("query", "days"),
    [
        ("?player=乙", ["2021-05-06", "2020-01-05"]),
        ("?player=丁", ["–"]),
        ("?event=名人戦", ["2021-05-06"]),
        ("?from=2021", ["2021-05-06"]),
        ("?to=2020-12", ["2020-01-05"]),
        ("?from=2020-01-05&to=2020-01-05", ["2020-01-05"]),
        ("?from=2020/1/6", ["2021-05-06"]),
        ("?from=2020年1月5日&to=2020年１月", ["2020-01-05"]),
        ("?to=2020年", ["2020-01-05"]),
        ("?result=white", ["2021-05-06"]),
        ("?result=black", ["2020-01-05"]),
        ("?player=甲&result=white&event=名人戦", ["2021-05-06"]),
        ("?player=戊", []),
    ],
)
def test_filters_leave_the_games_that_have_all_of_them(client: Client, query: str, days: list[str]) -> None:
    assert dates(client, query) == days


@pytest.mark.usefixtures("three_games")
@pytest.mark.parametrize(
    ("order", "days"),
    [
        ("newest", ["2021-05-06", "2020-01-05", "–"]),
        ("oldest", ["2020-01-05", "2021-05-06", "–"]),
        ("added", ["–", "2021-05-06", "2020-01-05"]),
        ("longest", ["–", "2021-05-06", "2020-01-05"]),
        ("shortest", ["2020-01-05", "2021-05-06", "–"]),
    ],
)
def test_the_list_comes_in_the_order_that_is_asked_for(client: Client, order: str, days: list[str]) -> None:
    assert dates(client, f"?order={order}") == days
    html = client.get(f"/games/?order={order}").content.decode()
    menu = re.search(r'<details class="sorting">(.*?)</details>', html, re.DOTALL)
    assert menu
    assert menu[1].count("aria-current") == 1
    assert {"?order=added", "?order=longest", "?order=shortest", "?order=oldest", "."} >= {
        *re.findall(r'href="([^"]*)"', menu[1])
    }


@pytest.mark.usefixtures("three_games")
def test_filters_pages_and_the_form_keep_the_order(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(views, "PAGE", 1)
    html = client.get("/games/?player=甲&order=shortest").content.decode()
    links = [unescape(href) for href in re.findall(r'href="(\?[^"]*)"', html)]
    assert '<input type="hidden" name="order" value="shortest"' in html
    (following,) = [href for href in links if "cursor=" in href]
    assert "order=shortest" in following
    assert dates(client, following) == ["2021-05-06"]
    # Another order begins with its first page.
    others = [href for href in links if "order=longest" in href]
    assert others == ["?player=%E7%94%B2&order=longest"]
    narrower = [href for href in links if "result=" in href or "from=" in href]
    assert narrower and all("order=shortest" in href for href in narrower)
    # What can be taken away are filters alone.
    assert re.findall(r'<li><a class="chip" href="([^"]*)"', html) == ["?order=shortest"]


@pytest.mark.usefixtures("three_games")
def test_an_order_that_there_is_not_is_refused_by_name(client: Client) -> None:
    answer = client.get("/games/?order=best", headers={"Accept-Language": "en"})
    assert answer.status_code == 400
    assert "order is one of newest, oldest, added, longest, shortest" in answer.content.decode()


@pytest.mark.usefixtures("three_games")
def test_a_page_that_ended_early_says_that_the_search_goes_on(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("archive.queries.games.listing.PAGE_GAMES", 1)
    monkeypatch.setattr("archive.queries.games.keyset.SCAN_SECONDS", 0)
    html = client.get("/games/?result=black&order=added", headers={"Accept-Language": "en"}).content.decode()
    assert "Nothing found so far. The search has not reached the end of the list." in html
    assert ">Continue the search</a>" in html and "No game matches" not in html and "Perhaps" not in html
    address: str | None = "?result=black&order=added"
    results = []
    while address:
        html = client.get(f"/games/{address}").content.decode()
        results += re.findall(r'class="date">([^<]*)<', html)
        following = re.search(r'rel="next" href="([^"]*)"', html)
        address = unescape(following[1]) if following else None
    assert [day.strip() for day in results] == ["2020-01-05"]


@pytest.mark.usefixtures("three_games")
def test_the_winner_is_marked(client: Client) -> None:
    html = client.get("/games/?result=white").content.decode()
    assert re.search(r'side winner"><span class="mark white.{,50}☖</span></span> <span class="name">乙', html)


@pytest.mark.usefixtures("three_games")
def test_filters_in_use_can_be_taken_away_one_by_one(client: Client) -> None:
    html = client.get("/games/?player=甲&result=white").content.decode()
    assert 'class="chip" href="?result=white"' in html
    assert 'class="chip" href="?player=%E7%94%B2"' in html


@pytest.mark.usefixtures("three_games")
@pytest.mark.parametrize("date", ["2021", "2021-05", "2021-05-06"])
def test_both_ends_of_one_date_are_taken_away_together(client: Client, date: str) -> None:
    html = client.get(f"/games/?player=甲&from={date}&to={date}").content.decode()
    assert re.findall(r'class="chip" href="([^"]*)"', html) == [
        f"?from={date}&amp;to={date}", "?player=%E7%94%B2",
    ]  # fmt: skip
    two = client.get("/games/?from=2020&to=2021").content.decode()
    assert re.findall(r'class="chip" href="([^"]*)"', two) == ["?to=2021", "?from=2020"]


def test_an_empty_answer_says_what_was_asked_and_offers_more(client: Client) -> None:
    html = client.get("/games/?player=戊&result=draw", headers={"Accept-Language": "ja"}).content.decode()
    assert "すべての条件に合う対局はありません。" in html
    assert "「結果」を外して検索" in html
    assert "検索欄: 「@名前」" in html


def test_an_empty_archive_asks_for_records(client: Client) -> None:
    html = client.get("/games/", headers={"Accept-Language": "ja"}).content.decode()
    assert "最初の棋譜を追加" in html


@pytest.mark.parametrize(
    "query", ["?from=yesterday", "?to=2020-13", "?result=maybe", "?from=2020-02-30", "?upload=x", "?upload=0"]
)
def test_a_filter_that_cannot_be_understood_is_answered_with_400_and_a_reason(
    client: Client, query: str
) -> None:
    response = client.get(f"/games/{query}")
    assert response.status_code == 400
    assert 'class="field-error"' in response.content.decode()


@pytest.mark.usefixtures("three_games")
def test_pages_follow_each_other_without_losing_a_game(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(views, "PAGE", 2)
    first = client.get("/games/?from=").content.decode()
    match = re.search(r'rel="next" href="([^"]+)"', first)
    assert match
    second = client.get("/games/" + match[1].replace("&amp;", "&")).content.decode()
    assert first.count('class="game-row"') == 2
    assert second.count('class="game-row"') == 1
    assert 'rel="next"' not in second


def test_a_cursor_that_was_not_made_here_is_a_bad_request(client: Client) -> None:
    assert client.get("/games/?cursor=made-up").status_code == 400


START = Position.initial()


@pytest.mark.parametrize("words", [START.sfen(), f"position sfen {START.sfen()}", shogi64.encode(START)])
def test_a_pasted_position_leads_to_its_page(client: Client, words: str) -> None:
    response = client.get("/games/", {"q": words})
    assert response.status_code == 302
    assert response.headers["Location"] == f"/positions/shogi/{shogi64.encode(START)}/"


AFTER_76 = Position.from_sfen("lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2")


@pytest.mark.parametrize(
    ("words", "position"),
    [
        ("startpos", START),
        ("position startpos", START),
        ("7g7f", AFTER_76),
        ("▲７六歩", AFTER_76),
        ("☗7六歩", AFTER_76),
        (f"https://kifu.example/positions/shogi/{shogi64.encode(AFTER_76)}/?match=any", AFTER_76),
    ],
)
def test_pasted_moves_and_addresses_lead_to_their_position(
    client: Client, words: str, position: Position
) -> None:
    answer = client.get("/games/", {"q": words})
    assert answer.headers["Location"] == f"/positions/shogi/{shogi64.encode(position)}/"


@pytest.mark.parametrize("words", ["▲羽生", "7a", "https://kifu.example/positions/shogi/x/", "startposition"])
def test_what_only_looks_like_moves_is_a_name(client: Client, words: str) -> None:
    assert client.get("/games/", {"q": words}).headers["Location"] == "/games/?" + urlencode(
        {"player": words}
    )


def test_an_empty_list_offers_to_look_for_the_words_elsewhere(client: Client) -> None:
    stored("先手：甲\n後手：乙\n戦型：四間飛車\n手合割：平手\n1 ７六歩(77)\n2 投了\n")
    page = unescape(client.get("/games/?player=四間飛車&result=black").content.decode())
    match = re.search(r'href="(\?[^"]*)">戦型</a>', page)
    assert match and "player" not in match[1]
    assert listed(client, match[1]) == ["甲"]
    assert 'href="?result=black&event=' in page


def test_a_list_by_the_opening_that_records_name_leads_to_the_one_by_moves(client: Client) -> None:
    stored("先手：甲\n後手：乙\n戦型：四間飛車\n手合割：平手\n1 ７六歩(77)\n2 投了\n")
    page = unescape(client.get("/games/?opening=四間飛車&result=black").content.decode())
    assert 'href="?result=black&formation=shikenbisha">' in page
    for other in ("?opening=一手損角換わり", "?opening=四間飛車&formation=mino", ""):
        assert "formation=shikenbisha" not in client.get(f"/games/{other}").content.decode()


@pytest.mark.parametrize("words", ["羽生善治", "a/b/c b -", "AlphaZeroVersionNumberOne"])
def test_other_words_are_a_players_name(client: Client, words: str) -> None:
    response = client.get("/games/", {"q": f" {words} "}, follow=True)
    assert response.redirect_chain[0][0].startswith("/games/?player=")
    assert words in response.content.decode()


def test_names_are_escaped(client: Client) -> None:
    builders.ingest(builders.ready("7g7f", black="<script>x</script>", event='"><b>'))
    html = client.get("/games/").content.decode()
    assert "<script>x" not in html
    assert '"><b>' not in html


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("甲野", {"player": "甲野"}),
        ("the end of genesis", {"player": "the end of genesis"}),
        ("@甲野", {"player": "甲野"}),
        ("@甲野 棋戦：名人戦 from:2020", {"player": "甲野", "event": "名人戦", "from": "2020"}),
        ('event:"A B" result:draw', {"event": "A B", "result": "draw"}),
        ("http://x", {"player": "http://x"}),
        ("@", {"player": "@"}),
        ("＠甲野 先手：乙", {"player": "甲野", "black": "乙"}),
        ("@羽生 善治", {"player": "羽生 善治"}),
        ("@甲 @乙", {"player": "甲 @乙"}),
        ('"甲 乙"', {"player": "甲 乙"}),
        (
            "結果:引き分け 手合割:角落 終わり方:切れ負け",
            {"result": "draw", "handicap": "KA", "special": "TIME_UP"},
        ),
        ("結果:後手勝ち", {"result": "white"}),
        ("結果:先手 ゲーム:コリドール", {"result": "white", "game": "quoridor"}),
        (
            "種類:詰将棋 開始日:2020年3月 終了日:2021",
            {"record_kind": "problem", "from": "2020年3月", "to": "2021"},
        ),
        ("結果:勝ち 手合割:無 終わり方:無", {"result": "勝ち", "handicap": "無", "special": "無"}),
    ],
)
def test_the_search_box_understands_names_and_keys(words: str, expected: dict[str, str]) -> None:
    assert filters_of_words(PUBLIC, words) == expected


def test_words_of_the_search_box_become_filters_in_the_address(client: Client) -> None:
    response = client.get("/games/", {"q": "@甲野 event:名人戦"})
    assert response.status_code == 302
    assert response.headers["Location"] == "/games/?" + urlencode({"player": "甲野", "event": "名人戦"})


@pytest.mark.usefixtures("three_games")
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("名人戦", {"event": "名人戦"}),
        ("名人戦 甲", {"event": "名人戦", "player": "甲"}),
        ("甲 名人戦", {"event": "名人戦", "player": "甲"}),
        ("@甲 名人戦", {"player": "甲", "event": "名人戦"}),
        ("甲", {"player": "甲"}),
        ("甲 竜王戦", {"q": "player:甲 AND 竜王戦"}),
        ("名人戦 event:竜王戦", {"event": "竜王戦", "player": "名人戦"}),
    ],
)
def test_free_words_that_name_an_event_ask_for_it(
    client: Client, words: str, expected: dict[str, str]
) -> None:
    response = client.get("/games/", {"q": f" {words} "})
    assert parse_qs(response.headers["Location"].partition("?")[2]) == {k: [v] for k, v in expected.items()}


def test_further_filters_open_where_they_are_in_use(client: Client) -> None:
    builders.ingest(
        builders.ready("7g7f 3c3d", black="甲", white="乙"), builders.ready("7g7f", black="丙", white="甲")
    )
    page = client.get("/games/?white=甲").content.decode()
    assert '<details class="folded" open>' in page
    assert page.count('class="game-row"') == 1
    assert client.get("/games/?min_plies=2").content.decode().count('class="game-row"') == 1
    assert '<details class="folded">' in client.get("/games/?player=甲").content.decode()
    assert client.get("/games/?min_plies=x").status_code == 400


def test_an_empty_list_offers_the_names_that_hold_the_words(client: Client) -> None:
    builders.ingest(builders.ready("7g7f", black="羽生善治", white="乙", event="羽生杯"))
    page = tidy(client.get("/games/?player=羽生").content.decode())
    assert re.search(r'<a href="/players/\d+/">羽生善治</a> · <a href="/events/\d+/">羽生杯</a>', page)
    for words in ("羽生 森内", "ＨＡＢＵ 羽生"):
        assert "羽生善治</a>" in client.get(f"/games/?player={words}").content.decode()
    assert "この語を含む名前" not in client.get("/games/?player=丙").content.decode()


def test_a_short_list_offers_other_names_that_hold_the_words(client: Client) -> None:
    builders.ingest(
        builders.ready("7g7f", black="羽生", white="乙"), builders.ready("2g2f", black="羽生善治", white="丙")
    )
    page = tidy(client.get("/games/?player=羽生").content.decode())
    assert listed(client, "?player=羽生") == ["羽生"]
    assert re.search(r'この語を含む名前: <a href="/players/\d+/">羽生善治</a></p>', page)
    assert "この語を含む名前" not in client.get("/games/?player=羽生善治 九段").content.decode()
    assert "この語を含む名前" not in client.get("/games/").content.decode()


def test_a_usi_line_in_the_search_box_leads_to_its_end(client: Client) -> None:
    ends = {client.get("/games/", {"q": f"{line} moves 7g7f 3c3d"})["Location"] for line in USI_STARTS}
    position = Position.from_sfen("lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL b - 3")
    assert ends == {f"/positions/shogi/{shogi64.encode(position)}/"}


USI_STARTS = ("position startpos", "startpos", f"position sfen {Position.initial().sfen()}")
