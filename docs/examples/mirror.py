"""Keeps a copy of all public games of an archive in a SQLite file.

    python mirror.py https://kifu.example games.sqlite

Run it as often as you like, for example every hour: it continues where it stopped. The table `games` has the
JSON of each game with its record, as a line of `GET games/export`. Needs nothing but Python 3.11.
"""

import json
import sqlite3
import sys
import time
from urllib.error import HTTPError
from urllib.request import urlopen

TABLES = """
    CREATE TABLE IF NOT EXISTS games (id INTEGER PRIMARY KEY, game TEXT NOT NULL);
    CREATE TABLE IF NOT EXISTS place (id INTEGER PRIMARY KEY CHECK (id = 1), url TEXT NOT NULL);
"""


def get(url: str) -> bytes:
    """Return the body of an answer; wait while the archive is busy."""
    while True:
        try:
            with urlopen(url, timeout=300) as answer:
                return bytes(answer.read())
        except HTTPError as error:
            if error.code not in (429, 503):
                raise
            time.sleep(int(error.headers.get("Retry-After", 10)))


def update(archive: str, copy: sqlite3.Connection) -> None:
    """Make a copy equal to an archive. A page of changes and the games in it are stored together."""
    copy.executescript(TABLES)
    row = copy.execute("SELECT url FROM place").fetchone()
    url, complete = row[0] if row else f"{archive}/api/v1/changes?limit=500", False
    while not complete:
        try:
            page = json.loads(get(url))
        except HTTPError as error:
            if error.code != 400 or not row:
                raise
            # The archive was restored from a backup: begin anew.
            with copy:
                copy.execute("DELETE FROM games")
                copy.execute("DELETE FROM place")
            return update(archive, copy)
        present = ",".join(str(game["id"]) for game in page["results"] if game["change"] != "gone")
        lines = get(f"{archive}/api/v1/games/export?ids={present}").splitlines() if present else []
        if lines and not json.loads(lines.pop())["complete"]:
            raise OSError("the export was cut off")
        url, complete = page["next_url"], page["complete"]
        with copy:
            copy.executemany("DELETE FROM games WHERE id = ?", [(game["id"],) for game in page["results"]])
            copy.executemany("INSERT INTO games VALUES (?, ?)", [(json.loads(x)["id"], x) for x in lines])
            copy.execute("REPLACE INTO place VALUES (1, ?)", [url])


if __name__ == "__main__":
    update(sys.argv[1].rstrip("/"), sqlite3.connect(sys.argv[2]))
