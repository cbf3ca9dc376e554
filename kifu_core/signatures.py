"""Recognise files that are not text by their first bytes.

The signatures are those of the specifications: PNG (W3C), JPEG (ITU-T T.81: marker SOI, then another), GIF
(87a, 89a), TIFF 6.0, RIFF with WEBP (RFC 9649), ISO 14496-12 (`ftyp` and a brand: HEIF, AVIF, films), BMP
(whose header has the size of the file), PDF (ISO 32000), OLE 2 ([MS-CFB]: Word and Excel before 2007), and
those of archives: ZIP (APPNOTE), gzip (RFC 1952), xz, 7z, RAR.
"""

from typing import Final

PICTURE: Final = "is-picture"
DOCUMENT: Final = "is-document"
CONTAINER: Final = "is-container"

_ZIP: Final = b"PK\x03\x04"
_FIRST_FILES: Final = (
    (b"mimetypeapplication/epub+zip", "EPUB"),
    (b"mimetypeapplication/vnd.oasis.opendocument", "OpenDocument"),
    (b"mimetype", "OpenDocument/EPUB"),
    (b"[Content_Types].xml", "Office"),
    (b"_rels/.rels", "Office"),
)
"""The first files of ZIP archives that are documents (OCF 3.3, OpenDocument 1.3 part 2, ECMA-376 part 2)."""
_OFFICE: Final = ((b"word/", "Word"), (b"xl/", "Excel"), (b"ppt/", "PowerPoint"))
"""Folders in the ZIP archive of a document, and the program of the document."""

_BEGINNINGS: Final = (
    (b"\x89PNG\r\n\x1a\n", PICTURE, "PNG"),
    (b"\xff\xd8\xff", PICTURE, "JPEG"),
    (b"GIF87a", PICTURE, "GIF"),
    (b"GIF89a", PICTURE, "GIF"),
    (b"II*\x00", PICTURE, "TIFF"),
    (b"MM\x00*", PICTURE, "TIFF"),
    (b"%PDF-", DOCUMENT, "PDF"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", DOCUMENT, "Word/Excel"),
    (_ZIP, CONTAINER, "ZIP"),
    (b"PK\x05\x06", CONTAINER, "ZIP"),
    (b"\x1f\x8b\x08", CONTAINER, "gzip"),
    (b"\xfd7zXZ\x00", CONTAINER, "xz"),
    (b"7z\xbc\xaf\x27\x1c", CONTAINER, "7z"),
    (b"Rar!\x1a\x07", CONTAINER, "RAR"),
)
_STILL: Final = (b"heic", b"heix", b"heim", b"hevc", b"mif1", b"msf1", b"avif", b"avis")
"""Brands of `ftyp` that are pictures; the others are films and sounds."""


def signature(data: bytes) -> tuple[str, str] | None:
    """Return the issue code and the format of a file that is not text, None for other files.

    >>> signature(bytes.fromhex("89504e470d0a1a0a")), signature(b"V2.2")
    (('is-picture', 'PNG'), None)
    """
    if data.startswith(_ZIP):
        for first, name in _FIRST_FILES:
            if data.startswith(first, 30):
                programs = (
                    (program for folder, program in _OFFICE if folder in data) if name == "Office" else ()
                )
                return DOCUMENT, next(iter(programs), name)
    for beginning, code, name in _BEGINNINGS:
        if data.startswith(beginning):
            return code, name
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return PICTURE, "WebP"
    if data[4:8] == b"ftyp":
        return (PICTURE, "HEIF/AVIF") if data[8:12] in _STILL else (DOCUMENT, "MP4")
    if data[:2] == b"BM" and int.from_bytes(data[2:6], "little") == len(data):
        return PICTURE, "BMP"
    return None
