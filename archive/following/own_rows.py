"""Rows that an account has at most once each, and of which it has a limited number."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from django.db import transaction
from django.db.models import Model, QuerySet

from archive.following.errors import FollowError
from archive.models import User

T = TypeVar("T", bound=Model)


def get_or_create(
    user: User, own: QuerySet[T], most: int, code: str, defaults: Mapping[str, Any], /, **fields: Any
) -> T:
    """Return the row with these fields among the `own` rows of an account; without one create it, with
    further values. Raises FollowError with the code if the account has `most` rows."""
    with transaction.atomic():
        User.objects.select_for_update().get(pk=user.pk)
        if same := own.filter(**fields).first():
            return same
        if own.count() >= most:
            raise FollowError(code)
        return own.create(**fields, **defaults)
