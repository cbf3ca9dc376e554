"""The forms for reporting a game or a collection to the staff."""

from typing import Any, Final

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from archive.models import Collection, Game, Report, User
from archive.names.plain_text import plain
from archive.queries.collections import collection_shown
from archive.queries.games.taken_down import game_called, game_shown

LONGEST: Final = 2_000
"""Characters of the text of a report."""
OPEN_OF_A_GAME: Final = 20
"""Open reports of one game or collection; further ones are discarded."""
COLLECTION_REASONS: Final = [
    (Report.Reason.PERSONAL, Report.Reason.PERSONAL.label),
    (Report.Reason.RIGHTS, Report.Reason.RIGHTS.label),
    (Report.Reason.ABUSE, gettext_lazy("It is offensive")),
    (Report.Reason.OTHER, Report.Reason.OTHER.label),
]


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


class CollectionReportForm(ReportForm):
    def __init__(self, *values: Any, **options: Any) -> None:
        super().__init__(*values, **options)
        self.fields["reason"].choices = COLLECTION_REASONS  # type: ignore[attr-defined]


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def report(request: HttpRequest, game_id: int) -> HttpResponse:
    """Show the form, or store a report; only for games that the visitor can read."""
    game = game_shown(request, game_id, record=False)
    if game is None:
        return redirect("game-report", game_called(request, game_id))
    return _form(request, ReportForm, "archive/report.html", game=game)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def report_collection(request: HttpRequest, collection: int) -> HttpResponse:
    """Show the form, or store a report; only for public collections."""
    shown = collection_shown(request, collection)
    if shown.visibility != Collection.Visibility.PUBLIC:
        raise Http404
    return _form(request, CollectionReportForm, "collections/report.html", collection=shown)


def _form(
    request: HttpRequest, form_of: type[ReportForm], template: str, **thing: Game | Collection
) -> HttpResponse:
    """Show the form about a game or a collection, named as its column and its page are."""
    form = form_of(request.POST if request.method == "POST" else None, label_suffix="")
    if not form.is_valid():
        return render(request, template, {"form": form, **thing}, status=400 if form.is_bound else 200)
    ((kind, one),) = thing.items()
    if Report.objects.filter(settled=None, **{kind: one.pk}).count() < OPEN_OF_A_GAME:
        by = request.user if isinstance(request.user, User) else None
        Report.objects.create(by=by, **{kind: one.pk}, **form.cleaned_data)
    messages.success(request, _("Thank you. The operator of this archive will look at it."))
    return redirect(kind, one.pk)
