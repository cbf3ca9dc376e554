"""The audit log: who did what, when, from where; and that nobody changes it."""

from __future__ import annotations

import ast
import io
import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import call_command
from django.db.models import F
from django.test import Client
from django.utils import timezone
from django.utils.translation import override

from archive import libraries
from archive.accounts import audit, invitations, tokens
from archive.accounts.roles import Role, set_role
from archive.admin.audit_words import translated
from archive.intake import tasks
from archive.models import AuditEvent, AuditLine, Game, User
from tests.archive.games import KIF, UNREADABLE, stored
from tests.archive.library_games import game_of, send
from tests.archive.test_accounts_signing_in import set_up_second_factor

pytestmark = pytest.mark.django_db

ADDRESS = "192.0.2.7"


@pytest.fixture
def anna() -> User:
    return User.objects.create_user("anna", password="opensesame")


def client_of(user: User, role: Role = Role.CONTRIBUTOR) -> Client:
    set_role(user, role)
    client = Client(REMOTE_ADDR=ADDRESS)
    client.force_login(user)
    AuditLine.forgetting.all().delete()
    return client


def lines() -> list[tuple[str, str, str, str]]:
    return list(AuditLine.objects.order_by("pk").values_list("event", "name", "what", "address"))


def test_who_signs_in_and_who_fails_to_is_noted_with_the_address(anna):
    client = Client(REMOTE_ADDR=ADDRESS)
    for name, password in (("anna", "wrong"), ("my password", "wrong"), ("anna", "opensesame")):
        client.post("/sign-in/", {"login": name, "password": password})
    client.post("/sign-out/")
    assert lines() == [
        ("sign-in-failed", "anna", "", ADDRESS),
        ("sign-in-failed", "", "", ADDRESS),
        ("sign-in", "anna", "", ADDRESS),
        ("sign-out", "anna", "", ADDRESS),
    ]


def test_sharing_publishing_and_taking_back_are_noted(anna):
    game = game_of(send(anna, KIF))
    client = client_of(anna)
    for data in ({"action": "link"}, {"action": "publish"}, {"action": "take-back"}):
        client.post(f"/games/{game.pk}/library/", data)
    pk = game.pk
    assert [line[0] for line in lines()] == ["share", "publish", "take-back"]
    assert lines()[1] == ("publish", "anna", f"game {pk}, now {pk}", ADDRESS)


def test_what_cannot_be_done_is_not_noted(anna):
    boris = User.objects.create_user("boris")
    game = game_of(send(anna, KIF))
    libraries.share_with(anna, game, "boris")
    client = client_of(boris)
    client.post(f"/games/{game.pk}/library/", {"action": "publish"})
    assert lines() == []


def test_members_are_noted(anna):
    boris = User.objects.create_user("boris")
    group = libraries.create_group(anna, "研究会")
    libraries.join(boris, libraries.invite(anna, group))
    libraries.promote(anna, group, boris.pk)
    libraries.dismiss(anna, group, boris.pk)
    libraries.invite(anna, group, people=30)
    told = [(name, what.partition(": ")[2]) for _event, name, what, _address in lines()]
    assert told == [
        ("anna", "made"),
        ("anna", "invited a member"),
        ("boris", "joined"),
        ("anna", f"account {boris.pk} is an owner"),
        ("anna", f"account {boris.pk} went"),
        ("anna", "invited up to 30 members"),
    ]


@pytest.mark.parametrize("door", ["page", "api", "admin"])
def test_deletions_are_noted_through_every_door(door, anna):
    upload = stored(KIF)
    client = client_of(anna, Role.ADMINISTRATOR)
    if door == "page":
        client.post(f"/uploads/{upload.pk}/delete/")
    elif door == "api":
        client.delete(f"/api/v1/uploads/{upload.pk}")
    else:
        client.post(f"/admin/archive/upload/{upload.pk}/delete/", {"post": "yes"})
    assert lines() == [("delete", "anna", f"upload {upload.pk}: 先手の人 – 後手の人", ADDRESS)]


def test_a_deleted_game_is_noted_with_its_players(anna):
    game = game_of(stored(KIF))
    client = client_of(anna, Role.ADMINISTRATOR)
    client.post(f"/admin/archive/game/{game.pk}/delete/", {"post": "yes", "hide": "yes"})
    told = f"game {game.pk}, bytes hidden: 先手の人 – 後手の人"
    assert lines() == [("delete", "anna", told, ADDRESS)]


def test_an_upload_of_many_games_is_noted_with_the_first(anna):
    upload = stored("".join(f"{KIF.replace('先手の人', f'人{n}')}\n" for n in range(5)))
    assert Game.objects.count() == 5
    client_of(anna, Role.ADMINISTRATOR).post(f"/uploads/{upload.pk}/delete/")
    first = ", ".join(f"人{n} – 後手の人" for n in range(3))
    assert lines()[0][2] == f"upload {upload.pk}: {first}, …"


