"""The pages in the words of who keeps the archive: which there are, and what they say."""

from archive.caching.values import cached_until_commit
from archive.models import SiteText


def site_texts() -> tuple[str, ...]:
    """Return the pages that have been written in any language, in their order."""
    return cached_until_commit("site texts", _load_site_texts)


def _load_site_texts() -> tuple[str, ...]:
    found = {*SiteText.objects.values_list("page", flat=True)}
    return tuple(page for page in SiteText.Page.values if page in found)


def site_text(page: str, language: str) -> SiteText | None:
    """Return a page in a language, or in another one where it has not been written in that."""
    found = {one.language: one for one in SiteText.objects.filter(page=page).order_by("language")}
    return found.get(language) or next(iter(found.values()), None)
