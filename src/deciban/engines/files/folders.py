"""Documents as one file each: in class folders, whose names are the labels, or side by side in one folder.

    mails/ham/0001.txt   mails/ham/0002.txt   mails/spam/0001.txt

Folders inside a class folder belong to its class. Names that begin with a dot or an underscore are not data.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from deciban.engines.files.names import is_hidden, is_table
from deciban.engines.files.text_files import check_encoding, decoded, warn_of
from deciban.errors import InputError, MissingFileError
from deciban.files import read_whole
from deciban.limits import check_memory

__all__ = ["DocumentFolder", "has_documents", "read_document_folder"]


@dataclass(frozen=True)
class DocumentFolder:
    """The documents of a folder, with those methods of a `FileSource` that do not count."""

    folder: Path
    labelled: bool = False
    encoding: str | None = None

    @property
    def names(self) -> tuple[str, ...]:
        return ("file", "label", "text") if self.labelled else ("file", "text")

    def read(self, columns: Sequence[str] | None = None) -> pa.Table:
        """All documents, in memory."""
        table = read_document_folder(self.folder, labelled=self.labelled, encoding=self.encoding)
        return table if columns is None else table.select(list(columns))

    def batches(self, columns: Sequence[str] | None = None) -> Iterator[pa.Table]:
        """All documents at once."""
        yield self.read(columns)


def has_documents(folder: Path) -> bool:
    """True for a folder of documents; one with files of tables is a table."""
    return folder.is_dir() and not any(is_table(path) for path in folder.rglob("*") if path.is_file())


def read_document_folder(folder: Path, *, labelled: bool = True, encoding: str | None = None) -> pa.Table:
    """The documents of a folder as a table with the columns "file", "label" and "text".

    Parameters
    ----------
    folder
        Holds a folder for each class; or documents, where they need no label.
    labelled
        Whether every document must be in a class folder. Otherwise there is no column "label".
    encoding
        The encoding of the documents. None: that which the bytes of each document say, with a warning where it is not
        UTF-8.
    """
    encoding = check_encoding(encoding)
    inside = (path for path in folder.rglob("*") if path.is_file())
    files = sorted(path for path in inside if not is_hidden(path.relative_to(folder)))
    if not files:
        raise MissingFileError(f"the folder {folder} has no files.")
    names = [path.relative_to(folder) for path in files]
    loose = [str(name) for name in names if len(name.parts) == 1]
    if labelled and loose:
        raise InputError(
            f"{folder / loose[0]} is in no class folder. Put each document into a folder whose name is its class."
        )
    check_memory("the documents", sum(path.stat().st_size for path in files), itemsize=1)
    columns = {"file": [name.as_posix() for name in names]}
    if labelled:
        columns["label"] = [name.parts[0] for name in names]
    texts = {file: decoded(read_whole(file), encoding) for file in files}
    warn_of({file: found for file, (_, found) in texts.items() if found is not None})
    return pa.table({**columns, "text": [text for text, _ in texts.values()]})
