"""What is deleted is gone at once, for everybody but who keeps the archive."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Permission
from django.core.cache import cache
from django.test import Client

from archive import store
from archive.intake import tasks, uploads
from archive.models import Entry, Game, GameAlias, GoneUpload, Occurrence, Upload, User
from archive.queries.games import statistics
from archive.queries.games.facets import facets
from archive.queries.games.filters import GameFilters
from archive.queries.games.listing import find_games
from archive.queries.games.statistics import counts
from archive.queries.names.people import names, player_summary
from archive.queries.positions.explorer import explore
from archive.queries.positions.position_games import games_through
from archive.queries.scope import PUBLIC
from archive.store import deletion, verify
from tests.archive.games import KIF, START, stored

pytestmark = pytest.mark.django_db

OTHER = KIF.replace("先手の人", "甲").replace("後手の人", "乙").replace("試しの棋戦", "別の棋戦")
API = "/api/v1/uploads/{upload}"
OF_UPLOAD = (
    API, f"{API}/entries", f"{API}/entries?format=csv", f"{API}/entries?format=ndjson", f"{API}/source",
    f"{API}/entries/0/source", f"{API}/entries/0/report", "/uploads/{upload}/", "/uploads/{upload}/?after=0",
)  # fmt: skip
OF_GAME = (
    "/api/v1/games/{game}", "/api/v1/games/{game}/record.kif", "/api/v1/games/{game}/positions",
    "/api/v1/games/{game}/series", "/games/{game}/", "/embed/games/{game}/",
)  # fmt: skip


@pytest.fixture
def anna() -> User:
    return User.objects.create_user("anna")


@pytest.fixture
def sent(anna: User) -> Upload:
    """An upload of anna's with a game that has a former id."""
    return sent_by(anna)


def sent_by(user: User | None, text: str = KIF, name: str = "secret.kif") -> Upload:
    upload = stored(text, name)
    Upload.objects.filter(pk=upload.pk).update(uploader=user)
    if not GameAlias.objects.exists():
        GameAlias.objects.create(pk=10**6, game=Game.objects.get())
    return upload


def several(*names: str) -> str:
    """A file of games, one of each of these players."""
    return "".join(KIF.replace("先手の人", name) for name in names)


def browser(user: User | None) -> Client:
    client = Client()
    if user is not None:
        client.force_login(user)
    return client


def keeper(*rights: str) -> User:
    user = User.objects.create_user("keeper")
    user.user_permissions.set(Permission.objects.filter(codename__in=rights))
    return user


def addresses(upload: Upload) -> list[str]:
    """Every address of the upload and of its game, the former ones too."""
    game = Entry.objects.filter(upload=upload).values_list("game_id", flat=True).get()
    found = [address.format(upload=upload.pk) for address in OF_UPLOAD]
    return found + [address.format(game=pk) for address in OF_GAME for pk in (game, 10**6)]


def answers(client: Client, found: list[str], **headers: str) -> dict[str, int]:
    return {address: client.get(address, headers=headers).status_code for address in found}


def all_right() -> bool:
    return not list(verify.verify())


# --- who sees what ---------------------------------------------------------------------------------------


def test_from_the_first_moment_every_address_is_gone_for_everybody(sent, anna):
    found = addresses(sent)
    shown = {200, 301, 404}  # a former id has no file
    assert set(answers(browser(None), found).values()) <= shown
    store.begin_deletion(sent.pk)
    staff = User.objects.create_user("staff", is_staff=True)
    for user in (None, User.objects.create_user("bert"), anna, staff):
        assert set(answers(browser(user), found).values()) == {410}, user


def test_the_parts_that_a_page_follows_are_gone_too(sent):
    store.begin_deletion(sent.pk)
    client = browser(None)
    pages = [address for address in addresses(sent) if not address.startswith("/api/")]
    assert set(answers(client, pages, **{"X-Part": "state"}).values()) == {410}
    assert {client.head(address).status_code for address in pages} == {410}


def test_who_may_view_uploads_sees_them_as_long_as_they_are_there(sent):
    found = addresses(sent)
    before = answers(browser(None), found)
    store.begin_deletion(sent.pk)
    client = browser(keeper("view_upload"))
    assert answers(client, found) == before
    assert store.delete_upload(sent.pk)
    assert set(answers(client, found).values()) == {410}


