"""Posteriors of a class in the net alarm against pgmpy, where that is installed: ``python -m benchmarks.posteriors``.

Both count the same 50,000 rows, drawn from the net, without smoothing; then the posteriors of HYPOVOLEMIA of further
rows are compared, and timed: pgmpy's once, after a warm-up, deciban's as the median of several runs.
"""

from __future__ import annotations

import statistics
import sys
import timeit
import warnings
from importlib import import_module
from importlib.util import find_spec

from rich.console import Console

import deciban as db
from benchmarks.accuracy import TABLES
from benchmarks.machine import describe_machine, others_since, read_usage
from benchmarks.promises import Ratio, check

__all__ = ["main"]

_TARGET, _LEARNED, _SEED = "HYPOVOLEMIA", 50_000, 0
_ROUNDS, _AT_LEAST, _SAME = 5, 50, 1e-9


def main() -> None:
    """Check parity, then time both, and print the ratio."""
    console = Console()
    path = TABLES.parent / "nets" / "alarm.bif.gz"
    if find_spec("pgmpy") is None or not path.is_file():
        console.print("Not measured: pgmpy, or ../shared/data/nets, is absent.")
        return
    asked = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    net = db.read_net(path)
    table = net.sample(_LEARNED + asked, random_state=_SEED).to_pandas().astype(str)
    learned, rows = table[:_LEARNED], table[_LEARNED:].drop(columns=_TARGET)
    ours = db.BayesNetClassifier(net.dag, target=_TARGET, smoothing=db.MLE(), strength=0)
    ours.fit(learned.drop(columns=_TARGET), learned[_TARGET])
    warnings.simplefilter("ignore")
    theirs = import_module("pgmpy.models").DiscreteBayesianNetwork(list(net.dag.directed_edges))
    theirs.fit(learned)
    few = theirs.predict_probability(rows[:100])
    named = [f"{_TARGET}_{label}" for label in ours.classes_]
    check("pgmpy", ours.predict_proba(rows[:100]), few[named].to_numpy(), _SAME)
    start = read_usage()
    peer = timeit.timeit(lambda: theirs.predict_probability(rows), number=1)
    seconds = statistics.median(timeit.repeat(lambda: ours.predict_proba(rows), number=1, repeat=_ROUNDS))
    work = f"alarm, posteriors of {_TARGET} in {asked:,} rows"
    row = Ratio(work, "pgmpy's predict_probability", peer, seconds, _AT_LEAST)
    others = others_since(start)
    console.print(f"{row.title}: {', '.join(row.figures())}; {describe_machine()}")
    console.print("" if others is None else f"others took {100 * others:.0f} % of the machine")


if __name__ == "__main__":
    main()
