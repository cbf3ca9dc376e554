"""Scripts, style sheets and pictures: WhiteNoise behind Django's compression of answers."""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase


class TagsOfCompressedFiles:
    """Takes the mark off the tags of files that were sent compressed, which WhiteNoise would not know again.

    Files are compressed as they are sent. Doing so beforehand would take seconds at every start, and browsers
    keep what they have.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        tag = request.META.get("HTTP_IF_NONE_MATCH")
        if tag and request.path.startswith(settings.STATIC_URL):
            request.META["HTTP_IF_NONE_MATCH"] = tag.removeprefix("W/")
        return self.get_response(request)