def test_it_stays_gone_and_what_never_was_is_not_found(sent):
    found = addresses(sent)
    store.delete_upload(sent.pk)
    client = browser(None)
    assert set(answers(client, found).values()) == {410}
    never = [address.format(upload=4711, game=4711) for address in (*OF_UPLOAD, *OF_GAME)]
    assert set(answers(client, never).values()) == {404}


def test_gone_is_a_problem_with_a_code_and_a_page_in_both_languages(sent):
    store.begin_deletion(sent.pk)
    client = browser(None)
    problem = client.get(f"/api/v1/uploads/{sent.pk}")
    assert (problem["Content-Type"], problem.json()["code"]) == ("application/problem+json", "gone")
    for language, words in (("ja", "公開を終了しました"), ("en", "It was taken down")):
        page = client.get(f"/uploads/{sent.pk}/", headers={"Accept-Language": language})
        assert page.status_code == 410 and words in page.content.decode()


def test_lists_of_uploads_leave_it_out(sent):
    other = sent_by(None, OTHER, "other.kif")
    store.begin_deletion(sent.pk)
    address = f"/upload/?sent={sent.pk},{other.pk}"
    page = browser(None).get(address).content.decode()
    assert "other.kif" in page and "secret.kif" not in page
    assert "secret.kif" in browser(keeper("view_upload")).get(address).content.decode()


# --- who may delete --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("who", "status"),
    [("nobody", 401), ("bert", 403), ("anna", 204), ("staff", 403), ("deleter", 204), ("viewer", 403)],
)
def test_deleting_takes_the_right_to_or_having_sent_it(sent, who, status):
    users = {
        "nobody": None,
        "anna": User.objects.get(username="anna"),
        "bert": User.objects.create_user("bert"),
        "staff": User.objects.create_user("staff", is_staff=True),
        "deleter": keeper("delete_upload") if who == "deleter" else None,
        "viewer": keeper("view_upload") if who == "viewer" else None,
    }
    answer = browser(users[who]).delete(f"/api/v1/uploads/{sent.pk}")
    assert answer.status_code == status
    assert Upload.objects.exists() == (status != 204)


def test_asking_again_is_no_error_and_strangers_learn_nothing_new(sent, anna, monkeypatch):
    monkeypatch.setattr(uploads, "DELETE_SECONDS", 0)
    address = f"/api/v1/uploads/{sent.pk}"
    assert [browser(anna).delete(address).status_code for _ in range(2)] == [202, 202]
    assert [browser(user).delete(address).status_code for user in (None, keeper())] == [410, 410]
    tasks.delete_upload(sent.pk)
    assert browser(anna).delete(address).status_code == 410


def test_the_admin_deletes_by_the_same_right(sent):
    staff = keeper("view_upload")
    staff.is_staff = True
    staff.save()
    address = f"/admin/archive/upload/{sent.pk}/delete/"
    assert browser(staff).post(address, {"post": "yes"}).status_code == 403
    staff.user_permissions.add(Permission.objects.get(codename="delete_upload"))
    assert browser(staff).post(address, {"post": "yes"}).status_code == 302
    assert Upload.objects.get().state == "deleting"


# --- lists, counts, the index ----------------------------------------------------------------------------


def test_what_nobody_else_has_sent_is_out_of_everything_that_is_counted(sent, monkeypatch):
    cache.clear()
    # As in an archive so large that sums are kept for a while.
    monkeypatch.setattr(statistics, "MOST_LISTED", 0)
    sent_by(None, OTHER, "other.kif")
    black = Game.objects.get(player0__name="先手の人").player0_id
    assert (counts(PUBLIC).games, statistics.statistics(PUBLIC).games, facets(PUBLIC).games) == (2, 2, 2)
    assert explore(PUBLIC, "shogi", START).total == 2
    store.delete_upload(sent.pk)
    assert (counts(PUBLIC).games, statistics.statistics(PUBLIC).games, facets(PUBLIC).games) == (1, 1, 1)
    assert explore(PUBLIC, "shogi", START).total == len(games_through(PUBLIC, "shogi", START).items) == 1
    assert [row.first for row in find_games(PUBLIC).items] == ["甲"]
    assert [one.name for one in names(PUBLIC, "player")] == ["乙", "甲"]
    assert [one.name for one in names(PUBLIC, "event")] == ["別の棋戦"]
    assert player_summary(PUBLIC, black) is None
    assert browser(None).get(f"/players/{black}/").status_code == 404
    assert all_right()


