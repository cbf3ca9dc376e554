"""Django's settings. Those that differ between machines come from the environment (docs/operations.md)."""

from pathlib import Path
from typing import Any, Final

import dj_database_url
from django.core.exceptions import ImproperlyConfigured

from archive.observing import logs
from archive.project import browser_engine, engine_file, env, network, queues
from archive.project.queues import INTERACTIVE, MAINTENANCE, NETWORK, OPINIONS, QUEUES
from kifu_core.games import GAMES

BASE_DIR = Path(__file__).resolve().parents[2]
_DATA: Final = "ARCHIVE_DATA_DIR"
DATA_DIR = env.folder(Path(env.text("ARCHIVE_DATA_DIR", str(BASE_DIR / "var"))).resolve(), _DATA)
_DATABASE_URL: Final = env.database("DATABASE_URL")
# The embedded default needs nothing installed: SQLite, a broker of files and a secret in one folder.
EMBEDDED = not _DATABASE_URL

SECRET_KEY = env.secret("SECRET_KEY", DATA_DIR / "secret-key" if EMBEDDED else None, _DATA)
DEBUG = env.flag("DEBUG", default=False)
# The public address; hosts, origins, cookies and redirects follow from it.
PUBLIC_URL = env.origin("ARCHIVE_PUBLIC_URL")
env.check_secret("SECRET_KEY", SECRET_KEY, PUBLIC_URL)
_SECURE = PUBLIC_URL is not None and PUBLIC_URL.secure
# Proxies whose X-Forwarded-For, -Proto and -Host count. https comes from a proxy, by default on this machine.
TRUSTED_PROXIES = env.networks("ARCHIVE_TRUSTED_PROXIES", ["127.0.0.0/8", "::1"] if _SECURE else [])
# Everything from this level on goes to standard error, with tracebacks; the access log is optional.
LOG_LEVEL = env.choice("ARCHIVE_LOG_LEVEL", logs.LEVELS, "warning")
ACCESS_LOG = env.flag("ARCHIVE_ACCESS_LOG", default=False)
LOG_FORMAT = env.choice("ARCHIVE_LOG_FORMAT", logs.FORMATS, "text")
# The Sentry to which faults are reported; without it the library is not loaded.
SENTRY_DSN = env.sentry("SENTRY_DSN")
LOGGING = logs.configuration(LOG_LEVEL, access=ACCESS_LOG, form=LOG_FORMAT, sentry=SENTRY_DSN)
# Networks that may read the metrics.
ARCHIVE_METRICS_FROM = env.networks("ARCHIVE_METRICS_FROM", ["127.0.0.0/8", "::1"])
# The contact in security.txt: a mail address or a page.
SECURITY_CONTACT = env.contact("ARCHIVE_SECURITY_CONTACT")
ALLOWED_HOSTS = env.hosts("ALLOWED_HOSTS", ["localhost", "127.0.0.1", "[::1]"])
CSRF_TRUSTED_ORIGINS = env.origins("CSRF_TRUSTED_ORIGINS")
if PUBLIC_URL is not None:
    ALLOWED_HOSTS = list(dict.fromkeys([PUBLIC_URL.host, *ALLOWED_HOSTS]))
    CSRF_TRUSTED_ORIGINS = list(dict.fromkeys([str(PUBLIC_URL), *CSRF_TRUSTED_ORIGINS]))

