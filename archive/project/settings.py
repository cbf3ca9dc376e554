"""The one settings file: what differs between machines comes from the environment (docs/operations.md)."""

from pathlib import Path
from typing import Any, Final

import dj_database_url
from django.core.exceptions import ImproperlyConfigured

from archive.observing import logs
from archive.project import env, queues
from archive.project.queues import INTERACTIVE, MAINTENANCE, QUEUES
from kifu_core.games import GAMES

BASE_DIR = Path(__file__).resolve().parents[2]
_DATA: Final = "ARCHIVE_DATA_DIR"
DATA_DIR = env.folder(Path(env.text("ARCHIVE_DATA_DIR", str(BASE_DIR / "var"))).resolve(), _DATA)
_DATABASE_URL: Final = env.database("DATABASE_URL")
# The embedded default needs nothing installed: SQLite, a broker of files and a secret in one folder.
EMBEDDED = not _DATABASE_URL

SECRET_KEY = env.secret("SECRET_KEY", DATA_DIR / "secret-key" if EMBEDDED else None, _DATA)
DEBUG = env.flag("DEBUG", default=False)
# Where visitors find the archive; hosts, origins, cookies and redirects follow from it.
PUBLIC_URL = env.origin("ARCHIVE_PUBLIC_URL")
env.check_secret("SECRET_KEY", SECRET_KEY, PUBLIC_URL)
_SECURE = PUBLIC_URL is not None and PUBLIC_URL.secure
# Whose X-Forwarded-For, -Proto and -Host count. https comes from a proxy, by default one on this machine.
TRUSTED_PROXIES = env.networks("ARCHIVE_TRUSTED_PROXIES", ["127.0.0.0/8", "::1"] if _SECURE else [])
# Everything from this level on goes to standard error, with tracebacks; the access log is by choice.
LOG_LEVEL = env.choice("ARCHIVE_LOG_LEVEL", logs.LEVELS, "warning")
ACCESS_LOG = env.flag("ARCHIVE_ACCESS_LOG", default=False)
LOG_FORMAT = env.choice("ARCHIVE_LOG_FORMAT", logs.FORMATS, "text")
# A Sentry that faults are told to; without it nothing is sent, and nothing loaded that could.
SENTRY_DSN = env.sentry("SENTRY_DSN")
LOGGING = logs.configuration(LOG_LEVEL, access=ACCESS_LOG, form=LOG_FORMAT, sentry=SENTRY_DSN)
# Who is told the metrics: an address, also behind a proxy, of one of these networks.
ARCHIVE_METRICS_FROM = env.networks("ARCHIVE_METRICS_FROM", ["127.0.0.0/8", "::1"])
# Whom security.txt names for reports of holes: an address of mail, or of a page.
SECURITY_CONTACT = env.contact("ARCHIVE_SECURITY_CONTACT")
ALLOWED_HOSTS = env.hosts("ALLOWED_HOSTS", ["localhost", "127.0.0.1", "[::1]"])
CSRF_TRUSTED_ORIGINS = env.origins("CSRF_TRUSTED_ORIGINS")
if PUBLIC_URL is not None:
    ALLOWED_HOSTS = list(dict.fromkeys([PUBLIC_URL.host, *ALLOWED_HOSTS]))
    CSRF_TRUSTED_ORIGINS = list(dict.fromkeys([str(PUBLIC_URL), *CSRF_TRUSTED_ORIGINS]))

