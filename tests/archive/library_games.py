"""Uploads to libraries, and clients of their owners."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from archive.intake import worker
from archive.models import Entry, Game, Upload, User
from tests.archive.games import KIF

SECRET = (
    KIF.replace("先手の人", "秘密甲之進")
    .replace("試しの棋戦", "内輪の秘密会")
    .replace("まで7手", "*ひそかな注釈\nまで7手")
)


def signed_in(user: User | None) -> Client:
    client = Client()
    if user:
        client.force_login(user)
    return client


def send(user: User, text: str, space: str = "mine", name: str = "himitsu.kif") -> Upload:
    """Upload through the API, worked off at once."""
    answer = signed_in(user).post(
        "/api/v1/uploads", {"file": SimpleUploadedFile(name, text.encode()), "space": space}
    )
    assert answer.status_code in (200, 202), answer.content
    upload = Upload.objects.get(pk=answer.json()["uploads"][0]["id"])
    worker.work_off(upload.pk)
    upload.refresh_from_db()
    return upload


def game_of(upload: Upload) -> Game:
    entry = Entry.objects.select_related("game").get(upload=upload)
    assert entry.game is not None
    return entry.game


def page_in_english(user: User, address: str) -> str:
    return str(signed_in(user).get(address, HTTP_ACCEPT_LANGUAGE="en").content.decode())


def text_of(answer: Any) -> str:
    """The body and headers of an answer."""
    body = b"".join(answer.streaming_content) if answer.streaming else answer.content
    text = body.decode(errors="replace")
    with suppress(ValueError):
        text = json.dumps(json.loads(text), ensure_ascii=False)
    return text + str(answer.headers)
