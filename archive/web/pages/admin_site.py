"""The admin site with a time limit for database queries, so that it is usable in archives of any size."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Final

from django.contrib.admin import AdminSite
from django.http import HttpRequest, HttpResponseBase
from django.template.response import TemplateResponse
from django.utils.translation import gettext_lazy as _

from archive.http.errors import error_response
from archive.index.engine import engine

SECONDS: Final = 5.0
"""The time limit of a page's queries, longer than any query needs that uses an index."""

View = Callable[..., HttpResponseBase]


class LimitedAdminSite(AdminSite):
    """Django's admin with a limit of `SECONDS` for the queries of GET and HEAD. Posts have no limit: they may
    have many rows to write."""

    site_header = site_title = _("Administration")
    enable_nav_sidebar = False  # lists need its room, and the index page has the same links

    def admin_view(self, view: Any, cacheable: bool = False) -> Any:
        inner: View = super().admin_view(view, cacheable)

        @wraps(view)
        def limited(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            if request.method not in ("GET", "HEAD"):
                return inner(request, *args, **kwargs)
            try:
                with engine().time_limit(SECONDS):
                    # The queries of a list run while its template is rendered.
                    response = inner(request, *args, **kwargs)
                    return response.render() if isinstance(response, TemplateResponse) else response
            except TimeoutError:
                return error_response(request, 422)

        return limited