def test_a_game_that_others_sent_too_stays_without_a_word_of_the_upload(sent):
    other = sent_by(None, KIF + "\n", "other.kif")
    game = Game.objects.get()
    store.begin_deletion(sent.pk)
    client = browser(None)
    sources = client.get(f"/api/v1/games/{game.pk}").json()["sources"]
    assert [source["upload_url"].rpartition("/")[2] for source in sources] == [str(other.pk)]
    for address in (f"/games/{game.pk}/", f"/embed/games/{game.pk}/", "/games/"):
        page = client.get(address).content.decode()
        assert f"/uploads/{sent.pk}/" not in page and "secret.kif" not in page
    assert [pk for pk, _name, _n in facets(PUBLIC).sources] == [other.pk]
    assert find_games(PUBLIC, GameFilters(upload=sent.pk)).items == ()
    assert explore(PUBLIC, "shogi", START, filters=GameFilters(upload=sent.pk)).total == 0
    assert "secret.kif" not in client.get(f"/games/?upload={sent.pk}").content.decode()
    store.delete_upload(sent.pk)
    assert Entry.objects.get().state == Entry.State.STORED and all_right()


def test_games_of_nobody_else_go_before_the_rest(sent, monkeypatch):
    monkeypatch.setattr(deletion, "BATCH", 1)
    monkeypatch.setattr(deletion, "LARGEST_BATCH", 1)
    both = sent_by(
        None, "".join(KIF.replace("先手の人", name) for name in ("先手の人", "丙", "丁")), "both.kif"
    )
    assert Entry.objects.filter(upload=both).count() == 3
    store.begin_deletion(both.pk)
    work = deletion.Deletion(both.pk, "mine")
    assert work.claim()
    for _ in work.steps():
        if GoneUpload.objects.exists():
            break
    assert Game.objects.get().player0.name == "先手の人"
    assert Entry.objects.filter(upload=both).count() == 1 and all_right()


def test_a_game_whose_uploads_are_all_being_deleted_is_nobodys(sent):
    again = sent_by(None, KIF + "\n", "again.kif")
    game = Game.objects.get().pk
    store.begin_deletion(sent.pk)
    assert browser(None).get(f"/games/{game}/").status_code == 200
    store.begin_deletion(again.pk)
    assert browser(None).get(f"/games/{game}/").status_code == 410
    store.delete_upload(sent.pk)
    assert not Game.objects.exists() and not Entry.objects.exists() and all_right()
    assert store.delete_upload(again.pk)


def test_the_same_games_can_come_again(sent):
    store.delete_upload(sent.pk)
    gone = 10**6
    stored(KIF)
    assert Game.objects.get().pk != gone and Occurrence.objects.count() == 8 and all_right()


# --- many at once ----------------------------------------------------------------------------------------


def test_one_request_of_a_process_deletes_the_others_leave_it_to_workers(
    sent, monkeypatch, django_capture_on_commit_callbacks
):
    told: list[int] = []
    monkeypatch.setattr(tasks, "send_deletion", told.append)
    with uploads._deleting, django_capture_on_commit_callbacks(execute=True):
        assert not uploads.withdraw(sent.pk)
    assert Upload.objects.get().state == "deleting" and told == [sent.pk]
    assert uploads.withdraw(sent.pk) and not Upload.objects.exists()


def test_a_deletion_that_has_no_more_time_stops_after_its_transaction(sent, monkeypatch):
    monkeypatch.setattr(deletion, "BATCH", 1)
    monkeypatch.setattr(deletion, "LARGEST_BATCH", 1)
    many = sent_by(None, several(*"甲乙丙丁"), "many.kif")
    assert not store.delete_upload(many.pk, seconds=0)
    assert Entry.objects.filter(upload=many).count() == 3
    assert all_right()
