"""Results on disk: a run that was stopped goes on where it ended, and peers are not fitted again.

A file holds one JSON object a line, `{"key": …, "value": …}`, each after a line break, so that one that was cut off
does not spoil the next. The key has everything that the value depends on: the data, the model's settings, the versions
of the packages, the seed and the fold. Values with other keys stay in the file and are not used.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

__all__ = ["Store"]


class Store:
    """The results in a folder.

    Parameters
    ----------
    folder : where the files are; it need not exist
    is_fresh : compute everything again, and keep the new results

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> Store(folder).get("iris", "GaussianNB", {"fold": 0}, lambda: 0.9)
    0.9
    >>> Store(folder).get("iris", "GaussianNB", {"fold": 0}, lambda: 0.8)
    0.9
    >>> Store(folder, is_fresh=True).get("iris", "GaussianNB", {"fold": 0}, lambda: 0.8)
    0.8
    """

    def __init__(self, folder: Path, is_fresh: bool = False) -> None:
        self._folder, self._is_fresh = folder, is_fresh
        self._files: dict[Path, dict[str, Any]] = {}

    def get(self, group: str, name: str, key: Mapping[str, Any], compute: Callable[[], Any]) -> Any:
        """The value of a key, which is computed and written unless the file of `group` and `name` has it."""
        path = self._folder / _slug(group) / f"{_slug(name)}.jsonl"
        if path not in self._files:
            self._files[path] = {} if self._is_fresh else dict(_read(path))
        values, text = self._files[path], _text(key)
        if text not in values:
            values[text] = compute()
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("a", encoding="utf-8") as file:
                file.write(f"\n{json.dumps({'key': key, 'value': values[text]})}")
        return values[text]


def _read(path: Path) -> Iterator[tuple[str, Any]]:
    """Keys and values; the later of two equal keys counts, and a line that was not written to its end is left out."""
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
        try:
            found = json.loads(line)
        except json.JSONDecodeError:
            continue
        yield _text(found["key"]), found["value"]


def _text(key: Mapping[str, Any]) -> str:
    return json.dumps(key, sort_keys=True)


def _slug(name: str) -> str:
    return re.sub(r"\W+", "-", name).strip("-").lower()
