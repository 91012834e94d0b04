"""An A/B test read as an intervention: do(page), and when a log of visits can replace the experiment.

    python examples/ab_test/run.py
    python examples/ab_test/run.py --log my_log.csv --experiment my_test.csv

A CSV has the columns visitor, device, page (old or new), bought (yes or no) and visits, the number of such visits.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from textwrap import fill
from typing import Any, NamedTuple

import matplotlib as mpl
import pyarrow as pa
from matplotlib.figure import Figure
from pyarrow import csv

import deciban as db
from deciban.errors import DecibanError
from deciban.nets import Identification

FOLDER = Path(__file__).parent
COUNT = "visits"
GRAPH = db.DAG(  # of the log: who came, and with which device, decided which page was shown
    [
        ("visitor", "device"),
        *(("visitor", "page"), ("device", "page")),
        *(("visitor", "bought"), ("device", "bought"), ("page", "bought")),
    ]
)


class Estimate(NamedTuple):
    """A difference of P(bought) between the new and the old page, with its standard error."""

    name: str
    value: float
    error: float

    def __str__(self) -> str:
        return f"{self.name:42}{100 * self.value:+6.2f} ± {200 * self.error:.2f}"


class Group(NamedTuple):
    """A group of visitors: P(bought) for each page, and the share of all visits with that page."""

    name: str
    bought: dict[str, float]
    share: dict[str, float]


def read(path: Path) -> pa.Table:
    """Return a table of counted visits."""
    table = csv.read_csv(path)
    missing = {*map(str, GRAPH.nodes), COUNT} - set(table.column_names)
    if missing:
        raise SystemExit(f"ab_test: {path} has no column {sorted(missing)[0]!r}.")
    return table


def estimate(name: str, table: pa.Table, graph: db.DAG) -> Estimate:
    """Estimate the effect of the page if this graph is the true one."""
    visits, count = table.drop([COUNT]), table[COUNT]
    found = db.effect(visits, graph, cause="page", effect="bought", method="tables", sample_weight=count)
    return Estimate(name, found.difference("new", "old")["yes"], found.error("new", "old")["yes"])


# The account ---------------------------------------------------------------------------------------------------------


def account(log: pa.Table, experiment: pa.Table, picture: Path) -> Iterator[str]:
    """Yield the lines of the account, and draw the picture."""
    model = db.BayesNet(GRAPH).fit(log.drop([COUNT]), sample_weight=log[COUNT])
    coin: Mapping[str, Mapping[str, float]] = {"page": {"old": 0.5, "new": 0.5}}
    randomized = model.do(coin)
    yield "returning visitors among those who saw the page"
    for name, table in (("log", log), ("experiment", experiment)):
        net = db.BayesNet(GRAPH).fit(table.drop([COUNT]), sample_weight=table[COUNT])
        shares = (f"{page} {net.query('visitor', {'page': page})['returning']:.2f}" for page in ("old", "new"))
        yield f"  {name:12}{', '.join(shares)}"
    yield "do(page), a coin in place of the setting, leaves the arrows"
    yield f"  {', '.join(f'{cause} → {node}' for cause, node in randomized.dag.directed_edges)}"
    yield ""
    yield "effect of the new page on P(bought), in percentage points, ± 2 s.e."
    estimates = [
        estimate("the log as it is", log, db.DAG([("page", "bought")])),
        estimate("the log, adjusted for the device", log, without("visitor")),
        estimate("the log, adjusted for device and visitor", log, GRAPH),
        estimate("the experiment", experiment, db.DAG([("page", "bought")])),
    ]
    yield from (f"  {each}" for each in estimates)
    yield ""
    yield wrapped(db.identify(GRAPH, cause="page", effect="bought"))
    yield "without the column visitor:"
    yield wrapped(db.identify(GRAPH, cause="page", effect="bought", latent="visitor"))
    draw(estimates, groups(log), picture)
    yield f"\npicture: {picture}"


def wrapped(result: Identification) -> str:
    """Return a result in lines of at most 72 letters."""
    return fill(str(result), 72, subsequent_indent="  ")


def without(node: str) -> db.DAG:
    """Return the graph of an analyst who does not know one of the nodes."""
    return db.DAG([edge for edge in GRAPH.directed_edges if node not in edge])


def groups(log: pa.Table) -> list[Group]:
    """Return the groups of visitors in the log, and last all visitors."""
    net = db.BayesNet(GRAPH).fit(log.drop([COUNT]), sample_weight=log[COUNT], smoothing=db.MLE())
    kinds = [
        {"visitor": visitor, "device": device} for visitor in ("new", "returning") for device in ("phone", "computer")
    ]
    found = []
    for kind in [*kinds, {}]:
        given = [(page, {**kind, "page": page}) for page in ("old", "new")]
        rates = {page: net.query("bought", known)["yes"] for page, known in given}
        shares = {page: net.probability(known) for page, known in given}
        name = f"{kind['visitor']}, {kind['device']}" if kind else "all"
        found.append(Group(name, rates, shares))
    return found


# The picture ---------------------------------------------------------------------------------------------------------


def draw(estimates: list[Estimate], rates: list[Group], path: Path) -> None:
    """Draw P(bought) for each page and group of visitors of the log, and the estimates of the effect."""
    with mpl.rc_context({"svg.hashsalt": "deciban", "svg.fonttype": "none", "font.size": 9}):
        figure = Figure(figsize=(8.4, 3.2), layout="constrained")
        left, right = figure.subplots(1, 2, width_ratios=(1.1, 1))
        draw_groups(left, rates)
        draw_estimates(right, estimates)
        figure.savefig(path, metadata={"Date": None})


def draw_groups(axes: Any, rates: list[Group]) -> None:
    """Draw a line from the old to the new page for each group; the area of a dot is the number of its visits."""
    for group in rates:
        colour = "#c44e52" if group.name == "all" else "#2b7bba"
        heights = [100 * group.bought[page] for page in ("old", "new")]
        axes.plot([0, 1], heights, color=colour, linewidth=2 if group.name == "all" else 1.2)
        axes.scatter([0, 1], heights, [400 * group.share[page] for page in ("old", "new")], color=colour)
        end = 0 if group.name == "all" else 1  # where the name stands
        axes.annotate(group.name, (end, heights[end]), (12, 2), textcoords="offset points", va="center", color=colour)
    axes.set_xticks([0, 1], ["old page", "new page"])
    axes.set_xlim(-0.25, 1.95)
    axes.set_ylim(0, None)
    axes.set(ylabel="visits with a purchase, %", title="the log, by group of visitors")


def draw_estimates(axes: Any, estimates: list[Estimate]) -> None:
    """Draw each estimate with an interval of two standard errors."""
    axes.axvline(0, color="#666", linestyle=":")
    for row, each in enumerate(estimates):
        colour = "#c44e52" if row < 2 else "#2b7bba"  # the first two are confounded
        axes.errorbar(100 * each.value, row, xerr=200 * each.error, fmt="o", color=colour)
    names = ["log as it is", "adjusted for\ndevice", "adjusted for\ndevice, visitor", "experiment"]
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    axes.set(xlabel="percentage points", title="effect of the new page")


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the account."""
    parser = argparse.ArgumentParser(
        description="The effect of a page on purchases, from an experiment and from a log."
    )
    parser.add_argument("--log", type=Path, default=FOLDER / "log.csv", help="visits as they were")
    parser.add_argument("--experiment", type=Path, default=FOLDER / "experiment.csv", help="visits with a random page")
    parser.add_argument("--picture", type=Path, default=Path("ab_test.svg"), help="where to draw")
    given = parser.parse_args(arguments)
    try:
        print(*account(read(given.log), read(given.experiment), given.picture), sep="\n")
    except (DecibanError, OSError, pa.ArrowInvalid) as error:
        raise SystemExit(f"ab_test: {error}") from None


if __name__ == "__main__":
    main()
