"""The whole corpus as one ZIP, sent through the API or the upload page of a running archive."""

from __future__ import annotations

import io
import sys
import tempfile
import time
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any, Final

CORPUS_SECONDS: Final = 1200.0


def corpus_zip(folder: Path) -> tuple[bytes, int]:
    """Every file of the corpus in one ZIP, and how many."""
    out, count = io.BytesIO(), 0
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                archive.write(path, str(path.relative_to(folder)))
                count += 1
    return out.getvalue(), count


def corpus(page: bool) -> dict[str, Any]:
    """Send the corpus through the API or the upload page of a running archive; the outcome. Raises SystemExit
    without it."""
    from tests.serving import archive_at, children_of
    from tests.shared import CORPUS

    if not CORPUS.is_dir():
        sys.exit("the corpus is not beside this checkout")
    data, files = corpus_zip(CORPUS)
    with tempfile.TemporaryDirectory(prefix="kifu-ingest-") as name, archive_at(Path(name)) as archive:
        began = time.perf_counter()
        if page:
            (Path(name) / "corpus.zip").write_bytes(data)
            upload = send_by_page(archive.url, Path(name) / "corpus.zip")
        else:
            upload = archive.post_file(data, "corpus.zip")
        while (state := archive.get(f"/api/v1/uploads/{upload}"))["state"] not in ("done", "failed"):
            if time.perf_counter() - began > CORPUS_SECONDS:
                sys.exit("the import does not end")
            time.sleep(0.2)
        seconds = time.perf_counter() - began
        memory = max(
            _largest_memory(pid)
            for worker in children_of(archive, "worker")
            for pid in (worker, *_forked(worker))
        )
        codes: Counter[str] = Counter()
        for entry in archive.entries(upload):
            codes.update({issue["code"] for issue in entry["issues"] if entry["state"] == "failed"})
    return {
        "files": files,
        "bytes": len(data),
        "way": "upload page" if page else "API",
        "seconds": seconds,
        "memory_mib": memory,
        "entries": state["entries"],
        "codes_of_failures": dict(codes.most_common()),
    }


def send_by_page(url: str, path: Path) -> int:
    """Choose a file on the upload page and send it; the upload's id."""
    from playwright.sync_api import sync_playwright

    from tests.browser.conftest import FLAGS, find_chromium

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=FLAGS)
        opened = browser.new_page()
        opened.goto(f"{url}/upload/")
        opened.locator("#file").set_input_files(path)
        opened.locator("form.upload button.main").click()
        opened.wait_for_url("**/uploads/*/", timeout=CORPUS_SECONDS * 1000)
        upload = int(opened.url.rstrip("/").rpartition("/")[2])
        browser.close()
    return upload


def _forked(worker: int) -> list[int]:
    """The children of a worker."""
    return [int(pid) for pid in Path(f"/proc/{worker}/task/{worker}/children").read_text().split()]


def _largest_memory(pid: int) -> float:
    """The most memory a process has had so far, in MiB."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


def show_corpus(found: dict[str, Any]) -> None:
    print(f"{found['files']} files, {found['bytes'] / 2**20:.1f} MiB as ZIP, through the {found['way']}")
    for state, count in found["entries"].items():
        print(f"  {state:<12}{count:>7}")
    print(f"  {found['seconds']:.1f} s, largest memory of a worker {found['memory_mib']:.0f} MiB")
    for code, count in found["codes_of_failures"].items():
        print(f"    failed with {code:<24}{count:>5}")
