"""Settings from the environment: typed, and loud where they are wrong."""

from __future__ import annotations

import errno
import os
import stat

import pytest
from django.core.exceptions import ImproperlyConfigured

from archive.project import env


def test_an_unset_variable_gives_the_default(monkeypatch):
    monkeypatch.delenv("ARCHIVE_X", raising=False)
    assert (env.text("ARCHIVE_X", "a"), env.flag("ARCHIVE_X", True), env.number("ARCHIVE_X", 7)) == (
        "a",
        True,
        7,
    )


@pytest.mark.parametrize(("written", "meant"), [("1", True), ("ON", True), ("no", False), ("0", False)])
def test_a_flag_reads_the_usual_words(monkeypatch, written, meant):
    monkeypatch.setenv("ARCHIVE_X", written)
    assert env.flag("ARCHIVE_X", not meant) is meant


@pytest.mark.parametrize("read", [lambda: env.flag("ARCHIVE_X", True), lambda: env.number("ARCHIVE_X", 1)])
def test_a_bad_value_names_its_variable(monkeypatch, read):
    monkeypatch.setenv("ARCHIVE_X", "maybe")
    with pytest.raises(ImproperlyConfigured, match="ARCHIVE_X='maybe'"):
        read()


def test_a_number_below_its_minimum_is_refused(monkeypatch):
    monkeypatch.setenv("ARCHIVE_X", "0")
    with pytest.raises(ImproperlyConfigured, match="at least 1"):
        env.number("ARCHIVE_X", 5)


@pytest.mark.parametrize(
    ("written", "meant"), [("0.0.0.0:80", ("0.0.0.0", 80)), ("[::1]:8000", ("::1", 8000))]
)
def test_an_address_is_host_and_port(monkeypatch, written, meant):
    monkeypatch.setenv("ARCHIVE_X", written)
    assert env.address("ARCHIVE_X", "") == meant


@pytest.mark.parametrize("written", ["8000", "localhost:", "localhost:http", "localhost:70000"])
def test_an_incomplete_address_is_refused(monkeypatch, written):
    monkeypatch.setenv("ARCHIVE_X", written)
    with pytest.raises(ImproperlyConfigured):
        env.address("ARCHIVE_X", "127.0.0.1:8000")


def test_a_choice_is_one_of_its_words(monkeypatch):
    assert env.choice("ARCHIVE_X", ("solo", "prefork"), "solo") == "solo"
    monkeypatch.setenv("ARCHIVE_X", "prefork")
    assert env.choice("ARCHIVE_X", ("solo", "prefork"), "solo") == "prefork"
    monkeypatch.setenv("ARCHIVE_X", "threads")
    with pytest.raises(ImproperlyConfigured, match="none of solo, prefork"):
        env.choice("ARCHIVE_X", ("solo", "prefork"), "solo")


@pytest.mark.parametrize(
    ("host", "loopback"), [("127.0.0.1", True), ("::1", True), ("localhost", True), ("0.0.0.0", False)]
)
def test_loopback_hosts_are_recognised(host, loopback):
    assert env.is_loopback(host) is loopback


def test_a_secret_is_made_once_and_kept_private(monkeypatch, tmp_path):
    monkeypatch.delenv("SECRET_KEY", raising=False)
    kept = tmp_path / "data" / "secret-key"
    first = env.secret("SECRET_KEY", kept, "ARCHIVE_X")
    assert len(first) > 50
    assert env.secret("SECRET_KEY", kept, "ARCHIVE_X") == first
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600


def test_a_server_with_a_database_of_its_own_must_be_given_its_secret(monkeypatch):
    monkeypatch.delenv("SECRET_KEY", raising=False)
    with pytest.raises(ImproperlyConfigured, match="SECRET_KEY must be set"):
        env.secret("SECRET_KEY", None, "ARCHIVE_X")


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("https://kifu.example", "https://kifu.example"),
        ("https://Kifu.Example:443/", "https://kifu.example"),
        ("http://kifu.example:80", "http://kifu.example"),
        ("http://192.168.1.5:8000", "http://192.168.1.5:8000"),
        ("http://[2001:DB8::1]:8000/", "http://[2001:db8::1]:8000"),
        ("https://棋譜.example", "https://xn--31v805e.example"),
        ("http://localhost", "http://localhost"),
    ],
)
def test_the_address_of_a_site_is_read_as_browsers_send_it(monkeypatch, written, meant):
    monkeypatch.setenv("ARCHIVE_X", written)
    found = env.origin("ARCHIVE_X")
    assert str(found) == meant
    assert found is not None
    assert found.secure is meant.startswith("https")


@pytest.mark.parametrize(
    "written",
    ["kifu.example", "ftp://kifu.example", "https://", "https://kifu.example/archive", "https://a:b@kifu.example",
     "https://kifu.example?x", "https://kifu.example#x", "https://[", "https://kifu.example:0",
     "https://kifu.example:70000", "https://kifu example", "https://-a.example", "https://[::1%eth0]",
     "https://" + "a" * 70 + ".example", "https://a..b", "https://*.example"],
)  # fmt: skip
def test_what_is_no_address_of_a_site_is_refused(monkeypatch, written):
    monkeypatch.setenv("ARCHIVE_X", written)
    with pytest.raises(ImproperlyConfigured, match="ARCHIVE_X="):
        env.origin("ARCHIVE_X")


