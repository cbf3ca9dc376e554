"""The page of preparation for an opponent: two sets of games side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple
from urllib.parse import urlencode

from django import forms
from django.http import Http404
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from archive.queries.names.ids_of_names import unique_name
from archive.queries.names.own_names import own_players
from archive.queries.names.people import merged_into, shown_rows
from archive.queries.preparation.comparing import (
    MIN_GAMES,
    MOST_LEAST,
    LineMove,
    MainLine,
    Place,
    Preparation,
    prepare,
)
from archive.queries.preparation.sides import sides_of
from archive.queries.scope import Scope, read_private, scope_of
from archive.web.forms import TEXT_LIMIT, QueryField, RecordFilterForm
from archive.web.wording import MARKS_OF, SIDES_OF, played_text
from kifu_core.errors import DecodeError
from kifu_core.games import GAMES, SHOGI

if TYPE_CHECKING:
    from collections.abc import Mapping

    from django.http import HttpRequest, HttpResponse

_FOREMOST: Final = ("theirs", "side", "own", "own_q")
_OF_HIS_GAMES: Final = ("player", "event", "from", "to", "result", "min_rating", "max_rating", "q")
"""The filters of the opponent's games that the form shows; addresses may have all others."""


class PreparationForm(RecordFilterForm):
    """The filters of the opponent's games, his name, and whose games they are compared with."""

    def __init__(self, data: Mapping[str, Any], *, kind: str) -> None:
        super().__init__(data, kind=kind, label_suffix="")
        self.fields["player"].label = gettext_lazy("Against")
        for name, field in self.fields.items():
            if name not in _OF_HIS_GAMES:
                field.widget = forms.HiddenInput()
        self.fields |= {
            "theirs": forms.CharField(label=gettext_lazy("Opponent"), max_length=TEXT_LIMIT, required=False),
            "side": forms.ChoiceField(
                label=gettext_lazy("You play"), choices=SIDES_OF[kind].items(), required=False
            ),
            "own": forms.CharField(
                label=gettext_lazy("You (a player’s name)"), max_length=TEXT_LIMIT, required=False
            ),
            "own_q": QueryField(
                label=gettext_lazy("or a search for your games"), strip=False, required=False
            ),
            "code": forms.CharField(widget=forms.HiddenInput(), required=False),
            "min_games": forms.IntegerField(
                label=gettext_lazy("At least so many games"),
                min_value=1,
                max_value=MOST_LEAST,
                required=False,
            ),
        }

    def foremost(self) -> list[forms.BoundField]:
        return [self[name] for name in _FOREMOST]

    def narrowing(self) -> list[forms.BoundField]:
        return [self[name] for name in (*_OF_HIS_GAMES, "min_games")]

    def kept(self) -> list[forms.BoundField]:
        """Return the hidden fields in use, except the kind of record, which is always a game."""
        return [field for field in self.hidden_fields() if field.value() and field.name != "record_kind"]


class Line(NamedTuple):
    """A main line in words, with the address of the position at its end."""

    line: MainLine
    text: str
    end: Spot


class Spot(NamedTuple):
    """A position of a list with its addresses: its picture, this page from it on, and the game."""

    place: Place
    picture: str
    href: str
    game: str


def preparation(request: HttpRequest, player_id: int | None = None) -> HttpResponse:
    """Compare the games of an opponent, or those of any search, with one's own."""
    scope, data = scope_of(request), request.GET.dict()
    player = None if player_id is None else _player(scope, player_id)
    if player is not None:
        data["theirs"] = unique_name(player)
    kind = data.get("game") or SHOGI.name
    if kind not in GAMES:
        raise Http404
    form = PreparationForm({**data, "game": kind}, kind=kind)
    context: dict[str, Any] = {"form": form, "player": player, "kind": kind, "section": "players"}
    status = 200
    if form.is_valid():
        try:
            context |= _compared(request, scope, kind, form.cleaned_data)
        except DecodeError as error:
            form.add_error(None, _("This is not the code of a position: %(code)s") % {"code": error.code})
    if form.errors:
        status = 400
    return render(request, "archive/preparation.html", context, status=status)