@pytest.mark.parametrize(("action", "what"), [("reread", ""), ("retry", ": what failed")])
def test_rereadings_are_noted(anna, action, what):
    upload = stored(UNREADABLE)
    client = client_of(anna, Role.ADMINISTRATOR)
    client.post("/admin/archive/upload/", {"action": action, "_selected_action": [upload.pk]})
    assert lines() == [("reread", "anna", f"upload {upload.pk}{what}", ADDRESS)]


def test_a_rereading_by_the_command_and_files_of_the_watched_folder_are_noted(tmp_path, settings):
    upload = stored(KIF)
    call_command("reread_uploads", upload.pk, stdout=io.StringIO(), stderr=io.StringIO())
    settings.WATCH_DIR, settings.DATA_DIR = str(tmp_path / "in"), tmp_path
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.kif").write_text(KIF + "\n")
    for _scan in range(3):
        tasks.watch()
    assert [line[:3] for line in lines()] == [
        ("reread", "", "1 uploads, by the command"),
        ("import", "", "1 files of the watched folder"),
    ]


def test_a_role_that_is_given_in_the_admin_is_noted(anna):
    boris = User.objects.create_user("boris")
    client = client_of(anna, Role.ADMINISTRATOR)
    data = {"username": "boris", "role": "curator", "is_active": "on"}
    client.post(f"/admin/archive/user/{boris.pk}/change/", data)
    assert lines() == [("rights", "anna", f"account {boris.pk}: curator, on", ADDRESS)]


def test_tokens_and_invitations_are_noted(anna):
    token, key = tokens.create(anna, "sync", ["upload"], None)
    tokens.revoke(anna, token.pk)
    User.objects.filter(pk=anna.pk).update(role=Role.ADMINISTRATOR, is_superuser=True)
    invitation, link = invitations.create(Role.READER, 1, anna)
    assert invitations.use(invitation, User.objects.create_user("boris"))
    other, _key = invitations.create(Role.READER, 1, anna)
    invitations.withdraw(other.pk, anna)
    assert [line[1:3] for line in lines()] == [
        ("anna", f"token {token.pk}: made, upload"),
        ("anna", f"token {token.pk}: revoked"),
        ("anna", f"invitation {invitation.pk}: made, reader"),
        ("boris", f"invitation {invitation.pk}: used, reader"),
        ("anna", f"invitation {other.pk}: made, reader"),
        ("anna", f"invitation {other.pk}: withdrawn"),
    ]
    assert not any(secret in str(lines()) for secret in (key, link))


def test_a_changed_password_is_noted(anna):
    client = client_of(anna)
    data = {"oldpassword": "opensesame", "password1": "tsume-9x9-go", "password2": "tsume-9x9-go"}
    client.post("/account/password/", data)
    assert ("account", "anna", "password changed", ADDRESS) in lines()


def test_a_wrong_code_of_a_second_factor_is_noted(anna):
    client = Client(REMOTE_ADDR=ADDRESS)
    client.post("/sign-in/", {"login": "anna", "password": "opensesame"})
    client.post("/account/reauthenticate/", {"password": "opensesame", "next": "/account/"})
    set_up_second_factor(client)
    client = Client(REMOTE_ADDR=ADDRESS)
    client.post("/sign-in/", {"login": "anna", "password": "opensesame"})
    AuditLine.forgetting.all().delete()
    client.post("/sign-in/code/", {"code": "000000"})
    assert lines() == [("sign-in-failed", "anna", "second factor", ADDRESS)]


def test_bytes_that_are_hidden_and_shown_are_noted(anna):
    upload = stored(KIF)
    client = client_of(anna, Role.ADMINISTRATOR)
    entry = upload.entries.get()
    client.post(f"/admin/archive/game/{entry.game_id}/delete/", {"post": "yes"})
    for action in ("hide", "show"):
        client.post("/curation/", {"kind": "taken", "answer": action, "item": entry.pk})
    assert [line[2] for line in lines()] == [
        f"game {entry.game_id}: 先手の人 – 後手の人",
        f"upload {upload.pk}, entry {entry.seq}: hidden",
        f"upload {upload.pk}, entry {entry.seq}: shown",
    ]


def test_addresses_are_forgotten_and_lines_are_not(anna, settings):
    audit.note(AuditEvent.SHARE, anna)
    with audit.visit(ADDRESS):
        audit.note(AuditEvent.SHARE, anna)
        audit.note(AuditEvent.SHARE, anna)
    newest = AuditLine.objects.order_by("-pk")[0]
    old = timedelta(days=settings.ARCHIVE_AUDIT_ADDRESS_DAYS, hours=1)
    AuditLine.forgetting.exclude(pk=newest.pk).update(at=F("at") - old)
    tasks.sweep()
    assert [line[3] for line in lines()] == ["", "", ADDRESS]
    assert newest.at <= timezone.now()


