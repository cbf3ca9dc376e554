"""The catalogue of hostile values, by what they look like."""

from __future__ import annotations

import base64
from typing import Final

MARK: Final = "kifu-mark"
MARK_ATTRIBUTE: Final = "onkifumark"
MARK_HEADER: Final = "X-Kifu-Mark"
"""Words that stand in no page, attribute or header of the archive unless a visitor put them there."""


def _utf8(*texts: str) -> tuple[bytes, ...]:
    return tuple(text.encode() for text in texts)


MARKUP: Final = f"\"'><{MARK} {MARK_ATTRIBUTE}=1>"

MARKS: Final = _utf8(
    MARKUP, f"x\r\n{MARK_HEADER}: 1\r\n\r\n<{MARK}>", f"x\n{MARK_HEADER}: 1",
    f"x\u2028{MARK_HEADER}: 1\u2029", f"</script><{MARK}>", f"'\" {MARK_ATTRIBUTE}=1 x='\"",
    f"--><{MARK}>]]><{MARK}>", f"javascript:{MARK}()", f"//{MARK}.example/%2e%2e", f"https:{MARK}.example",
    f"/\\{MARK}.example", f"\t//{MARK}.example", "{{7*7}}{% debug %}${7*7}", "=cmd|'/c calc'!A1",
)  # fmt: skip
"""What must never come back as anything but text."""

NUMBERS: Final = _utf8(
    "0", "-1", "-0", "+1", "--5", "1-", "00000000000000000001", "²", "１２", "٣", "1_000", " 1 ", "1\n",
    "0x10", "1e3", "1e400", "-1e400", "NaN", "nan", "Infinity", "1.5", "1,5", "½", "Ⅷ", "१", "2147483647",
    "2147483648", "4294967296", "9223372036854775807", "9223372036854775808", "-9223372036854775809",
    "18446744073709551616", "9" * 18, "9" * 19, "9" * 200, "9" * 4300, "9" * 4301, "1" + "0" * 9000,
    "٣" * 30, "1" * 17 + "²", "32767", "32768", "65536", "true", "null", "None", "[]", "",
)  # fmt: skip

TEXTS: Final[tuple[bytes, ...]] = (
    b"", b" ", b"\0", b"a\0b", b"%", b"%00", b"%zz", b"..", b"../../../../etc/passwd", b"..\\..\\x", b"/",
    b"//", b"\\", b"\xff\xfe", b"\xc0\xaf", b"\xed\xa0\x80", b"\xed\xa0\xbd\xed\xb8\x80",
    b"\xf4\x90\x80\x80", b"\x80", b"\xe3\x81", "\u202egpj.exe".encode(), "\ufeff".encode(),
    "\uffff".encode(), "\U0010ffff".encode(), "e\u0301".encode() * 50, "ﷺ".encode() * 200,
    "İ".encode() * 300, "ß".encode() * 300, "羽生善治".encode(), "羽生善治".encode("cp932"), "𠮷".encode(),
    "\u3000".encode(), b"'", b'"', b"' OR 1=1 --", b"%' ESCAPE '%", b"_%_%_%", b"*", b"\\'; DROP",
    b"$(id)", b"`id`", b";id", b"|id", b"\r\n", b"\x1b[2J\x1b]0;x\x07", b"\x08\x7f", b"a" * 201,
    b"a" * 5000, b"(" * 3000, b"((((((((((a+)+)+)+)+)+)+)+)+)+)+$", b"a" * 40 + b"!", "あ".encode() * 3000,
    b"__class__", b"{0.__class__}", b"%s%s%s%n", b"%(x)s", b"undefined", b"~", b"0/0", b".", b"-", b"#",
    b"?a=b", b"&a=b",
)  # fmt: skip

DATES: Final = _utf8(
    "0000-00-00", "0001-01-01", "9999-12-31", "10000-01-01", "2024-02-30", "2024-13", "99999", "２０２４",
    "2024年", "2024-1-1", "-2024-01-01", "2024-01-01T00:00:00+99:99", "²²²²", "2024/99/99", "0-0-0",
    "2024-00", "0000",
)  # fmt: skip

