"""Whatever looks for games is told which spaces it may read, and never by default."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2] / "archive"
CARRIES_SCOPE = {
    "Scope", "PositionKeys", "Sequence[PositionKeys]", "SpaceQuery", "Sequence[SpaceQuery]", "HttpRequest",
}  # fmt: skip
"""Types of parameters that hold a scope, or the request from which `scope_of` makes one."""

NO_GAMES = {
    # Of a game that was shown.
    "games.analyses": "add_evaluations analyses_of_game calibrations evaluations_of_game "
    "preferred_evaluations report_of_comments similar_ratings",
    "games.bulk": "being_deleted",
    "games.changes": "last_change is_of_order",
    "games.color_names": "colours_of default_game own_sides results_of",
    "games.excerpts": "cut words_of",
    "games.filters": "filters_of game_filters position_filters stored_filters stored_parameters",
    "games.game_json": "day_text moment_text time_control",
    "games.keyset": "phases write_cursor read_cursor paged as_date as_moment",
    "games.listing": "by_name",
    "games.own_games": "list_parameters",
    "games.records_by_kind": "summed",
    "games.taken_down": "editions has_hidden fully_hidden is_hidden",  # of uploads and games that were shown
    "names.name_matching": "is_searchable",
    "names.ids_of_names": "unique_name namesakes",  # of a row that was shown
    "names.latin_names": "latin_names",  # of rows that were shown
    "names.own_names": "has_own_side is_own own_games",  # of own players of a scope
    "names.people": "by_year without_gaps count_by_year most_frequent_players spellings merged_rows "
    "with_games",  # of rows found in a scope
    "names.same_person": "score_of",
    "patterns.formation_counts": "most_specific formations_of_game",  # of a game that was shown
    "patterns.pattern_slots": "query_errors",
    "paging": "page_before",  # of rows that are in a scope
    # Of keys that a `PositionKeys` holds.
    "positions.chronicle": "is_out_of_use",
    "positions.counting": "count_games count_rows lookup_sources materialized read_counts",
    "positions.explorer": "wilson",
    "positions.legal_moves": "list_legal_moves",
    "positions.position_filters": "is_in_slots",
    "positions.position_lookup": "errors_of position_of_record position_of_text position_of_words "
    "reading_errors",
    "positions.position_query": "check_arguments",
    "positions.reading_plan": "plan_for_all plan_for_page",
    "preparation.trees": "build medians part_of places_of",  # of slots found in a scope
    "scope": "hash_of scope_by_names spaces_of",
    "search.box": "is_query mate_filters split_at_against",
    "search.days": "read_day first_day last_day shifted",
    "search.fields": "folded",
    "search.grammar": "term_start",
    "search.parsing": "parse",
    "search.patience": "time_limited",
    "search.printing": "always_quoted quoted text_of value_text",
    "search.suggestions": "is_short other_filters",
    "search.terms": "together negated positive_leaves leaves",
    "search.words": "conditions_of_word few_games_of",  # conditions, and the plan for a number
    "site_texts": "site_text site_texts",
    "sql": "conjunction first_of joined like_pattern one_of rows_by_ids",  # of ids of games found in a scope
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
        if CARRIES_SCOPE.isdisjoint({ast.unparse(one.annotation) for one in needed if one.annotation}):
            untold.setdefault(module, set()).add(function.name)
    assert untold == {module: {*names.split()} for module, names in NO_GAMES.items()}


def test_a_scope_has_no_default_anywhere():
    for path in ROOT.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.arguments):
                given = node.posonlyargs + node.args
                optional = [*given[len(given) - len(node.defaults) :], *node.kwonlyargs]
                assert "scope" not in {one.arg for one in optional}, path