def test_no_line_is_changed_or_deleted(anna):
    audit.note(AuditEvent.SHARE, anna, "game 1")
    line = AuditLine.objects.get()
    for change in (
        line.save,
        line.delete,
        AuditLine.objects.all().delete,
        lambda: AuditLine.objects.update(name="boris"),
    ):
        with pytest.raises(PermissionError):
            change()
    assert lines() == [("share", "anna", "game 1", "")]


def test_the_admin_shows_the_log_to_administrators_and_changes_nothing(anna):
    audit.note(AuditEvent.SHARE, anna, "game 4711")
    pk = AuditLine.objects.get().pk
    curator = Client()
    set_role(anna, Role.CURATOR)
    curator.force_login(anna)
    assert curator.get("/admin/archive/auditline/").status_code == 403
    client = Client()
    client.force_login(User.objects.create_superuser("keeper"))
    found = client.get("/admin/archive/auditline/?q=4711")
    assert [line.pk for line in found.context["cl"].result_list] == [pk]
    assert client.get(f"/admin/archive/auditline/{pk}/change/").status_code == 200
    for address in ("add/", f"{pk}/delete/"):
        assert client.post(f"/admin/archive/auditline/{address}", {"post": "yes"}).status_code == 403
    client.post(f"/admin/archive/auditline/{pk}/change/", {"name": "nobody"})
    assert AuditLine.objects.get(pk=pk).name == "anna"


LINES = {
    "group 2: invited up to 500 members": "グループ2：メンバーを500人まで招待",
    "invitation 1: used, administrator": "招待1：使用（管理者）",
    "game 5, bytes hidden: 山田 – game 7": "対局5（元のデータも非公開）：山田 – game 7",
    "game 5: by a link": "対局5：リンクで共有",
    "hook 3: made, to example.org, of public,mine": "Webhook 3：作成（送信先 example.org、対象 public,mine）",
    "what a later version writes": "what a later version writes",
}


@pytest.mark.parametrize(("stored", "words"), LINES.items())
def test_administrators_read_the_log_in_their_language(anna, stored, words):
    client = client_of(anna, Role.ADMINISTRATOR)
    audit.note(AuditEvent.RIGHTS, anna, stored)
    for language, expected in (("ja", words), ("en", stored)):
        page = client.get("/admin/archive/auditline/", headers={"Accept-Language": language})
        assert expected in page.content.decode()


PARTS = {
    r"\{row\.subject\}": "place",
    r"\{[^{}]*role[^{}]*\}": "reader",
    r"\{_players[^{}]*\}": ": 先手 – 後手",
    r"\{self\._counts[^{}]*\}": (
        "2 files (0 known before, 0 refused), 2 entries: 1 games stored, 0 known games, 1 failed"
    ),
    r"\{whom\}": "a member",
    r"\{on\}": "on",
    r"\{outcome\}": "complete",
    r"\{'([^']*)'[^{}]*\}": r"\1",
    r"\{[^{}]*\}": "1",
}
"""What the parts of lines may be."""


def written_lines() -> Iterator[ast.expr]:
    """The third argument of every call of `note`, and what `audit_line` returns."""
    for path in Path(settings.BASE_DIR, "archive").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in ("note", "audit.note"):
                yield from node.args[2:]
            elif isinstance(node, ast.FunctionDef) and node.name == "audit_line":
                returns = (each for each in ast.walk(node) if isinstance(each, ast.Return))
                yield from (each.value for each in returns if each.value)


def form_of(text: ast.expr) -> str:
    """The text of a line, with the expressions of an f-string in braces."""
    if isinstance(text, ast.Constant):
        return str(text.value)
    assert isinstance(text, ast.JoinedStr), f"the text is not in the call: {ast.unparse(text)}"
    return "".join(
        f"{{{ast.unparse(part.value)}}}" if isinstance(part, ast.FormattedValue) else form_of(part)
        for part in text.values
    )


def test_every_line_that_is_written_has_words_in_japanese():
    """Forms of `audit_words` are compared with the texts in the code."""
    # Signals bring the texts of a table.
    forms = {form_of(text) for text in written_lines() if ast.unparse(text) != "what"}
    assert len(forms) > 20
    with override("ja"):
        for line in forms | {what for _signal, what in audit.WAYS_IN}:
            sample = line
            for part, value in PARTS.items():
                sample = re.sub(part, value, sample)
            assert translated(sample) != sample, line
