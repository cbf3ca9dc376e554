"""Other people's libraries for records, and other checkouts of ours, ready to take turns: see `rounds`.

The Node.js ones and the checkouts answer from processes of their own; rsshogi is imported where it is
installed.
"""

from __future__ import annotations

import importlib
import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.support.rounds import Round, own

SCRIPT = Path(__file__).with_name("peers.mjs")
CHECKOUT = Path(__file__).with_name("checkout.py")

Texts = Mapping[str, Sequence[str]]
"""The texts of the games by format."""


class Contestant(NamedTuple):
    """A library with a format: the plies of the games it reads, and rounds to the record and to its JSON."""

    library: str
    format: str
    plies: int
    record: Round | None
    text: Round


@contextmanager
def node(folder: str | None, texts: Texts) -> Iterator[list[Contestant]]:
    """json-kifu-format and tsshogi from a folder with `node_modules`; none without Node.js or the folder."""
    program = shutil.which("node")
    if program is None or not folder or not (Path(folder) / "node_modules").is_dir():
        yield []
        return
    with _peer_process([program, str(SCRIPT), folder], texts) as (process, rows):
        yield [
            Contestant(
                row["library"],
                row["format"],
                row["plies"],
                _remote_round(process, [row["library"], row["format"], False], 1e-6),
                _remote_round(process, [row["library"], row["format"], True], 1e-6),
            )
            for row in rows
        ]


@contextmanager
def checkout(folder: Path, texts: Texts) -> Iterator[dict[str, tuple[int, Round]]]:
    """The plies by format of a checkout of this project, and its rounds to the record."""
    # -B leaves the checkout as it is.
    command = [sys.executable, "-B", str(CHECKOUT), str(folder.resolve())]
    with _peer_process(command, texts) as (process, rows):
        yield {row["format"]: (row["plies"], _remote_round(process, row["format"], 1.0)) for row in rows}


@contextmanager
def _peer_process(
    command: Sequence[str], texts: Texts
) -> Iterator[tuple[subprocess.Popen[str], list[dict[str, Any]]]]:
    """Start a process that answers rounds; yield it with its rows, one per format that it reads."""
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        _write(process, texts)
        yield process, list(iter(lambda: _read(process), None))


def _remote_round(process: subprocess.Popen[str], request: object, unit: float) -> Round:
    """A round in the other process, whose answers are in units of so many seconds."""

    def timed() -> list[float]:
        _write(process, request)
        return [time * unit for time in _read(process)]

    return timed


def _write(process: subprocess.Popen[str], value: object) -> None:
    assert process.stdin is not None
    process.stdin.write(json.dumps(value) + "\n")
    process.stdin.flush()


def _read(process: subprocess.Popen[str]) -> Any:
    """The next line of the answer; None after the last row, before the rounds."""
    assert process.stdout is not None
    line = process.stdout.readline()
    if not line:
        raise RuntimeError("a contestant has stopped; see above")
    return json.loads(line)


def rsshogi(texts: Texts) -> list[Contestant]:
    """rsshogi, which gives the record as JSON text and no other way; none where it is not installed."""
    try:
        record = importlib.import_module("rsshogi.record").Record
    except ImportError:
        return []
    readers = {"kif": record.from_kif_str, "ki2": record.from_ki2_str, "csa": record.from_csa_str}
    return [_rust(file_format, read, texts[file_format]) for file_format, read in readers.items()]


def _rust(file_format: str, read: Callable[[str], Any], texts: Sequence[str]) -> Contestant:
    """The contestant for one format."""
    plies = sum(len(json.loads(read(text).to_jkf())["moves"]) - 1 for text in texts)
    return Contestant("rsshogi", file_format, plies, None, own(lambda text: read(text).to_jkf(), texts))
