"""The pictures of the sections on graphs, in docs/figures/benchmarks: times of PC as curves, distances as bars."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import partial
from io import BytesIO
from typing import Any, NamedTuple

import deciban as db
from benchmarks.graphs.known import Group
from benchmarks.graphs.peers import causal_learn
from benchmarks.graphs.samples import Codes, read_codes
from benchmarks.harness.machine import missing_peer
from benchmarks.harness.paths import FIGURES
from benchmarks.harness.timing import clock, measure

__all__ = ["BY_ROWS", "BY_VARIABLES", "Curves", "draw_curves", "draw_distances", "measure_curves"]

BY_ROWS, BY_VARIABLES = "graphs-rows.svg", "graphs-variables.svg"
_DISTANCES = "graphs-accuracy.svg"

_SIZES = (1_000, 2_000, 5_000, 10_000, 20_000)
_NETWORKS = ("asia", "child", "insurance", "alarm", "hailfinder", "hepar2", "win95pts", "munin1", "andes")
_PEER_UP_TO = 80  # variables; with more, the peer takes minutes
_ROWS, _ALPHA, _ROUNDS = 5_000, 0.01, 3
_STYLE: Any = {"svg.hashsalt": "deciban", "svg.fonttype": "none", "font.size": 10}

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


def draw_distances(by_group: Mapping[Group, Mapping[str, float | None]]) -> None:
    """The mean distance of each method, a panel for each group of samples; peers are paler."""
    import matplotlib as mpl  # noqa: PLC0415
    from matplotlib.figure import Figure  # noqa: PLC0415

    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=(9, 0.55 + 0.22 * max(map(len, by_group.values()))), layout="constrained")
        panels = figure.subplots(1, len(by_group), sharey=True)
        for axes, (group, distances) in zip(panels, by_group.items(), strict=True):
            names = list(distances)[::-1]
            for at, name in enumerate(names):
                value = distances[name]
                if value is None:
                    axes.text(0, at, " did not end on all", va="center", fontsize=6, color="grey")
                    continue
                axes.barh(at, value, height=0.7, color="#9aa5b1" if " " in name else "#2b6cb0")
                axes.text(value, at, f" {value:.1f}", va="center", fontsize=7)
            axes.set_title(group, fontsize=8)
            axes.set_yticks(range(len(names)), names, fontsize=8)
            axes.margins(x=0.25)
            axes.tick_params(axis="x", labelsize=7)
            axes.spines[["top", "right"]].set_visible(False)
        figure.supxlabel("mean structural Hamming distance", fontsize=8)
        FIGURES.mkdir(parents=True, exist_ok=True)
        (FIGURES / _DISTANCES).write_text(_as_text(figure), encoding="utf-8")


def _svg(label: str, curves: Mapping[str, Curve]) -> str:
    import matplotlib as mpl  # noqa: PLC0415
    from matplotlib.figure import Figure  # noqa: PLC0415

    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=(6, 3.4), layout="constrained")
        axes = figure.add_subplot(xscale="log", yscale="log", xlabel=label, ylabel="seconds")
        for (name, points), marker in zip(curves.items(), "os", strict=True):
            if points:
                axes.plot(*zip(*points, strict=True), marker=marker, markersize=4, label=name)
        axes.grid(visible=True, alpha=0.3)
        axes.legend(frameon=False)
        return _as_text(figure)


def _as_text(figure: Any) -> str:
    """The figure as SVG, the same whenever it is drawn."""
    out = BytesIO()
    figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    return re.sub(r"[ \t]+$", "", out.getvalue().decode(), flags=re.MULTILINE)
