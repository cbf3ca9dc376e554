"""Files that are no records at all: each is called what it is."""

from __future__ import annotations

import pytest

from kifu_core import load
from kifu_core.errors import KifuError, UnknownFormatError
from kifu_core.games import load as load_any
from kifu_core.signatures import signature
from tests.cases import each

SAMPLES = {
    "PNG": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
    "JPEG": b"\xff\xd8\xff\xe0\0\x10JFIF\0",
    "GIF": b"GIF89a\x01\0\x01\0",
    "TIFF": b"II*\0\x08\0\0\0",
    "WebP": b"RIFF\x1a\0\0\0WEBPVP8L",
    "HEIF/AVIF": b"\0\0\0\x18ftypheic\0\0\0\0",
    "BMP": b"BM" + (60).to_bytes(4, "little") + bytes(54),
    "PDF": b"%PDF-1.4\n%\xe2\xe3",
    "Word/Excel": bytes.fromhex("d0cf11e0a1b11ae1") + bytes(24),
    "MP4": b"\0\0\0\x18ftypmp42\0\0\0\0",
    "EPUB": b"PK\3\4" + bytes(26) + b"mimetypeapplication/epub+zip",
    "OpenDocument": b"PK\3\4" + bytes(26) + b"mimetypeapplication/vnd.oasis.opendocument.textPK",
    "Word": b"PK\3\4" + bytes(26) + b"[Content_Types].xml" + bytes(500) + b"word/document.xml",
    "Excel": b"PK\3\4" + bytes(26) + b"_rels/.rels" + bytes(500) + b"xl/workbook.xml",
    "ZIP": b"PK\3\4" + bytes(26) + b"a.kif",
    "gzip": b"\x1f\x8b\x08" + bytes(7),
    "xz": b"\xfd7zXZ\0" + bytes(6),
    "7z": b"7z\xbc\xaf\x27\x1c" + bytes(26),
    "RAR": b"Rar!\x1a\x07\0" + bytes(13),
}
DOCUMENTS = ("PDF", "Word/Excel", "MP4", "EPUB", "OpenDocument", "Word", "Excel")
CONTAINERS = ("ZIP", "gzip", "xz", "7z", "RAR")


@each("name", SAMPLES)
@each("read", [load, load_any])
def test_a_file_that_is_no_text_is_called_what_it_is(read, name):
    with pytest.raises(UnknownFormatError) as caught:
        read(SAMPLES[name], "game.kif")
    others = dict.fromkeys(DOCUMENTS, "is-document") | dict.fromkeys(CONTAINERS, "is-container")
    expected = others.get(name, "is-picture")
    assert (caught.value.code, caught.value.params) == (expected, {"text": name})


@pytest.mark.parametrize(
    "data", [b"", b"BM", b"BMW - X", b"RIFF", b"\0\0\0\0ftyp"[:7], b"V2.2\n", b"GIF", b"%P"]
)
def test_texts_and_stumps_are_none_of_these(data):
    assert signature(data) is None


def test_a_document_in_a_zip_is_a_document():
    data = b"PK\3\4" + bytes(26) + b"[Content_Types].xml"
    assert signature(data) == ("is-document", "Office")


def test_a_text_that_begins_like_one_is_read():
    with pytest.raises(KifuError) as caught:
        load("GIF89a は棋譜ではない")
    assert caught.value.code == "unknown-format"
