"""Records are read alike by every Python that the project supports, whatever its expressions get wrong.

Python 3.11.2 misreads possessive quantifiers over groups: https://github.com/python/cpython/issues/106052.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from tests.kifu_core import golden
from tests.shared import GOLDEN

ROOT = Path(__file__).parents[2]
DATA = ROOT / "tests" / "data"
OLDEST = (3, 11)

COMPILED = """
import gc, importlib, pkgutil, re, sys
from re import _compiler, _constants as sre, _parser
ROOT, compile_ = sys.argv[1], _compiler.compile
SIMPLE = (sre.IN, sre.LITERAL, sre.NOT_LITERAL, sre.ANY)

def over_group(parts):
    for code, argument in parts:
        if code is sre.POSSESSIVE_REPEAT and (len(argument[2]) > 1 or argument[2][0][0] not in SIMPLE):
            return True
        items = argument if isinstance(argument, (tuple, list)) else [argument]
        inner = [part for item in items for part in (item if isinstance(item, list) else [item])]
        if any(isinstance(part, _parser.SubPattern) and over_group(part) for part in inner):
            return True
    return False

def watched(pattern, flags=0):
    frame = sys._getframe(1)
    while frame and ("/re/" in frame.f_code.co_filename or frame.f_code.co_filename.endswith("re.py")):
        frame = frame.f_back
    ours = frame and frame.f_code.co_filename.startswith(ROOT) and ".venv" not in frame.f_code.co_filename
    if ours and over_group(_parser.parse(pattern, flags)):
        print(repr(pattern))
    return compile_(pattern, flags)

_compiler.compile = watched
sys.path.insert(0, ROOT)
import os
os.environ["DJANGO_SETTINGS_MODULE"] = "archive.project.settings"
import django
django.setup()
for package in ("kifu_core", "archive"):
    path = importlib.import_module(package).__path__
    for module in pkgutil.walk_packages(path, package + "."):
        if not module.name.endswith(("__main__", "asgi", "wsgi")):
            importlib.import_module(module.name)
from kifu_core.shogi.formats.grammar import Leaf
for leaf in [one for one in gc.get_objects() if isinstance(one, Leaf)]:
    if over_group(_parser.parse(leaf.pattern)):
        print(leaf.name, repr(leaf.pattern))
print("done")
"""

READ = """
import json, sys
sys.path.insert(0, sys.argv[1])
from kifu_core import KifuError, load
from kifu_core.games import load as load_any
for line in sys.stdin:
    name, data = json.loads(line)
    try:
        kind, result = load_any(bytes.fromhex(data), name)
    except KifuError as error:
        print(json.dumps([name, error.code]))
        continue
    games = [[game.record, repr(game.ending), game.unread] for game in result.games]
    issues = [[one.code, one.line] for one in (*result.issues, *(i for g in result.games for i in g.issues))]
    print(json.dumps([name, kind.name, result.format, games, issues]))
"""


def test_no_expression_has_a_possessive_quantifier_over_a_group():
    done = subprocess.run(
        [sys.executable, "-c", COMPILED, str(ROOT)], capture_output=True, text=True, check=True, timeout=120
    )
    assert done.stdout == "done\n"


def version(python: str) -> tuple[int, ...]:
    done = subprocess.run([python, "-V"], capture_output=True, text=True, check=False)
    match = re.match(r"Python (\d+)\.(\d+)\.(\d+)", done.stdout)
    return tuple(map(int, match.groups())) if match else (0,)


@cache
def oldest() -> str | None:
    """The oldest Python of this machine that the project supports; None if no other than this is there."""
    names = ["/usr/bin/python3", *(f"python3.{minor}" for minor in range(11, 20))]
    found = {path: version(path) for name in names if (path := shutil.which(name))}
    others = [path for path in found if found[path] >= OLDEST and found[path] < sys.version_info[:3]]
    return min(others, key=lambda path: found[path], default=None)


def texts() -> dict[str, bytes]:
    """Our own samples, and the golden records where they are."""
    files = {str(path.relative_to(DATA)): path for path in sorted(DATA.rglob("*")) if path.is_file()}
    found = {name: path.read_bytes() for name, path in files.items() if path.suffix not in (".csv", ".md")}
    if GOLDEN.is_dir():
        found |= {name: (golden.JKF / f"{name}.txt").read_bytes() for name in golden.records()}
        for number, game in enumerate([*golden.lines("xformat.jsonl"), *golden.lines("random.jsonl")]):
            found |= {f"{number}.{name}": game[name].encode() for name in ("kif", "ki2", "csa")}
    return found


def read_by(python: str) -> list[str]:
    lines = "\n".join(json.dumps([name, data.hex()]) for name, data in texts().items())
    done = subprocess.run(
        [python, "-c", READ, str(ROOT)], input=lines, capture_output=True, text=True, check=True, timeout=300
    )
    return done.stdout.splitlines()


def test_the_oldest_python_reads_the_same():
    python = oldest()
    if python is None:
        pytest.skip("there is no older Python than the one that runs the tests")
    expected, found = read_by(sys.executable), read_by(python)
    assert len(expected) == len(texts())
    assert [one for one, other in zip(expected, found, strict=True) if one != other] == []
