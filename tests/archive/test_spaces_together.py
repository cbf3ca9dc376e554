"""Several people send, publish, take back, move and delete the same games at the same time.

`KIFU_ROUNDS` is how many rounds there are, `KIFU_SEED` the first one's seed.
"""

from __future__ import annotations

import os
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from random import Random

import pytest
from django.db import connection

from archive import libraries, store
from archive.derive.game import derive_game
from archive.intake import uploads, worker
from archive.libraries import LibraryError
from archive.models import Entry, Game, Membership, Space, Upload, User
from archive.queries.positions.explorer import explore
from archive.queries.scope import Scope
from archive.store import verify
from kifu_core import games
from kifu_core.classes import PUBLIC
from tests.archive.games import START
from tests.archive.rows import empty_index

ROUNDS = int(os.environ.get("KIFU_ROUNDS", "10"))
SEED = int(os.environ.get("KIFU_SEED", "1"))
PEOPLE = ("anna", "boris", "clara")
STEPS = 6
MOST_UPLOADS = 30

pytestmark = pytest.mark.django_db(transaction=True)

OPENINGS = ("７六歩(77)", "２六歩(27)", "５六歩(57)")
ANSWERS = ("３四歩(33)", "８四歩(83)")
ENDS = ("", "まで2手で先手の勝ち\n")


def record_of(random: Random) -> str:
    """One of a few games: as it is, or with more or less said of it, or ended in another way."""
    first, second = random.choice(OPENINGS), random.choice(ANSWERS)
    players = f"先手：甲{first[0]}\n後手：乙\n"
    day = random.choice(["", "開始日時：2024/05/01\n", "開始日時：2024/05/01\n棋戦：順位戦\n"])
    comment = random.choice(["", "*注釈\n", f"*{random.random()}\n"])
    return f"手合割：平手\n{players}{day}   1 {first}\n{comment}   2 {second}\n   3 投了\n"


def send(random: Random, user: User) -> None:
    spaces = [PUBLIC, *Membership.objects.filter(user=user).values_list("space", flat=True)]
    text = "".join(record_of(random) for _ in range(random.choice((1, 1, 3))))
    upload, _new = uploads.receive("a.kif", [text.encode()], user, "web", space=random.choice(spaces))
    worker.work_off(upload.pk)


def some_game(random: Random, user: User, *, public: bool) -> Game | None:
    sent = Game.objects.filter(entries__upload__uploader=user).distinct()
    found = list((sent.filter(space=PUBLIC) if public else sent.exclude(space=PUBLIC)).order_by("pk"))
    return random.choice(found) if found else None


def publish(random: Random, user: User) -> None:
    if game := some_game(random, user, public=False):
        libraries.publish(user, game)


def take_back(random: Random, user: User) -> None:
    if game := some_game(random, user, public=True):
        libraries.take_back(user, game)


def some_upload(random: Random, user: User) -> Upload | None:
    found = list(Upload.objects.filter(uploader=user, state=Upload.State.DONE).order_by("pk"))
    return random.choice(found) if found else None


def move(random: Random, user: User) -> None:
    upload = some_upload(random, user)
    if upload and libraries.move_upload(user, upload, random.choice(libraries.upload_targets(user))[0]):
        store.move_upload(upload.pk, random.choice((1, 100)))


def withdraw(random: Random, user: User) -> None:
    if upload := some_upload(random, user):
        uploads.withdraw(upload.pk)


def delete(random: Random, user: User) -> None:
    if game := some_game(random, user, public=random.random() < 0.5):
        store.delete_games([game.pk], hide_bytes=random.random() < 0.5)


DEEDS: list[Callable[[Random, User], None]] = [
    send, send, send, send, publish, publish, take_back, take_back, move, move, withdraw, delete,
]  # fmt: skip


@pytest.fixture(autouse=True)
def nothing_left(transactional_db: None) -> Iterator[None]:
    yield
    empty_index()


def test_index_and_counters_of_all_spaces_are_right_whatever_people_do_at_once(hot_at_three, small_segments):
    people = [User.objects.create_user(name) for name in PEOPLE]
    group = libraries.create_group(people[0], "研究会")
    for person in people:
        libraries.own_library(person)
    for person in people[1:]:
        libraries.join(person, libraries.invite(people[0], group))
    done: Counter[str] = Counter()
    for number in range(SEED, SEED + ROUNDS):
        print(f"round {number}")
        done += all_at_once(people, number)
        finish()
        assert not list(verify.verify()), f"round {number}"
        assert not [*lost()], f"round {number}"
        assert explorer_counts() == game_counts(), f"round {number}"
    print(done)
    assert all(done[deed.__name__] for deed in DEEDS)


def all_at_once(people: list[User], number: int) -> Counter[str]:
    """A round: everybody does something of everything, each with a connection of their own."""
    failures: list[BaseException] = []
    done: Counter[str] = Counter()

    def person(user: User, seed: int) -> None:
        random = Random(seed)
        try:
            for _ in range(STEPS):
                many = Upload.objects.count() > MOST_UPLOADS
                deed = withdraw if many else random.choice(DEEDS)
                with suppress(LibraryError):
                    deed(random, user)
                    done[deed.__name__] += 1
        except BaseException as error:
            failures.append(error)
        finally:
            connection.close()

    threads = [
        threading.Thread(target=person, args=[user, number * len(people) + at])
        for at, user in enumerate(people)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise AssertionError(f"round {number}") from failures[0]
    return done


def finish() -> None:
    """What a worker would go on with."""
    for pk in Upload.objects.filter(state__in=("received", "processing")).values_list("pk", flat=True):
        worker.work_off(pk)
    for pk in store.unfinished_moves():
        while not store.move_upload(pk, 100):
            pass
    for pk in Upload.objects.filter(state="deleting").values_list("pk", flat=True):
        while not store.delete_upload(pk, 10):
            pass


def lost() -> Iterator[str]:
    """Yield entries that are not what was sent: every record is in a game with its moves, or was deleted."""
    for upload in Upload.objects.order_by("pk"):
        sent = games.load(b"".join(upload.stream()).decode())[1].games
        entries = list(upload.entries.select_related("game__stored").order_by("seq"))
        if len(sent) != len(entries):
            yield f"upload {upload.pk}: {len(entries)} of {len(sent)}"
        for record, entry in zip(sent, entries, strict=False):
            if entry.state in (Entry.State.DELETED, Entry.State.HELD):
                continue
            if entry.game is None or entry.game.stem != derive_game(record).stem:
                yield f"entry {entry}: {entry.state}"


def explorer_counts() -> dict[int, int]:
    """The games of each space as the explorer tells them."""
    spaces = [PUBLIC, *Space.objects.values_list("pk", flat=True)]
    return {space: explore(Scope((space,)), "shogi", START).total for space in spaces}


def game_counts() -> dict[int, int]:
    """The games of each space."""
    spaces = [PUBLIC, *Space.objects.values_list("pk", flat=True)]
    return {space: Game.objects.filter(space=space).count() for space in spaces}
