"""The visitors of the role walk, and the games, uploads and collections in all states that they may meet."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from django.test import Client, override_settings

from archive import libraries, store
from archive.accounts.roles import Role, set_role
from archive.analysis.requests import SearchOptions, request_game
from archive.collections import editing
from archive.collections.games import append
from archive.drafts.own_drafts import create_draft
from archive.following.follows import follow_name
from archive.following.notes import write_note
from archive.following.own_names import add_own_name
from archive.intake import uploads, worker
from archive.models import (
    Collection,
    CorrectionBatch,
    Entry,
    Game,
    Player,
    RepertoireMove,
    Space,
    TrainingCard,
    User,
)
from archive.project.engine_file import EngineFile, EngineSetting
from archive.queries.scope import FOLLOWED, hash_of
from archive.training import repertoires
from archive.training.moves import moves_of
from kifu_core.classes import PUBLIC
from kifu_core.games import SHOGI

VISITORS: Final = (
    "nobody", "other", "shared", "member", "group owner", "owner", "curator", "administrator",
)  # fmt: skip
STATES: Final = (
    "public", "published", "unlisted", "private", "group", "taken back", "hidden", "going", "deleted",
    "removed",
)  # fmt: skip
"""Of a game and the upload that it came in. Published: a public game of an upload in a library. Taken back:
the other way round. Going: of an upload that is being deleted. Removed: deleted from a library."""

STAFF: Final = {"curator", "administrator"}
READERS: Final[dict[str, set[str]]] = {
    "public": {*VISITORS}, "published": {*VISITORS}, "unlisted": {"owner"}, "private": {"owner"},
    "group": {"member", "group owner"}, "taken back": {"owner"}, "hidden": STAFF,
    "going": {*VISITORS}, "deleted": set(), "removed": set(),
}  # fmt: skip
"""The visitors who can read a record, by the state of its game. Lists have a public game until it is
deleted."""
COLLECTIONS: Final = ("public", "unlisted", "private", "group")
"""States of collections, which have all games. The link of the unlisted one is shared with one visitor."""
COLLECTION_READERS: Final = {state: READERS[state] for state in COLLECTIONS} | {
    "unlisted": {"owner", "shared"}
}
"""The visitors who can read a collection, by its state."""
OPEN: Final = {"public", "published", "going"}
SHARED: Final = {"unlisted", "private"}
"""States shared with one visitor, who sees them on the pages of the game only."""
FILES: Final = READERS | {"published": {"owner"}, "going": STAFF | {"owner"}}
"""The visitors who see the name of a file."""

FIRST_MOVES: Final = [*(f"{'１２３４５６７８９'[at]}六歩({at + 1}7)" for at in range(9)), "４八銀(39)"]

ENGINES: Final = EngineFile(engine=(EngineSetting(name="engine", command=("engine",)),))


@dataclass
class Thing:
    """A game and the upload it came in, as they were before anything was deleted."""

    state: str
    game: int
    upload: int
    player: int
    event: int
    place: int
    space: int
    code: str
    entry: int
    correction: int
    key: str = ""

    @property
    def mark(self) -> str:
        return "zm" + self.state.replace(" ", "")

    @property
    def file(self) -> str:
        return "zf" + self.state.replace(" ", "")


@dataclass
class World:
    """What there is, and who."""

    users: dict[str, User]
    group: Space
    things: dict[str, Thing] = field(default_factory=dict)
    draft: int = 0
    """Of the owner of the things."""
    follow: int = 0
    """Of the owner of the things, of the private player."""
    own_name: int = 0
    """The owner's own, which is the private player."""
    note: int = 0
    """The owner's own, on the position of the public game; there is one of the group, too."""
    repertoire: int = 0
    """The owner's own, with one move and its card."""
    move: int = 0
    card: int = 0
    batch: int = 0
    """A curator's edit of public games, which is done."""
    analysis: int = 0
    """A request for an analysis of the private game."""
    collections: dict[str, int] = field(default_factory=dict)
    key: str = ""
    """The key of the unlisted collection."""


def record_of(state: str) -> str:
    """A game whose first move no other one has, with the state's mark wherever a record says something."""
    mark = "zm" + state.replace(" ", "")
    return (
        f"手合割：平手\n先手：{mark}甲\n後手：{mark}乙\n棋戦：{mark}戦\n場所：{mark}館\n戦型：{mark}型\n開始日時：2024/05/01\n"
        f"   1 {FIRST_MOVES[STATES.index(state)]}\n*{mark}注\n   2 ３四歩(33)\n   3 {mark}破\n"
    )


def title_of(state: str) -> str:
    return f"zc{state}"


