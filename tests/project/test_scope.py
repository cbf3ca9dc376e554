"""Whatever looks for games is told which spaces it may read, and never by default."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2] / "archive"
TOLD = {"Scope", "Asked", "Sequence[Asked]", "Part", "Sequence[Part]", "HttpRequest"}
"""What tells it: the scope, what was made with one, or the request whose scope `scope_of` knows."""

NO_GAMES = {
    "games.color_names": "game_meant colours_of results_of",
    "games.excerpts": "cut words_of",
    "games.filters": "filters_of games_asked positions_asked",
    "games.game_json": "day_text moment_text row_json",
    "games.keyset": "phases write_cursor read_cursor paged as_date as_moment",
    "games.listing": "by_name",
    "games.records_by_kind": "together",
    "games.taken_down": "editions has_hidden hidden_whole is_hidden",  # of uploads and games that were shown
    "names.name_matching": "is_part",
    "names.people": "by_year without_gaps years_of players_of",
    "names.similar_names": "distance",
    "patterns.formation_counts": "most_special of_game",  # of a game that was shown
    "patterns.pattern_slots": "bounded",
    "positions.counting": "counted look totals carried conjunction_from probed unnested",  # keys `ask` made
    "positions.explorer": "wilson",
    "positions.legal_moves": "legal",
    "positions.position_filters": "at_hand",
    "positions.position_lookup": "errors_of faults of_text of_words of_record",
    "positions.position_query": "check",
    "positions.reading_plan": "way_to_all way_to_next",
    "scope": "hash_of scope_named spaces_of",
    "search.box": "is_query mate_meant",
    "search.days": "read_day first_day last_day shifted",
    "search.fields": "folded",
    "search.grammar": "begun_by",
    "search.parsing": "parse",
    "search.patience": "patient",
    "search.printing": "text_of value_text quoted",
    "search.suggestions": "is_short",
    "search.terms": "together negated wanted leaves",
    "search.words": "holding few_games_of",  # conditions, and the plan for a number
    "site_texts": "site_text written",
    "sql": "conjunction one_of",
}
"""Functions that look for no games, by module."""


def functions() -> Iterator[tuple[str, ast.FunctionDef]]:
    """The public functions of the queries, each with its module."""
    queries = ROOT / "queries"
    for path in sorted(queries.rglob("*.py")):
        name = ".".join(path.relative_to(queries).with_suffix("").parts)
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
                yield name, node


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
