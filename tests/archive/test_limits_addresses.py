"""Whose address counts: the peer's, and beyond proxies only as far as they are trusted."""

from __future__ import annotations

import ipaddress

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import RequestFactory

from archive.http.limits.addresses import UNKNOWN, ForwardedHeaders, client_address, client_network

PROXIES = tuple(ipaddress.ip_network(text) for text in ("10.0.0.0/8", "192.0.2.7", "2001:db8:ffff::/48"))


@pytest.fixture(autouse=True)
def proxies(settings):
    settings.TRUSTED_PROXIES = PROXIES
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    settings.USE_X_FORWARDED_HOST = True
    settings.ALLOWED_HOSTS = ["kifu.example", "testserver"]


@pytest.mark.parametrize(
    ("peer", "told"), [("203.0.113.9", None), ("127.0.0.1", None), ("10.1.2.3", "proxy-1234")]
)
def test_the_id_of_a_request_is_a_trusted_proxys_to_give(peer, told):
    assert request_from(peer, HTTP_X_REQUEST_ID="proxy-1234").headers.get("X-Request-ID") == told


def request_from(peer: str, forwarded: str | None = None, **headers: str) -> HttpRequest:
    """A request as views see it: behind the middleware."""
    if forwarded is not None:
        headers["HTTP_X_FORWARDED_FOR"] = forwarded
    seen: list[HttpRequest] = []
    request = RequestFactory().get("/", REMOTE_ADDR=peer, **headers)
    ForwardedHeaders(lambda inner: seen.append(inner) or HttpResponse())(request)  # type: ignore[func-returns-value]
    return seen[0]


@pytest.mark.parametrize(
    ("peer", "forwarded", "address"),
    [
        # Nobody speaks for a stranger.
        ("203.0.113.9", None, "203.0.113.9"),
        ("203.0.113.9", "198.51.100.1", "203.0.113.9"),
        ("127.0.0.1", "198.51.100.1", "127.0.0.1"),
        # A trusted proxy does, and what its visitor wrote to the left of it does not count.
        ("10.1.2.3", None, "10.1.2.3"),
        ("10.1.2.3", "198.51.100.1", "198.51.100.1"),
        ("10.1.2.3", "6.6.6.6, 198.51.100.1", "198.51.100.1"),
        ("10.1.2.3", "6.6.6.6,198.51.100.1,192.0.2.7,10.0.0.9", "198.51.100.1"),
        ("10.1.2.3", "127.0.0.1, 198.51.100.1", "198.51.100.1"),
        # All of them trusted: the first is where it began.
        ("10.1.2.3", "10.4.4.4, 10.5.5.5", "10.4.4.4"),
        # Ports, brackets, zones, IPv4 in IPv6, capitals.
        ("10.1.2.3", "198.51.100.1:40123", "198.51.100.1"),
        ("::ffff:10.1.2.3", "[2001:DB8::0001]:443", "2001:db8::1"),
        ("10.1.2.3", "fe80::1%eth0", "fe80::1"),
        ("10.1.2.3", "::ffff:198.51.100.1", "198.51.100.1"),
        ("2001:db8:ffff::2", "2001:db8::1", "2001:db8::1"),
        # What is no address ends the search at the proxy that passed it on.
        ("10.1.2.3", "unknown", "10.1.2.3"),
        ("10.1.2.3", "198.51.100.1, unknown", "10.1.2.3"),
        ("10.1.2.3", "198.51.100.1, , 10.9.9.9", "10.9.9.9"),
        ("10.1.2.3", "", "10.1.2.3"),
        ("10.1.2.3", "198.51.100.1 ; DROP", "10.1.2.3"),
        ("10.1.2.3", "256.1.1.1", "10.1.2.3"),
        ("10.1.2.3", "1" * 100_000, "10.1.2.3"),
        ("10.1.2.3", "6.6.6.6," * 50_000 + "198.51.100.1", "198.51.100.1"),
        ("10.1.2.3", "," * 100_000, "10.1.2.3"),
        # No server of the internet.
        ("", "198.51.100.1", UNKNOWN),
        ("unix:", "198.51.100.1", UNKNOWN),
    ],
)
def test_the_address_is_the_right_most_that_is_not_trusted(peer, forwarded, address):
    assert client_address(request_from(peer, forwarded)) == address


def test_more_proxies_than_there_are_end_the_search():
    assert client_address(request_from("10.1.2.3", "198.51.100.1" + ", 10.0.0.1" * 1000)) == "10.0.0.1"


def test_without_trusted_proxies_no_header_counts(settings):
    settings.TRUSTED_PROXIES = ()
    for peer in ("10.1.2.3", "127.0.0.1", "203.0.113.9"):
        assert client_address(request_from(peer, "198.51.100.1")) == peer


def test_a_proxy_on_this_machine_that_is_not_trusted_is_told_of_once(settings, caplog):
    settings.TRUSTED_PROXIES = ()
    middleware = ForwardedHeaders(lambda _request: HttpResponse())
    for peer in ("203.0.113.9", "127.0.0.1", "127.0.0.1"):
        middleware(RequestFactory().get("/", REMOTE_ADDR=peer, HTTP_X_FORWARDED_FOR="198.51.100.1\n"))
    assert [record.getMessage() for record in caplog.records] == [
        "X-Forwarded-For from this machine is ignored: is there a proxy to trust?"
    ]


def test_the_standard_header_is_not_read():
    request = request_from("10.1.2.3", HTTP_FORWARDED="for=198.51.100.1", HTTP_X_REAL_IP="198.51.100.1")
    assert client_address(request) == "10.1.2.3"
    assert "Forwarded" not in request.headers


@pytest.mark.parametrize(
    ("address", "counted"),
    [
        ("198.51.100.1", "198.51.100.1"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:ffff::", "2001:db8:1:2::/64"),
        (UNKNOWN, UNKNOWN),
    ],
)
def test_addresses_of_one_household_count_together(address, counted):
    assert client_network(address) == counted


def test_scheme_and_host_are_a_trusted_proxys_to_tell():
    headers = {"HTTP_X_FORWARDED_PROTO": "https", "HTTP_X_FORWARDED_HOST": "kifu.example"}
    assert request_from("10.1.2.3", **headers).build_absolute_uri("/a") == "https://kifu.example/a"
    assert request_from("203.0.113.9", **headers).build_absolute_uri("/a") == "http://testserver/a"


def test_of_several_values_the_nearest_proxys_counts():
    headers = {
        "HTTP_X_FORWARDED_PROTO": "https, http",
        "HTTP_X_FORWARDED_HOST": "evil.example, kifu.example",
    }
    assert request_from("10.1.2.3", **headers).build_absolute_uri("/a") == "http://kifu.example/a"


@pytest.mark.parametrize("scheme", ["ftp", "HTTPS://", "https\x00", "s" * 100_000])
def test_a_scheme_that_is_none_is_not_secure(scheme):
    assert not request_from("10.1.2.3", HTTP_X_FORWARDED_PROTO=scheme).is_secure()
