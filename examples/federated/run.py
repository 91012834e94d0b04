"""Federated counting: three clinics count their own patients, and only the counts travel.

    python examples/federated/run.py
    python examples/federated/run.py a.csv b.csv c.csv --target label --test new.csv --tallies outbox/

Each party writes one file, its tally: how many patients there are in each class, and for each column the counts of its
values, or the sums of its numbers. The sum of the tallies is the tally of all rows, so the model is exactly the one of
all rows in one table. All parties must have the same columns, with the same types.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from itertools import cycle
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import matplotlib as mpl
import pyarrow as pa
from matplotlib.figure import Figure
from pyarrow import csv

import deciban as db
from deciban.decide import Interval
from deciban.errors import DecibanError
from deciban.tallies import Counts

FOLDER = Path(__file__).parent
PARTIES = [FOLDER / f"clinic_{name}.csv" for name in "abc"]
SMALL = 5  # counts below this are often not published, because they may point at single people

Tallies = dict[str, db.Tally]


class Score(NamedTuple):
    """A model's rows, and its log loss on the new rows."""

    name: str
    rows: int
    log_loss: Interval


# What each party does, and what is done with the files ---------------------------------------------------------------


def count(table: Path, target: str, folder: Path) -> Path:
    """Count the rows of one party, and write the tally: the only thing that leaves the party."""
    path = folder / f"{table.stem}.tally"
    db.save(db.tally(table, target=target), path)
    return path


def total(tallies: Tallies) -> db.Tally:
    """Return the sum of the tallies."""
    first, *others = tallies.values()
    return sum(others, first)


def score(name: str, tally: db.Tally, test: pa.Table, target: str) -> Score:
    """Return how well the model of a tally predicts new rows."""
    model = db.NaiveBayes.from_tally(tally)
    report = db.evaluate(test[target], posterior=model.predict_proba(test.drop([target])), labels=model.classes_)
    return Score(name, int(tally.total), {name: value for name, value, _ in report.summary()}["log loss"])


def small_counts(tally: db.Tally) -> int:
    """Return how many counts of a tally are between 1 and 4."""
    tables = [part.table for part in tally.parts if isinstance(part, Counts)]
    return sum(int(((table > 0) & (table < SMALL)).sum()) for table in tables)


# The account ---------------------------------------------------------------------------------------------------------


def account(parties: Sequence[Path], target: str, test: Path, folder: Path, picture: Path) -> Iterator[str]:
    """Yield the lines of the account, and draw the picture."""
    files = [count(table, target, folder) for table in parties]
    tallies = {file.stem: db.load(file) for file in files}
    yield "what each party sends"
    for table, file, tally in zip(parties, files, tallies.values(), strict=True):
        sizes = (f"{path.stat().st_size / 1024:.0f} kB" for path in (table, file))
        yield f"  {file.name:16}{tally.total:4} rows, {' → '.join(sizes)}, {small_counts(tally):2} counts below {SMALL}"
    whole, new = total(tallies), csv.read_csv(test)
    yield f"the sum equals the tally of all rows in one place: {whole == db.tally(list(parties), target=target)}"
    yield ""
    yield f"log loss on {len(new):,} new rows (95% interval)"
    scores = [score(name, tally, new, target) for name, tally in {**tallies, "all together": whole}.items()]
    for name, rows, loss in scores:
        yield f"  {name:14}{rows:5} rows  {loss.value:.3f} ({loss.low:.3f} to {loss.high:.3f})"
    yield ""
    yield from leaving(tallies)
    yield ""
    yield from differences(parties[-1], target)
    draw(tallies, scores, picture)
    yield f"\npicture: {picture}"


def leaving(tallies: Tallies) -> Iterator[str]:
    """Yield what remains when the last party withdraws its rows."""
    *others, last = tallies
    rest, sum_of_others = total(tallies) - tallies[last], total({name: tallies[name] for name in others})
    yield f"without {last}: {rest.total} rows; equal to the sum of the others: {rest == sum_of_others}"