CHOICES: Final = _utf8(
    "exact", "mirror", "any", "all", "main", "newest", "oldest", "longest", "black", "white", "draw",
    "unknown",
    "shogi", "quoridor", "HIRATE", "OTHER", "START", "TORYO", "csv", "ndjson", "json", "svg", "1", "hints",
    "moves", "true", "ja", "en", "dark", "NEWEST", "exact ", "any\0", "colors", "mirrored", "series",
    "text",
)  # fmt: skip

CODES: Final[tuple[bytes, ...]] = (
    b"poUAACMaqtYhwHgAAAAPQdTnd3vMgAA", b"poUAACMaqtYhwHgAAAAPQdTnd3vMgAB",
    b"poUAACMaqtYhwHgAAAAPQdTnd3vMgAAA", b"poUAACMaqtYhwHgAAAAPQdTnd3vMg",
    b"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", b"////////////////////////////////",
    b"_______________________________", b"-------------------------------", b"gkwAAIAA", b"gkwAAAAQ",
    b"gkwAAIAB", b"gkwAAIAA=", b"A", b"AA", b"ggAA", b"A" * 712, b"A" * 713, b"/" * 712, b"z" * 1000,
    b"a" * 5000, b"poUAACMaqtYhwHgAAAAPQdTnd3vMgAA.svg", b"poUAACMaqtYhwHgAAAAPQdTnd3vMgAA/tree",
    b"../games", b"batch", b"find", "ｐｏＵ".encode(), b"poUAACMa qtYhwHgAAAAPQdTnd3vMgAA",
    b"poUAACMa\0qtYhwHgAAAAPQdTnd3vMgAA",
)  # fmt: skip
"""Codes of positions, good ones and others."""

SFENS: Final = _utf8(
    "startpos", "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
    "9/9/9/9/9/9/9/9/9 b - 1",
    "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b 99999999999999999999P 1",
    "9/9/9/9/9/9/9/9/9 b - " + "9" * 4400, "9/9/9/9/9/9/9/9/9 b " + "9" * 4400 + "P 1",
    "99/9/9/9/9/9/9/9/9 b - 1", "9/9/9/9/9/9/9/9/9 x - 1", "K8/9/9/9/9/9/9/9/K8 b - 1", "kkkkkkkkk/" * 9,
    "+K8/9/9/9/9/9/9/9/9 b - 1", "+G8/9/9/9/9/9/9/9/9 b - 1", "/" * 8, "9/9/9/9/9/9/9/9/²7 b - 1",
    "9/9/9/9/9/9/9/9/９ b - 1", "++P8/9/9/9/9/9/9/9/9 b - 1", "9/9/9/9/9/9/9/9/9 b +P 1",
    "9/9/9/9/9/9/9/9/9 b 0P 1", "9/9/9/9/9/9/9/9/9 b -1P 1", "position startpos moves 7g7f P*5e",
    "position startpos moves +P*5e", "startpos moves " + "7g7f 3c3d " * 40,
)  # fmt: skip

