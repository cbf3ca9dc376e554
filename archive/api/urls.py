"""The API, under `/api/v1/`."""

from __future__ import annotations

from django.urls import path

from archive.api.views import convert, entries, games, positions, uploads

app_name = "api"

urlpatterns = [
    path("uploads", uploads.create, name="uploads"),
    path("uploads/<int:pk>", uploads.detail, name="upload"),
    path("uploads/<int:pk>/entries", entries.entries, name="upload-entries"),
    path("uploads/<int:pk>/entries/<int:seq>/source", entries.source, name="entry-source"),
    path("uploads/<int:pk>/entries/<int:seq>/report", entries.report, name="entry-report"),
    path("uploads/<int:pk>/source", uploads.source, name="upload-source"),
    path("convert", convert.convert, name="convert"),
    path("check", convert.check, name="check"),
    path("games", games.games, name="games"),
    path("games/facets", games.facets, name="games-facets"),
    path("games/<int:pk>", games.detail, name="game"),
    path("games/<int:pk>/record.<slug:name>", games.record, name="game-record"),
    path("games/<int:pk>/positions", games.positions, name="game-positions"),
    path("games/<int:pk>/series", games.series, name="game-series"),
    path("positions/shogi", positions.by_sfen, name="position-by-sfen"),
    path("positions/<slug:kind>/batch", positions.batch, name="position-batch"),
    path("positions/<slug:kind>/find", positions.find, name="position-find"),
    path("positions/<slug:kind>/<str:code>.svg", positions.picture, name="position-picture"),
    path("positions/<slug:kind>/<str:code>/games", positions.games, name="position-games"),
    path("positions/<slug:kind>/<str:code>/legal", positions.legal_moves, name="position-legal"),
    path("positions/<slug:kind>/<str:code>/tree", positions.tree, name="position-tree"),
    # Last, and with slashes: a code with a slash is an invalid code, not an unknown address.
    path("positions/<slug:kind>/<path:code>", positions.detail, name="position"),
]
