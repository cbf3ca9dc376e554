"""Patterns that are drawn in the editor by mouse, finger and keyboard."""

from __future__ import annotations

from random import Random
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from kifu_core import KifuError
from kifu_core.shogi.keys import shogi64
from kifu_core.shogi.patterns import Pattern, PatternStep, PieceCount, parse, text_of
from kifu_core.shogi.patterns.pattern import ANYTHING, EMPTY, ENEMY, OWN, content
from kifu_core.shogi.patterns.text import MOST_STEPS
from kifu_core.shogi.patterns.words import localized_text
from kifu_core.shogi.pieces import BY_NAME, HAND_KINDS, KINDS
from kifu_core.shogi.position import Position
from tests.browser.boards import drag_over, expect_pattern, finger_drag, middle, tap
from tests.browser.conftest import BOTH_SIZES_AND_LANGUAGES, PageMaker, eventually, follow, loading
from tests.browser.test_accessibility import CONTRAST, violations

pytestmark = [pytest.mark.browser, pytest.mark.one_engine, pytest.mark.django_db(transaction=True)]

START = shogi64.encode(Position.initial())


def editor(open_page: PageMaker, live_server: LiveServer, pattern: str = "", **options: object) -> Page:
    query = urlencode({"pattern": pattern})
    page = open_page(f"{live_server.url}/positions/shogi/edit/?{query}", **{"language": "en", **options})
    expect(page.locator("#pattern-editor [data-content=K] svg")).to_be_visible()
    return page


def test_without_script_nothing_is_offered_that_needs_one(
    open_page: PageMaker, live_server: LiveServer
) -> None:
    for address in ("/positions/shogi/edit/?pattern=K8h", "/positions/shogi/edit/"):
        page = open_page(f"{live_server.url}{address}", script=False)
        offered = page.locator(".needs-script")
        assert offered.count() > 2
        assert [one.inner_text() for one in offered.all() if one.is_visible()] == [], address


def put(page: Page, *names: str) -> None:
    for name in names:
        page.locator(f'[data-content="{name}"]').click()


@pytest.fixture
def finger(phone: Page, live_server: LiveServer) -> Page:
    """A phone with an empty pattern."""
    phone.goto(live_server.url + "/positions/shogi/edit/?pattern=")
    expect(phone.locator("#pattern-editor [data-content=K] svg")).to_be_visible()
    return phone


# --- text and board ---------------------------------------------------------------------------------------

PIECES = [sign * kind.value for kind in KINDS for sign in (1, -1)]
IN_HAND = [sign * kind for kind in HAND_KINDS for sign in (1, -1)]


def counted(random: Random, of: list[int]) -> tuple[PieceCount, ...]:
    results = []
    for piece in random.sample(of, random.choice([0, 0, 1, 3])):
        least = random.randrange(6)
        results.append(PieceCount(piece, least, random.choice([None, least, least + 2])))
    return tuple(sorted(results))


def some_contents(random: Random) -> int:
    few = sum(1 << content(piece) for piece in random.sample(PIECES, random.randrange(1, 4)))
    others = [OWN, ENEMY, EMPTY, few | OWN, few | EMPTY, OWN | ENEMY, ANYTHING]
    return random.choice([few, ANYTHING & ~few, *others])


def some_step(random: Random) -> PatternStep:
    squares = {at: some_contents(random) for at in random.sample(range(81), random.randrange(1, 9))}
    first = random.choice([None, 0, 7])
    return PatternStep(
        squares,
        counted(random, IN_HAND),
        counted(random, PIECES),
        random.choice([None, True, False]),
        first,
        random.choice([None, 7, 90]),
        random.choice([0, 0, 5]),
    )


def some_pattern(random: Random) -> Pattern:
    steps = tuple(some_step(random) for _ in range(random.choice([1, 1, 2, 3])))
    gaps = tuple(random.choice([None, 1, 20]) for _ in steps[1:])
    return Pattern(steps, gaps, random.choice([None, 0, 1]), random.random() < 0.5, random.random() < 0.5)


def shuffled(random: Random, text: str) -> str:
    """The words of each step in another order."""
    results: list[list[str]] = [[]]
    for word in text.split():
        if word.startswith("then"):
            results += [[word], []]
        else:
            results[-1].append(word)
    for words in results:
        random.shuffle(words)
    return "  ".join(word for words in results for word in words)