BIND_HOST, BIND_PORT = env.address("ARCHIVE_BIND", "127.0.0.1:8000")
# Whether, by the settings, only this machine can reach the archive.
_AT_HOME = (
    env.is_loopback(BIND_HOST)
    and not TRUSTED_PROXIES
    and (PUBLIC_URL is None or env.is_loopback(PUBLIC_URL.host))
)
# Whether strangers may upload, and whether their uploads wait for a curator.
_ANONYMOUS = env.choice("ARCHIVE_ANONYMOUS_UPLOAD", ("0", "1", "wait"), "1" if EMBEDDED and _AT_HOME else "0")
ARCHIVE_ANONYMOUS_UPLOAD = _ANONYMOUS != "0"
ARCHIVE_ANONYMOUS_WAITS = _ANONYMOUS == "wait"
# Whether programs may send name and password with every request.
ARCHIVE_BASIC_AUTH = env.flag("ARCHIVE_BASIC_AUTH", default=False)
ARCHIVE_LOGIN_REQUIRED = env.flag("ARCHIVE_LOGIN_REQUIRED", default=False)
# Who may register: nobody, people with an invitation, or everybody with a mail address.
ARCHIVE_REGISTRATION = env.choice("ARCHIVE_REGISTRATION", ("closed", "invitation", "open"), "closed")
# The role of accounts that are registered without an invitation.
ARCHIVE_NEW_ROLE = env.choice("ARCHIVE_NEW_ROLE", ("reader", "contributor"), "contributor")
# The mail server; without it mails are written to the log.
MAIL_SERVER = env.mail_server("ARCHIVE_EMAIL_URL")
# Days after which a proposed correction applies unless somebody objects; 0: a curator decides about each.
ARCHIVE_OBJECTION_DAYS = env.number("ARCHIVE_OBJECTION_DAYS", 7, minimum=0)
ARCHIVE_SAMPLES = env.flag("ARCHIVE_SAMPLES", default=True)
WEB_WORKERS = env.number("ARCHIVE_WEB_WORKERS", 2)
# Days after which the audit log loses its network addresses.
ARCHIVE_AUDIT_ADDRESS_DAYS = env.number("ARCHIVE_AUDIT_ADDRESS_DAYS", 30, minimum=0)
# Requests that one web process works on at a time; others wait without a thread.
WEB_THREADS: Final = 4
# Memory of a web process; a larger process is replaced while the site is served.
WEB_MEMORY_MB: Final = 768
INGEST_WORKERS = env.number("ARCHIVE_INGEST_WORKERS", 1)
SWEEP_SECONDS = env.number("ARCHIVE_SWEEP_SECONDS", 30)
# How a worker runs its tasks: in a child that can be killed and replaced, or in its own process.
WORKER_POOL = env.choice("ARCHIVE_WORKER_POOL", ("prefork", "solo"), "prefork")
# Which queues a worker serves: on a machine without the folders of dumps and watching, all but the last.
WORKER_QUEUES = env.several("ARCHIVE_WORKER_QUEUES", QUEUES)
# The folder of an engine that visitors' browsers run.
BROWSER_ENGINE = browser_engine.read(env.text("ARCHIVE_BROWSER_ENGINE"))
# Whether every game gets a first opinion by the neural network, where that is installed.
ARCHIVE_NETWORK = env.flag("ARCHIVE_NETWORK", default=True) and network.is_installed()
# Seconds after which a task counts as stuck: its process is killed.
TASK_SECONDS = env.number("ARCHIVE_TASK_SECONDS", 60)
# Memory of a process that reads uploads; a process that used half of it is replaced after its task.
WORKER_MEMORY_MB = env.number("ARCHIVE_WORKER_MEMORY_MB", 1024, minimum=256)
# Seconds without progress after which a worker's upload goes to another worker; longer than any entry takes.
CLAIM_SECONDS = env.number("ARCHIVE_CLAIM_SECONDS", 60)
# A folder whose new files are imported.
WATCH_DIR = env.text("ARCHIVE_WATCH_DIR")
ARCHIVE_MAX_UPLOAD_BYTES = env.number("ARCHIVE_MAX_UPLOAD_BYTES", 64 * 1024 * 1024)
# Seconds that a worker may take to read one record.
ARCHIVE_ENTRY_SECONDS = env.number("ARCHIVE_ENTRY_SECONDS", 10)
# Seconds that a web process may take to read a text from a visitor, or to unpack the source of an entry.
ARCHIVE_READ_SECONDS = env.number("ARCHIVE_READ_SECONDS", 1)
# Seconds that the database may take for a query of the search language.
ARCHIVE_SEARCH_SECONDS = env.number("ARCHIVE_SEARCH_SECONDS", 3)
# Dumps of everything public: days between two dumps (0: only by command), their folder, and whether dumps
# with games that are no longer public are deleted.
ARCHIVE_DUMP_DAYS = env.number("ARCHIVE_DUMP_DAYS", 0, minimum=0)
ARCHIVE_DUMP_FOLDER = Path(env.text("ARCHIVE_DUMP_FOLDER", str(DATA_DIR / "dumps"))).resolve()
ARCHIVE_DUMPS_FORGET = env.flag("ARCHIVE_DUMPS_FORGET", default=False)
# The files of the columns of positions, in which patterns are searched.
ARCHIVE_COLUMN_FOLDER = Path(env.text("ARCHIVE_COLUMN_FOLDER", str(DATA_DIR / "columns"))).resolve()
# Engines that analyse games, and the rules of their work.
_ENGINES: Final = env.text("ARCHIVE_ENGINES")
ENGINES = engine_file.read(Path(_ENGINES or DATA_DIR / "engines.toml"), needed=bool(_ENGINES))

