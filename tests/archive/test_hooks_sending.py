"""One request to a receiver: where it may go, and what it puts up with."""

from __future__ import annotations

import datetime
import socket
import ssl
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from archive.hooks import addresses, sending
from archive.hooks.addresses import is_allowed, look_up, target_of
from archive.hooks.errors import HookError
from archive.hooks.sending import PostResult
from archive.http.limits.throttling import LimitReachedError
from tests.archive.receiver import drips, floods, garbles, receiving, silence, status

LOCAL = ("127.0.0.1",)
ANNA, BORIS = 1, 2
"""Accounts."""


@pytest.fixture(autouse=True)
def at_home(settings) -> None:
    settings.ARCHIVE_HOOKS_HTTP = True
    settings.ARCHIVE_HOOKS_PRIVATE_NETWORKS = True


@pytest.fixture
def hurried(monkeypatch) -> None:
    monkeypatch.setattr(sending, "SECONDS", 0.5)


def post(address: str, body: bytes = b"{}") -> PostResult:
    return sending.post(target_of(address), LOCAL, {"X-Kifu-Delivery": "d"}, body)


# --- where hooks may go ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("address", "code"),
    [
        ("ftp://example.com/", "hook-address"),
        ("file:///etc/passwd", "hook-address"),
        ("https://", "hook-address"),
        ("https:///path", "hook-address"),
        ("https://exa mple.com/", "hook-address"),
        ("https://example.com/\r\nX: y", "hook-address"),
        ("https://example.com\\@other.example/", "hook-address"),
        ("https://例.jp/", "hook-address"),
        ("https://example.com:99999/", "hook-address"),
        ("https://example.com:x/", "hook-address"),
        ("https://[::1", "hook-address"),
        ("https://[::ffff]x/", "hook-address"),
        ("https://example.com/#part", "hook-address"),
        ("https://example.com/" + "x" * 500, "hook-address"),
        ("https://user@example.com/", "hook-user"),
        ("https://user:password@example.com/", "hook-user"),
        ("https://@example.com/", "hook-user"),
        ("https://example.com:22/", "hook-port"),
        ("https://example.com:0/", "hook-port"),
    ],
)
def test_what_is_no_address_for_a_hook_is_refused(address, code):
    with pytest.raises(HookError) as error:
        target_of(address)
    assert error.value.code == code


def test_addresses_without_encryption_need_a_setting(settings):
    assert target_of("http://example.com").authority == "example.com"
    settings.ARCHIVE_HOOKS_HTTP = False
    with pytest.raises(HookError, match="hook-http"):
        target_of("http://example.com")


def test_an_address_is_host_port_and_path():
    target = target_of("https://Example.com:8443/a/b?c=%20d")
    assert (target.host, target.port, target.path) == ("example.com", 8443, "/a/b?c=%20d")
    assert target.authority == "example.com:8443"
    assert target_of("https://[2001:DB8::1]/").authority == "[2001:db8::1]"


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "127.9.9.9", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1",
        "0.0.0.0", "0.1.2.3", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255", "192.0.0.8",
        "192.0.2.1", "198.18.0.1", "198.51.100.1", "203.0.113.1", "192.88.99.1",
        "::", "::1", "fe80::1", "fe80::1%eth0", "fc00::1", "fd12::1", "fec0::1", "ff02::1", "2001:db8::1",
        "::ffff:10.0.0.1", "::ffff:127.0.0.1", "::127.0.0.1", "64:ff9b::a00:1", "64:ff9b::7f00:1",
        "64:ff9b:1::808:808", "2002:a00:1::1", "2002:808:808::1", "2001:0:808:808::1", "100::1", "3fff::1",
        "nonsense", "",
    ],
)  # fmt: skip
def test_no_hook_goes_to_an_address_that_is_not_the_whole_internets(settings, address):
    settings.ARCHIVE_HOOKS_PRIVATE_NETWORKS = False
    assert not is_allowed(address)


@pytest.mark.parametrize(
    "address", ["8.8.8.8", "93.184.215.14", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808"]
)
def test_hooks_go_to_public_addresses(settings, address):
    settings.ARCHIVE_HOOKS_PRIVATE_NETWORKS = False
    assert is_allowed(address)


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.1", "2130706433", "0x7f.1", "[::1]", "0"])
def test_a_name_is_looked_up_whatever_it_is_written_as(settings, host):
    settings.ARCHIVE_HOOKS_PRIVATE_NETWORKS = False
    with pytest.raises(HookError) as error:
        look_up(target_of(f"https://{host}/"), ANNA)
    assert error.value.code in ("hook-private-host", "hook-unknown-host")


def answering(monkeypatch, *answers: list[str]) -> list[str]:
    """Have names mean these addresses, one answer after the other; return the names that were looked up."""
    looked_up: list[str] = []

    def getaddrinfo(host, port, **_options):
        looked_up.append(host)
        ip_addresses = answers[min(len(looked_up), len(answers)) - 1]
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in ip_addresses]

    monkeypatch.setattr(addresses.socket, "getaddrinfo", getaddrinfo)
    return looked_up


def test_one_private_address_among_public_ones_is_enough(settings, monkeypatch):
    settings.ARCHIVE_HOOKS_PRIVATE_NETWORKS = False
    answering(monkeypatch, ["8.8.8.8", "10.0.0.1"])
    with pytest.raises(HookError, match="hook-private-host"):
        look_up(target_of("https://example.com/"), ANNA)


