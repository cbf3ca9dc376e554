"""Whatever looks for games is told which spaces it may read, and never by default."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2] / "archive"
TOLD = {"Scope", "Asked", "Sequence[Asked]", "Part", "Sequence[Part]", "HttpRequest"}
"""What tells it: the scope, what was made with one, or the request whose scope `scope_of` knows."""

NO_GAMES = {
    "color_names": "game_meant colours_of results_of",
    "counting": "counted look totals carried conjunction_from probed unnested",  # keys `ask` made
    "excerpts": "cut words_of",
    "explorer": "wilson",
    "filters": "filters_of games_asked positions_asked",
    "formations": "most_special of_game",  # of a game that was shown
    "games": "by_name",
    "caching": "begin cached last_gone in_one_snapshot one_snapshot unchanged until",
    "keyset": "phases write_cursor read_cursor paged as_date as_moment",
    "legal": "legal",
    "likely": "distance",
    "name_matching": "is_part",
    "people": "by_year without_gaps years_of players_of",
    "offers": "is_short",
    "position_filters": "at_hand",
    "position_lookup": "errors_of faults of_text of_words of_record",
    "position_query": "check",
    "reading_plan": "way_to_all way_to_next",
    "scope": "hash_of scope_named spaces_of",
    "search_box": "is_query mate_meant",
    "site_texts": "site_text written",
    "sql": "conjunction one_of",
    "standing": "bounded",
    "taken_down": "editions has_hidden hidden_whole is_hidden",  # of uploads and games that were shown
    "told": "day_text row_json",
    "records_by_kind": "together",
}
"""Functions that look for no games, by module."""


def functions() -> Iterator[tuple[str, ast.FunctionDef]]:
    """The public functions of the queries, each with its module."""
    for path in sorted((ROOT / "queries").glob("*.py")):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
                yield path.stem, node


def test_every_query_is_told_what_it_may_read():
    untold: dict[str, set[str]] = {}
    for module, function in functions():
        given = function.args.posonlyargs + function.args.args
        needed = given[: len(given) - len(function.args.defaults)]
        if TOLD.isdisjoint({ast.unparse(one.annotation) for one in needed if one.annotation}):
            untold.setdefault(module, set()).add(function.name)
    assert untold == {module: {*names.split()} for module, names in NO_GAMES.items()}


def test_a_scope_has_no_default_anywhere():
    for path in ROOT.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.arguments):
                given = node.posonlyargs + node.args
                optional = [*given[len(given) - len(node.defaults) :], *node.kwonlyargs]
                assert "scope" not in {one.arg for one in optional}, path