def damaged(random: Random, text: str) -> str:
    """A text with some characters of others in it, or without some of its own."""
    for _ in range(random.randrange(1, 3)):
        at = random.randrange(len(text))
        other = random.choice(["", " ", *"KgX+-!{},19ai:<>=.", " then ", "own:black "])
        text = text[:at] + other + text[at + 1 :]
    return text


def printed(text: str) -> list[str] | None:
    """The server's texts of a pattern in English and in Japanese; None for an invalid text."""
    try:
        return [text_of(parse(text)), localized_text(parse(text), "ja")]
    except KifuError:
        return None


READ = """
async (texts) => {
  const m = await import("/static/shogi/pattern.js");
  return texts.map((text) => {
    const drawn = m.read(text);
    return drawn && !drawn.steps.some(m.isEmpty) ? [m.write(drawn, false), m.write(drawn, true)] : null;
  });
}
"""


def test_the_browser_reads_and_prints_texts_as_the_server_does(
    open_page: PageMaker, live_server: LiveServer
) -> None:
    random = Random(29)
    canonical = [text for text in (text_of(some_pattern(random)) for _ in range(1500)) if len(text) <= 1000]
    others = [shuffled(random, text) for text in canonical[:500]]
    wrong = [damaged(random, text) for text in canonical[:1500]]
    edges = [
        "", " ", "own:black", "K5i then", "then K5i", "K5i K5i", "K5i -5i", "!{X,x}5i", "{}5e", "hand:K",
        "hand:P>=3,P<=2", "hand:P>=2,P<=4", "hand:P=3 mirror:no line:all", "kept:1000", "kept:999", "ply:..",
        "ply:9..3", "ply:20", "K5i then<=0 K5h", "turn:mine", "constructor:1", "hand:P>=0", "K0i", "K5j",
        "K5i5", "K5i own:black then K5h own:white", " then ".join(["K5i"] * MOST_STEPS),
        " then ".join(["K5i"] * (MOST_STEPS + 1)), "８八玉 △5一玉 ☖77成銀 ☗2二竜 1一と",
        "８八玉、７八金", "玉8八", "歩33△成銀7七", "9九玉9八香☖1一王",
        "9九玉その後20手以内に9八玉そのあと9七玉", "9九玉その後", "その後9九玉",
        "9九玉その後1000手以内9八玉", "9九玉その後0手以内9八玉", "9九玉その後20手9八玉",
        "8八玉 その後 20手以内 9九玉", "8八玉、その後、20手以内に、9九玉",
        "8八玉 その後 20手 以内 9九玉", "8八玉 20手以内 9九玉", "持駒:角、その後、9手以内8八玉",
        "8八玉持駒:角、歩3枚以上、△飛なし", "持ち駒：歩十八", "盤上:と二枚相手の馬1枚以下",
        "持駒:角歩2,P<=5", "持駒:玉", "持駒:角、玉8八", "持駒:角、歩>=3、8八玉", "持駒:角歩3個",
        "持駒:、角", "持駒:角、", "持駒:角、歩>=", "turn:", "hand:", "kept:",
        "hand:B>=", "K5i then<=", "{G", "{G,}5h",
        "K5i then<=0000000005 K5h", "ply:0000000005..9999999999", "持駒:歩3枚以上、歩2枚以下",
        "8八玉その後4手続く", "8八玉 そのあと、4手続く9九玉", "8八玉4手続く kept:4",
        "8八玉 1手後9九玉", "2手後9九玉", "8八玉その後1000手続く", "8八玉その後40手目まで9九玉",
        "10手目から 8八玉 40手目まで", "8八玉10〜40手目", "8八玉10手目～40手目まで", "8八玉5手目",
        "8八玉 5手目 9手目まで", "8八玉 手数:10〜40", "8八玉 手数:10.. 40手目まで", "8八玉40手目まで ply:3..",
        "8八玉 40手目以降 10手目まで", "8八玉手番:自分 先手", "8八玉 手番:先手", "own:後手 8八玉 左右反転",
        "盤上:銀1〜2枚、△金0〜1枚", "盤上:銀2〜1枚",
        "9九玉自分の手番 先手だけ 左右反転も本譜だけ", "9九玉 自分の手番 相手の手番", "K9ihand:B",
        "xhand:B", "hand:B、P", "board:+P、歩9",
        "{金、△銀}7八 !{と,G}7六 -5五 X44", "8八玉{金,銀}7八",
        "{金,金銀}7八", "{金,銀}7八9九玉",
        "{金,銀}7h9九玉", "!+P7六-5五K9九K9i", "K76", "{金、}7八", "{金、 銀}7八",
        "8八成玉", "8八成金", "△△8八玉", "8八",
        *(f"{mark}5{rank}{name}" for mark in ("", "▲", "▽") for rank in "5五" for name in BY_NAME),
        "Ｋ８ｈ\u3000｛Ｇ，Ｓ｝７ｈ ｈａｎｄ：Ｐ＞＝３", "K8ⓗ", "㊀5e", "K5i" + " " * 997, "K5i" + " " * 998,
    ]  # fmt: skip
    page = editor(open_page, live_server)
    texts = [*canonical, *others, *wrong, *edges]
    read = page.evaluate(READ, texts)
    expected = [printed(text) for text in texts]
    assert [one for one in zip(texts, read, expected, strict=True) if one[1] != one[2]] == []
    assert [one[0] for one in read[: len(canonical)]] == canonical
    refused = expected[len(canonical) + len(others) :][: len(wrong)].count(None)
    assert 100 < refused < len(wrong)


