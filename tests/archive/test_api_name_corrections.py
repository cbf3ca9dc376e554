"""Corrections of players and events through the API: who proposes, who decides, what everybody reads."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from archive import libraries, store
from archive.curation import names
from archive.intake import worker
from archive.models import AuditLine, Correction, Event, Game, Player, User
from kifu_core.classes import PUBLIC
from tests.archive.builders import ingest, ready
from tests.archive.games import KIF
from tests.archive.test_api_corrections import code, program

pytestmark = pytest.mark.django_db

LATIN = {"op": "field", "name": "latin", "old": "", "new": "Habu Yoshiharu"}


@pytest.fixture(autouse=True)
def _games() -> None:
    ingest(ready("7g7f", black="羽生善治", event="王位戦"), ready("2g2f", black="羽生善冶"))


def player(name: str = "羽生善治") -> Player:
    return Player.objects.get(key=name)


def propose(client: APIClient, *operations: Any, of: Player | Event | None = None) -> Any:
    row = of or player()
    kind = "players" if isinstance(row, Player) else "events"
    body = {"operations": [*operations], "reason": "a source"}
    return client.post(f"/api/v1/{kind}/{row.pk}/corrections", body, format="json")


def act(client: APIClient, answer: Any, action: str, reason: str = "") -> Any:
    body = {"action": action, "reason": reason}
    return client.post(f"/api/v1/corrections/{answer.json()['id']}", body, format="json")


def merge(into: Player) -> dict[str, Any]:
    return {"op": "merge", "into": into.pk}


def test_strangers_and_readers_propose_nothing():
    assert propose(APIClient(), LATIN).status_code == 401
    assert code(propose(program("rei", "reader"), LATIN)) == (403, "no-right")
    assert not Correction.objects.exists()


def test_what_fills_an_empty_field_applies_at_once_and_other_changes_wait(settings):
    settings.ARCHIVE_OBJECTION_DAYS = 7
    anna = program("anna")
    assert propose(anna, LATIN).json()["state"] == "applied"
    other = propose(anna, LATIN | {"old": "Habu Yoshiharu", "new": "Yoshiharu Habu", "old_by": "curator"})
    united = propose(anna, merge(player("羽生善冶")))
    assert (other.json()["state"], other.json()["due"] is None) == ("proposed", False)
    assert (united.json()["state"], united.json()["due"]) == ("proposed", None)
    Correction.objects.filter(pk=other.json()["id"]).update(due=timezone.now() - timedelta(seconds=1))
    assert names.apply_due() == 1
    assert player().latin == "Yoshiharu Habu"


def test_a_curator_merges_and_undoes_and_the_history_tells_it():
    anna, curator = program("anna"), program("curt", "curator")
    wrong, right = player("羽生善冶"), player()
    proposal = propose(anna, merge(right), of=wrong)
    assert proposal.json()["may"] == ["withdraw"]
    assert code(act(anna, proposal, "accept")) == (403, "no-curator")
    assert act(curator, proposal, "accept", "the same").json()["state"] == "applied"
    assert anna.get(f"/api/v1/players/{wrong.pk}").status_code == 301
    assert anna.get(f"/api/v1/players/{right.pk}").json()["spellings"] == [
        {"id": wrong.pk, "name": "羽生善冶", "merged_into": right.pk}
    ]
    history = APIClient().get(f"/api/v1/players/{right.pk}/corrections").json()["results"]
    assert [(one["player_id"], one["author"]) for one in history] == [(wrong.pk, None)]
    assert [(one["event"], one["text"]) for one in history[0]["events"]] == [
        ("proposed", ""), ("applied", "the same"),
    ]  # fmt: skip
    assert act(curator, proposal, "undo").json()["state"] == "undone"
    assert code(act(curator, proposal, "undo")) == (409, "not-applied")
    assert anna.get(f"/api/v1/players/{wrong.pk}").status_code == 200
    lines = [line.what for line in AuditLine.objects.filter(event="correct").order_by("pk")]
    assert len(lines) == 2 and f'"into":{right.pk}' in lines[0]


def test_a_proposal_is_rejected_withdrawn_or_objected_to(settings):
    settings.ARCHIVE_OBJECTION_DAYS = 7
    anna, boris, curator = program("anna"), program("boris"), program("curt", "curator")
    rename = {"op": "field", "name": "name", "old": "羽生善治", "new": "羽生"}
    one, two, three = (propose(anna, rename) for _ in range(3))
    assert code(act(boris, one, "withdraw")) == (403, "no-right")
    assert act(anna, one, "withdraw").json()["state"] == "withdrawn"
    assert code(act(anna, one, "withdraw")) == (409, "not-open")
    assert code(act(boris, two, "object")) == (400, "reason-missing")
    assert act(boris, two, "object", "no").json()["due"] is None
    assert act(curator, three, "reject").json()["state"] == "rejected"
    assert code(act(curator, three, "reject")) == (409, "not-open")
    assert player().name == "羽生善治"


def test_what_cannot_be_applied_is_refused_with_its_reason():
    curator = program("curt", "curator")
    event = Event.objects.get()
    for operation, of, expected in [
        (LATIN | {"old": "x"}, None, (409, "fact-changed")), ({"op": "burn"}, None, (400, "malformed")),
        (merge(player()), None, (409, "merged-with-itself")),
        (LATIN | {"new": "羽生"}, None, (400, "no-latin")),
        ({"op": "field", "name": "titles", "old": [], "new": []}, event, (400, "unknown-field")),
    ]:  # fmt: skip
        assert code(propose(curator, operation, of=of)) == expected
    assert (
        propose(curator, {"op": "field", "name": "place", "old": "", "new": "東京"}, of=event).json()[
            "event_id"
        ]
        == event.pk
    )


def test_names_of_libraries_are_corrected_by_those_who_own_them():
    anna, boris = program("anna"), program("boris", "curator")
    user = User.objects.get(username="anna")
    mine = libraries.own_library(user).pk
    upload, _ = store.create_upload("mine.kif", [KIF.encode()], user, "web", space=mine)
    worker.work_off(upload.pk)
    row = Player.objects.filter(space=mine)[0]
    assert propose(boris, LATIN, of=row).status_code == 404
    assert propose(anna, LATIN, of=row).json()["state"] == "applied"
    assert boris.get("/api/v1/corrections").json()["results"] == []
    assert len(anna.get("/api/v1/corrections").json()["results"]) == 1


def test_nobody_reads_of_names_without_games():
    lonely = Player.objects.create(name="孤独")
    assert APIClient().get(f"/api/v1/players/{lonely.pk}/corrections").status_code == 404


def test_a_proposal_that_cannot_be_applied_now_is_refused():
    anna = program("anna")
    split = {"op": "split", "games": [{"game": 999, "colour": 0}]}
    for operation, expected in [
        (LATIN | {"old": "x"}, (409, "fact-changed")), (merge(player()), (409, "merged-with-itself")),
        ({"op": "spelling", "name": "羽生善冶"}, (409, "other-has-name")), (split, (409, "other-game")),
    ]:  # fmt: skip
        assert code(propose(anna, operation)) == expected
    assert not Correction.objects.exists()


def test_a_proposal_does_not_tell_names_of_libraries_that_its_author_cannot_read():
    boris, user = program("boris"), User.objects.create_user("anna")
    mine = libraries.own_library(user).pk
    upload, _ = store.create_upload("mine.kif", [KIF.encode()], user, "web", space=mine)
    worker.work_off(upload.pk)
    secret, event = Player.objects.filter(space=mine)[0], Event.objects.get(space=mine)
    game = Game.objects.get(space=mine)
    public = Event.objects.exclude(space=mine).get()
    seats = [{"game": Game.objects.exclude(space=mine)[0].pk, "colour": 0}]
    for operation, of in [
        (merge(secret), None), ({"op": "merge", "into": event.pk}, public),
        ({"op": "split", "games": seats, "row": secret.pk}, None),
        ({"op": "split", "games": [{"game": game.pk, "colour": 0}]}, None),
        ({"op": "field", "name": "parent", "old": None, "new": event.pk}, public),
    ]:  # fmt: skip
        assert code(propose(boris, operation, of=of))[0] == 409
    # Proposals of earlier versions may have such numbers.
    Correction.objects.create(
        subject="player", subject_id=player().pk, space=PUBLIC, operations=[merge(secret)], reason="x"
    )
    history = boris.get(f"/players/{player().pk}/history/").content.decode()
    assert f"#{secret.pk}" in history and secret.name not in history
