"""The pages that only shogi has."""

from django.urls import path

from archive.http.limits.rules import costs, editor
from archive.web.shogi import editing, formations, patterns, problems

urlpatterns = [
    path("formations/", costs(2, formations.formations), name="formations"),
    path("formations/<slug:formation>/", costs(2, formations.one_formation), name="formation"),
    path("problems/", costs(2, problems.shogi_problems), name="problems"),
    path("patterns/", costs(20, patterns.patterns), name="patterns"),
    path("positions/shogi/edit/", costs(editor, editing.edit), name="position-edit"),
    path("positions/shogi/<str:code>/bod/", costs(1, editing.bod), name="position-bod"),
]