# How much one address, or one user, may ask for; 0 is no limit (docs/operations.md).
ARCHIVE_THROTTLE = env.flag("ARCHIVE_THROTTLE", default=True)
ARCHIVE_THROTTLE_STORE = env.counts_store("ARCHIVE_THROTTLE_STORE")
ARCHIVE_THROTTLE_WORK = env.number("ARCHIVE_THROTTLE_WORK", 1200, minimum=0)
ARCHIVE_THROTTLE_SIGN_INS = env.number("ARCHIVE_THROTTLE_SIGN_INS", 20, minimum=0)
# Uploads a day, by role; anonymous uploads are counted by address. 0 is no limit.
ARCHIVE_DAILY_BYTES = env.by_role(
    "ARCHIVE_DAILY_BYTES",
    {"anonymous": 1024**3, "reader": 1024**3, "contributor": 20 * 1024**3, "curator": 0, "administrator": 0},
)
ARCHIVE_DAILY_GAMES = env.by_role(
    "ARCHIVE_DAILY_GAMES",
    {"anonymous": 20_000, "reader": 20_000, "contributor": 500_000, "curator": 0, "administrator": 0},
)
# Factor of these limits for requests from this machine.
ARCHIVE_THROTTLE_LOOPBACK = env.number("ARCHIVE_THROTTLE_LOOPBACK", 100 if _AT_HOME else 1)

# Webhooks of one account; 0 switches webhooks off.
ARCHIVE_HOOKS_PER_ACCOUNT = env.number("ARCHIVE_HOOKS_PER_ACCOUNT", 10, minimum=0)
# Whether webhooks may use http, and addresses inside this network, which only this machine can reach.
ARCHIVE_HOOKS_HTTP = env.flag("ARCHIVE_HOOKS_HTTP", default=False)
ARCHIVE_HOOKS_PRIVATE_NETWORKS = env.flag("ARCHIVE_HOOKS_PRIVATE_NETWORKS", default=False)

