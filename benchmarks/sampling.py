"""Drawing rows from ALARM, against pyAgrum and pgmpy.

Parity comes first: the marginals of 100,000 rows of each library agree to 0.01.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from rich.console import Console

import deciban as db
from benchmarks.machine import others_since, read_usage
from benchmarks.net_files import NETS, NetFindings, peers_of, rendered, told
from benchmarks.parity import ParityError
from benchmarks.promises import Limit, Ratio, clock, measure, race
from deciban.nets.network import Evidence

__all__ = ["measure_sampling", "render_sampling"]

_ROWS, _FEW, _SAME = 1_000_000, 100_000, 0.01
_EVIDENCE: Evidence = {"BP": "LOW", "HRBP": "HIGH"}
_ROUNDS = 1  # the peers take seconds to minutes
_INTRO = """## Rows drawn from a Bayes net

Measured with `python -m benchmarks --only sampling` on {machine}{peers}.{others}

ALARM has 37 nodes. Before timing, the marginals of 100,000 rows of each library agree to 0.01. deciban gives an Arrow
table of labels, pyAgrum keeps the rows in its generator, pgmpy gives a pandas frame. The evidence is BP=LOW and
HRBP=HIGH. Times are medians of runs after a warm-up; beside the peers, which take long, each runs once after its own. A
ratio is the peer's time over deciban's.
"""


def measure_sampling(console: Console, scale: float = 1.0) -> NetFindings:
    """Check parity, then time; nothing but a note where the nets are absent."""
    path = NETS / "alarm.bif.gz"
    if not path.exists():
        return NetFindings([], [], ["Not measured: `../shared/data/nets` is absent."], None)
    start = read_usage()
    net, rows = db.read_net(path), int(_ROWS * scale)
    ratios, notes = _race(net, rows)
    limits = [
        _timed(f"{rows:,} rows", partial(net.sample, rows, 0), 2),
        _timed(f"{rows:,} rows given two nodes, exactly", partial(net.sample, rows, 0, _EVIDENCE), 2),
        _timed(f"{rows:,} rows given two nodes, weighted", partial(net.sample_weighted, rows, _EVIDENCE, 0), 2),
        _timed(f"{rows // 10:,} rows given two nodes, Gibbs", partial(net.sample_gibbs, rows // 10, _EVIDENCE, 0), 2),
    ]
    return told(NetFindings(ratios, limits, notes, others_since(start)), console)


def render_sampling(found: NetFindings) -> str:
    """The section, in Markdown."""
    return rendered(found, _INTRO)


def _timed(title: str, task: Callable[[], Any], at_most: float) -> Limit:
    return Limit(f"ALARM: {title}", measure(clock(task)), at_most, "s")


def _race(net: db.BayesNet, rows: int) -> tuple[list[Ratio], list[str]]:
    ratios, notes, title = [], peers_of("pyAgrum") + peers_of("pgmpy"), f"ALARM: {rows:,} rows"
    ours = clock(partial(net.sample, rows, 0))
    expected = net.sample(_FEW, 1).to_pandas()
    drawers = {"pyAgrum": _agrum, "pgmpy": _pgmpy}
    for peer, make in drawers.items():
        if peers_of(peer):
            continue
        draw, frame = make()
        _check(peer, expected, frame(_FEW))
        ratios.append(race(title, peer, clock(partial(draw, rows)), ours, 3, _ROUNDS))
    return ratios, notes


def _check(peer: str, ours: Any, theirs: Any) -> None:
    for node in ours.columns:
        shares = [frame[node].astype(str).value_counts(normalize=True) for frame in (ours, theirs)]
        gap = float(np.abs(shares[0].sub(shares[1], fill_value=0.0)).max())
        if not gap <= _SAME:
            raise ParityError(f"the marginals of {node} differ from those of {peer} by {gap:.3f}, more than {_SAME}.")


def _agrum() -> tuple[Callable[[int], Any], Callable[[int], Any]]:
    gum = import_module("pyagrum")
    net = _unzipped(gum.loadBN)
    generator = gum.BNDatabaseGenerator(net)

    def draw(rows: int, _kept: Any = net) -> Any:  # the generator does not keep its net alive
        return generator.drawSamples(rows)

    def frame(rows: int) -> Any:
        draw(rows)
        return generator.to_pandas()

    return draw, frame


def _pgmpy() -> tuple[Callable[[int], Any], Callable[[int], Any]]:
    reader = import_module("pgmpy.readwrite").BIFReader
    model = _unzipped(lambda path: reader(path).get_model())
    sampler = import_module("pgmpy.sampling").BayesianModelSampling(model)
    draw = partial(_forward, sampler)
    return draw, draw


def _forward(sampler: Any, rows: int) -> Any:
    return sampler.forward_sample(size=rows, seed=0, show_progress=False)


def _unzipped(load: Callable[[str], Any]) -> Any:
    """What a peer, which reads no compressed file, loads from ALARM's."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "alarm.bif"
        db.read_net(NETS / "alarm.bif.gz").write(path)
        return load(str(path))