def test_a_name_that_means_something_else_a_moment_later_leads_nowhere_else(monkeypatch):
    with receiving() as good, receiving() as other:
        looked_up = answering(monkeypatch, ["127.0.0.1"], ["10.0.0.1"])
        target = target_of(f"http://rebinding.example:{good.port}/")
        outcome = sending.post(target, look_up(target, ANNA), {}, b"{}")
        assert outcome == PostResult(204)
        assert looked_up == ["rebinding.example"] and other.connections == 0
        assert good.received[0].headers["host"] == f"rebinding.example:{good.port}"


def test_a_name_that_is_not_found_in_time_is_not_found(monkeypatch):
    monkeypatch.setattr(addresses, "LOOK_UP_SECONDS", 0.05)
    monkeypatch.setattr(addresses, "_of_accounts", {})
    monkeypatch.setattr(addresses.socket, "getaddrinfo", lambda *_a, **_o: time.sleep(0.5))
    with pytest.raises(HookError, match="hook-unknown-host"):
        look_up(target_of("https://slow.example/"), ANNA)


@pytest.fixture
def stuck(monkeypatch) -> Iterator[None]:
    """Have a thread look for a name of Anna's that is never found."""
    end = Event()

    def getaddrinfo(host, port, **_options):
        if host == "stuck.example":
            end.wait(10)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (LOCAL[0], port))]

    monkeypatch.setattr(addresses, "LOOK_UP_SECONDS", 0.05)
    monkeypatch.setattr(addresses, "_of_accounts", {})
    monkeypatch.setattr(addresses.socket, "getaddrinfo", getaddrinfo)
    with pytest.raises(HookError, match="hook-unknown-host"):
        look_up(target_of("https://stuck.example/"), ANNA)
    yield
    end.set()


def test_an_account_waits_for_its_own_names_and_others_do_not(stuck, monkeypatch):
    monkeypatch.setattr(addresses, "LOOK_UP_SECONDS", 10)
    with pytest.raises(LimitReachedError):
        look_up(target_of("https://good.example/"), ANNA)
    assert look_up(target_of("https://good.example/"), BORIS) == LOCAL


def test_who_waits_for_others_is_told_so_and_not_that_the_host_is_unknown(monkeypatch, request):
    monkeypatch.setattr(addresses, "_threads", ThreadPoolExecutor(max_workers=1))
    request.getfixturevalue("stuck")
    with pytest.raises(LimitReachedError):
        look_up(target_of("https://good.example/"), BORIS)


# --- what is sent, and what is put up with ---------------------------------------------------------------


def test_a_request_is_a_plain_post(monkeypatch):
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    with receiving() as one:
        assert post(one.address, b'{"a":1}') == PostResult(204)
    (got,) = one.received
    assert got.line == "POST /games?x=1 HTTP/1.1"
    assert got.headers["host"] == f"localhost:{one.port}"
    assert got.headers["x-kifu-delivery"] == "d"
    assert (got.headers["accept-encoding"], got.headers["connection"]) == ("identity", "close")
    assert got.json == {"a": 1}


@pytest.mark.parametrize("code", [301, 302, 303, 307, 308])
def test_no_redirect_is_followed(code):
    with receiving() as other, receiving(status(code, f"Location: {other.address}")) as one:
        outcome = post(one.address)
        assert (outcome.status, outcome.error, outcome.good) == (code, "redirect", False)
        assert (one.connections, other.connections) == (1, 0)


@pytest.mark.parametrize("answer", [silence, drips])
def test_who_answers_slowly_is_left_alone_after_a_while(hurried, answer):
    with receiving(answer) as one:
        began = time.monotonic()
        assert post(one.address).error == "timeout"
        assert time.monotonic() - began < 3


def test_of_an_answer_nothing_is_read_but_its_head():
    with receiving(floods) as one:
        began = time.monotonic()
        assert post(one.address) == PostResult(200)
        assert time.monotonic() - began < 3


def test_what_is_no_http_is_a_failure():
    with receiving(garbles) as one:
        assert post(one.address).error == "answer"


def test_a_receiver_that_is_not_there_is_a_failure():
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    assert post(f"http://localhost:{port}/").error == "connection"


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("120", 120), ("", 0), ("soon", 0), ("-5", 0), ("9" * 30, 0), ("Thu, 01 Jan 1970 00:00:00 GMT", 0)],
)
def test_a_receiver_says_how_long_it_wants_to_be_left_alone(text, seconds):
    with receiving(status(503, f"Retry-After: {text}")) as one:
        assert post(one.address) == PostResult(503, "", seconds)


def context_of(folder: Path, name: str) -> tuple[ssl.SSLContext, Path]:
    """A server's side of TLS with a certificate of its own for a name, and the file of it."""
    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.datetime.now(datetime.UTC)
    who = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    made = (
        x509.CertificateBuilder()
        .subject_name(who)
        .issuer_name(who)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .sign(key, hashes.SHA256())
    )
    file, keys = folder / f"{name}.pem", folder / f"{name}.key"
    file.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    keys.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file, keys)
    return context, file


def test_a_certificate_is_of_somebody_trusted_and_for_the_name(tmp_path, monkeypatch):
    server, file = context_of(tmp_path, "localhost")
    with receiving(tls=server) as unknown:
        assert post(unknown.address).error == "tls"
        assert unknown.received == []
    monkeypatch.setattr(sending, "_ssl_context", lambda: ssl.create_default_context(cafile=str(file)))
    with receiving(tls=server) as known:
        assert post(known.address) == PostResult(204)
    other, other_file = context_of(tmp_path, "other.example")
    monkeypatch.setattr(sending, "_ssl_context", lambda: ssl.create_default_context(cafile=str(other_file)))
    with receiving(tls=other) as wrong:
        assert post(wrong.address).error == "tls"
        assert wrong.received == []


def test_a_handshake_that_never_ends_is_ended(hurried):
    with receiving(silence) as one:
        assert post(one.address.replace("http:", "https:")).error == "timeout"