BIND_HOST, BIND_PORT = env.address("ARCHIVE_BIND", "127.0.0.1:8000")
# Nobody but who sits at this machine can reach it, as far as we know: no proxy leads here from elsewhere.
_AT_HOME = (
    env.is_loopback(BIND_HOST)
    and not TRUSTED_PROXIES
    and (PUBLIC_URL is None or env.is_loopback(PUBLIC_URL.host))
)
ARCHIVE_ANONYMOUS_UPLOAD = env.flag("ARCHIVE_ANONYMOUS_UPLOAD", default=EMBEDDED and _AT_HOME)
# Whether programs may send name and password with every request.
ARCHIVE_BASIC_AUTH = env.flag("ARCHIVE_BASIC_AUTH", default=False)
ARCHIVE_LOGIN_REQUIRED = env.flag("ARCHIVE_LOGIN_REQUIRED", default=False)
# Who may make an account for themselves: nobody, who has a link of an administrator's, or everybody with a
# mailbox.
ARCHIVE_REGISTRATION = env.choice("ARCHIVE_REGISTRATION", ("closed", "invitation", "open"), "closed")
# The role of those who register without an invitation, which names one itself.
ARCHIVE_NEW_ROLE = env.choice("ARCHIVE_NEW_ROLE", ("reader", "contributor"), "contributor")
# Where mails are handed over; without it they are written to the log.
MAIL_SERVER = env.mail_server("ARCHIVE_EMAIL_URL")
ARCHIVE_SAMPLES = env.flag("ARCHIVE_SAMPLES", default=True)
WEB_WORKERS = env.number("ARCHIVE_WEB_WORKERS", 2)
# After so many days the audit log forgets from where something was done.
ARCHIVE_AUDIT_ADDRESS_DAYS = env.number("ARCHIVE_AUDIT_ADDRESS_DAYS", 30, minimum=0)
# Requests that one web process works on at a time; the others wait without holding anything.
WEB_THREADS = env.number("ARCHIVE_WEB_THREADS", 4)
# What memory a web process may have; one that has more is replaced while the site is served.
WEB_MEMORY_MB = env.number("ARCHIVE_WEB_MEMORY_MB", 768, minimum=256)
MAX_CONNECTIONS = env.number("ARCHIVE_MAX_CONNECTIONS", 4096)
# How long a visitor may take for a request's headers, for its body, and for a piece of the answer.
HEADER_SECONDS = env.number("ARCHIVE_HEADER_SECONDS", 15)
BODY_SECONDS = env.number("ARCHIVE_BODY_SECONDS", 30)
ANSWER_SECONDS = env.number("ARCHIVE_ANSWER_SECONDS", 60)
ARCHIVE_MAX_REQUEST_BYTES = env.number("ARCHIVE_MAX_REQUEST_BYTES", 256 * 1024 * 1024)
ARCHIVE_MAX_WAITING_BYTES = env.number("ARCHIVE_MAX_WAITING_BYTES", 1024 * 1024 * 1024)
INGEST_WORKERS = env.number("ARCHIVE_INGEST_WORKERS", 1)
SWEEP_SECONDS = env.number("ARCHIVE_SWEEP_SECONDS", 30)
# After this long an upload that nobody claimed is taken for one whose message was lost.
MESSAGE_SECONDS = env.number("ARCHIVE_MESSAGE_SECONDS", 60)
# After this long without any message, not even of the sweeper, a worker has lost its broker: it starts anew.
SILENCE_SECONDS = env.number("ARCHIVE_SILENCE_SECONDS", 300)
# How a worker runs its tasks: in a child that can be killed and replaced, or in its own process.
WORKER_POOL = env.choice("ARCHIVE_WORKER_POOL", ("prefork", "solo"), "prefork")
# Which queues a worker serves: on a machine without the folders of dumps and watching, all but the last.
WORKER_QUEUES = env.several("ARCHIVE_WORKER_QUEUES", QUEUES)
# After this long a task is stuck, whatever it does: the process that runs it is ended.
TASK_SECONDS = env.number("ARCHIVE_TASK_SECONDS", 60)
# What memory a process that reads uploads may take; one that had half of it is replaced after its task.
WORKER_MEMORY_MB = env.number("ARCHIVE_WORKER_MEMORY_MB", 1024, minimum=256)
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
# How long a web process may be busy with unpacking what an entry was read from.
ARCHIVE_SOURCE_SECONDS = env.number("ARCHIVE_SOURCE_SECONDS", 1)
# What is kept of one game, far beyond all real ones; the rest is unread text. The index has int2 for plies.
ARCHIVE_MAX_PLIES = env.number("ARCHIVE_MAX_PLIES", 10_000, maximum=32_767)
ARCHIVE_MAX_FORKS = env.number("ARCHIVE_MAX_FORKS", 20_000)
ARCHIVE_MAX_FORK_MOVES = env.number("ARCHIVE_MAX_FORK_MOVES", 100_000)
ARCHIVE_MAX_COMMENT_BYTES = env.number("ARCHIVE_MAX_COMMENT_BYTES", 1024 * 1024)
# What is converted or checked without being stored.
ARCHIVE_MAX_CONVERT_BYTES = env.number("ARCHIVE_MAX_CONVERT_BYTES", 1024 * 1024)
ARCHIVE_MAX_FIND_BYTES = env.number("ARCHIVE_MAX_FIND_BYTES", 128 * 1024)
# After this long a web process stops reading what a visitor sent.
ARCHIVE_READ_SECONDS = env.number("ARCHIVE_READ_SECONDS", 1)
# After this long the database stops looking for the games of a query in the search language.
ARCHIVE_SEARCH_SECONDS = env.number("ARCHIVE_SEARCH_SECONDS", 3)
# Games in bulk: those of one answer, files of one ZIP, and answers of one web process at a time.
ARCHIVE_EXPORT_GAMES = env.number("ARCHIVE_EXPORT_GAMES", 100_000)
ARCHIVE_EXPORT_FILES = env.number("ARCHIVE_EXPORT_FILES", 20_000, maximum=60_000)
ARCHIVE_EXPORTS_AT_ONCE = env.number("ARCHIVE_EXPORTS_AT_ONCE", 4)
# Dumps of everything public: after how many days the next one is made (0: only by hand), where they lie, how
# many are kept, and whether those that have games which are public no more are deleted.
ARCHIVE_DUMP_DAYS = env.number("ARCHIVE_DUMP_DAYS", 0, minimum=0)
ARCHIVE_DUMP_FOLDER = Path(env.text("ARCHIVE_DUMP_FOLDER", str(DATA_DIR / "dumps"))).resolve()
ARCHIVE_DUMPS_KEPT = env.number("ARCHIVE_DUMPS_KEPT", 3)
ARCHIVE_DUMPS_FORGET = env.flag("ARCHIVE_DUMPS_FORGET", default=False)
# Columns of positions, in which parts of boards are sought: where their files lie, and how often it is looked
# for games that are in none yet (0: only by hand).
ARCHIVE_COLUMN_FOLDER = Path(env.text("ARCHIVE_COLUMN_FOLDER", str(DATA_DIR / "columns"))).resolve()
ARCHIVE_COLUMN_SECONDS = env.number("ARCHIVE_COLUMN_SECONDS", 15, minimum=0)
# Of each web process: questions to them at a time, and the memory and the threads that these share.
ARCHIVE_PATTERNS_AT_ONCE = env.number("ARCHIVE_PATTERNS_AT_ONCE", 2)
ARCHIVE_PATTERN_MEMORY_MB = env.number("ARCHIVE_PATTERN_MEMORY_MB", 256, minimum=64)
ARCHIVE_PATTERN_THREADS = env.number("ARCHIVE_PATTERN_THREADS", 2)
ARCHIVE_CONVERT_BYTES_PER_MINUTE = env.number("ARCHIVE_CONVERT_BYTES_PER_MINUTE", 8 * 1024 * 1024)

