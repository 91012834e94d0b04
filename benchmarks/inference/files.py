"""The section `net-files`: reading and writing Bayes nets, against pyAgrum and pgmpy.

Parity comes first: the sorted entries of every table agree to 1e-7.
"""

from __future__ import annotations

import gzip
import tempfile
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import deciban as db
from benchmarks.harness.machine import describe_run, missing_peer, read_usage
from benchmarks.harness.options import Options
from benchmarks.harness.parity import ParityError
from benchmarks.harness.paths import NETS
from benchmarks.harness.results import Findings, Limit, Ratio, race
from benchmarks.harness.timing import clock, measure

__all__ = ["FORMATS", "LARGE", "run"]

LARGE = "diabetes"
FORMATS = ("net", "xmlbif", "xdsl", "uai", "json")
_SAME = 1e-7
_PGMPY_ROUNDS = 1
_INTRO = """Measured with `python -m benchmarks --only net-files` on {machine}.{others}

diabetes.bif holds 413 nodes and 461,069 table entries in 5.5 MB of text. Before timing, every table of both libraries
has the same entries to 1e-7. Times are medians of alternating runs after a warm-up; pgmpy, which takes seconds, runs
once after its own. A ratio is the peer's time over deciban's.
"""


def run(options: Options) -> str:
    """Check parity, then time; only a note where the nets are absent."""
    start, found = read_usage(), Findings()
    if NETS.is_dir():
        found.collect(_measure(), options.console)
    else:
        found.notes.append("Not measured: `../shared/data/nets` is absent.")
    return found.render(_INTRO.format(**describe_run(start, "pyAgrum", "pgmpy")))


def _measure() -> Iterator[Ratio | Limit | str]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{LARGE}.bif"
        path.write_bytes(gzip.decompress((NETS / f"{LARGE}.bif.gz").read_bytes()))
        net = db.read_net(path)
        yield from _race_readers(path, net)
        yield Limit(f"{path.name}, 5.5 MB: read", measure(clock(partial(db.read_net, path))), 1, "s")
        yield from (_time_format(net, Path(folder) / f"net.{suffix}") for suffix in FORMATS)


def _race_readers(path: Path, net: db.BayesNet) -> Iterator[Ratio | str]:
    ours = clock(partial(db.read_net, path))
    yield from missing_peer("pyAgrum") + missing_peer("pgmpy")
    if not missing_peer("pyAgrum"):
        load = partial(import_module("pyagrum").loadBN, str(path))
        theirs = load()
        _check("pyAgrum", net, {node: theirs.cpt(node).toarray() for node in theirs.names()})
        yield race(f"{path.name}: read", "pyAgrum's loadBN", clock(load), ours, 3)
    if not missing_peer("pgmpy"):
        read = _pgmpy_reader(path)
        _check("pgmpy", net, {cpd.variable: cpd.values for cpd in read().get_cpds()})
        yield race(f"{path.name}: read", "pgmpy's BIFReader", clock(read), ours, 30, _PGMPY_ROUNDS)


def _pgmpy_reader(path: Path) -> Callable[[], Any]:
    reader = import_module("pgmpy.readwrite").BIFReader
    return lambda: reader(str(path)).get_model()


def _check(peer: str, net: db.BayesNet, theirs: Mapping[str, NDArray[np.float64]]) -> None:
    for node, table in theirs.items():
        worst = float(np.abs(np.sort(net.tables[node].ravel()) - np.sort(np.asarray(table).ravel())).max())
        if not worst <= _SAME:
            raise ParityError(f"the table of {node} differs from that of {peer} by {worst:.1e}, more than {_SAME:.0e}.")


def _time_format(net: db.BayesNet, path: Path) -> Limit:
    """Write, read back, compare, and time the reading."""
    net.write(path)
    if db.read_net(path) != net:
        raise ParityError(f"reading {path.name} gives another net than the one that was written.")
    return Limit(f"{LARGE} as {path.suffix}: read", measure(clock(partial(db.read_net, path))), 1, "s")