def _player(scope: Scope, player_id: int) -> Any:
    rows = shown_rows(scope, "player", [merged_into(scope, "player", player_id) or player_id])
    if not rows:
        raise Http404(_("There is no player with this number."))
    return rows[0]


def _compared(request: HttpRequest, scope: Scope, kind: str, data: dict[str, Any]) -> dict[str, Any]:
    game = GAMES[kind]
    side = data["side"] or game.rules.sides[0]
    colour = game.rules.sides.index(side)
    theirs, own = sides_of(scope, data, colour)
    if own.me is not None or own_players(scope):
        read_private(request)
    start = game.codec.encode(game.rules.initial())
    code = data["code"] or start
    found = prepare(scope, theirs, own, kind, code, colour, data["min_games"] or MIN_GAMES)
    page = _Page(request, found)
    position = game.codec.decode(code)
    named = data["own"] or data["own_q"]
    return {
        "found": found,
        "position": position,
        "own_name": named or (_("you") if own.me is not None else _("everybody")),
        "at_start": code == start,
        "start": page.address(start),
        "here": page.spot(Place(code, 0, 0)),
        "sides": [
            (title, MARKS_OF[kind][part.colour], part, [page.move(position, one) for one in part.moves])
            for title, part in ((_("Opponent"), found.theirs), (named or _("you"), found.own))
        ],
        "parting": [(page.spot(one.place), one) for one in found.parting],
        "deepest": [(page.spot(one.place), one) for one in found.deepest],
        "unmet": [
            (
                page.spot(one.place),
                one,
                page.text(one.place.code, one.move, one.text),
                page.address(one.after),
            )
            for one in found.unmet
        ],
        "weak": [
            (title, [(page.spot(one.place), one) for one in rows])
            for title, rows in (
                (_("Slow positions of the opponent"), found.slow),
                (_("Positions with bad results of the opponent"), found.losing),
                (_("Positions with costly moves of the opponent"), found.costly),
            )
            if rows
        ],
        "lines": [
            (title, [page.line(one) for one in lines])
            for title, lines in (
                (_("Main lines of the opponent"), found.their_lines),
                (_("Own main lines"), found.own_lines),
            )
            if lines
        ],
    }


class _Page:
    """Makes addresses and words."""

    def __init__(self, request: HttpRequest, found: Preparation) -> None:
        self.found, self.kind = found, found.kind
        self.codec = GAMES[found.kind].codec
        self.path = request.path
        self.values = {name: value for name, value in request.GET.items() if value and name != "code"}
        self.flip = "?flip=1" if found.colour else ""

    def address(self, code: str) -> str:
        return f"{self.path}?{urlencode({**self.values, 'code': code})}"

    def spot(self, place: Place) -> Spot:
        path = self.codec.path_code(place.code)
        picture = reverse("api:position-picture", args=[self.kind, path]) + self.flip
        game = f"{reverse('game', args=[place.game])}?ply={place.ply}"
        return Spot(place, picture, self.address(place.code), game)

    def text(self, code: str, move: int, text: str) -> str:
        return played_text(self.kind, self.codec.decode(code), move, text)

    def move(self, position: Any, one: Any) -> tuple[Any, str, str]:
        return one, played_text(self.kind, position, one.move, one.text), self.address(one.code)

    def line(self, one: MainLine) -> Line:
        position = self.codec.decode(self.found.code)
        words, last = [], None
        for move in one.moves:
            words.append(self._step(position, move, last))
            position.do_move(move.move)
            last = move.move
        return Line(one, " ".join(words), self.spot(one.place))

    def _step(self, position: Any, move: LineMove, last: int | None) -> str:
        return played_text(self.kind, position, move.move, move.text, last)
