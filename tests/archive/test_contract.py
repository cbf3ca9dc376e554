"""The contract of the API: it is what the endpoints do, and the file of it is what the code says.

`KIFU_RECORD=1 .venv/bin/pytest tests/archive/test_contract.py` records the answers to its examples anew; then
`python -m tools.contract` writes the contract with them.
"""

from __future__ import annotations

import ast
import json
import os
import re
from collections.abc import Iterator
from io import StringIO
from itertools import chain
from pathlib import Path
from typing import Any, Final

import jsonschema
import pytest
import yaml
from django.core.management import call_command
from django.db import connection, transaction
from django.test import Client, override_settings
from django.urls import reverse
from django.utils.translation import override
from openapi_spec_validator import OpenAPIV31SpecValidator, validate

from archive.api import urls
from archive.api.negotiation import JSON
from archive.api.operations import ELSEWHERE, LINKS, PATH_PARAMETERS, Example
from archive.api.problems import PROBLEM
from archive.columns import building
from archive.export.record_files import DOWNLOADS
from archive.queries.games.filters import FILTERS, filters_of
from kifu_core.games import GAMES
from tests.archive.routes import routes
from tools import contract
from tools.contract import EXAMPLES, FILE

ROOT: Final = Path(__file__).resolve().parents[2]
RECORD: Final = bool(os.environ.get("KIFU_RECORD"))
METHODS: Final = ("get", "post", "put", "patch", "delete")
MOST_RECORDED: Final = 8_000
"""Characters of an answer that is shown as an example."""
TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[0-9.]*(?:Z|\+\d\d:\d\d)")


def contract_of_file() -> dict[str, Any]:
    """Return the contract that is in the repository."""
    # The reader in C is five times as fast, and every process of the tests reads it.
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    result: dict[str, Any] = yaml.load(FILE.read_text(encoding="utf-8"), Loader=loader)
    return result


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    return contract_of_file()


