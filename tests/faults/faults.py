"""The kinds of faults. After each the archive must be whole; at the end the upload must be done."""

from __future__ import annotations

import contextlib
import os
import shutil
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random
from typing import Final

import redis
from django.conf import settings
from django.db import connections
from kombu import Connection
from kombu.exceptions import OperationalError as BrokerError

from archive import store
from archive.intake import tasks, worker
from archive.models import Game, Upload
from archive.store import deletion
from tests.faults.analyses import killed_analyses
from tests.faults.case import WAIT_SECONDS, Case, Skipped
from tests.faults.points import AFTER_PROGRESS, Moment, removal_steps, steps
from tests.faults.servers import redis_server
from tests.faults.world import Broken, World, pile
from tests.serving import free_port


def killed_workers(case: Case) -> None:
    """kill -9 at moments spread over all steps of the work."""
    world, all_steps, attempts = World.with_pile(case.games), steps(), 0
    while case.survived < case.kills:
        if world.state == Upload.State.DONE:
            world.check_all()
            world = world.again()
        # Of each step in turn, for not every upload comes to all: known games are not inserted again.
        step = all_steps[attempts % len(all_steps)]
        attempts += 1
        # Death after death without any progress means that a record is deadly, which none here is.
        if Upload.objects.get(pk=world.upload).tries >= 2:
            step = next(one for one in all_steps if one.title == AFTER_PROGRESS)
        moment = Moment.chosen(step, case.dice)
        pid = case.child(lambda moment=moment, world=world: _die(moment, world))  # type: ignore[misc]
        _, status = os.waitpid(pid, 0)
        world.let_claims_run_out()
        if os.WIFSIGNALED(status):
            case.note(f"kill -9 {moment}", world.check_so_far())
        elif os.WEXITSTATUS(status):
            raise Broken("a worker failed by itself, as told above")
    worker.work_off(world.upload)
    world.check_all()


def _die(moment: Moment, world: World) -> None:
    moment.arm()
    while worker.work_on(world.upload, f"worker {os.getpid()}", seconds=0.2):
        pass


