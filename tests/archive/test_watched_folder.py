"""The watched folder: what lies still is taken in, once, and never touched."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from archive.intake import tasks, watched_folder
from archive.models import Upload
from tests.archive.games import CSA, KIF

pytestmark = pytest.mark.django_db


@pytest.fixture
def folder(settings, tmp_path):
    settings.WATCH_DIR = str(tmp_path / "watched")
    settings.DATA_DIR = tmp_path / "data"
    settings.DATA_DIR.mkdir()
    (tmp_path / "watched").mkdir()
    return tmp_path / "watched"


def names() -> list[str]:
    return list(Upload.objects.order_by("pk").values_list("name", flat=True))


def test_a_file_is_taken_when_it_has_not_changed_between_two_scans(folder):
    (folder / "a.kif").write_text(KIF)
    assert watched_folder.scan() == []
    assert len(watched_folder.scan()) == 1
    assert watched_folder.scan() == []
    assert names() == ["a.kif"]
    assert (folder / "a.kif").read_text() == KIF


def test_a_file_that_still_grows_is_left_alone(folder):
    path = folder / "a.kif"
    path.write_text(KIF[:50])
    watched_folder.scan()
    path.write_text(KIF)
    assert watched_folder.scan() == []
    assert len(watched_folder.scan()) == 1
    assert b"".join(Upload.objects.get().stream()) == KIF.encode()


def test_a_file_that_is_replaced_later_is_taken_again(folder):
    path = folder / "a.kif"
    path.write_text(KIF)
    watched_folder.scan()
    watched_folder.scan()
    path.write_text(CSA)
    watched_folder.scan()
    assert len(watched_folder.scan()) == 1


def test_folders_in_it_are_read_and_links_are_not(folder, tmp_path):
    (folder / "deep").mkdir()
    (folder / "deep" / "b.kif").write_text(KIF)
    (tmp_path / "secret.kif").write_text(CSA)
    (folder / "link.kif").symlink_to(tmp_path / "secret.kif")
    watched_folder.scan()
    watched_folder.scan()
    assert names() == ["b.kif"]


def test_what_cannot_be_taken_does_not_keep_the_rest(folder, settings):
    settings.ARCHIVE_MAX_UPLOAD_BYTES = len(CSA.encode())
    (folder / "empty.kif").write_bytes(b"")
    (folder / "large.kif").write_text(KIF)
    (folder / "pipe").parent.mkdir(exist_ok=True)
    os.mkfifo(folder / "pipe")
    (folder / "z.csa").write_text(CSA)
    watched_folder.scan()
    watched_folder.scan()
    assert names() == ["z.csa"]


def test_what_cannot_be_taken_is_told_once_and_tried_again_when_it_has_changed(
    folder, settings, caplog, monkeypatch
):
    settings.ARCHIVE_MAX_UPLOAD_BYTES = len(CSA.encode())
    (folder / "broken.csa").write_text(CSA)
    (folder / "empty.kif").write_bytes(b"")
    (folder / "large.kif").write_text(KIF)
    (folder / "z.csa").write_text(CSA.replace("先手の人", "別"))
    opened = Path.open

    def fails(path, *args, **options):
        if path.name == "broken.csa":
            raise OSError(errno.EIO, "Input/output error")
        return opened(path, *args, **options)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "open", fails)
        for _ in range(3):
            watched_folder.scan()
    assert names() == ["z.csa"]
    told = [record.getMessage() for record in caplog.records]
    assert len(told) == 3
    assert "broken.csa" in told[0] and "Input/output error" in told[0]
    assert "empty.kif" in told[1] and "empty" in told[1]
    assert "large.kif" in told[2] and str(settings.ARCHIVE_MAX_UPLOAD_BYTES) in told[2]
    (folder / "broken.csa").chmod(0o600)
    watched_folder.scan()
    watched_folder.scan()
    assert names() == ["z.csa", "broken.csa"]


def test_many_files_are_taken_over_several_scans(folder, monkeypatch):
    monkeypatch.setattr(watched_folder, "FILES_A_SCAN", 2)
    for n in range(5):
        (folder / f"{n}.csa").write_text(CSA.replace("先手の人", f"人{n}"))
    watched_folder.scan()
    assert [len(watched_folder.scan()) for _ in range(3)] == [2, 2, 1]


def test_workers_are_told_of_what_was_taken(folder, monkeypatch):
    sent = []
    monkeypatch.setattr(tasks, "send", lambda pk, queue: sent.append((pk, queue)))
    (folder / "a.kif").write_text(KIF)
    tasks.watch()
    tasks.watch()
    assert sent == [(Upload.objects.get().pk, "bulk")]
