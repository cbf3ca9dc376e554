"""Which tests a run on a second engine leaves out, and why: a test that uses the database and does not stand
here, nor is marked `one_engine`, runs on both.

What these ask is how something is shown, written or refused. The queries behind it are asked on both engines
by the modules that are named; two tests of `test_api_answers` and `test_odd_requests` ask for every address.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest

ONE_ENGINE: Final = {
    "test_accounts_passkeys": "Django's and allauth's tables; nonsense is sent on both",
    "test_api_answers": "types, methods and headers; every address is asked for on both by `head_works`",
    "test_api_convert": "nothing is stored",
    "test_api_find": "texts become codes without a query; `test_api_positions` looks codes up",
    "test_api_parameters": "refused before any query, but for `pages_ignore`",
    "test_content_types": "refused before any query",
    "test_multipart": "forms are read before anything is stored; `test_api_uploads` stores",
    "test_role_walk": "rights of roles; `test_libraries` and `test_spaces` ask in scopes",
    "test_web_accounts": "Django's own tables; `test_limits_signing_in` counts guesses",
    "test_web_broken": "how entries are called; `test_api_entries` reads them",
    "test_web_editing": "texts become positions without a query",
    "test_web_embedding": "frames of what `test_api_games` and `test_api_explorer` ask",
    "test_web_game": "the page of what `test_api_games`, `test_twins` and `test_novelty` ask",
    "test_web_headers": "the page of what `test_api_headers` asks",
    "test_web_lines": "addresses and words of moves; `test_api_explorer` asks for positions",
    "test_web_position": "the page of what `test_api_explorer` and `test_position_filters` ask",
    "test_web_quoridor_game": "the page of what `test_quoridor_api` asks",
    "test_web_quoridor_position": "the page of what `test_quoridor_positions` asks",
    "test_web_site": "languages, themes, errors; `test_queries_people` adds up what home tells",
}
"""Modules, by why what they ask comes to the same on every engine."""

BOTH_ENGINES: Final = {
    "test_head_works_wherever_get_does",
    "test_head_makes_nothing_of_a_list_that_is_made_while_it_is_sent",
    "test_pages_ignore_what_they_do_not_know_and_never_fail",
    "test_nonsense_is_refused",
    "test_what_is_no_passkey_at_all_is_refused",
}
"""Tests of these modules that run on both all the same: for every address, and for odd values."""

DATABASE: Final = {"db", "transactional_db", "django_db_setup"}
"""Fixtures of tests that use the database."""


def depends_on_engine(item: pytest.Item) -> bool:
    """Return whether a test can come to something else on another engine."""
    if item.get_closest_marker("one_engine"):
        return False
    if item.path.stem in ONE_ENGINE and getattr(item, "originalname", "") not in BOTH_ENGINES:
        return False
    return item.get_closest_marker("worker") is not None or uses_database(item)


def uses_database(item: pytest.Item) -> bool:
    """Return whether a test uses the tests' own database."""
    marked = item.get_closest_marker("django_db") is not None
    return marked or not DATABASE.isdisjoint(getattr(item, "fixturenames", ()))


def left_out_whole(path: Path) -> bool:
    """Return whether nothing of a module runs on another engine, so that it need not even be read there."""
    if path.suffix != ".py" or not path.stem.startswith("test_"):
        return False
    text = path.read_text()
    if path.stem in ONE_ENGINE:
        return not any(f"def {name}(" in text for name in BOTH_ENGINES)
    return re.search(r"^pytestmark = .*\bone_engine\b", text, re.MULTILINE) is not None