# How much one address, or one user, may ask for; 0 is no limit (docs/operations.md).
ARCHIVE_THROTTLE = env.flag("ARCHIVE_THROTTLE", default=True)
ARCHIVE_THROTTLE_STORE = env.counts_store("ARCHIVE_THROTTLE_STORE")
ARCHIVE_THROTTLE_WORK = env.number("ARCHIVE_THROTTLE_WORK", 1200, minimum=0)
ARCHIVE_THROTTLE_SOURCES = env.number("ARCHIVE_THROTTLE_SOURCES", 60, minimum=0)
ARCHIVE_THROTTLE_EXPORTS = env.number("ARCHIVE_THROTTLE_EXPORTS", 60, minimum=0)
ARCHIVE_THROTTLE_UPLOADS = env.number("ARCHIVE_THROTTLE_UPLOADS", 300, minimum=0)
ARCHIVE_THROTTLE_UPLOAD_BYTES = env.number("ARCHIVE_THROTTLE_UPLOAD_BYTES", 256 * 1024 * 1024, minimum=0)
ARCHIVE_THROTTLE_REPORTS = env.number("ARCHIVE_THROTTLE_REPORTS", 10, minimum=0)
ARCHIVE_THROTTLE_SIGN_INS = env.number("ARCHIVE_THROTTLE_SIGN_INS", 20, minimum=0)
ARCHIVE_THROTTLE_MAILS = env.number("ARCHIVE_THROTTLE_MAILS", 20, minimum=0)
# How much may be sent a day, by role; strangers are counted by their address. 0 is no limit.
ARCHIVE_DAILY_BYTES = env.by_role(
    "ARCHIVE_DAILY_BYTES",
    {"anonymous": 1024**3, "reader": 1024**3, "contributor": 20 * 1024**3, "curator": 0, "administrator": 0},
)
ARCHIVE_DAILY_FILES = env.by_role(
    "ARCHIVE_DAILY_FILES",
    {"anonymous": 2_000, "reader": 2_000, "contributor": 50_000, "curator": 0, "administrator": 0},
)
ARCHIVE_DAILY_GAMES = env.by_role(
    "ARCHIVE_DAILY_GAMES",
    {"anonymous": 20_000, "reader": 20_000, "contributor": 500_000, "curator": 0, "administrator": 0},
)
# Whether what strangers send waits until a curator lets it in.
ARCHIVE_ANONYMOUS_WAITS = env.flag("ARCHIVE_ANONYMOUS_WAITS", default=False)
# How many times as much signed-in users, the staff and who sits at this machine may ask for.
ARCHIVE_THROTTLE_USERS = env.number("ARCHIVE_THROTTLE_USERS", 5)
ARCHIVE_THROTTLE_STAFF = env.number("ARCHIVE_THROTTLE_STAFF", 100)
ARCHIVE_THROTTLE_LOOPBACK = env.number("ARCHIVE_THROTTLE_LOOPBACK", 100 if _AT_HOME else 1)

