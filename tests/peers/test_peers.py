"""What we write, other programs read: the same position, moves, comments, variations and ending.

The peers of `KIFU_PEERS` are asked about every game of the corpus and about games made with everything in
them, in every format that they read. What they read otherwise has its reason in the table of `reasons`; any
other difference fails, and so does a reason that is not needed. Without peers the answers that they once gave
for our own samples stand: what we write now is what they were asked then.
"""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from kifu_core import KifuError, ParsedGame, dump, load
from kifu_core.jkf import MoveEntry, Record
from kifu_core.shogi.specials import ENDINGS
from tests.kifu_core.random_games import random_record
from tests.kifu_core.test_round_trip import generated
from tests.peers.asking import READS, Peers, Request, folder
from tests.peers.comparing import Case, Line, differences
from tests.peers.reasons import PAGES, ROWS, reason, with_table
from tests.shared import CORPUS, need_shared

DATA = Path(__file__).parents[1] / "data"
RECORDED = Path(__file__).with_name("answers.jsonl")
FORMATS = ("kif", "ki2", "csa", "usi", "jkf")


def written(case: Case, file_format: str) -> str:
    """What is asked: our text of a game."""
    options = {"ending": case.game.ending} if file_format in ("kif", "ki2", "csa") else {}
    return dump(case.game.record, file_format, **options)


def samples() -> list[Case]:
    """The games of our own samples."""
    paths = [path for path in sorted(DATA.glob("*/*.*")) if path.parent.name in ("kif", "ki2", "csa", "jkf")]
    return list(cases_of(paths, DATA))


def cases_of(paths: list[Path], root: Path) -> Iterator[Case]:
    """The games of files."""
    for path in paths:
        try:
            games = load(path.read_bytes(), path.name).games
        except KifuError:
            continue
        name = path.relative_to(root).as_posix()
        yield from (Case(f"{name}#{number}", game) for number, game in enumerate(games))


def corpus(part: int) -> list[Case]:
    """The games of a part of the corpus."""
    with (CORPUS / "index.csv").open(encoding="utf-8", newline="") as file:
        rows = [row["path"] for row in csv.DictReader(file) if not row["format"].startswith("quoridor")]
    return list(cases_of([CORPUS / path for path in rows[part::PARTS]], CORPUS))


PARTS = 12
"""So that no test takes minutes: peers are slow."""


def made() -> list[Case]:
    """Games with every start, every ending, variations in variations, comments and bookmarks."""
    found = [Case(f"generated {seed}", replace(generated(seed), fractions={})) for seed in range(40)]
    found += [Case(f"random {seed}", reread(random_record(seed))) for seed in range(60)]
    return [*found, *(ended(word, plies) for word in WORDS for plies in (0, 1, 2))]


WORDS = (*(kind.word for kind in ENDINGS if kind.word), "封じ手", "なぞの終局")


def ended(word: str, plies: int) -> Case:
    """A game that ends with a word, with comments."""
    rows = ["   1 ７六歩(77)", "*手の", "   2 ３四歩(33)"][: (0, 2, 3)[plies]]
    rows = ["手合割：平手", "手数----指手--", *rows, f"   {plies + 1} {word}", "*終局の：", ""]
    return Case(f"{word} after {plies}", load("\n".join(rows)).games[0])


def reread(record: Record) -> ParsedGame:
    """A record as a game, without variations that begin as the line that they vary or as a sibling."""
    (game,) = load(dump({**record, "moves": distinct(record["moves"])}, "jkf"), "x.jkf").games
    return game


def distinct(entries: list[MoveEntry]) -> list[MoveEntry]:
    """A line without the variations that begin with a move that stands there already."""
    found: list[MoveEntry] = []
    for entry in entries:
        seen, forks = [entry.get("move")], []
        for fork in entry.get("forks", []):
            if fork[0].get("move") not in seen:
                seen.append(fork[0].get("move"))
                forks.append(distinct(fork))
        kept = entry.copy()
        kept.pop("forks", None)
        found.append({**kept, "forks": forks} if forks else kept)
    return found


@cache
def peers() -> Peers:
    """The peers; the test is skipped without them."""
    where = folder()
    if where is None:
        pytest.skip("KIFU_PEERS does not name a folder of peers (see CONTRIBUTING.md)")
    return Peers(where)


BATCH = 1000
"""Games about which the peers are asked at once: some files hold thousands, and answers are long."""


def found_of(cases: list[Case]) -> Iterator[tuple[Case, str, str, str]]:
    """Every difference: the game, the peer, the format and what differs."""
    for begin in range(0, len(cases), BATCH):
        yield from _found_of_batch(cases[begin : begin + BATCH])


def _found_of_batch(cases: list[Case]) -> Iterator[tuple[Case, str, str, str]]:
    asked = [
        (case, peer, file_format, written(case, file_format))
        for case in cases
        for file_format in FORMATS
        for peer in peers().commands
        if file_format in READS[peer]
    ]
    answers = peers().ask(Request(peer, file_format, text) for _, peer, file_format, text in asked)
    for (case, peer, file_format, _), answer in zip(asked, answers, strict=True):
        for what in sorted(differences(case, peer, file_format, answer)):
            yield case, peer, file_format, what


