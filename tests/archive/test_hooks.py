"""Webhooks: what they tell of and when, what becomes of failures, and whose they are."""

from __future__ import annotations

import hashlib
import hmac
import json
import threading
import time
from datetime import timedelta
from queue import SimpleQueue
from threading import Event
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.db import connection, transaction
from django.utils import timezone

from archive import libraries, store
from archive.hooks import delivering, own_hooks
from archive.hooks import runner as runner_module
from archive.hooks.arrivals import delete_old_arrivals, number_arrivals
from archive.hooks.delivering import PAUSES, deliver, due_hooks, pause
from archive.hooks.runner import Runner
from archive.http.limits.throttling import LimitReachedError
from archive.intake import worker
from archive.models import Arrival, AuditLine, Game, Hook, HookDelivery, Membership, User
from archive.queries.scope import spaces_of
from kifu_core.classes import PUBLIC
from tests.archive.games import KIF, START, stored
from tests.archive.receiver import Receiver, deliver_due, hook_to, receiving, silence, status

pytestmark = pytest.mark.django_db(transaction=True)

OTHER = KIF.replace("先手の人", "別の人").replace("７六歩(77)", "２六歩(27)", 1).split("   3 ")[0]


@pytest.fixture(autouse=True)
def at_home(settings) -> None:
    settings.ARCHIVE_HOOKS_HTTP = True
    settings.ARCHIVE_HOOKS_PRIVATE_NETWORKS = True


@pytest.fixture
def anna() -> User:
    return User.objects.create_user("anna", email="anna@example.com", password="opensesame")


def first_players(one: Receiver) -> list[list[str]]:
    """The players with colour 0 of each delivery."""
    return [[game["black"] for game in got.json["games"]] for got in one.received]


def in_space(user: User, text: str, space: int) -> None:
    upload, _ = store.create_upload("a.kif", [text.encode()], source="web", uploader=user, space=space)
    worker.work_off(upload.pk)


def later(**time: int) -> None:
    """Let waiting deliveries and failures have begun earlier."""
    earlier = timedelta(**time)
    for one in HookDelivery.objects.exclude(next_try=None):
        HookDelivery.objects.filter(pk=one.pk).update(next_try=one.next_try - earlier)
    for hook in Hook.objects.exclude(failing_since=None):
        Hook.objects.filter(pk=hook.pk).update(failing_since=hook.failing_since - earlier)


# --- what is told ----------------------------------------------------------------------------------------


def test_a_hook_is_told_of_games_that_come_after_it_with_a_signature(anna, client):
    stored(OTHER)
    with receiving() as one:
        hook, secret = own_hooks.make_hook(anna, one.address, "", "public", spaces_of(anna))
        stored(KIF)
        deliver_due()
        (got,) = one.received
    listed = client.get("/api/v1/games?order=added").json()["results"][0]
    game = got.json["games"][0]
    assert {**game, "url": ""} == {**listed, "url": ""}
    assert game["url"].endswith(f"/api/v1/games/{game['id']}")
    assert (got.json["hook"], got.json["test"]) == (hook.pk, False)
    assert got.json["delivery"] == got.headers["x-kifu-delivery"] == str(HookDelivery.objects.get().pk)
    signed = got.headers["x-kifu-timestamp"].encode() + b"." + got.body
    right = "sha256=" + hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()
    assert hmac.compare_digest(got.headers["x-kifu-signature"], right)
    assert abs(int(got.headers["x-kifu-timestamp"]) - time.time()) < 60
    assert HookDelivery.objects.get().status == 204
    assert not due_hooks()


@pytest.mark.parametrize(
    ("query", "expected"),
    [("", [["先手の人", "別の人"]]), ("player:別の人", [["別の人"]]), ("player:いない人", []),
     (f'reaches:"{START}"', [["先手の人", "別の人"]]), ("plies:>5", [["先手の人"]])],
)  # fmt: skip
def test_a_hook_is_told_of_what_its_query_finds(anna, query, expected):
    with receiving() as one:
        hook_to(anna, one, query)
        stored(KIF)
        stored(OTHER)
        deliver_due()
        assert first_players(one) == expected


def test_games_of_a_library_are_told_to_who_asked_for_it(anna):
    mine = libraries.own_library(anna).pk
    with receiving() as public, receiving() as private:
        hook_to(anna, public)
        hook_to(anna, private, scope="mine")
        in_space(anna, KIF, mine)
        deliver_due()
        assert (first_players(public), first_players(private)) == ([], [["先手の人"]])
        assert private.received[0].json["games"][0]["space"] == "mine"
        store.move_game(Game.objects.get().pk, PUBLIC)
        deliver_due()
        assert (first_players(public), first_players(private)) == ([["先手の人"]], [["先手の人"]])


def test_many_games_come_in_several_deliveries_and_in_order(anna, monkeypatch):
    monkeypatch.setattr(delivering, "MOST", 2)
    with receiving() as one:
        hook_to(anna, one)
        for name in "甲乙丙丁戊":
            stored(KIF.replace("先手の人", name))
        deliver_due()
        assert first_players(one) == [["甲", "乙"], ["丙", "丁"], ["戊"]]


