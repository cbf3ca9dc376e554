"""The page of a position."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from archive.models import Upload
from kifu_core.shogi.keys import shogi64
from kifu_core.shogi.moves import from_usi
from kifu_core.shogi.position import Position
from tests.archive import builders
from tests.archive.html import tidy

pytestmark = pytest.mark.django_db


def address(moves: str = "", query: str = "", mirrored: bool = False) -> str:
    """The page of the position after some moves, or of its mirror image."""
    position = Position.initial()
    for usi in moves.split():
        position.do_move(from_usi(usi))
    shown = position.mirrored() if mirrored else position
    return f"/positions/shogi/{shogi64.encode(shown)}/{query}"


def page(client: Client, address: str, language: str = "ja") -> str:
    response = client.get(address, headers={"Accept-Language": language})
    assert response.status_code == 200
    return tidy(response.content.decode())


@pytest.fixture
def games() -> None:
    """Three games that open with 7g7f, one of which leaves the others at its second move."""
    builders.ingest(
        builders.ready("7g7f 3c3d 2g2f", winner=0, black="甲", white="乙"),
        builders.ready("7g7f 3c3d 6g6f", winner=1, black="丙", white="丁"),
        builders.ready("7g7f 8c8d 2g2f", winner=None, black="戊", white="己"),
    )


@pytest.mark.usefixtures("games")
def test_it_tells_how_many_games_reach_it_and_what_they_played(client: Client) -> None:
    html = page(client, address("7g7f"))
    assert "この局面を通る対局 <strong>3</strong>局" in html
    moves = re.findall(
        r'class="move"><a href="([^"?]+)[^"]*">([^<]+)</a></td>\s*<td class="number">(\d+)', html
    )
    assert moves == [(address("7g7f 3c3d"), "△３四歩", "2"), (address("7g7f 8c8d"), "△８四歩", "1")]


@pytest.mark.usefixtures("games")
def test_the_moves_are_written_as_the_language_does(client: Client) -> None:
    assert "△P-3d" in page(client, address("7g7f"), "en")


@pytest.mark.usefixtures("games")
def test_it_lists_the_games_at_the_ply_where_they_reach_it(client: Client) -> None:
    html = page(client, address("7g7f 3c3d"))
    assert html.count('class="game-row"') == 2
    assert html.count("?ply=2") == 2
    assert "甲" in html and "丙" in html and "戊" not in html


@pytest.mark.usefixtures("games")
def test_it_shows_the_board_and_the_codes_to_copy(client: Client) -> None:
    html = page(client, address("7g7f"))
    sfen = "lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 1"
    assert f'data-sfen="{sfen}"' in html
    assert f'class="sfen">{sfen}</code>' in html
    assert address("7g7f").split("/")[3] in html


def test_a_position_that_nobody_reached_is_answered_kindly(client: Client) -> None:
    html = page(client, address("1g1f 9c9d 1f1e"))
    assert "本譜でこの局面に至る対局はまだありません" in html
    assert "No game here reaches this position on its main line yet" in page(client, address("1g1f"), "en")


@pytest.mark.usefixtures("games")
def test_the_match_toggle_finds_the_mirror_image(client: Client) -> None:
    assert "はまだありません" in page(client, address("7g7f 3c3d", mirrored=True))
    html = page(client, address("7g7f 3c3d", "?match=mirror", mirrored=True))
    assert "<strong>2</strong>" in html
    assert 'href="?match=mirror" aria-current="true"' in html
    assert "?match=mirror" in re.findall(r'class="move"><a href="([^"]+)"', html)[0]


@pytest.mark.usefixtures("games")
def test_an_unknown_match_is_the_exact_one(client: Client) -> None:
    assert 'href="." aria-current="true"' in page(client, address("7g7f", "?match=sideways"))


@pytest.mark.parametrize(
    ("code", "error"),
    [("zzz", "truncated"), ("a b", "bad-char"), ("A" * 200, "too-long"), ("a/b", "bad-char")],
)
def test_an_invalid_code_is_answered_with_400_and_the_decoders_error(
    client: Client, code: str, error: str
) -> None:
    response = client.get(f"/positions/shogi/{code}/", headers={"Accept-Language": "ja"})
    assert response.status_code == 400
    html = response.content.decode()
    assert f'data-error="{error}"' in html
    assert "局面コードではありません" in html


@pytest.mark.parametrize("game", ["shogi", "quoridor"])
def test_the_address_of_a_games_positions_leads_to_its_start(client: Client, game: str) -> None:
    answer = client.get(f"/positions/{game}/", follow=True)
    assert answer.status_code == 200
    assert answer.redirect_chain[0][0].startswith(f"/positions/{game}/")
    assert client.get("/positions/chess/").status_code == 404


def test_a_game_that_is_not_here_is_not_found(client: Client) -> None:
    assert client.get("/positions/chess/abc/").status_code == 404


def test_a_cursor_that_was_not_made_here_is_a_bad_request(client: Client) -> None:
    assert client.get(address("", "?cursor=made-up")).status_code == 400


@pytest.mark.usefixtures("games")
def test_the_board_can_be_flipped_and_back_within_a_match(client: Client) -> None:
    link = re.compile(r'<a class="button flip"[^>]* href="([^"]+)"')
    flipped = link.search(page(client, address("", "?match=any")))
    assert flipped and flipped[1] == "?match=any&amp;flip=1"
    back = link.search(page(client, address("", "?flip=1")))
    assert back and back[1] == "."


def test_a_position_with_white_to_move_and_hands_is_shown(client: Client) -> None:
    sfen = "4k4/9/9/9/9/9/9/9/4K4 w 2R18p 1"
    code = shogi64.encode(Position.from_sfen(sfen))
    html = page(client, f"/positions/shogi/{code}/?flip=1")
    assert f'data-sfen="{sfen}"' in html
    assert 'class="count"' in html


def test_only_some_games_can_be_looked_at_and_stay_so_from_move_to_move(client: Client) -> None:
    builders.ingest(
        builders.ready("7g7f 3c3d", black="甲", white="乙", day="2020/01/01"),
        builders.ready("2g2f 3c3d", black="丙", white="甲", day="2021/01/01"),
    )
    start = shogi64.encode(Position.initial())
    every = client.get(f"/positions/shogi/{start}/").content.decode()
    some = client.get(f"/positions/shogi/{start}/?black=甲&match=any").content.decode()
    assert every.count('class="game-row"') == 2
    assert some.count('class="game-row"') == 1
    assert re.search(
        r'data-move="7g7f".*?href="[^"]*\?black=%E7%94%B2&amp;match=any&amp;line=7g7f"', some, re.S
    )
    assert client.get(f"/positions/shogi/{start}/?from=x").status_code == 400


def test_only_games_of_strong_players_of_a_handicap_or_of_a_source_can_be_looked_at(client: Client) -> None:
    builders.ingest(builders.rated(builders.ready("7g7f 3c3d", black="甲", white="乙"), 1800, 1700))
    builders.ingest(builders.rated(builders.ready("2g2f 3c3d", black="丙", white="丁"), 1900, 1500))
    start, source = shogi64.encode(Position.initial()), Upload.objects.latest("pk").pk
    for query, shown in (("min_rating=1700", "甲"), (f"upload={source}", "丙")):
        some = page(client, f"/positions/shogi/{start}/?{query}")
        assert re.findall("甲|丙", some.partition('class="games"')[2]) == [shown]
        assert re.search(rf'name="{query.partition("=")[0]}"[^>]* value="{query.partition("=")[2]}"', some)
    assert "game-row" not in page(client, f"/positions/shogi/{start}/?handicap=HI")
    assert client.get(f"/positions/shogi/{start}/?min_rating=x").status_code == 400


@pytest.mark.parametrize("query", ["upload=x", "upload=0", f"upload={'9' * 30}", "from=x", "min_rating=1.5"])
def test_a_filter_that_cannot_be_understood_is_answered_with_400_and_a_reason(
    client: Client, query: str
) -> None:
    response = client.get(address(query=f"?{query}"))
    assert response.status_code == 400
    assert 'class="field-error"' in response.content.decode()


def test_transpositions_and_the_first_and_latest_games_are_told(client: Client) -> None:
    builders.ingest(
        builders.ready("7g7f 8c8d 2g2f", day="2020/01/01"),
        builders.ready("2g2f 8c8d", day="2021/01/01"),
    )
    position = Position.from_sfen("lnsgkgsnl/1r5b1/p1ppppppp/1p7/9/7P1/PPPPPPP1P/1B5R1/LNSGKGSNL b -")
    page = client.get(
        f"/positions/shogi/{shogi64.encode(position)}/", headers={"Accept-Language": "en"}
    ).content.decode()
    assert re.search(r"Reached by other orders of moves: <a [^>]*>▲P-7f</a>", tidy(page))
    start = client.get(
        f"/positions/shogi/{shogi64.encode(Position.initial())}/", headers={"Accept-Language": "en"}
    ).content.decode()
    assert "2020-01-01" in start
    assert "with 95% confidence" in start
    assert ">2021</td>" in start