# Limits that are no environment variables. Tests override them.
# Seconds for a request's headers and body, until an answer begins, and for each piece that a client takes.
HEADER_SECONDS = 15
BODY_SECONDS = 30
ANSWER_SECONDS = 60
# Per web process: open connections, and the bytes of request bodies, in memory and on disk.
MAX_CONNECTIONS = 4096
ARCHIVE_MAX_WAITING_BYTES = 1024 * 1024 * 1024
ARCHIVE_MAX_REQUEST_BYTES = 256 * 1024 * 1024
ARCHIVE_MAX_FILES_PER_REQUEST = 100
ARCHIVE_MAX_TEXT_BYTES = 16 * 1024 * 1024
# An upload that no worker has claimed for so long is announced again.
MESSAGE_SECONDS = 2 * SWEEP_SECONDS
# A worker without any message for so long, not even the sweeper's, has lost its broker and restarts.
SILENCE_SECONDS = max(300, 10 * SWEEP_SECONDS)
# The content of one upload. An entry beyond a limit is refused with a code; the others are read.
ARCHIVE_MAX_ENTRIES = 200_000
ARCHIVE_MAX_ENTRY_BYTES = 64 * 1024 * 1024
ARCHIVE_MAX_TOTAL_BYTES = 1024 * 1024 * 1024
ARCHIVE_MAX_RATIO = 200
ARCHIVE_MAX_DEPTH = 2
# The parts of one game, far above all real games; the rest is stored as unread text. Plies are int2 columns.
ARCHIVE_MAX_PLIES = 10_000
ARCHIVE_MAX_FORKS = 20_000
ARCHIVE_MAX_FORK_MOVES = 100_000
ARCHIVE_MAX_COMMENT_BYTES = 1024 * 1024
# Texts that are read but not stored, and the seconds in which a web process unpacks an entry's source.
ARCHIVE_MAX_CONVERT_BYTES = 1024 * 1024
ARCHIVE_MAX_FIND_BYTES = 128 * 1024
ARCHIVE_SOURCE_SECONDS = ARCHIVE_READ_SECONDS
# Bulk exports: games of one answer, files of one ZIP, answers of one web process at a time.
ARCHIVE_EXPORT_GAMES = 100_000
ARCHIVE_EXPORT_FILES = 20_000
ARCHIVE_EXPORTS_AT_ONCE = 4
ARCHIVE_DUMPS_KEPT = 3
# Seconds between two runs of the task that writes new games to the columns.
ARCHIVE_COLUMN_SECONDS = 15
# Pattern searches of one web process at a time, and the memory and threads that they share.
ARCHIVE_PATTERNS_AT_ONCE = 2
ARCHIVE_PATTERN_MEMORY_MB = 256
ARCHIVE_PATTERN_THREADS = 2
# Limits of one client (archive/http/limits/rules.py), and their factors for signed-in users and the staff.
ARCHIVE_CONVERT_BYTES_PER_MINUTE = 8 * 1024 * 1024
ARCHIVE_THROTTLE_SOURCES = 60
ARCHIVE_THROTTLE_EXPORTS = 60
ARCHIVE_THROTTLE_UPLOADS = 300
ARCHIVE_THROTTLE_UPLOAD_BYTES = 256 * 1024 * 1024
ARCHIVE_THROTTLE_REPORTS = 10
ARCHIVE_THROTTLE_MAILS = 20
ARCHIVE_THROTTLE_USERS = 5
ARCHIVE_THROTTLE_STAFF = 100
# Files that may be sent a day, by role; 0 is no limit.
ARCHIVE_DAILY_FILES = {
    "anonymous": 2_000, "reader": 2_000, "contributor": 50_000, "curator": 0, "administrator": 0
}  # fmt: skip
# A webhook that has failed for so many days is switched off.
ARCHIVE_HOOKS_DAYS = 5
# A replica that is further behind than this is not read.
ARCHIVE_REPLICA_LAG_SECONDS = 10

INSTALLED_APPS = [
    "archive.apps.AdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
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
    "archive.http.requests.RequestLog",
    "django.middleware.security.SecurityMiddleware",
    "archive.http.security.ContentSecurityPolicy",
    "archive.http.security.IsolatedPages",
    "archive.http.security.CrossOrigin",
    # Before CSRF, which reads the body; its answers have the headers of the two above.
    "archive.http.throttles.Throttles",
    # Around static files too; and a file that has grown since the start is not cut off at its old length.
    "django.middleware.gzip.GZipMiddleware",
    "archive.web.pages.statics.TagsOfCompressedFiles",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "archive.http.requests.InvalidRequests",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "archive.http.security.PrivateCaching",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
]
if ARCHIVE_LOGIN_REQUIRED:
    MIDDLEWARE.append("django.contrib.auth.middleware.LoginRequiredMiddleware")