def test_what_is_gone_before_it_is_sent_is_not_told(anna):
    with receiving(status(500)) as one:
        hook_to(anna, one)
        stored(KIF)
        deliver_due()
        store.delete_games([Game.objects.get().pk])
        later(hours=1)
        deliver_due()
        assert len(one.received) == 1
    assert HookDelivery.objects.get().error == "nothing-left"


def test_a_game_that_is_committed_late_is_told_all_the_same(anna):
    """The transaction that began first, and has the smaller ids, ends last."""
    if connection.vendor != "postgresql":
        pytest.skip("SQLite has one writer at a time")
    begun, end = threading.Event(), threading.Event()

    def slow() -> None:
        with transaction.atomic():
            Arrival.objects.create(game=first.pk, space=PUBLIC)
            begun.set()
            end.wait(20)
        connection.close()

    stored(KIF)
    stored(OTHER)
    first, second = Game.objects.order_by("pk")
    Arrival.objects.all().delete()
    with receiving() as one:
        hook_to(anna, one)
        thread = threading.Thread(target=slow)
        thread.start()
        assert begun.wait(20)
        Arrival.objects.create(game=second.pk, space=PUBLIC)
        deliver_due()
        assert first_players(one) == [["別の人"]]
        end.set()
        thread.join()
        assert list(Arrival.objects.order_by("id").values_list("game", flat=True)) == [first.pk, second.pk]
        deliver_due()
        assert first_players(one) == [["別の人"], ["先手の人"]]


def test_numbers_grow_also_after_old_arrivals_are_forgotten(anna):
    with receiving() as one:
        hook_to(anna, one)
        stored(KIF)
        deliver_due()
        Arrival.objects.update(at=timezone.now() - timedelta(days=15))
        assert delete_old_arrivals() == 1
        stored(OTHER)
        deliver_due()
        assert first_players(one) == [["先手の人"], ["別の人"]]


def test_without_hooks_arrivals_are_forgotten_soon(anna):
    stored(KIF)
    Arrival.objects.update(at=timezone.now() - timedelta(hours=2))
    assert delete_old_arrivals() == 1


# --- failures --------------------------------------------------------------------------------------------


def test_what_fails_is_sent_again_under_the_same_id_and_what_comes_later_waits(anna):
    with receiving(status(500), status(200)) as one:
        hook_to(anna, one)
        stored(KIF)
        deliver_due()
        stored(OTHER)
        deliver_due()
        assert first_players(one) == [["先手の人"]]
        later(minutes=2)
        deliver_due()
        assert first_players(one) == [["先手の人"], ["先手の人"], ["別の人"]]
        assert one.received[0].json["delivery"] == one.received[1].json["delivery"]
    assert Hook.objects.get().failing_since is None


def test_pauses_grow_and_end_at_six_hours():
    least = [60, 300, 1_800, 7_200, 21_600, 21_600]
    for tries, seconds in enumerate(least, start=1):
        assert seconds <= pause(tries) <= seconds * 1.1
    assert 600 <= pause(1, 600) <= 660
    assert pause(1, 10**9) <= 21_600 * 1.1


def test_after_days_of_failures_a_hook_is_switched_off_and_its_owner_told(anna):
    EmailAddress.objects.create(user=anna, email="anna@example.com", verified=True, primary=True)
    tries = len(PAUSES) + 1
    with receiving(*[status(500)] * tries, status(200)) as one:
        hook = hook_to(anna, one)
        stored(KIF)
        for _ in range(tries):
            hook.refresh_from_db()
            assert not hook.disabled, "days in which the archive did not run are no failures"
            deliver_due()
            later(days=5)
        hook.refresh_from_db()
        assert (hook.disabled, len(one.received)) == ("failing", tries)
        assert not due_hooks()
        (sent,) = mail.outbox
        assert sent.to == ["anna@example.com"] and one.address in sent.body
        assert AuditLine.objects.filter(what=f"hook {hook.pk}: switched off, failing").exists()
        stored(OTHER)
        own_hooks.enable_hook(anna, hook)
        deliver_due()
        assert first_players(one)[tries:] == [["先手の人"], ["別の人"]]


def test_waiting_in_our_own_queue_is_no_failure(anna, monkeypatch):
    def look_up(*_anything: object) -> None:
        raise LimitReachedError(15)

    with receiving() as one:
        hook_to(anna, one)
        stored(KIF)
        with monkeypatch.context() as busy:
            busy.setattr(delivering, "look_up", look_up)
            deliver_due()
        waiting = HookDelivery.objects.get()
        assert (waiting.tries, waiting.error, Hook.objects.get().failing_since) == (0, "", None)
        deliver_due()
        assert not one.received, "it waits a little"
        later(seconds=16)
        deliver_due()
        assert first_players(one) == [["先手の人"]]


def test_a_receiver_that_is_gone_is_left_alone_at_once(anna):
    with receiving(status(410)) as one:
        hook_to(anna, one)
        stored(KIF)
        deliver_due()
    assert Hook.objects.get().disabled == "gone"


