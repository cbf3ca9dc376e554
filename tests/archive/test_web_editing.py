"""The position editor without JavaScript: what it reads, what it finds odd, where it leads."""

from __future__ import annotations

import re

import pytest
from django.test import Client
from django.utils.translation import override

from archive.models import Game
from archive.queries.positions.position_lookup import position_of_text
from archive.web.shogi.editing import hints
from kifu_core.errors import KifuError
from kifu_core.games import SHOGI
from kifu_core.shogi.formats import bod
from kifu_core.shogi.keys import shogi64
from kifu_core.shogi.moves import from_usi
from kifu_core.shogi.position import Position
from tests.archive import builders, games

pytestmark = pytest.mark.django_db

ADDRESS = "/positions/shogi/edit/"
AFTER = "lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 1"


def html(client: Client, query: str = "", language: str = "en") -> str:
    return client.get(ADDRESS + query, headers={"Accept-Language": language}).content.decode()


def odd(sfen: str) -> list[tuple[bool, str]]:
    with override("en"):
        return [(hint.error, hint.text) for hint in hints(Position.from_sfen(sfen))]


def test_it_begins_with_the_start_of_an_even_game_and_leads_to_its_search(client: Client) -> None:
    page = html(client)
    assert Position.initial().sfen() in page
    assert f"/positions/shogi/{shogi64.encode(Position.initial())}/" in page


def test_starts_are_named_in_the_language_of_the_page(client: Client) -> None:
    names = {
        language: re.search(r'<select class="preset">.*?</select>', html(client, "", language), re.DOTALL)
        for language in ("en", "ja")
    }
    assert names["ja"] and "歩三兵" in names["ja"][0]
    assert names["en"] and not re.search(r"[ぁ-んァ-ヶ一-龥]", names["en"][0])


def test_an_sfen_in_the_address_is_shown(client: Client) -> None:
    page = html(client, f"?sfen={AFTER}")
    assert f'data-sfen="{AFTER}"' in page
    assert f"/positions/shogi/{shogi64.encode(Position.from_sfen(AFTER))}/" in page


def test_a_wrong_sfen_is_refused_in_words_and_kept_for_correction(client: Client) -> None:
    page = html(client, "?sfen=9/9/x")
    assert 'role="alert"' in page
    assert 'value="9/9/x"' in page


@pytest.mark.parametrize(
    "text",
    [
        AFTER,
        f"position sfen {AFTER}",
        "position startpos moves 7g7f",
        shogi64.encode(Position.from_sfen(AFTER)),
        "\n".join(bod.diagram(Position.from_sfen(AFTER))),
        "手合割：平手\n1 ７六歩(77)\n",
        "PI\n+\n+7776FU\n",
    ],
)
def test_positions_are_read_from_every_text_that_has_one(text: str) -> None:
    assert position_of_text(SHOGI, text) == Position.from_sfen(AFTER)


@pytest.mark.parametrize("text", ["", "あいうえお", "zzz", games.UNREADABLE])
def test_a_text_without_a_position_is_refused(text: str) -> None:
    with pytest.raises(KifuError):
        position_of_text(SHOGI, text)


def test_a_pasted_record_leads_to_its_last_position(client: Client) -> None:
    response = client.post(ADDRESS, {"text": "手合割：平手\n1 ７六歩(77)\n"})
    assert response.status_code == 302
    assert f'data-sfen="{AFTER}"' in client.get(response.headers["Location"]).content.decode()


def test_a_text_that_cannot_be_read_is_shown_again_with_the_reason(client: Client) -> None:
    response = client.post(ADDRESS, {"text": "<b>何か</b>"})
    assert response.status_code == 400
    assert "&lt;b&gt;何か&lt;/b&gt;" in response.content.decode()
    assert 'role="alert"' in response.content.decode()


def test_nothing_is_odd_about_the_start() -> None:
    assert odd(Position.initial().sfen()) == []