def operations(document: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield every operation with its address and its method."""
    for path, methods in document["paths"].items():
        for method in METHODS:
            if method in methods:
                yield path, method.upper(), methods[method]


def codes_of(document: dict[str, Any], operation: dict[str, Any]) -> dict[int, set[str]]:
    """Return the codes of an operation by status."""
    answers = {status: resolved(document, one) for status, one in operation["responses"].items()}
    return {int(status): {*one["x-codes"]} for status, one in answers.items() if "x-codes" in one}


def resolved(document: dict[str, Any], one: dict[str, Any]) -> dict[str, Any]:
    """Return what a reference leads to."""
    while "$ref" in one:
        result: Any = document
        for step in one["$ref"].removeprefix("#/").split("/"):
            result = result[step]
        one = result
    return one


# --- the file --------------------------------------------------------------------------------------------


def test_the_file_is_what_the_code_says():
    assert FILE.read_text(encoding="utf-8") == contract.to_yaml(), "run `python -m tools.contract`"


def test_it_is_valid_openapi_3_1(document):
    assert document["openapi"].startswith("3.1")
    validate(document, cls=OpenAPIV31SpecValidator)


def test_every_schema_in_it_is_one(document):
    for schema in document["components"]["schemas"].values():
        jsonschema.Draft202012Validator.check_schema(schema)


def test_every_route_is_in_it_with_every_method(document):
    names = {name: part.name for name, part in PATH_PARAMETERS.items()}
    expected = {
        (route.template.format(**{name: f"{{{names[name]}}}" for name in route.parts}), method)
        for route, pattern in zip(api_routes(), urls.urlpatterns, strict=True)
        for method in pattern.callback.cls().allowed_methods
        if method not in ("HEAD", "OPTIONS")
    }
    assert expected == {(path, method) for path, method, _operation in operations(document)}


def api_routes() -> list[Any]:
    return [route for route in routes() if route.template.startswith("/api/")]


def test_every_operation_has_a_name_of_its_own_and_words(document):
    result = [operation for _path, _method, operation in operations(document)]
    names = [one["operationId"] for one in result]
    assert len({*names}) == len(names)
    assert [one["operationId"] for one in result if not one["summary"]] == []


# --- parameters ------------------------------------------------------------------------------------------


@pytest.mark.django_db
def test_every_parameter_is_in_it_and_no_other(document):
    for path, methods in document["paths"].items():
        several = [one["parameters"] for method, one in methods.items() if method in METHODS]
        parameters = [resolved(document, one) for one in chain(*several)]
        query = {one["name"] for one in parameters if one["in"] == "query"} - {"scope", "key"}
        address = path.replace("{id}", "1").replace("{seq}", "0").replace("{game}", "shogi")
        address = address.replace("{formation}", "anaguma").replace("{member}", "1").replace("{number}", "0")
        address = address.replace("{game_id}", "1").replace("{names}", "players").replace("{what}", "entity")
        address = address.replace("{row}", "1").replace("{move}", "1").replace("{claim}", "0" * 32)
        address = address.replace("{bench}", "days")
        answer = Client().options(address.replace("{code}", "x").replace("{format}", "kif"))
        assert query == {*answer.json()["parameters"]}, path
        parts = {one["name"] for one in parameters if one["in"] == "path"}
        assert parts == {*re.findall(r"\{(\w+)\}", path)}


def test_every_filter_is_in_it_as_its_definition_says(document):
    for path, place in (("/api/v1/games", "games"), ("/api/v1/positions/{game}/{code}", "positions")):
        parameters = {
            one["name"]: one for one in document["paths"][path]["get"]["parameters"] if "name" in one
        }
        for one in filters_of(place):
            schema = parameters[one.name]["schema"]
            if one.value == "number":
                assert (schema["minimum"], schema["maximum"]) == (one.least, one.most)
            if one.value == "choice":
                assert schema["enum"] == [*one.choices]
            with override("en"):
                assert parameters[one.name]["description"] == str(one.label)
        parts = {name for name, one in parameters.items() if one["in"] == "path"}
        assert {one.name for one in FILTERS} & parameters.keys() - parts == {
            one.name for one in filters_of(place)
        }


def test_every_format_is_in_it(document):
    operation = document["paths"]["/api/v1/games/{id}/record.{format}"]["get"]
    (parameter,) = [one for one in operation["parameters"] if one.get("name") == "format"]
    assert parameter["schema"]["enum"] == [*DOWNLOADS]
    types = {one.partition(";")[0] for one in DOWNLOADS.values()}
    assert {*operation["responses"]["200"]["content"]} == types


def test_parameters_have_words_and_numbers_have_ranges(document):
    for _path, _method, operation in operations(document):
        for one in operation["parameters"]:
            assert resolved(document, one)["description"], one
            schema = resolved(document, one)["schema"]
            if schema.get("type") == "integer":
                assert {"minimum", "maximum"} <= schema.keys(), one


def test_every_tag_is_declared_with_words(document):
    declared = {one["name"]: one["description"] for one in document["tags"]}
    used = {tag for _path, _method, operation in operations(document) for tag in operation["tags"]}
    assert declared.keys() == used and all(declared.values())


def test_examples_of_parameters_are_values_that_they_take(document):
    for _path, _method, operation in operations(document):
        for one in operation["parameters"]:
            result = resolved(document, one)
            values = [example["value"] for example in result.get("examples", {}).values()]
            for value in values + result["schema"].get("examples", []):
                jsonschema.validate(value, result["schema"])


def test_whatever_is_required_is_described(document):
    for name, schema in document["components"]["schemas"].items():
        assert {*schema.get("required", ())} <= schema.get("properties", {}).keys(), name


def test_a_redirect_to_a_position_says_what_is_there(document):
    for path, method, operation in operations(document):
        if "303" in operation["responses"]:
            answer = operation["responses"]["200"]["content"]["application/json"]
            assert answer["schema"] == {"$ref": "#/components/schemas/Explored"}, (path, method)


# --- links -----------------------------------------------------------------------------------------------


def test_every_link_leads_to_an_operation_with_all_that_its_address_has(document):
    by_id = {one["operationId"]: one for _path, _method, one in operations(document)}
    assert {*LINKS} <= by_id.keys()
    links = [
        (name, link)
        for name, one in by_id.items()
        for answer in one["responses"].values()
        for link in answer.get("links", {}).values()
    ]
    assert len(links) >= sum(map(len, LINKS.values()))
    for name, link in links:
        expected = {
            one["name"] for one in by_id[link["operationId"]]["parameters"] if one.get("in") == "path"
        }
        assert link["parameters"].keys() == expected, (name, link)


def test_whatever_has_a_number_or_a_code_in_its_address_is_led_to(document):
    led = {link.operation for links in LINKS.values() for link in links}
    for _path, _method, one in operations(document):
        parts = {part["name"] for part in one["parameters"] if part.get("in") == "path"}
        assert one["operationId"] in led or not parts & {"id", "seq", "code"}


# --- problems --------------------------------------------------------------------------------------------


def raised(folder: str, *names: str) -> Iterator[tuple[str, int | None, Path]]:
    """Yield the codes that calls of these names have written out, with their status where that is, too."""
    for path in sorted((ROOT / folder).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in names:
                values = [one.value for one in node.args if isinstance(one, ast.Constant)]
                code = next((one for one in values if isinstance(one, str)), None)
                status = next((one for one in values if isinstance(one, int)), None)
                if code is not None and re.fullmatch(r"[a-z0-9-]+", code):
                    yield code, status, path


def test_every_code_that_the_program_names_is_in_it(document):
    every = [codes_of(document, operation) for _path, _method, operation in operations(document)]
    listed = {(status, code) for result in every for status, codes in result.items() for code in codes}
    listed |= {(status, code) for status, codes in ELSEWHERE.items() for code in codes}
    in_code = [*raised("archive/api", "ApiError", "problem"), *raised("archive/serving", "Refused")]
    assert len(in_code) > 20
    missing = [
        (code, status or 400, path.name)
        for code, status, path in in_code
        if (status or 400, code) not in listed
    ]
    assert missing == []


def test_what_ends_a_reading_is_in_it(document):
    kinds = ("KifuError", "DecodeError", "UnknownFormatError", "ParseError", "IllegalMoveError")
    in_code = {code for code, _status, _path in raised("kifu_core", *kinds, "AmbiguousMoveError")}
    in_code |= {code for code, _status, _path in raised("archive/queries", *kinds)}
    codes = codes_of(document, document["paths"]["/api/v1/check"]["post"])
    assert len(in_code) > 40
    assert sorted(in_code - set().union(*codes.values())) == []


@pytest.mark.parametrize("game", GAMES.values(), ids=lambda game: game.name)
def test_what_is_wrong_with_a_code_is_in_it(document, game):
    module = {"shogi": "kifu_core/shogi/keys/shogi64.py", "quoridor": "kifu_core/quoridor/qf_code.py"}[
        game.name
    ]
    in_code = {code for code, _status, path in raised("kifu_core", "DecodeError") if path == ROOT / module}
    assert in_code and in_code <= {*game.codec.errors}
    codes = codes_of(document, document["paths"]["/api/v1/positions/{game}/{code}"]["get"])
    assert {*game.codec.errors} <= codes[400]


# --- examples --------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def samples(module_db: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The sample games, under the numbers that they have in an archive that has nothing else."""
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM sqlite_sequence")
    folder = tmp_path_factory.mktemp("columns")
    with override_settings(ARCHIVE_COLUMN_FOLDER=str(folder)), pytest.MonkeyPatch.context() as patch:
        call_command("sample_games", stdout=StringIO())
        # Files have names that nobody has to guess; this one's is the same each time.
        patch.setattr("archive.columns.building.secrets.token_hex", lambda count: "0a" * count)
        building.build()
        patch.undo()
        yield


def examples() -> Iterator[Any]:
    for one in urls.urlpatterns:
        for method, described in one.callback.cls.operations.items():
            for example in described.examples:
                name = f"{method.lower()}_{one.name}".replace("-", "_")
                yield pytest.param(name, method, one.name, example, id=f"{name}: {example.name}")


def answered(method: str, route: str, example: Example) -> Any:
    """Return the answer to an example; what it does is undone."""
    headers = {"Accept": example.accept or "*/*", "Accept-Language": "en"}
    options: dict[str, Any] = {"headers": headers, "query_params": dict(example.query)}
    if example.body is not None:
        options |= {"data": json.dumps(example.body), "content_type": "application/json"}
    # Cursors are signed: what is recorded of them holds on every machine.
    with override_settings(SECRET_KEY="only-for-tests"), transaction.atomic():
        answer = Client().generic(method, reverse(f"api:{route}", kwargs=dict(example.parts)), **options)
        answer.body = b"".join(answer.streaming_content) if answer.streaming else answer.content
        transaction.set_rollback(True)
    return answer


def recorded(answer: Any) -> dict[str, Any]:
    """Return an answer as an example of it is kept: without times, and of a host that stands for any."""
    kind = answer.headers.get("Content-Type", "").partition(";")[0]
    text = "" if kind == "application/octet-stream" else answer.body.decode(answer.charset or "utf-8")
    text = TIME.sub("2026-01-01T00:00:00+09:00", text).replace("http://testserver", "https://kifu.example")
    value = json.loads(text) if text and "json" in kind and "ndjson" not in kind else text
    return {
        "status": answer.status_code,
        "type": kind,
        "answer": value if 0 < len(text) < MOST_RECORDED else None,
    }


def closed(schema: Any) -> Any:
    """Return a schema in which objects have no members but those that it names."""
    if isinstance(schema, list):
        return [closed(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    result = {name: closed(one) for name, one in schema.items()}
    open_ended = "additionalProperties" in result or not isinstance(result.get("properties"), dict)
    return (
        result if open_ended or result.get("type") != "object" else result | {"additionalProperties": False}
    )


_CLOSED: list[tuple[dict[str, Any], Any]] = []
"""Contracts and their components, closed: there are few, and each is asked of for every answer."""


def closed_components(document: dict[str, Any]) -> Any:
    """Return the components of a contract with objects that have no further members."""
    for expected, result in _CLOSED:
        if expected is document:
            return result
    _CLOSED.append((document, closed(document["components"])))
    return _CLOSED[-1][1]


def check(document: dict[str, Any], operation: dict[str, Any], answer: Any) -> None:
    """Assert that an answer is one that the operation has."""
    kind = answer.headers.get("Content-Type", "").partition(";")[0]
    response = resolved(document, operation["responses"][str(answer.status_code)])
    content = response.get("content", {})
    assert kind in content if answer.body else not content
    for name, header in response.get("headers", {}).items():
        assert name in answer.headers or not resolved(document, header).get("required")
    if kind not in (JSON, PROBLEM):
        return
    value, schema = json.loads(answer.body), content[kind]["schema"]
    complete = {"components": closed_components(document), **closed(schema)}
    jsonschema.Draft202012Validator(complete, format_checker=jsonschema.FormatChecker()).validate(value)
    if kind == PROBLEM:
        assert value["code"] in response["x-codes"]


@pytest.mark.one_engine
@pytest.mark.django_db
@pytest.mark.parametrize(("name", "method", "route", "example"), [*examples()])
def test_every_example_is_answered_as_it_says(samples, document, name, method, route, example):
    answer = answered(method, route, example)
    assert answer.status_code == example.status, answer.body
    (operation,) = [one for _path, _method, one in operations(document) if one["operationId"] == name]
    check(document, operation, answer)
    stored = json.loads(EXAMPLES.read_text(encoding="utf-8")) if EXAMPLES.exists() else {}
    key, result = contract._key(example), recorded(answer)
    if RECORD:
        stored.setdefault(name, {})[key] = result
        EXAMPLES.write_text(json.dumps(stored, ensure_ascii=False, indent=1, sort_keys=True) + "\n")
    assert stored[name][key] == result, "KIFU_RECORD=1 records it anew"


def test_no_answer_is_recorded_that_is_no_example():
    stored = json.loads(EXAMPLES.read_text(encoding="utf-8"))
    expected = {(one.values[0], contract._key(one.values[3])) for one in examples()}
    assert {(name, key) for name, result in stored.items() for key in result} == expected


def test_every_address_has_an_example(document):
    without = [
        path
        for path, method, operation in operations(document)
        if method != "DELETE" and operation["operationId"] not in {one.values[0] for one in examples()}
    ]
    assert without == []
