"""Templates are prepared for a language once, and stay the same page; rows written in Python escape."""

from __future__ import annotations

import pytest
from django.template import engines
from django.template.base import TextNode, VariableNode
from django.template.library import SimpleNode
from django.template.loader import get_template
from django.utils.translation import override

from archive.web.lists.rows import MoveListOptions, linkify, move_list, with_marks
from archive.web.prepared import prepare
from archive.web.replay.notes import Note
from archive.web.replay.record import MoveListPart, MoveListRow

pytestmark = pytest.mark.one_engine

HOSTILE = "<script>alert('1')</script>&\""


def test_a_template_is_kept_for_each_language_with_its_texts():
    pages = []
    for language in ("ja", "en", "ja"):
        with override(language):
            pages.append(get_template("archive/parts/keys.html").render({"of": "replay"}))
    assert "閉じる" in pages[0] and "Close" in pages[1] and pages[2] == pages[0]


def test_texts_addresses_and_files_that_are_spelt_out_become_text():
    source = (
        '{% load i18n static %}<a href="{% url "games" %}">{% translate "Games" %}</a>{% static "a.js" %}'
        "{% blocktranslate trimmed %}\n 100 %\n here{% endblocktranslate %}"
    )
    template = engines["django"].from_string(source).template
    with override("en"):
        prepare(template.nodelist)
    assert [type(node) for node in template.nodelist[1:]] == [TextNode] * len(template.nodelist[1:])
    assert '<a href="/games/">Games</a>/static/a.js100 % here' in template.nodelist[-1].s


def test_what_depends_on_a_variable_stays():
    source = (
        '{% load i18n %}{% translate word %}{% url "game" n %}{% translate "Games" as kept %}{{ kept }}'
        '{% url "nowhere" as none %}{% if n %}{% translate "Games" %}{% endif %}'
    )
    template = engines["django"].from_string(source)
    with override("en"):
        prepare(template.template.nodelist)
        assert template.render({"word": "Players", "n": 7}) == "Players/games/7/GamesGames"
        assert template.render({"word": "Events", "n": 8}) == "Events/games/8/GamesGames"


def test_a_tag_that_always_says_the_same_becomes_text_unless_it_is_given_something():
    source = (
        '{% load kifu %}{% start_position_url %}|{% start_position_url "quoridor" %}'
        "{% start_position_url as kept %}|{{ kept }}"
    )
    template = engines["django"].from_string(source)
    with override("en"):
        before = template.render({})
        prepare(template.template.nodelist)
        kinds = [type(node) for node in template.template.nodelist[1:]]
        assert kinds == [TextNode, SimpleNode, SimpleNode, TextNode, VariableNode]
        assert template.render({}) == before and "/positions/quoridor/" in before


def test_an_address_that_leads_nowhere_is_told_where_it_is_shown():
    template = engines["django"].from_string('{% if wrong %}{% url "nowhere" %}{% endif %}right')
    prepare(template.template.nodelist)
    assert template.render({}) == "right"


def test_comments_and_names_in_rows_are_escaped():
    row = MoveListRow(":1", "?ply=1", 1, HOSTILE, HOSTILE, HOSTILE, Note((HOSTILE,), cut=True), ending=False)
    look = MoveListOptions("/games/1/", "", True, ":1", ":1", f"/x?{HOSTILE}")
    html = move_list([MoveListPart("item", row), MoveListPart("end")], look)
    assert "<script" not in html and html.count("&lt;script&gt;") == 5
    assert "<script" not in linkify(f"{HOSTILE} https://example.com/?a=1&b={HOSTILE}")
    assert with_marks(f"☗{HOSTILE}").count("<span") == 2 and "<script" not in with_marks(HOSTILE)
