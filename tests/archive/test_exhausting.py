"""What somebody can ask for so that an answer would take long: how much is looked at has a bound."""

from __future__ import annotations

import pytest

from archive.models import Game
from archive.names.search_text import search_form
from archive.queries.games import excerpts as of_excerpts
from archive.queries.games.excerpts import LINE, excerpts
from archive.queries.names import people
from archive.queries.scope import PUBLIC
from archive.queries.search import suggestions as offers
from archive.queries.search import words as of_words
from archive.queries.search.box import filters_of_words
from tests.archive import builders
from tests.archive.games import KIF, stored

pytestmark = [pytest.mark.django_db, pytest.mark.one_engine]


# --- the search box --------------------------------------------------------------------------------------


def test_a_word_that_is_a_name_here_is_looked_up_once_however_often_it_stands(django_assert_max_num_queries):
    builders.ingest(builders.ready("7g7f", event="2018", black="千日手"))
    for words in ("2018 " * 300, "千日手 " * 300, "千日手 2018 " * 150):
        with django_assert_max_num_queries(40):
            assert filters_of_words(PUBLIC, words).keys() <= {"player", "event"}


def test_of_many_words_that_may_be_names_the_first_are_looked_up(django_assert_max_num_queries):
    builders.ingest(builders.ready("7g7f", event="2018", black="千日手"))
    days = " ".join(f"2018-01-{day:02}" for day in range(1, 32))
    with django_assert_max_num_queries(72):
        assert filters_of_words(PUBLIC, f"2018 {days}")["from"] == "2018-01-01"


def test_of_the_same_word_twice_the_first_says_something():
    assert filters_of_words(PUBLIC, "2018 2018") == {"from": "2018", "to": "2018", "player": "2018"}


def test_several_words_are_one_name_though_each_is_too_short_or_in_too_many_names(monkeypatch):
    builders.ingest(builders.ready("7g7f", black="佐藤 一郎", white="A B"))
    monkeypatch.setattr(of_words, "LISTED_NAMES", 0)
    for name in ("佐藤 一郎", "A B"):
        assert filters_of_words(PUBLIC, f"{name} 丙") == {"q": f'player:"{name}" AND 丙'}


def test_a_name_may_have_the_same_word_twice():
    builders.ingest(builders.ready("7g7f", black="Duran Duran"))
    assert filters_of_words(PUBLIC, "Duran Duran 千日手")["player"] == "Duran Duran"


# --- excerpts --------------------------------------------------------------------------------------------


def wordy(number: int, comments: list[str]) -> Game:
    """A stored game with comments, another one for each number."""
    lines = "".join(f"*{comment}\n" for comment in comments)
    before, _, after = KIF.replace("先手の人", f"甲{number}").partition("   2 ")
    upload = stored(f"{before}{lines}   2 {after}", f"{number}.kif")
    return Game.objects.get(entries__upload=upload)


@pytest.fixture
def characters(monkeypatch) -> list[int]:
    """The lengths of the texts whose forms excerpts compute."""
    lengths: list[int] = []

    def noted(text: str) -> str:
        lengths.append(len(text))
        return search_form(text)

    monkeypatch.setattr(of_excerpts, "search_form", noted)
    return lengths


APART = ["赤い本", "青い本", *("ｶﾞ" * 990 + str(number) for number in range(20))]


def test_games_of_long_comments_share_what_is_looked_at_for_a_page(characters, monkeypatch):
    games = [wordy(number, APART).pk for number in range(4)]
    whole = [one.ply for one in excerpts(PUBLIC, games, ["赤イ本", "青イ本"]).values()]
    assert whole == [1] * 4
    characters.clear()
    monkeypatch.setattr(of_excerpts, "CHARACTERS", 3 * LINE)
    found = excerpts(PUBLIC, games, ["赤イ本", "青イ本"])
    assert sum(characters) <= 5 * LINE
    assert found[games[0]].word == "赤い本"


def test_of_one_game_so_many_lines_are_looked_at_that_others_have_their_turn(characters, monkeypatch):
    games = [wordy(0, APART).pk, wordy(1, ["赤い本"]).pk]
    monkeypatch.setattr(of_excerpts, "OF_A_GAME", 2 * LINE)
    assert [one.word for one in excerpts(PUBLIC, games, ["赤イ本", "青イ本"]).values()] == ["赤い本"] * 2
    assert sum(characters) <= 4 * LINE


def test_records_that_are_small_only_while_they_are_packed_are_left_out(monkeypatch):
    games = [wordy(0, ["赤い本", "あ" * 20_000]).pk, wordy(1, ["赤い本"]).pk]
    assert len(excerpts(PUBLIC, games, ["赤イ本"])) == 2
    monkeypatch.setattr(of_excerpts, "MOST_UNPACKED", 20_000)
    assert [*excerpts(PUBLIC, games, ["赤イ本"])] == games[1:]


# --- names -----------------------------------------------------------------------------------------------


def test_names_alike_are_looked_for_with_a_few_words_of_all_that_was_asked_for(monkeypatch):
    looks: list[str] = []

    def noted(_scope, _kind, words, **_more):
        looks.append(words)
        return []

    monkeypatch.setattr(people, "names", noted)
    asked = {
        name: " ".join(f"{name}{number}" for number in range(9))
        for name in ("player", "black", "white", "event")
    }
    assert offers.similar_names(PUBLIC, asked, apart=True) == []
    assert len(looks) <= 3 * (4 + 5)
    assert "player0" in looks
    looks.clear()
    assert offers.similar_names(PUBLIC, {"player": "甲", "black": "乙 甲"}, apart=True) == []
    assert sorted({*looks}) == ["乙", "乙 甲", "甲"] and looks.count("甲") == 3
