"""Tables of the library in CSV files."""

import csv
from importlib.resources import files


def read_table(package: str, file: str) -> list[dict[str, str]]:
    """Return the rows of a table in a package, by the names of its columns."""
    return [*csv.DictReader((files(package) / file).read_text("utf-8").splitlines())]
