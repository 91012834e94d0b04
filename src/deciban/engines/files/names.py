"""The files that a name, a glob, a folder or a list of them stands for: tables, or documents as one file each.

Documents lie in class folders, whose names are the labels, or side by side in one folder:

    mails/ham/0001.txt   mails/ham/0002.txt   mails/spam/0001.txt

Folders inside a class folder belong to its class. Names that begin with a dot or an underscore are not data.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa

from deciban.engines.files.text_files import check_encoding, decoded, warn_of
from deciban.errors import FileError, InputError, MissingFileError, ParameterError
from deciban.files import as_path, check_readable, read_whole
from deciban.limits import check_memory

__all__ = ["DocumentFolder", "FileFormat", "format_of", "has_documents", "list_files", "read_document_folder"]

FileFormat = Literal["csv", "parquet", "arrow", "json", "excel"]

_FORMATS: dict[str, FileFormat] = {
    ".csv": "csv",
    ".tsv": "csv",
    ".tab": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
    ".jsonl": "json",
    ".ndjson": "json",
    ".json": "json",
    ".xlsx": "excel",
    ".xlsm": "excel",
    ".xlsb": "excel",
    ".xls": "excel",
    ".ods": "excel",
}
_COMPRESSIONS = {".gz": "gzip", ".zst": "zstd"}
_ENDINGS = ", ".join(_FORMATS) + f" (CSV and JSON Lines also compressed: {', '.join(_COMPRESSIONS)})"


def list_files(source: Any) -> tuple[Path, ...]:
    """The files, those of a glob or folder in the order of their names; a file that is named twice is an error."""
    names = source if isinstance(source, list | tuple) else [source]
    files = tuple(file for name in names for file in _expanded(name))
    if len(set(files)) < len(files):
        twice = next(file for file in files if files.count(file) > 1)
        raise ParameterError(f"{twice} is named twice, so its rows would be counted twice.")
    return files


def _expanded(name: Any) -> Iterator[Path]:
    path = as_path(name)
    if path.is_dir():
        tables = [file for file in _data_files(path) if _is_table(file)]
        if not tables:
            raise MissingFileError(f"the folder {path} has no file that ends in {_ENDINGS}.")
        yield from tables
    # A file is asked for before a glob, since its name may contain the signs of one, as in "rows[1].csv".
    elif path.exists() or not glob.has_magic(str(path)):
        check_readable(path)
        yield path
    else:
        matches = sorted(Path(match) for match in glob.glob(str(path), recursive=True) if not os.path.isdir(match))
        if not matches:
            raise MissingFileError(f"no file matches {path}.")
        yield from matches


def _data_files(folder: Path) -> list[Path]:
    """The files in a folder and its folders, in order.

    A file is no data where a part of its path begins with a dot or an underscore, as in Spark, which marks a folder
    that is complete by a file _SUCCESS.
    """
    inside = (path for path in folder.rglob("*") if path.is_file())
    return sorted(path for path in inside if not any(part[0] in "._" for part in path.relative_to(folder).parts))


def _is_table(path: Path) -> bool:
    """Whether the name of a file is that of a table."""
    return _suffixes(path)[0] in _FORMATS


def format_of(path: Path) -> tuple[FileFormat, str | None]:
    """The format and the compression (gzip, zstd or None) of a file, by the end of its name."""
    suffix, compression = _suffixes(path)
    if suffix not in _FORMATS:
        raise FileError(f"the format of {path} is not known: its name ends in none of {_ENDINGS}.")
    kind = _FORMATS[suffix]
    if compression is not None and kind not in ("csv", "json"):
        raise FileError(f"{path} is compressed as a whole; {kind.capitalize()} files compress their own columns.")
    return kind, compression


def _suffixes(path: Path) -> tuple[str, str | None]:
    """The suffix that names the format, and the compression."""
    suffixes = [suffix.lower() for suffix in path.suffixes] or [""]
    compression = _COMPRESSIONS.get(suffixes[-1])
    return (suffixes[-2] if compression and len(suffixes) > 1 else suffixes[-1]), compression


# Documents ---------------------------------------------------------------------------------------------------------


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
    return folder.is_dir() and not any(_is_table(path) for path in folder.rglob("*") if path.is_file())


def read_document_folder(folder: Path, *, labelled: bool = True, encoding: str | None = None) -> pa.Table:
    """The documents of a folder as a table with the columns "file", "label" and "text".

    Where they are `labelled`, each must be in a class folder; otherwise there is no column "label". An `encoding` of
    None is that which the bytes of each document say, with a warning where it is not UTF-8.
    """
    encoding = check_encoding(encoding)
    files = _data_files(folder)
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
    # One warning for each encoding, after all documents: one for each document would be as many as there are files.
    warn_of({file: found for file, (_, found) in texts.items() if found is not None})
    return pa.table({**columns, "text": [text for text, _ in texts.values()]})
