"""The `kifu` command, run in this process."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from kifu_core.__main__ import main

DATA = Path(__file__).parents[1] / "data"
ROOT = Path(__file__).parents[2]
GAME_FILE = DATA / "kif/even_game.kif"
GAME = GAME_FILE.read_bytes()
EVEN = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL"
EVEN_CODE = "poUAACMaqtYhwHgAAAAPQdTnd3vMgAA"


def kifu(*arguments, piped=b"", code=0, language="C"):
    """Run the command in this process; return its standard output and error.

    `code` is the expected exit code, None for any.
    """
    output, errors = io.TextIOWrapper(io.BytesIO(), "ascii"), io.TextIOWrapper(io.BytesIO(), "ascii")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(piped), "ascii"))
        patch.setattr(sys, "stdout", output)
        patch.setattr(sys, "stderr", errors)
        for name in ("LANG", "LC_ALL"):
            patch.setenv(name, language)
        try:
            found = main([*map(str, arguments)])
        except SystemExit as ended:  # wrong arguments
            found = ended.code
    streams = [stream.detach().getvalue() for stream in map(flushed, (output, errors))]
    assert code in (None, found), streams[1].decode()
    return streams[0], streams[1].decode()


def flushed(stream):
    stream.flush()
    return stream


def text(*arguments, **options):
    return kifu(*arguments, **options)[0].decode()
