"""Every game lies in one space, with its keys, names and identity; it can be moved to another one."""

from __future__ import annotations

import pytest

from archive import store
from archive.derive.game import derive_game
from archive.intake import worker
from archive.models import Entry, Event, Game, GameAlias, Player, Space, Upload, User
from archive.queries.games.facets import facets
from archive.queries.games.filters import GameFilters
from archive.queries.games.listing import find_games
from archive.queries.games.twins import twins_of
from archive.queries.names import directory, people
from archive.queries.names.similar_names import similar_spellings
from archive.queries.positions.explorer import explore
from archive.queries.positions.position_games import games_through
from archive.queries.scope import PUBLIC, Scope
from archive.store import verify
from archive.store.rereading import in_space
from kifu_core.classes import PUBLIC as PUBLIC_SPACE
from tests.archive.builders import ingest, parsed, ready, record
from tests.archive.games import CSA, KIF, START

pytestmark = pytest.mark.django_db

OTHER = KIF.replace("先手の人", "別の人").replace("2024/05/01", "2024/05/02")


@pytest.fixture
def anna() -> User:
    return User.objects.create_user("anna")


@pytest.fixture
def mine(anna: User) -> int:
    made = Space.objects.create(kind="person")
    made.memberships.create(user=anna, owner=True)
    return made.pk


def sent(text: str, user: User | None = None, space: int = PUBLIC_SPACE, name: str = "game.kif") -> Upload:
    """An upload for a space, worked off."""
    made, _ = store.create_upload(name, [text.encode()], user, "web", space=space)
    worker.work_off(made.pk)
    made.refresh_from_db()
    return made


def game_of(upload: Upload) -> Game:
    entry = Entry.objects.select_related("game").get(upload=upload)
    assert entry.game is not None
    return entry.game


def sound() -> bool:
    return list(verify.verify()) == []


def test_the_same_game_is_known_within_its_space_only(anna, mine):
    public, private = sent(KIF), sent(CSA, anna, mine, "game.csa")
    assert game_of(public) != game_of(private)
    assert [entry.state for entry in Entry.objects.order_by("pk")] == ["stored", "stored"]
    again = sent(KIF.replace("試しの棋戦", "試しの　棋戦"), anna, mine)
    assert game_of(again) == game_of(private) and sound()


def test_the_same_bytes_are_an_upload_of_each_space(anna, mine):
    public, private = sent(KIF, anna), sent(KIF, anna, mine)
    assert public != private
    assert store.create_upload("x", [KIF.encode()], anna, "web", space=mine) == (private, False)


def test_names_are_those_of_the_spaces_that_are_asked(anna, mine):
    sent(KIF)
    sent(OTHER, anna, mine)
    both, private = Scope((PUBLIC_SPACE, mine)), Scope((mine,))
    listed = {
        str(scope): [one.name for one in people.names(scope, "player")] for scope in (PUBLIC, private, both)
    }
    assert list(listed.values()) == [
        ["先手の人", "後手の人"],
        ["別の人", "後手の人"],
        ["先手の人", "別の人", "後手の人"],
    ]
    assert [(one.name, one.games) for one in people.names(both, "player", "後手")] == [("後手の人", 2)]
    assert people.count_names(both, "player", "", 9) == 3
    for order in ("reading", "games"):
        page = directory.list_names(both, "player", order).items
        assert {(one.name, one.games) for one in page} == {("先手の人", 1), ("別の人", 1), ("後手の人", 2)}
    assert [(one.name, one.games) for one in directory.list_names(both, "event", "name").items] == [
        ("試しの棋戦", 2)
    ]
    assert similar_spellings(PUBLIC, "player", "別の入") == [] and similar_spellings(
        both, "player", "別の入"
    ) == ["別の人"]
    assert people.stored_spelling(PUBLIC, "別の人") == "別の人"


def test_lists_filters_and_facets_are_of_the_spaces_that_are_asked(anna, mine):
    sent(KIF)
    upload = sent(OTHER, anna, mine)
    both, private = Scope((PUBLIC_SPACE, mine)), Scope((mine,))
    for asked, numbers in (
        (GameFilters(), (1, 1, 2)),
        (GameFilters(player="後手の人"), (1, 1, 2)),
        (GameFilters(white="後手の人"), (1, 1, 2)),
        (GameFilters(player="別の人"), (0, 1, 1)),
        (GameFilters(event="試しの棋戦"), (1, 1, 2)),
        (GameFilters(upload=upload.pk), (0, 1, 1)),
    ):
        for scope, number in zip((PUBLIC, private, both), numbers, strict=True):
            assert len(find_games(scope, asked).items) == number, (asked, scope)
            assert facets(scope, asked).games == number
            assert explore(scope, "shogi", START, filters=asked).total == number
            assert len(games_through(scope, "shogi", START, filters=asked).items) == number
    found = facets(both)
    assert [(name, n) for _pk, name, n in found.players] == [("後手の人", 2), ("先手の人", 1), ("別の人", 1)]
    assert [(name, n) for _pk, name, n in found.events] == [("試しの棋戦", 2)]
    assert len(found.sources) == 2 and len(facets(PUBLIC).sources) == 1


