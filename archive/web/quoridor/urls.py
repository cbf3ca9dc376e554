"""The pages that only Quoridor has."""

from django.urls import path

from archive.web.quoridor import free_board

urlpatterns = [path("quoridor/board/", free_board.board, name="quoridor-board")]
