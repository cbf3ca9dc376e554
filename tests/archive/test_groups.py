"""Groups: their members, owners and invitations."""

from __future__ import annotations

import re

import pytest

from archive import libraries
from archive.accounts import invitations
from archive.accounts.roles import Role
from archive.libraries import LibraryError
from archive.models import AccountInvitation, Invitation, Space, User
from archive.store import verify
from tests.archive.library_games import SECRET, game_of, page_in_english, send, signed_in, text_of

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def open_to_strangers(settings) -> None:
    """An archive that takes uploads of strangers, as one at home does."""
    settings.ARCHIVE_ANONYMOUS_UPLOAD = True


@pytest.fixture
def anna() -> User:
    return User.objects.create_user("anna", password="opensesame")


@pytest.fixture
def boris() -> User:
    return User.objects.create_user("boris", password="opensesame")


def test_a_group_is_read_by_its_members(anna, boris):
    group = libraries.create_group(anna, "  研究  会 ")
    assert group.name == "研究 会"
    upload = send(anna, SECRET, f"group-{group.pk}")
    pk = game_of(upload).pk
    assert signed_in(boris).get(f"/games/{pk}/").status_code == 404
    assert signed_in(boris).get(f"/libraries/{group.pk}/").status_code == 404
    key = libraries.invite(anna, group)
    client = signed_in(boris)
    assert "研究 会" in client.get(f"/join/{key}/").content.decode()
    assert client.post(f"/join/{key}/").headers["Location"] == f"/libraries/{group.pk}/"
    assert client.get(f"/games/{pk}/").status_code == 200
    assert client.get(f"/api/v1/games?scope=group-{group.pk}").json()["results"]
    assert client.get(f"/join/{key}/", follow=True).redirect_chain == [("/libraries/", 302)]
    libraries.dismiss(anna, group, boris.pk)
    assert signed_in(boris).get(f"/games/{pk}/").status_code == 404


def test_only_owners_let_in_and_out(anna, boris):
    group = libraries.create_group(anna, "研究会")
    with pytest.raises(LibraryError, match="not-an-owner"):
        libraries.invite(boris, group)
    libraries.join(boris, libraries.invite(anna, group))
    for forbidden in (
        lambda: libraries.invite(boris, group),
        lambda: libraries.dismiss(boris, group, anna.pk),
        lambda: libraries.promote(boris, group, boris.pk),
    ):
        with pytest.raises(LibraryError):
            forbidden()
    with pytest.raises(LibraryError, match="last-owner"):
        libraries.dismiss(anna, group, anna.pk)
    libraries.promote(anna, group, boris.pk)
    libraries.dismiss(anna, group, anna.pk)
    assert list(group.memberships.values_list("user", flat=True)) == [boris.pk]
    libraries.dismiss(boris, group, boris.pk)
    assert not Space.objects.filter(pk=group.pk).exists()


def test_a_member_publishes_no_notes_that_others_wrote(anna, boris):
    """Who sends the bare moves of an annotated game would else publish all that the group has of it."""
    group = libraries.create_group(anna, "研究会")
    libraries.join(boris, libraries.invite(anna, group))
    annotated = send(anna, SECRET, f"group-{group.pk}")
    bare = SECRET.replace("*ひそかな注釈\n", "")
    game = game_of(send(boris, bare, f"group-{group.pk}", "bare.kif"))
    assert game == game_of(annotated)
    doors = (lambda: libraries.share_by_link(boris, game), lambda: libraries.share_with(boris, game, "anna"))
    for door in doors:
        with pytest.raises(LibraryError, match="others-sent-it"):
            door()
    assert "Copies of others stay here" in page_in_english(boris, f"/games/{game.pk}/")
    published = libraries.publish(boris, game)
    assert published != game.pk
    answer = signed_in(None).get(f"/api/v1/games/{published}/record.jkf")
    assert answer.status_code == 200 and "ひそかな" not in text_of(answer)
    assert signed_in(None).get(f"/games/{game.pk}/").status_code == 404
    assert "ひそかな" in text_of(signed_in(anna).get(f"/api/v1/games/{game.pk}/record.jkf"))
    assert libraries.may_share(anna, game), "an owner of the group shares all of it"
    assert list(verify.verify()) == []


def test_what_a_member_shared_tells_nothing_that_others_send_later(anna, boris):
    group = libraries.create_group(anna, "研究会")
    libraries.join(boris, libraries.invite(anna, group))
    carla = User.objects.create_user("carla")
    bare = SECRET.replace("*ひそかな注釈\n", "")
    game = game_of(send(boris, bare, f"group-{group.pk}", "bare.kif"))
    link = libraries.share_by_link(boris, game)
    libraries.share_with(boris, game, "carla")

    def seen() -> tuple[int, int]:
        by_link = signed_in(None).get(f"/games/{game.pk}/?key={link}").status_code
        return by_link, signed_in(carla).get(f"/games/{game.pk}/").status_code

    assert seen() == (200, 200)
    send(anna, SECRET, f"group-{group.pk}")
    assert seen() == (404, 404)
    libraries.share_with(anna, game, "anna")
    link = libraries.share_by_link(anna, game)
    assert seen() == (200, 404), "an owner shares all of it"


