"""Every address of the site: the API, the admin and the pages."""

from __future__ import annotations

from django.contrib import admin
from django.urls import include, path

from archive import health

urlpatterns = [
    path("healthz", health.healthz),
    path("readyz", health.readyz),
    path("admin/", admin.site.urls),
    path("api/v1/", include("archive.api.urls")),
    path("", include("archive.web.urls")),
]
