"""Terms, privacy and contact: texts of the archive's owner."""

import re

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from archive.derive.issues import language
from archive.models import SiteText
from archive.queries.site_texts import site_text, site_texts


@require_safe
def page(request: HttpRequest, page: str) -> HttpResponse:
    """Show a text as plain paragraphs."""
    text = site_text(page, language())
    if text is None:
        raise Http404
    paragraphs = re.split(r"\n\s*\n", text.text.replace("\r\n", "\n").strip())
    context = {"title": text.get_page_display(), "text": text, "paragraphs": paragraphs}
    return render(request, "archive/site_text.html", context)


def owner_page_links() -> list[tuple[str, str]]:
    """Return addresses and titles of the existing texts."""
    return [(reverse(page), str(SiteText.Page(page).label)) for page in site_texts()]
