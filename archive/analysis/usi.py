"""USI engines as limited processes, and their searches.

Each search begins with an empty hash (`usinewgame`), so that a verdict depends on the position, its history
and the number of nodes, not on what was searched before: whoever repeats it gets the same.
"""

from __future__ import annotations

import os
import resource
import selectors
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from shutil import which
from typing import TYPE_CHECKING, Final, NamedTuple

from archive.analysis.usi_info import Info, parse_info
from archive.derive.verdicts import Line, NewVerdict, is_valid, legal_prefix
from kifu_core.errors import KifuError
from kifu_core.shogi.moves import from_usi
from kifu_core.shogi.position import Position

if TYPE_CHECKING:
    from archive.project.engine_file import EngineSetting, Option

START_SECONDS: Final = 20.0
"""Seconds until a program is ready: some load a large network."""
STOP_SECONDS: Final = 2.0
"""Seconds between `stop` and the best move."""
MOST_OUTPUT: Final = 16 * 1024 * 1024
"""Bytes of output of one search."""
_LONGEST_LINE: Final = 64 * 1024
_CHUNK: Final = 64 * 1024
_HASH: Final = ("USI_Hash", "Hash")
_THREADS: Final = ("Threads", "Thread")
_LINES: Final = ("MultiPV", "USI_MultiPV")


@cache
def _ending_with_us() -> tuple[str, ...]:
    """Return the words before a command whose process ends with ours, even if ours is killed and it hangs:
    `setpriv` of util-linux, where there is one."""
    path = which("setpriv")
    return (path, "--pdeathsig", "KILL", "--") if path else ()


class EngineError(Exception):
    """An engine does not start, has died, hangs, or says what no engine says. Its process has ended."""


class SearchedPosition(NamedTuple):
    """A position with its history: the start as SFEN and the moves since in USI."""

    start: str
    moves: tuple[str, ...] = ()

    def position(self) -> Position:
        """Return the board. Raises KifuError."""
        position = Position.from_sfen(self.start)
        for move in self.moves:
            position.do_move(from_usi(move))
        return position


