"""Static files: WhiteNoise behind Django's compression of responses."""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase


class TagsOfCompressedFiles:
    """Removes the `W/` that compression adds to entity tags, which WhiteNoise would not recognize.

    Files are compressed for each response: compressing all of them would take seconds at every start, and
    browsers cache them.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        tag = request.META.get("HTTP_IF_NONE_MATCH")
        if tag and request.path.startswith(settings.STATIC_URL):
            request.META["HTTP_IF_NONE_MATCH"] = tag.removeprefix("W/")
        return self.get_response(request)
