"""What follows from ARCHIVE_PUBLIC_URL and its neighbours; each case starts a process of its own."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.core.checks import run_checks

from archive.project import env
from archive.project.startup import REFUSED
from tests.serving import SQLITE_FILE, migrated

ROOT = Path(__file__).resolve().parents[2]
NAMES = ("ALLOWED_HOSTS", "CSRF_TRUSTED_ORIGINS", "SESSION_COOKIE_SECURE", "CSRF_COOKIE_SECURE",
         "LANGUAGE_COOKIE_SECURE", "SECURE_SSL_REDIRECT", "SECURE_HSTS_SECONDS", "ARCHIVE_ANONYMOUS_UPLOAD",
         "ARCHIVE_THROTTLE_LOOPBACK", "ARCHIVE_BASIC_AUTH")  # fmt: skip
TELL = f"""
import json
from django.conf import settings
told = {{name: getattr(settings, name, None) for name in {NAMES!r}}}
print(json.dumps(told | {{"proxies": [str(one) for one in settings.TRUSTED_PROXIES]}}))
"""
REQUESTS = """
import json, sys, django
django.setup()
from django.test import Client
told = []
for path, options in json.loads(sys.argv[1]):
    answer = Client().get(path, **options)
    told.append([answer.status_code, answer.headers.get("Location", ""), answer.cookies.output(),
                 answer.headers.get("Strict-Transport-Security", "")])