def test_summaries_are_of_the_spaces_that_are_asked(anna, mine):
    sent(KIF)
    sent(OTHER, anna, mine)
    both = Scope((PUBLIC_SPACE, mine))
    public, private = Player.objects.filter(name="後手の人").order_by("space")
    assert people.player_summary(PUBLIC, private.pk) is None
    alone, together = people.player_summary(PUBLIC, public.pk), people.player_summary(both, public.pk)
    assert alone is not None and together is not None
    assert (alone.counted, together.counted) == (1, 2)
    assert [named.name for named, _ in together.people] == ["先手の人", "別の人"]
    event = Event.objects.get(space=PUBLIC_SPACE)
    assert people.label_summary(Scope((mine,)), "event", event.pk) is None
    whole = people.label_summary(both, "event", event.pk)
    assert whole is not None
    assert next((named.name, tally.games) for named, tally in whole.people) == ("後手の人", 2)


def test_a_spelling_of_a_private_name_is_not_told_in_public(anna, mine):
    sent(KIF.replace("先手の人", "髙見泰地"), anna, mine)
    sent(KIF.replace("先手の人", "高見泰地"))
    assert [one.name for one in people.names(PUBLIC, "player", "見")] == ["高見泰地"]
    assert not Player.objects.exclude(home=None).exists()


def test_twins_are_told_within_the_spaces_that_are_asked(anna, mine):
    long = KIF.replace("   8 投了", "   8 同　歩(33)\n   9 投了").replace("まで7手で先手", "まで8手で後手")
    one = game_of(sent(KIF))
    sent(KIF.replace("2024/05/01", "2024/05/03"), anna, mine)
    sent(long, anna, mine)
    assert twins_of(PUBLIC, one) == ()


# --- moving ----------------------------------------------------------------------------------------------


def test_a_published_game_is_found_by_everybody_under_its_id(anna, mine):
    game = game_of(sent(KIF, anna, mine))
    assert store.move_game(game.pk, PUBLIC_SPACE) == game.pk
    assert explore(PUBLIC, "shogi", START).total == 1 and explore(Scope((mine,)), "shogi", START).total == 0
    assert [row.first for row in find_games(PUBLIC, GameFilters(player="先手の人")).items] == ["先手の人"]
    assert people.names(Scope((mine,)), "player") == []
    assert sound()


def test_a_published_game_that_is_there_becomes_its_edition(anna, mine):
    there = game_of(sent(CSA, name="game.csa"))
    game = game_of(sent(KIF, anna, mine))
    assert store.move_game(game.pk, PUBLIC_SPACE) == there.pk
    alias = GameAlias.objects.get()
    assert (alias.pk, alias.space, alias.game_id) == (game.pk, mine, there.pk)
    assert Entry.objects.filter(game=there.pk).count() == 2
    assert explore(PUBLIC, "shogi", START).total == 1 and sound()


def test_publishing_twice_changes_nothing(anna, mine):
    game = game_of(sent(KIF, anna, mine))
    assert store.move_game(game.pk, PUBLIC_SPACE) == store.move_game(game.pk, PUBLIC_SPACE) == game.pk
    assert store.move_game(12345, PUBLIC_SPACE) is None
    assert sound()


def test_what_somebody_takes_back_leaves_what_others_sent(anna, mine):
    theirs = sent(CSA, name="game.csa")
    ours = sent(KIF, anna)
    assert game_of(theirs) == game_of(ours)
    private = store.move_game(game_of(ours).pk, mine, [ours.pk])
    assert private == game_of(ours).pk != game_of(theirs).pk
    assert [game_of(one).space for one in (theirs, ours)] == [PUBLIC_SPACE, mine]
    assert [entry.state for entry in Entry.objects.order_by("pk")] == ["stored", "stored"]
    assert explore(PUBLIC, "shogi", START).total == explore(Scope((mine,)), "shogi", START).total == 1
    assert sound()


def test_what_was_taken_back_and_published_again_is_one_game(anna, mine):
    theirs, ours = sent(CSA, name="game.csa"), sent(KIF, anna)
    public = game_of(theirs).pk
    private = store.move_game(public, mine, [ours.pk])
    assert private is not None
    assert store.move_game(private, PUBLIC_SPACE) == public
    assert Game.objects.count() == 1 and sound()


def test_a_game_that_was_taken_down_is_not_published(anna, mine):
    store.delete_games([game_of(sent(CSA, name="game.csa")).pk])
    game = game_of(sent(KIF, anna, mine))
    with pytest.raises(store.TakenDownError):
        store.move_game(game.pk, PUBLIC_SPACE)
    assert game_of(Upload.objects.get(space=mine)).space == mine and sound()


