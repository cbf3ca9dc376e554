"""Findings about records, as they are stored and as they are told to a reader."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any, Final

from django.utils.translation import get_language

from kifu_core.errors import Issue, KifuError
from kifu_core.messages import Language, message

TEXTS: Final[dict[str, tuple[str, str]]] = {
    # files in containers
    "bomb": (
        "圧縮率が異常に高いため展開しませんでした（上限 {ratio} 倍）",
        "it unpacks to more than {ratio} times its size and was not read",
    ),
    "entry-too-large": (
        "展開後のファイルが大きすぎます（上限 {limit} バイト）",
        "unpacked, the file is too large (at most {limit} bytes)",
    ),
    "unpacks-to-too-much": (
        "展開後の合計が大きすぎるため、ここから先は読みませんでした（上限 {limit} バイト）",
        "the upload unpacks to too much: nothing was read from here on (at most {limit} bytes)",
    ),
    "too-many-entries": (
        "件数が多すぎるため、ここから先は読みませんでした（上限 {limit} 件）",
        "there are too many entries: nothing was read from here on (at most {limit})",
    ),
    "nested-too-deep": (
        "書庫の入れ子が深すぎます（上限 {limit} 段）",
        "containers are nested too deep (at most {limit} levels)",
    ),
    "encrypted": ("暗号化されているため読めません", "the file is encrypted"),
    "damaged": ("ファイルが壊れています: {text}", "the file is damaged: {text}"),
    "link": ("リンクは読みません", "a link is not followed"),
    "device": ("通常のファイルではありません", "this is no ordinary file"),
    "unknown-compression": (
        "対応していない圧縮方式です: {text}",
        "this kind of compression cannot be read: {text}",
    ),
    "unknown-container": (
        "{text} 形式の書庫は読めません。ZIP か tar にしてアップロードしてください",
        "containers of the kind {text} cannot be read; please upload a ZIP or tar file",
    ),
    "is-container": (
        "これは書庫です（{text}）。登録すると、中のファイルを一つずつ読み取ります",
        "this is an archive ({text}): upload it, and every file in it is read",
    ),
    "needs-7z": (
        '7z 形式の書庫を読むには、サーバーに py7zr が必要です（pip install "kifu-archive[7z]"）',
        'to read 7z archives the server needs py7zr (pip install "kifu-archive[7z]")',
    ),
    "empty-file": ("ファイルが空です", "the file is empty"),
    "empty-container": ("書庫にファイルがありません", "there are no files in the container"),
    "kept-reading": (
        "現在の版では読めないため、以前に読み取った内容を残しています",
        "it cannot be read any more; what was read before is kept",
    ),
    "unknown-day": (
        "日付として読めません: {text}。棋譜にはそのまま残しています",
        "this is no day that can be read: {text}; it stays in the record as it is",
    ),
    "taken-down": (
        "この対局は以前に取り下げられたため、管理者が確認するまで公開されません",
        "this game was taken down before; it is held until the staff lets it in",
    ),
    # work
    "no-game": ("棋譜がありません", "there is no game in it"),
    "too-slow": (
        "読み取りに {seconds} 秒以上かかるため中止しました",
        "reading it took more than {seconds} seconds and was stopped",
    ),
    "too-slow-here": (
        "読み取りに {seconds} 秒以上かかるため中止しました。アップロードすれば、時間をかけて読み取ります",
        "what was sent takes longer than {seconds} s to read and was stopped; upload it instead",
    ),
    "too-large-here": (
        "大きすぎます（上限 {limit} バイト）。アップロードすれば読み取れます",
        "a record has at most {limit} bytes here; upload larger ones",
    ),
    "too-much-memory": (
        "読み取りに必要なメモリーが多すぎるため読みませんでした",
        "reading it would take too much memory; it was left out",
    ),
    "worker-died": (
        "この部分を読むと処理が異常終了するため読みませんでした",
        "reading this part ended the worker again and again; it was left out",
    ),
    "gave-up": (
        "{tries} 回試しましたが処理できませんでした",
        "given up after {tries} tries without progress",
    ),
    "internal-error": (
        "こちらの不具合で読めませんでした",
        "it could not be read because of a fault of this program",
    ),
}
"""Code -> (Japanese, English) of findings that no record has in it: `kifu_core.messages` has the others."""


def as_stored(issue: Issue) -> dict[str, Any]:
    """Return a finding as an entry keeps it: code and params, so that it can be told in any language."""
    return {
        "code": issue.code,
        "severity": issue.severity,
        "line": issue.line,
        "column": issue.column,
        "ply": issue.ply,
        "params": dict(issue.params),
        "source_line": issue.source_line,
    }


def told(stored: Mapping[str, Any]) -> dict[str, Any]:
    """Return a stored finding with its text in the reader's language, and without its raw params."""
    params = dict(stored.get("params") or {})
    if stored.get("ply") is not None:
        params.setdefault("ply", stored["ply"])
    text = text_of(str(stored["code"]), params)
    return {name: value for name, value in stored.items() if name != "params"} | {"message": text}


def text_of(code: str, params: Mapping[str, str | int], spoken: Language | None = None) -> str:
    """Return the text of a finding in a language (None: the reader's); an unknown code is shown as it is."""
    spoken = spoken or language()
    texts = TEXTS.get(code)
    if texts is None:
        return message(code, params, spoken)
    return texts[0 if spoken == "ja" else 1].format_map(defaultdict(lambda: "?", params))


def detail_of(error: KifuError, spoken: Language | None = None) -> str:
    """Say what is wrong, in the error's own words or those of its code; `spoken` as for `text_of`."""
    here = next((code for code in (f"{error.code}-here", error.code) if code in TEXTS), None)
    if here and not error.message:
        return text_of(here, error.params, spoken)
    return error.message or message(error, language=spoken or language())


def language() -> Language:
    """Return the reader's language as kifu_core knows it."""
    return "ja" if (get_language() or "ja").startswith("ja") else "en"
