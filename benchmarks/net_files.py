"""Reading and writing Bayes nets, against pyAgrum and pgmpy.

Parity comes first: the sorted entries of every table agree to 1e-7.
"""

from __future__ import annotations

import gzip
import tempfile
from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from rich.console import Console

import deciban as db
from benchmarks.accuracy import TABLES
from benchmarks.machine import describe_machine, others_since, read_usage
from benchmarks.parity import ParityError
from benchmarks.promises import Limit, Ratio, clock, measure, race
from benchmarks.report import markdown_table

__all__ = ["NETS", "NetFindings", "measure_net_files", "peers_of", "render_net_files", "rendered", "told"]

NETS = TABLES.parent / "nets"
_SAME = 1e-7
_LARGE = "diabetes"
_PGMPY_ROUNDS = 1
_INTRO = """## Files of Bayes nets

Measured with `python -m benchmarks --only net-files` on {machine}{peers}.{others}

diabetes.bif holds 413 nodes and 461,069 table entries in 5.5 MB of text. Before timing, every table of both libraries
has the same entries to 1e-7. Times are medians of alternating runs after a warm-up; pgmpy, which takes seconds, runs
once after its own. A ratio is the peer's time over deciban's.
"""
_RATIO_HEAD = ("work", "peer", "peer ms", "deciban ms", "ratio", "at least", "holds?")
_LIMIT_HEAD = ("work", "deciban", "at most", "holds?")


class NetFindings(NamedTuple):
    """All that was measured; `notes` say what was not, and why."""

    ratios: list[Ratio]
    limits: list[Limit]
    notes: list[str]
    others: float | None


def measure_net_files(console: Console) -> NetFindings:
    """Check parity, then time; nothing but a note where the nets are absent."""
    if not NETS.is_dir():
        return NetFindings([], [], ["Not measured: `../shared/data/nets` is absent."], None)
    start = read_usage()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{_LARGE}.bif"
        path.write_bytes(gzip.decompress((NETS / f"{_LARGE}.bif.gz").read_bytes()))
        net = db.read_net(path)
        ratios, notes = _race_readers(path, net)
        limits = [Limit(f"{path.name}, 5.5 MB: read", measure(clock(partial(db.read_net, path))), 1, "s")]
        limits += [
            _time_format(net, Path(folder) / f"net.{suffix}") for suffix in ("net", "xmlbif", "xdsl", "uai", "json")
        ]
    return told(NetFindings(ratios, limits, notes, others_since(start)), console)


def render_net_files(found: NetFindings) -> str:
    """The section, in Markdown."""
    return rendered(found, _INTRO)


def told(found: NetFindings, console: Console) -> NetFindings:
    """The findings, shown."""
    rows: list[Ratio | Limit] = [*found.ratios, *found.limits]
    for row in rows:
        console.print(f"[bold]{row.title}[/]: {', '.join(row.figures())}")
    for note in found.notes:
        console.print(note)
    return found


def rendered(found: NetFindings, intro: str) -> str:
    """A section of ratios and limits."""
    others = "" if found.others is None else f" Other processes took {100 * found.others:.0f} % of it meanwhile."
    peers = "".join(f", {name} {version(name)}" for name in ("pyAgrum", "pgmpy") if not peers_of(name))
    parts = [intro.format(machine=describe_machine(), peers=peers, others=others)]
    if found.limits:
        parts += [markdown_table(_RATIO_HEAD, found.ratios)] if found.ratios else []
        parts += [markdown_table(_LIMIT_HEAD, found.limits)]
    return "\n".join([*parts, *(f"{note}\n" for note in found.notes)])


def peers_of(name: str) -> list[str]:
    """A note where a peer is not installed, else nothing."""
    return [] if find_spec(name.lower()) else [f"{name} is not installed, and not compared."]


def _race_readers(path: Path, net: db.BayesNet) -> tuple[list[Ratio], list[str]]:
    ours = clock(partial(db.read_net, path))
    ratios, notes = [], peers_of("pyAgrum") + peers_of("pgmpy")
    if not peers_of("pyAgrum"):
        load = partial(import_module("pyagrum").loadBN, str(path))
        theirs = load()
        _check("pyAgrum", net, {node: theirs.cpt(node).toarray() for node in theirs.names()})
        ratios.append(race(f"{path.name}: read", "pyAgrum's loadBN", clock(load), ours, 3))
    if not peers_of("pgmpy"):
        read = _pgmpy_reader(path)
        _check("pgmpy", net, {cpd.variable: cpd.values for cpd in read().get_cpds()})
        ratios.append(race(f"{path.name}: read", "pgmpy's BIFReader", clock(read), ours, 30, _PGMPY_ROUNDS))
    return ratios, notes


def _pgmpy_reader(path: Path) -> Callable[[], Any]:
    reader = import_module("pgmpy.readwrite").BIFReader
    return lambda: reader(str(path)).get_model()


def _check(peer: str, net: db.BayesNet, theirs: Mapping[str, NDArray[np.float64]]) -> None:
    for node, table in theirs.items():
        gap = float(np.abs(np.sort(net.tables[node].ravel()) - np.sort(np.asarray(table).ravel())).max())
        if not gap <= _SAME:
            raise ParityError(f"the table of {node} differs from that of {peer} by {gap:.1e}, more than {_SAME:.0e}.")


def _time_format(net: db.BayesNet, path: Path) -> Limit:
    """Write, read again, compare, and time the reading."""
    net.write(path)
    if db.read_net(path) != net:
        raise ParityError(f"{path.name} does not give back what was written.")
    return Limit(f"{_LARGE} as {path.suffix}: read", measure(clock(partial(db.read_net, path))), 1, "s")
