"""The description of Quoridor for pages."""

from typing import Any, Final

from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from archive.derive.issues import language
from archive.web.game_pages import OWN_START, UNDECIDED, GamePages, MenuLink, Words
from kifu_core.errors import KifuError
from kifu_core.jkf import Record
from kifu_core.quoridor import draw
from kifu_core.quoridor.formats.headers import tag_of
from kifu_core.quoridor.game import QUORIDOR as GAME
from kifu_core.quoridor.position import QuoridorPosition
from kifu_core.quoridor.texts import MARKS

_SIDES: Final = {"black": pgettext_lazy("Quoridor", "Black"), "white": pgettext_lazy("Quoridor", "White")}


def header(name: str) -> str:
    """Return the title of a header: the name of shogi's records, in English the tag."""
    return tag_of(name) if language() == "en" else name


def side_names(_start: str) -> tuple[str, str]:
    """Return the names of the sides in a game without players."""
    return str(_SIDES["white"]), str(_SIDES["black"])


def beginning(record: Record, position: QuoridorPosition, ply: int, _played: int) -> dict[str, Any]:
    """Return the start of a piece of a record, and the code of the main line for the free board; the code of
    the start if none can hold the moves."""
    start = GAME.codec.encode(position) if ply else GAME.replay.start_text(record)
    try:
        code = GAME.formats.dump(record, "qf").strip()
    except KifuError:
        code = GAME.replay.start_text(record)
    return {"start": start, "board_code": code}


def diagram(position: QuoridorPosition, last: int | None, _letters: bool) -> SafeString:
    """Return a small board."""
    return mark_safe(draw.board(position, last=last, label=gettext("Board")))  # it escapes the label


QUORIDOR: Final = GamePages(
    words=Words(
        game=_("Quoridor"),
        results=(_("White wins"), _("Black wins"), *UNDECIDED),
        marks=MARKS,
        shape="disc",
        sides=_SIDES,
        seats=(_SIDES["white"], _SIDES["black"]),
        starts={"START": _("usual start"), "OTHER": OWN_START},
        usual="START",
        endings={
            "TORYO": _("resigns"),
            "CHUDAN": _("adjourned"),
            "SENNICHITE": _("repetition"),
            "TIME_UP": _("out of time"),
            "ILLEGAL_MOVE": _("illegal move"),
            "HIKIWAKE": _("draw"),
            "GOAL": _("reaches the goal"),
            "WHITE_WINS": _("White wins"),
            "BLACK_WINS": _("Black wins"),
        },
        first_moves=_("First moves as White"),
    ),
    full_format="json",
    bulk={"qf": "QF", "alg": "ALG"},
    header=header,
    side_names=side_names,
    board=lambda position, played: {},
    diagram=diagram,
    beginning=beginning,
    styles=("quoridor/boards.css",),
    links=(MenuLink(_("Quoridor board"), "quoridor-board"),),
)
