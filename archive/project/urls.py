"""The URLs of the site: the API, the admin and the pages."""

from django.contrib import admin
from django.urls import include, path

from archive.web.accounts import pages
from archive.web.pages import health, offline, wellknown
from archive.web.routes import page

# Only web processes load the admin's pages (`archive.apps.AdminConfig`).
admin.autodiscover()

handler400 = "archive.http.errors.bad_request"
handler403 = "archive.http.errors.permission_denied"
handler404 = "archive.http.errors.not_found"
handler500 = "archive.http.errors.server_error"

urlpatterns = [
    page("healthz", health.healthz, "healthz", access="anybody"),
    page("readyz", health.readyz, "readyz", access="anybody"),
    page("metrics", health.metrics, "metrics", access="anybody"),
    page("manifest/<slug:language>.webmanifest", offline.manifest, "manifest", access="anybody"),
    page("service-worker.js", offline.worker, "service-worker", access="anybody"),
    page("offline/", offline.offline, "offline", access="anybody"),
    page("upload/share/", offline.share, "share", cost=2),
    page("robots.txt", wellknown.robots, "robots", access="anybody"),
    page(".well-known/security.txt", wellknown.security, "security", access="anybody"),
    # One way to sign in, with second factor and limits.
    page("admin/login/", pages.admin_sign_in, "admin-login", access="anybody"),
    path("admin/", admin.site.urls),
    path("api/v1/", include("archive.api.urls")),
    path("", include("archive.web.accounts.urls")),
    path("", include("archive.web.urls")),
]
