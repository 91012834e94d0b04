"""Documents in class folders."""

from __future__ import annotations

import pytest

from deciban.engines.files.names import DocumentFolder, has_documents, read_document_folder
from deciban.errors import DecibanWarning, InputError, MissingFileError, TooLargeError


@pytest.fixture
def mails(tmp_path):
    for name, raw in {"spam/1.txt": b"free", "ham/2": "café".encode(), "ham/old/3.txt": b"caf\xe9"}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(raw)
    (tmp_path / ".hidden").write_text("not data")
    (tmp_path / "ham" / "_notes").write_text("not data")
    return tmp_path


def test_the_first_folder_is_the_class(mails):
    assert has_documents(mails)
    with pytest.warns(DecibanWarning, match=r"3\.txt is not in UTF-8 and read as .*Latin-1"):
        table = read_document_folder(mails)
    assert table.to_pylist() == [
        {"file": "ham/2", "label": "ham", "text": "café"},
        {"file": "ham/old/3.txt", "label": "ham", "text": "café"},
        {"file": "spam/1.txt", "label": "spam", "text": "free"},
    ]


def test_without_labels_documents_may_lie_in_the_folder_itself(mails):
    (mails / "loose.txt").write_text("lunch")
    with pytest.raises(InputError, match=r"loose\.txt is in no class folder"):
        read_document_folder(mails)
    folder = DocumentFolder(mails, encoding="latin-1")
    assert folder.names == ("file", "text") and len(folder.read(["text"])) == 4
    assert [table.column_names for table in folder.batches()] == [["file", "text"]]


def test_a_folder_with_tables_is_a_table(mails):
    (mails / "ham" / "table.csv").write_text("a,b\n1,2\n")
    assert not has_documents(mails)


def test_an_empty_folder_is_an_error(tmp_path):
    with pytest.raises(MissingFileError, match="has no files"):
        read_document_folder(tmp_path)


def test_documents_beyond_the_memory_limit_are_refused(mails, monkeypatch):
    (mails / "ham" / "long").write_text("lunch " * 20_000)
    monkeypatch.setenv("DECIBAN_MEMORY_LIMIT", "100000")
    with pytest.raises(TooLargeError):
        read_document_folder(mails)


def test_documents_in_utf_16_are_read_as_such(tmp_path):
    for name, encoding in (("a", "utf-16"), ("b", "utf-8")):
        (tmp_path / f"{name}.txt").write_bytes("café ☕".encode(encoding))
    with pytest.warns(DecibanWarning, match=r"a\.txt is not in UTF-8 and read as UTF-16"):
        assert read_document_folder(tmp_path, labelled=False)["text"].to_pylist() == ["café ☕"] * 2