@pytest.mark.parametrize(
    ("written", "meant"),
    [("", []), ("10.0.0.1", ["10.0.0.1/32"]), ("10.0.0.0/8, ::1", ["10.0.0.0/8", "::1/128"])],
)
def test_networks_are_addresses_and_ranges(monkeypatch, written, meant):
    monkeypatch.setenv("ARCHIVE_X", written)
    assert [str(network) for network in env.networks("ARCHIVE_X", [])] == meant


@pytest.mark.parametrize(
    "written", ["proxy", "10.0.0.1/8", "10.0.0.0/40", "10.0.0", "1;2", "10.0.0.1 10.0.0.2"]
)
def test_what_is_no_network_is_refused(monkeypatch, written):
    monkeypatch.setenv("ARCHIVE_X", written)
    with pytest.raises(ImproperlyConfigured, match="ARCHIVE_X"):
        env.networks("ARCHIVE_X", [])


@pytest.mark.parametrize("written", ["", "sqlite", "postgresql", "redis://localhost:6379/1", "rediss://h/0"])
def test_a_place_for_counts_is_one_of_three(monkeypatch, written):
    monkeypatch.setenv("ARCHIVE_X", written)
    assert env.counts_store("ARCHIVE_X") == written
    monkeypatch.setenv("ARCHIVE_X", "memcached://localhost")
    with pytest.raises(ImproperlyConfigured, match="ARCHIVE_X='memcached"):
        env.counts_store("ARCHIVE_X")


# --- files and lists -------------------------------------------------------------------------------------


def test_a_value_can_stand_in_a_file(monkeypatch, tmp_path):
    (tmp_path / "secret").write_text("a long one\n")
    monkeypatch.setenv("ARCHIVE_X_FILE", str(tmp_path / "secret"))
    assert env.text("ARCHIVE_X", "other") == "a long one"
    assert env.secret("ARCHIVE_X", tmp_path / "kept", "ARCHIVE_Y") == "a long one"
    assert not (tmp_path / "kept").exists()


@pytest.mark.parametrize("content", [None, b"", b" \n", b"\xff"])
def test_a_file_that_says_nothing_stops_the_start(monkeypatch, tmp_path, content):
    if content is not None:
        (tmp_path / "secret").write_bytes(content)
    monkeypatch.setenv("ARCHIVE_X_FILE", str(tmp_path / "secret"))
    with pytest.raises(ImproperlyConfigured, match=r"ARCHIVE_X_FILE: .*secret"):
        env.text("ARCHIVE_X", "default")


def test_a_value_is_not_given_twice(monkeypatch, tmp_path):
    monkeypatch.setenv("ARCHIVE_X", "1")
    monkeypatch.setenv("ARCHIVE_X_FILE", str(tmp_path / "secret"))
    with pytest.raises(ImproperlyConfigured, match="ARCHIVE_X and ARCHIVE_X_FILE"):
        env.number("ARCHIVE_X", 5)


@pytest.mark.parametrize(("written", "meant"), [("", ("a", "b")), ("b", ("b",)), ("b, a", ("b", "a"))])
def test_several_words_are_some_of_those_there_are(monkeypatch, written, meant):
    monkeypatch.setenv("ARCHIVE_X", written)
    assert env.several("ARCHIVE_X", ("a", "b")) == meant


@pytest.mark.parametrize("written", ["c", "a,c", ","])
def test_another_word_is_refused(monkeypatch, written):
    monkeypatch.setenv("ARCHIVE_X", written)
    with pytest.raises(ImproperlyConfigured, match=r"ARCHIVE_X.* none of a, b"):
        env.several("ARCHIVE_X", ("a", "b"))


def test_a_secret_of_which_a_full_disk_has_taken_nothing_is_made_again(monkeypatch, tmp_path):
    monkeypatch.delenv("SECRET_KEY", raising=False)
    with monkeypatch.context() as full:
        full.setattr(os, "fdopen", full_disk)
        with pytest.raises(ImproperlyConfigured, match=r"ARCHIVE_X: .*No space left"):
            env.secret("SECRET_KEY", tmp_path / "kept", "ARCHIVE_X")
    assert env.secret("SECRET_KEY", tmp_path / "kept", "ARCHIVE_X")


def full_disk(*_args: object) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize(
    ("read", "written"),
    [
        (lambda: env.hosts("ARCHIVE_X", []), "kifu.example, .example.org, 127.0.0.1, [::1], *"),
        (
            lambda: env.origins("ARCHIVE_X"),
            "https://kifu.example, http://127.0.0.1:8000, https://*.example.org",
        ),
        (lambda: env.sender("ARCHIVE_X", ""), "Kifu <kifu@kifu.example>"),
        (lambda: env.database("ARCHIVE_X"), "postgresql:///archive?host=/run/postgresql"),
        (lambda: env.databases("ARCHIVE_X"), "postgresql://a:b@one/archive,postgresql://two:5433/archive"),
        (lambda: env.broker("ARCHIVE_X", ""), "amqp://archive:x@rabbitmq:5672//"),
        (lambda: env.time_zone("ARCHIVE_X", ""), "Europe/Berlin"),
    ],
)
def test_what_is_usual_is_taken_as_it_is_written(monkeypatch, read, written):
    monkeypatch.setenv("ARCHIVE_X", written)
    found = read()
    assert found == written or found == [word.strip() for word in written.split(",")]