def test_who_went_out_of_a_group_left_no_door_open(anna, boris):
    group = libraries.create_group(anna, "研究会")
    libraries.join(boris, libraries.invite(anna, group))
    libraries.promote(anna, group, boris.pk)
    game = game_of(send(anna, SECRET, f"group-{group.pk}"))
    link, back = libraries.share_by_link(boris, game), libraries.invite(boris, group)
    libraries.share_with(anna, game, "boris")
    libraries.dismiss(anna, group, boris.pk)
    with pytest.raises(LibraryError, match="no-invitation"):
        libraries.join(boris, back)
    assert signed_in(None).get(f"/shared/{link}/").status_code == 404
    assert signed_in(boris).get(f"/games/{game.pk}/").status_code == 200, "an owner shared it"


def test_owners_end_open_invitations_and_rename_their_group(anna, boris):
    group = libraries.create_group(anna, "研究会")
    key = libraries.invite(anna, group)
    client, address = signed_in(anna), f"/libraries/{group.pk}/"
    assert "1 link is open." in page_in_english(anna, address)
    client.post(address, {"action": "end-invitations"})
    with pytest.raises(LibraryError, match="no-invitation"):
        libraries.join(boris, key)
    assert "open." not in page_in_english(anna, address)
    client.post(address, {"action": "rename", "name": "新しい 研究会"})
    group.refresh_from_db()
    assert group.name == "新しい 研究会"
    libraries.join(boris, libraries.invite(anna, group))
    for forbidden in (
        lambda: libraries.rename(boris, group, "乗っ取り"),
        lambda: libraries.end_invitations(boris, group),
    ):
        with pytest.raises(LibraryError, match="not-an-owner"):
            forbidden()


def test_who_was_made_an_owner_by_mistake_is_a_member_again(anna, boris):
    group = libraries.create_group(anna, "研究会")
    libraries.join(boris, libraries.invite(anna, group))
    with pytest.raises(LibraryError, match="not-an-owner"):
        libraries.demote(boris, group, anna.pk)
    libraries.promote(anna, group, boris.pk)
    back = libraries.invite(boris, group)
    page = page_in_english(anna, f"/libraries/{group.pk}/")
    assert page.count('value="demote"') == 1, "nobody does so to themselves"
    signed_in(anna).post(f"/libraries/{group.pk}/", {"action": "demote", "member": boris.pk})
    assert not libraries.owns(boris, group.pk) and group.memberships.count() == 2
    with pytest.raises(LibraryError, match="no-invitation"):
        libraries.invitation_of(back)
    with pytest.raises(LibraryError, match="last-owner"):
        libraries.demote(anna, group, anna.pk)


def test_a_groups_name_hides_nothing(anna):
    assert libraries.create_group(anna, "a\u202egnp.\x01exe\u200b").name == "agnp.exe"
    assert libraries.create_group(anna, "👩\u200d👧").name == "👩\u200d👧"
    for empty in ("\u200b\u2060", "\x01\x02", "\u200d", "\u3000", "\ud800"):
        with pytest.raises(LibraryError, match="group-name"):
            libraries.create_group(anna, empty)


def test_a_group_with_games_is_not_left_empty(anna):
    group = libraries.create_group(anna, "研究会")
    send(anna, SECRET, f"group-{group.pk}")
    with pytest.raises(LibraryError, match="group-has-games"):
        libraries.dismiss(anna, group, anna.pk)


def test_an_invitation_is_good_once_and_for_a_while(anna, boris):
    group = libraries.create_group(anna, "研究会")
    key = libraries.invite(anna, group)
    assert key not in str(list(Invitation.objects.values()))
    libraries.join(boris, key)
    for wrong in (key, "", "x" * 300, "\ud800"):
        with pytest.raises(LibraryError):
            libraries.join(boris, wrong)
    old = libraries.invite(anna, group)
    Invitation.objects.update(expires="2020-01-01T00:00:00Z")
    with pytest.raises(LibraryError):
        libraries.invitation_of(old)


def test_one_link_serves_several_people_and_members_use_nothing_up(anna, boris):
    group = libraries.create_group(anna, "研究会")
    key = libraries.invite(anna, group, people=2)
    for user in (boris, boris, anna):
        libraries.join(user, key)
    assert Invitation.objects.get().left == 1
    assert signed_in(boris).get(f"/join/{key}/").headers["Location"] == f"/libraries/{group.pk}/"
    libraries.join(User.objects.create_user("carla"), key)
    with pytest.raises(LibraryError, match="no-invitation"):
        libraries.join(User.objects.create_user("dora"), key)
    assert group.memberships.filter(owner=True).get().user == anna


