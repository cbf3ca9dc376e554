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
    "test_accounts_registering": "Django's and allauth's tables; nothing is asked of the index",
    "test_accounts_signing_in": "Django's and allauth's tables; `test_limits_signing_in` counts guesses",
    "test_accounts_tokens": "Django's own tables",
    "test_admin": "Django's admin over the store of `test_deletion`, but for what takes long",
    "test_api_answers": "types, methods and headers; every address is asked for on both by `head_works`",
    "test_api_convert": "nothing is stored",
    "test_api_find": "texts become codes without a query; `test_api_positions` looks codes up",
    "test_api_games": "answers of what `test_games` asks",
    "test_api_own_uploads": "answers of what `test_own_uploads` asks",
    "test_api_parameters": "refused before any query, but for `pages_ignore`",
    "test_api_search_box": "words become filters; `test_api_names` and `test_names_in_part` ask for names",
    "test_backup_hostile": "refused before anything is stored; `test_backup` imports",
    "test_columns_pulled": "files that are brought; `test_column_files` writes and asks them",
    "test_conditional": "headers; `test_public_changes` and `test_changes` count what changes",
    "test_content_types": "refused before any query",
    "test_dialects_of_endings": "what records become before they are stored",
    "test_dumps_served": "files that `test_dumps` makes",
    "test_export": "the form of lists that `test_games` asks for, but for what is read while it is sent",
    "test_export_pages": "links",
    "test_export_zip": "names of files; `test_games` asks for the games",
    "test_feeds": "XML of what `test_games` and `test_api_explorer` ask",
    "test_hidden_bytes": "who is answered with bytes; `test_taking_down` deletes and hides",
    "test_hooks_of_accounts": "pages and answers of what `test_hooks` stores",
    "test_in_text": "the page of what `test_text_search` and `test_search_text` ask",
    "test_libraries": "who reads what, through every door; `test_spaces` asks in scopes",
    "test_limits_served": "processes of the archive; `test_limits_counting` counts in processes on both",
    "test_limits_throttling": "what is counted; `test_limits_counting` counts on both",
    "test_metrics": "who is told; what is measured is asked on both",
    "test_multipart": "forms are read before anything is stored; `test_api_uploads` stores",
    "test_other_formats": "what records become before they are stored",
    "test_problems": "refused before any query",
    "test_quoridor_api": "answers of what `test_quoridor_positions` asks",
    "test_quoridor_web": "the page of what `test_games` and `test_facets` ask",
    "test_real_positions": "the queries of `test_positions`, about other games",
    "test_research": "tables that `test_dumps` makes",
    "test_role_walk": "rights of roles; `test_spaces` asks in scopes",
    "test_samples": "what records become before they are stored",
    "test_search_pages": "pages and answers of what `test_search_queries` asks",
    "test_status": "the page of measures that metrics have, too",
    "test_untold": "answers of what `test_spaces` asks",
    "test_watched_folder": "files become uploads; `test_api_uploads` stores them",
    "test_web_accounts": "Django's own tables; `test_limits_signing_in` counts guesses",
    "test_web_broken": "how entries are called; `test_api_entries` reads them",
    "test_web_browsing": "the pages of what `test_directory` and `test_queries_people` ask",
    "test_web_charts": "the page of what `test_series` asks",
    "test_web_editing": "texts become positions without a query",
    "test_web_embedding": "frames of what `test_games` and `test_api_explorer` ask",
    "test_web_filters": "links of what `test_position_filters` and `test_facets` ask",
    "test_web_game": "the page of what `test_games`, `test_twins` and `test_novelty` ask",
    "test_web_games": "the page of what `test_games` and `test_facets` ask",
    "test_web_headers": "the page of what `test_api_headers` asks",
    "test_web_libraries": "the pages of what `test_spaces` asks",
    "test_web_lines": "addresses and words of moves; `test_api_explorer` asks for positions",
    "test_web_long_games": "pages about records that `test_series` and `test_store` store",
    "test_web_patterns": "the page of what `test_patterns` asks",
    "test_web_position": "the page of what `test_api_explorer` and `test_position_filters` ask",
    "test_web_problems": "the page of what `test_games` asks",
    "test_web_quoridor_game": "the page of what `test_quoridor_positions` asks",
    "test_web_quoridor_position": "the page of what `test_quoridor_positions` asks",
    "test_web_record_kinds": "the pages of what `test_games` asks",
    "test_web_search": "words become filters; `test_api_names` and `test_names_in_part` ask for names",
    "test_web_site": "languages, themes, errors; `test_queries_people` adds up what home tells",
    "test_web_site_texts": "Django's own queries",
    "test_web_unchanged": "headers; `test_public_changes` and `test_changes` count what changes",
    "test_web_upload": "the page of what `test_api_uploads` stores",
}
"""Modules, by why what they ask comes to the same on every engine."""

BOTH_ENGINES: Final = {
    "test_a_column_that_came_later_has_its_default",
    "test_a_game_whose_uploads_are_all_being_deleted_is_gone",
    "test_a_large_archive_is_measured_without_reading_its_large_tables",
    "test_a_query_that_takes_too_long_is_422_and_says_what_to_add",
    "test_a_query_that_takes_too_long_on_its_way_is_told",
    "test_a_row_that_refers_to_nothing",
    "test_all_filters_of_the_list_and_queries_narrow_it_down",
    "test_deleting_many_uploads_takes_no_longer_than_one_and_workers_go_on",
    "test_every_answer_about_the_worst_game_is_less_than_a_megabyte",
    "test_head_makes_nothing_of_a_list_that_is_made_while_it_is_sent",
    "test_head_works_wherever_get_does",
    "test_it_goes_on_wherever_it_was_cut",
    "test_no_page_asks_the_database_for_long",
    "test_nonsense_is_refused",
    "test_pages_ignore_what_they_do_not_know_and_never_fail",
    "test_records_are_held_a_few_at_a_time",
    "test_replicas_are_told_of_where_somebody_reads_from_them",
    "test_rows_of_a_large_index_are_estimated_from_a_thousand_games",
    "test_segments_tell_their_room",
    "test_the_first_games_are_sent_before_the_last_are_read",
    "test_uploads_are_not_counted_at_every_question",
    "test_uploads_that_take_too_long_to_count_are_not_told",
    "test_what_is_added_meanwhile_comes_behind",
    "test_what_is_deleted_meanwhile_does_not_come",
    "test_what_is_in_the_archive_is_told",
    "test_what_is_no_passkey_at_all_is_refused",
}
"""Tests of these modules that run on both all the same: for every address, for odd values, of what takes
long."""

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
