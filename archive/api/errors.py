"""The one place where errors become HTTP answers: problem details after RFC 9457."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.exceptions import PermissionDenied as DjangoPermissionDenied
from django.core.exceptions import RequestDataTooBig, TooManyFilesSent
from django.http import Http404
from rest_framework import exceptions, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import set_rollback

from archive.issues import language
from kifu_core.errors import KifuError
from kifu_core.messages import message

CONTENT_TYPE = "application/problem+json"


class ApiError(exceptions.APIException):
    """An error with a stable code of ours; `errors` lists single fields or lines where there are several."""

    def __init__(
        self, code: str, detail: str, status_code: int = 400, errors: list[dict[str, Any]] | None = None
    ) -> None:
        super().__init__(detail, code)
        self.code = code
        self.status_code = status_code
        self.errors = errors or []


def nothing_in(request: Request, code: str, detail: str) -> ApiError:
    """The error for a request that holds nothing of what was asked for."""
    if "Transfer-Encoding" in request.headers:
        return ApiError("length-required", "a body in chunks is not read: send its Content-Length", 411)
    return ApiError(code, detail)


def problem(status_code: int, code: str, detail: str, errors: list[dict[str, Any]]) -> dict[str, Any]:
    """The body of an error answer."""
    return {
        "type": f"urn:kifu-archive:error:{code}",
        "title": code.replace("-", " "),
        "status": status_code,
        "detail": detail,
        "code": code,
        "errors": errors,
    }


def handle(error: Exception, context: dict[str, Any]) -> Response | None:
    """DRF's exception handler; None (a plain 500) for what is nobody's fault but ours."""
    found = _describe(error)
    if found is None:
        return None
    set_rollback()
    status_code, code, detail, errors = found
    response = Response(problem(status_code, code, detail, errors), status=status_code)
    response.content_type = CONTENT_TYPE
    for name in ("auth_header", "wait"):
        if value := getattr(error, name, None):
            response[{"auth_header": "WWW-Authenticate", "wait": "Retry-After"}[name]] = str(value)
    return response


def detail_of(error: KifuError) -> str:
    """What is wrong, in the error's own words or else in those of its code."""
    return error.message or message(error, language=language())


def _describe(error: Exception) -> tuple[int, str, str, list[dict[str, Any]]] | None:
    if isinstance(error, KifuError):
        return status.HTTP_400_BAD_REQUEST, error.code, detail_of(error), []
    if isinstance(error, Http404):
        return status.HTTP_404_NOT_FOUND, "not-found", str(error) or "there is nothing at this address", []
    if isinstance(error, DjangoPermissionDenied):
        return status.HTTP_403_FORBIDDEN, "forbidden", str(error) or "this is not allowed", []
    if isinstance(error, ApiError):
        return error.status_code, error.code, str(error.detail), error.errors
    if isinstance(error, TooManyFilesSent):
        limit = settings.DATA_UPLOAD_MAX_NUMBER_FILES
        return 413, "too-many-files", f"a request has at most {limit} files", []
    if isinstance(error, RequestDataTooBig):
        limit = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
        return 413, "too-large", f"beside its files a request has at most {limit} bytes", []
    if isinstance(error, exceptions.ValidationError):
        return (
            error.status_code,
            "invalid",
            "some parameters are not as they should be",
            _fields(error.detail),
        )
    if isinstance(error, exceptions.APIException):
        codes = error.get_codes()
        code = codes if isinstance(codes, str) else "invalid"
        return error.status_code, code.replace("_", "-"), str(error.detail), []
    return None


def _fields(detail: Any) -> list[dict[str, Any]]:
    if not isinstance(detail, dict):
        return [{"field": None, "detail": str(text)} for text in detail]
    return [{"field": name, "detail": str(text)} for name, texts in detail.items() for text in texts]
