"""Posteriors of a class in the net ALARM, against pgmpy.

Parity comes first: both count the same 50,000 rows, drawn from the net, without smoothing, and the posteriors of 100
further rows agree to 1e-9.
"""

from __future__ import annotations

import warnings
from functools import partial
from importlib import import_module
from typing import Any

from rich.console import Console

import deciban as db
from benchmarks.machine import others_since, read_usage
from benchmarks.net_files import NETS, NetFindings, peers_of, rendered, told
from benchmarks.promises import Ratio, check, clock, race

__all__ = ["measure_posteriors", "render_posteriors"]

_TARGET, _LEARNED, _ASKED, _FEW, _SEED = "HYPOVOLEMIA", 50_000, 10_000, 100, 0
_SAME, _AT_LEAST = 1e-9, 50
_INTRO = """## Posteriors of a class in a Bayes net

Measured with `python -m benchmarks --only posteriors` on {machine}{peers}.{others}

`BayesNetClassifier` and pgmpy's `predict_probability` tell HYPOVOLEMIA from the other 36 nodes of ALARM. Both have
counted the same 50,000 rows, and before timing their posteriors agree to 1e-9. pgmpy, which takes long, runs once after
a warm-up, as deciban does beside it. A ratio is the peer's time over deciban's.
"""


def measure_posteriors(console: Console, *, is_quick: bool = False) -> NetFindings:
    """Check parity, then time; nothing but a note where the nets or pgmpy are absent."""
    path, notes = NETS / "alarm.bif.gz", peers_of("pgmpy")
    if not path.exists():
        notes = ["Not measured: `../shared/data/nets` is absent."]
    if notes:
        return NetFindings([], [], notes, None)
    start = read_usage()
    ratio = _race(db.read_net(path), _ASKED // 20 if is_quick else _ASKED)
    return told(NetFindings([ratio], [], notes, others_since(start)), console)


def render_posteriors(found: NetFindings) -> str:
    """The section, in Markdown."""
    return rendered(found, _INTRO)


def _race(net: db.BayesNet, asked: int) -> Ratio:
    table = net.sample(_LEARNED + asked, _SEED).to_pandas().astype(str)
    learned, rows = table[:_LEARNED], table[_LEARNED:].drop(columns=_TARGET)
    ours = db.BayesNetClassifier(net.dag, target=_TARGET, smoothing=db.MLE(), strength=0)
    ours.fit(learned.drop(columns=_TARGET), learned[_TARGET])
    theirs = _pgmpy(net, learned)
    few = theirs.predict_probability(rows[:_FEW])
    named = [f"{_TARGET}_{label}" for label in ours.classes_]
    check("pgmpy", ours.predict_proba(rows[:_FEW]), few[named].to_numpy(), _SAME)
    peer, own = clock(partial(theirs.predict_probability, rows)), clock(partial(ours.predict_proba, rows))
    return race(f"ALARM: posteriors of {asked:,} rows", "pgmpy", peer, own, _AT_LEAST, 1)


def _pgmpy(net: db.BayesNet, learned: Any) -> Any:
    warnings.simplefilter("ignore")  # it warns of its own future
    model = import_module("pgmpy.models").DiscreteBayesianNetwork(list(net.dag.directed_edges))
    model.fit(learned)
    return model