PATTERNS: Final = _utf8(
    "K9i L9h", "P7f", "!P5e mirror:yes", "R5h P5e own:black line:main", "hand:B,b S5f", "ply:0..",
    "kept:999 -5e", "K8h then<=20 K9i mirror:yes", " then ".join(["-5e"] * 8), " then ".join(["-5e"] * 9),
    " then<=999 ".join(["X5e kept:1 turn:own"] * 8) + " mirror:yes", "P7f then<=0 P6f", "then", "P7f then",
    "then<=1 then<=1", "P7f then<=" + "9" * 400 + " P6f", "kept:" + "9" * 400, "ply:" + "9" * 400 + "..",
    "hand:P>=" + "9" * 400, "kept:²", "kept:٣", "ply:１０", "ply:60..10", "ply:..", "ply:-1", "hand:",
    "board:,,,",
    "hand:P>=3,P<=2", "hand:K,+P", "board:" + ",".join(["P<=18"] * 150),
    "{" * 1000, "{" * 400 + "}" * 400,
    "{}5e", "!{}5e", "{X,x,-}5e", "!{X,x,-}5e", "{" + "P," * 480 + "P}7f", "P7f !P7f", "K5i G5i",
    "P0f", "P7j",
    "P" + "7" * 900, "P7f " * 250, "P7f " * 249 + "P7f", "Ｐ７ｆ", "P7f\u3000K9i", "P7f\0", "\0",
    "own:white own:black",
    "mirror:yes mirror:no", "turn:own turn:enemy", "line:main line:all", f"P7f own:<{MARK}>", f"<{MARK}>7f",
    f"{{<{MARK}>}}7f", f"hand:<{MARK}>", f"P7f \"><{MARK}", "P7f' OR 1=1 --", "P7f'); DROP TABLE found; --",
    "constructor:1", "__proto__:1",
)  # fmt: skip
"""Parts of boards of shogi, good ones, dear ones and others."""

SQUARES: Final = _utf8(
    "8h", "8h.7h", ".".join(["5e"] * 81), ".".join(["5e"] * 5000), "8h,7h", "8h 7h", "8H", "８ｈ", "0a", "5j",
    ".", "..",
    "8h.", f"8h.<{MARK}>", f"\"><{MARK}>", "__proto__", "constructor", "8h\0", "P8h", "e2",
)  # fmt: skip
"""Squares that an address has marked."""

HOSTS: Final[tuple[bytes, ...]] = (
    b"kifu-mark.example", b"", b"127.0.0.1:99999", b"127.0.0.1:abc", b"[::1", b"[::1]", b"localhost",
    b"localhost.", b"a@b", b"127.0.0.1, evil.example", b"evil.example:80\\@localhost", b"..", b"xn--",
    "例え.jp".encode(), b"\xff", b"a" * 3000, b"localhost/../evil", b"localhost#x", b"localhost?x",
)  # fmt: skip

ORIGINS: Final[tuple[bytes, ...]] = (
    b"http://[", b"null", b"http://", b"https://evil.example", b"", b"//", b"http://[::1",
    b"http://[::1]:99999", b"http://a]b", b"http://127.0.0.1:99999999", b"http://\xff", b"file://",
    b"http://127.0.0.1:x", b"http://[v1.x]", b"javascript:x", b"\xe2\x84\x80", "http://℀.example".encode(),
    "http://a\u2100b".encode(),
)  # fmt: skip

ACCEPTS: Final[tuple[bytes, ...]] = (
    b"*/*", b"text/html", b"application/json", b"text/csv", b"image/svg+xml", b"text/plain",
    b"application/problem+json", b"", b"application/xml", b"text/html;q=0", b"*/*;q=0",
    b"application/json;q=nan", b"application/json;q=1e400", b"/", b"a/b/c", b"*/json", b";;;;",
    b"text/html;" * 500, b"application/json; indent=99999999", b"application/json; indent=-1",
    b"application/json; version=2", b"text/html,application/xhtml+xml,*/*;q=0.8", b"\xff/\xff",
    b"application/json; charset=utf-7",
)  # fmt: skip

LANGUAGES: Final[tuple[bytes, ...]] = (
    b"en", b"ja", b"*", b"en;q=NaN", b"en;q=1e400", b"xx-" + b"x" * 400, b",".join([b"en"] * 1200),
    b"../../etc", b"en\xff", b"ja-JP-" + b"a-" * 200, b"en;q=0,ja;q=0", b";;q=", b"zh-hans-x-\x01",
)  # fmt: skip

RANGES: Final[tuple[bytes, ...]] = (
    b"bytes=0-0", b"bytes=-1", b"bytes=0-", b"bytes=5-1", b"bytes=" + b"9" * 5000 + b"-",
    b"bytes=\xc2\xb2-", b"bytes=--5", b"bytes=0-0," * 400, b"lines=1-2", b"bytes=a-b", b"bytes=-0",
    b"bytes=99999999-", b"bytes", b"bytes=",
)  # fmt: skip

