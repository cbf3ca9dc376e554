"""Requests drawn from the contract, of all operations, sent to a running archive: every answer is one that
the contract has, and none is a fault.

`KIFU_CONTRACT=long` draws 20,000 requests in place of 700.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass
from itertools import count
from types import SimpleNamespace
from typing import Any, Final

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import FlakyStrategyDefinition
from requests.structures import CaseInsensitiveDict
from schemathesis import GenerationMode
from schemathesis.config import SchemathesisConfig

from archive.management.commands.sample_games import sample_files
from kifu_core.games import GAMES
from tests.archive.games import BROKEN, CSA, KIF, UNREADABLE
from tests.archive.test_contract import check, contract_of_file, operations
from tests.serving import START_SECONDS, Archive, archive_at, wait_for

pytestmark = [pytest.mark.worker, pytest.mark.one_engine]

REQUESTS: Final = 20_000 if os.environ.get("KIFU_CONTRACT") == "long" else 700
TOLD: Final[dict[str, Any]] = contract_of_file()
NAMES: Final = [operation["operationId"] for _path, _method, operation in operations(TOLD)]
MODES: Final = (GenerationMode.POSITIVE, GenerationMode.NEGATIVE)
PATHS: Final = REQUESTS // 4
"""Sequences of up to eight requests."""

EACH: Final = -(-REQUESTS // (len(NAMES) * len(MODES)))

KNOWN: Final[dict[str, list[Any]]] = {
    "id": [1, 2, 3, 17, 20, 30, 44, 45, 10**6, 2**63 - 1],
    "seq": [0, 1, 2**40],
    "code": [
        *(game.codec.path_code(game.codec.encode(game.rules.initial())) for game in GAMES.values()),
        "poUAACMaqtYhwHgAAAAPQdTnd3vMgAB", "x", "games", "a/b", "０", "%00",
    ],
}  # fmt: skip
"""Values of parts of addresses, most of which are there: what is drawn blindly meets nothing."""


TEXTS: Final = [
    KIF, CSA, BROKEN, UNREADABLE, "position startpos moves 7g7f 3c3d", "1. e2 e8 2. e3",
    "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1", *KNOWN["code"][:2],
]  # fmt: skip
"""What is sent as a text, beside what is drawn."""


def with_known_parts(document: dict[str, Any]) -> dict[str, Any]:
    """Return the contract with parts of addresses that lead to something, and texts that say something."""
    result = deepcopy(document)
    for _path, _method, operation in operations(result):
        for one in operation["parameters"]:
            if one.get("in") == "path" and one["name"] in KNOWN:
                one["schema"] = {"enum": KNOWN[one["name"]]}
                one.pop("examples", None)
        for sent in operation.get("requestBody", {}).get("content", {}).values():
            schema = sent["schema"].get("anyOf", [sent["schema"]])[0]
            properties = schema.get("properties", sent["schema"].get("properties", {}))
            if "text" in properties:
                properties["text"] = {"anyOf": [{"enum": TEXTS}, properties["text"]]}
            if "codes" in properties:
                properties["codes"]["items"] = {"anyOf": [{"enum": KNOWN["code"][:4]}, {"type": "string"}]}
    return result


@dataclass(frozen=True)
class Served:
    """A running archive, and the contract as schemathesis has read it."""

    archive: Archive
    schema: Any
    session: requests.Session


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """An archive with the sample games, whose only visitor has no limits."""
    folder = tmp_path_factory.mktemp("served")
    with archive_at(folder, ARCHIVE_SAMPLES="1", ARCHIVE_THROTTLE="0") as archive:

        def loaded() -> bool:
            total: int = archive.get("/api/v1/games/facets")["total"]["count"]
            return total >= len(sample_files())

        wait_for(loaded, START_SECONDS, archive.log)
        schema = schemathesis.openapi.from_dict(with_known_parts(TOLD), config=SchemathesisConfig())
        with requests.Session() as session:
            yield Served(archive, schema, session)
        assert "Traceback" not in archive.log.read_text()


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.value)
@pytest.mark.parametrize("name", NAMES)
def test_every_answer_is_one_that_the_contract_has(served: Served, name: str, mode: GenerationMode) -> None:
    (path, method, operation), *_ = [one for one in operations(TOLD) if one[2]["operationId"] == name]

    @settings(
        max_examples=EACH,
        database=None,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=[*HealthCheck],
    )
    @given(case=served.schema[path][method].as_strategy(generation_mode=mode))
    def send(case: Any) -> None:
        answer = case.call(base_url=served.archive.url, session=served.session, allow_redirects=False)
        assert_told(operation, case, answer)

    send()


def assert_told(operation: dict[str, Any], case: Any, answer: Any) -> None:
    """Assert that an answer is one that the operation has, and no fault."""
    headers = CaseInsensitiveDict({name: values[0] for name, values in answer.headers.items()})
    document = SimpleNamespace(status_code=answer.status_code, headers=headers, body=answer.content)
    assert answer.status_code < 500, case.as_curl_command()
    assert str(answer.status_code) in operation["responses"], (
        f"{answer.status_code}: {case.as_curl_command()}"
    )
    try:
        check(TOLD, operation, document)
    except Exception as error:
        text = f"{answer.status_code} {answer.content[:300]!r}"
        raise AssertionError(f"{case.as_curl_command()}: {text}: {error}") from error


def test_whoever_follows_the_links_gets_on(served: Served) -> None:
    """Paths through the contract: what an answer leads to is asked for with what it said.

    Hypothesis gives up where paths that begin alike go on differently. They do, since the archive is another
    one after each path: then it begins anew.
    """
    begun = count(1)
    led: set[tuple[str, str]] = set()
    arrived: set[str] = set()
    machine = served.schema.as_state_machine()

    class Paths(machine):  # type: ignore[misc, valid-type]
        def setup(self) -> None:
            next(begun)
            super().setup()

        def step(self, input: Any) -> Any:
            self.by_link = input.transition is not None
            if self.by_link:
                led.add((input.transition.id, input.case.operation.label))
            return super().step(input)

        def get_call_kwargs(self, case: Any) -> dict[str, Any]:
            address = {"base_url": served.archive.url, "session": served.session}
            return address | {"allow_redirects": False}

        def validate_response(self, response: Any, case: Any, *_args: Any, **_options: Any) -> None:
            operation = case.operation.definition.raw
            if self.by_link and response.status_code < 400:
                arrived.add(operation["operationId"])
            assert_told(operation, case, response)

    while (left := PATHS + 1 - next(begun)) > 0:
        with suppress(FlakyStrategyDefinition):
            Paths.run(
                settings=settings(
                    max_examples=left, stateful_step_count=8, database=None, deadline=None,
                    phases=[Phase.generate], suppress_health_check=[*HealthCheck],
                )
            )  # fmt: skip
    assert len(led) > 5 and arrived, sorted(led)


def test_what_is_drawn_meets_something():
    paths = with_known_parts(TOLD)["paths"]
    result = paths["/api/v1/games/{id}"]["get"]["parameters"]
    assert [one["schema"]["enum"] for one in result if one.get("name") == "id"] == [KNOWN["id"]]
    for name in ("convert", "check", "uploads"):
        for sent in paths[f"/api/v1/{name}"]["post"]["requestBody"]["content"].values():
            assert sent["schema"]["properties"]["text"]["anyOf"][0] == {"enum": TEXTS}
