"""Servers of messages that tests use where there are any."""

from __future__ import annotations

import os
import socket
from typing import Final
from urllib.parse import urlsplit

import pytest

REDIS: Final = os.environ.get("TEST_REDIS_URL", "redis://127.0.0.1:6379/15")
RABBITMQ: Final = os.environ.get("TEST_AMQP_URL", "amqp://guest:guest@127.0.0.1:5672//")


def reachable(address: str) -> str:
    """The address; the test is skipped where nothing listens there."""
    parts = urlsplit(address)
    try:
        socket.create_connection((parts.hostname or "", parts.port or 0), timeout=5).close()
    except OSError as error:
        pytest.skip(f"no server at {parts.hostname}:{parts.port} ({error})")
    return address
