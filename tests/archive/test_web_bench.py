"""The curators' bench: what waits, its answers, and their undoing."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from archive import store
from archive.accounts.roles import Role, set_role
from archive.curation import bench, corrections, names
from archive.intake import uploads
from archive.models import (
    AuditLine,
    BenchMark,
    Correction,
    CorrectionBatch,
    Entry,
    Game,
    Player,
    Report,
    User,
)
from tests.archive.games import KIF, UNREADABLE, stored
from tests.archive.html import tidy
from tests.archive.library_games import signed_in

pytestmark = pytest.mark.django_db

RESIGNS = "   8 投了         ( 0:08/00:00:20)\nまで7手で先手の勝ち\n"
LONG = KIF.replace(RESIGNS, "   8 ４四歩(43)\n   9 ９六歩(97)\n  10 ９四歩(93)\n  11 １六歩(17)\n")


def account(name: str, role: Role) -> User:
    user = User.objects.create_user(name)
    set_role(user, role)
    return user


@pytest.fixture
def curator() -> Client:
    return signed_in(account("clara", Role.CURATOR))


def page(client: Client, kind: str) -> str:
    answer = client.get(f"/curation/?kind={kind}", HTTP_ACCEPT_LANGUAGE="en")
    assert answer.status_code == 200
    return tidy(answer.content.decode())


def answer(client: Client, kind: str, name: str, pk: int) -> None:
    assert client.post("/curation/", {"kind": kind, "answer": name, "item": pk}).status_code == 302


def undo(client: Client) -> None:
    assert client.post("/curation/", {"answer": "undo"}).status_code == 302


def proposed() -> Correction:
    rename = {"op": "header", "name": "先手", "old": "先手の人", "new": "羽生"}
    anna = account("anna", Role.CONTRIBUTOR)
    return corrections.correct_game(anna, Game.objects.get(), [rename], "a source")


def state(row: Correction) -> str:
    row.refresh_from_db()
    return row.state


def test_only_curators_see_the_bench():
    assert Client().get("/curation/").status_code == 302
    assert signed_in(account("anna", Role.CONTRIBUTOR)).get("/curation/").status_code == 403


def test_proposals_are_answered_and_the_last_answer_is_undone(curator):
    stored(KIF)
    row = proposed()
    assert "<ins>羽生</ins>" in page(curator, "proposals")
    answer(curator, "proposals", "reject", row.pk)
    assert state(row) == "rejected" and "<ins>" not in page(curator, "proposals")
    undo(curator)
    assert state(row) == "proposed"
    answer(curator, "proposals", "accept", row.pk)
    assert (state(row), Game.objects.get().jkf["header"]["先手"]) == ("applied", "羽生")
    undo(curator)
    assert (state(row), Game.objects.get().jkf["header"]["先手"]) == ("undone", "先手の人")
    undo(curator)
    assert state(row) == "undone", "nothing is left to undo"


def test_reports_are_settled_and_opened_again(curator):
    stored(KIF)
    report = Report.objects.create(game=Game.objects.get().pk, reason="wrong", text="the day is wrong")
    assert "the day is wrong" in page(curator, "reports")
    answer(curator, "reports", "accept", report.pk)
    assert "the day is wrong" not in page(curator, "reports")
    undo(curator)
    assert "the day is wrong" in page(curator, "reports")


def test_reports_of_collections_lead_to_them(curator):
    Report.objects.create(collection=7, reason="abuse", text="the title")
    shown = page(curator, "reports")
    assert 'href="/collections/7/"' in shown and "the title" in shown


def test_records_that_could_not_be_read_are_read_again(curator):
    upload = stored(UNREADABLE, "broken.kif")
    entry = Entry.objects.get(upload=upload)
    assert entry.state == "failed" and "broken.kif" in page(curator, "entries")
    answer(curator, "entries", "accept", entry.pk)
    upload.refresh_from_db()
    assert upload.state == "received"


@pytest.mark.parametrize(
    ("kind", "records"),
    [
        ("days", [KIF.replace("開始日時：2024/05/01\n", "")]),
        ("twins", [LONG, LONG]),
        ("names", [KIF.replace("先手の人", "山田？")]),
        ("warnings", [KIF.replace("手合割：平手", "手合割：平手\n不明な行")]),
    ],
)
def test_what_looks_odd_is_listed(curator, kind, records):
    for at, record in enumerate(records):
        stored(record.replace("後手の人", f"後手{'甲乙'[at]}"), f"{at}.kif")
    assert bench.KINDS[kind].page(None).rows
    assert '<ol class="bench' in page(curator, kind)


def test_pages_go_on_where_the_last_one_ended(monkeypatch):
    monkeypatch.setattr(bench, "PAGE", 2)
    monkeypatch.setattr(bench, "EXAMINED", 3)
    for day in range(1, 6):
        stored(KIF.replace("2024/05/01", "").replace("後手の人", f"後手{day}"))
    for kind in ("days", "names"):
        seen: list[int] = []
        before = None
        while True:
            part = bench.KINDS[kind].page(before)
            seen += [row.pk for row in part.rows]
            before = part.next
            if before is None:
                break
        assert len(seen) == len(set(seen)) == 5, kind


def test_a_page_costs_the_same_number_of_queries_however_much_waits(curator):
    def queries() -> int:
        with CaptureQueriesContext(
            connection,
        ) as captured:
            page(curator, "days")
        return len(captured)

    stored(KIF.replace("2024/05/01", ""))
    few = queries()
    for at in range(5):
        stored(KIF.replace("2024/05/01", "").replace("後手の人", f"後手{at}"))
    assert queries() == few


def test_unknown_kinds_and_answers_are_not_there(curator):
    assert curator.get("/curation/?kind=nothing").status_code == 404
    fields: dict[str, Any] = {"kind": "reports", "answer": "nothing", "item": 1}
    assert curator.post("/curation/", fields).status_code == 404
    answer(curator, "reports", "accept", 12345)


# --- marks -----------------------------------------------------------------------------------------------

UNDATED = KIF.replace("開始日時：2024/05/01\n", "")


def rows(kind: str) -> list[Any]:
    return bench.KINDS[kind].page(None).rows


def listed(kind: str) -> int:
    return len(rows(kind))


@pytest.mark.parametrize(
    ("kind", "records"),
    [
        ("days", [UNDATED]),
        ("twins", [LONG, LONG.replace("後手の人", "別の人")]),
        ("names", [KIF.replace("先手の人", "山田？")]),
        ("entries", [UNREADABLE]),
        ("warnings", [KIF.replace("手合割：平手", "手合割：平手\n不明な行")]),
    ],
)
@pytest.mark.parametrize("given", ["fine", "later"])
def test_what_is_fine_or_waits_is_not_listed_any_more_until_that_is_undone(curator, kind, records, given):
    for at, record in enumerate(records):
        stored(record, f"{at}.kif")
    (row,) = rows(kind)
    answer(curator, kind, given, getattr(row, "game", row).pk if kind == "twins" else row.pk)
    assert listed(kind) == 0
    undo(curator)
    assert listed(kind) == 1


def test_a_game_that_is_fine_comes_back_when_it_changes(curator):
    stored(UNDATED)
    game = Game.objects.get()
    answer(curator, "days", "fine", game.pk)
    comment = {"op": "header", "name": "備考", "old": None, "new": "写し"}
    corrections.correct_game(User.objects.get(), game, [comment], "a source")
    assert listed("days") == 1


def test_a_name_that_is_fine_comes_back_when_it_changes(curator):
    stored(KIF.replace("先手の人", "山田？"))
    (player,) = rows("names")
    answer(curator, "names", "fine", player.pk)
    Player.objects.filter(pk=player.pk).update(name="山田！")
    assert listed("names") == 1


def test_what_was_put_off_comes_back_after_a_week(curator):
    stored(UNDATED)
    answer(curator, "days", "later", Game.objects.get().pk)
    assert listed("days") == 0
    BenchMark.objects.update(until=timezone.now())
    assert listed("days") == 1


# --- people, twins, what was taken down ------------------------------------------------------------------


def two_spellings() -> tuple[Player, Player]:
    """羽生善治 with two games, and one misspelt."""
    for day, name in enumerate(("羽生善冶", "羽生善治", "羽生善治"), 1):
        stored(KIF.replace("先手の人", name).replace("2024/05/01", f"2024/05/0{day}"), f"{day}.kif")
    return Player.objects.get(name="羽生善冶"), Player.objects.get(name="羽生善治")


def pair(client: Client, name: str, one: Player, other: Player) -> None:
    answer(client, "people", name, f"{one.pk}-{other.pk}")  # type: ignore[arg-type]


def test_two_spellings_of_a_name_are_united_with_one_answer_and_separated_with_another(curator):
    one, other = two_spellings()
    (row,) = [row for row in rows("people") if {row.one.id, row.other.id} == {one.pk, other.pk}]
    assert (row.one.id, row.games) == (one.pk, (1, 2)), "the one with fewer games goes to the other"
    assert "羽生善冶 (1)" in page(curator, "people") and "differ in one character" in page(curator, "people")
    pair(curator, "accept", one, other)
    assert Game.objects.filter(player0=other).count() == 3
    undo(curator)
    assert Game.objects.filter(player0=other).count() == 2
    assert row in rows("people"), "nothing is decided any more"


def test_two_people_of_similar_names_are_told_apart_and_that_is_undone(curator):
    one, other = two_spellings()
    before = rows("people")
    pair(curator, "reject", one, other)
    assert len(rows("people")) == len(before) - 1
    undo(curator)
    assert rows("people") == before
    pair(curator, "later", one, other)
    assert len(rows("people")) == len(before) - 1
    undo(curator)
    assert rows("people") == before
    assert (
        curator.post("/curation/", {"kind": "people", "answer": "accept", "item": one.pk}).status_code == 404
    )


def test_a_pair_of_twins_is_listed_once_with_the_older_game(curator):
    stored(LONG, "1.kif")
    stored(LONG.replace("後手の人", "別の人"), "2.kif")
    one, two = Game.objects.order_by("pk")
    (row,) = rows("twins")
    assert (row.game, [twin.id for twin in row.twins]) == (two, [one.pk])
    assert f"game {one.pk}" in page(curator, "twins")


def test_a_game_that_is_the_beginning_of_another_one_is_a_twin(curator):
    stored(KIF, "1.kif")
    stored(LONG, "2.kif")
    assert listed("twins") == 1


def test_many_meetings_are_compared_in_several_pages(monkeypatch):
    monkeypatch.setattr(bench, "COMPARED", 2)
    stored(KIF, "0.kif")
    for at, move in enumerate("１２３４"):
        other = KIF.replace("７六歩(77)", f"{move}六歩({at + 1}7)").replace("３四歩(33)", "８四歩(83)")
        stored(other.split("   3 ")[0], f"{at}.kif")
    stored(LONG, "last.kif")
    seen, before = [], None
    while True:
        part = bench.KINDS["twins"].page(before)
        seen += part.rows
        before = part.next
        if before is None:
            break
    assert [row.game for row in seen] == [Game.objects.latest("pk")]


def test_games_of_a_meeting_are_sought_among_those_of_the_day():
    stored(LONG)
    with CaptureQueriesContext(connection) as queries:
        rows("twins")
    found = next(one["sql"] for one in queries.captured_queries if "EXISTS" in one["sql"])
    with connection.cursor() as cursor:
        cursor.execute(explained(found))
        plan = str(cursor.fetchall())
    assert "game_of_space (space=? AND played=?)" in plan or connection.vendor != "sqlite"


def explained(sql: str) -> str:
    return f"EXPLAIN {'QUERY PLAN ' if connection.vendor == 'sqlite' else ''}{sql.replace('%', '%%')}"


def test_a_twin_is_taken_down_and_restored(curator):
    stored(LONG, "1.kif")
    stored(LONG.replace("後手の人", "別の人"), "2.kif")
    answer(curator, "twins", "hide", rows("twins")[0].game.pk)
    assert Game.objects.count() == 1
    (row,) = rows("taken")
    assert "別の人" in page(curator, "taken")
    undo(curator)
    assert Game.objects.count() == 2 and not rows("taken")
    answer(curator, "taken", "accept", row.pk)  # nothing is taken down any more
    assert Game.objects.count() == 2


def test_a_reported_game_is_taken_down_with_the_report_as_the_reason(curator):
    stored(KIF)
    report = Report.objects.create(game=Game.objects.get().pk, reason="personal", text="消してください")
    answer(curator, "reports", "hide", report.pk)
    assert not Game.objects.exists() and not rows("reports")
    assert "消してください" in AuditLine.objects.get(event="delete").what
    undo(curator)
    assert Game.objects.count() == 1 and listed("reports") == 1
    other = Report.objects.create(collection=1, reason="abuse")
    answer(curator, "reports", "hide", other.pk)
    assert listed("reports") == 2


def test_bytes_are_hidden_and_shown_again(curator):
    upload = stored(UNREADABLE, "broken.kif")
    entry = Entry.objects.get(upload=upload)
    answer(curator, "entries", "hide", entry.pk)
    assert Entry.objects.get().hidden and not rows("entries")
    assert 'value="show"' in page(curator, "taken") and 'value="hide"' not in page(curator, "taken")
    answer(curator, "taken", "show", entry.pk)
    assert not Entry.objects.get().hidden and listed("entries") == 1
    undo(curator)
    undo(curator)
    assert not Entry.objects.get().hidden


def test_held_games_are_let_in_and_held_again(curator):
    stored(KIF)
    store.delete_games(Game.objects.values_list("pk", flat=True))
    stored(KIF + "\n", "again.kif")
    (row,) = rows("held")
    answer(curator, "held", "accept", row.pk)
    assert Game.objects.count() == 1 and not rows("held")
    undo(curator)
    assert not Game.objects.exists()


def failed() -> Correction:
    """A correction of a name that another one has overtaken."""
    stored(KIF)
    player = Player.objects.get(name="先手の人")
    rename = [{"op": "field", "name": "name", "old": "先手の人", "new": "羽生"}]
    row = names.correct(account("anna", Role.CONTRIBUTOR), player, rename, "a source")
    names.correct(User.objects.get(username="clara"), player, [{**rename[0], "new": "谷川"}], "a source")
    return names.perform("accept", None, row)


def test_a_failed_correction_of_a_name_is_left_out(curator):
    row = failed()
    assert state(row) == "failed" and "<ins>羽生</ins>" in page(curator, "failed")
    answer(curator, "failed", "reject", row.pk)
    assert state(row) == "rejected" and not rows("failed")
    undo(curator)
    assert state(row) == "proposed"


def test_a_failed_correction_of_a_name_is_tried_again(curator):
    row = failed()
    history = curator.get(f"/players/{row.subject_id}/history/", HTTP_ACCEPT_LANGUAGE="en").content.decode()
    assert "This has changed since." in history and "fact-changed" not in history
    answer(curator, "failed", "accept", row.pk)
    assert state(row) == "failed", "its ground is not back"
    undo(curator)
    assert state(row) == "failed", "nothing was done that can be undone"
    later = Correction.objects.exclude(pk=row.pk).get()
    names.perform("undo", User.objects.get(username="clara"), later)
    answer(curator, "failed", "accept", row.pk)
    assert state(row) == "applied"
    undo(curator)
    assert state(row) == "undone"


# --- deeds of other pages --------------------------------------------------------------------------------


def test_the_bench_undoes_one_after_the_other_what_was_done_on_other_pages(curator):
    stored(KIF)
    game = Game.objects.get()
    player = Player.objects.get(name="先手の人")
    header = {"name": "場所", "old": "", "new": "東京", "do": "send", "reason": "a source"}
    assert curator.post(f"/games/{game.pk}/correct/", header).status_code == 302
    facts = {"kana": "せんて", "do": "send", "reason": "a source"}
    assert curator.post(f"/players/{player.pk}/correct/", facts).status_code == 302
    down = {"reason": "a request"}
    assert curator.post(f"/games/{game.pk}/take-down/", down).headers["Location"] == "/curation/?kind=taken"
    assert not Game.objects.exists()
    assert '<span class="badge">3</span>' in page(curator, "taken")
    undo(curator)
    restored = Game.objects.get()
    assert restored.jkf["header"]["場所"] == "東京"
    undo(curator)
    assert Player.objects.get(pk=player.pk).kana == ""
    undo(curator)
    assert "場所" not in Game.objects.get().jkf["header"]


def test_an_edit_of_many_games_is_undone_on_the_bench(curator):
    stored(KIF)
    edit = {"kind": "set", "header": "place", "new": "東京", "reason": "a source", "do": "run"}
    assert curator.post("/curation/batches/new/", edit).status_code == 302
    batch = CorrectionBatch.objects.get()
    undo(curator)
    batch.refresh_from_db()
    assert batch.state == "waiting", "it has not begun"


# --- taking down -----------------------------------------------------------------------------------------


def test_a_game_is_taken_down_and_restored_on_its_page(curator):
    stored(KIF)
    pk = Game.objects.get().pk
    address = f"/games/{pk}/take-down/"
    assert f'href="{address}"' in curator.get(f"/games/{pk}/").content.decode()
    assert f'href="{address}"' not in Client().get(f"/games/{pk}/").content.decode()
    assert signed_in(account("anna", Role.CONTRIBUTOR)).post(address, {"reason": "x"}).status_code == 403
    assert curator.post(address, {"reason": " "}).status_code == 400
    assert curator.post(address, {"reason": "a request", "hide": "yes"}).status_code == 302
    assert Entry.objects.get().hidden and "(a request)" in AuditLine.objects.get(event="delete").what
    gone = curator.get(f"/games/{pk}/")
    assert gone.status_code == 410 and f'href="{address}"' in gone.content.decode()
    assert f'href="{address}"' not in Client().get(f"/games/{pk}/").content.decode()
    assert "Restore it" in tidy(curator.get(address, HTTP_ACCEPT_LANGUAGE="en").content.decode())
    assert curator.post(address, {"reason": "settled"}).status_code == 302
    now = Game.objects.get().pk
    assert AuditLine.objects.get(event="let-in").what == f"game {pk}, now {now} (settled)"
    assert curator.get(address).headers["Location"] == f"/games/{now}/take-down/"


def test_a_game_of_which_nothing_is_left_is_not_restored(curator):
    stored(KIF)
    pk = Game.objects.get().pk
    uploads.withdraw(Entry.objects.get().upload_id)
    assert curator.post(f"/games/{pk}/take-down/", {"reason": "x"}).status_code == 400
