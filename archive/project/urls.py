"""Every address of the site: the API, the admin and the pages."""

from django.contrib import admin
from django.urls import include, path

from archive.web.accounts import pages
from archive.web.pages import health, wellknown

# Only what answers requests loads the admin's pages, not every process (`archive.apps.AdminConfig`).
admin.autodiscover()

handler400 = "archive.http.errors.bad_request"
handler403 = "archive.http.errors.permission_denied"
handler404 = "archive.http.errors.not_found"
handler500 = "archive.http.errors.server_error"

urlpatterns = [
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
    path("metrics", health.metrics, name="metrics"),
    path("robots.txt", wellknown.robots, name="robots"),
    path(".well-known/security.txt", wellknown.security, name="security"),
    # One way to sign in, with second factor and limits.
    path("admin/login/", pages.admin_sign_in, name="admin-login"),
    path("admin/", admin.site.urls),
    path("api/v1/", include("archive.api.urls")),
    path("", include("archive.web.accounts.urls")),
    path("", include("archive.web.urls")),
]