print(json.dumps(told))
"""
SECRET = "a secret of the tests that is as long as those that the archive makes for itself"


def run(tmp_path: Path, *command: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """A command in an environment without settings but these."""
    kept = {name: value for name, value in os.environ.items() if name in ("PATH", "HOME", "LANG")}
    environment = kept | {
        "DJANGO_SETTINGS_MODULE": "archive.project.settings",
        "ARCHIVE_DATA_DIR": str(tmp_path),
    }
    return subprocess.run(
        [sys.executable, *command],
        cwd=ROOT,
        env=environment | variables,
        text=True,
        capture_output=True,
        timeout=240,
        check=False,
    )


def settings_of(tmp_path: Path, **variables: str) -> dict[str, Any]:
    found = run(tmp_path, "-c", TELL, **variables)
    assert found.returncode == 0, found.stderr
    settings: dict[str, Any] = json.loads(found.stdout)
    return settings


def test_the_database_is_for_its_owner_alone(tmp_path):
    settings_of(tmp_path)
    assert (tmp_path / "archive.sqlite3").stat().st_mode & 0o777 == 0o600


def test_at_home_nothing_is_forced_and_uploads_are_open(tmp_path):
    found = settings_of(tmp_path)
    assert found["ALLOWED_HOSTS"] == ["localhost", "127.0.0.1", "[::1]"]
    assert (found["SESSION_COOKIE_SECURE"], found["SECURE_SSL_REDIRECT"]) == (False, False)
    assert (found["ARCHIVE_ANONYMOUS_UPLOAD"], found["ARCHIVE_THROTTLE_LOOPBACK"]) == (True, 100)
    assert (found["proxies"], found["ARCHIVE_BASIC_AUTH"]) == ([], False)


def test_https_sets_hosts_origins_cookies_redirects_and_whom_to_trust(tmp_path):
    found = settings_of(tmp_path, ARCHIVE_PUBLIC_URL="https://Kifu.Example:443/")
    assert found["ALLOWED_HOSTS"] == ["kifu.example", "localhost", "127.0.0.1", "[::1]"]
    assert found["CSRF_TRUSTED_ORIGINS"] == ["https://kifu.example"]
    secure = ("SESSION_COOKIE_SECURE", "CSRF_COOKIE_SECURE", "LANGUAGE_COOKIE_SECURE", "SECURE_SSL_REDIRECT")
    assert all(found[name] for name in secure)
    assert found["SECURE_HSTS_SECONDS"] == 31_536_000
    assert found["proxies"] == ["127.0.0.0/8", "::1/128"]
    assert (found["ARCHIVE_ANONYMOUS_UPLOAD"], found["ARCHIVE_THROTTLE_LOOPBACK"]) == (False, 1)


def test_a_name_in_japanese_is_the_one_that_browsers_send(tmp_path):
    found = settings_of(tmp_path, ARCHIVE_PUBLIC_URL="https://棋譜.example")
    assert found["ALLOWED_HOSTS"][0] == "xn--31v805e.example"


def test_http_in_a_home_network_forces_no_https_and_opens_no_uploads(tmp_path):
    found = settings_of(tmp_path, ARCHIVE_PUBLIC_URL="http://192.168.1.5:8000")
    assert found["ALLOWED_HOSTS"][0] == "192.168.1.5"
    assert found["CSRF_TRUSTED_ORIGINS"] == ["http://192.168.1.5:8000"]
    assert (found["SESSION_COOKIE_SECURE"], found["SECURE_SSL_REDIRECT"]) == (False, False)
    assert (found["ARCHIVE_ANONYMOUS_UPLOAD"], found["proxies"]) == (False, [])


def test_hosts_and_origins_that_are_given_stay(tmp_path):
    found = settings_of(
        tmp_path,
        ARCHIVE_PUBLIC_URL="https://kifu.example",
        ALLOWED_HOSTS="old.example",
        CSRF_TRUSTED_ORIGINS="https://old.example,https://kifu.example",
    )
    assert found["ALLOWED_HOSTS"] == ["kifu.example", "old.example"]
    assert found["CSRF_TRUSTED_ORIGINS"] == ["https://kifu.example", "https://old.example"]
    assert settings_of(tmp_path, ALLOWED_HOSTS="old.example")["ALLOWED_HOSTS"] == ["old.example"]


def test_the_proxies_that_are_given_are_the_only_ones(tmp_path):
    found = settings_of(
        tmp_path,
        ARCHIVE_PUBLIC_URL="https://kifu.example",
        ARCHIVE_TRUSTED_PROXIES="172.20.0.0/16, 2001:db8::1",
    )
    assert found["proxies"] == ["172.20.0.0/16", "2001:db8::1/128"]


@pytest.mark.parametrize("proxies", ["", "172.20.0.0/16"])
def test_the_deployment_check_is_clean_with_a_public_https_address(tmp_path, proxies):
    found = run(
        tmp_path,
        *("-W", "error", "manage.py", "check", "--deploy", "--fail-level", "WARNING"),
        ARCHIVE_PUBLIC_URL="https://kifu.example",
        ARCHIVE_TRUSTED_PROXIES=proxies,
        SECRET_KEY=SECRET,
    )
    assert found.returncode == 0, found.stderr


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("ARCHIVE_PUBLIC_URL", "kifu.example"),
        ("ARCHIVE_TRUSTED_PROXIES", "proxy.example"),
        ("ARCHIVE_THROTTLE_STORE", "memcached://localhost"),
        ("ARCHIVE_THROTTLE_WORK", "-1"),
        ("ARCHIVE_MAX_UPLOAD_BYTES", "9" * 5000),
        ("ARCHIVE_TIME_ZONE", "Tokyo"),
        ("ARCHIVE_TIME_ZONE", "../etc"),
        ("ARCHIVE_EMAIL_FROM", "the archive"),
        ("ARCHIVE_EMAIL_URL", "mail.example"),
        ("DATABASE_URL", "mysql://host/archive"),
        ("DATABASE_URL", "postgresql://host:port/archive"),
        ("CELERY_BROKER_URL", "redi://host"),
        ("ALLOWED_HOSTS", "https://kifu.example"),
        ("CSRF_TRUSTED_ORIGINS", "kifu.example"),
    ],
)
def test_a_bad_value_stops_the_start_with_one_line_that_names_setting_and_value(tmp_path, name, value):
    found = run(tmp_path, "manage.py", "invite", **({"SECRET_KEY": SECRET} | {name: value}))
    assert found.returncode == REFUSED
    (line,) = found.stderr.splitlines()
    assert line.startswith(name)
    assert value in line or name == "ARCHIVE_EMAIL_URL"


@pytest.mark.parametrize(
    "command",
    [(f"archive.serving.{module}", role) for module in ("child", "healthy") for role in ("web", "worker")],
)
def test_every_process_of_an_archive_says_so(tmp_path, command):
    found = run(tmp_path, "-m", *command, ARCHIVE_BIND="8000")
    assert found.returncode == REFUSED
    assert found.stderr == "ARCHIVE_BIND='8000' is not host:port, such as 127.0.0.1:8000\n"


def test_a_password_in_an_address_that_is_wrong_is_not_repeated(tmp_path):
    found = run(tmp_path, "manage.py", "invite", DATABASE_URL="pstgresql://anna:geheim@host/archive")
    assert "pstgresql://...@host/archive" in found.stderr
    assert "geheim" not in found.stderr


@pytest.mark.parametrize("key", ["short", "a" * 60])
def test_a_secret_that_can_be_guessed_is_refused_where_others_reach_the_site(tmp_path, key):
    public = {"ARCHIVE_PUBLIC_URL": "https://kifu.example", "SECRET_KEY": key}
    found = run(tmp_path, "manage.py", "check", **public)
    assert found.returncode == REFUSED
    assert found.stderr.startswith("SECRET_KEY can be guessed")
    assert key not in found.stderr
    at_home = run(tmp_path, "manage.py", "check", SECRET_KEY=key, ARCHIVE_PUBLIC_URL="http://localhost")
    assert at_home.returncode == 0, at_home.stderr


@pytest.mark.parametrize("command", [("manage.py", "invite"), ("-m", "archive.serving.child", "scheduler")])
def test_a_setting_that_is_misspelt_is_named_with_the_one_that_may_be_meant(tmp_path, command):
    # The address of the broker ends the process that would go on.
    wrong = {"ARCHIVE_REGISTRATON": "open", "ARCHIVE_THROTTLE_STORE": "postgresql"}
    found = run(tmp_path, *command, **wrong)
    assert found.returncode != 0
    assert (
        "ARCHIVE_REGISTRATON is none of the archive's settings; is ARCHIVE_REGISTRATION meant?"
        in found.stderr
    )


@pytest.mark.parametrize("below", ["archive", "archive/broker", "archive/tmp"])
def test_a_folder_in_which_nothing_can_be_written_is_a_sentence(tmp_path, below):
    data, file = tmp_path / "archive", tmp_path / below
    file.parent.mkdir(exist_ok=True)
    file.write_text("a file, no folder")
    found = run(tmp_path, "manage.py", "invite", ARCHIVE_DATA_DIR=str(data))
    assert found.returncode == REFUSED
    assert found.stderr == f"ARCHIVE_DATA_DIR: nothing can be written in {file} (File exists)\n"


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("ARCHIVE_COLUMN_FOLDER", "archive.E007"),
        ("ARCHIVE_DUMP_FOLDER", "archive.E007"),
        ("ARCHIVE_WATCH_DIR", "archive.E008"),
    ],
)
def test_a_worker_names_folders_that_it_cannot_use(tmp_path, name, code):
    (tmp_path / "file").write_text("")
    wrong = {name: str(tmp_path / "file"), "ARCHIVE_DUMP_DAYS": "1"}
    for command in (("manage.py", "serve"), ("-m", "archive.serving.child", "worker")):
        found = run(tmp_path, *command, **wrong)
        assert found.returncode == REFUSED
        assert found.stderr.startswith(f"{code}: {name}: ") and len(found.stderr.splitlines()) == 1


def test_a_database_that_is_away_or_empty_is_a_sentence(tmp_path):
    away = run(
        tmp_path, "manage.py", "migrate", DATABASE_URL="postgresql://127.0.0.1:1/archive", SECRET_KEY=SECRET
    )
    assert away.returncode == REFUSED
    assert away.stderr.startswith("the database of the settings cannot be reached: ")
    assert len(away.stderr.splitlines()) == 1
    empty = run(tmp_path, "manage.py", "verify_archive")
    assert (empty.returncode, empty.stderr) == (
        REFUSED,
        "the database has no tables of an archive yet: run manage.py migrate\n",
    )


# --- requests --------------------------------------------------------------------------------------------


def answers(tmp_path: Path, *requests: tuple[str, dict[str, Any]], **variables: str) -> list[list[Any]]:
    public = {"ARCHIVE_PUBLIC_URL": "https://kifu.example", "ARCHIVE_TRUSTED_PROXIES": "10.0.0.0/8"}
    found = run(tmp_path, "-c", REQUESTS, json.dumps(requests), **(public | variables))
    assert found.returncode == 0, found.stderr
    result: list[list[Any]] = json.loads(found.stdout)
    return result


def test_what_came_without_https_is_sent_there_and_a_strangers_word_for_it_does_not_count(tmp_path):
    host = {"HTTP_HOST": "kifu.example"}
    forged = {"HTTP_X_FORWARDED_PROTO": "https", "REMOTE_ADDR": "203.0.113.9"} | host
    behind = {"REMOTE_ADDR": "10.0.0.2"} | host
    shutil.copy(migrated(), tmp_path / SQLITE_FILE)
    plain, lied, unsafe, safe, silent, health = answers(
        tmp_path,
        ("/pieces/x", {"REMOTE_ADDR": "203.0.113.9"} | host),
        ("/pieces/x", forged),
        ("/pieces/x", behind | {"HTTP_X_FORWARDED_PROTO": "http"}),
        ("/sign-in/", behind | {"HTTP_X_FORWARDED_PROTO": "https"}),
        ("/pieces/x", behind),
        ("/healthz", {"HTTP_HOST": "localhost"}),
    )
    for sent in (plain, lied, unsafe):
        assert sent[:2] == [301, "https://kifu.example/pieces/x"]
    assert safe[0] == 200
    assert "Secure" in safe[2]
    assert safe[3] == "max-age=31536000"
    assert silent[0] == 404, "a trusted proxy that tells no scheme is no endless redirect"
    assert health[0] == 200


def test_a_redirect_leads_to_the_public_host_whoever_asks(tmp_path):
    (found,) = answers(tmp_path, ("/x", {"HTTP_HOST": "localhost", "REMOTE_ADDR": "203.0.113.9"}))
    assert found[:2] == [301, "https://kifu.example/x"]


# --- settings that contradict each other -----------------------------------------------------------------


def codes() -> set[str]:
    return {str(message.id) for message in run_checks(tags=["security"]) if "archive" in str(message.id)}


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"TRUSTED_PROXIES": ("0.0.0.0/0",)}, "archive.W001"),
        ({"MIDDLEWARE": [], "TRUSTED_PROXIES": ("10.0.0.1",)}, "archive.E001"),
        ({"PUBLIC_URL": "https://a.example", "SESSION_COOKIE_SECURE": False}, "archive.E002"),
        ({"PUBLIC_URL": "https://a.example", "TRUSTED_PROXIES": ()}, "archive.E003"),
        ({"PUBLIC_URL": "http://a.example", "ARCHIVE_BASIC_AUTH": True}, "archive.W002"),
        ({"PUBLIC_URL": "http://a.example", "ARCHIVE_THROTTLE": False}, "archive.W003"),
        ({"ARCHIVE_THROTTLE_STORE": "postgresql"}, "archive.E004"),
    ],
)
def test_what_contradicts_itself_is_told(settings, monkeypatch, changed, code):
    settings.ARCHIVE_THROTTLE = True
    monkeypatch.setenv("ARCHIVE_X", ",".join(changed.get("TRUSTED_PROXIES", ())))
    monkeypatch.setenv("ARCHIVE_Y", changed.get("PUBLIC_URL", ""))
    assert codes() == set()
    for name, value in changed.items():
        setattr(settings, name, value)
    settings.TRUSTED_PROXIES = env.networks("ARCHIVE_X", [])
    settings.PUBLIC_URL = env.origin("ARCHIVE_Y")
    assert code in codes()