def test_a_text_is_drawn_and_followed(open_page: PageMaker, live_server: LiveServer) -> None:
    page = editor(open_page, live_server, "K9i {G,S}7h !p7f hand:B then<=20 K8h own:white mirror:yes")
    conditions = page.locator("svg.board .asked")
    expect(conditions).to_have_count(3)
    expect(page.locator("svg.board .asked .not")).to_have_count(1)
    expect(page.locator('[data-field="own"]')).to_have_value("1")
    expect(page.locator('.pattern-hand[data-side="own"]')).to_have_text("角≥1")
    page.locator(".steps button").nth(1).click()
    expect(conditions).to_have_count(1)
    expect(page.locator('[data-field="gap"]')).to_have_value("20")
    page.locator("#pattern").fill("K9i S8h")
    expect(conditions).to_have_count(2)
    page.locator("#pattern").blur()
    expect_pattern(page, "S8h K9i")
    page.locator("button.undo").click()
    expect_pattern(page, "!p7f {S,G}7h K9i hand:B then<=20 K8h own:white mirror:yes")


def test_what_is_wrong_with_a_text_is_told_with_its_character(
    open_page: PageMaker, live_server: LiveServer
) -> None:
    page = editor(open_page, live_server, language="en")
    page.locator("#pattern").fill("K9i Q8h")
    expect(page.locator("#feedback")).to_contain_text("Character 5:")
    expect(page.locator("#feedback mark")).to_have_text("Q")
    expect(page.locator("#pattern")).to_have_attribute("aria-invalid", "true")
    expect(page.locator("svg.board .asked")).to_have_count(0)
    page.locator("#pattern").fill("K9i")
    expect(page.locator("#feedback .message")).to_have_count(0)
    expect(page.locator("#pattern")).not_to_have_attribute("aria-invalid", "true")
    expect(page.locator("svg.board .asked")).to_have_count(1)
    expect_pattern(page, "K9i")
    page.reload()
    expect(page.locator("svg.board .asked")).to_have_count(1)


# --- drawing ----------------------------------------------------------------------------------------------