TAGS: Final[tuple[bytes, ...]] = (
    b"*", b'"', b'""', b'W/"x"', b'"x",' * 800, b"x" * 9000, b"\xff", b"W/W/W/", b'"\x00"',
)  # fmt: skip

TIMES: Final[tuple[bytes, ...]] = (
    b"Thu, 01 Jan 1970 00:00:00 GMT", b"Thu, 99 Foo 9999 99:99:99 GMT", b"0", b"x" * 5000,
    b"Mon, 01 Jan 0000 00:00:00 GMT", b"Mon, 01 Jan " + b"9" * 4400 + b" 00:00:00 GMT",
    "Mon, ０１ Jan 2024 00:00:00 GMT".encode(), b"Monday, 01-Jan-99 00:00:00 GMT",
)  # fmt: skip


def _basic(text: bytes) -> bytes:
    return b"Basic " + base64.b64encode(text)


AUTHORIZATIONS: Final[tuple[bytes, ...]] = (
    _basic(b"a\0b:c"), _basic(b"a:b\0c"), _basic(b"\xff\xfe:\xff"), _basic(b":"), _basic(b""),
    _basic(b"nocolon"), _basic(b"a" * 5000 + b":b"),
    _basic("\ud800".encode("utf-8", "surrogatepass") + b":x"), _basic(MARKUP.encode() + b":x"), b"Basic",
    b"Basic ", b"Basic x y", b"Basic %%%", b"Basic \xff", b"basic " + base64.b64encode(b"staff:wrong"),
    b"Bearer x", b"Digest username=x", b"Negotiate", b"", _basic("²:²".encode()),
    _basic(b"staff:" + b"p" * 8000),
)  # fmt: skip

ADDRESSES: Final[tuple[bytes, ...]] = (
    b"127.0.0.1", b"::1", b"1.2.3.4, 5.6.7.8", b"unknown", b"", b"\xff", b"999.999.999.999",
    b"1.2.3.4:99999", b"[::1]:1", b"fe80::1%eth0", b"," * 3000, b"10.0.0.1\t,", b"' OR 1=1",
    b"1.1.1.1\x00", b"::ffff:1.2.3.4", "１.２.３.４".encode(), b"a" * 7000,
)  # fmt: skip

COOKIES: Final[tuple[bytes, ...]] = (
    b"sessionid=", b"sessionid=" + b"a" * 32, b"sessionid=\xff", b"sessionid=../../x", b"csrftoken=x",
    b"django_language=../../x", b"django_language=" + b"e" * 500, b"theme=" + MARKUP.encode(),
    b"pieces=" + MARKUP.encode(), b"pieces=../x", b"theme=\\073\\012", b"=", b";" * 4000, b"a=b; " * 1500,
    b'theme="\\000"', b"messages=x:y:z", b"messages=" + b"W10:1abcde:" + b"x" * 43, b"\x01=\x02",
    b"$Version=1; theme=x", b"sessionid=" + "²".encode(), b"flip=1; flip=2", b"django_language=en\r",
)  # fmt: skip

CONTENT_TYPES: Final[tuple[bytes, ...]] = (
    b"", b"application/json", b"application/json; charset=utf-16", b"application/json; charset=kifu",
    b"application/json; charset=idna", b"application/json; charset=rot13",
    b"application/json; charset=undefined", b"application/json; charset=unicode_escape",
    b"application/x-www-form-urlencoded", b"application/x-www-form-urlencoded; charset=utf-7",
    b"application/x-www-form-urlencoded; charset=zip",
    b"application/x-www-form-urlencoded; charset=utf-32", b"multipart/form-data",
    b"multipart/form-data; boundary=", b"multipart/form-data; boundary=\xff",
    b"multipart/form-data; boundary=" + b"b" * 300, b'multipart/form-data; boundary="',
    b"multipart/form-data; charset=bz2; boundary=x", b"multipart/mixed; boundary=x", b"text/plain",
    b"text/xml", b"application/xml", b"/", b"a", b"application/json/x", b"application/json;" * 400,
    b"application/octet-stream", b"image/png", b"multipart/form-data; boundary*=utf-8''x",
    b"application/json; charset*=x'y'z", b"text/plain; charset=hex",
)  # fmt: skip

