"""The turn of a worker: it checks verdicts of volunteers, and analyses the most urgent positions."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING, Final

from archive.analysis import queue, volunteers
from archive.analysis.usi import EngineError, UsiEngine

if TYPE_CHECKING:
    from archive.analysis.queue import Work
    from archive.project.engine_file import EngineSetting

TURN_SECONDS: Final = 5.0
"""How long a worker goes on before it takes its next message."""

log = logging.getLogger(__name__)

_running: dict[str, UsiEngine] = {}
"""The engines of this process by name, which stay open between turns."""


def turn(seconds: float = TURN_SECONDS) -> bool:
    """Work for about `seconds`; return whether work remains. What was claimed and not begun is given back."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if _check():
            continue
        work = queue.acquire()
        if work is None:
            return False
        _analyse(work, until)
    return True


def _analyse(work: Work, until: float) -> None:
    for ply in work.plies:
        if time.monotonic() >= until:
            queue.abort(work.token)
            return
        try:
            verdict = _engine(work.engine).search(work.line.at(ply), work.nodes, work.lines)
        except EngineError as error:
            log.warning("ply %d of an analysis failed: %s", ply, error)
            queue.fail(work, ply)
            return
        if not queue.complete(work, {ply: verdict}):
            return


def _check() -> bool:
    """Repeat a verdict of a volunteer, if one waits; return whether that was done."""
    waiting = volunteers.next_check()
    if waiting is None:
        return False
    check, setting, searched = waiting
    try:
        verdict = _engine(setting).search(searched, check.nodes, len(check.moves))
    except EngineError as error:
        log.warning("a check of a volunteer failed: %s", error)
        check.delete()
        return True
    volunteers.judge(check, verdict)
    return True


def _engine(setting: EngineSetting) -> UsiEngine:
    if setting.name not in _running:
        _running[setting.name] = UsiEngine(setting)
    return _running[setting.name]


def close_engines() -> None:
    """End the engines of this process."""
    for engine in _running.values():
        engine.close()
    _running.clear()
