"""Credit risk: decide by costs, and leave the doubtful applications to a person.

    python examples/credit_risk/run.py
    python examples/credit_risk/run.py my_loans.csv --default-costs 8 --refusal-costs 1 --review-costs 0.4

A model is fitted on the first half of the table. The other half shows what its decisions cost. A CSV of your own needs
a column `outcome` with the labels `repaid` and `default`; all other columns are used as they are.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib as mpl
import numpy as np
import numpy.typing as npt
import pyarrow as pa
from matplotlib.figure import Figure
from pyarrow import csv
from sklearn.feature_extraction import DictVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import deciban as db
from deciban.decide import NO_DECISION, least_loss, most_probable
from deciban.errors import DecibanError

DATA = Path(__file__).with_name("applications.csv")
TARGET, CLASSES = "outcome", ["default", "repaid"]  # deciding for "default" is to refuse, for "repaid" to grant

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int64]


class Costs(NamedTuple):
    """What decisions cost, in any unit: a loan that is not repaid, a refused loan that would have been, a review."""

    default: float = 5.0
    refusal: float = 1.0
    review: float = 0.5

    @property
    def loss(self) -> Floats:
        """L[truth, decision]."""
        return np.array([[0.0, self.default], [self.refusal, 0.0]])

    @property
    def threshold(self) -> float:
        """The P(default) at which granting and refusing cost the same: default·p = refusal·(1 − p)."""
        return self.refusal / (self.default + self.refusal)

    @property
    def reviewed(self) -> tuple[float, float]:
        """The P(default) between which a review costs less than the better decision."""
        low, high = self.review / self.default, 1 - self.review / self.refusal
        return (low, high) if low < high else (self.threshold, self.threshold)


# Decisions -----------------------------------------------------------------------------------------------------------


def read(path: Path) -> tuple[pa.Table, pa.Table]:
    """Return the first half of a table, to learn from, and the second half."""
    table = csv.read_csv(path, convert_options=csv.ConvertOptions(strings_can_be_null=True))
    if TARGET not in table.column_names or set(table[TARGET].to_pylist()) != set(CLASSES):
        raise SystemExit(f"credit_risk: {path} needs a column {TARGET!r} with the labels {' and '.join(CLASSES)}.")
    half = len(table) // 2
    return table.slice(0, half), table.slice(half)


def cost(decided: Codes, truth: Codes, costs: Costs) -> Floats:
    """Return what the decision on each application costs."""
    return np.where(decided == NO_DECISION, costs.review, costs.loss[truth, decided])


def rules(model: db.NaiveBayes, other: pa.Table, costs: Costs) -> Iterator[tuple[str, Codes]]:
    """Yield decisions of the same model by different rules; the last one is the model's own."""
    posterior = model.predict_proba(other)
    yield "grant all", np.full(len(posterior), 1)
    yield "refuse all", np.full(len(posterior), 0)
    yield "most probable outcome", most_probable(posterior)
    yield "least expected cost", least_loss(posterior, costs.loss)
    own = [NO_DECISION if label is None else CLASSES.index(label) for label in model.predict(other)]
    yield "least expected cost, or a review", np.array(own)


def peers(table: pa.Table, other: pa.Table) -> Iterator[tuple[str, Floats]]:
    """Yield the posteriors of two classifiers of scikit-learn: labels as indicators, none for a missing one."""
    encoder = make_pipeline(DictVectorizer(sparse=False), StandardScaler())
    rows, others = ([known(row) for row in part.drop([TARGET]).to_pylist()] for part in (table, other))
    X, X_other = encoder.fit_transform(rows), encoder.transform(others)
    for model in (LogisticRegression(max_iter=1000), GaussianNB()):
        yield f"scikit-learn {type(model).__name__}", model.fit(X, table[TARGET].to_pylist()).predict_proba(X_other)


def known(row: dict[str, Any]) -> dict[str, Any]:
    """Return the values of a row that are not missing."""
    return {name: value for name, value in row.items() if value is not None}


# The account ---------------------------------------------------------------------------------------------------------


def account(path: Path, costs: Costs, picture: Path) -> Iterator[str]:
    """Yield the lines of the account, and draw the picture."""
    table, other = read(path)
    truth = np.array([CLASSES.index(label) for label in other[TARGET].to_pylist()])
    model = db.NaiveBayes(loss=costs.loss, reject=db.Reject(loss=costs.review)).fit(table, TARGET)
    posterior = model.predict_proba(other)
    yield f"{len(table)} applications learned, {len(other)} others decided; {np.mean(truth == 0):.1%} are not repaid"
    yield f"costs: default {costs.default:g}, refusal of a good loan {costs.refusal:g}, review {costs.review:g}"
    yield ""
    yield f"{'rule':33}grant  refuse  review   cost ± 2 s.e."
    for name, decided in rules(model, other, costs):
        yield line(name, decided, truth, costs)
    for name, theirs in peers(table, other):
        yield line(name, least_loss(theirs, costs.loss), truth, costs)
    yield ""
    yield from calibration(other, posterior, costs)
    yield ""
    yield from example(model, other, posterior, costs)
    draw(posterior, truth, costs, picture)
    yield f"\npicture: {picture}"