def differences(table: Path, target: str) -> Iterator[str]:
    """Yield what two tallies of the same party reveal, when one row was added between them."""
    rows = csv.read_csv(table)
    yesterday, today = db.tally(rows.slice(0, len(rows) - 1), target=target), db.tally(rows, target=target)
    yield f"today's tally of {table.stem} minus yesterday's is one row:"
    yield str(today - yesterday)


# The picture ---------------------------------------------------------------------------------------------------------


def draw(tallies: Tallies, scores: Sequence[Score], path: Path) -> None:
    """Draw how the counts of the parties add up, and the log loss of each model."""
    with mpl.rc_context({"svg.hashsalt": "deciban", "svg.fonttype": "none", "font.size": 9}):
        figure = Figure(figsize=(8.4, 3.2), layout="constrained")
        left, right = figure.subplots(1, 2, width_ratios=(1.3, 1))
        draw_counts(left, tallies)
        draw_scores(right, scores)
        figure.savefig(path, metadata={"Date": None})


def draw_counts(axes: Any, tallies: Tallies) -> None:
    """Draw the counts of the last class, by the column with the most values, as stacked bars of the parties."""
    whole = total(tallies)
    widest = max((part for part in whole.parts if isinstance(part, Counts)), key=lambda part: part.table.shape[1])
    column, states = widest.variable.name, widest.variable.labels.tolist()
    ends = dict.fromkeys(states, 0)
    for (name, tally), colour in zip(tallies.items(), cycle(("#2b7bba", "#d98c00", "#00875f")), strict=False):
        (part,) = tally.marginal(column).parts
        counts = dict(zip(part.variable.labels.tolist(), part.table[-1].tolist(), strict=True))
        heights = [counts.get(state, 0) for state in states]
        axes.barh(list(map(str, states)), heights, left=list(ends.values()), color=colour, label=name)
        ends = {state: end + height for (state, end), height in zip(ends.items(), heights, strict=True)}
    axes.invert_yaxis()
    axes.xaxis.get_major_locator().set_params(integer=True)
    axes.set(xlabel=f"rows with {whole.classes.name} = {whole.classes.labels.tolist()[-1]}", ylabel=column)
    axes.legend(frameon=False)


def draw_scores(axes: Any, scores: Sequence[Score]) -> None:
    """Draw the log loss of each model, with its interval."""
    for row, each in enumerate(scores):
        loss = each.log_loss
        errors = [[loss.value - loss.low], [loss.high - loss.value]]
        axes.errorbar(loss.value, row, xerr=errors, fmt="o", color="#c44e52" if row == len(scores) - 1 else "#666")
    axes.set_yticks(range(len(scores)), [f"{each.name}\n({each.rows} rows)" for each in scores])
    axes.invert_yaxis()
    axes.set(xlabel="log loss on new rows")


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the account."""
    parser = argparse.ArgumentParser(description="Count the rows of several parties, and add the counts.")
    parser.add_argument("parties", nargs="*", type=Path, default=PARTIES, help="a CSV for each party")
    parser.add_argument("--target", default="diabetes", help="the column that is predicted")
    parser.add_argument("--test", type=Path, default=FOLDER / "new_patients.csv", help="a CSV of new rows")
    parser.add_argument("--tallies", type=Path, help="the folder that keeps the tallies; none by default")
    parser.add_argument("--picture", type=Path, default=Path("federated.svg"), help="where to draw")
    given = parser.parse_args(arguments)
    try:
        with TemporaryDirectory() as folder:
            tallies = given.tallies or Path(folder)
            print(*account(given.parties, given.target, given.test, tallies, given.picture), sep="\n")
    except (DecibanError, OSError, pa.ArrowInvalid) as error:
        raise SystemExit(f"federated: {error}") from None


if __name__ == "__main__":
    main()
