"""A program that knows the archive by its contract alone, with a client that was generated from it.

    python session.py ADDRESS TOKEN FILE

sends a file of records, waits until it is read, and asks for all that came of it. What it saw it prints as
JSON. mypy reads it strictly (`test_generated_client.py`): what the client says of its types holds.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

from kifu_client import AuthenticatedClient, Client
from kifu_client.api.games import (
    get_game,
    get_game_positions,
    get_game_record,
    get_games,
    get_games_export,
    get_games_facets,
)
from kifu_client.api.names import get_players
from kifu_client.api.positions import (
    get_position,
    get_position_games,
    get_position_legal,
    get_position_picture,
    get_position_tree,
    post_position_batch,
    post_position_find,
)
from kifu_client.api.records import post_check, post_convert
from kifu_client.api.statistics import get_openings, get_statistics
from kifu_client.api.uploads import (
    get_entry_source,
    get_upload,
    get_upload_entries,
    get_uploads,
    post_uploads,
)
from kifu_client.models import (
    Checked,
    Converted,
    EntriesPage,
    EntryInfo,
    Explored,
    FacetsInfo,
    GameDetail,
    GameName,
    GamesPage,
    GamesThroughPage,
    GetGameRecordFormat,
    GetGamesExportAs,
    GetPositionGame,
    GetPositionGamesGame,
    GetPositionLegalGame,
    GetPositionMatch,
    GetPositionPictureGame,
    GetPositionTreeGame,
    InvalidPosition,
    LegalMoves,
    OpeningsPage,
    OpeningTree,
    PlayersPage,
    PositionAddress,
    PositionBatch,
    PositionsPage,
    PostCheckJsonBody,
    PostConvertJsonBody,
    PostConvertJsonBodyTo,
    PostPositionBatchBody,
    PostPositionBatchGame,
    PostPositionFindGame,
    PostPositionFindJsonBodyType0,
    PostUploadsFilesBody,
    Problem,
    ReceivedUploads,
    StatisticsInfo,
    UploadInfo,
    UploadsPage,
    UploadState,
)
from kifu_client.types import File

PATIENCE = 120
"""Seconds until an upload must have been read."""


def send(client: AuthenticatedClient, file: Path) -> int:
    """Upload a file; the number of the upload."""
    with file.open("rb") as payload:
        body = PostUploadsFilesBody(file=[File(payload=payload, file_name=file.name)])
        received = post_uploads.sync(client=client, body=body)
    assert isinstance(received, ReceivedUploads), received
    (upload,) = received.uploads
    return upload.id


def wait(client: AuthenticatedClient, upload: int) -> UploadInfo:
    """What is known of an upload that has been read."""
    for _ in range(PATIENCE * 10):
        answer = get_upload.sync(upload, client=client)
        assert isinstance(answer, UploadInfo), answer
        if answer.state in (UploadState.DONE, UploadState.FAILED):
            return answer
        time.sleep(0.1)
    raise TimeoutError(f"upload {upload} is still being read")


def entries_of(client: AuthenticatedClient, upload: int) -> list[EntryInfo]:
    page = get_upload_entries.sync(upload, client=client)
    assert isinstance(page, EntriesPage), page
    return page.results


def of_game(client: AuthenticatedClient, pk: int) -> dict[str, Any]:
    """What is told of a game: itself, its record, its positions."""
    game = get_game.sync(pk, client=client)
    assert isinstance(game, GameDetail), game
    record = get_game_record.sync(pk, GetGameRecordFormat.KIFU, client=client)
    assert isinstance(record, str), record
    positions = get_game_positions.sync(pk, client=client)
    assert isinstance(positions, PositionsPage), positions
    return {
        "black": game.black,
        "result": game.result.value,
        "plies": game.plies,
        "record": record,
        "codes": [one.code for one in positions.results],
    }


def search(client: AuthenticatedClient, query: str) -> list[int]:
    """The games that a query finds."""
    page = get_games.sync(client=client, q=query)
    assert isinstance(page, GamesPage), page
    facets = get_games_facets.sync(client=client, q=query)
    assert isinstance(facets, FacetsInfo) and facets.total.count == len(page.results), facets
    return [one.id for one in page.results]


def export(client: AuthenticatedClient, query: str) -> list[dict[str, Any]]:
    """The games that a query finds, whole: a line of JSON for each, and one that says it was the last."""
    answer = get_games_export.sync_detailed(client=client, q=query, as_=GetGamesExportAs.NDJSON)
    assert answer.status_code == 200, answer
    return [json.loads(line) for line in answer.content.decode().splitlines()]


def explore(client: AuthenticatedClient, code: str) -> dict[str, Any]:
    """What was played in a position, and all else that is told of it."""
    answer = get_position.sync(GetPositionGame.SHOGI, code, client=client, match=GetPositionMatch.ANY)
    assert isinstance(answer, Explored) and answer.game is GameName.SHOGI, answer
    through = get_position_games.sync(GetPositionGamesGame.SHOGI, code, client=client)
    assert isinstance(through, GamesThroughPage), through
    legal = get_position_legal.sync(GetPositionLegalGame.SHOGI, code, client=client)
    assert isinstance(legal, LegalMoves), legal
    tree = get_position_tree.sync(GetPositionTreeGame.SHOGI, code, client=client, min_games=1)
    assert isinstance(tree, OpeningTree), tree
    picture = get_position_picture.sync(GetPositionPictureGame.SHOGI, code, client=client)
    assert isinstance(picture, File), picture
    return {
        "games": answer.games,
        "moves": {one.move: one.games for one in answer.moves},
        "through": [one.id for one in through.results],
        "legal": len(legal.moves),
        "tree": tree.moves[0].move,
        "picture": picture.payload.read().decode()[:4],
    }


def look_up(client: AuthenticatedClient, code: str) -> dict[str, Any]:
    """Positions by what somebody has of them, and many at once."""
    body = PostPositionFindJsonBodyType0(text="position startpos moves 7g7f")
    result = post_position_find.sync(PostPositionFindGame.SHOGI, client=client, body=body)
    assert isinstance(result, PositionAddress), result
    several = PostPositionBatchBody(codes=[code, "x"])
    batch = post_position_batch.sync(PostPositionBatchGame.SHOGI, client=client, body=several)
    assert isinstance(batch, PositionBatch), batch
    good, bad = batch.results
    assert isinstance(bad, InvalidPosition) and not isinstance(good, InvalidPosition), batch
    return {"found": result.code, "batch": good.games, "invalid": bad.error.code}


def statistics(client: AuthenticatedClient) -> dict[str, Any]:
    """What all games add up to."""
    answer = get_statistics.sync(client=client)
    assert isinstance(answer, StatisticsInfo), answer
    openings = get_openings.sync(client=client)
    assert isinstance(openings, OpeningsPage), openings
    players = get_players.sync(client=client)
    assert isinstance(players, PlayersPage), players
    return {
        "games": answer.games,
        "positions": answer.holdings.positions,
        "players": [one.name for one in players.results],
    }


def read(client: AuthenticatedClient, text: str) -> dict[str, Any]:
    """Records that are read and not stored."""
    checked = post_check.sync(client=client, body=PostCheckJsonBody(text=text))
    assert isinstance(checked, Checked), checked
    wanted = PostConvertJsonBody(text=text, to=PostConvertJsonBodyTo.CSA)
    converted = post_convert.sync(client=client, body=wanted)
    assert isinstance(converted, Converted), converted
    return {"plies": checked.games[0].plies, "csa": converted.games[0].record}


def problems(address: str, client: AuthenticatedClient) -> dict[str, str]:
    """What is wrong is told in types, too."""
    wrong = AuthenticatedClient(base_url=address, token="kifu_wrong")
    answers = {
        "a game": get_game.sync(10**9, client=client),
        "a query": get_games.sync(client=client, q="player:"),
        "a code": get_position.sync(GetPositionGame.SHOGI, "x", client=client),
        "a token": get_uploads.sync(client=wrong),
        "a stranger": get_games.sync(client=Client(base_url=address), scope="mine"),
    }
    codes = {}
    for name, one in answers.items():
        assert isinstance(one, Problem), (name, one)
        codes[name] = f"{one.status} {one.code}"
    return codes


def main(address: str, token: str, name: str) -> dict[str, Any]:
    file = Path(name)
    client = AuthenticatedClient(base_url=address, token=token, raise_on_unexpected_status=True)
    upload = send(client, file)
    answer = wait(client, upload)
    (entry,) = entries_of(client, upload)
    assert entry.game_id is not None, entry
    game = of_game(client, entry.game_id)
    source = get_entry_source.sync(upload, entry.seq, client=client)
    assert isinstance(source, File), source
    own = get_uploads.sync(client=client)
    assert isinstance(own, UploadsPage), own
    return {
        "upload": answer.state.value,
        "stored": answer.entries.stored,
        "entry": entry.state.value,
        "same bytes": source.payload.read() == file.read_bytes(),
        "own": [one.id == upload for one in own.results],
        "game": game,
        "id": entry.game_id,
        "found": search(client, f'player:"{game["black"]}" plies:{game["plies"]}'),
        "exported": export(client, f'player:"{game["black"]}"'),
        "explored": explore(client, game["codes"][0]),
        "looked up": look_up(client, game["codes"][0]),
        "statistics": statistics(client),
        "read": read(client, game["record"]),
        "problems": problems(address, client),
    }


if __name__ == "__main__":
    print(json.dumps(main(*sys.argv[1:])))
