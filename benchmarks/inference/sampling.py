"""The section `sampling`: rows drawn from ALARM, against pyAgrum and pgmpy.

Parity comes first: the marginals of 100,000 rows of each library agree to 0.01.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import deciban as db
from benchmarks.harness.machine import describe_run, missing_peer, read_usage
from benchmarks.harness.options import Options
from benchmarks.harness.parity import ParityError
from benchmarks.harness.paths import NETS
from benchmarks.harness.results import Findings, Limit, Ratio, race
from benchmarks.harness.timing import Task, clock, measure

__all__ = ["run", "sampling_tasks"]

_ROWS, _FEW, _SAME = 1_000_000, 100_000, 0.01
_EVIDENCE: dict[Any, Any] = {"BP": "LOW", "HRBP": "HIGH"}
_ROUNDS = 1  # the peers take seconds to minutes
_MOST_SECONDS = 2
_INTRO = """Measured with `python -m benchmarks --only sampling` on {machine}.{others}

ALARM has 37 nodes. Before timing, the marginals of 100,000 rows of each library agree to 0.01. deciban gives an Arrow
table of labels, pyAgrum keeps the rows in its generator, pgmpy gives a pandas frame. The evidence is BP=LOW and
HRBP=HIGH. Times are medians of runs after a warm-up; the peers take long, so they and deciban beside them run once
after the warm-up. A ratio is the peer's time over deciban's.
"""


def run(options: Options) -> str:
    """Check parity, then time; only a note where the nets are absent."""
    start, found, path = read_usage(), Findings(), NETS / "alarm.bif.gz"
    if path.exists():
        net, rows = db.read_net(path), int(_ROWS * options.scale)
        found.collect(_race(net, rows), options.console)
        found.collect(_time(net, rows), options.console)
    else:
        found.notes.append("Not measured: `../shared/data/nets` is absent.")
    return found.render(_INTRO.format(**describe_run(start, "pyAgrum", "pgmpy")))


def sampling_tasks(net: db.BayesNet, rows: int = _ROWS) -> dict[str, Task]:
    """Every way to draw rows, by title."""
    few = rows // 10
    given: dict[str, Any] = {"evidence": _EVIDENCE, "random_state": 0}
    return {
        f"{rows:,} rows": lambda: net.sample(rows, random_state=0),
        f"{rows:,} rows given two nodes, exact": lambda: net.sample(rows, **given),
        f"{rows:,} rows given two nodes, weighted": lambda: net.sample_weighted(rows, **given),
        f"{few:,} rows given two nodes, Gibbs": lambda: net.sample_gibbs(few, **given),
    }


def _time(net: db.BayesNet, rows: int) -> Iterator[Limit]:
    for title, task in sampling_tasks(net, rows).items():
        yield Limit(f"ALARM: {title}", measure(clock(task)), _MOST_SECONDS, "s")


def _race(net: db.BayesNet, rows: int) -> Iterator[Ratio | str]:
    ours = clock(lambda: net.sample(rows, random_state=0))
    expected = net.sample(_FEW, random_state=1).to_pandas()
    for peer, make in {"pyAgrum": _agrum, "pgmpy": _pgmpy}.items():
        if missing_peer(peer):
            yield from missing_peer(peer)
            continue
        draw, frame = make()
        _check(peer, expected, frame(_FEW))
        yield race(f"ALARM: {rows:,} rows", peer, clock(partial(draw, rows)), ours, 3, _ROUNDS)


def _check(peer: str, ours: Any, theirs: Any) -> None:
    for node in ours.columns:
        shares = [frame[node].astype(str).value_counts(normalize=True) for frame in (ours, theirs)]
        worst = float(np.abs(shares[0].sub(shares[1], fill_value=0.0)).max())
        if not worst <= _SAME:
            raise ParityError(f"the marginals of {node} differ from those of {peer} by {worst:.3f}, more than {_SAME}.")


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
    """ALARM loaded by a peer that does not read compressed files."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "alarm.bif"
        db.read_net(NETS / "alarm.bif.gz").write(path)
        return load(str(path))
