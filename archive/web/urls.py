"""The pages."""

from functools import partial

from django.urls import include, path
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.i18n import set_language

from archive.http.limits.rules import collected, explorer, lines, reading, report, search, upload
from archive.models import LABELS, SiteText
from archive.web.collections import editing, listing, standings
from archive.web.curation import batching, bench, correcting, editions, history, naming, taking_down
from archive.web.lists import browsing, completing, feeds, finding
from archive.web.pages import (
    analysis_queue,
    chronicle,
    dump_pages,
    library_pages,
    mine,
    mistakes,
    own_games,
    preparation,
    reports,
    site_text_pages,
    status,
    training,
    uploading,
    views,
)
from archive.web.replay import embedding, reporting
from archive.web.routes import account_page, cached_page, page
from kifu_core.games import GAMES

_PIECES = {"cookie": "pieces", "values": ("letters", "kanji")}
_THEME = {"cookie": "theme", "values": ("dark", "light")}

feed = partial(cached_page, around=feeds.feed_of, access="anybody")
embedded = partial(cached_page, cost=1, around=xframe_options_exempt)

urlpatterns = [
    cached_page("", views.home, "home", cost=1),
    cached_page("games/", views.games, "games", cost=search),
    feed("games.atom", feeds.games, "games-feed", cost=search),
    cached_page("games/<int:game_id>/", views.game, "game", cost=1),
    *(path("", include(f"archive.web.{kind}.urls")) for kind in GAMES),
    page("positions/", views.start_position, "positions", cost=1),
    page("positions/<slug:kind>/", views.start_position, "start-position", cost=1),
    feed("positions/<slug:kind>/<path:code>.atom", feeds.position, "position-feed", cost=5),
    cached_page("positions/<slug:kind>/<path:code>/chronicle/", chronicle.chronicle, "chronicle", cost=5),
    cached_page("positions/<slug:kind>/<path:code>/", views.position, "position", cost=explorer),
    page("find/", finding.find, "find", cost=reading),
    cached_page("complete/", completing.complete, "complete", cost=1),
    cached_page("players/", browsing.names, "players", cost=2, options={"kind": "player"}),
    cached_page("players/<int:player_id>/", browsing.player, "player", cost=2),
    *(
        page_of
        for kind in LABELS
        for page_of in (
            cached_page(f"{kind}s/", browsing.names, f"{kind}s", cost=2, options={"kind": kind}),
            cached_page(f"{kind}s/<int:name_id>/", browsing.label, kind, cost=2, options={"kind": kind}),
        )
    ),
    cached_page(
        "players/<int:player_id>/preparation/", preparation.preparation, "player-preparation", cost=10
    ),
    cached_page("players/<int:player_id>/innovations/", chronicle.innovations, "innovations", cost=10),
    cached_page("preparation/", preparation.preparation, "preparation", cost=10),
    cached_page("statistics/", browsing.statistics_page, "statistics", cost=2),
    page("status/", status.status, "status", cost=10),
    page("analysis/", analysis_queue.queue, "analysis-queue", cost=5, progress=True),
    page("dumps/", dump_pages.dumps, "dumps", cost=1),
    page("dumps/<str:dump>/<str:file>", dump_pages.dump_file, "dump-file", cost=1),
    embedded("embed/games/<int:game_id>/", embedding.game, "embed-game"),
    embedded("embed/positions/<slug:kind>/<path:code>/", embedding.position, "embed-position"),
    embedded("embed/collections/<int:collection>/", listing.embedded, "embed-collection"),
    page("upload/", uploading.upload, "upload", cost=upload, progress=True),
    page("uploads/", uploading.own_uploads, "own-uploads", cost=2, progress=True),
    page("uploads/<int:upload_id>/", uploading.upload_detail, "upload-detail", cost=1, progress=True),
    page("uploads/<int:upload_id>/delete/", uploading.delete_upload, "upload-delete", cost=20),
    cached_page("collections/", listing.collections, "collections", cost=2),
    account_page("collections/new/", editing.create, "collection-new", cost=5),
    account_page("collections/add/", editing.add, "collection-add", cost=collected),
    cached_page("collections/<int:collection>/", listing.collection, "collection", cost=2),
    cached_page(
        "collections/<int:collection>/standings/", standings.standings, "collection-standings", cost=10
    ),
    page(
        "collections/<int:collection>/report/", reporting.report_collection, "collection-report", cost=report
    ),
    cached_page("collections/<int:collection>/course/", listing.course, "collection-course", cost=2),
    cached_page("collections/<int:collection>/print/", listing.printed, "collection-print", cost=20),
    account_page("collections/<int:collection>/edit/", editing.edit, "collection-edit", cost=collected),
    account_page("mine/", mine.mine, "mine", cost=10, progress=True),
    account_page("mine/follows/new/", mine.follow, "follow", cost=5),
    account_page("mine/follows/<int:follow_id>/", mine.change_follow, "follow-change", cost=5),
    account_page("mine/games/", own_games.own_games, "own-games", cost=search),
    account_page("mine/names/new/", mine.add_name, "own-name-new", cost=5),
    account_page("mine/names/<int:own_name_id>/", mine.remove_name, "own-name-remove", cost=5),
    account_page("mine/notes/new/", mine.write_note, "note-new", cost=5),
    account_page("mine/notes/<int:note_id>/", mine.change_note, "note-change", cost=5),
    account_page("mine/training/", training.train, "training", cost=5),
    account_page("mine/training/cards/new/", training.add_card, "card-new", cost=5),
    account_page("mine/training/lines/new/", training.add_lines, "line-new", cost=lines),
    account_page("mine/training/repertoires/new/", training.create, "repertoire-new", cost=5),
    account_page(
        "mine/training/repertoires/<int:repertoire_id>/", training.repertoire, "repertoire", cost=10
    ),
    account_page("libraries/", library_pages.own, "libraries", cost=2, progress=True),
    account_page("libraries/<int:space>/", library_pages.group, "library", cost=2, progress=True),
    page("join/<str:key>/", library_pages.join, "join", cost=5, access="anybody"),
    page("shared/<str:key>/", library_pages.shared, "shared", cost=5),
    account_page("scope/", library_pages.choose, "scope", cost=1),
    cached_page("games/<int:game_id>/analysis/", reports.report, "game-analysis", cost=2),
    cached_page("games/<int:game_id>/mistakes/", mistakes.mistakes, "game-mistakes", cost=5),
    page("games/<int:game_id>/report/", reporting.report, "game-report", cost=report),
    account_page("games/<int:game_id>/correct/", correcting.correct, "game-correct", cost=5),
    *(
        account_page(
            f"{kind}s/<int:name_id>/correct/",
            naming.correct,
            f"{kind}-correct",
            cost=5,
            options={"kind": kind},
        )
        for kind in naming.FIELDS
    ),
    account_page("players/<int:player_id>/split/", naming.split, "player-split", cost=search),
    *(
        page(
            f"{kind}s/<int:name_id>/history/",
            naming.history,
            f"{kind}-history",
            cost=5,
            options={"kind": kind},
        )
        for kind in naming.FIELDS
    ),
    account_page("games/<int:game_id>/take-down/", taking_down.game, "game-take-down", cost=20),
    account_page("players/<int:player_id>/take-down/", taking_down.name, "player-take-down", cost=20),
    account_page("curation/", bench.show, "bench", cost=5),
    account_page("curation/batches/", batching.listed, "batches", cost=5),
    account_page("curation/batches/new/", batching.new, "batch-new", cost=search),
    account_page("curation/batches/<int:batch_id>/", batching.batch, "batch", cost=2, progress=True),
    page("games/<int:game_id>/editions/", editions.side_by_side, "game-editions", cost=5),
    page("games/<int:game_id>/history/", history.history, "game-history", cost=5),
    *(
        page(f"{name}/", site_text_pages.page, name, cost=1, access="anybody", options={"page": name})
        for name in SiteText.Page.values
    ),
    account_page("games/<int:game_id>/library/", library_pages.of_game, "game-library", cost=5),
    account_page("uploads/<int:upload_id>/move/", library_pages.move_upload, "upload-move", cost=20),
    page("pieces/", views.toggle, "pieces", access="anybody", options=_PIECES),
    page("theme/", views.toggle, "theme", access="anybody", options=_THEME),
    page("i18n/setlang/", set_language, "set_language", access="anybody"),
]
