"""Names of people that were taken down: initials in their place, wherever a visitor looks."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

import duckdb
import pytest
from django.test import Client

from archive import store
from archive.accounts.roles import Role, set_role
from archive.curation import corrections, names, taking_down
from archive.curation.errors import CurationError
from archive.dumps import publishing
from archive.dumps.packing import unpacked
from archive.intake import uploads, worker
from archive.models import (
    AuditLine,
    Correction,
    Entry,
    Event,
    Game,
    GameChange,
    GamePlayer,
    GameRecord,
    GameText,
    Player,
    Upload,
    User,
)
from archive.store import masked_names
from archive.store.verify import verify
from kifu_core.classes import PUBLIC
from tests.archive.games import KIF, stored
from tests.archive.library_games import signed_in
from tests.archive.routes import routes

pytestmark = pytest.mark.django_db

NAME = "椿原桔梗"
PARTS = ("椿原桔", "桔梗", "つばきはら", "ツバキハラ", "tsubakihara")
"""What nobody must meet any more."""
RECORD = (
    KIF.replace("先手の人", "椿原　桔梗 三段")
    .replace(
        "棋戦：試しの棋戦",
        "棋戦：椿原桔梗記念\n備考：記録は椿原桔梗さん\n先手省略名：椿原\n先手の読み：つばきはら",
    )
    .replace("   3 ２二角成", "*椿原桔梗は長考、つばきはら ききょう\n*Ｔsubakihara Kikyo\n   3 ２二角成")
)
OTHER_SPELLING = RECORD.replace("椿原　桔梗", "椿原桔梗女").replace("05/01", "05/03")


@pytest.fixture
def clara() -> User:
    user = User.objects.create_user("clara")
    set_role(user, Role.CURATOR)
    return user


@pytest.fixture
def anna() -> User:
    user = User.objects.create_user("anna")
    set_role(user, Role.CONTRIBUTOR)
    return user


def sent(user: User, text: str = RECORD, name: str = f"{NAME}-佐藤.kif") -> Upload:
    upload, _new = uploads.receive(name, [text.encode()], user, "web", space=PUBLIC)
    worker.work_off(upload.pk)
    return upload


def person(user: User, key: str = NAME) -> Player:
    """The person, with a reading and a Latin spelling."""
    player = Player.objects.get(key=key)
    facts = {"kana": "つばきはら ききょう", "latin": "Kikyo Tsubakihara", "born": "1999-02-03"}
    fields = [{"op": "field", "name": name, "old": "", "new": new} for name, new in facts.items()]
    names.correct(user, player, fields, f"{NAME}の本")
    player.refresh_from_db()
    return player


def taken_down(user: User, key: str = NAME) -> Player:
    player = person(user, key)
    taking_down.take_down_name(user, player, "her request", "K. T.")
    player.refresh_from_db()
    return player


def rows() -> dict[str, Any]:
    """The archive as it is, without what only the history says."""
    models = (Game, GameRecord, GameText, GamePlayer, Entry, Player)
    return {model.__name__: _rows(model) for model in models}


def _rows(model: Any) -> list[dict[str, Any]]:
    found = model.objects.order_by("pk").values()
    return [
        {name: bytes(value) if isinstance(value, memoryview) else value for name, value in row.items()}
        for row in ({**one, "changed": None} for one in found)
    ]


# --- what is stored --------------------------------------------------------------------------------------


def test_initials_stand_in_the_place_of_every_spelling(clara):
    stored(RECORD)
    taken_down(clara)
    game = Game.objects.get()
    assert (game.masked, game.player0.name, game.event.name) == (1, "K. T.", "K. T.記念")
    header = {"先手": "K. T.", "備考": "記録はK. T.さん", "先手省略名": "K. T.", "先手の読み": "K. T."}
    assert header.items() <= game.jkf["header"].items()
    assert game.jkf["moves"][2]["comments"] == ["K. T.は長考、K. T.", "K. T."]
    assert not any(part in GameText.objects.get().text for part in PARTS)
    assert not list(verify())


def test_the_bytes_of_the_games_are_hidden_and_shown_again(clara):
    upload = stored(RECORD)
    address = f"/api/v1/uploads/{upload.pk}/entries/0/source"
    player = taken_down(clara)
    assert (signed_in(None).get(address).status_code, signed_in(clara).get(address).status_code) == (410, 200)
    taking_down.restore_name(clara, player)
    assert signed_in(None).get(address).status_code == 200


def test_a_name_that_is_restored_is_exactly_as_before(clara):
    stored(RECORD)
    stored(KIF)
    player = person(clara)
    before = rows()
    taking_down.take_down_name(clara, player, "her request")
    player.refresh_from_db()
    assert player.name == "K. T."
    taking_down.restore_name(clara, player)
    assert rows() == before
    assert not list(verify())


def test_all_spellings_that_were_merged_are_taken_down_together(clara):
    stored(RECORD)
    stored(OTHER_SPELLING)
    one, other = Player.objects.get(key=NAME), Player.objects.get(key="椿原桔梗女")
    names.correct(clara, other, [{"op": "merge", "into": one.pk}], "the same person")
    before = rows()
    player = taken_down(clara)
    assert {game.masked for game in Game.objects.all()} == {1}
    assert {row.name for row in Player.objects.filter(pk__in=(one.pk, other.pk))} == {"K. T."}
    assert not any("椿原桔" in str(game.jkf) for game in Game.objects.all())
    taking_down.restore_name(clara, player)
    assert [row["header_data"] for row in rows()["Game"]] == [row["header_data"] for row in before["Game"]]
    assert not list(verify())


# --- uploads and other changes ---------------------------------------------------------------------------


def test_the_same_file_sent_again_stays_hidden(clara, anna):
    sent(anna)
    taken_down(clara)
    again = sent(clara, RECORD + "\n")
    assert (Game.objects.count(), Entry.objects.filter(hidden=True).count()) == (1, 2)
    assert signed_in(anna).get(f"/api/v1/uploads/{again.pk}/source").status_code == 410
    assert not list(verify())


def test_a_new_game_of_the_person_has_initials_from_the_start(clara):
    stored(RECORD)
    taken_down(clara)
    stored(RECORD.replace("05/01", "06/01"))
    assert [game.masked for game in Game.objects.order_by("pk")] == [1, 1]
    assert Player.objects.count() == 2 and not Entry.objects.filter(hidden=False).exists()
    assert not any("椿原桔" in str(game.jkf) for game in Game.objects.all())
    assert not list(verify())


def test_a_downloaded_record_finds_its_game(clara):
    stored(RECORD)
    taken_down(clara)
    stored(RECORD.replace("05/01", "06/01"))
    for game in Game.objects.order_by("pk"):
        record = signed_in(None).get(f"/api/v1/games/{game.pk}/record.kif").content
        assert Entry.objects.get(upload=stored(record)).game == game
    assert Game.objects.count() == 2 and not list(verify())


def test_an_edition_with_more_comments_is_masked(clara):
    stored(KIF.replace("先手の人", NAME))
    taken_down(clara)
    stored(KIF.replace("先手の人", NAME).replace("   5 ", "*椿原桔梗の勝負手\n   5 "))
    (game,) = Game.objects.all()
    assert game.jkf["moves"][4]["comments"] == ["K. T.の勝負手"]
    assert not list(verify())


def test_a_reading_a_deletion_and_a_correction_keep_the_initials(clara):
    first, second = stored(RECORD), stored(RECORD.replace("*椿原桔梗は長考", "*椿原桔梗は早指し"), "b.kif")
    taken_down(clara)
    assert uploads.reread(second.pk)
    worker.work_off(second.pk)
    assert store.delete_upload(first.pk)
    (game,) = Game.objects.all()
    assert game.jkf["moves"][2]["comments"][0].startswith("K. T.は早指し")
    added = [{"op": "header", "name": "場所", "old": None, "new": "椿原桔梗会館"}]
    corrections.correct_game(clara, game, added, "a reason")
    game = Game.objects.get()
    assert (game.jkf["header"]["場所"], game.jkf["header"]["先手"]) == ("K. T.会館", "K. T.")
    assert Entry.objects.get().hidden and not list(verify())


def test_a_game_that_is_attributed_to_the_person_is_masked(clara):
    stored(RECORD)
    stored(RECORD.replace("05/01", "06/01"))
    one = Player.objects.get(key=NAME)
    game = Game.objects.order_by("pk").first()
    split = {"op": "split", "games": [{"game": game.pk, "colour": 0}]}
    made = names.correct(clara, one, [split], "two people")
    namesake = Player.objects.get(namesake=one)
    taking_down.take_down_name(clara, namesake, "her request", "K. T.")
    assert [game.masked for game in Game.objects.order_by("pk")] == [1, 0]
    assert signed_in(None).get(f"/api/v1/games?player={NAME}").json()["results"][0]["id"] != game.pk
    assert made.state == "applied" and not list(verify())


def test_a_person_of_many_games_is_taken_down_in_turns(clara, monkeypatch):
    monkeypatch.setattr(masked_names, "GAMES_AT_ONCE", 2)
    monkeypatch.setattr(masked_names.follow, "__defaults__", (2,))
    for day in range(1, 6):
        stored(RECORD.replace("05/01", f"05/{day:02}"))
    player = taken_down(clara)
    assert player.unsettled and [game.masked for game in Game.objects.order_by("pk")] == [1, 1, 0, 0, 0]
    while not store.settle_names(2):
        pass
    assert {game.masked for game in Game.objects.all()} == {1} and not list(verify())
    taking_down.restore_name(clara, player)
    while not store.settle_names(2):
        pass
    assert {game.masked for game in Game.objects.all()} == {0} and not list(verify())


def test_a_game_in_a_library_keeps_the_name(clara, anna):
    stored(RECORD)
    taken_down(clara)
    upload, _new = uploads.receive("mine.kif", [RECORD.encode()], anna, "web", space=library_of(anna))
    worker.work_off(upload.pk)
    game = Entry.objects.get(upload=upload).game
    assert game is not None and game.jkf["header"]["先手"] == "椿原　桔梗 三段"
    moved = store.move_game(game.pk, PUBLIC)
    assert Game.objects.get(pk=moved).masked == 1
    assert not Entry.objects.filter(hidden=False).exists() and not list(verify())


def library_of(user: User) -> int:
    from archive import libraries

    return libraries.own_library(user).pk


def test_a_game_that_was_deleted_comes_back_with_initials(clara):
    stored(RECORD)
    taken_down(clara)
    game = Game.objects.get()
    store.delete_games([game.pk])
    store.restore_games([game.pk])
    assert Game.objects.get().masked == 1 and Entry.objects.get().hidden
    assert not list(verify())


# --- the name itself -------------------------------------------------------------------------------------


def test_nothing_of_a_name_that_was_taken_down_can_be_changed(clara):
    stored(RECORD)
    player = taken_down(clara)
    other = Player.objects.get(key="後手の人")
    for row, operation in (
        (player, {"op": "field", "name": "kana", "old": "", "new": "べつ"}),
        (player, {"op": "merge", "into": other.pk}),
        (other, {"op": "merge", "into": player.pk}),
        (other, {"op": "spelling", "name": NAME}),
        (player, {"op": "take-down"}),
    ):
        with pytest.raises(CurationError) as caught:
            names.correct(clara, row, [operation], "a reason")
        assert caught.value.code == "name-taken-down"
    facts = Correction.objects.filter(subject="player").order_by("pk").first()
    assert facts is not None
    with pytest.raises(CurationError) as caught:
        names.perform("undo", clara, facts)
    assert caught.value.code == "name-taken-down"


def test_initials_must_not_be_the_name(clara):
    stored(RECORD)
    player = person(clara)
    with pytest.raises(CurationError) as caught:
        taking_down.take_down_name(clara, player, "her request", f"{NAME}さん")
    assert caught.value.code == "invalid-value"


def test_contributors_propose_it_and_curators_decide(clara, anna):
    stored(RECORD)
    player = Player.objects.get(key=NAME)
    with pytest.raises(CurationError) as caught:
        taking_down.take_down_name(anna, player, "her request")
    assert caught.value.code == "no-right"
    proposal = names.correct(anna, player, [{"op": "take-down", "initials": ""}], "her request")
    assert (proposal.state, proposal.due) == ("proposed", None)
    names.perform("accept", clara, proposal)
    player.refresh_from_db()
    assert player.name == "N. N."


def test_the_api_takes_a_name_down_and_restores_it(clara, anna):
    stored(RECORD)
    player = person(clara)
    address = f"/api/v1/players/{player.pk}"
    refused = signed_in(anna).post(f"{address}/take-down", {"reason": "a request"})
    assert (refused.status_code, refused.json()["code"]) == (403, "no-right")
    shown = signed_in(clara).post(f"{address}/restore")
    assert (shown.status_code, shown.json()["code"]) == (404, "not-taken-down")
    answer = signed_in(clara).post(f"{address}/take-down", {"reason": "a request", "initials": ""})
    assert (answer.status_code, answer.json()["operations"]) == (
        200,
        [{"op": "take-down", "initials": "K. T."}],
    )
    assert signed_in(None).get(address).json()["name"] == "K. T."
    assert signed_in(clara).post(f"{address}/restore").json()["state"] == "undone"
    assert signed_in(None).get(address).json()["name"] == NAME
    lines = AuditLine.objects.filter(what__contains="take-down").order_by("pk")
    assert [line.what.split(": ")[1].split(",")[0] for line in lines] == ["applied", "undone"]


def test_games_of_the_person_are_in_the_changes(clara):
    stored(RECORD)
    game, player = Game.objects.get(), person(clara)
    before = GameChange.objects.filter(game=game.pk).count()
    taking_down.take_down_name(clara, player, "her request")
    assert GameChange.objects.filter(game=game.pk).count() > before


# --- what visitors see -----------------------------------------------------------------------------------


@pytest.fixture
def world(clara: User, anna: User) -> dict[str, Any]:
    """A person with games, corrections and spellings, whose name is taken down, by the names in addresses."""
    upload = sent(anna)
    other = sent(anna, OTHER_SPELLING, "b.kif")
    stored(KIF)
    game = Entry.objects.get(upload=upload).game
    assert game is not None
    note = [{"op": "header", "name": "備考", "old": "記録は椿原桔梗さん", "new": "椿原桔梗"}]
    correction = corrections.correct_game(clara, game, note, f"{NAME}の手紙")
    player, spelling = person(clara), Player.objects.get(key="椿原桔梗女")
    names.correct(clara, spelling, [{"op": "merge", "into": player.pk}], f"{NAME}の本")
    taking_down.take_down_name(clara, player, f"{NAME}の依頼", "K. T.")
    facts = Correction.objects.filter(subject="player").order_by("pk").first()
    assert facts is not None
    things = {
        "game": game.pk, "upload": upload.pk, "player": player.pk, "event": game.event_id,
        "correction": correction.pk, "facts": facts.pk, "other": other.pk,
        "spelling": spelling.pk, "old event": Event.objects.get(name=f"{NAME}記念").pk,
    }  # fmt: skip
    return things


def addresses(world: dict[str, Any]) -> Iterator[str]:
    """Every address with the things of the person."""
    choices = (
        {"correction_id": "correction", "player_id": "player", "event_id": "event"},
        {"correction_id": "facts", "player_id": "spelling", "event_id": "old event", "upload_id": "other"},
    )
    code = first_position()
    for route in routes():
        for choice in choices:
            of = "upload" if "/uploads/{" in route.template else "game"
            rows = {"pk": of, "game_id": "game", "upload_id": "upload", "names": "players"} | choice
            values = {name: str(world.get(thing, thing)) for name, thing in rows.items()}
            values |= {
                "seq": "0", "number": "0", "kind": "shogi", "code": code, "name": "kif",
                "formation": "anaguma", "what": "entity", "row": str(world[choice["player_id"]]),
            }  # fmt: skip
            missing = {name: "1" for name in route.parts if name not in values}
            yield route.address(**values, **missing)
    for part in ("椿原桔梗", "椿原桔", "椿原", "桔", "つばきはら", "Tsubakihara", "Kikyo", "桔梗"):
        text = quote(part)
        for query in (
            "/games/?q=", "/games/?player=", "/players/?name=", "/events/?name=", "/api/v1/games?q=",
            "/api/v1/games?player=", "/api/v1/players?name=", "/api/v1/events?name=",
            "/api/v1/games/suggestions?player=", "/api/v1/games/facets?player=", "/games.atom?player=",
            "/complete/?q=", "/complete/?choose=player&q=",
            "/api/v1/games/export?player=", "/api/v1/reconcile/players/suggest/entity?prefix=",
        ):  # fmt: skip
            yield query + text
    yield from (
        "/api/v1/games?excerpts=1&q=長考", "/api/v1/games/export?as=csv", "/api/v1/games/export?as=kifu",
        "/api/v1/players?order=games", "/api/v1/players?limit=1", "/api/v1/events?limit=1",
        f"/games/{world['game']}/history/?from=0&to=1", f"/api/v1/games/{world['game']}/record.jkf",
        f"/api/v1/games/{world['game']}/record.csa", f"/api/v1/players/{world['player']}/corrections",
        "/api/v1/corrections", "/api/v1/reconcile/players?queries=" + quote('{"q":{"query":"椿原桔梗"}}'),
    )  # fmt: skip


def first_position() -> str:
    from tests.archive.games import START

    return START


def words_in(client: Client, address: str) -> list[str]:
    """The parts of the name in an answer that the address does not have itself."""
    answer: Any = client.get(address)
    body = b"".join(answer.streaming_content) if answer.streaming else answer.content
    if body[:2] == b"PK":
        archive = zipfile.ZipFile(io.BytesIO(body))
        body = b"".join(archive.read(name) + name.encode() for name in archive.namelist())
    text = (body.decode(errors="replace") + unquote(str(answer.headers))).casefold()
    asked = unquote(address).casefold()
    return [part for part in PARTS if part in text and part not in asked]


@pytest.mark.parametrize("visitor", ["nobody", "anna"])
def test_no_visitor_meets_the_name_at_any_address(world, anna, visitor):
    client = signed_in(anna if visitor == "anna" else None)
    met = {address for address in addresses(world) if words_in(client, address)}
    # An account has the names of its own files in the copy of its own data.
    assert met <= {"/account/export/"}


def test_curators_still_read_it(world, clara):
    client = signed_in(clara)
    met = {address for address in addresses(world) if words_in(client, address)}
    assert f"/api/v1/uploads/{world['upload']}/source" in met
    assert f"/api/v1/games/{world['game']}/versions/0" in met
    assert f"/api/v1/players/{world['player']}/corrections" in met


@pytest.mark.parametrize(
    "query",
    ["games?player=椿原桔梗", "players?name=椿原", "players?name=つばきはら", "players?name=Tsubakihara"],
)
def test_no_search_for_the_name_finds_the_person(world, query):
    assert signed_in(None).get(f"/api/v1/{query}").json()["results"] == []


@pytest.mark.parametrize("text", [f"{NAME}記念", NAME, "椿原", "知らない人"])
def test_the_search_box_takes_the_name_for_unknown_words(world, text):
    found = signed_in(None).post("/api/v1/find", {"text": text}, "application/json")
    assert found.json()["filters"] == {"player": text}


def test_dumps_do_not_have_it(world, settings, tmp_path: Path):
    settings.ARCHIVE_DUMP_FOLDER = tmp_path / "dumps"
    dump = publishing.make()
    assert dump is not None
    texts = [str([*unpacked(dump.folder / file.name)]) for file in dump.records]
    lines = b"".join(line for file in dump.records for line in unpacked(dump.folder / file.name)).decode()
    tables = [str(duckdb.execute(f"SELECT * FROM read_parquet('{path}')").fetchall()) for path in dump.tables]
    everything = "\n".join([*texts, lines, *tables]).casefold()
    assert "k. t." in everything and not any(part in everything for part in PARTS)
