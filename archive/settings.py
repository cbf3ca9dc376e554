"""The one settings file: what differs between machines comes from the environment (docs/operations.md)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import dj_database_url

from archive import broker, env

BASE_DIR = Path(__file__).resolve().parent.parent
DATA_DIR = Path(env.text("ARCHIVE_DATA_DIR", str(BASE_DIR / "var"))).resolve()
# The embedded default needs nothing installed: SQLite, a broker of files and a secret in one folder.
EMBEDDED = not env.text("DATABASE_URL")

SECRET_KEY = env.secret("SECRET_KEY", keep_in=DATA_DIR / "secret-key" if EMBEDDED else None)
DEBUG = env.flag("DEBUG", default=False)
ALLOWED_HOSTS = env.words("ALLOWED_HOSTS", ["localhost", "127.0.0.1", "[::1]"])
CSRF_TRUSTED_ORIGINS = env.words("CSRF_TRUSTED_ORIGINS", [])

BIND_HOST, BIND_PORT = env.address("ARCHIVE_BIND", "127.0.0.1:8000")
ARCHIVE_ANONYMOUS_UPLOAD = env.flag(
    "ARCHIVE_ANONYMOUS_UPLOAD", default=EMBEDDED and env.is_loopback(BIND_HOST)
)
ARCHIVE_LOGIN_REQUIRED = env.flag("ARCHIVE_LOGIN_REQUIRED", default=False)
ARCHIVE_SAMPLES = env.flag("ARCHIVE_SAMPLES", default=True)
WEB_WORKERS = env.number("ARCHIVE_WEB_WORKERS", 2)
INGEST_WORKERS = env.number("ARCHIVE_INGEST_WORKERS", 1)
SWEEP_SECONDS = env.number("ARCHIVE_SWEEP_SECONDS", 30)
# After this long an upload that nobody claimed is taken for one whose message was lost.
MESSAGE_SECONDS = env.number("ARCHIVE_MESSAGE_SECONDS", 60)
# After this long without any message, not even of the sweeper, a worker has lost its broker: it starts anew.
SILENCE_SECONDS = env.number("ARCHIVE_SILENCE_SECONDS", 300)
# How a worker runs its tasks: in a child that can be killed and replaced, or in its own process.
WORKER_POOL = env.choice("ARCHIVE_WORKER_POOL", ("prefork", "solo"), "prefork")
# After this long a task is stuck, whatever it does: the process that runs it is ended.
TASK_SECONDS = env.number("ARCHIVE_TASK_SECONDS", 60)
# How long a worker that says nothing is taken to be alive; longer than any one entry may take.
CLAIM_SECONDS = env.number("ARCHIVE_CLAIM_SECONDS", 60)
# A folder whose files are taken in as they come.
WATCH_DIR = env.text("ARCHIVE_WATCH_DIR")
ARCHIVE_MAX_UPLOAD_BYTES = env.number("ARCHIVE_MAX_UPLOAD_BYTES", 64 * 1024 * 1024)
ARCHIVE_MAX_FILES_PER_REQUEST = env.number("ARCHIVE_MAX_FILES_PER_REQUEST", 100)
ARCHIVE_MAX_TEXT_BYTES = env.number("ARCHIVE_MAX_TEXT_BYTES", 16 * 1024 * 1024)

# What an upload may hold; beyond a limit an entry is refused with a code, the rest is read.
ARCHIVE_MAX_ENTRIES = env.number("ARCHIVE_MAX_ENTRIES", 200_000)
ARCHIVE_MAX_ENTRY_BYTES = env.number("ARCHIVE_MAX_ENTRY_BYTES", 64 * 1024 * 1024)
ARCHIVE_MAX_TOTAL_BYTES = env.number("ARCHIVE_MAX_TOTAL_BYTES", 1024 * 1024 * 1024)
ARCHIVE_MAX_RATIO = env.number("ARCHIVE_MAX_RATIO", 200)
ARCHIVE_MAX_DEPTH = env.number("ARCHIVE_MAX_DEPTH", 2)
ARCHIVE_ENTRY_SECONDS = env.number("ARCHIVE_ENTRY_SECONDS", 10)
# What is converted or checked without being stored.
ARCHIVE_MAX_CONVERT_BYTES = env.number("ARCHIVE_MAX_CONVERT_BYTES", 1024 * 1024)
ARCHIVE_CONVERT_BYTES_PER_MINUTE = env.number("ARCHIVE_CONVERT_BYTES_PER_MINUTE", 8 * 1024 * 1024)

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django_htmx",
    "rest_framework",
    "archive",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "archive.web.security.ContentSecurityPolicy",
    "archive.web.security.OpenToOtherSites",
    # Around static files too; and a file that has grown since the start is not cut off at its old length.
    "django.middleware.gzip.GZipMiddleware",
    "archive.web.statics.TagsOfCompressedFiles",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
]
if ARCHIVE_LOGIN_REQUIRED:
    MIDDLEWARE.append("django.contrib.auth.middleware.LoginRequiredMiddleware")

ROOT_URLCONF = "archive.urls"
WSGI_APPLICATION = "archive.wsgi.application"
LOGIN_URL = "admin:login"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "libraries": {
                "kifu": "archive.web.templatetags.kifu",
                "quoridor": "archive.web.templatetags.quoridor",
            },
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.i18n",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]


def _sqlite() -> dict[str, Any]:
    return {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": DATA_DIR / "archive.sqlite3",
        # Opening it anew and reading its schema takes as long as an answer.
        "CONN_MAX_AGE": 600,
        "OPTIONS": {
            # With deferred transactions most writes beside a busy worker fail: "database is locked".
            "transaction_mode": "IMMEDIATE",
            "timeout": 20,
            # page_size counts only where the file is new, and must come before WAL.
            "init_command": (
                "PRAGMA page_size=16384; PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; "
                "PRAGMA cache_size=-32768; PRAGMA temp_store=MEMORY;"
            ),
        },
        # A file, not memory: a worker process of the tests must reach it.
        "TEST": {"NAME": DATA_DIR / "test" / "archive.sqlite3"},
    }


# Whether DATABASE_URL leads to a pooler that has a connection for a transaction only.
DATABASE_POOLER = env.flag("ARCHIVE_DATABASE_POOLER", default=False)


def _from_url() -> dict[str, Any]:
    found: dict[str, Any] = dict(
        dj_database_url.parse(
            env.text("DATABASE_URL"),
            # Kept plans live as long as their connection, so as long as this at most.
            conn_max_age=600,
            conn_health_checks=True,
            disable_server_side_cursors=DATABASE_POOLER,
        )
    )
    if found["ENGINE"] == "django.db.backends.postgresql" and not DATABASE_POOLER:
        options = found.setdefault("OPTIONS", {})
        # Of what is prepared (archive/index/postgresql.py): without it the server would often plan each time.
        options["options"] = f"{options.get('options', '')} -c plan_cache_mode=force_generic_plan".strip()
    return found


DATABASES = {"default": _sqlite() if EMBEDDED else _from_url()}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
for folder in ("test", "tmp") if EMBEDDED else ("tmp",):
    (DATA_DIR / folder).mkdir(parents=True, exist_ok=True)

AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("UserAttributeSimilarityValidator", "MinimumLengthValidator", "CommonPasswordValidator")
]

LANGUAGE_CODE = "ja"
LANGUAGES = [("ja", "日本語"), ("en", "English")]
LOCALE_PATHS = [BASE_DIR / "archive" / "locale"]
USE_TZ = True
TIME_ZONE = env.text("ARCHIVE_TIME_ZONE", "Asia/Tokyo")

STATIC_URL = "/static/"
WHITENOISE_USE_FINDERS = True
DATA_UPLOAD_MAX_MEMORY_SIZE = ARCHIVE_MAX_TEXT_BYTES
DATA_UPLOAD_MAX_NUMBER_FILES = ARCHIVE_MAX_FILES_PER_REQUEST
FILE_UPLOAD_TEMP_DIR = str(DATA_DIR / "tmp") if EMBEDDED else None

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "rest_framework.authentication.BasicAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": [
        "rest_framework.permissions.IsAuthenticated"
        if ARCHIVE_LOGIN_REQUIRED
        else "rest_framework.permissions.AllowAny"
    ],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": [
        "rest_framework.parsers.JSONParser",
        "rest_framework.parsers.MultiPartParser",
        "rest_framework.parsers.FormParser",
    ],
    "EXCEPTION_HANDLER": "archive.api.errors.handle",
    "URL_FORMAT_OVERRIDE": None,
}

CELERY_BROKER_URL = env.text("CELERY_BROKER_URL", "filesystem://localhost")
if CELERY_BROKER_URL.startswith("filesystem://"):
    CELERY_BROKER_TRANSPORT_OPTIONS = broker.folders(DATA_DIR)
# A broker that is away must not keep a visitor waiting: the sweeper sends again what could not be sent.
CELERY_BROKER_CONNECTION_TIMEOUT = 2
CELERY_TASK_PUBLISH_RETRY = False
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_DEFAULT_QUEUE = "interactive"
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_TIME_LIMIT = TASK_SECONDS
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_ENABLE_REMOTE_CONTROL = False
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BEAT_SCHEDULE = {"sweep": {"task": "archive.sweep", "schedule": SWEEP_SECONDS}}
if WATCH_DIR:
    CELERY_BEAT_SCHEDULE["watch"] = {"task": "archive.watch", "schedule": SWEEP_SECONDS}

SESSION_COOKIE_HTTPONLY = True
SECURE_CONTENT_TYPE_NOSNIFF = True
X_FRAME_OPTIONS = "DENY"