@BOTH_SIZES_AND_LANGUAGES
def test_squares_are_chosen_and_told_what_they_hold(
    open_page: PageMaker, live_server: LiveServer, size: tuple[int, int], language: str
) -> None:
    page = editor(open_page, live_server, size=size, language=language)
    tap(page, 9, 9)
    put(page, "K")
    tap(page, 7, 8)
    put(page, "G")
    page.locator('[data-mode="or"]').click()
    put(page, "S")
    tap(page, 7, 6)
    page.locator('[data-mode="not"]').click()
    put(page, "p")
    drag_over(page, (5, 4), (4, 5))
    put(page, "-")
    expect_pattern(page, "-5d -4d -5e -4e !p7f {S,G}7h K9i")
    page.locator('[data-field="turn"]').select_option("own")
    page.locator('[data-field="own"]').select_option("0")
    page.locator('[data-field="mirrored"]').check()
    page.locator(".pattern-hands summary").click()
    page.locator('[data-hand="P"][data-bound="least"]').fill("2")
    page.locator('[data-hand="r"][data-bound="most"]').fill("0")
    page.locator('[data-hand="r"][data-bound="most"]').blur()
    full = "-5d -4d -5e -4e !p7f {S,G}7h K9i hand:r=0,P>=2 turn:own own:black mirror:yes"
    expect_pattern(page, full)
    follow(page.get_by_role("button", name={"ja": "検索", "en": "Search"}[language], exact=True).last)
    written = localized_text(parse(full), "ja" if language == "ja" else "en")
    assert parse_qs(urlsplit(page.url).query) == {"pattern": [written]}
    page.go_back()
    expect_pattern(page, full)
    expect(page.locator("svg.board .asked")).to_have_count(7)


def test_a_piece_is_put_on_many_squares_and_taken_away_again(
    open_page: PageMaker, live_server: LiveServer
) -> None:
    page = editor(open_page, live_server)
    put(page, "P")
    tap(page, 7, 6)
    tap(page, 2, 6)
    drag_over(page, (5, 7), (4, 7))
    expect_pattern(page, "P7f P2f P5g P4g")
    tap(page, 2, 6)
    put(page, "P")
    tap(page, 9, 9)
    expect_pattern(page, "P7f P5g P4g")
    put(page, "L")
    expect_pattern(page, "P7f P5g P4g L9i")
    put(page, "")
    expect_pattern(page, "P7f P5g P4g")
    page.locator("button.clear").click()
    expect_pattern(page, "")
    page.locator("button.undo").click()
    expect_pattern(page, "P7f P5g P4g")


PRESSED = """
() => [
  document.querySelector("[data-mode][aria-pressed=true]").dataset.mode,
  [...document.querySelectorAll("[data-content][aria-pressed=true]")].map((one) => one.dataset.content),
]
"""


def pressed(page: Page) -> tuple[str, list[str]]:
    """How the palette says that pieces are taken, and which of them are pressed."""
    mode, names = page.evaluate(PRESSED)
    return mode, names


def test_the_palette_shows_what_may_stand_on_a_square_or_what_may_not(
    open_page: PageMaker, live_server: LiveServer
) -> None:
    page = editor(open_page, live_server, "{G,S}7h !P7f K8h")
    for (file, rank), expected in (
        ((7, 8), ("is", ["G", "S"])),
        ((7, 6), ("not", ["P"])),
        ((8, 8), ("is", ["K"])),
        ((5, 5), ("is", [""])),
        ((7, 6), ("not", ["P"])),
    ):
        tap(page, file, rank)
        eventually(page, lambda: pressed(page), expected)
    put(page, "L")
    expect_pattern(page, "!{P,L}7f K8h {S,G}7h")
    eventually(page, lambda: pressed(page), ("not", ["L", "P"]))
    put(page, "P", "L")
    expect_pattern(page, "K8h {S,G}7h")
    tap(page, 8, 8)
    page.locator('[data-mode="not"]').click()
    eventually(page, lambda: pressed(page), ("not", []))
    page.locator('[data-mode="is"]').click()
    eventually(page, lambda: pressed(page), ("is", ["K"]))


def test_steps_are_drawn_one_after_the_other(open_page: PageMaker, live_server: LiveServer) -> None:
    page = editor(open_page, live_server, language="en")
    page.locator("button.then").click()
    advice = page.locator(".then-advice[role=status]")
    expect(advice).to_contain_text("Draw this step first: select a square, then a piece.")
    expect(page.locator(".steps")).to_be_hidden()
    tap(page, 8, 8)
    expect(advice).not_to_have_text("")
    put(page, "K")
    expect(advice).to_have_text("")
    page.locator("button.then").click()
    expect(page.locator(".steps button")).to_have_text(["1 K8h", "2 "])
    expect_pattern(page, "K8h")
    expect(page.locator("#feedback .message")).to_have_count(0)
    expect(page.locator("#pattern")).not_to_have_attribute("aria-invalid", "true")
    tap(page, 9, 9)
    put(page, "K")
    page.locator('[data-field="gap"]').fill("12")
    page.locator('[data-field="gap"]').blur()
    expect_pattern(page, "K8h then<=12 K9i")
    expect(page.locator("#feedback .message")).to_have_count(0)
    page.locator(".steps button").first.click()
    page.locator("button.drop-step").click()
    expect_pattern(page, "K9i")