class UsiEngine:
    """An engine of the settings. Its process starts with the first search, and again after an error."""

    def __init__(self, setting: EngineSetting) -> None:
        self.setting = setting
        self.process: subprocess.Popen[bytes] | None = None
        self.name = ""
        """The name that the program states."""
        self._options = set[str]()
        self._buffer = b""
        self._output = 0

    def search(self, searched: SearchedPosition, nodes: int, lines: int) -> NewVerdict:
        """Return the verdict on a position after a search of so many nodes.

        A search that took too long has fewer nodes. A position in which the engine resigns or that it does
        not score has no lines. Raises EngineError.
        """
        try:
            process = self._started()
            self._limit_time(process.pid)
            self._output = 0
            return self._search(searched, nodes, lines)
        except BaseException as error:
            self.close()
            if isinstance(error, OSError | KifuError):
                raise EngineError(f"{self.setting.name}: {error}") from error
            raise

    def close(self) -> None:
        """Kill the process with all of its group."""
        process, self.process = self.process, None
        if process is None:
            return
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()

    # --- start -------------------------------------------------------------------------------------------

    def _started(self) -> subprocess.Popen[bytes]:
        if self.process is not None and self.process.poll() is None:
            return self.process
        self.close()
        command = self.setting.command
        folder = Path(command[0]).parent
        # Many engines look for their networks beside the program.
        self.process = subprocess.Popen(
            [*_ending_with_us(), *command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            cwd=folder if folder.is_absolute() else None,
            env={name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR") if name in os.environ},
            start_new_session=True,
        )
        _soft, most = resource.getrlimit(resource.RLIMIT_DATA)
        memory = self.setting.memory_mb * 1024 * 1024
        memory = memory if most == resource.RLIM_INFINITY else min(memory, most)
        resource.prlimit(self.process.pid, resource.RLIMIT_DATA, (memory, memory))
        resource.prlimit(self.process.pid, resource.RLIMIT_CORE, (0, 0))
        self._buffer = b""
        self._shake_hands()
        return self.process

    def _shake_hands(self) -> None:
        until = time.monotonic() + START_SECONDS
        self._output, self._options = 0, set()
        self._send("usi")
        for line in self._lines_to("usiok", until):
            if line.startswith("id name "):
                self.name = line.removeprefix("id name ").strip()
            elif line.startswith("option name "):
                self._options.add(line.removeprefix("option name ").partition(" type ")[0].strip())
        if self.setting.version not in self.name:
            raise EngineError(
                f"{self.setting.name}: the settings say version {self.setting.version!r}, "
                f"the program says {self.name!r}"
            )
        self._set_first(_HASH, self.setting.hash_mb)
        self._set_first(_THREADS, self.setting.threads)
        for name, value in self.setting.options.items():
            self._set(name, value)
        self._wait_ready(until)

    def _set_first(self, names: Sequence[str], value: Option) -> None:
        """Set the first of these options that the program has."""
        name = next(
            (name for name in names if name in self._options and name not in self.setting.options), ""
        )
        if name:
            self._set(name, value)

    def _set(self, name: str, value: Option) -> None:
        text = str(value).lower() if isinstance(value, bool) else str(value)
        self._send(f"setoption name {name} value {text}")

    def _wait_ready(self, until: float) -> None:
        self._send("isready")
        for _line in self._lines_to("readyok", until):
            pass

    def _limit_time(self, pid: int) -> None:
        """Let the process use no more processor time than a search with all threads may take."""
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        used = (int(fields[11]) + int(fields[12])) // os.sysconf("SC_CLK_TCK")
        more = int((self.setting.seconds + STOP_SECONDS + START_SECONDS) * self.setting.threads)
        _soft, hard = resource.prlimit(pid, resource.RLIMIT_CPU)
        resource.prlimit(pid, resource.RLIMIT_CPU, (used + more + 1, hard))

    # --- search ------------------------------------------------------------------------------------------

    def _search(self, searched: SearchedPosition, nodes: int, lines: int) -> NewVerdict:
        self._set_first(_LINES, lines)
        self._send("usinewgame")
        self._wait_ready(time.monotonic() + START_SECONDS)
        moves = f" moves {' '.join(searched.moves)}" if searched.moves else ""
        self._send(f"position sfen {searched.start}{moves}")
        position = searched.position()
        milliseconds = self.setting.seconds * 1000
        self._send(
            f"go nodes {nodes}" if self.setting.counts_nodes else f"go btime 0 wtime 0 byoyomi {milliseconds}"
        )
        infos, reached, timed_out = self._infos(position.turn, nodes)
        return verdict_of(
            position,
            [infos[number] for number in sorted(infos)][:lines],
            nodes=min(reached, nodes) if timed_out else nodes,
            history=bool(searched.moves),
        )

    def _infos(self, turn: int, nodes: int) -> tuple[dict[int, Info], int, bool]:
        """Return the last exact line of each number, the nodes that were reached, and whether time was
        over."""
        infos, reached = dict[int, Info](), 0
        timed_out = stopped = False
        until = time.monotonic() + self.setting.seconds
        while (line := self._line(until)) is None or not line.startswith("bestmove"):
            if line is None and stopped:
                raise EngineError(f"{self.setting.name} hangs: no best move in time")
            info = parse_info(line, turn) if line is not None else None
            if info is not None:
                reached = max(reached, info.nodes)
                if info.moves and info.exact:
                    infos[info.number] = info
            timed_out = timed_out or line is None
            if not stopped and (timed_out or (reached >= nodes and not self.setting.counts_nodes)):
                self._send("stop")
                stopped, until = True, time.monotonic() + STOP_SECONDS
        return infos, reached, timed_out

    # --- lines of text -----------------------------------------------------------------------------------

    def _send(self, line: str) -> None:
        if self.process is None or self.process.stdin is None:
            raise EngineError(f"{self.setting.name} does not run")
        self.process.stdin.write(f"{line}\n".encode())

    def _lines_to(self, last: str, until: float) -> Iterator[str]:
        """Yield the lines before one; `until` is of the monotonic clock. Raises EngineError."""
        while (line := self._line(until)) != last:
            if line is None:
                raise EngineError(f"{self.setting.name} hangs: no {last} in time")
            yield line

    def _line(self, until: float) -> str | None:
        """Return the next line; None if there is none in time."""
        while b"\n" not in self._buffer:
            if len(self._buffer) > _LONGEST_LINE or self._output > MOST_OUTPUT:
                raise EngineError(f"{self.setting.name} says too much")
            if (data := self._read(until)) is None:
                return None
            self._buffer += data
            self._output += len(data)
        line, self._buffer = self._buffer.split(b"\n", 1)
        return line.decode("utf-8", "replace").strip()

    def _read(self, until: float) -> bytes | None:
        assert self.process is not None and self.process.stdout is not None
        with selectors.DefaultSelector() as selector:
            selector.register(self.process.stdout, selectors.EVENT_READ)
            if not selector.select(max(0.0, until - time.monotonic())):
                return None
        data = os.read(self.process.stdout.fileno(), _CHUNK)
        if not data:
            raise EngineError(f"{self.setting.name} has ended")
        return data


def verdict_of(position: Position, infos: Sequence[Info], *, nodes: int, history: bool) -> NewVerdict:
    """Return the verdict of an engine's lines on a position, the best first; lines that begin with the move
    of a better one, or with an illegal move, are left out."""
    lines = dict[str, Line]()
    for info in infos:
        moves = legal_prefix(position, info.moves)
        line = info.line._replace(moves=moves)
        if moves and is_valid(line):
            lines.setdefault(moves[0], line)
    return NewVerdict(tuple(lines.values()), nodes, infos[0].depth if infos else 0, history)
