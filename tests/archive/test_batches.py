"""Edits of all games of a search: preview, run in turns, undo."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from archive import store
from archive.accounts.roles import Role, set_role
from archive.api.views import batches as api_batches
from archive.curation import batches, corrections
from archive.curation.batch_edits import BatchEdit
from archive.curation.errors import CurationError
from archive.models import AuditLine, Correction, CorrectionBatch, Entry, Game, Player, Upload, User
from archive.store.verify import verify
from archive.web.curation import batching
from kifu_core.classes import PUBLIC
from tests.archive.games import KIF, stored
from tests.archive.library_games import signed_in

pytestmark = pytest.mark.django_db

RENAME = BatchEdit("replace", "players", "渡辺", "羽生")
FILTERS = {"player": "渡辺"}


@pytest.fixture
def clara() -> User:
    user = User.objects.create_user("clara")
    set_role(user, Role.CURATOR)
    return user


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The batches about which workers get a message."""
    result: list[int] = []
    for module in (batching, api_batches):
        monkeypatch.setattr(module, "enqueue_batch", result.append)
    return result


def games(number: int) -> None:
    """Games of 渡辺, as Black and as White in turn, and one of others."""
    for day in range(1, number + 1):
        old, other = ("先手の人", "後手の人") if day % 2 else ("後手の人", "先手の人")
        record = KIF.replace(old, "渡辺").replace(other, f"相手{day}").replace("05/01", f"05/{day:02}")
        stored(record)
    stored(KIF)


def run(batch: CorrectionBatch, seconds: float = 60) -> CorrectionBatch:
    batches.work(batch.pk, seconds)
    batch.refresh_from_db()
    return batch


def of(name: str) -> int:
    return sum(name in game.jkf["header"].values() for game in Game.objects.all())


def code_of(call: Any) -> str:
    with pytest.raises(CurationError) as caught:
        call()
    return caught.value.code


def test_a_name_is_corrected_on_either_side_in_all_games_and_undone(clara, monkeypatch):
    monkeypatch.setattr(batches, "GAMES_AT_ONCE", 2)
    games(5)
    shown = batches.preview(clara, PUBLIC, FILTERS, RENAME)
    assert (shown.games, len(shown.fitting), shown.others) == (5, 5, [])
    assert {op["name"] for one in shown.fitting for op in one.operations} == {"先手", "後手"}
    before = {game.pk: game.jkf for game in Game.objects.all()}
    batch = run(batches.create(clara, PUBLIC, FILTERS, RENAME, "日本将棋連盟"))
    assert (batch.state, batch.done, of("羽生"), of("渡辺")) == ("done", 5, 5, 0)
    assert {row.state for row in batch.corrections.all()} == {"applied"}
    assert Game.objects.filter(player0=Player.objects.get(name="羽生")).count() == 3
    lines = list(AuditLine.objects.filter(event="correct").values_list("what", flat=True))
    assert len(lines) == 5 and all('"old":"渡辺"' in line and '"new":"羽生"' in line for line in lines)
    assert not list(verify())
    batch = run(batches.undo(clara, batch))
    assert (batch.state, {game.pk: game.jkf for game in Game.objects.all()}) == ("undone", before)
    assert not list(verify())


def test_the_corrections_of_a_batch_name_the_first_entries_of_their_games(clara):
    games(2)
    for upload in Upload.objects.order_by("pk"):
        stored(b"".join(upload.stream()) + b"\n")
    batch = run(batches.create(clara, PUBLIC, FILTERS, RENAME, "a reason"))
    games_of_batch = Game.objects.filter(pk__in=batch.games)
    first = {game.pk: game.entries.order_by("pk").first().pk for game in games_of_batch}
    assert {row.subject_id: row.entry for row in batch.corrections.all()} == first
    assert Entry.objects.filter(game__in=first).count() == 4


