"""The pages whose text the operator of the archive writes."""

from archive.caching.values import cached_until_commit
from archive.models import SiteText


def site_texts() -> tuple[str, ...]:
    """Return the pages that have a text in any language, in their order."""
    return cached_until_commit("site texts", _load_site_texts)


def _load_site_texts() -> tuple[str, ...]:
    pages = {*SiteText.objects.values_list("page", flat=True)}
    return tuple(page for page in SiteText.Page.values if page in pages)


def site_text(page: str, language: str) -> SiteText | None:
    """Return the text of a page in a language, or in another one if it has none in that."""
    texts = {text.language: text for text in SiteText.objects.filter(page=page).order_by("language")}
    return texts.get(language) or next(iter(texts.values()), None)
