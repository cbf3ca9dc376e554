"""Records of Quoridor on their way into the store: found out, stored, united, read again, kept apart."""

from __future__ import annotations

import json
from dataclasses import replace
from random import Random

import pytest
from django.core.management import call_command

from archive import store
from archive.derive.game import derive_stored, digest, index_rows, stem
from archive.intake import worker
from archive.models import Entry, Game, codec
from kifu_core.games import GAMES
from tests.archive import builders, games
from tests.archive.games import stored
from tests.archive.quoridor import CODE, LIST, NAMED, PLAYED, random_game
from tests.containers import zipped

pytestmark = pytest.mark.django_db

JSON = json.dumps(
    {"game": "quoridor", "version": 1, "header": {"先手": "Ada"}, "moves": [{}, {"move": {"to": "e2"}}]}
)


@pytest.mark.parametrize(
    ("text", "name", "format"),
    [(CODE, "x.qf", "qf"), (CODE, "x.txt", "qf"), (LIST, "x.txt", "alg"), (JSON, "x.json", "json")],
)
def test_a_record_of_quoridor_is_found_out_and_stored(text, name, format):
    upload = stored(text, name)
    entry = Entry.objects.get(upload=upload)
    assert (entry.state, entry.format, entry.issues) == ("stored", format, [])
    assert (entry.game.kind, entry.game.record_kind) == ("quoridor", "game")


def test_a_container_may_hold_both_games():
    stored(zipped(("a.qf", CODE.encode()), ("b.kif", games.KIF.encode())), "both.zip")
    assert sorted(Game.objects.values_list("kind", flat=True)) == ["quoridor", "shogi"]


def test_columns_say_what_headers_and_ending_do():
    stored(NAMED, "game.txt")
    game = Game.objects.get()
    assert (game.player0.name, game.player1.name, str(game.played_from)) == ("Ada", "Bo", "2024-05-01")
    assert (game.result, game.special, game.plies, game.handicap) == (1, "TORYO", len(PLAYED), "START")


def test_a_game_that_a_pawn_has_won_is_won():
    stored("e2 e8 e3 e7 e4 e6 e5 d6 e6 d5 e7 d4 e8 d3 d8 d2 d9", "won.txt")
    game = Game.objects.get()
    assert (game.result, game.special) == (0, "GOAL")


def test_the_same_game_in_several_formats_is_one_game():
    for text in (CODE, LIST, "1. " + LIST, f'"qfcode": "{CODE}"'):
        stored(text, "x.txt")
    assert Game.objects.count() == 1
    assert sorted(Entry.objects.values_list("state", flat=True)) == ["duplicate"] * 3 + ["stored"]


def test_an_edition_that_says_more_joins_its_game():
    stored(CODE, "x.qf")
    stored(NAMED, "x.txt")
    game = Game.objects.get()
    assert (game.player0.name, game.result) == ("Ada", 1)


def test_forks_and_comments_of_editions_are_united():
    words = LIST.split()
    stored(NAMED.replace(words[3], words[3] + " {why} (e9 d2)", 1), "one.txt")
    stored(NAMED.replace(words[3], words[3] + " (c9)", 1), "two.txt")
    entry = Game.objects.get().jkf["moves"][4]
    assert entry["comments"] == ["why"]
    assert [[one["move"]["to"] for one in fork] for fork in entry["forks"]] == [["e9", "d2"], ["c9"]]


def test_a_snapshot_is_superseded_by_its_game():
    words = LIST.split()
    half = NAMED.replace(LIST + " X", " ".join(words[:12]) + " *")
    stored(half, "half.txt")
    stored(NAMED, "whole.txt")
    assert Game.objects.get().plies == len(words)


def test_games_of_different_kinds_are_never_the_same():
    quoridor, shogi = random_game(Random(1)), builders.ready("7g7f 3c3d")
    assert quoridor.kind == "quoridor"
    record = codec.unpack(quoridor.record)
    assert digest(record, "quoridor", 2) != digest(record, "shogi", 2)
    assert stem(record, "quoridor") != stem(record, "shogi") != shogi.stem


def test_every_node_is_indexed_forks_included():
    ready = random_game(Random(4))
    record = codec.unpack(ready.record)
    visits = GAMES["quoridor"].replay.visits(record)
    assert {row.ply for row in ready.rows} == {visit.ply for visit in visits}
    assert set(ready.codes) == {visit.code for visit in visits}
    assert (ready.rows, ready.codes) == index_rows(record, "quoridor")


def test_what_is_stored_reads_again_as_it_was():
    for seed in range(6):
        ready = replace(random_game(Random(seed)), ratings=(None, None))
        assert derive_stored(codec.unpack(ready.record), ready.parsed_facts) == ready


def test_rereading_and_checking_change_nothing():
    upload = stored(zipped(("a.qf", CODE.encode()), ("b.txt", NAMED.encode())), "two.zip")
    before = list(Game.objects.values_list("pk", "digest", "stem", "index_rows", "plies"))
    assert store.reread(upload.pk)
    worker.work_off(upload.pk)
    assert list(Game.objects.values_list("pk", "digest", "stem", "index_rows", "plies")) == before
    call_command("verify_archive")
    call_command("reindex_positions")
    call_command("verify_archive")


def test_codes_of_mails_lose_strange_characters_with_a_warning():
    stored(f"{CODE[:9]}\u200b{CODE[9:]}", "mail.txt")
    (issue,) = Entry.objects.get().issues
    assert (issue["code"], issue["params"]) == ("dropped-characters", {"count": 1})
    assert Game.objects.get().plies == len(PLAYED)


def test_a_broken_code_fails_and_says_why():
    stored(f"{CODE}A\n{CODE}", "two.qf")
    assert [entry.state for entry in Entry.objects.order_by("seq")] == ["failed", "stored"]
    assert Entry.objects.get(seq=0).issues[0]["code"] == "trailing-chars"