def test_a_batch_goes_on_where_its_worker_ended(clara, monkeypatch):
    monkeypatch.setattr(batches, "GAMES_AT_ONCE", 2)
    games(5)
    batch = batches.create(clara, PUBLIC, FILTERS, RENAME, "a reason")
    original, calls = store.correct_games, []

    def dies_in_second(*args: Any) -> Any:
        calls.append(1)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return original(*args)

    monkeypatch.setattr(store, "correct_games", dies_in_second)
    with pytest.raises(KeyboardInterrupt):
        run(batch)
    assert (batches.unfinished(), of("羽生")) == ([], 2)
    assert batches.work(batch.pk, 60), "another worker has it still"
    CorrectionBatch.objects.update(claimed_until=timezone.now())
    assert batches.unfinished() == [batch.pk]
    assert run(batch).state == "done"
    assert (of("羽生"), Correction.objects.count()) == (5, 5)


def test_two_workers_never_correct_the_same_games(clara):
    games(2)
    batch = batches.create(clara, PUBLIC, FILTERS, RENAME, "a reason")
    stale = CorrectionBatch.objects.get(pk=batch.pk)
    run(batch)
    stale.state = "running"
    with pytest.raises(store.BatchMovedError):
        store.correct_games({}, stale, 2, store.Author())
    assert Correction.objects.count() == 2


def test_games_that_would_become_equal_are_left_out(clara):
    games(2)
    stored(KIF.replace("先手の人", "羽生").replace("後手の人", "相手1"))
    batch = run(batches.create(clara, PUBLIC, FILTERS, RENAME, "a reason"))
    assert (batch.state, batch.corrections.count(), of("渡辺"), of("羽生")) == ("done", 1, 1, 2)


def test_a_batch_corrects_nothing_for_an_author_who_lost_the_right(clara):
    games(1)
    batch = batches.create(clara, PUBLIC, FILTERS, RENAME, "a reason")
    set_role(clara, Role.CONTRIBUTOR)
    assert (run(batch).state, of("羽生")) == ("done", 0)
    assert code_of(lambda: batches.undo(clara, batch)) == "no-curator"


def test_what_cannot_be_run_is_refused_with_its_reason(clara, monkeypatch):
    games(2)
    anna = User.objects.create_user("anna", role=Role.CONTRIBUTOR)

    def create(user: User = clara, reason: str = "a reason", **filters: str) -> Any:
        return lambda: batches.create(user, PUBLIC, filters, RENAME, reason)

    assert code_of(create(anna)) == "no-curator"
    assert code_of(create(reason=" ")) == "reason-missing"
    assert code_of(create(player="誰でもない")) == "no-games"
    monkeypatch.setattr(batches, "MOST_GAMES", 1)
    assert code_of(create()) == "too-many-games"
    batch = batches.create(clara, PUBLIC, {"player": "相手1"}, RENAME, "a reason")
    assert code_of(lambda: batches.undo(clara, batch)) == "batch-unfinished"
    monkeypatch.setattr(batches, "OPEN_BATCHES", 1)
    assert code_of(create(player="相手2")) == "too-many-batches"


def test_an_edit_is_previewed_started_and_undone_on_pages(clara, sent):
    games(2)
    client = signed_in(clara)
    page = client.get("/games/?player=渡辺", HTTP_ACCEPT_LANGUAGE="en").content.decode()
    assert ">Edit these games</a>" in page
    fields = {"search": "player=渡辺", "kind": "replace", "header": "players", "old": "渡辺", "new": "羽生"}
    address = "/curation/batches/new/"
    preview = client.post(address, fields | {"do": "preview"}, HTTP_ACCEPT_LANGUAGE="en").content.decode()
    assert preview.count("<ins>羽生</ins>") == 2 and "Edit 2 games" in preview
    assert client.post(address, fields | {"do": "run"}).status_code == 400, "without a reason"
    answer = client.post(address, fields | {"do": "run", "reason": "将棋年鑑"})
    batch = CorrectionBatch.objects.get()
    assert (answer.headers["Location"], sent) == (f"/curation/batches/{batch.pk}/", [batch.pk])
    assert "data-poll=" in client.get(answer.headers["Location"]).content.decode()
    run(batch)
    done = client.get(answer.headers["Location"], HTTP_ACCEPT_LANGUAGE="en").content.decode()
    assert "2 corrected" in done and "data-poll=" not in done
    assert client.post(answer.headers["Location"]).status_code == 302
    assert run(batch).state == "undone"
    listed = client.get("/curation/batches/", HTTP_ACCEPT_LANGUAGE="en").content.decode()
    assert "将棋年鑑" in listed and "undone" in listed


