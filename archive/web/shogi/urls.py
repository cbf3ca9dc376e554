"""The pages that only shogi has."""

from django.urls import path

from archive.limits.rules import costs, editor
from archive.web.shogi import editing

urlpatterns = [
    path("positions/shogi/edit/", costs(editor, editing.edit), name="position-edit"),
    path("positions/shogi/<str:code>/bod/", costs(1, editing.bod), name="position-bod"),
]
