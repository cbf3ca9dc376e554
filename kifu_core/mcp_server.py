"""An MCP server that lets assistants read an archive of games, through the archive's HTTP API.

    kifu-mcp https://kifu.example

It speaks on standard input and output. The archive's rights and limits apply: without a token (`KIFU_TOKEN`)
only what is public is read. It never changes anything. Needs the extra `mcp`.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Annotated, Any, Final, Literal
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlencode
from urllib.request import Request, urlopen

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ToolAnnotations
from pydantic import Field

from kifu_core import __version__
from kifu_core.games import GAMES, SHOGI

LARGEST: Final = 1_000_000
"""Bytes of the longest answer that is passed on."""
_SECONDS: Final = 60

Query = Annotated[
    str,
    Field(
        description="Words or a query, such as `player:羽生善治 year:1990..1995 result:black`. Fields: "
        "player, black, white, event, date, year, result, handicap, ending, plies, opening, castle, rating, "
        'reaches:"SFEN", game. AND, OR, NOT and parentheses combine them.'
    ),
]
Limit = Annotated[int, Field(ge=1, le=50, description="The largest number of results.")]
Cursor = Annotated[str, Field(description="`cursor` in the `next_url` of an earlier answer.")]
GameId = Annotated[int, Field(ge=1, description="The number of the game in the archive.")]


class Archive:
    """An archive at an address, read with a token if there is one."""

    def __init__(self, address: str, token: str = "") -> None:
        self.api = f"{address.rstrip('/')}/api/v1/"
        self.headers = {"User-Agent": f"kifu-mcp/{__version__}"}
        if token:
            self.headers["Authorization"] = f"Bearer {token}"

    def text(self, path: str, body: dict[str, Any] | None = None, **query: object) -> str:
        """Return an answer of the API. Raises ToolError with the reason if there is none."""
        used = {name: value for name, value in query.items() if value not in ("", None)}
        url = f"{self.api}{path}?{urlencode(used)}" if used else f"{self.api}{path}"
        data = None if body is None else json.dumps(body).encode()
        headers = self.headers | ({} if data is None else {"Content-Type": "application/json"})
        try:
            with urlopen(Request(url, data, headers), timeout=_SECONDS) as answer:
                content: bytes = answer.read(LARGEST + 1)
        except HTTPError as error:
            raise ToolError(_reason(error)) from error
        except (URLError, TimeoutError) as error:
            raise ToolError(f"the archive does not answer: {error}") from error
        if len(content) > LARGEST:
            raise ToolError("the answer is too long: ask for less")
        return content.decode()

    def json(self, path: str, body: dict[str, Any] | None = None, **query: object) -> dict[str, Any]:
        """Return an answer of the API as an object. Raises ToolError."""
        answer: dict[str, Any] = json.loads(self.text(path, body, **query))
        return answer


def _reason(error: HTTPError) -> str:
    try:
        problem = json.loads(error.read(LARGEST))
        return f"{problem['title']}: {problem['detail']}"
    except (ValueError, LookupError, TypeError):
        return f"the archive answers {error.code}"


def server_of(archive: Archive) -> MCPServer:
    """Return a server with the tools for an archive."""
    server = MCPServer(
        "kifu-archive",
        version=__version__,
        instructions=f"Records of games ({', '.join(GAMES)}): search, positions, patterns, players, castles.",
    )
    tool = server.tool(annotations=ToolAnnotations(read_only_hint=True, open_world_hint=True))

    @tool
    def search_games(
        query: Query = "",
        order: Literal["newest", "oldest", "added", "longest", "shortest"] = "newest",
        limit: Limit = 10,
        cursor: Cursor = "",
    ) -> dict[str, Any]:
        """Find games by players, events, days, results, openings, castles, positions or words in comments."""
        return archive.json("games", q=query, order=order, limit=limit, cursor=cursor)

    @tool
    def record(
        game_id: GameId,
        format: Annotated[
            str, Field(pattern=r"^[a-z0-9]+$", description="A format, such as kifu, csa, usi or jkf.")
        ] = "kifu",
    ) -> str:
        """Read the record of a game with its moves, times, comments and variations."""
        return archive.text(f"games/{game_id}/record.{format}")

    @tool
    def position(
        position: Annotated[
            str, Field(description="An SFEN, `startpos moves 7g7f 3c3d`, a drawn board, or a record.")
        ],
        game: Annotated[str, Field(description=f"The kind of game: {', '.join(GAMES)}.")] = SHOGI.name,
    ) -> dict[str, Any]:
        """Tell how often games reached a position, which moves were played there, and with what results."""
        return archive.json(f"positions/{quote(game, safe='')}/find", {"text": position})

    @tool
    def pattern(
        pattern: Annotated[
            str,
            Field(
                description="Own pieces in capitals, the enemy's in lower case, each with its square: "
                "`K8h S7h k2b`. `then` joins steps."
            ),
        ],
        query: Query = "",
        limit: Limit = 10,
        cursor: Cursor = "",
    ) -> dict[str, Any]:
        """Find games in which a pattern of pieces occurs, with the moves that were played there."""
        return archive.json("patterns", pattern=pattern, q=query, limit=limit, cursor=cursor)

    @tool
    def player(
        name: Annotated[str, Field(min_length=1, description="A name, or a part of one.")],
    ) -> dict[str, Any]:
        """Find players by name, with the games, results, openings and opponents of the first."""
        found = archive.json("players", name=name, order="games", limit=5)["results"]
        return {"players": found, "first": archive.json(f"players/{found[0]['id']}") if found else None}

    @tool
    def formation(
        name: Annotated[
            str, Field(description="The name for programs of a castle or an opening, such as `anaguma`.")
        ] = "",
    ) -> dict[str, Any]:
        """List castles and openings with their numbers of games, or describe one of them."""
        return archive.json(f"formations/{quote(name, safe='')}" if name else "formations")

    return server


def main() -> None:
    """Serve the archive whose address is the argument."""
    if len(sys.argv) != 2 or not sys.argv[1].startswith(("http://", "https://")):
        sys.exit("usage: kifu-mcp https://kifu.example")
    server_of(Archive(sys.argv[1], os.environ.get("KIFU_TOKEN", ""))).run()


if __name__ == "__main__":
    main()