def line(name: str, decided: Codes, truth: Codes, costs: Costs) -> str:
    """Return a row of the table of rules: the decisions, the mean cost and twice its standard error."""
    each = cost(decided, truth, costs)
    counts = [int(np.sum(decided == code)) for code in (1, 0, NO_DECISION)]
    error = 2 * each.std(ddof=1) / np.sqrt(len(each))
    return f"{name:33}{counts[0]:5}  {counts[1]:6}  {counts[2]:6}  {each.mean():.3f} ± {error:.3f}"


def calibration(other: pa.Table, posterior: Floats, costs: Costs) -> Iterator[str]:
    """Yield whether the probabilities hold on rows that were not learned: costs are only as good as they are."""
    scores = {name: value for name, value, _ in db.evaluate(other[TARGET], posterior=posterior).summary()}
    error = scores["calibration error"]
    expected = float(np.minimum(posterior @ costs.loss, costs.review).min(axis=1).mean())
    yield f"calibration error {error.value:.3f} (95% interval {error.low:.3f} to {error.high:.3f})"
    yield f"cost with reviews that the probabilities promise: {expected:.3f}"


def example(model: db.NaiveBayes, other: pa.Table, posterior: Floats, costs: Costs) -> Iterator[str]:
    """Yield the explanation of the application with the largest expected cost of a decision, and its review."""
    row = int((posterior @ costs.loss).min(axis=1).argmax())
    yield f"application {row} goes to {'a person' if model.predict(other.slice(row, 1))[0] is None else 'the model'}:"
    yield str(model.explain(other.slice(row, 1), against="repaid"))


# The picture ---------------------------------------------------------------------------------------------------------


def draw(posterior: Floats, truth: Codes, costs: Costs, path: Path) -> None:
    """Draw the mean cost for each threshold on P(default), and the reliability of P(default)."""
    with mpl.rc_context({"svg.hashsalt": "deciban", "svg.fonttype": "none", "font.size": 9}):
        figure = Figure(figsize=(8.4, 3.4), layout="constrained")
        left, right = figure.subplots(1, 2)
        draw_costs(left, posterior[:, 0], truth, costs)
        draw_reliability(right, posterior[:, 0], truth == 0)
        figure.savefig(path, metadata={"Date": None})


def draw_costs(axes: Any, p: Floats, truth: Codes, costs: Costs) -> None:
    """Draw the mean cost of refusing where P(default) is at least a threshold, and the region of reviews."""
    thresholds = np.linspace(0, 0.8, 161)
    means = [cost(np.where(p >= at, 0, 1), truth, costs).mean() for at in thresholds]
    axes.plot(thresholds, means, color="#2b7bba")
    axes.axvspan(*costs.reviewed, color="#d98c00", alpha=0.18, linewidth=0, label="a review costs less")
    axes.axvline(costs.threshold, color="#c44e52", label=f"least expected cost: {costs.threshold:.2f}")
    axes.axvline(0.5, color="#666", linestyle=":", label="most probable outcome: 0.50")
    axes.set(xlabel="refuse where P(default) is at least", ylabel="cost per application", xlim=(0, 0.8))
    axes.set_ylim(0, None)
    axes.legend(frameon=False, loc="lower right")


def draw_reliability(axes: Any, p: Floats, is_default: npt.NDArray[np.bool_]) -> None:
    """Draw the share of defaults in ten groups of equal size against their mean P(default)."""
    groups = np.array_split(np.argsort(p, kind="stable"), 10)
    said, found = ([values[group].mean() for group in groups] for values in (p, is_default))
    errors = [2 * np.sqrt(share * (1 - share) / len(group)) for share, group in zip(found, groups, strict=True)]
    axes.plot([0, 0.8], [0, 0.8], color="#666", linestyle=":")
    axes.errorbar(said, found, yerr=errors, fmt="o", color="#2b7bba", elinewidth=1, markersize=4)
    axes.set(xlabel="P(default), ten groups of applications", ylabel="share that was not repaid")
    axes.set_xlim(0, 0.8)
    axes.set_ylim(0, 0.8)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the account."""
    parser = argparse.ArgumentParser(description="Decide on loans by costs, with rejection.")
    parser.add_argument("table", nargs="?", type=Path, default=DATA, help="a CSV with the column outcome")
    for name, value in Costs()._asdict().items():
        parser.add_argument(f"--{name}-costs", type=float, default=value, metavar="COST", help=f"{value:g} by default")
    parser.add_argument("--picture", type=Path, default=Path("credit_risk.svg"), help="where to draw")
    given = parser.parse_args(arguments)
    costs = Costs(given.default_costs, given.refusal_costs, given.review_costs)
    try:
        print(*account(given.table, costs, given.picture), sep="\n")
    except (DecibanError, OSError, pa.ArrowInvalid) as error:
        raise SystemExit(f"credit_risk: {error}") from None


if __name__ == "__main__":
    main()
