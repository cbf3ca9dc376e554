"""The admin as a whole: no page of it asks the database for long, however large the archive is."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Final

from django.contrib.admin import AdminSite
from django.http import HttpRequest, HttpResponseBase
from django.template.response import TemplateResponse
from django.utils.translation import gettext_lazy as _

from archive.http.errors import failure
from archive.index.engine import engine

SECONDS: Final = 5.0
"""How long a page may ask the database: longer than any does that an index serves."""

View = Callable[..., HttpResponseBase]


class LimitedAdminSite(AdminSite):
    """Django's admin, whose pages end what they ask after `SECONDS` and say so. Forms that are sent are not
    ended: they may have much to write, a little at a time."""

    site_header = site_title = _("Administration")
    # What stands in it stands on the first page too, and lists have to have room for reasons.
    enable_nav_sidebar = False

    def admin_view(self, view: Any, cacheable: bool = False) -> Any:
        inner: View = super().admin_view(view, cacheable)

        @wraps(view)
        def limited(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            if request.method not in ("GET", "HEAD"):
                return inner(request, *args, **kwargs)
            try:
                with engine().time_limit(SECONDS):
                    # A list is asked for while its page is made.
                    found = inner(request, *args, **kwargs)
                    return found.render() if isinstance(found, TemplateResponse) else found
            except TimeoutError:
                return failure(request, 422)

        return limited