def several_workers(case: Case) -> None:
    """Three workers that want the same uploads, whose games overlap and come in different orders."""
    first = World.with_pile(case.games)
    worlds = [first, first.again(), World.of(pile(range(case.games)[::-1]))]
    few = max(1, case.games // 10)
    worlds += [World.of(pile(range(start, start + few))) for start in range(0, case.games // 2, few)]

    def run(dice: Random) -> None:
        until = time.monotonic() + WAIT_SECONDS
        while time.monotonic() < until and (left := [world for world in worlds if world.state != "done"]):
            upload = dice.choice(left).upload
            worker.work_with_others(upload, f"worker {os.getpid()}", seconds=dice.uniform(0, 0.2))

    children = [case.child(partial(run, Random(case.dice.random()))) for _ in range(3)]
    if any([os.waitpid(pid, 0)[1] for pid in children]):
        raise Broken("a worker failed")
    for world in worlds:
        world.check_own()
    first.check_all()
    if case.postgres and case.postgres.deadlocks():
        raise Broken(f"{case.postgres.deadlocks()} deadlocks")
    case.note(f"3 workers on the same {len(worlds)} uploads", sum(world.count for world in worlds))


def expired_claims(case: Case) -> None:
    """A worker that was taken for dead goes on beside the one that has its upload now."""
    world = World.with_pile(case.games)

    def run() -> None:
        until = time.monotonic() + WAIT_SECONDS
        while time.monotonic() < until and world.state != "done":
            worker.work_on(world.upload, f"worker {os.getpid()}", seconds=0.2)

    children = [case.child(run) for _ in range(2)]
    taken = 0
    while world.state != "done" and taken < 2 * case.kills:
        time.sleep(case.dice.uniform(0.02, 0.4))
        world.let_claims_run_out()
        taken += 1
    if any([os.waitpid(pid, 0)[1] for pid in children]):
        raise Broken("a worker failed")
    world.check_all()
    case.note(f"2 workers, claims taken away {taken} times", world.count)


def killed_deletions(case: Case) -> None:
    """kill -9 while an upload is deleted, half of whose games another one has too."""
    while case.survived < case.kills:
        stays, goes = World.of(pile(range(case.games // 2))), World.of(pile(range(case.games)))
        for world in (stays, goes):
            worker.work_off(world.upload)
        left = stays.again()
        worker.work_off(left.upload)
        store.begin_deletion(goes.upload)
        while Upload.objects.filter(pk=goes.upload).exists() and case.survived < case.kills:
            step = case.dice.choice(removal_steps())
            moment = Moment.chosen(step, case.dice)
            pid = case.child(lambda moment=moment, pk=goes.upload: _delete(moment, pk))  # type: ignore[misc]
            _, status = os.waitpid(pid, 0)
            goes.let_claims_run_out()
            if os.WIFSIGNALED(status):
                case.note(f"kill -9 {moment} of a deletion", stays.check_so_far())
            elif os.WEXITSTATUS(status):
                raise Broken("a deletion failed by itself")
        if not store.delete_upload(goes.upload):
            raise Broken("the deletion did not end")
        for world in (stays, left):
            world.check_all()
            store.delete_upload(world.upload)
        if Game.objects.exists():
            raise Broken("games are left of which there is no upload")


def _delete(moment: Moment, upload: int) -> None:
    deletion.BATCH = deletion.LARGEST_BATCH = deletion.SMALLEST_BATCH = 20
    moment.arm()
    store.delete_upload(upload)


def lost_messages(case: Case) -> None:
    """Messages thrown away as they come; then everything is killed and started again."""
    world = World.with_pile(case.games)
    with case.worker():
        for share in (1, 2, 3):
            tasks.send(world.upload, tasks.BULK)
            case.wait_entries(world, share * len(world.expected) // 6)
            thrown = sum(_throw_away(message) for message in _messages())
            case.note(f"{thrown} messages thrown away", world.count)
    world.let_claims_run_out()
    case.note("everything killed", world.check_so_far())
    with case.worker():
        case.wait_done(world)
    world.check_all()


def _messages() -> list[Path]:
    return list((settings.DATA_DIR / "broker" / "queue").glob("*.msg"))


def _throw_away(message: Path) -> bool:
    with contextlib.suppress(FileNotFoundError):
        message.unlink()
        return True
    return False


def broker_away(case: Case) -> None:
    """Redis: every connection dropped again and again, then the server killed and started empty."""
    if shutil.which("redis-server") is None:
        raise Skipped("there is no redis-server on this machine")
    world, port = World.with_pile(case.games), free_port()
    address = f"redis://127.0.0.1:{port}/0"
    with case.worker(address):
        with redis_server(port) as server, redis.Redis(port=port) as client:
            _send(address, world)
            for share in (1, 2, 3):
                case.wait_entries(world, share * len(world.expected) // 6)
                client.client_kill_filter(_type="normal", skipme=True)
                _send(address, world)
                case.note("every connection to Redis dropped", world.count)
            server.kill()
            case.note("Redis killed", world.check_so_far())
        with redis_server(port):
            until = time.monotonic() + WAIT_SECONDS
            while world.state != "done" and time.monotonic() < until:
                for upload in store.sweep():
                    _send(address, world, upload)
                time.sleep(0.5)
    world.check_all()


def _send(broker: str, world: World, upload: int = 0) -> None:
    """Send a message over another broker than this process's own."""
    with contextlib.suppress(BrokerError, OSError), Connection(broker, connect_timeout=2) as channel:
        tasks.process_upload.apply_async((upload or world.upload,), queue=tasks.BULK, connection=channel)  # type: ignore[call-arg]


def database_away(case: Case) -> None:
    """PostgreSQL: all connections ended, then kill -9 of the server and all its processes."""
    server = case.postgres
    if server is None:
        raise Skipped("SQLite has no server")
    world = World.with_pile(case.games)
    rounds = max(3, case.kills // 5)
    with case.worker():
        tasks.send(world.upload, tasks.BULK)
        for number in range(rounds):
            case.wait_entries(world, number * len(world.expected) // rounds)
            time.sleep(case.dice.uniform(0, 0.5))
            connections.close_all()
            if number % 3 == 2:
                server.drop_connections()
                case.note("every connection ended", world.check_so_far())
            else:
                server.kill()
                server.start()
                case.note("kill -9 of the server", world.check_so_far())
        case.wait_done(world)
    world.check_all()


def full_disk(case: Case) -> None:
    """The database on a small file system that has no room for another page, and then has."""
    server = case.postgres
    place = server.folder if server else Path(settings.DATA_DIR)
    if not place.is_mount():
        raise Skipped("a small file system can only be mounted as root")
    world, ballast, full = World.with_pile(case.games), place / "ballast", 0
    for _ in range(max(3, case.kills // 5)):
        worker.work_on(world.upload, "with room", seconds=0)
        _fill(ballast)
        _, status = os.waitpid(case.child(lambda: worker.work_off(world.upload)), 0)
        full += status != 0
        connections.close_all()
        ballast.unlink()
        if server:
            server.revive()
        world.let_claims_run_out()
        case.note("the disk was full" if status else "done before the disk was full", world.check_so_far())
    if not full:
        raise Broken("the disk was never full")
    worker.work_off(world.upload)
    world.check_all()


def _fill(ballast: Path) -> None:
    with contextlib.suppress(OSError), ballast.open("wb", buffering=0) as file:
        while True:
            file.write(bytes(4096))


KINDS: Final[dict[str, Callable[[Case], None]]] = {
    "kill": killed_workers,
    "delete": killed_deletions,
    "workers": several_workers,
    "claims": expired_claims,
    "messages": lost_messages,
    "redis": broker_away,
    "database": database_away,
    "disk": full_disk,
    "analyses": killed_analyses,
}
