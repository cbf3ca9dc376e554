"""Addresses with other parameters."""

from django.http import HttpRequest


def address_with(request: HttpRequest, **changes: str) -> str:
    """Return the address of the same page with other parameters; empty ones are left out."""
    query = request.GET.copy()
    for name, value in changes.items():
        query.pop(name, None)
        if value:
            query[name] = value
    return f"?{query.urlencode()}" if query else "."


def with_parameter(address: str, parameter: str) -> str:
    """Return an address with one more parameter, given as `name=value`.

    >>> with_parameter("/games/1/", "from=5"), with_parameter("/games/1/?ply=3", "from=5")
    ('/games/1/?from=5', '/games/1/?ply=3&from=5')
    """
    return f"{address}{'&' if '?' in address else '?'}{parameter}"
