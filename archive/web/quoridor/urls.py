"""The pages that only Quoridor has."""

from archive.web.quoridor import free_board
from archive.web.routes import page

urlpatterns = [page("quoridor/board/", free_board.board, "quoridor-board")]
