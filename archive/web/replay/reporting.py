"""The form for reporting a game to the staff."""

from typing import Final

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from archive.models import Report, User
from archive.names.plain_text import plain
from archive.queries.games.taken_down import game_called, game_shown

LONGEST: Final = 2_000
"""Characters of the text of a report."""
OPEN_OF_A_GAME: Final = 20
"""Open reports of one game; further ones are discarded."""


class ReportForm(forms.Form):
    reason = forms.ChoiceField(
        label=gettext_lazy("What is wrong"), choices=Report.Reason.choices, widget=forms.RadioSelect
    )
    text = forms.CharField(
        label=gettext_lazy("In your own words (as you like; also how we can reach you)"),
        required=False,
        max_length=LONGEST,
        widget=forms.Textarea({"rows": 6}),
    )

    def clean_text(self) -> str:
        """Return the text without control characters, which could hide parts of it from the staff."""
        return plain(self.cleaned_data["text"])


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def report(request: HttpRequest, game_id: int) -> HttpResponse:
    """Show the form, or store a report; only for games that the visitor can read."""
    game = game_shown(request, game_id, record=False)
    if game is None:
        return redirect("game-report", game_called(request, game_id))
    form = ReportForm(request.POST if request.method == "POST" else None, label_suffix="")
    if not form.is_valid():
        status = 400 if form.is_bound else 200
        return render(request, "archive/report.html", {"form": form, "game": game}, status=status)
    if Report.objects.filter(game=game.pk, settled=None).count() < OPEN_OF_A_GAME:
        by = request.user if isinstance(request.user, User) else None
        Report.objects.create(game=game.pk, by=by, **form.cleaned_data)
    messages.success(request, _("Thank you. The operator of this archive will look at it."))
    return redirect("game", game.pk)
