"""Structure learning from a Parquet file against the same rows in memory: time, and memory that is not a mapped file.

``python -m benchmarks.engines.nets files PATH`` runs ``discover`` in a fresh interpreter on the file, ``memory`` on the
Arrow table that was read from it before; both print the seconds, the peak of RssAnon above its start and the edges as
JSON. Pages of mapped files are not counted: the system takes them back when memory is short.
"""

from __future__ import annotations

import json
import sys
import threading
import timeit
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

import deciban as db
from benchmarks.engines.samples import folder
from benchmarks.harness.memory import run_fresh
from benchmarks.harness.parity import ParityError
from benchmarks.harness.paths import NETS
from benchmarks.harness.results import Limit, Ratio

__all__ = ["ROWS", "time_nets"]

ROWS = 5_000_000
_AT_A_TIME = 250_000
_MOST_MEGABYTES = 1000


def time_nets(scale: float) -> Iterator[Ratio | Limit]:
    """``discover`` on rows of the alarm network."""
    rows = max(int(ROWS * scale), _AT_A_TIME)
    path = _file_of(rows)
    files, memory = (run_fresh("benchmarks.engines.nets", how, path) for how in ("files", "memory"))
    if files["edges"] != memory["edges"]:
        raise ParityError(f"the graph that is found from {path} differs from that of its rows in memory.")
    title = f"{rows:,} rows of alarm as Parquet: `db.discover`"
    yield Ratio(title, "deciban on the rows in memory", memory["seconds"], files["seconds"], 0.5)
    yield Limit(f"{title}, peak memory", files["peak"] / 1e6, _MOST_MEGABYTES, "MB")


def _file_of(rows: int) -> Path:
    """Rows of the alarm network, drawn with fixed seeds; the file is made where it does not exist."""
    path = folder() / f"alarm-{rows}.parquet"
    if path.exists():
        return path
    net = db.read_net(NETS / "alarm.bif.gz")
    part = path.with_suffix(".part")
    writer = None
    for seed, begin in enumerate(range(0, rows, _AT_A_TIME)):
        drawn = net.sample(min(_AT_A_TIME, rows - begin), random_state=seed)
        table = pa.table({name: drawn[name].cast(pa.string()) for name in drawn.column_names})
        writer = writer or pq.ParquetWriter(part, table.schema)
        writer.write_table(table)
    if writer is not None:
        writer.close()
    return part.rename(path)


class _Watch:
    """The peak of the memory of this process that is not a mapped file, looked at fifty times a second."""

    def __init__(self) -> None:
        self._start = self._peak = _anonymous()
        self._ended = threading.Event()
        threading.Thread(target=self._look, daemon=True).start()

    def _look(self) -> None:
        while not self._ended.wait(0.02):
            self._peak = max(self._peak, _anonymous())

    def rise(self) -> int:
        """The peak above the start."""
        self._ended.set()
        return max(self._peak, _anonymous()) - self._start


def _anonymous() -> int:
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("RssAnon"))


def main(how: str, path: str) -> dict[str, Any]:
    """Find the graph once."""
    watch = _Watch()
    start = timeit.default_timer()
    data = path if how == "files" else pq.read_table(path)
    found = db.discover(data)
    seconds = timeit.default_timer() - start
    return {"seconds": seconds, "peak": watch.rise(), "edges": str(found.graph)}


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1], sys.argv[2])))
