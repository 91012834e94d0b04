"""The files that a name, a glob, a folder or a list of them stands for."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

from deciban.errors import FileError, MissingFileError, ParameterError
from deciban.files import as_path, check_readable

__all__ = ["FileFormat", "format_of", "is_hidden", "is_table", "list_files"]

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


def list_files(source: Any) -> tuple[Path, ...]:
    """The files, those of a glob or folder in the order of their names; a file that is named twice is an error."""
    if isinstance(source, list | tuple):
        files = tuple(file for item in source for file in _expanded(item))
    else:
        files = tuple(_expanded(source))
    twice = [file for file in files if files.count(file) > 1] if len(set(files)) < len(files) else []
    if twice:
        raise ParameterError(f"{twice[0]} is named twice, so its rows would be counted twice.")
    return files


def _expanded(name: Any) -> Iterator[Path]:
    path = as_path(name)
    if path.is_dir():
        yield from _in_folder(path)
    elif path.exists() or not glob.has_magic(str(path)):
        check_readable(path)
        yield path
    else:
        found = sorted(Path(match) for match in glob.glob(str(path), recursive=True) if not os.path.isdir(match))
        if not found:
            raise MissingFileError(f"no file matches {path}.")
        yield from found


def _in_folder(folder: Path) -> Iterator[Path]:
    """The tables in a folder and its folders."""
    inside = (path for path in folder.rglob("*") if path.is_file())
    known = sorted(p for p in inside if is_table(p) and not is_hidden(p.relative_to(folder)))
    if not known:
        raise MissingFileError(f"the folder {folder} has no file that ends in {_endings()}.")
    yield from known


def is_hidden(path: Path) -> bool:
    """True where a part of a relative path begins with a dot or an underscore: it is not data (as in Spark)."""
    return any(part[0] in "._" for part in path.parts)


def is_table(path: Path) -> bool:
    """Whether the name of a file is that of a table."""
    return _suffixes(path)[0] in _FORMATS


def format_of(path: Path) -> tuple[FileFormat, str | None]:
    """The format and the compression (gzip, zstd or None) of a file, by the end of its name."""
    suffix, compression = _suffixes(path)
    if suffix not in _FORMATS:
        raise FileError(f"the format of {path} is not known: its name ends in none of {_endings()}.")
    kind = _FORMATS[suffix]
    if compression is not None and kind not in ("csv", "json"):
        raise FileError(f"{path} is compressed as a whole; {kind.capitalize()} files compress their own columns.")
    return kind, compression


def _suffixes(path: Path) -> tuple[str, str | None]:
    suffixes = [suffix.lower() for suffix in path.suffixes] or [""]
    compression = _COMPRESSIONS.get(suffixes[-1])
    return (suffixes[-2] if compression and len(suffixes) > 1 else suffixes[-1]), compression


def _endings() -> str:
    return ", ".join(_FORMATS) + f" (CSV and JSON Lines also compressed: {', '.join(_COMPRESSIONS)})"