# Webhooks of one account; none where it is 0. After so many days of failures one is switched off.
ARCHIVE_HOOKS_PER_ACCOUNT = env.number("ARCHIVE_HOOKS_PER_ACCOUNT", 10, minimum=0)
ARCHIVE_HOOKS_DAYS = env.number("ARCHIVE_HOOKS_DAYS", 5, maximum=13)
# Whether webhooks may go without encryption, and to addresses inside of this network: who may make one then
# reaches what only this machine can reach.
ARCHIVE_HOOKS_HTTP = env.flag("ARCHIVE_HOOKS_HTTP", default=False)
ARCHIVE_HOOKS_PRIVATE_NETWORKS = env.flag("ARCHIVE_HOOKS_PRIVATE_NETWORKS", default=False)

INSTALLED_APPS = [
    "archive.apps.AdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django_htmx",
    "rest_framework",
    # Swagger UI as static files, for the page of the API.
    "drf_spectacular_sidecar",
    "archive",
    # After the archive, whose templates stand in place of theirs.
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.usersessions",
]

MIDDLEWARE = [
    # First: what follows believes the forwarded headers that it leaves.
    "archive.http.limits.addresses.ForwardedHeaders",
    # Around everything: request ids, the access log, faults while an answer is on its way.
    "archive.http.requests.Traced",
    "django.middleware.security.SecurityMiddleware",
    "archive.http.security.ContentSecurityPolicy",
    "archive.http.security.OpenToOtherSites",
    # Before CSRF, which reads the body; its answers have the headers of the two above.
    "archive.http.throttles.Throttles",
    # Around static files too; and a file that has grown since the start is not cut off at its old length.
    "django.middleware.gzip.GZipMiddleware",
    "archive.web.pages.statics.TagsOfCompressedFiles",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "archive.http.requests.Refusing",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "archive.http.security.KeptByNobody",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "allauth.account.middleware.AccountMiddleware",
]
if ARCHIVE_LOGIN_REQUIRED:
    MIDDLEWARE.append("django.contrib.auth.middleware.LoginRequiredMiddleware")