@pytest.mark.parametrize(
    ("sfen", "error", "text"),
    [
        ("4k4/9/9/9/9/4P4/4P4/9/4K4 b - 1", True, "☗ has two pawns on file 5."),
        ("4k4/9/9/9/4p4/4p4/9/9/4K4 b - 1", True, "☖ has two pawns on file 5."),
        ("P3k4/9/9/9/9/9/9/9/4K4 b - 1", True, "☗ 歩 on 9a can never move."),
        ("4k4/9/9/9/9/9/9/n8/4K4 b - 1", True, "☖ 桂 on 9h can never move."),
        ("4k4/9/9/9/9/4R4/9/9/4K4 b - 1", True, "☖ is in check, but it is not its turn."),
        ("4k4/9/9/9/9/9/9/9/3KK4 b - 1", True, "☗ has more than one king."),
        ("4k4/9/9/9/9/9/9/9/4K4 b 3R 1", True, "飛: 3 pieces, a set has 2."),
        ("+R+R+Rk5/9/9/9/9/9/9/9/4K4 w - 1", True, "飛: 3 pieces, a set has 2."),
        ("4k4/9/9/9/9/9/9/9/9 b - 1", False, "☗ has no king."),
        ("4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1", False, "☖ has no legal move."),
    ],
)
def test_what_is_odd_is_said(sfen: str, error: bool, text: str) -> None:
    assert (error, text) in odd(sfen)


def test_hints_come_alone_for_the_script(client: Client) -> None:
    part = html(client, f"?sfen={AFTER}&part=hints")
    assert "<html" not in part
    assert "/positions/shogi/" in part
    assert client.get(ADDRESS + "?sfen=x&part=hints").status_code == 400


def test_hands_that_no_code_can_hold_are_shown_without_a_search(client: Client) -> None:
    page = html(client, "?sfen=4k4/9/9/9/9/9/9/9/4K4 b 3R 1", "en")
    assert "too many pieces in hand for a position code" in page


def test_the_page_speaks_japanese(client: Client) -> None:
    assert "局面を作る" in html(client, "", "ja")


def test_a_record_that_is_pasted_into_the_search_box_leads_to_its_game(client: Client) -> None:
    builders.ingest(builders.ready("7g7f 3c3d 2g2f", black="甲"), builders.ready("7g7f 8c8d"))
    game = Game.objects.get(plies=3)
    text = "手合割：平手\n1 ７六歩(77)\n2 ３四歩(33)\n3 ２六歩(27)\n4 投了\n"
    assert client.post("/find/", {"text": text})["Location"] == f"/games/{game.pk}/"


def test_a_record_of_no_game_leads_to_the_last_position_that_games_reach(client: Client) -> None:
    builders.ingest(builders.ready("7g7f 3c3d 2g2f"), builders.ready("7g7f 8c8d"))
    response = client.post("/find/", {"text": "V2.2\nPI\n+\n+7776FU\n-8384FU\n+5756FU\n%TORYO\n"})
    position = Position.initial()
    for usi in ("7g7f", "8c8d"):
        position.do_move(from_usi(usi))
    assert response["Location"] == f"/positions/shogi/{shogi64.encode(position)}/"


def test_other_pasted_texts_go_to_the_editor(client: Client) -> None:
    assert client.post("/find/", {"text": f"sfen {AFTER}"})["Location"].startswith(ADDRESS)
    refused = client.post("/find/", {"text": "two\nlines"})
    assert refused.status_code == 400
    assert "two\nlines" in refused.content.decode()


def test_names_of_starts_are_in_the_language_of_the_page(client: Client) -> None:
    def starts(language: str) -> list[str]:
        return re.findall(r'<option value="[^" ]+ [bw] [^"]+">([^<]+)', html(client, language=language))

    assert len(starts("en")) == len(starts("ja")) > 30
    assert "two-lance handicap" in starts("en") and "".join(starts("en")).isascii()
    assert "両香落ち" in starts("ja") and not re.search("[a-z]", "".join(starts("ja")))
