"""The pages."""

from __future__ import annotations

from django.contrib.auth.decorators import login_not_required
from django.urls import path
from django.views.i18n import set_language

from archive.web import accounts, browsing, editing, embedding, free_board, uploading, views

urlpatterns = [
    path("", views.home, name="home"),
    path("games/", views.games, name="games"),
    path("games/<int:game_id>/", views.game, name="game"),
    path("positions/shogi/edit/", editing.edit, name="position-edit"),
    path("positions/shogi/<str:code>/bod/", views.position_bod, name="position-bod"),
    path("positions/<slug:kind>/", views.start_position, name="start-position"),
    path("positions/<slug:kind>/<path:code>/", views.position, name="position"),
    path("find/", editing.find, name="find"),
    path("players/", browsing.players, name="players"),
    path("players/<int:player_id>/", browsing.player, name="player"),
    path("events/", browsing.events, name="events"),
    path("events/<int:event_id>/", browsing.event, name="event"),
    path("statistics/", browsing.statistics_page, name="statistics"),
    path("embed/games/<int:game_id>/", embedding.game, name="embed-game"),
    path("embed/positions/<slug:kind>/<str:code>/", embedding.position, name="embed-position"),
    path("quoridor/board/", free_board.board, name="quoridor-board"),
    path("upload/", uploading.upload, name="upload"),
    path("uploads/", uploading.own_uploads, name="own-uploads"),
    path("uploads/<int:upload_id>/", uploading.upload_detail, name="upload-detail"),
    path("uploads/<int:upload_id>/delete/", uploading.delete_upload, name="upload-delete"),
    path("sign-in/", accounts.SignIn.as_view(), name="sign-in"),
    path("sign-out/", accounts.SignOut.as_view(), name="sign-out"),
    path("pieces/", views.pieces, name="pieces"),
    path("theme/", views.theme, name="theme"),
    path("i18n/setlang/", login_not_required(set_language), name="set_language"),
]
