"""The free board."""

from typing import Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.templatetags.static import static
from django.urls import reverse
from django.views.decorators.http import require_safe

from archive.intake.permissions import may_upload
from kifu_core.quoridor.keys import KIND

_SNIPPET: Final = """<link rel="stylesheet" href="{style}">
<script type="module" src="{module}"></script>
<div class="qf_freeboard" data-boardsize="10"></div>"""


@require_safe
def board(request: HttpRequest) -> HttpResponse:
    """Show a board to play on; it opens at `code` and `ply`."""
    style, module = (request.build_absolute_uri(static(f"quoridor/boards.{kind}")) for kind in ("css", "js"))
    context = {
        "snippet": _SNIPPET.format(style=style, module=module),
        "code": request.GET.get("code", "").replace(" ", "+"),  # an unquoted `+` in an address is a space
        "ply": request.GET.get("ply", ""),
        "position_url": reverse("position", args=[KIND, "CODE"]),
        "upload_url": reverse("api:uploads") if may_upload(request) else "",
        "section": "quoridor",
    }
    return render(request, "quoridor/board.html", context)
