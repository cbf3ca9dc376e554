"""The training of an account on the site and in the API: cards, repertoires, games that leave them."""

from __future__ import annotations

from typing import Any

import pytest

from archive.collections import editing
from archive.collections.games import add
from archive.following.own_names import add_own_name
from archive.libraries import own_library
from archive.models import Game, Player, Repertoire, RepertoireMove, TrainingCard, User
from archive.queries.scope import Scope
from archive.training import errors
from archive.web.accounts.leaving import account_data, end_account
from kifu_core.classes import PUBLIC
from tests.archive.games import KIF, START, stored
from tests.archive.library_games import page_in_english, send, signed_in

pytestmark = pytest.mark.django_db(transaction=True)

TREE = """手合割：平手
   1 ７六歩(77)
   2 ３四歩(33)
   3 ２六歩(27)

変化：2手
   2 ８四歩(83)
   3 ６八銀(79)
"""
PROBLEM = """# 詰将棋
手合割：詰将棋
先手の持駒：金二
  ９ ８ ７ ６ ５ ４ ３ ２ １
+---------------------------+
| ・ ・ ・ ・v玉 ・ ・ ・ ・|一
| ・ ・ ・ ・ ・ ・ ・ ・ ・|二
| ・ ・ ・ ・ 歩 ・ ・ ・ ・|三
| ・ ・ ・ ・ ・ ・ ・ ・ ・|四
| ・ ・ ・ ・ ・ ・ ・ ・ ・|五
| ・ ・ ・ ・ ・ ・ ・ ・ ・|六
| ・ ・ ・ ・ ・ ・ ・ ・ ・|七
| ・ ・ ・ ・ ・ ・ ・ ・ ・|八
| ・ ・ ・ ・ ・ ・ ・ ・ ・|九
+---------------------------+
   1 ５二金打
まで1手詰
"""


@pytest.fixture
def anna() -> User:
    return User.objects.create_user("anna", role=User.Role.CONTRIBUTOR)


def post(user: User, address: str, **fields: Any) -> Any:
    answer = signed_in(user).post(address, fields)
    assert answer.status_code == 302, answer.content
    return answer


def api(user: User, address: str, **fields: Any) -> Any:
    client, path = signed_in(user), f"/api/v1/{address}"
    return client.post(path, fields, "application/json") if fields else client.get(path)


def white(user: User) -> int:
    """The id of an empty repertoire of White."""
    post(user, "/mine/training/repertoires/new/", title="後手", side="white")
    return Repertoire.objects.get().pk


def black(user: User, **source: Any) -> int:
    """The id of a repertoire of Black with lines."""
    post(user, "/mine/training/repertoires/new/", title="先手", side="black")
    pk = Repertoire.objects.get().pk
    post(user, "/mine/training/lines/new/", repertoire=pk, **source)
    return pk


def test_a_line_of_the_explorer_is_added_trained_and_removed(anna):
    pk = black(anna, start=START, line="7g7f.3c3d.2g2f")
    position = page_in_english(anna, f"/positions/shogi/{START}/?line=7g7f.3c3d&at=0")
    assert "▲P-7f</span> <button" in position
    training = page_in_english(anna, "/mine/training/")
    assert 'data-answers="7g7f"' in training and "<strong>2</strong> new today" in training
    card = TrainingCard.objects.order_by("pk")[0]
    answer = post(anna, "/mine/training/", card=card.pk, action="good")
    assert answer.headers["Location"] == f"/mine/training/?after={card.pk}"
    following = page_in_english(anna, answer.headers["Location"])
    assert 'data-answers="2g2f"' in following and 'data-lead="3c3d"' in following
    move = RepertoireMove.objects.order_by("pk")[0]
    post(anna, f"/mine/training/repertoires/{pk}/", action="remove-move", move=move.pk)
    assert "There are no moves yet" in page_in_english(anna, f"/mine/training/repertoires/{pk}/")
    assert "Nothing is due" not in page_in_english(anna, "/mine/training/")


