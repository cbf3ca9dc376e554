"""The pages that only shogi has."""

from __future__ import annotations

from django.urls import path

from archive.web.shogi import editing

urlpatterns = [
    path("positions/shogi/edit/", editing.edit, name="position-edit"),
    path("positions/shogi/<str:code>/bod/", editing.bod, name="position-bod"),
]