@pytest.mark.parametrize(
    ("search", "header", "old"),
    [
        ("player=羽生 %2317", "players", "羽生"),
        ("event=名人戦", "event", "名人戦"),
        ("q=羽生", "players", ""),
    ],
)
def test_an_edit_of_the_games_of_a_name_begins_with_this_name(clara, search, header, old):
    page = signed_in(clara).get(f"/curation/batches/new/?{search}").content.decode()
    chosen = re.search(r'<option value="(\S+)"\s+selected', page[page.index('id="header"') :])
    assert (chosen[1] if chosen else "players") == header
    assert f'name="old" maxlength="2000"\n      value="{old}"' in page


def test_edits_of_many_games_through_the_api(clara, sent):
    games(2)
    client = APIClient()
    client.force_login(clara)
    body: dict[str, Any] = {"search": "player=渡辺", "edit": RENAME.stored()}
    preview = client.post("/api/v1/corrections/batches/preview", body, format="json").json()
    assert (preview["games"], len(preview["fitting"]), preview["others"]) == (2, 2, [])
    started = client.post("/api/v1/corrections/batches", body | {"reason": "将棋年鑑"}, format="json")
    assert (started.status_code, started.json()["state"]) == (201, "waiting")
    assert sent == [started.json()["id"]]
    run(CorrectionBatch.objects.get())
    address = started.json()["url"]
    assert (client.get(address).json()["state"], client.get(address).json()["corrected"]) == ("done", 2)
    assert client.post(address, {"action": "undo"}, format="json").json()["state"] == "undoing"
    assert client.get("/api/v1/corrections/batches").json()["results"][0]["id"] == started.json()["id"]
    bad = client.post("/api/v1/corrections/batches/preview", body | {"edit": {"kind": "set"}}, format="json")
    assert (bad.status_code, bad.json()["code"]) == (400, "batch-edit")
    assert APIClient().get(address).status_code == 404


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        (BatchEdit("replace", "先手", "先手の人", "羽生"), [("先手", "先手の人", "羽生")]),
        (BatchEdit("replace", "先手", "先手", "羽生"), []),
        (BatchEdit("replace-text", "event", "試し", "本番"), [("棋戦", "試しの棋戦", "本番の棋戦")]),
        (BatchEdit("set", "place", new="東京"), [("場所", None, "東京")]),
        (BatchEdit("set", "備考", new="済"), [("備考", None, "済")]),
        (BatchEdit("remove", "day"), [("開始日時", "2024/05/01", None)]),
        (BatchEdit("remove", "place"), []),
    ],
)
def test_an_edit_means_operations_on_the_headers_that_it_fits(edit, expected):
    stored(KIF)
    operations = edit.operations(Game.objects.get().jkf)
    assert [(one["name"], one["old"], one["new"]) for one in operations] == expected
    corrections.check_applies(Game.objects.get(), operations)


def test_a_comment_is_added_once(clara):
    games(1)
    edit = BatchEdit("add-comment", new="新聞より")
    for _twice in range(2):
        run(batches.create(clara, PUBLIC, FILTERS, edit, "a reason"))
    assert Game.objects.order_by("pk")[0].jkf["moves"][0]["comments"] == ["新聞より"]
    assert Correction.objects.count() == 1


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"kind": "replace", "header": "x"},
        {"kind": "other"},
        {"kind": "set", "header": "x"},
        {"kind": "set", "header": "x", "new": "x" * 2001},
        {"kind": "replace", "header": "x", "old": "a", "new": "a"},
    ],
)
def test_incomplete_edits_are_refused(values):
    assert code_of(lambda: BatchEdit.of(values)) == "batch-edit"