ROOT_URLCONF = "archive.project.urls"
CSRF_FAILURE_VIEW = "archive.http.errors.csrf_failure"
WSGI_APPLICATION = "archive.project.wsgi.application"
LOGIN_URL = "sign-in"
LOGIN_REDIRECT_URL = LOGOUT_REDIRECT_URL = "home"

TEMPLATES: list[dict[str, Any]] = [
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
    {
        "BACKEND": "django.template.backends.jinja2.Jinja2",
        "APP_DIRS": True,
        "OPTIONS": {"environment": "archive.web.jinja.environment"},
    },
]


def _sqlite() -> dict[str, Any]:
    return {
        "ENGINE": "django.db.backends.sqlite3",
        # SQLite creates its other files with the mode of this one.
        "NAME": env.private_file(DATA_DIR / "archive.sqlite3", _DATA),
        # Opening it and reading its schema takes as long as an answer.
        "CONN_MAX_AGE": 600,
        "OPTIONS": {
            # With deferred transactions most writes beside a busy worker fail: "database is locked".
            "transaction_mode": "IMMEDIATE",
            "timeout": 20,
            # page_size applies only to a new file, and must come before WAL.
            "init_command": (
                "PRAGMA page_size=16384; PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; "
                "PRAGMA cache_size=-32768; PRAGMA temp_store=MEMORY;"
            ),
        },
        # A file, so that a worker process of the tests can open it.
        "TEST": {"NAME": DATA_DIR / "test" / "archive.sqlite3"},
    }


# Whether DATABASE_URL leads to a pooler in transaction mode.
DATABASE_POOLER = env.flag("ARCHIVE_DATABASE_POOLER", default=False)


def _from_url(url: str) -> dict[str, Any]:
    database: dict[str, Any] = dict(
        dj_database_url.parse(
            url,
            # Prepared plans live as long as their connection.
            conn_max_age=600,
            conn_health_checks=True,
            disable_server_side_cursors=DATABASE_POOLER,
        )
    )
    if database["ENGINE"] == "django.db.backends.postgresql" and not DATABASE_POOLER:
        options = database.setdefault("OPTIONS", {})
        # For prepared statements (archive/index/postgresql.py), which the server would often plan anew.
        options["options"] = f"{options.get('options', '')} -c plan_cache_mode=force_generic_plan".strip()
    return database


def _replica(url: str) -> dict[str, Any]:
    database = _from_url(url)
    database.setdefault("OPTIONS", {}).setdefault("connect_timeout", 2)
    return database | {"TEST": {"MIRROR": "default"}}


