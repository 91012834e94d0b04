"""The section `posteriors`: posteriors of a class in the net ALARM, against pgmpy.

Parity comes first: both count the same 50,000 rows, drawn from the net, without smoothing, and the posteriors of 100
further rows agree to 1e-9.
"""

from __future__ import annotations

import warnings
from functools import partial
from importlib import import_module
from typing import Any

import deciban as db
from benchmarks.harness.machine import describe_run, missing_peer, read_usage
from benchmarks.harness.options import Options
from benchmarks.harness.parity import check_posteriors
from benchmarks.harness.paths import NETS
from benchmarks.harness.results import Findings, Ratio, race
from benchmarks.harness.timing import clock

__all__ = ["run"]

_TARGET, _FITTED, _PREDICTED, _FEW, _SEED = "HYPOVOLEMIA", 50_000, 10_000, 100, 0
_SAME, _AT_LEAST = 1e-9, 50
_INTRO = """Measured with `python -m benchmarks --only posteriors` on {machine}.{others}

`BayesNetClassifier` and pgmpy's `predict_probability` predict HYPOVOLEMIA from the other 36 nodes of ALARM. Both have
counted the same 50,000 rows, and before timing their posteriors agree to 1e-9. pgmpy, which takes long, runs once after
a warm-up, as deciban does beside it. A ratio is the peer's time over deciban's.
"""


def run(options: Options) -> str:
    """Check parity, then time; only a note where the nets or pgmpy are absent."""
    start, path = read_usage(), NETS / "alarm.bif.gz"
    found = Findings(notes=missing_peer("pgmpy"))
    if not path.exists():
        found.notes = ["Not measured: `../shared/data/nets` is absent."]
    if not found.notes:
        found.collect([_race(db.read_net(path), int(_PREDICTED * options.scale))], options.console)
    return found.render(_INTRO.format(**describe_run(start, "pgmpy")))


def _race(net: db.BayesNet, predicted: int) -> Ratio:
    table = net.sample(_FITTED + predicted, random_state=_SEED).to_pandas().astype(str)
    fitted, rows = table[:_FITTED], table[_FITTED:].drop(columns=_TARGET)
    ours = db.BayesNetClassifier(net.dag, target=_TARGET, smoothing=db.MLE(), strength=0, temperature=1.0)
    ours.fit(fitted.drop(columns=_TARGET), fitted[_TARGET])
    theirs = _pgmpy(net, fitted)
    few = theirs.predict_probability(rows[:_FEW])
    named = [f"{_TARGET}_{label}" for label in ours.classes_]
    check_posteriors("pgmpy", ours.predict_proba(rows[:_FEW]), few[named].to_numpy(), _SAME)
    peer, own = clock(partial(theirs.predict_probability, rows)), clock(partial(ours.predict_proba, rows))
    return race(f"ALARM: posteriors of {predicted:,} rows", "pgmpy", peer, own, _AT_LEAST, 1)


def _pgmpy(net: db.BayesNet, rows: Any) -> Any:
    warnings.simplefilter("ignore")  # it warns of its own future changes
    model = import_module("pgmpy.models").DiscreteBayesianNetwork(list(net.dag.directed_edges))
    model.fit(rows)
    return model
