"""Print the test modules that are nearest to the changes in the working tree: `python -m tools.affected`.

A revision, such as `main`, compares with that instead of the last commit. A test module is near to a changed
file if it imports the module, directly or over few others, or if its name has the file's name or folder. At
most 12 modules are printed, the nearest first; `make test` runs all.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from tools.import_graph import ROOT, imports, modules

MOST: Final = 12
PACKAGES: Final = ("archive", "kifu_core", "front_server", "tools", "benchmarks", "tests")


def changed(revision: str) -> list[str]:
    """Return the files that differ from a revision, and untracked ones."""
    commands = (["diff", "--name-only", revision], ["ls-files", "--others", "--exclude-standard"])
    texts = [subprocess.check_output(["git", *command], cwd=ROOT, text=True) for command in commands]
    return sorted({line for text in texts for line in text.splitlines()})


def affected(files: list[str]) -> list[str]:
    """Return the test modules near some files, nearest first."""
    paths = {
        name: str(path.relative_to(ROOT)) for package in PACKAGES for name, path in modules(package).items()
    }
    importers: dict[str, set[str]] = {}
    for name, imported in imports(*PACKAGES).items():
        for other in imported:
            importers.setdefault(other, set()).add(name)
    tests = {name: path for name, path in paths.items() if Path(path).name.startswith("test_")}
    names = {path: name for name, path in paths.items()}
    distances: dict[str, float] = {}
    for file in files:
        for test, distance in _distances(file, names.get(file), importers, tests):
            distances[test] = min(distance, distances.get(test, distance))
    return [tests[test] for test in sorted(distances, key=lambda test: (distances[test], test))]


def _distances(
    file: str, module: str | None, importers: Mapping[str, set[str]], tests: Mapping[str, str]
) -> Iterator[tuple[str, float]]:
    """Yield the nearest importers of a changed file and the tests of its name, with their distances."""
    words = {word for part in Path(file).parts[-2:] for word in re.findall("[a-z]{4,}", Path(part).stem)}
    if not file.startswith("tests/"):
        for test in tests:
            shared = words & {*test.rpartition(".test_")[2].split("_")}
            if shared and file.startswith("kifu_core/") == test.startswith("tests.kifu_core."):
                yield test, 1.5 - len(shared) / 2 + test.startswith("tests.browser")
    seen, level, distance = {module}, {module} if module else set[str](), 0
    while level:
        if nearest := level & tests.keys():
            yield from ((test, distance) for test in nearest)
            return
        level = {name for one in level for name in importers.get(one, ())} - seen
        seen |= level
        distance += 1


if __name__ == "__main__":
    near = affected(changed(sys.argv[1] if len(sys.argv) > 1 else "HEAD"))
    print(*near[:MOST])
    if len(near) > MOST:
        print(f"{len(near) - MOST} more modules of tests are near; `make test` runs all", file=sys.stderr)
