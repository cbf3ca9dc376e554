"""An archive with the sample games and an account, as a newcomer has it after `make run`."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
import requests

from archive.management.commands.sample_games import sample_files
from tests.serving import ROOT, START_SECONDS, Archive, archive_at, wait_for

collect_ignore = ["session.py"]

NAME, PASSWORD = "anna", "a long pass phrase"
_HIDDEN = re.compile(r'name="csrfmiddlewaretoken" value="(\w+)"')
_KEY = re.compile(r"kifu_[\w-]{20,}")


@dataclass(frozen=True)
class Served:
    """A running archive, and the key of a token that may do all that a program does."""

    archive: Archive
    token: str


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("client")
    with archive_at(folder, ARCHIVE_SAMPLES="1", ARCHIVE_THROTTLE="0") as archive:

        def loaded() -> bool:
            total: int = archive.get("/api/v1/games/facets")["total"]["count"]
            return total >= len(sample_files())

        wait_for(loaded, START_SECONDS, archive.log)
        yield Served(archive, token_of(archive, "sync", "read-private", "upload", "edit"))
        assert "Traceback" not in archive.log.read_text()


def token_of(archive: Archive, name: str, *scopes: str) -> str:
    """Create an account and on its page a token, as docs/accounts.md says; its key."""
    environment = os.environ | archive.environment | {"DJANGO_SUPERUSER_PASSWORD": PASSWORD}
    made = [sys.executable, "manage.py", "createsuperuser", "--noinput", "--username", NAME]
    subprocess.run([*made, "--email", "anna@example.org"], cwd=ROOT, env=environment, check=True)
    with requests.Session() as browser:
        sent(browser, f"{archive.url}/sign-in/", {"login": NAME, "password": PASSWORD})
        sent(browser, f"{archive.url}/account/reauthenticate/", {"password": PASSWORD})
        page = sent(browser, f"{archive.url}/account/tokens/", {"name": name, "scopes": scopes})
    match = _KEY.search(page)
    assert match is not None, page
    return match[0]


def sent(browser: requests.Session, address: str, fields: dict[str, object]) -> str:
    """Fill in a form as a browser does; the page that follows."""
    token = _HIDDEN.search(browser.get(address, timeout=60).text)
    assert token is not None, address
    fields = fields | {"csrfmiddlewaretoken": token[1]}
    answer = browser.post(address, fields, headers={"Referer": address}, timeout=60)
    answer.raise_for_status()
    return answer.text