def test_the_page_of_a_repertoire_lists_its_lines_and_has_them_as_a_file(anna):
    pk = black(anna, text=TREE)
    page = page_in_english(anna, f"/mine/training/repertoires/{pk}/")
    assert "line=7g7f.3c3d.2g2f" in page and "line=7g7f.8c8d.7i6h" in page
    file = signed_in(anna).get(f"/api/v1/account/repertoires/{pk}/record.kifu?tree=0")
    assert "変化：2手" in file.content.decode() and "先手" in file.content.decode()
    before = set(RepertoireMove.objects.values_list("key", "move"))
    RepertoireMove.objects.all().delete()
    post(anna, "/mine/training/lines/new/", repertoire=pk, text=file.content.decode())
    assert set(RepertoireMove.objects.values_list("key", "move")) == before
    assert signed_in(anna).get(f"/api/v1/account/repertoires/{pk}/record.kifu?tree=1").status_code == 404
    assert signed_in(anna).get(f"/api/v1/account/repertoires/{pk}/record.pdf").status_code == 404


def test_lines_come_from_games_and_collections_up_to_a_ply(anna):
    game = Game.objects.get(entries__upload=stored(KIF))
    collection = editing.create(anna, own_library(anna).pk, "集")
    add(anna, Scope((PUBLIC,)), collection, [game.pk])
    assert "Add to a repertoire" not in page_in_english(anna, f"/games/{game.pk}/")
    pk = black(anna, game=game.pk, plies=3)
    assert RepertoireMove.objects.count() == 3
    for address in (f"/games/{game.pk}/", f"/collections/{collection.pk}/"):
        assert "Add to a repertoire" in page_in_english(anna, address)
    post(anna, "/mine/training/lines/new/", repertoire=pk, collection=collection.pk, plies=5)
    assert RepertoireMove.objects.count() == 5 and TrainingCard.objects.count() == 3


@pytest.mark.parametrize(
    ("text", "told"),
    [("", "There are no moves to add."), ("hello", "record"), ("手合割：平手\n", "no moves")],
)
def test_a_text_without_moves_is_refused(anna, text, told):
    pk = black(anna, start=START, line="7g7f")
    page = signed_in(anna).post(
        "/mine/training/lines/new/", {"repertoire": pk, "text": text, "next": "/mine/training/"},
        follow=True, HTTP_ACCEPT_LANGUAGE="en",
    )  # fmt: skip
    assert told in page.content.decode()


def test_own_games_that_leave_a_repertoire_are_pointed_out_after_an_upload(anna):
    pk = black(anna, start=START, line="7g7f.3c3d.2g2f")
    upload = send(anna, KIF, "mine")
    game = Game.objects.get(entries__upload=upload)
    addresses = ("/mine/", f"/uploads/{upload.pk}/", f"/games/{game.pk}/")
    assert all("left “先手”" not in page_in_english(anna, one) for one in addresses)
    add_own_name(anna, Player.objects.get(name="先手の人"))
    text = "left “先手” at move 3: ▲Bx2b+ was played, your repertoire has ▲P-2f."
    for one in addresses:
        assert text in " ".join(page_in_english(anna, one).split()), one
    (left,) = api(anna, f"games/{game.pk}/departures").json()["results"]
    assert (left["ply"], left["own"], left["move"], left["expected"]) == (2, True, "8h2b+", ["2g2f"])
    post(anna, "/mine/training/lines/new/", repertoire=pk, start=left["code"], line=left["move"])
    assert api(anna, f"games/{game.pk}/departures").json()["results"] == []


def test_a_reply_that_the_repertoire_lacks_is_pointed_out(anna):
    black(anna, start=START, line="7g7f.8c8d.2g2f")
    upload = send(anna, KIF, "mine")
    add_own_name(anna, Player.objects.get(name="先手の人"))
    game = Game.objects.get(entries__upload=upload)
    text = "Move 2 of the opponent, △P-3d, is not in “先手”, which has △P-8d."
    assert text in " ".join(page_in_english(anna, f"/games/{game.pk}/").split())


def test_the_side_of_a_repertoire_is_the_one_that_the_owner_had(anna):
    pk = white(anna)
    post(anna, "/mine/training/lines/new/", repertoire=pk, start=START, line="7g7f.8c8d")
    upload = send(anna, KIF, "mine")
    add_own_name(anna, Player.objects.get(name="先手の人"))
    game = Game.objects.get(entries__upload=upload)
    assert api(anna, f"games/{game.pk}/departures").json()["results"] == []


