"""The pages that only shogi has."""

from archive.http.limits.rules import editor
from archive.web.routes import cached_page, page
from archive.web.shogi import editing, formations, patterns, problems

urlpatterns = [
    cached_page("formations/", formations.formations, "formations", cost=2),
    cached_page("formations/<slug:formation>/", formations.one_formation, "formation", cost=2),
    cached_page("problems/", problems.shogi_problems, "problems", cost=2),
    page("patterns/", patterns.patterns, "patterns", cost=20, cached=True),
    page("positions/shogi/edit/", editing.edit, "position-edit", cost=editor),
    page("positions/shogi/<str:code>/bod/", editing.bod, "position-bod", cost=1),
]