DATABASES = {"default": _sqlite() if EMBEDDED else _from_url(_DATABASE_URL)}
# The cache of counts that all processes share (archive/caching/values.py); other values are per process.
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
ACCOUNT_ADAPTER = "archive.web.accounts.adapter.AccountAdapter"
MFA_ADAPTER = "archive.web.accounts.second_factor.MFAAdapter"
ACCOUNT_RATE_LIMITS = MFA_RATE_LIMITS = False
ACCOUNT_FORMS = {
    "login": "archive.web.accounts.forms.SignInForm",
    "signup": "archive.web.accounts.forms.SignUpForm",
    "add_email": "archive.web.accounts.forms.AddMailForm",
    "change_password": "archive.web.accounts.forms.ChangePasswordForm",
    "set_password": "archive.web.accounts.forms.SetPasswordForm",
    "reset_password": "archive.web.accounts.forms.ResetPasswordForm",
    "reset_password_from_key": "archive.web.accounts.forms.NewPasswordForm",
    "reauthenticate": "archive.web.accounts.forms.ReauthenticateForm",
}
MFA_FORMS = {
    "authenticate": "archive.web.accounts.second_factor.AuthenticateForm",
    "reauthenticate": "archive.web.accounts.second_factor.ReauthenticateCodeForm",
    "activate_totp": "archive.web.accounts.second_factor.ActivateForm",
    "add_webauthn": "archive.web.accounts.passkeys.AddPasskeyForm",
    "edit_webauthn": "archive.web.accounts.passkeys.RenamePasskeyForm",
    "authenticate_webauthn": "archive.web.accounts.passkeys.AuthenticateByPasskeyForm",
    "reauthenticate_webauthn": "archive.web.accounts.passkeys.ReauthenticateByPasskeyForm",
    "login_webauthn": "archive.web.accounts.passkeys.SignInByPasskeyForm",
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
# A passkey verifies its user each time (finger or PIN), so it counts as two factors.
MFA_WEBAUTHN_USER_VERIFICATION = "required"
# Clocks of telephones differ by some seconds.
MFA_TOTP_TOLERANCE = 1
MFA_RECOVERY_CODES_SHOW_ONCE = True
# Accounts without a confirmed address sign in by name, so no mail server is needed.
MFA_ALLOW_UNVERIFIED_EMAIL = True

EMAIL_BACKEND = (
    "django.core.mail.backends.smtp.EmailBackend" if MAIL_SERVER else "archive.accounts.mail.LogBackend"
)
if MAIL_SERVER:
    EMAIL_HOST, EMAIL_PORT = MAIL_SERVER.host, MAIL_SERVER.port
    EMAIL_HOST_USER, EMAIL_HOST_PASSWORD = MAIL_SERVER.user, MAIL_SERVER.password
    EMAIL_USE_SSL, EMAIL_USE_TLS = MAIL_SERVER.tls == "always", MAIL_SERVER.tls == "starttls"
# A mail server that is away delays no visitor for long.
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
    "archive.intake.multipart.EveryFileHandler",
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
# A broker that is away must not delay visitors: the sweeper repeats messages that could not be sent.
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
CELERY_BEAT_SCHEDULE["columns"] = {
    "task": "archive.columns", "schedule": ARCHIVE_COLUMN_SECONDS
} | _MAINTENANCE  # fmt: skip
if ARCHIVE_OBJECTION_DAYS:
    CELERY_BEAT_SCHEDULE["corrections"] = {"task": "archive.corrections", "schedule": 600} | _MAINTENANCE
CELERY_BEAT_SCHEDULE["collections"] = {"task": "archive.collections", "schedule": 60} | _MAINTENANCE
CELERY_BEAT_SCHEDULE["problems"] = {"task": "archive.problems", "schedule": SWEEP_SECONDS} | _MAINTENANCE
CELERY_BEAT_SCHEDULE["scales"] = {"task": "archive.scales", "schedule": 3600} | _MAINTENANCE
if ARCHIVE_NETWORK:
    CELERY_BEAT_SCHEDULE["opinions"] = {
        "task": OPINIONS, "schedule": SWEEP_SECONDS, "options": {"queue": NETWORK}
    }  # fmt: skip
if ENGINES.engine:
    CELERY_BEAT_SCHEDULE["analyses"] = {"task": "archive.analyses", "schedule": 10} | _MAINTENANCE
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
    # Monitoring requests come directly to the process.
    SECURE_REDIRECT_EXEMPT = [r"^(healthz|readyz|metrics)$"]
    SECURE_HSTS_SECONDS = _HSTS_SECONDS
    # HSTS for subdomains and preload lists are not the archive's decision.
    SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]
SECURE_CONTENT_TYPE_NOSNIFF = True
X_FRAME_OPTIONS = "DENY"