def make_world() -> World:
    """Store games and collections in all states, and what the visitors have."""
    result = World({name: account(name) for name in VISITORS[1:]}, Space())
    users = result.users
    result.group = libraries.create_group(users["group owner"], "zmgroup会")
    libraries.join(users["member"], libraries.invite(users["group owner"], result.group))
    mine = libraries.own_library(users["owner"]).pk
    spaces = {"published": mine, "unlisted": mine, "private": mine, "removed": mine, "group": result.group.pk}
    for state in STATES:
        sender = users["group owner" if state == "group" else "owner"]
        result.things[state] = sent(state, sender, spaces.get(state, PUBLIC))
    collect(result, mine)
    make_so(result)
    record = SHOGI.formats.load(record_of("private").replace("zmprivate破", "投了")).games[0].record
    edit = {"kind": "set", "header": "備考", "old": "", "new": "棋譜DB"}
    result.batch = CorrectionBatch.objects.create(author=users["curator"], state="done", edit=edit).pk
    result.draft = create_draft(users["owner"], record).pk
    with override_settings(ENGINES=ENGINES):
        private = Game.objects.get(pk=result.things["private"].game)
        result.analysis = request_game(users["owner"], private, SearchOptions()).pk
    result.follow = follow_name(users["owner"], "player", result.things["private"].player).pk
    private = Player.objects.get(pk=result.things["private"].player)
    result.own_name = add_own_name(users["owner"], private).pk
    first = next(moves_of(record, 1))
    repertoire = repertoires.create(users["owner"], "zmprivate定跡", 0)
    repertoires.add_lines(users["owner"], repertoire, [first])
    result.repertoire, result.move = repertoire.pk, RepertoireMove.objects.get().pk
    result.card = TrainingCard.objects.get().pk
    code = result.things["public"].code
    result.note = write_note(users["owner"], mine, "shogi", code, "zmprivate注").pk
    write_note(users["group owner"], result.group.pk, "shogi", code, "zmgroup注")
    return result


def account(name: str) -> User:
    made = User.objects.create_user(name.replace(" ", "-"), password="opensesame")
    give_role(made, name)
    return made


def give_role(user: User, name: str) -> None:
    """Create an account what its name says."""
    role = {"curator": Role.CURATOR, "administrator": Role.ADMINISTRATOR}.get(name, Role.CONTRIBUTOR)
    set_role(user, role)


def sent(state: str, sender: User, space: int) -> Thing:
    name = f"zf{state.replace(' ', '')}.kif"
    upload, _new = uploads.receive(name, [record_of(state).encode()], sender, "web", space=space)
    worker.work_off(upload.pk)
    entry = Entry.objects.select_related("game").get(upload=upload)
    game = entry.game
    assert game is not None and game.player0_id and game.event_id and game.place_id
    position = SHOGI.replay.main_line(game.jkf)
    code = next(SHOGI.codec.encode(at.copy()) for ply, at, _move, _entry in position if ply == 1)
    old = game.jkf["header"]["棋戦"]
    rename = {"op": "header", "name": "棋戦", "old": old, "new": f"{old}名人"}
    correction = store.propose_correction(game, [rename], f"{old}の記事", store.Author(sender))
    return Thing(
        state,
        game.pk,
        upload.pk,
        game.player0_id,
        game.event_id,
        game.place_id,
        space,
        code,
        entry.pk,
        correction.pk,
    )


def collect(world: World, mine: int) -> None:
    """Make a collection of all games in each state."""
    for state in COLLECTIONS:
        user, space = ("group owner", world.group.pk) if state == "group" else ("owner", mine)
        made = editing.create(world.users[user], space, title_of(state), title_of(state))
        append(made, [thing.game for thing in world.things.values()])
        world.collections[state] = made.pk
    of_owner = Collection.objects.in_bulk(world.collections.values())
    editing.show(world.users["owner"], of_owner[world.collections["public"]], "public")
    world.key = editing.show(world.users["owner"], of_owner[world.collections["unlisted"]], "link")


def make_so(world: World) -> None:
    owner, things = world.users["owner"], world.things

    def game(state: str) -> Game:
        return Game.objects.get(pk=things[state].game)

    libraries.publish(owner, game("published"))
    libraries.take_back(owner, game("taken back"))
    things["unlisted"].key = libraries.share_by_link(owner, game("unlisted"))
    libraries.share_with(owner, game("private"), "shared")
    store.delete_games([things["hidden"].game], hide_bytes=True)
    store.begin_deletion(things["going"].upload)
    for state in ("deleted", "removed"):
        assert uploads.withdraw(things[state].upload)


def client_of(world: World, visitor: str) -> Client:
    client = Client(raise_request_exception=True)
    if visitor != "nobody":
        client.force_login(world.users[visitor])
    if visitor == "shared":
        session = client.session
        session[FOLLOWED] = [hash_of(world.things["unlisted"].key), hash_of(world.key)]
        session.save()
    return client
