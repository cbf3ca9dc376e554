"""An archive that has something of everything: each table of a backup has rows."""

from __future__ import annotations

from pathlib import Path

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.contrib.auth.models import Group, Permission
from django.db import connection
from django.utils import timezone

from archive import libraries, store
from archive.accounts import invitations, tokens
from archive.accounts.audit import note
from archive.collections import editing
from archive.collections import games as collecting
from archive.curation import marks
from archive.derive.verdicts import Line, NewVerdict
from archive.drafts.own_drafts import create_draft
from archive.following import follows, notes, own_names
from archive.hooks import arrivals
from archive.intake import worker
from archive.models import (
    AnalysisVolunteer,
    AuditEvent,
    Correction,
    CorrectionBatch,
    Event,
    Game,
    GameAlias,
    Hook,
    HookDelivery,
    HotMove,
    IndexState,
    Occurrence,
    Player,
    Problem,
    Report,
    SiteText,
    Space,
    Upload,
    User,
)
from archive.problems import finding
from archive.problems.attempts import attempt
from archive.queries.scope import Scope
from archive.training import repertoires
from archive.training.sources import moves_of_text
from kifu_core.classes import PUBLIC
from kifu_core.games import SHOGI
from tests.archive.analysed import analyse
from tests.archive.games import CSA, KIF, START, UNREADABLE
from tests.archive.quoridor import NAMED
from tests.archive.spellings import add_spelling

SAMPLE = Path(__file__).resolve().parents[1] / "data" / "backup"
"""A backup of such an archive as the first version wrote it: read for ever, and never written again."""

SECRETS = ("opensesame", "boris@kifu.example", "receiver.example", "192.0.2.7", "Borislav")
"""What a backup without accounts may not hold."""

_COMMENTED = KIF.replace("まで7手", "*髙いところの注釈\nまで7手")
_FORKED = KIF.replace("後手の人", "別の人") + "\n変化：5手\n   5 ６六歩(67)\n"
EVALUATED = CSA.replace("先手の人", "評").replace("+7776FU\n", "+7776FU\n'** 130 -3334FU #900\n")
_IN_1700 = KIF.replace("2024/05/01", "宝永６年１０月１０日\n場所：江戸城").replace("先手の人", "宗銀")
LARGE = (KIF.replace("先手の人", "大\u3000橋") + "# " + "あ" * 400_000).encode()
"""An upload of more than one piece."""


def sent(data: bytes | str, name: str, by: User | None = None, space: int = PUBLIC) -> Upload:
    """An upload of somebody's, worked off."""
    content = data.encode() if isinstance(data, str) else data
    upload, _ = store.create_upload(name, [content], by, "web", space=space, sender="" if by else "a" * 32)
    worker.work_off(upload.pk)
    upload.refresh_from_db()
    return upload


def fill(large: bytes = LARGE) -> None:
    """Make the archive, through the ways that its users have where these are short."""
    anna = User.objects.create_user("anna", "anna@kifu.example", "opensesame", role=User.Role.CURATOR)
    boris = User.objects.create_user("boris", "boris@kifu.example", "opensesame", first_name="Borislav")
    _send(anna, large)
    _forget(anna)
    _share(anna, boris)
    _let_in(anna)
    _analyse(anna)
    _say(anna)
    _correct(anna)
    _solve(anna)


def _send(anna: User, large: bytes) -> None:
    for number in range(4):
        sent(KIF.replace("先手の人", f"{'甲乙丙丁'[number]}一"), f"{number}.kif")
    sent(KIF, "first.kif")
    sent(CSA, "same.csa")
    sent(_COMMENTED, "commented.kif", anna)
    sent(_FORKED, "forked.kif")
    sent(_IN_1700, "old.kif")
    sent(EVALUATED, "evaluated.csa")
    sent(NAMED, "quoridor.txt")
    sent(UNREADABLE, "unreadable.kif")
    sent(large, "large.kif")
    store.create_upload("waiting.kif", [KIF.replace("先手の人", "待").encode()], anna, "api", waits=True)


def _forget(anna: User) -> None:
    gone = sent(KIF.replace("先手の人", "去"), "gone.kif")
    store.delete_upload(gone.pk)
    doomed = sent(KIF.replace("先手の人", "消"), "doomed.kif")
    store.begin_deletion(doomed.pk)
    taken = sent(KIF.replace("先手の人", "伏"), "taken.kif")
    store.delete_games(taken.entries.values_list("game", flat=True), hide_bytes=True)
    GameAlias.objects.create(pk=1_000_000, game=Game.objects.order_by("pk")[0])
    player = Player.objects.order_by("pk")[0]
    add_spelling(player, "渡邉明")
    event = Event.objects.get(pk=Game.objects.exclude(event=None)[0].event_id)
    add_spelling(event, "別名戦")


