"""Words in texts: their form, the pieces that indexes hold, and what the index of texts answers."""

from __future__ import annotations

from random import Random

import pytest
from django.db import connection

from archive.index.texts import text_index
from archive.models import Game
from archive.names.search_text import LONGEST, joined_forms, pieces, required_pieces, search_form
from kifu_core.classes import PUBLIC
from tests.cases import each

ALPHABET = "羽生善治髙高﨑崎龍竜澤沢ﾋﾟぴピあアabAB１1%_'\"\\*:&|!()-、。・　  \t𠮷吉ケヶがか\u3099é"
LINES = 400
WORDS = 1500


def random_text(random: Random, most: int) -> str:
    return "".join(random.choice(ALPHABET) for _ in range(random.randrange(1, most)))


@each(
    ("one", "other"),
    [
        ("髙見泰地", "高見泰地"), ("山﨑", "山崎"), ("龍王", "竜王"), ("藤澤", "藤沢"), ("ＡＢＣ", "abc"),
        ("ﾋﾟﾖ", "ぴよ"),
        ("モリウチ", "もりうち"), ("三ヶ尻", "三ケ尻"), ("三ゖ尻", "三ケ尻"), ("a\u3000 b", "a b"),
        ("𠮷", "吉"), ("辻\U000e0100", "辻"), ("か\u3099", "が"), ("a\x00b", "a b"),
    ],
)  # fmt: skip
def test_ways_to_write_the_same_have_one_form(one, other):
    assert search_form(one) == search_form(other)


def test_a_form_has_no_other_form():
    random = Random(1)
    for _ in range(2000):
        form = search_form(random_text(random, 30))
        assert search_form(form) == form


def test_what_no_database_stores_is_in_no_form():
    assert search_form("\x00\ud800\x7f\x01") == "\ufffd"


def test_pieces_are_wanted_of_every_text_that_holds_the_word():
    random = Random(2)
    held = 0
    for _ in range(20_000):
        text, word = (
            joined_forms([random_text(random, 20), random_text(random, 20)]),
            search_form(random_text(random, 4)),
        )
        if word and word in text:
            held += 1
            present, parameters = pieces(text), required_pieces(word)
            assert {*parameters.pieces} <= present
            assert any(piece.startswith(parameters.prefix) for piece in present)
    assert held > 1000


def test_a_text_is_cut_where_a_character_ends():
    text = joined_forms(["あ" * 10, *(f"{number}位" * 40 for number in range(9000))])
    assert LONGEST - 3 <= len(text.encode()) <= LONGEST
    assert len(joined_forms(["龍" * (LONGEST + 5)]).encode()) == LONGEST - 1


def test_text_that_is_said_twice_is_kept_once():
    assert joined_forms(["Ａ", "a", "", "b"]) == "a\nb"


@pytest.fixture(scope="module")
def texts(module_db: None) -> dict[int, str]:
    """Random texts of games of which there is nothing else."""
    random = Random(3)
    result = {number: joined_forms([random_text(random, 12) for _ in range(3)]) for number in range(1, LINES)}
    result |= {
        LINES: "",
        LINES + 1: joined_forms(["香" * 30_000, *(random_text(random, 2000) for _ in range(20))]),
    }
    Game.objects.bulk_create(
        Game(
            pk=pk, slot=pk, digest=pk.to_bytes(16, "big"), digest_version=1, kind="shogi", record_kind="game",
            played=0, handicap="HIRATE", result=3, plies=0, index_version=1, index_rows=0,
        )
        for pk in result
    )  # fmt: skip
    with connection.cursor() as cursor:
        text_index().write(cursor, result)
    return result


@pytest.mark.django_db
def test_the_index_finds_exactly_the_texts_that_hold_a_word(texts):
    random = Random(4)
    hits = 0
    for _ in range(WORDS):
        line = random.choice([*texts.values()]) or "x"
        start = random.randrange(len(line))
        word = random.choice([random_text(random, 5), line[start : start + random.randrange(1, 20)]])
        word = search_form(word)
        if word:
            expected = {pk for pk, text in texts.items() if word in text}
            assert {*(text_index().games_with_words([word], [PUBLIC], 10_000) or ())} == expected, word
            hits += bool(expected)
    assert hits > WORDS / 2


@pytest.mark.django_db
def test_what_is_forgotten_leaves_nothing_in_the_index(texts):
    deleted = sorted(texts)[::2]
    with connection.cursor() as cursor:
        text_index().remove(cursor, deleted)
    for word in ("羽", "竜", "a", "%", "香香"):
        expected = {pk for pk, text in texts.items() if word in text and pk not in deleted}
        assert {*(text_index().games_with_words([word], [PUBLIC], 10_000) or ())} == expected, word
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute(
                "CREATE VIRTUAL TABLE temp.seen USING fts5vocab(main, archive_textindex, instance)"
            )
            cursor.execute("SELECT DISTINCT doc FROM temp.seen")
            present = {doc for (doc,) in cursor.fetchall()}
            cursor.execute("DROP TABLE temp.seen")
        assert present == {pk for pk, text in texts.items() if text} - {*deleted}


@pytest.mark.django_db
def test_a_word_that_more_texts_may_hold_than_are_wanted_has_no_answer(texts):
    assert text_index().games_with_words(["a"], [PUBLIC], 3) is None


@pytest.mark.django_db
def test_texts_of_other_spaces_are_not_among_those_that_are_too_many(texts):
    remaining = sorted(pk for pk, text in texts.items() if "a" in text)[:3]
    Game.objects.exclude(pk__in=remaining).update(space=7)
    assert {*(text_index().games_with_words(["a"], [PUBLIC], 3) or ())} == {*remaining}
    assert text_index().games_with_words(["a"], [PUBLIC, 7], 3) is None