def test_an_upload_is_published_game_by_game_and_goes_on_where_it_was(anna, mine):
    texts = [KIF.replace("2024/05/01", f"2024/05/{day:02}") for day in range(1, 6)]
    csa = "/\n".join(CSA.replace("2024/05/01", f"2024/05/{day:02}") for day in range(1, 6))
    sent(texts[2])
    upload = sent(csa, anna, mine, "five.csa")
    assert store.begin_move(upload.pk, PUBLIC_SPACE) and not store.begin_move(upload.pk, PUBLIC_SPACE)
    assert not store.move_upload(upload.pk, 2)
    assert Game.objects.filter(space=mine).count() == 3
    while not store.move_upload(upload.pk, 2):
        pass
    upload.refresh_from_db()
    assert (upload.space, upload.moving_to) == (PUBLIC_SPACE, None)
    assert explore(PUBLIC, "shogi", START).total == Game.objects.count() == 5
    assert store.move_upload(upload.pk, 2) and sound()


def test_a_published_game_is_read_again_where_it_is(anna, mine):
    upload = sent(KIF, anna, mine)
    game = game_of(upload)
    store.move_game(game.pk, PUBLIC_SPACE)
    assert store.reread(upload.pk)
    worker.work_off(upload.pk)
    assert game_of(upload) == game and game_of(upload).space == PUBLIC_SPACE
    assert Game.objects.count() == 1 and sound()


def test_what_is_let_in_comes_to_the_space_of_its_upload(anna, mine):
    game = game_of(sent(KIF, anna, mine))
    store.delete_games([game.pk])
    held = sent(CSA, anna, mine, "game.csa")
    entry = Entry.objects.get(upload=held)
    assert entry.state == "held" and store.release_held([entry.pk]) == 1
    assert game_of(held).space == mine and sound()
    assert Entry.objects.get(upload=sent(KIF)).state == "stored"


# --- lists of names --------------------------------------------------------------------------------------


@pytest.mark.parametrize("limit", [1, 2, 3, 100])
@pytest.mark.parametrize(("kind", "order"), [("player", "reading"), ("event", "name")])
def test_a_list_over_several_spaces_names_everybody_once_in_order_however_short_its_pages(kind, order, limit):
    known = {
        1: "あえか高",
        2: "いえお",
        3: "うえかき髙い",
    }  # the readings of all but two characters are known
    for space, letters in known.items():
        games = (ready("7g7f", black=letter, white="", event=letter) for letter in letters)
        ingest(*(in_space(game, space) for game in games))
    scope, found, after = Scope(tuple(known)), [], ""
    while True:
        page = directory.list_names(scope, kind, order, after=after, limit=limit)
        found += page.items
        if not (after := page.next):
            break
    once = "あいうえおかき高" if kind == "player" else "あいうえおかき高髙"
    assert [one.name for one in found] == list(once)
    times = {"え": 3, "か": 2, "い": 2, "高": 2 if kind == "player" else 1}
    assert {one.name: one.games for one in found} == {letter: times.get(letter, 1) for letter in once}
    assert people.count_names(scope, kind, "", 100) == len(once)
    assert people.count_names(scope, kind, "", 3) == 3


# --- pages -----------------------------------------------------------------------------------------------


def lengthened(number: int) -> str:
    """A game of its own, by what a shuffling king adds."""
    return " ".join(["7g7f 3c3d", *["5i5h 5a5b 5h5i 5b5a"] * number])


@pytest.mark.parametrize("order", ["newest", "oldest", "added", "longest", "shortest"])
@pytest.mark.parametrize(
    "filters", [{"min_plies": 3}, {"q": "NOT player:乙"}, {"q": "plies:..400"}, {"formation": "furibisha"}]
)
def test_what_one_may_not_read_takes_no_part_of_a_page(mine, monkeypatch, order, filters):
    monkeypatch.setattr("archive.queries.games.listing.PAGE_GAMES", 4)
    swings = {True: "2h7h", False: "2h6h"}
    for number in range(1, 4):
        public, private = (f"{lengthened(number)} {swing} 8c8d 1i1h 1a1b" for swing in swings.values())
        ingest(ready(public, black="甲", day=f"2020/01/0{number}"))
        for more in range(4):
            made = record(f"{private} {'9g9f 9c9d ' * (more > 0)}{'1g1f 1c1d ' * (more > 1)}".strip())
            made["header"]["備考"] = str(more)
            ingest(derive_game(parsed(made), mine))
    alone, asked = GameFilters(**filters), list[int]()
    page = find_games(PUBLIC, alone, order)
    asked += [row.id for row in page.items]
    assert len(asked) == 3
    assert page.next is None