def test_a_receiver_may_ask_for_a_longer_pause(anna):
    with receiving(status(503, "Retry-After: 3000")) as one:
        hook_to(anna, one)
        stored(KIF)
        deliver_due()
    rest = HookDelivery.objects.get().next_try - timezone.now()
    assert timedelta(seconds=2_900) < rest < timedelta(seconds=3_301)


def test_who_dies_between_storing_and_sending_loses_nothing(anna, monkeypatch):
    with receiving() as one:
        hook = hook_to(anna, one)
        stored(KIF)

        def killed(*_arguments: Any) -> None:
            raise KeyboardInterrupt

        with monkeypatch.context() as patched:
            patched.setattr(delivering, "_send", killed)
            with pytest.raises(KeyboardInterrupt):
                deliver_due()
        delivery = HookDelivery.objects.get()
        # A process that is killed gives nothing back.
        Hook.objects.update(claimed_by="dead", claimed_until=timezone.now() + timedelta(seconds=60))
        deliver_due()
        assert one.received == []
        Hook.objects.update(claimed_until=timezone.now())
        deliver_due()
        assert [got.json["delivery"] for got in one.received] == [str(delivery.pk)]
        hook.refresh_from_db()
        assert hook.claimed_until is None


def test_two_at_once_do_not_send_the_same_twice(anna):
    with receiving() as one:
        hook_to(anna, one)
        stored(KIF)
        number_arrivals()
        (pk,) = due_hooks()
        Hook.objects.update(claimed_by="other", claimed_until=timezone.now() + timedelta(seconds=60))
        deliver(pk)
        assert one.received == [] and not due_hooks()


def test_a_host_that_turns_private_is_sent_nothing(anna, settings):
    with receiving() as one:
        hook_to(anna, one)
        stored(KIF)
        settings.ARCHIVE_HOOKS_PRIVATE_NETWORKS = False
        deliver_due()
        assert one.connections == 0
    assert HookDelivery.objects.get().error == "hook-private-host"


@pytest.mark.parametrize("how", ["left the group", "switched off"])
def test_a_hook_ends_with_the_right_to_read(anna, how):
    boris = User.objects.create_user("boris")
    group = libraries.create_group(boris, "道場")
    libraries.join(anna, libraries.invite(boris, group))
    with receiving() as one:
        hook_to(anna, one, scope=f"group-{group.pk}")
        in_space(boris, KIF, group.pk)
        if how == "switched off":
            User.objects.filter(pk=anna.pk).update(is_active=False)
        else:
            Membership.objects.filter(user=anna, space=group).delete()
        deliver_due()
        assert one.received == []
    assert Hook.objects.get().disabled == "rights"


def test_a_query_that_is_none_any_more_or_slow_ends_a_hook(anna, monkeypatch):
    with receiving() as one:
        hook = hook_to(anna, one)
        Hook.objects.filter(pk=hook.pk).update(query="player:")
        stored(KIF)
        deliver_due()
    assert Hook.objects.get().disabled == "query"


def test_the_runner_tells_hooks_by_itself(anna):
    with receiving() as one, receiving(silence):
        hook_to(anna, one)
        stored(KIF)
        runner = Runner()
        deadline = time.monotonic() + 20
        while not one.received and time.monotonic() < deadline:
            runner.turn()
            time.sleep(0.05)
        runner.senders.shutdown()
        assert first_players(one) == [["先手の人"]]
        assert json.loads(one.received[0].body)["test"] is False


def test_hooks_of_one_account_are_worked_on_in_turn_and_beside_those_of_others(anna, monkeypatch):
    worked: SimpleQueue[tuple[int, Event]] = SimpleQueue()

    def work(pk: int) -> None:
        done = Event()
        worked.put((pk, done))
        done.wait(20)

    monkeypatch.setattr(runner_module, "deliver", work)
    boris = User.objects.create_user("boris")
    with receiving() as one:
        first, second, third = [hook_to(anna, one) for _ in range(3)]
        other = hook_to(boris, one)
    for hook in Hook.objects.all():
        own_hooks.request_test(hook)
    runner = Runner()
    runner.turn()
    begun = dict(worked.get(timeout=20) for _ in range(2))
    runner.turn()
    assert begun.keys() == {first.pk, other.pk} and worked.empty()
    done = begun[first.pk]
    for hook in (second, third, first):
        done.set()
        runner.working[anna.pk].result(20)
        runner.turn()
        pk, done = worked.get(timeout=20)
        assert pk == hook.pk
    done.set()
    begun[other.pk].set()
    runner.senders.shutdown()


def test_the_last_twenty_deliveries_are_kept(anna, monkeypatch):
    monkeypatch.setattr(delivering, "LISTED_DELIVERIES", 2)
    with receiving() as one:
        hook = hook_to(anna, one)
        for _ in range(4):
            own_hooks.request_test(hook)
            deliver_due()
        assert len(one.received) == 4
    assert HookDelivery.objects.count() == 2
