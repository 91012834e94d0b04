"""The time of PC against rows and against variables, as curves in docs/figures/benchmarks."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import partial
from io import BytesIO
from typing import NamedTuple

import deciban as db
from benchmarks.graphs.peers import causal_learn
from benchmarks.graphs.samples import Codes, read_codes
from benchmarks.harness.machine import missing_peer
from benchmarks.harness.paths import FIGURES
from benchmarks.harness.timing import clock, measure

__all__ = ["BY_ROWS", "BY_VARIABLES", "Curves", "draw_curves", "measure_curves"]

BY_ROWS, BY_VARIABLES = "graphs-rows.svg", "graphs-variables.svg"

_SIZES = (1_000, 2_000, 5_000, 10_000, 20_000)
_NETWORKS = ("asia", "child", "insurance", "alarm", "hailfinder", "hepar2", "win95pts", "munin1", "andes")
_PEER_UP_TO = 80  # variables; with more, the peer takes minutes
_ROWS, _ALPHA, _ROUNDS = 5_000, 0.01, 3

Curve = list[tuple[float, float]]


class Curves(NamedTuple):
    """Seconds of each library against rows of alarm, and against the variables of networks."""

    by_rows: Mapping[str, Curve]
    by_variables: Mapping[str, Curve]


def measure_curves(*, is_quick: bool) -> Curves:
    """Time deciban, and the peer once where it is installed."""
    sizes, names = (_SIZES[:2], _NETWORKS[:2]) if is_quick else (_SIZES, _NETWORKS)
    whole = read_codes("alarm", max(sizes))
    by_rows = _race([(rows, whole[:rows]) for rows in sizes])
    tables = [read_codes(name, _ROWS) for name in names]
    tables.sort(key=lambda table: table.shape[1])
    return Curves(by_rows, _race([(table.shape[1], table) for table in tables], max_given=2))


def _race(work: Sequence[tuple[int, Codes]], max_given: int | None = None) -> dict[str, Curve]:
    curves: dict[str, Curve] = {"deciban": [], "causal-learn": []}
    for size, codes in work:
        ours = measure(clock(partial(db.discover, codes, max_given=max_given)), _ROUNDS)
        curves["deciban"].append((size, ours))
        if not missing_peer("causal-learn") and codes.shape[1] <= _PEER_UP_TO:
            theirs = clock(partial(causal_learn, codes, _ALPHA, max_given))
            curves["causal-learn"].append((size, theirs()[0]))
    return curves


def draw_curves(curves: Curves) -> None:
    """Write both figures; the same seconds give the same file."""
    FIGURES.mkdir(parents=True, exist_ok=True)
    for name, label, drawn in (
        (BY_ROWS, "rows of alarm (37 variables)", curves.by_rows),
        (BY_VARIABLES, "variables of a network (5,000 rows, conditioning sets up to two)", curves.by_variables),
    ):
        (FIGURES / name).write_text(_svg(label, drawn), encoding="utf-8")


def _svg(label: str, curves: Mapping[str, Curve]) -> str:
    import matplotlib as mpl  # noqa: PLC0415
    from matplotlib.figure import Figure  # noqa: PLC0415

    with mpl.rc_context({"svg.hashsalt": "deciban", "svg.fonttype": "none", "font.size": 10}):
        figure = Figure(figsize=(6, 3.4), layout="constrained")
        axes = figure.add_subplot(xscale="log", yscale="log", xlabel=label, ylabel="seconds")
        for (name, points), marker in zip(curves.items(), "os", strict=True):
            if points:
                axes.plot(*zip(*points, strict=True), marker=marker, markersize=4, label=name)
        axes.grid(visible=True, alpha=0.3)
        axes.legend(frameon=False)
        out = BytesIO()
        figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    return re.sub(r"[ \t]+$", "", out.getvalue().decode(), flags=re.MULTILINE)