def test_who_was_taken_out_does_not_come_back_by_a_link_for_several(anna, boris):
    group = libraries.create_group(anna, "研究会")
    key, other = libraries.invite(anna, group, people=5), libraries.invite(anna, group)
    libraries.join(boris, key)
    libraries.dismiss(anna, group, boris.pk)
    with pytest.raises(LibraryError, match="no-invitation"):
        libraries.join(boris, key)
    assert libraries.invitation_of(other).left == 1


def test_links_for_new_accounts_lead_into_no_group_that_somebody_was_taken_out_of(anna, boris):
    group = libraries.create_group(anna, "研究会")
    used, _key = invitations.create(Role.READER, 1, anna, people=2, group=group)
    invitations.use(used, boris)
    unused, _key = invitations.create(Role.READER, 1, anna, people=5, group=group)
    alone, _key = invitations.create(Role.READER, 1, anna, group=group)
    libraries.admit(boris, group)
    libraries.dismiss(anna, group, boris.pk)
    assert [*AccountInvitation.objects.exclude(group=None)] == [alone]
    assert {one.pk for one in AccountInvitation.objects.filter(used=None)} == {used.pk, unused.pk, alone.pk}


def test_owners_end_the_links_for_new_accounts_that_lead_into_their_group_too(anna):
    group = libraries.create_group(anna, "研究会")
    made, _key = invitations.create(Role.READER, 1, anna, people=30, group=group)
    libraries.invite(anna, group)
    assert libraries.open_invitations(group) == 2
    libraries.end_invitations(anna, group)
    assert libraries.open_invitations(group) == 0
    assert AccountInvitation.objects.get() == made, "it still makes accounts"


def test_a_link_names_the_group_to_a_stranger_who_is_asked_once_more_after_signing_in(anna, boris):
    group = libraries.create_group(anna, "研究会")
    key = libraries.invite(anna, group)
    client = signed_in(None)
    page = client.get(f"/join/{key}/").content.decode()
    assert "研究会" in page and "anna" in page and 'value="sign-up"' not in page
    assert "管理者に招待を依頼" in page
    client.post("/sign-in/", {"login": "boris", "password": "opensesame"})
    assert not libraries.is_member(boris, group), "looking at the link joins nothing"
    client = signed_in(None)
    assert client.post(f"/join/{key}/", {"action": "sign-in"}).headers["Location"] == "/sign-in/"
    answer = client.post("/sign-in/?next=/games/", {"login": "boris", "password": "opensesame"})
    assert answer.headers["Location"] == f"/join/{key}/"
    assert not libraries.is_member(boris, group), "boris may not be who came by the link"
    page = client.get(f"/join/{key}/").content.decode()
    assert "boris" in page and "今はしない" in page
    client.post(f"/join/{key}/")
    assert libraries.is_member(boris, group)
    assert not Invitation.objects.exists()


def test_signing_in_ends_the_invitations_of_the_session(anna, boris, settings):
    settings.ARCHIVE_REGISTRATION = "invitation"
    group = libraries.create_group(anna, "研究会")
    client = signed_in(None)
    client.post(f"/join/{libraries.invite(anna, group)}/", {"action": "sign-in"})
    client.get(f"/sign-up/{invitations.create(Role.READER, 1)[1]}/")
    client.post("/sign-in/", {"login": "boris", "password": "opensesame"})
    assert not {"join", "invitation"} & client.session.keys()


def test_who_makes_an_account_to_join_is_asked_once_more_after_confirming_the_address(
    anna, settings, mailoutbox
):
    settings.ARCHIVE_REGISTRATION = "open"
    group = libraries.create_group(anna, "研究会")
    key = libraries.invite(anna, group, people=30)
    for name in ("hanako", "taro"):
        client = signed_in(None)
        assert 'value="sign-up"' in client.get(f"/join/{key}/").content.decode()
        assert client.post(f"/join/{key}/", {"action": "sign-up"}).headers["Location"] == "/sign-up/"
        password = "correct horse"
        form = {
            "username": name,
            "email": f"{name}@example.org",
            "password1": password,
            "password2": password,
        }
        client.post("/sign-up/", form)
        (link,) = re.findall(r"http://testserver(\S+)", mailoutbox[-1].body)
        client.post(link)
        answer = client.post("/sign-in/", {"login": name, "password": password})
        client.post(answer.headers["Location"])
        assert libraries.is_member(User.objects.get(username=name), group)


def test_strangers_are_told_of_no_group_by_a_wrong_key():
    for answer in (signed_in(None).get("/join/x/"), signed_in(None).post("/join/x/", {"action": "sign-in"})):
        assert answer.headers["Location"] == "/libraries/"
