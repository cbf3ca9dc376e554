"""Checks of the shape of a JSON value; each returns the value.

The errors are ParseErrors `jkf-type`, `jkf-missing` and `jkf-value`, whose params have the JSON `path`.
"""

from typing import Any, Final

from kifu_core.errors import ParseError

_INTEGER_LIMIT: Final = 10**9


def error(code: str, path: str, value: object = "") -> ParseError:
    """Return the error to raise; it holds the value, or the type of a value that is no text."""
    shown = value if isinstance(value, str) else type(value).__name__
    return ParseError(code, f"{code} at {path}", params={"path": path, "value": shown[:40]})


def object_(value: object, path: str) -> dict[str, Any]:
    """Check that a value is a JSON object, and return it."""
    if not isinstance(value, dict):
        raise error("jkf-type", path, value)
    return value


def required(members: dict[str, Any], member: str, path: str) -> Any:
    """Return a member of an object that must be there and not be null."""
    if members.get(member) is None:
        raise error("jkf-missing", f"{path}.{member}")
    return members[member]


def array(value: object, path: str) -> list[Any]:
    """Check that a value is a JSON array, and return it."""
    if not isinstance(value, list):
        raise error("jkf-type", path, value)
    return value


def string(value: object, path: str) -> str:
    """Check that a value is a JSON string, and return it."""
    if not isinstance(value, str):
        raise error("jkf-type", path, value)
    return value


def integer(value: object, path: str) -> int:
    """Check that a value is a whole number that is neither negative nor too large, and return it."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool):
        raise error("jkf-type", path, value)
    if not 0 <= value <= _INTEGER_LIMIT:
        raise error("jkf-value", path, str(value)[:20])
    return value


def boolean(value: object, path: str) -> bool:
    """Check that a value is true or false, and return it."""
    if not isinstance(value, bool):
        raise error("jkf-type", path, value)
    return value
