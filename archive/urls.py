"""Every address of the site: the API, the admin and the pages."""

from __future__ import annotations

from django.contrib import admin
from django.urls import include, path

from archive.web import health, wellknown

handler400 = "archive.web.errors.bad_request"
handler403 = "archive.web.errors.permission_denied"
handler404 = "archive.web.errors.not_found"
handler500 = "archive.web.errors.server_error"

urlpatterns = [
    path("healthz", health.healthz),
    path("readyz", health.readyz),
    path("robots.txt", wellknown.robots),
    path(".well-known/security.txt", wellknown.security),
    path("admin/", admin.site.urls),
    path("api/v1/", include("archive.api.urls")),
    path("", include("archive.web.urls")),
]
