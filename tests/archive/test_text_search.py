"""Words that stand in comments, headers and places find the games of whoever may read them, and no others."""

from __future__ import annotations

import re

import pytest
from django.db import connection

from archive import libraries, store
from archive.index.texts import text_index
from archive.intake import uploads, worker
from archive.models import Game, GameText, Player, User
from archive.names.search_text import LONGEST
from archive.queries.games.filters import GameFilters
from archive.queries.games.listing import find_games
from archive.queries.scope import PUBLIC, Scope
from archive.store import verify
from tests.archive.games import CSA, KIF, stored
from tests.archive.spellings import add_spelling

pytestmark = pytest.mark.django_db

COMMENTED = (
    KIF.replace("手合割", "備考：第２会場\n場所：天童市\n手合割")
    .replace("   2 ", "*龍を作る　髙橋流\n*敗着か\n*** 30 3c3d 2g2f\n   2 ")
    .replace("まで7手で先手の勝ち\n", "まで7手で先手の勝ち\n\n変化：3手\n   3 ２六歩(27)\n*ｺｺが急所\n")
)


def matching_ids(text: str, scope: Scope = PUBLIC) -> list[int]:
    return [row.id for row in find_games(scope, GameFilters(q=text)).items]


@pytest.mark.parametrize(
    "word",
    [
        "龍",
        "竜",
        "敗",
        "竜を作る 高橋",
        '"龍を作る 髙橋流"',
        "ここ",
        "ココが急所",
        "第2会場",
        "天童",
        "市",
        "後手",
        "試しの",
    ],
)
def test_a_word_anywhere_in_a_record_finds_its_game(word):
    stored(COMMENTED)
    stored(KIF.replace("先手の人", "別人"))
    game = Game.objects.get(text__text__contains="敗着")
    assert game.pk in matching_ids(word)
    assert (len(matching_ids(word)) == 2) == (word in ("後手", "試しの"))


@pytest.mark.parametrize("word", ["流敗着", '"髙橋流 敗着"', "％", "_", "龍作", "2g2f"])
def test_what_does_not_stand_there_in_one_line_finds_nothing(word):
    stored(COMMENTED)
    assert matching_ids(word) == []


def test_marks_of_moves_are_searched_and_arrows_are_not():
    stored(KIF.replace("   2 ", "*【疑問手】\n*[%cal G8h2b]\n   2 ", 1))
    assert matching_ids("疑問手") and matching_ids("has:comments")
    assert matching_ids("G8h2b") == []


def test_arrows_alone_are_no_comments():
    stored(KIF.replace("   2 ", "*[%cal G8h2b]\n   2 ", 1))
    assert matching_ids("has:comments") == []


def test_a_game_is_found_by_the_api(client):
    stored(COMMENTED)
    assert [row["id"] for row in client.get("/api/v1/games", {"q": "急所 NOT 中飛車"}).json()["results"]]
    others = {"q": "急所", "has": "evals", "game": "quoridor"}
    assert client.get("/api/v1/games", others).json()["results"] == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (COMMENTED, {"comments", "evals", "times", "forks"}), (KIF, {"times"}), (CSA, set()),
        (CSA.replace("-3334FU", "-3334FU\n'** 40 +2726FU"), {"evals"}),
        (re.sub(r"\( .*\)$", "( 0:00/00:00:00)", KIF, flags=re.MULTILINE), set()),
    ],
)  # fmt: skip
def test_what_is_in_a_record_is_asked_for(text, expected):
    stored(text)
    assert {
        name for name in ("comments", "evals", "times", "forks") if matching_ids(f"has:{name}")
    } == expected


def test_the_text_is_that_of_all_editions_and_goes_with_them():
    stored(KIF)
    further = stored(COMMENTED)
    assert Game.objects.count() == 1 and matching_ids("急所") and matching_ids("has:forks")
    uploads.withdraw(further.pk)
    while not store.delete_upload(further.pk):
        pass
    assert Game.objects.count() == 1
    assert matching_ids("急所") == matching_ids("has:forks") == matching_ids("has:comments") == []
    assert list(verify.verify()) == []


def test_nothing_is_left_of_the_text_of_a_game_that_was_taken_down():
    stored(COMMENTED)
    store.delete_games([Game.objects.get().pk], hide_bytes=True)
    assert matching_ids("急所") == [] and not GameText.objects.exists()
    assert text_index().games_with_words(["急所"], PUBLIC.spaces, 10) == []
    assert text_index().faulty_games() == []


def test_a_private_game_is_found_in_its_library_until_it_is_published_and_after_it_is_taken_back():
    anna = User.objects.create_user("anna")
    mine = Scope((libraries.own_library(anna).pk,))
    upload, _ = uploads.receive("a.kif", [COMMENTED.encode()], anna, "web", space=mine.spaces[0])
    worker.work_off(upload.pk)
    assert len(matching_ids("急所", mine)) == 1 and matching_ids("急所") == []
    libraries.publish(anna, Game.objects.get())
    assert len(matching_ids("急所")) == 1 and matching_ids("急所", mine) == []
    libraries.take_back(anna, Game.objects.get())
    assert len(matching_ids("急所", mine)) == 1 and matching_ids("急所") == []
    assert list(verify.verify()) == []


def test_names_are_found_in_other_kana_widths_and_forms_and_by_former_names():
    stored(KIF.replace("先手の人", "みなみ髙太郎"))
    player = Player.objects.get(name="みなみ髙太郎")
    add_spelling(player, "ﾋﾂﾞﾒ")
    for word in ("ミナミ高", "ﾐﾅﾐ", "高太", "ひづめ", "高"):
        assert len(matching_ids(word)) == 1, word
    assert matching_ids("みなみ低") == []


def test_a_text_that_is_too_long_is_searched_as_far_as_it_goes():
    stored(KIF.replace("   2 ", f"*始{'あい' * 20_000}\n*終わりの言葉\n   2 "))
    assert len(GameText.objects.get().text.encode()) <= LONGEST
    assert matching_ids("始あい") and matching_ids("終わりの言葉") == []
    assert list(verify.verify()) == []


def test_texts_features_and_pieces_that_are_wrong_are_told():
    stored(COMMENTED)
    Game.objects.update(features=0)
    GameText.objects.update(text="別")
    checks = {one.check for one in verify.verify()}
    assert {"text", "features"} <= checks
    assert ("text index" in checks) == (connection.vendor == "sqlite")
