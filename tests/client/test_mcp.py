"""The MCP server, driven by the client of the official SDK against an archive with the sample games."""

from __future__ import annotations

import asyncio
import json
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from mcp import Client, StdioServerParameters

from tests.client.conftest import Served
from tests.serving import ROOT

pytestmark = [pytest.mark.worker, pytest.mark.one_engine]

TOOLS = {"search_games", "record", "position", "pattern", "player", "formation"}


def call_tools(address: str, *calls: tuple[str, dict[str, Any]]) -> tuple[list[Any], list[Any]]:
    """The tools of a server for an archive, and the results of some calls."""
    server = StdioServerParameters(
        command=sys.executable, args=["-m", "kifu_core.mcp_server", address], cwd=ROOT
    )

    async def ask() -> tuple[list[Any], list[Any]]:
        async with Client(server) as client:
            tools = (await client.list_tools()).tools
            return tools, [await client.call_tool(name, arguments) for name, arguments in calls]

    with ThreadPoolExecutor() as thread:  # tests with a browser have a loop of events in this one
        return thread.submit(asyncio.run, ask()).result()


def text_of(result: Any) -> str:
    return "".join(one.text for one in result.content)


def test_an_assistant_reads_an_archive(served: Served):
    tools, results = call_tools(
        served.archive.url,
        ("search_games", {"query": "player:伊藤印達 year:1711", "order": "oldest", "limit": 1}),
        ("record", {"game_id": 15}),
        ("position", {"position": "startpos moves 7g7f 3c3d"}),
        ("pattern", {"pattern": "K8h", "limit": 1}),
        ("player", {"name": "印達"}),
        ("formation", {"name": "mino"}),
    )
    assert {one.name for one in tools} == TOOLS
    assert all(one.annotations.read_only_hint and one.description for one in tools)
    assert not any(one.is_error for one in results), [text_of(one) for one in results]
    games, record, position, pattern, player, formation = map(text_of, results)
    assert json.loads(games)["results"][0]["white"] == "伊藤印達"
    assert "後手：伊藤印達" in record
    assert json.loads(position)["games"] > 0 and json.loads(position)["moves"]
    assert json.loads(pattern)["pattern"] == "K8h"
    assert json.loads(player)["players"][0]["name"] == "伊藤印達"
    assert json.loads(formation)["games"] > 0


def test_errors_say_what_was_wrong(served: Served):
    _tools, results = call_tools(
        served.archive.url,
        ("search_games", {"query": "player:甲 AND"}),
        ("record", {"game_id": 99999}),
        ("record", {"game_id": 1, "format": "../../x"}),
        ("formation", {"name": "../games"}),
    )
    assert all(one.is_error for one in results)
    assert "query" in text_of(results[0]).lower()
    _tools, (result,) = call_tools("http://127.0.0.1:9", ("search_games", {}))
    assert result.is_error and "does not answer" in text_of(result)
