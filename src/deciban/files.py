"""Files that are written at once or not at all."""

from __future__ import annotations

import os
from pathlib import Path
from secrets import token_hex

__all__ = ["write_whole"]


def write_whole(path: Path, content: bytes) -> None:
    """Write beside the file, see it on disk, and only then take its place."""
    beside = path.with_name(f".{path.name}.{token_hex(8)}.tmp")
    try:
        with beside.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
