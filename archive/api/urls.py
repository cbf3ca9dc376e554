"""The API, under `/api/v1/`."""

from django.urls import path

from archive.api.views import (
    contract,
    convert,
    dumps,
    entries,
    export,
    games,
    hooks,
    names,
    positions,
    statistics,
    uploads,
)
from archive.limits.rules import costs, explorer, exports, own_uploads, reading, sources

app_name = "api"

urlpatterns = [
    path("schema", costs(2, contract.schema), name="schema"),
    path("docs", costs(2, contract.docs), name="docs"),
    path("uploads", costs(own_uploads, uploads.own), name="uploads"),
    path("uploads/<int:pk>", costs(1, uploads.detail), name="upload"),
    # A list to keep is a source beside (`throttling.charge_list`): what `Accept` makes of it is known later.
    path("uploads/<int:pk>/entries", costs(1, entries.entries), name="upload-entries"),
    path("uploads/<int:pk>/entries/<int:seq>/source", costs(sources, entries.source), name="entry-source"),
    path("uploads/<int:pk>/entries/<int:seq>/report", costs(2, entries.report), name="entry-report"),
    path("uploads/<int:pk>/source", costs(sources, uploads.source), name="upload-source"),
    path("convert", costs(reading, convert.convert), name="convert"),
    path("check", costs(reading, convert.check), name="check"),
    path("games", costs(2, games.games), name="games"),
    path("games/facets", costs(2, games.facets), name="games-facets"),
    path("games/export", costs(exports, export.games), name="games-export"),
    path("games/<int:pk>", costs(1, games.detail), name="game"),
    path("games/<int:pk>/record.<slug:name>", costs(1, games.record), name="game-record"),
    path("games/<int:pk>/positions", costs(2, games.positions), name="game-positions"),
    path("games/<int:pk>/novelty", costs(2, games.novelty), name="game-novelty"),
    path("games/<int:pk>/series", costs(1, games.series), name="game-series"),
    path("hooks", costs(5, hooks.hooks), name="hooks"),
    path("hooks/<int:hook_id>", costs(1, hooks.hook), name="hook"),
    path("hooks/<int:hook_id>/test", costs(20, hooks.test), name="hook-test"),
    path("hooks/<int:hook_id>/enable", costs(5, hooks.enable), name="hook-enable"),
    path("players", costs(2, names.players), name="players"),
    path("players/<int:player_id>", costs(2, names.player), name="player"),
    path("events", costs(2, names.events), name="events"),
    path("events/<int:event_id>", costs(2, names.event), name="event"),
    path("statistics", costs(2, statistics.statistics), name="statistics"),
    path("dumps", costs(1, dumps.dumps), name="dumps"),
    path("openings", costs(2, statistics.openings), name="openings"),
    path("positions/shogi", costs(1, positions.by_sfen), name="position-by-sfen"),
    path("positions/<slug:kind>/batch", costs(20, positions.batch), name="position-batch"),
    path("positions/<slug:kind>/find", costs(reading, positions.find), name="position-find"),
    path("positions/<slug:kind>/<str:code>.svg", costs(1, positions.picture), name="position-picture"),
    path("positions/<slug:kind>/<str:code>/games", costs(explorer, positions.games), name="position-games"),
    path("positions/<slug:kind>/<str:code>/legal", costs(2, positions.legal_moves), name="position-legal"),
    path("positions/<slug:kind>/<str:code>/tree", costs(20, positions.tree), name="position-tree"),
    path("positions/<slug:kind>/<str:code>/trend", costs(2, positions.trend), name="position-trend"),
    # Last, and with slashes: a code with a slash is an invalid code, not an unknown address.
    path("positions/<slug:kind>/<path:code>", costs(explorer, positions.detail), name="position"),
]
