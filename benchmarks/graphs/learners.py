"""Who learns a graph: our methods, and peers in a process of their own that is stopped at a limit of time."""

from __future__ import annotations

import resource
import subprocess
import sys
import warnings
from collections.abc import Callable
from contextlib import redirect_stdout, suppress
from io import BytesIO, StringIO
from time import process_time
from typing import Any, NamedTuple, cast

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import deciban as db
from benchmarks.graphs.known import Kind
from benchmarks.graphs.peers import Marks, causal_learn, marks_of
from benchmarks.harness.machine import missing_peer
from benchmarks.harness.paths import ROOT

__all__ = ["OURS", "PEERS", "Learned", "learn"]

ALPHA = 0.01
LIMIT = 30

Learner = Callable[[NDArray[Any], Kind], Marks]


class Learned(NamedTuple):
    """The marks of the class that was found, and the processor seconds that it took."""

    marks: Marks
    seconds: float


def _table(values: NDArray[Any], kind: Kind) -> pd.DataFrame:
    """Columns in the order of the nodes; codes as categories."""
    table = pd.DataFrame(values, columns=[f"v{index:04d}" for index in range(values.shape[1])])
    return table.astype("category") if kind == "categories" else table


def _in_order(graph: Any, table: pd.DataFrame) -> Marks:
    return marks_of(graph._reordered(tuple(table.columns)))


def _pc(values: NDArray[Any], kind: Kind) -> Marks:
    table = _table(values, kind)
    return _in_order(db.discover(table, alpha=ALPHA).graph, table)


def _searched(method: Any) -> Learner:
    def run(values: NDArray[Any], kind: Kind) -> Marks:
        table = _table(values, kind)
        return _in_order(db.search(table, method=method).cpdag, table)

    return run


OURS: dict[str, Learner] = {
    "PC": _pc,
    "GES": _searched("ges"),
    "tabu": _searched("tabu"),
    "BOSS": _searched("boss"),
    "auto": _searched("auto"),
}


def _causal_learn_pc(values: NDArray[Any], kind: Kind) -> Marks:
    if kind == "categories":
        return causal_learn(values.astype(np.int64), ALPHA)
    from causallearn.search.ConstraintBased.PC import pc  # noqa: PLC0415

    return np.asarray(pc(values, ALPHA, "fisherz", show_progress=False).G.graph, dtype=np.int64)


def _causal_learn_boss(values: NDArray[Any], kind: Kind) -> Marks:
    from causallearn.search.PermutationBased.BOSS import boss  # noqa: PLC0415

    return np.asarray(boss(values, _score_of(kind), verbose=False).graph, dtype=np.int64)


def _causal_learn_grasp(values: NDArray[Any], kind: Kind) -> Marks:
    from causallearn.search.PermutationBased.GRaSP import grasp  # noqa: PLC0415

    return np.asarray(grasp(values, _score_of(kind), verbose=False).graph, dtype=np.int64)


def _score_of(kind: Kind) -> str:
    return "local_score_BDeu" if kind == "categories" else "local_score_BIC_from_cov"


def _miic(values: NDArray[Any], kind: Kind) -> Marks:
    """pyAgrum's MIIC, which reads categories only: numbers would be cut into bins first."""
    if kind != "categories":
        raise ValueError("MIIC reads categories")
    import pyagrum  # noqa: PLC0415

    table = _table(values, "numbers").astype(int).astype(str)
    gum: Any = pyagrum  # its functions have no types
    learner = gum.BNLearner(table)
    learner.useMIIC()
    found = learner.learnEssentialGraph()
    at = [table.columns.get_loc(learner.names()[node]) for node in range(table.shape[1])]
    marks = np.zeros((len(at), len(at)), dtype=np.int64)
    for a, b in found.arcs():
        marks[at[a], at[b]], marks[at[b], at[a]] = -1, 1
    for a, b in found.edges():
        marks[at[a], at[b]] = marks[at[b], at[a]] = -1
    return marks


PEERS: dict[str, tuple[str, Learner]] = {
    "causal-learn PC": ("causal-learn", _causal_learn_pc),
    "causal-learn BOSS": ("causal-learn", _causal_learn_boss),
    "causal-learn GRaSP": ("causal-learn", _causal_learn_grasp),
    "pyAgrum MIIC": ("pyAgrum", _miic),
}


def learn(name: str, values: NDArray[Any], kind: Kind) -> Learned | None:
    """What a learner finds; None if it is not installed, refuses, or needs more than the limit.

    Peers run in a fresh process, which ends at a limit of seconds of the processor: so it does not depend on what else
    runs.
    """
    if name in OURS:
        start = process_time()
        return Learned(OURS[name](values, kind), process_time() - start)
    if missing_peer(PEERS[name][0]):
        return None
    rows = BytesIO()
    np.save(rows, values)
    with suppress(subprocess.CalledProcessError):
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks.graphs.learners", name, kind],
            input=rows.getvalue(),
            capture_output=True,
            check=True,
            cwd=ROOT,
        )
        found = np.load(BytesIO(done.stdout))
        return Learned(found["marks"], float(found["seconds"]))
    return None


def _main(name: str, kind: Kind) -> None:
    """Read the rows, learn, and write the marks and the processor seconds."""
    values = np.load(BytesIO(sys.stdin.buffer.read()))
    _, run = PEERS[name]
    with warnings.catch_warnings(), redirect_stdout(StringIO()):
        warnings.simplefilter("ignore")
        with suppress(Exception):  # imports, and threads; a constant column does not matter here
            run(values[:100, :3], kind)
        resource.setrlimit(resource.RLIMIT_CPU, (int(process_time()) + LIMIT, resource.RLIM_INFINITY))
        start = process_time()
        marks = run(values, kind)
        seconds = process_time() - start
    out = BytesIO()
    np.savez(out, marks=marks, seconds=seconds)
    sys.stdout.buffer.write(out.getvalue())


if __name__ == "__main__":
    _main(sys.argv[1], cast(Kind, sys.argv[2]))
