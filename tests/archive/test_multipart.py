"""Files of forms whose names are not UTF-8: none of them is lost, and none is a path."""

from __future__ import annotations

import io

import pytest
from django.test import Client
from pytest_django.fixtures import Settings

from archive.intake.multipart import ReadableNamesStream
from archive.models import Upload

pytestmark = pytest.mark.django_db

KIF = "手合割：平手\n1 ７六歩(77)\n"
FORM = "multipart/form-data; boundary=x"


@pytest.fixture(autouse=True)
def anyone_may_upload(settings: Settings) -> None:
    settings.ARCHIVE_ANONYMOUS_UPLOAD = True


def body(*names: bytes) -> bytes:
    """A form with a record for each name; `names` are what stands behind `name="file"; `."""
    parts = [
        b'--x\r\nContent-Disposition: form-data; name="file"; %b\r\n'
        b"Content-Type: application/octet-stream\r\n\r\n%b%d\r\n" % (name, KIF.encode(), number)
        for number, name in enumerate(names)
    ]
    return b"".join(parts) + b"--x--\r\n"


def quoted(name: bytes) -> bytes:
    return b'filename="%b"' % name


def received(client: Client, address: str, sent: bytes) -> list[str]:
    """The names of the uploads that came of a form."""
    answer = client.post(address, sent, content_type=FORM)
    assert answer.status_code in (202, 302), answer.content
    return list(Upload.objects.order_by("pk").values_list("name", flat=True))


@pytest.mark.parametrize("address", ["/api/v1/uploads", "/upload/"])
def test_a_name_of_another_encoding_loses_no_file(client: Client, address: str) -> None:
    sent = body(
        quoted(b"first.kif"),
        quoted("王将戦.kif".encode("cp932")),  # curl on a Japanese Windows
        quoted("王将戦 第一局.kif".encode("euc-jp")),  # command lines of old Unix systems
        quoted("Finale Zürich é.kif".encode("latin-1")),  # and of those in Europe
        quoted("最後.kif".encode()),
    )
    names = ["first.kif", "王将戦.kif", "王将戦 第一局.kif", "Finale Zürich é.kif", "最後.kif"]
    assert received(client, address, sent) == names


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        (quoted("対局表.kif".encode("cp932")), "対局表.kif"),
        (quoted("対局表".encode("cp932") + b"\\.kif"), "対局表.kif"),  # curl 7.80 masks the second byte of 表
        (quoted("ﾃｽﾄ.kif".encode("cp932")), "ﾃｽﾄ.kif"),
        (quoted("棋譜/../".encode("cp932")), "record"),
        (quoted(b"..\\..\\\x8a\xfa.kif"), "期.kif"),
        (quoted(b"\xff\x00\xfe.kif"), "ÿþ.kif"),
        (quoted(b".."), "record"),
        (quoted(b"games/"), "record"),
        (b"filename*=nowhere''a.kif", "record"),
        (b"filename*=utf-8''%e6%ad%a9.kif", "歩.kif"),
    ],
)
def test_a_name_is_made_up_before_a_file_is_lost(client: Client, name: bytes, shown: str) -> None:
    assert received(client, "/api/v1/uploads", body(name)) == [shown]
    upload = Upload.objects.get()
    assert b"".join(upload.stream()) == f"{KIF}0".encode()


@pytest.mark.parametrize("size", [1, 2, 3, 7, 64, 5000])
def test_what_is_read_is_the_same_however_it_comes(size: int) -> None:
    text = '--x\r\nContent-Disposition: form-data; name="file"; filename="王"\r\n\r\n歩\r\n--\r\n--x--\r\n'
    assert b"".join(parts(text.encode("cp932"), size)).decode("utf-8", "replace").startswith(text[:66])
    long = b"\xff" * 3000
    for untouched in (body(quoted(b"a")) * 3, b"--x" * 40, long, b"--x\r\n" + long, b"--"):
        assert b"".join(parts(untouched, size)) == untouched


def parts(data: bytes, size: int) -> list[bytes]:
    """What is read of a body, so many bytes at a time; none of it is held back for long."""
    stream, found = ReadableNamesStream(io.BytesIO(data), b"x"), []
    while part := stream.read(size):
        assert len(part) < size + 2048
        found.append(part)
    return found


def test_headers_that_are_too_long_are_refused_aloud(client: Client) -> None:
    answer = client.post("/api/v1/uploads", body(quoted(b"\xff" * 2000)), content_type=FORM)
    assert answer.status_code == 400