ROOT_URLCONF = "archive.project.urls"
CSRF_FAILURE_VIEW = "archive.http.errors.csrf_failure"
WSGI_APPLICATION = "archive.project.wsgi.application"
LOGIN_URL = "sign-in"
LOGIN_REDIRECT_URL = LOGOUT_REDIRECT_URL = "home"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "OPTIONS": {
            "loaders": [
                ("archive.web.prepared.Loader", ["django.template.loaders.app_directories.Loader"]),
            ],
            "libraries": {
                "kifu": "archive.web.templatetags.kifu",
                "accounts": "archive.web.templatetags.accounts",
                **{kind: f"archive.web.{kind}.tags" for kind in GAMES},
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
        # With the mode of this file SQLite makes those beside it.
        "NAME": env.private_file(DATA_DIR / "archive.sqlite3", _DATA),
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


def _from_url(url: str) -> dict[str, Any]:
    found: dict[str, Any] = dict(
        dj_database_url.parse(
            url,
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


def _replica(url: str) -> dict[str, Any]:
    """Return how a replica is reached; one that is gone is not waited for."""
    found = _from_url(url)
    found.setdefault("OPTIONS", {}).setdefault("connect_timeout", 2)
    return found | {"TEST": {"MIRROR": "default"}}


DATABASES = {"default": _sqlite() if EMBEDDED else _from_url(_DATABASE_URL)}
# Numbers that all processes share (archive/caching/values.py): each has its own apart from these.
_COUNTED = (
    {"BACKEND": "django.core.cache.backends.db.DatabaseCache", "LOCATION": "archive_counted"}
    if DATABASES["default"]["ENGINE"] == "django.db.backends.postgresql"
    else {
        "BACKEND": "django.core.cache.backends.filebased.FileBasedCache",
        "LOCATION": DATA_DIR / "tmp" / "counted",
    }
)
CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}, "counted": _COUNTED}
ARCHIVE_REPLICA_URLS = env.databases("ARCHIVE_REPLICA_URLS")
# A replica that is further behind than this is not read.
ARCHIVE_REPLICA_LAG_SECONDS = env.number("ARCHIVE_REPLICA_LAG_SECONDS", 10)
if ARCHIVE_REPLICA_URLS:
    if DATABASES["default"]["ENGINE"] != "django.db.backends.postgresql":
        raise ImproperlyConfigured("ARCHIVE_REPLICA_URLS are replicas of a PostgreSQL in DATABASE_URL")
    for _number, _url in enumerate(ARCHIVE_REPLICA_URLS, start=1):
        DATABASES[f"replica{_number}"] = _replica(_url)
    DATABASE_ROUTERS = ["archive.project.reading.Router"]
    MIDDLEWARE.append("archive.http.replicas.ReadFromReplicas")
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
for _name in ("test", "tmp") if EMBEDDED else ("tmp",):
    env.folder(DATA_DIR / _name, _DATA)

AUTH_USER_MODEL = "archive.User"
AUTHENTICATION_BACKENDS = [
    "archive.http.limits.signing_in.CountedBackend",
    "archive.accounts.roles.RoleBackend",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("UserAttributeSimilarityValidator", "MinimumLengthValidator", "CommonPasswordValidator")
]

# The pages of accounts (archive/web/accounts). Attempts and mails are counted by the archive's own limits.
ACCOUNT_ADAPTER = "archive.web.accounts.adapter.Adapter"
MFA_ADAPTER = "archive.web.accounts.second_factor.Adapter"
ACCOUNT_RATE_LIMITS = MFA_RATE_LIMITS = False
ACCOUNT_FORMS = {
    "login": "archive.web.accounts.forms.SignIn",
    "signup": "archive.web.accounts.forms.SignUp",
    "add_email": "archive.web.accounts.forms.AddMail",
    "change_password": "archive.web.accounts.forms.ChangePassword",
    "set_password": "archive.web.accounts.forms.SetPassword",
    "reset_password": "archive.web.accounts.forms.ResetPassword",
    "reset_password_from_key": "archive.web.accounts.forms.NewPassword",
    "reauthenticate": "archive.web.accounts.forms.Reauthenticate",
}
MFA_FORMS = {
    "authenticate": "archive.web.accounts.second_factor.Authenticate",
    "reauthenticate": "archive.web.accounts.second_factor.Reauthenticate",
    "activate_totp": "archive.web.accounts.second_factor.Activate",
    "add_webauthn": "archive.web.accounts.passkeys.Add",
    "edit_webauthn": "archive.web.accounts.passkeys.Rename",
    "authenticate_webauthn": "archive.web.accounts.passkeys.Authenticate",
    "reauthenticate_webauthn": "archive.web.accounts.passkeys.Reauthenticate",
    "login_webauthn": "archive.web.accounts.passkeys.SignIn",
}
ACCOUNT_LOGIN_METHODS = {"username", "email"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "email*", "password1*", "password2*"]
ACCOUNT_EMAIL_VERIFICATION = "mandatory"
ACCOUNT_EMAIL_NOTIFICATIONS = True
ACCOUNT_EMAIL_SUBJECT_PREFIX = ""
ACCOUNT_EMAIL_CONFIRMATION_EXPIRE_DAYS = 3
ACCOUNT_EMAIL_CONFIRMATION_AUTHENTICATED_REDIRECT_URL = "/account/email/"
ACCOUNT_MAX_EMAIL_ADDRESSES = 5
ACCOUNT_PRESERVE_USERNAME_CASING = True
ACCOUNT_REAUTHENTICATION_REQUIRED = True
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_USERNAME_BLACKLIST = ["admin", "administrator", "root", "webmaster", "postmaster", "me"]
PASSWORD_RESET_TIMEOUT = 24 * 60 * 60
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_PASSKEY_LOGIN_ENABLED = True
# A passkey asks its person for a finger or a PIN each time: alone it is two factors.
MFA_WEBAUTHN_USER_VERIFICATION = "required"
# Clocks of telephones go wrong by some seconds.
MFA_TOTP_TOLERANCE = 1
MFA_RECOVERY_CODES_SHOW_ONCE = True
# Who has no confirmed address signs in by name, and a mail server is not needed for that.
MFA_ALLOW_UNVERIFIED_EMAIL = True

EMAIL_BACKEND = (
    "django.core.mail.backends.smtp.EmailBackend" if MAIL_SERVER else "archive.accounts.mail.InTheLog"
)
if MAIL_SERVER:
    EMAIL_HOST, EMAIL_PORT = MAIL_SERVER.host, MAIL_SERVER.port
    EMAIL_HOST_USER, EMAIL_HOST_PASSWORD = MAIL_SERVER.user, MAIL_SERVER.password
    EMAIL_USE_SSL, EMAIL_USE_TLS = MAIL_SERVER.tls == "always", MAIL_SERVER.tls == "starttls"
# A server that is away keeps no visitor waiting for long.
EMAIL_TIMEOUT = 10
DEFAULT_FROM_EMAIL = SERVER_EMAIL = env.sender("ARCHIVE_EMAIL_FROM", "kifu-archive@localhost")

LANGUAGE_CODE = "ja"
LANGUAGES = [("ja", "日本語"), ("en", "English")]
LOCALE_PATHS = [BASE_DIR / "archive" / "locale"]
USE_TZ = True
TIME_ZONE = env.time_zone("ARCHIVE_TIME_ZONE", "Asia/Tokyo")

STATIC_URL = "/static/"
WHITENOISE_USE_FINDERS = True
DATA_UPLOAD_MAX_MEMORY_SIZE = ARCHIVE_MAX_TEXT_BYTES
DATA_UPLOAD_MAX_NUMBER_FILES = ARCHIVE_MAX_FILES_PER_REQUEST
FILE_UPLOAD_HANDLERS = [
    "archive.intake.multipart.EveryFile",
    "django.core.files.uploadhandler.MemoryFileUploadHandler",
    "django.core.files.uploadhandler.TemporaryFileUploadHandler",
]
FILE_UPLOAD_TEMP_DIR = str(DATA_DIR / "tmp") if EMBEDDED else None

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "archive.api.authentication.Bearer",
        "archive.api.authentication.Basic",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_THROTTLE_CLASSES": ["archive.http.limits.throttling.RouteThrottle"],
    "DEFAULT_PERMISSION_CLASSES": [
        "rest_framework.permissions.IsAuthenticated"
        if ARCHIVE_LOGIN_REQUIRED
        else "rest_framework.permissions.AllowAny"
    ],
    "DEFAULT_RENDERER_CLASSES": ["archive.api.json_body.JSONAnswer"],
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "archive.api.negotiation.Negotiation",
    "DEFAULT_METADATA_CLASS": "archive.api.negotiation.Options",
    "DEFAULT_PARSER_CLASSES": [
        "archive.api.json_body.StrictJSON",
        "rest_framework.parsers.MultiPartParser",
        "rest_framework.parsers.FormParser",
    ],
    "EXCEPTION_HANDLER": "archive.api.errors.handle",
    "URL_FORMAT_OVERRIDE": None,
}

CELERY_BROKER_URL = env.broker("CELERY_BROKER_URL", "filesystem://localhost")
if CELERY_BROKER_URL.startswith("filesystem://"):
    env.folder(DATA_DIR / "broker", _DATA)
    CELERY_BROKER_TRANSPORT_OPTIONS = queues.folders(DATA_DIR)
# A broker that is away must not keep a visitor waiting: the sweeper sends again what could not be sent.
CELERY_BROKER_CONNECTION_TIMEOUT = 2
CELERY_TASK_PUBLISH_RETRY = False
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_DEFAULT_QUEUE = INTERACTIVE
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_TIME_LIMIT = TASK_SECONDS
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_ENABLE_REMOTE_CONTROL = False
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BEAT_SCHEDULE: dict[str, dict[str, Any]] = {
    "sweep": {"task": "archive.sweep", "schedule": SWEEP_SECONDS}
}
_MAINTENANCE = {"options": {"queue": MAINTENANCE}}
if WATCH_DIR:
    CELERY_BEAT_SCHEDULE["watch"] = {"task": "archive.watch", "schedule": SWEEP_SECONDS} | _MAINTENANCE
if ARCHIVE_COLUMN_SECONDS:
    CELERY_BEAT_SCHEDULE["columns"] = {
        "task": "archive.columns", "schedule": ARCHIVE_COLUMN_SECONDS
    } | _MAINTENANCE  # fmt: skip
if ARCHIVE_DUMP_DAYS:
    CELERY_BEAT_SCHEDULE["dump"] = {"task": "archive.dump", "schedule": 600} | _MAINTENANCE

SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = LANGUAGE_COOKIE_SECURE = _SECURE
if TRUSTED_PROXIES:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    USE_X_FORWARDED_HOST = True
_HSTS_SECONDS: Final = env.number("ARCHIVE_HSTS_SECONDS", 365 * 24 * 60 * 60, minimum=0)
if PUBLIC_URL is not None and PUBLIC_URL.secure:
    SECURE_SSL_REDIRECT = True
    SECURE_SSL_HOST = PUBLIC_URL.netloc
    # Whoever watches over the archive asks the process itself.
    SECURE_REDIRECT_EXEMPT = [r"^(healthz|readyz|metrics)$"]
    SECURE_HSTS_SECONDS = _HSTS_SECONDS
    # Other names below this one, and browsers' lists of names, are not the archive's to decide about.
    SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]
SECURE_CONTENT_TYPE_NOSNIFF = True
X_FRAME_OPTIONS = "DENY"