FETCHES: Final[tuple[bytes, ...]] = (b"cross-site", b"same-site", b"same-origin", b"none", b"", b"\xff")

METHODS: Final = (
    "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "BREW", "get", "PROPFIND", "M-SEARCH", "_",
    "GETT", "X" * 40, "TRACE", "CONNECT",
)  # fmt: skip

HEADERS: Final[dict[str, tuple[bytes, ...]]] = {
    "Host": HOSTS,
    "Origin": ORIGINS,
    "Referer": (*ORIGINS, *MARKS, b"http://127.0.0.1/" + b"r" * 7000),
    "Accept": ACCEPTS,
    "Accept-Language": LANGUAGES,
    "Accept-Encoding": (b"gzip", b"*", b"identity;q=0", b"gzip;q=0", b"br, zstd", b"gzip," * 800, b"\xff"),
    "Accept-Charset": (b"utf-16", b"x" * 2000),
    "Range": RANGES,
    "If-Range": TAGS,
    "If-None-Match": TAGS,
    "If-Match": TAGS,
    "If-Modified-Since": TIMES,
    "If-Unmodified-Since": TIMES,
    "Cookie": COOKIES,
    "Authorization": AUTHORIZATIONS,
    "X-Forwarded-For": ADDRESSES,
    "X-Forwarded-Host": HOSTS,
    "X-Forwarded-Proto": (b"https", b"http", b"javascript", b"\xff", b"https,http"),
    "X-Forwarded-Port": NUMBERS,
    "Forwarded": (b"for=1.2.3.4;host=evil.example;proto=https", b"for=" + b'"' * 2000),
    "X-Real-IP": ADDRESSES,
    "X-Request-ID": (*MARKS, b"x" * 9000, b"\xff", b"\x1b[2J"),
    "X-HTTP-Method-Override": (b"DELETE", b"PUT", b"\xff"),
    "X-CSRFToken": (b"x", b"a" * 32, b"a" * 64, b"\xff", b"\x00", "²".encode() * 32),
    "X-Requested-With": (b"XMLHttpRequest",),
    "X-Part": (b"position", b"state", b"\xff"),
    "Sec-Fetch-Site": FETCHES,
    "Sec-Fetch-Mode": (b"navigate", b"cors", b"\xff"),
    "Access-Control-Request-Method": (b"POST", b"DELETE", b"BREW", b"\xff"),
    "Access-Control-Request-Headers": (b"content-type", b"x" * 5000, *MARKS),
    "Content-Type": CONTENT_TYPES,
    "Content-Encoding": (b"gzip", b"br", b"identity", b"x" * 500),
    "Content-Disposition": (b"attachment; filename=../../x", *MARKS),
    "User-Agent": (*MARKS, b"", b"\xff", b"a" * 9000),
    "Expect": (b"100-continue", b"200-ok", b"\xff"),
    "Upgrade": (b"websocket", b"h2c", b"\xff"),
    "Via": (b"1.1 x, " * 900,),
    "Proxy": (b"http://evil.example",),
    "SCRIPT_NAME": (b"/x",),
    "X-Script-Name": (b"/x", *MARKS),
    "Transfer-Encoding": (b"identity", b"gzip, chunked", b"\xff"),
    "Keep-Alive": NUMBERS,
    "Max-Forwards": NUMBERS,
    "DNT": NUMBERS,
}  # fmt: skip
"""Hostile values by header. Those with control characters are refused by servers; that is tried as well."""


def any_text() -> tuple[bytes, ...]:
    """Values for anything that takes a text."""
    return (*TEXTS, *MARKS, *NUMBERS, *DATES)