def _share(anna: User, boris: User) -> None:
    libraries.own_library(anna)
    group = libraries.create_group(anna, "研究会")
    libraries.join(boris, libraries.invite(anna, group))
    libraries.invite(anna, group, owner=True)
    own = Space.objects.get(kind=Space.Kind.PERSON, memberships__user=anna)
    private = sent(KIF.replace("先手の人", "秘密"), "private.kif", anna, own.pk)
    sent(KIF.replace("先手の人", "秘密"), "group.kif", anna, group.pk)
    game = Game.objects.get(entries__upload=private)
    libraries.share_by_link(anna, game)
    libraries.share_with(anna, game, "boris")
    moved = sent(KIF.replace("先手の人", "公開"), "published.kif", anna, own.pk)
    libraries.publish(anna, Game.objects.get(entries__upload=moved))
    collection = editing.create(anna, own.pk, "名局集", "一章から")
    part = editing.create_part(anna, collection, "一章")
    collecting.add(anna, Scope((PUBLIC, own.pk)), part, [game.pk])
    collecting.annotate(anna, part, game.pk, "手筋", 3)
    editing.show(anna, collection, "public")


def _let_in(anna: User) -> None:
    EmailAddress.objects.create(user=anna, email="anna@kifu.example", verified=True, primary=True)
    Authenticator.objects.create(user=anna, type="totp", data={"secret": "sealed"})
    tokens.create(anna, "a program", ["upload"], None)
    invitation, _key = invitations.create(User.Role.READER, 7, anna, "a friend")
    invitation.used_by.add(anna)
    group = Group.objects.create(name="helpers")
    right = Permission.objects.get(codename="view_report")
    group.permissions.add(right)
    anna.groups.add(group)
    anna.user_permissions.add(right)
    arrivals.number_arrivals()
    hook = Hook.objects.create(user=anna, address="https://receiver.example/", scope="public", salt="5a" * 16)
    HookDelivery.objects.create(hook=hook, games=[1, 2])
    create_draft(anna, {"header": {"先手": "甲"}, "moves": [{}]}, game=1)
    own_names.add_own_name(anna, Player.objects.earliest("pk"), "天童")
    follows.save_search(anna, {"player": "甲"}, "甲の棋譜", "all")
    notes.write_note(anna, libraries.own_library(anna).pk, "shogi", START, "初形")
    lines = moves_of_text("position startpos moves 7g7f 3c3d 2g2f", 9)
    repertoires.add_lines(anna, repertoires.create(anna, "先手", 0), lines)


def _analyse(anna: User) -> None:
    engine = store.engine_of(store.EngineIdentity("an engine", version="1"))
    (key,) = SHOGI.codec.same_class_keys(START, "exact", SHOGI.name)
    for lines in (1, 2):
        verdict = NewVerdict((Line(30, moves=("7g7f",)), *[Line(20)] * (lines - 1)), 100 // lines)
        store.write_verdicts(engine, {key: verdict}, by=anna.pk)
    analyse(Game.objects.filter(kind=SHOGI.name, space=0).earliest("pk"))
    AnalysisVolunteer.objects.create(user=anna, positions=2)


def _say(anna: User) -> None:
    note(AuditEvent.SHARE, anna, "game 1: from 192.0.2.7")
    SiteText.objects.create(page="terms", language="ja", text="どうぞ\n\nご自由に")
    Report.objects.create(game=1, reason="wrong", text="名前が違う", by=anna, settled=timezone.now())
    IndexState.objects.create(version=1, state=IndexState.State.LIVE)


def index() -> tuple[list[tuple[int, ...]], list[tuple[int, ...]]]:
    """All rows of the index and all counters, sorted."""
    columns = ("key", "played", "slot", "ply", "move", "flags", "result")
    counted = ("key", "flags", "move", "result", "n", "rated", "rating_sum", "last_played")
    return sorted(Occurrence.objects.values_list(*columns)), sorted(HotMove.objects.values_list(*counted))


def pieces() -> list[tuple[int, int, bytes]]:
    """All bytes of all uploads, in the pieces in which they are stored; none of those being deleted."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT c.upload_id, c.n, c.bytes FROM archive_uploadchunk c JOIN archive_upload u "
            "ON u.id = c.upload_id WHERE u.state <> 'deleting' ORDER BY 1, 2"
        )
        return [(upload, n, bytes(data)) for upload, n, data in cursor.fetchall()]


def _correct(anna: User) -> None:
    game = Game.objects.order_by("pk")[0]
    batch = CorrectionBatch.objects.create(
        author=anna, author_name="anna", filters={"player": "甲"}, edit={}, reason="a reason"
    )
    correction = Correction.objects.create(
        subject="game",
        subject_id=game.pk,
        operations=[],
        state="undone",
        author=anna,
        author_name="anna",
        batch=batch,
    )
    marks.mark(anna, "days", game.pk)
    correction.events.create(event="proposed", account=anna, account_name="anna")
    game.identities.create(space=0, digest=b"5" * 16, stem=b"6" * 16)


def _solve(anna: User) -> None:
    sent("position sfen 7kl/9/5+P3/9/9/9/9/9/9 b GS 1 moves S*3b 2a2b G*2c", "problem.usi")
    finding.find(Game.objects.filter(record_kind="problem").values_list("pk", flat=True))
    attempt(anna, Scope((PUBLIC,)), Problem.objects.get(), ["S*3b", "2a2b", "G*2c"])
