"""The pages."""

from django.contrib.auth.decorators import login_not_required
from django.urls import include, path
from django.views.i18n import set_language

from archive.http.limits.rules import costs, explorer, reading, report, search, upload
from archive.models import SiteText
from archive.web.lists import browsing, completing, feeds, finding
from archive.web.pages import (
    dump_pages as dumps,
)
from archive.web.pages import (
    library_pages as libraries,
)
from archive.web.pages import (
    site_text_pages as site_texts,
)
from archive.web.pages import (
    status,
    uploading,
    views,
)
from archive.web.replay import embedding, reporting
from kifu_core.games import GAMES

urlpatterns = [
    path("", costs(1, views.home), name="home"),
    path("games/", costs(search, views.games), name="games"),
    path("games.atom", costs(search, feeds.games), name="games-feed"),
    path("games/<int:game_id>/", costs(1, views.game), name="game"),
    *(path("", include(f"archive.web.{kind}.urls")) for kind in GAMES),
    path("positions/", costs(1, views.positions), name="positions"),
    path("positions/<slug:kind>/", costs(1, views.start_position), name="start-position"),
    path("positions/<slug:kind>/<path:code>.atom", costs(5, feeds.position), name="position-feed"),
    path("positions/<slug:kind>/<path:code>/", costs(explorer, views.position), name="position"),
    path("find/", costs(reading, finding.find), name="find"),
    path("complete/", costs(1, completing.complete), name="complete"),
    path("players/", costs(2, browsing.players), name="players"),
    path("players/<int:player_id>/", costs(2, browsing.player), name="player"),
    path("events/", costs(2, browsing.events), name="events"),
    path("events/<int:event_id>/", costs(2, browsing.event), name="event"),
    path("statistics/", costs(2, browsing.statistics_page), name="statistics"),
    path("status/", costs(10, status.status), name="status"),
    path("dumps/", costs(1, dumps.dumps), name="dumps"),
    path("dumps/<str:dump>/<str:file>", costs(1, dumps.dump_file), name="dump-file"),
    path("embed/games/<int:game_id>/", costs(1, embedding.game), name="embed-game"),
    path("embed/positions/<slug:kind>/<path:code>/", costs(1, embedding.position), name="embed-position"),
    path("upload/", costs(upload, uploading.upload), name="upload"),
    path("uploads/", costs(2, uploading.own_uploads), name="own-uploads"),
    path("uploads/<int:upload_id>/", costs(1, uploading.upload_detail), name="upload-detail"),
    path("uploads/<int:upload_id>/delete/", costs(20, uploading.delete_upload), name="upload-delete"),
    path("libraries/", costs(2, libraries.own), name="libraries"),
    path("libraries/<int:space>/", costs(2, libraries.group), name="library"),
    path("join/<str:key>/", costs(5, libraries.join), name="join"),
    path("shared/<str:key>/", costs(5, libraries.shared), name="shared"),
    path("scope/", costs(1, libraries.choose), name="scope"),
    path("games/<int:game_id>/report/", costs(report, reporting.report), name="game-report"),
    *(path(f"{page}/", costs(1, site_texts.page), {"page": page}, page) for page in SiteText.Page.values),
    path("games/<int:game_id>/library/", costs(5, libraries.of_game), name="game-library"),
    path("uploads/<int:upload_id>/move/", costs(20, libraries.move_upload), name="upload-move"),
    path("pieces/", views.pieces, name="pieces"),
    path("theme/", views.theme, name="theme"),
    path("i18n/setlang/", login_not_required(set_language), name="set_language"),
]
