"""Arrays in temporary files: what is written is read back, and nothing is left behind."""

import errno
import tempfile

import numpy as np
import pytest

from deciban.errors import FileAccessError
from deciban.nets.data import mapped as scratch
from deciban.nets.data.mapped import ScratchArray


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_an_array_outlives_its_file_and_leaves_no_name(folder):
    held = ScratchArray(np.int16)
    held.extend(np.arange(5))
    mapped = held.mapped()
    del held
    assert mapped.dtype == np.int16 and mapped.tolist() == [0, 1, 2, 3, 4]
    assert not list(folder.iterdir())
    assert not mapped.flags.writeable


def test_blocks_are_all_of_it_in_order(folder, monkeypatch):
    monkeypatch.setattr(scratch, "BLOCK", 3)
    held = ScratchArray(np.uint8)
    assert list(held.blocks()) == [] and held.mapped().shape == (0,)
    for begin in range(0, 10, 2):
        held.extend(np.arange(begin, begin + 2))
    assert [block.tolist() for block in held.blocks()] == [[0, 1, 2], [3, 4, 5], [6, 7, 8], [9]]


def test_a_full_disk_names_the_folder_and_the_variable(folder, monkeypatch):
    held = ScratchArray(np.uint8)

    class Full:
        def write(self, values):
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(held, "_file", Full())
    with pytest.raises(FileAccessError, match=r"No space left on device\. Make room there, or set .* TMPDIR"):
        held.extend(np.arange(3))


def test_a_folder_that_is_not_there_is_an_error(monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", "/no/such/folder")
    with pytest.raises(FileAccessError, match="cannot write to the folder '/no/such/folder'"):
        ScratchArray(np.uint8)
