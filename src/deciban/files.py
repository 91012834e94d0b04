"""Files that are read within a limit, and written at once or not at all.

Whatever keeps the system from opening a file is one of two errors: a ``MissingFileError`` where there is no such file
or folder, a ``FileAccessError`` otherwise. Compressed files are decompressed piece by piece, so that a small one which
stands for gigabytes ("decompression bomb") is refused once the limit is reached.
"""

from __future__ import annotations

import gzip
import io
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from typing import BinaryIO

from deciban.choices import did_you_mean
from deciban.errors import (
    DamagedFileError,
    DecibanError,
    FileAccessError,
    InputTypeError,
    MissingFileError,
    TooLargeError,
)
from deciban.limits import VARIABLE, in_bytes, memory_limit

__all__ = ["as_path", "check_readable", "read_text", "read_whole", "replacing", "write_whole"]

# RFC 1952, 2.3.1: a gzip file is known by its first bytes, whatever its name.
_COMPRESSED = b"\x1f\x8b"
_PIECE = 1 << 20
# Numbers, names and tables take several times as many bytes as the text that describes them.
_TEXT_SHARE = 16


def as_path(path: object) -> Path:
    """The given path; an error where it is not a path."""
    if not isinstance(path, str | os.PathLike) or isinstance(os.fspath(path), bytes):
        raise InputTypeError(f"a file is named by a string or a Path, not by {path!r}.")
    return Path(path)


def check_readable(path: Path) -> None:
    """Raise an error where a file does not exist, or may not be read."""
    try:
        with path.open("rb"):
            pass
    except (OSError, ValueError) as error:
        raise _refused(path, error, "read") from None


def read_whole(path: Path, most: int | None = None) -> bytes:
    """The bytes of a file: at most ``most``, or the memory limit."""
    most = memory_limit() if most is None else most
    try:
        with path.open("rb") as file:
            # The size is only a first check: a pipe has none, and a file may grow while it is read (see `_pieces`).
            size = os.fstat(file.fileno()).st_size
            if size > most:
                raise TooLargeError(_too_large(str(path), in_bytes(size), most))
            return _pieces(file, most, str(path))
    except (OSError, ValueError) as error:  # a ValueError: there is a null character in the name
        raise _refused(path, error, "read") from None


def read_text(path: Path) -> bytes:
    """The bytes of a text file that may be compressed: at most a sixteenth of the memory limit."""
    most = max(memory_limit() // _TEXT_SHARE, 1)
    raw = read_whole(path, most)
    if not raw.startswith(_COMPRESSED):
        return raw
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(raw)) as file:
            return _pieces(file, most, f"{path}, decompressed,")
    except (EOFError, OSError, zlib.error) as error:
        raise DamagedFileError(f"{path} is compressed, and truncated or damaged: {error}") from None


def write_whole(path: Path, content: bytes) -> None:
    """Write to a new file in the same folder, flush it to the disk, and only then replace the old file by it."""
    with replacing(path) as file:
        file.write(content)


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A new file in the same folder, which replaces the old one at the end; on an error the old one stays.

    The folder is flushed last: the new name could otherwise be lost in a power failure. A link keeps its place, and the
    file that it names is replaced. A device or a pipe, such as ``/dev/null``, is written to as it is.
    """
    if "\0" in str(path):
        raise _refused(path, ValueError("its name has a null character"), "written")
    if _is_special(path):
        with _written_in_place(path) as file:
            yield file
        return
    path = _target(path)
    # In the same folder, because `os.replace` is atomic within one file system only.
    beside = path.with_name(f".{path.name}.{token_hex(8)}.tmp")
    try:
        with beside.open("xb") as file:
            yield file
            file.flush()
            # Before the rename: else the new name may stand for an empty file after a crash.
            os.fsync(file.fileno())
        os.replace(beside, path)
        _flush_folder(path.parent)
    except BaseException as error:  # also KeyboardInterrupt, or a half-written file would stay behind
        with suppress(OSError):
            beside.unlink(missing_ok=True)
        if isinstance(error, OSError) and not isinstance(error, DecibanError):
            raise _refused(path, error, "written") from None
        raise


def _is_special(path: Path) -> bool:
    """True for a device, a pipe or a socket, also behind a link."""
    try:
        return path.exists() and not path.is_file() and not path.is_dir()
    except OSError:  # no permission to look
        return False


def _target(path: Path) -> Path:
    """The file that a link leads to; any other path as it is."""
    try:
        return path.resolve() if path.is_symlink() else path
    except (OSError, RuntimeError) as error:  # a circle of links
        raise _refused(path, OSError(str(error)), "written") from None


@contextmanager
def _written_in_place(path: Path) -> Iterator[BinaryIO]:
    try:
        with path.open("wb") as file:
            yield file
    except OSError as error:
        if isinstance(error, DecibanError):
            raise
        raise _refused(path, error, "written") from None


def _flush_folder(folder: Path) -> None:
    """Flush the names in a folder to the disk, where the system lets a program open folders (not on Windows)."""
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except PermissionError:
        return
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _pieces(file: io.BufferedIOBase, most: int, name: str) -> bytes:
    """All bytes of a stream, if they are at most ``most``."""
    content = bytearray()
    # One byte more than allowed is asked for: a file of exactly the limit is read, a longer one is known to be longer.
    while piece := file.read(min(_PIECE, most + 1 - len(content))):
        content += piece
        if len(content) > most:
            raise TooLargeError(_too_large(name, f"more than {in_bytes(most)}", most))
    return bytes(content)


def _too_large(name: str, found: str, most: int) -> str:
    return (
        f"{name} has {found}; files of up to {in_bytes(most)} are read, as reading them takes several times as much. "
        f"Raise the memory limit, the environment variable {VARIABLE}, which is {in_bytes(memory_limit())}."
    )


def _refused(path: Path, error: OSError | ValueError, done: str) -> FileAccessError:
    """The error that a file cannot be read or written, which names what is missing and what is there instead."""
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        missing = path
        while missing.parent != missing and not missing.parent.is_dir():
            missing = missing.parent
        if missing.exists():
            return FileAccessError(f"{path} cannot be {done}: {missing} is a file, not a folder.")
        kind = "file" if missing == path else "folder"
        return MissingFileError(f"{path} cannot be {done}: there is no {kind} {missing}.{_close_name(missing)}")
    if path.is_dir():
        return FileAccessError(f"{path} cannot be {done}: it is a folder. Name a file in it.")
    return FileAccessError(f"{path} cannot be {done}: {getattr(error, 'strerror', None) or error}.")


def _close_name(missing: Path) -> str:
    """The closest name in the folder where one is missing; nothing where none is close."""
    try:
        hint = did_you_mean(missing.name, [entry.name for entry in missing.parent.iterdir()])
    except OSError:
        return ""
    # Not the list of all names: a folder may have thousands.
    return hint if "Did you mean" in hint else ""
