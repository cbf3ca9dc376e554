"""The description of shogi for pages."""

from typing import Any, Final

from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from archive.derive.issues import language
from archive.web.game_pages import OWN_START, UNDECIDED, GamePages, MenuLink, Words
from kifu_core.jkf import Record
from kifu_core.shogi import draw
from kifu_core.shogi.draw import RANK_NAMES
from kifu_core.shogi.header_names import english
from kifu_core.shogi.pieces import BLACK, WHITE
from kifu_core.shogi.position import Position
from kifu_core.shogi.squares import BY_USI


def header(name: str) -> str:
    """Return the title of a header, which records have in Japanese."""
    return english(name) if language() == "en" else name


def side_names(start: str) -> tuple[str, str]:
    """Return the names of the sides in a game without players."""
    if start in ("HIRATE", "OTHER", ""):
        return gettext("Black (sente)"), gettext("White (gote)")
    return gettext("Black (shitate)"), gettext("White (uwate)")


def board(position: Position, played: int) -> dict[str, str]:
    """Return SFEN, names of ranks, and the pattern of addresses of diagrams."""
    return {
        "sfen": position.sfen(played + 1),
        "ranks": RANK_NAMES[language()],
        "bod_url_pattern": reverse("position-bod", args=["CODE"]),
    }


def diagram(position: Position, last: int | None, letters: bool) -> SafeString:
    """Return a small board with the hands of both sides."""
    squares = draw.board(position, last, label=gettext("Board"), letters=letters, language=language())
    above, below = (draw.hand(position, color, letters=letters) for color in (WHITE, BLACK))
    return mark_safe(  # `draw` escapes the label
        f'<span class="held">{above}</span>{squares}<span class="held">{below}</span>'
    )


def beginning(_record: Record, position: Position, ply: int, played: int) -> dict[str, Any]:
    return {"start": position.sfen(played + 1 if ply else 1)}


SHOGI: Final = GamePages(
    words=Words(
        game=_("shogi"),
        results=(_("☗ wins"), _("☖ wins"), *UNDECIDED),
        marks=("☗", "☖"),
        shape="wedge",
        sides={"black": _("Black"), "white": _("White")},
        seats=(pgettext_lazy("handicap games too", "Black"), pgettext_lazy("handicap games too", "White")),
        starts={
            "HIRATE": _("even game"),
            "KY": _("lance handicap"),
            "KY_R": _("right lance handicap"),
            "KA": _("bishop handicap"),
            "HI": _("rook handicap"),
            "HIKY": _("rook and lance handicap"),
            "2": _("two-piece handicap"),
            "3": _("three-piece handicap"),
            "4": _("four-piece handicap"),
            "5": _("five-piece handicap"),
            "5_L": _("left five-piece handicap"),
            "6": _("six-piece handicap"),
            "7_L": _("left seven-piece handicap"),
            "7_R": _("right seven-piece handicap"),
            "8": _("eight-piece handicap"),
            "10": _("ten-piece handicap"),
            "OTHER": OWN_START,
        },
        usual="HIRATE",
        endings={
            "TORYO": _("resigns"),
            "CHUDAN": _("adjourned"),
            "SENNICHITE": _("repetition"),
            "TIME_UP": _("out of time"),
            "ILLEGAL_MOVE": _("illegal move"),
            "+ILLEGAL_ACTION": _("Black acts against the rules"),
            "-ILLEGAL_ACTION": _("White acts against the rules"),
            "JISHOGI": _("impasse"),
            "KACHI": _("wins by declaration"),
            "HIKIWAKE": _("draw"),
            "MATTA": _("takes a move back"),
            "TSUMI": _("checkmate"),
            "FUZUMI": _("no checkmate"),
            "ERROR": _("error"),
        },
        first_moves=_("First moves as Black"),
    ),
    full_format="jkf",
    bulk={"kif": "KIF", "ki2": "KI2", "csa": "CSA", "db": _("Opening book (YaneuraOu)")},
    header=header,
    side_names=side_names,
    board=board,
    diagram=diagram,
    beginning=beginning,
    # Used by static/shogi/sharing.js.
    programs=(
        ("lishogi", "lishogi"),
        (_("lishogi editor"), "lishogi-editor"),
        ("KENTO", "kento"),
        (_("Piyo Shogi W"), "piyo"),
    ),
    links=(
        MenuLink(_("Castles & openings"), "formations", foremost=True),
        MenuLink(_("Problems"), "problems", foremost=True),
        MenuLink(_("Patterns"), "patterns", foremost=True),
        MenuLink(_("Board editor"), "position-edit", foremost=True),
        MenuLink(_("Enter a game"), "game-new"),
    ),
    squares=BY_USI,
)
