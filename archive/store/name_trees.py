"""Trees of merged names, as ids of rows and of those that they were merged into."""

from __future__ import annotations

from collections.abc import Mapping, Set

Parents = Mapping[int, int]
"""For each merged row the one that it was merged into."""


def root_of(pk: int, parents: Parents) -> int | None:
    """Return the root of a row's tree; None if the row is in a circle. Linear in the depth."""
    seen = {pk}
    while (parent := parents.get(pk)) is not None:
        if parent in seen:
            return None
        seen.add(parent)
        pk = parent
    return pk


def subtree(pk: int, parents: Parents) -> Set[int]:
    """Return a row and all rows that were merged into it, directly or not. Linear in `parents`."""
    children: dict[int, list[int]] = {}
    for child, parent in parents.items():
        children.setdefault(parent, []).append(child)
    rows, pending = {pk}, [pk]
    while pending:
        for child in children.get(pending.pop(), ()):
            if child not in rows:
                rows.add(child)
                pending.append(child)
    return rows