def test_problems_and_mistakes_become_cards(anna):
    game = Game.objects.get(entries__upload=stored(PROBLEM))
    assert "Remember this problem" in page_in_english(anna, f"/games/{game.pk}/")
    post(anna, "/mine/training/cards/new/", kind="problem", game=game.pk)
    (card,) = TrainingCard.objects.all()
    assert 'data-answers="G*5b"' in page_in_english(anna, "/mine/training/")
    post(anna, "/mine/training/", action="remove", card=card.pk)
    made = api(
        anna, "account/training/cards", kind="mistake", code=START, move="7g7f", accepted=["2g2f"],
        game_id=game.pk, ply=0,
    )  # fmt: skip
    assert made.status_code == 201 and made.json()["answers"] == ["7g7f", "2g2f"]


def test_the_api_trains(anna):
    made = api(anna, "account/repertoires", title="四間飛車", side="black").json()
    moves = f"account/repertoires/{made['id']}/moves"
    assert api(anna, moves, moves="7g7f 3c3d 6g6f").json() == {"moves": 3, "cards": 2}
    assert api(anna, moves, moves="7g7f 3c3d 6g6e").json()["code"] == "wrong-line"
    assert [one["move"] for one in api(anna, moves).json()["results"]] == ["6g6f", "3c3d", "7g7f"]
    assert api(anna, "account/training", new_cards=1).json()["new"] == 1
    (card,) = api(anna, "account/training").json()["results"]
    assert (card["state"], card["due"], card["answers"]) == ("new", None, ["7g7f"])
    reviewed = api(anna, f"account/training/cards/{card['id']}/review", grade="easy").json()
    assert reviewed["state"] == "review" and reviewed["reviews"] == 1
    assert api(anna, "account/training").json()["results"] == []


def test_nobody_else_reads_or_changes_them(anna):
    pk = black(anna, start=START, line="7g7f")
    boris = User.objects.create_user("boris")
    card, move = TrainingCard.objects.get().pk, RepertoireMove.objects.get().pk
    client = signed_in(boris)
    for address, fields in (
        ("/mine/training/lines/new/", {"repertoire": pk, "start": START, "line": "2g2f"}),
        ("/mine/training/", {"card": card, "action": "good"}),
        (f"/mine/training/repertoires/{pk}/", {"action": "remove-move", "move": move}),
    ):
        assert client.post(address, fields).status_code == 404
    assert "先手" not in page_in_english(boris, "/mine/training/")
    assert api(boris, f"account/training/cards/{card}/review", grade="good").status_code == 404


@pytest.mark.parametrize(
    ("name", "fields"),
    [("MOST_MOVES", {"moves": "7g7f 3c3d"}), ("MOST_CARDS", {"moves": "7g7f 3c3d 2g2f"})],
)
def test_an_account_has_a_limited_number_of_moves_and_cards(anna, monkeypatch, name, fields):
    for module in ("repertoires", "cards"):
        monkeypatch.setattr(f"archive.training.{module}.{name}", 1, raising=False)
    made = api(anna, "account/repertoires", title="題", side="black").json()
    answer = api(anna, f"account/repertoires/{made['id']}/moves", **fields)
    assert answer.status_code == 409
    assert not RepertoireMove.objects.exists() and not TrainingCard.objects.exists()
    monkeypatch.setattr("archive.training.repertoires.MOST_REPERTOIRES", 1)
    assert api(anna, "account/repertoires", title="題", side="black").status_code == 409
    assert errors.TrainingError(f"too-many-{name[5:].lower()}").text


def test_they_are_exported_and_deleted_with_the_account(anna):
    black(anna, start=START, line="7g7f")
    data = account_data(anna)
    assert [one["title"] for one in data["repertoires"]] == ["先手"]
    assert [one["kind"] for one in data["training_cards"]] == ["move"]
    send(anna, KIF, "public")
    end_account(anna)
    assert not Repertoire.objects.exists() and not TrainingCard.objects.exists()
