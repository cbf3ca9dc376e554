"""Terms, privacy and contact, in the words of who keeps the archive."""

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
    """Show a page that has been written: its paragraphs as plain text."""
    found = site_text(page, language())
    if found is None:
        raise Http404
    text = re.split(r"\n\s*\n", found.text.replace("\r\n", "\n").strip())
    context = {"title": found.get_page_display(), "found": found, "paragraphs": text}
    return render(request, "archive/site_text.html", context)


def links_written() -> list[tuple[str, str]]:
    """Return addresses and names of the pages that have been written."""
    return [(reverse(page), str(SiteText.Page(page).label)) for page in site_texts()]