def test_more_steps_than_there_can_be_are_told(open_page: PageMaker, live_server: LiveServer) -> None:
    text = " then ".join(["K5i"] * MOST_STEPS)
    page = editor(open_page, live_server, text, language="en")
    page.locator("button.then").click()
    expect(page.locator(".then-advice")).to_have_text("A pattern has at most 8 steps.")
    expect_pattern(page, text)


def test_the_address_names_the_step_that_is_drawn(open_page: PageMaker, live_server: LiveServer) -> None:
    page = editor(open_page, live_server, "K5i then S7h then G6h")
    page.locator(".steps button").nth(1).click()
    eventually(page, lambda: parse_qs(urlsplit(page.url).query).get("step"), ["2"])
    page.reload()
    expect(page.locator(".steps [aria-pressed=true]")).to_have_text("2 S7h")
    page.locator(".steps button").first.click()
    eventually(page, lambda: parse_qs(urlsplit(page.url).query).get("step"), None)
    for step, pressed_step in (("3", "3 G6h"), ("9", "3 G6h"), ("0", "1 K5i"), ("x", "1 K5i")):
        page.goto(f"{live_server.url}/positions/shogi/edit/?pattern=K5i+then+S7h+then+G6h&step={step}")
        expect(page.locator(".steps [aria-pressed=true]")).to_have_text(pressed_step)


def test_the_palette_is_one_stop_of_the_tab_key(open_page: PageMaker, live_server: LiveServer) -> None:
    page = editor(open_page, live_server, language="en")
    focused = "document.activeElement.dataset.content ?? document.activeElement.dataset.mode"
    page.locator("#pattern-editor .board-host").focus()
    page.keyboard.press("Tab")
    assert page.evaluate(focused) == "is"
    for key, at in (
        ("ArrowRight", "or"),
        ("ArrowLeft", "is"),
        ("ArrowLeft", "is"),
        ("ArrowDown", "k"),
        ("ArrowDown", "+r"),
        ("ArrowDown", "K"),
        ("ArrowRight", "R"),
        ("ArrowUp", "+b"),
        ("End", "X"),
        ("ArrowRight", "X"),
        ("ArrowDown", "X"),
        ("Home", "is"),
        ("ArrowDown", "k"),
        ("ArrowDown", "+r"),
        ("ArrowDown", "K"),
    ):
        page.keyboard.press(key)
        assert page.evaluate(focused) == at, key
    page.keyboard.press("Enter")
    expect_pattern(page, "K5e")
    page.keyboard.press("Tab")
    expect(page.locator("#pattern")).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Search", exact=True).last).to_be_focused()
    for _ in range(2):
        page.keyboard.press("Shift+Tab")
    assert page.evaluate(focused) == "K"


def test_other_conditions_stay_in_the_address_while_one_draws(
    open_page: PageMaker, live_server: LiveServer
) -> None:
    page = open_page(f"{live_server.url}/positions/shogi/edit/?pattern=K9i&player=甲", language="en")
    expect(page.locator("#pattern-editor [data-content=K] svg")).to_be_visible()
    tap(page, 8, 9)
    put(page, "N")
    expect_pattern(page, "K9i N8i")
    expected = {"pattern": ["K9i N8i"], "player": ["甲"]}
    eventually(page, lambda: parse_qs(urlsplit(page.url).query), expected)
    follow(page.get_by_role("button", name="Search", exact=True).last)
    assert parse_qs(urlsplit(page.url).query) == expected


def test_a_step_with_more_than_its_button_shows_says_so(
    open_page: PageMaker, live_server: LiveServer
) -> None:
    page = editor(open_page, live_server, "K9i L9h N8i kept:3 then K8h S7h G7g")
    expect(page.locator(".steps button")).to_have_text(["1 L9h K9i N8i…", "2 G7g K8h S7h"])


