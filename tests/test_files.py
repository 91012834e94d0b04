"""What stands in the way of a file is named: the folder that is missing, the name that was meant."""

import gzip
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import deciban as db
from deciban.errors import (
    DecibanError,
    FileAccessError,
    InputTypeError,
    MissingFileError,
    ParameterError,
    TooLargeError,
)
from deciban.files import read_text, read_whole, write_whole

MODEL = db.GaussianNB().fit([[1.0], [2.0], [8.0], [9.0]], ["low", "low", "high", "high"])
NET = db.BayesNet.from_tables(db.DAG(nodes=["a"]), {"a": (0, 1)}, {"a": [0.5, 0.5]})


@pytest.mark.parametrize("write", [lambda path: db.save(MODEL, path), NET.write])
def test_a_missing_folder_is_named(write, tmp_path):
    (tmp_path / "models").mkdir()
    (tmp_path / "models.bif").mkdir()
    (tmp_path / "file").touch()
    with pytest.raises(
        MissingFileError, match=r"cannot be written: there is no folder .*/model\. Did you mean 'models'\?"
    ):
        write(tmp_path / "model" / "deeper" / "a.bif")
    with pytest.raises(FileNotFoundError, match=r"there is no folder .*/elsewhere\.$"):
        write(tmp_path / "elsewhere" / "a.bif")
    with pytest.raises(FileAccessError, match=r"models\.bif cannot be written: it is a folder\. Name a file in it\."):
        write(tmp_path / "models.bif")
    with pytest.raises(FileAccessError, match=r"a\.bif cannot be written: .*/file is a file, not a folder\."):
        write(tmp_path / "file" / "a.bif")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "models", "models.bif"]


@pytest.mark.parametrize("read", [db.load, db.read_net])
def test_a_missing_file_is_named_with_the_one_that_was_meant(read, tmp_path):
    NET.write(tmp_path / "asia.bif")
    (tmp_path / "folder.bif").mkdir()
    with pytest.raises(MissingFileError, match=r"there is no file .*/aisa\.bif\. Did you mean 'asia\.bif'\?"):
        read(tmp_path / "aisa.bif")
    with pytest.raises(FileNotFoundError, match=r"there is no folder .*/nowhere\.$"):
        read(tmp_path / "nowhere" / "asia.bif")
    with pytest.raises(FileAccessError, match=r"folder\.bif cannot be read: it is a folder"):
        read(tmp_path / "folder.bif")
    with pytest.raises(FileAccessError, match="null"):
        read("a\0b.bif")
    for given in (3, None, b"asia.bif"):
        with pytest.raises(InputTypeError, match=r"a file is named by a string or a Path, not by"):
            read(given)


@pytest.mark.skipif(os.name != "posix" or os.getuid() == 0, reason="the system lets this user read everything")
def test_a_file_that_may_not_be_read_says_so(tmp_path):
    (tmp_path / "a.bif").touch(0)
    with pytest.raises(FileAccessError, match=r"a\.bif cannot be read: Permission denied"):
        db.read_net(tmp_path / "a.bif")


def test_a_format_that_is_misspelt_is_suggested(tmp_path):
    with pytest.raises(ParameterError, match=r"format is one of .* not 'biff'\. Did you mean 'bif'\?"):
        db.read_net(tmp_path / "a", format="biff")
    with pytest.raises(ParameterError, match=r"is not that of a known format: .* Did you mean '\.xdsl'\?"):
        db.read_net(tmp_path / "a.xdls.gz")
    with pytest.raises(ParameterError, match=r"is not that of a known format: use \.bif, .*, or pass format=\.$"):
        db.read_net(tmp_path / "a")


def test_a_net_file_given_to_load_says_what_reads_it(tmp_path):
    NET.write(tmp_path / "a.bif")
    with pytest.raises(DecibanError, match=r"a\.bif is not a deciban file.*db\.read_net reads Bayes nets"):
        db.load(tmp_path / "a.bif")


def test_a_stream_without_a_size_is_bounded(monkeypatch):
    monkeypatch.setenv("DECIBAN_MEMORY_LIMIT", str(16 << 20))
    with pytest.raises(TooLargeError, match="/dev/zero has more than 16 MiB"):
        read_whole(Path("/dev/zero"))


def test_several_archives_in_one_file_are_read_one_after_the_other(tmp_path):
    (tmp_path / "a.gz").write_bytes(gzip.compress(b"one ") + gzip.compress(b"two"))
    assert read_text(tmp_path / "a.gz") == b"one two"


@pytest.mark.skipif(os.name != "posix", reason="folders cannot be opened")
def test_a_file_is_flushed_before_it_gets_its_name_and_the_folder_after(tmp_path, monkeypatch):
    steps, fsync, replace = [], os.fsync, os.replace
    monkeypatch.setattr(os, "fsync", lambda fd: (steps.append(os.path.realpath(f"/dev/fd/{fd}")), fsync(fd)))
    monkeypatch.setattr(os, "replace", lambda old, new: (steps.append("replace"), replace(old, new)))
    db.save(MODEL, tmp_path / "a.deciban")
    assert steps[1:] == ["replace", str(tmp_path.resolve())]
    assert steps[0].endswith(".tmp")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
@pytest.mark.parametrize("write", [lambda path: db.save(MODEL, path), NET.write])
def test_a_pipe_or_device_is_written_to_and_not_replaced(write, tmp_path):
    """As root, a file in place of /dev/null would break the whole system."""
    os.mkfifo(tmp_path / "pipe")
    link = tmp_path / "link.bif"
    link.symlink_to("pipe")
    with ThreadPoolExecutor(1) as pool:
        read = pool.submit((tmp_path / "pipe").read_bytes)
        write(link)
        assert len(read.result()) > 100
    assert (tmp_path / "pipe").is_fifo() and link.is_symlink()


def test_a_link_stays_and_its_file_is_replaced(tmp_path):
    (tmp_path / "v1.deciban").write_bytes(b"old")
    for name, leads_to in (("current", "v1.deciban"), ("next", "v2.deciban"), ("circle", "circle")):
        (tmp_path / name).symlink_to(leads_to)
    for name in ("current", "next"):
        write_whole(tmp_path / name, b"new")
        assert (tmp_path / name).is_symlink() and (tmp_path / name).read_bytes() == b"new"
    with pytest.raises(FileAccessError, match="circle cannot be written"):
        write_whole(tmp_path / "circle", b"new")
