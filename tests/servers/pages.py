"""The reports that a browser opens, each made once, and the what-if panel as a user uses it."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import deciban as db
from tests.conftest import SHARED


def make_pages(folder: Path) -> dict[str, Path]:
    """A small report of each kind."""
    X, y = small_table()
    net, rows = sprinkler()
    rng = np.random.default_rng(0)
    a = rng.normal(size=200)
    numbers = {"a": a, "b": a + rng.normal(size=200), "c": rng.normal(size=200)}
    documents = ["cheap pills now", "buy cheap pills", "meeting at noon", "lunch at noon <today>"] * 10
    reports = {
        "table": db.report(db.NaiveBayes().fit(X, y), X, y),
        "tree": db.report(db.TAN().fit(X[["colour", "is new"]], y), X[["colour", "is new"]], y),
        "text": db.report(
            db.TextNB().fit(documents, ["spam", "spam", "mail", "mail"] * 10),
            documents,
            ["spam", "spam", "mail", "mail"] * 10,
        ),
        "net": db.report(db.BayesNet(net.dag).fit(rows), rows, evidence={"wet": "yes"}),
        "large net": db.report(large_net()),
        "gaussian net": db.report(db.GaussianNet([("a", "b")]).fit(numbers), numbers, evidence={"a": 1.0}),
        "discovery": db.report(db.discover(rows)),
        "hidden causes": db.report(db.discover(rows, "fci"), bootstrap=5),
        "search": db.report(db.search(rows)),
    }
    return {name: report.save(folder / f"{name}.html") for name, report in reports.items()}


@dataclass(frozen=True)
class Panel:
    """The what-if panel of an open page."""

    page: Any

    @property
    def columns(self) -> list[str]:
        """The names of the fields."""
        return self.page.locator("#what-if .fields label").all_inner_texts()

    @property
    def row(self) -> int:
        """The row of the data that the fields show at first."""
        chosen = self.page.locator("#what-if-start").evaluate("choice => choice.selectedOptions[0].text")
        return int(chosen.split()[1])

    def start_from(self, number: int) -> None:
        """Show another of the rows."""
        self.page.locator("#what-if-start").select_option(index=number)

    def change(self, column: str, value: object) -> None:
        """Choose a label, or enter a number; None is a missing value."""
        field = self.page.locator(f"#what-if-{self.columns.index(column)}")
        if field.evaluate("field => field.tagName") == "INPUT":
            field.fill("" if value is None else repr(value))
        elif value is None:
            field.select_option(value="")
        else:
            field.select_option(label=str(value))

    def posterior(self) -> dict[str, float]:
        """The probability of each class, with all its digits."""
        rows = self.page.locator("#what-if-posterior tbody tr")
        names = rows.locator("th").all_inner_texts()
        values = rows.locator("td.number").evaluate_all("cells => cells.map(cell => Number(cell.dataset.value))")
        return dict(zip(names, values, strict=True))

    def total(self) -> float:
        """The sum of the decibans that are shown."""
        return float(self.page.locator("#what-if-weights tr.total td.number").get_attribute("data-value"))


@cache
def small_table() -> tuple[pd.DataFrame, pd.Series]:
    """Labels and numbers, some of them missing, and names that must be escaped."""
    rng = np.random.default_rng(7)
    y = rng.integers(0, 3, 300)
    frame = pd.DataFrame(
        {
            "colour": np.array(["red", "<b>green</b>", "blue & white"], dtype=object)[
                (y + rng.integers(0, 2, 300)) % 3
            ],
            "size": rng.normal(y, 1.0),
            "price": np.exp(rng.normal(1 + y / 2, 0.5, 300)),
            "count": rng.poisson(2 + y),
            "is new": rng.random(300) < 0.3 + 0.2 * y,
        }
    )
    frame.loc[rng.random(300) < 0.15, "colour"] = None
    frame.loc[rng.random(300) < 0.15, "size"] = np.nan
    return frame, pd.Series(np.array(["cheap", "fair", "dear"])[y], name="class")


@cache
def adult() -> tuple[pd.DataFrame, pd.Series] | None:
    """The table of incomes, if it is here."""
    path = SHARED / "tables" / "adult.csv.gz"
    if not path.exists():
        return None
    frame = pd.read_csv(path, na_values=["?"], skipinitialspace=True)
    return frame, frame.pop("income")


def sprinkler(rows: int = 500) -> tuple[db.BayesNet, Any]:
    """A net and rows from it."""
    net = db.BayesNet.from_tables(
        [("season", "rain"), ("season", "sprinkler"), ("rain", "wet"), ("sprinkler", "wet")],
        {"season": ("dry", "wet"), "rain": ("no", "yes"), "sprinkler": ("off", "on"), "wet": ("no", "yes")},
        {
            "season": [0.5, 0.5],
            "rain": [[0.9, 0.1], [0.4, 0.6]],
            "sprinkler": [[0.3, 0.7], [0.9, 0.1]],
            "wet": [[[0.99, 0.01], [0.1, 0.9]], [[0.1, 0.9], [0.01, 0.99]]],
        },
        parents={"wet": ("sprinkler", "rain")},
    )
    return net, net.sample(rows, random_state=0)


def large_net(nodes: int = 150) -> db.BayesNet:
    """A net with wide tables, more nodes than a page shows, and long names."""
    rng = np.random.default_rng(3)
    names = [f"measurement number {i} of the left arm" for i in range(nodes)]
    arrows = [(names[rng.integers(max(i - 9, 0), i)], names[i]) for i in range(1, nodes)]
    arrows += [(names[i - 10], names[i]) for i in range(10, nodes, 3) if (names[i - 10], names[i]) not in arrows]
    dag = db.DAG(arrows, names)
    states = {name: [f"level {k}" for k in range(2 + 12 * (i % 5 == 0))] for i, name in enumerate(names)}
    parents = {name: tuple(sorted(dag.parents(name))) for name in names}
    shapes = {name: [len(states[p]) for p in (*parents[name], name)] for name in names}
    tables = {name: rng.dirichlet(np.ones(shape[-1]), shape[:-1]) for name, shape in shapes.items()}
    return db.BayesNet.from_tables(dag, states, tables, parents=parents)