USED: Counter[str] = Counter()


@pytest.mark.parametrize("games", [samples, made])
def test_peers_read_what_we_write(games):
    assert unexplained(games()) == []


@pytest.mark.shared
@pytest.mark.parametrize("part", range(PARTS))
def test_peers_read_what_we_write_of_the_corpus(part):
    peers()
    need_shared()
    assert unexplained(corpus(part)) == []


def unexplained(cases: list[Case]) -> list[str]:
    """The differences without a reason; the reasons of the others are counted."""
    assert peers().commands, "the folder of KIFU_PEERS holds no peers"
    found = []
    for case, peer, file_format, what in found_of(cases):
        row = reason(case, peer, file_format, what)
        if row is None:
            found.append(f"{peer} {file_format} {what}: {case.name}")
        else:
            USED[f"{row.peer}: {row.reason}"] += 1
    return found


def test_every_reason_is_needed():
    asked = peers()
    if set(asked.commands) != set(READS) or not CORPUS.is_dir() or not USED:
        pytest.skip("needs all peers and the corpus, and the tests before it")
    assert {f"{row.peer}: {row.reason}" for row in ROWS} == set(USED)


@pytest.mark.parametrize("language", PAGES)
def test_the_documentation_has_the_table_of_reasons(language):
    text = PAGES[language].read_text(encoding="utf-8")
    assert text == with_table(text, language), "run python -m tests.peers.reasons"
    assert text.count("\n| ") == len(ROWS) + 2


# --- without peers -------------------------------------------------------------------------------------


RECORDED_SAMPLES = (
    "csa/rest_in_hand.csa#0", "jkf/example_handicap.jkf#0", "jkf/example_own_start.jkf#0",
    "jkf/example_plain.jkf#0", "jkf/example_variation.jkf#0", "ki2/relative_words.ki2#0",
    "kif/even_game.kif#0", "kif/odd_rows.kif#0", "kif/position.kif#0", "kif/problem.kif#0",
    "kif/tombo.kif#0", "kif/variations.kifu#0",
)  # fmt: skip


def asked_once() -> dict[str, Case]:
    """The games about which the peers' answers are recorded."""
    cases = {case.name: case for case in samples()}
    games = [cases[name] for name in RECORDED_SAMPLES] + [ended(word, 2) for word in WORDS]
    return {case.name: case for case in games}


def recorded() -> list[dict[str, Any]]:
    """What the peers answered about our samples."""
    rows = [json.loads(line) for line in RECORDED.read_text(encoding="utf-8").splitlines()]
    for row in rows:
        for answer in row["answers"].values():
            answer["lines"] = _full(answer.get("lines", []))
    return rows


def _slim(line: Line) -> Line:
    """A line without what is empty, as it is kept."""
    return [
        {
            name: [_slim(fork) for fork in value] if name == "forks" else value
            for name, value in one.items()
            if value
        }
        for one in line
    ]


def _full(line: Line) -> Line:
    """A line as answers have it, from what is kept."""
    empty: dict[str, Any] = {"comments": []}
    return [{**empty, **one, "forks": [_full(fork) for fork in one.get("forks", [])]} for one in line]


def test_our_samples_are_written_as_peers_have_read_them():
    texts = {
        (name, file_format): written(case, file_format)
        for name, case in asked_once().items()
        for file_format in FORMATS
    }
    answered = {(row["sample"], row["format"]): row["text"] for row in recorded()}
    assert {key for key, text in texts.items() if answered.get(key) != text} == set(), (
        "written otherwise than it was read: ask the peers anew (see CONTRIBUTING.md)"
    )


def test_what_peers_have_read_of_our_samples_is_what_we_meant():
    cases, asked = asked_once(), 0
    for row in recorded():
        for peer, answer in row["answers"].items():
            asked += 1
            for what in differences(cases[row["sample"]], peer, row["format"], answer):
                assert reason(cases[row["sample"]], peer, row["format"], what), (row["sample"], peer, what)
    assert asked > 100


def record_answers() -> None:
    """Ask the peers about some games and keep what they say: `python -m tests.peers.test_peers`."""
    rows = []
    for case in asked_once().values():
        for file_format in FORMATS:
            text = written(case, file_format)
            names = [peer for peer in READS if file_format in READS[peer]]
            answers = peers().ask(Request(peer, file_format, text) for peer in names)
            told = {}
            for peer, answer in zip(names, answers, strict=True):
                told[peer] = {key: value for key, value in answer.items() if key not in ("id", "lines")}
                if "lines" in answer:
                    told[peer]["lines"] = _slim(answer["lines"])
            rows.append({"sample": case.name, "format": file_format, "text": text, "answers": told})
    lines = (json.dumps(row, ensure_ascii=False, separators=(",", ":")) for row in rows)
    RECORDED.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


if __name__ == "__main__":
    record_answers()