def test_a_new_step_is_in_sight_where_it_is_drawn(finger: Page) -> None:
    finger.touchscreen.tap(*middle(finger, 8, 8))
    finger.locator('[data-content="K"]').tap()
    finger.locator("button.then").tap()
    expect(finger.locator(".steps button")).to_have_count(2)
    expect(finger.locator(".steps")).to_be_in_viewport(ratio=1)
    finger.locator('[data-field="kept"]').scroll_into_view_if_needed()
    finger.locator("button.drop-step").tap()
    expect_pattern(finger, "K8h")


def test_control_and_enter_search_from_the_board(open_page: PageMaker, live_server: LiveServer) -> None:
    page = editor(open_page, live_server)
    page.locator("#pattern-editor .board-host").focus()
    page.keyboard.press("Control+Enter")
    expect_pattern(page, "")
    page.keyboard.press("k")
    with loading(page):
        page.keyboard.press("Control+Enter")
    assert urlsplit(page.url).path == "/patterns/"
    assert parse_qs(urlsplit(page.url).query) == {"pattern": ["K5e"]}


def test_a_pattern_is_drawn_by_fingers(finger: Page) -> None:
    finger.touchscreen.tap(*middle(finger, 9, 9))
    finger.locator('[data-content="K"]').tap()
    finger_drag(finger, middle(finger, 9, 7), middle(finger, 8, 7))
    finger.locator('[data-content="P"]').tap()
    expect_pattern(finger, "P9g P8g K9i")
    small = finger.evaluate(
        "[...document.querySelectorAll('#pattern-editor :is(button, input:not([type=checkbox]), select)')]"
        ".filter((one) => one.checkVisibility()).map((one) => one.getBoundingClientRect())"
        ".filter((box) => box.width < 40 || box.height < 40).length"
    )
    assert small == 0


def test_a_pattern_is_drawn_with_the_keyboard_alone(open_page: PageMaker, live_server: LiveServer) -> None:
    page = editor(open_page, live_server, language="en")
    page.locator("#pattern-editor .board-host").focus()
    for key in ("k", "ArrowUp", "Shift+R", "+", "ArrowLeft", "g", ",", "s", "ArrowLeft", "!", "Shift+P"):
        page.keyboard.press(key)
    expect_pattern(page, "!p7d {S,G}6d +r5d K5e")
    expect(page.locator("#cursor")).to_have_text("7d not opponent's pawn")
    for key in ("ArrowDown", "Shift+ArrowDown", "Shift+ArrowRight", "-"):
        page.keyboard.press(key)
    expect_pattern(page, "!p7d {S,G}6d +r5d -7e -6e K5e -7f -6f")
    expect(page.locator("#cursor")).to_have_text("6f empty (4 squares)")
    for key in ("Escape", "x", "ArrowRight", "Space", "ArrowUp", "Delete", "Control+z", "Delete"):
        page.keyboard.press(key)
    expect_pattern(page, "!p7d {S,G}6d +r5d -7e -6e -7f X6f")


def test_without_javascript_a_text_is_asked_for(open_page: PageMaker, live_server: LiveServer) -> None:
    address = live_server.url + "/positions/shogi/edit/?pattern=K9i+Q1a"
    page = open_page(address, script=False, language="en")
    expect(page.locator("#feedback")).to_contain_text("Character 5:")
    expect(page.locator("#pattern-editor .palette")).to_be_hidden()
    page.locator("#pattern").fill("K9i")
    follow(page.get_by_role("button", name="Search", exact=True).last)
    assert urlsplit(page.url).path == "/patterns/"


@pytest.mark.parametrize("language", ["ja", "en"])
def test_axe_finds_nothing_in_the_editor(
    open_page: PageMaker, live_server: LiveServer, language: str
) -> None:
    for theme in ("light", "dark"):
        page = editor(open_page, live_server, "K9i then {G,S}7h hand:B", language=language, theme=theme)
        page.emulate_media(reduced_motion="reduce")
        put(page, "K")
        page.locator("#pattern").fill("K9i Q1a")
        expect(page.locator("#feedback mark")).to_be_visible()
        page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true;")
        assert violations(page, None if theme == "light" else CONTRAST) == []
