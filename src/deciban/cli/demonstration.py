"""``deciban demo``: naive Bayes step by step, a comparison with scikit-learn, and a Bayes net.

The PlayTennis example, from the table to an explained prediction (Mitchell, table 3.2 and section 6.9.1):

    v_NB = argmax_v P(v) · Π_i P(a_i | v)

Breast cancer, cross-validated beside scikit-learn. The sprinkler network: sample rows, learn the graph, estimate the
tables, and compare observing with intervening. Its nodes are the season, whether the sprinkler is on, whether it rains,
and whether the pavement is wet and slippery ("Bayes Nets").
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np
from rich import box
from rich.columns import Columns
from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from deciban.engines.files.writing import as_csv
from deciban.engines.tally import tally
from deciban.estimate import MLE, Jeffreys, Laplace, Lidstone
from deciban.explain import Evidence
from deciban.files import write_whole
from deciban.models import CategoricalNB, GaussianNB, NaiveBayes
from deciban.nets import DAG, BayesNet, Discovery, Knowledge, discover
from deciban.nets.search.search import search
from deciban.storage.model_files import save
from deciban.tallies import Counts, Tally
from deciban.types import AnyArray, Floats
from deciban.units import decibans_from_nats

__all__ = ["DAYS", "SUNNY_DAY", "TARGET", "as_table", "run_demo", "write_examples"]


def run_demo(console: Console | None = None) -> None:
    """Show the examples on a console; on the terminal if None."""
    console = console or Console(highlight=False)
    show_tennis(console)
    show_cancer(console)
    show_sprinkler(console)


TARGET = "PlayTennis"
SUNNY_DAY = {"Outlook": "sunny", "Temperature": "cool", "Humidity": "high", "Wind": "strong"}
OVERCAST_DAY = SUNNY_DAY | {"Outlook": "overcast"}

_DAY_ROWS = [
    row.split()
    for row in (
        "sunny    hot  high   weak   no",
        "sunny    hot  high   strong no",
        "overcast hot  high   weak   yes",
        "rain     mild high   weak   yes",
        "rain     cool normal weak   yes",
        "rain     cool normal strong no",
        "overcast cool normal strong yes",
        "sunny    mild high   weak   no",
        "sunny    cool normal weak   yes",
        "rain     mild normal weak   yes",
        "sunny    mild normal strong yes",
        "overcast mild high   strong yes",
        "overcast hot  normal weak   yes",
        "rain     mild high   strong no",
    )
]
DAYS = {name: [row[i] for row in _DAY_ROWS] for i, name in enumerate([*SUNNY_DAY, TARGET])}

_STYLES = {"no": "red", "yes": "green"}
_SMOOTHINGS = {"MLE": MLE(), "Laplace": Laplace(), "Jeffreys": Jeffreys(), "Lidstone(0.1)": Lidstone(0.1)}


def show_tennis(console: Console) -> None:
    """Show every step: table, counts, estimates, products, posterior, evidence, smoothing."""
    counts = tally(DAYS, target=TARGET)
    model = CategoricalNB.from_tally(counts, alpha=0)
    show_title(console, TARGET, "14 days (Mitchell, table 3.2): predict a sunny, cool, humid and windy day")
    _show_days(console)
    _show_counts(console, counts)
    _show_estimates(console, counts)
    _show_products(console, counts, model)
    _show_posterior(console, model)
    _show_evidence(console, model)
    _show_smoothings(console, counts)


def as_table(day: dict[str, str]) -> dict[str, list[str]]:
    """Make a table of one row."""
    return {name: [value] for name, value in day.items()}


def _show_days(console: Console) -> None:
    show_heading(console, "1 · The table")
    table = simple_table(["Day", *DAYS], ([str(i), *row[:-1], _label(row[-1])] for i, row in enumerate(_DAY_ROWS, 1)))
    for column in table.columns[1:]:
        column.justify = "left"
    show_body(console, table)


def _show_counts(console: Console, counts: Tally) -> None:
    days = ", ".join(f"{n} {label}" for label, n in zip(counts.classes.labels, counts.class_counts, strict=True))
    show_heading(console, f"2 · Count: {counts.total} days, {days}", f'counts = db.tally(days, target="{TARGET}")')
    show_body(console, _tables(counts, lambda count, _: str(count)))


def _show_estimates(console: Console, counts: Tally) -> None:
    call = "model = db.CategoricalNB.from_tally(counts, alpha=0)"
    show_heading(console, "3 · Estimate by maximum likelihood: P(value|class) = count / days of the class", call)
    show_body(console, _tables(counts, _fraction))


def _tables(counts: Tally, cell: Callable[[Any, Any], str]) -> Columns:
    """One table per attribute, state × class."""
    return Columns([_state_table(part, counts, cell) for part in counts.parts], padding=(0, 4))


def _state_table(part: Counts, counts: Tally, cell: Callable[[Any, Any], str]) -> Any:
    totals = part.table.sum(axis=1)
    rows = (
        [str(state), *(cell(n, total) for n, total in zip(column, totals, strict=True))]
        for state, column in zip(part.variable.labels, part.table.T, strict=True)
    )
    return simple_table(["", *map(_label, counts.classes.labels)], rows, title=part.variable.name)


def _show_products(console: Console, counts: Tally, model: CategoricalNB) -> None:
    day = as_table(SUNNY_DAY)
    title = f"4 · Multiply the estimates for the day ({', '.join(SUNNY_DAY.values())})"
    show_heading(console, title, "model.predict_joint_log_proba(day)   # the logarithms of the products")
    products = dict(zip(model.classes_, np.exp(model.predict_joint_log_proba(day)[0]), strict=True))
    separator = " " if console.width >= 100 else "\n  "
    for label in ("yes", "no"):
        names = "·".join([f"P({label})", *(f"P({value}|{label})" for value in SUNNY_DAY.values())])
        line = f"{names}{separator}= {' · '.join(_factors(counts, label))} = "
        show_body(console, Text.assemble(line, (f"{products[label]:.4f}", "bold")))
    show_body(console, Text.assemble("\nPrediction: ", TARGET, " = ", _label(model.predict(day)[0])))


def _factors(counts: Tally, label: str) -> Iterator[str]:
    """The prior, then each P(value|label), as fractions of counts."""
    j = counts.classes.labels.tolist().index(label)
    yield _fraction(counts.class_counts[j], counts.total)
    for part in counts.parts:
        state = part.variable.labels.tolist().index(SUNNY_DAY[part.variable.name])
        yield _fraction(part.table[j, state], part.table[j].sum())


def _show_posterior(console: Console, model: CategoricalNB) -> None:
    day = as_table(SUNNY_DAY)
    show_heading(console, "5 · Normalize", "model.predict_proba(day)")
    joint = np.exp(model.predict_joint_log_proba(day)[0])
    total = " + ".join(f"{product:.4f}" for product in joint)
    for label, product, p in zip(model.classes_, joint, model.predict_proba(day)[0], strict=True):
        line = f"P({label}|day)".ljust(10) + f" = {product:.4f} / ({total}) = "
        show_body(console, Text.assemble(line, (f"{p:.3f}", "bold")))


def _show_evidence(console: Console, model: CategoricalNB) -> None:
    day = as_table(SUNNY_DAY)
    show_heading(console, '6 · Explain: the weight of each value for "no" against "yes"', "model.evidence(day)")
    width = min(24, (console.width - 40) // 2)
    axis = f"{'yes ◂'.rjust(width)}│▸ no"
    table = simple_table(["", "", "decibans", axis], _weights(model.evidence(day), width))
    table.columns[1].justify = table.columns[3].justify = "left"
    show_body(console, table)
    no, yes = model.predict_log_proba(day)[0]
    show_body(
        console,
        f"\nThe total is the log-odds, 10·log10(P(no|day) / P(yes|day)) = {decibans_from_nats(no - yes):+z.1f}:\n"
        f"odds of {np.exp(no - yes):.1f} to 1. Ten decibans are odds of 10 to 1, three about 2 to 1.",
    )


def _weights(evidence: Evidence, width: int) -> Iterator[list[str | Text]]:
    """A row for the prior, for each column and for their sum."""
    columns = zip(evidence.names, SUNNY_DAY.values(), evidence.weights_db("no", "yes")[0], strict=True)
    total = decibans_from_nats(float(evidence.log_odds("no", "yes")[0]))
    parts = [("prior", "", evidence.prior_db("no", "yes")), *columns, ("total", "", total)]
    largest = max(abs(weight) for _, _, weight in parts)
    for name, value, weight in parts:
        style = "bold" if name == "total" else ""
        bar = signed_bar(weight, largest, width, below=_STYLES["yes"], above=_STYLES["no"])
        yield [Text(name, style=style), value, Text(f"{weight:+z.1f}", style=style), bar]


def _show_smoothings(console: Console, counts: Tally) -> None:
    call = "db.CategoricalNB.from_tally(counts, alpha=α)"
    show_heading(console, "7 · Smooth: four rules on the same counts, without another pass over the data", call)
    heads = ["", "α", "P(yes|day)", "P(no|day)", "P(overcast|no)", "P(no|overcast day)"]
    show_body(console, simple_table(heads, _smoothing_rows(counts)))
    show_body(
        console,
        '\nEvery overcast day has the class "yes", so the maximum likelihood estimate of\n'
        "P(overcast|no) is 0. With α pseudo-counts for each value it is above 0.",
    )


def _smoothing_rows(counts: Tally) -> Iterator[list[str]]:
    outlook: Counts = counts.parts[0]
    overcast = outlook.variable.labels.tolist().index("overcast")
    for name, rule in _SMOOTHINGS.items():
        model = CategoricalNB.from_tally(counts, alpha=rule.alpha)
        no, yes = model.predict_proba(as_table(SUNNY_DAY))[0]
        overcast_no = rule.probabilities(outlook.table)[0, overcast]
        no_overcast, _ = model.predict_proba(as_table(OVERCAST_DAY))[0]
        yield [name, f"{rule.alpha:g}", *(f"{p:.3f}" for p in (yes, no, overcast_no, no_overcast))]


def _fraction(count: Any, total: Any) -> str:
    return f"{count}/{total}"


def _label(label: str) -> Text:
    return Text(label, style=_STYLES[label])


_FITS = 201


@dataclass(frozen=True)
class Scores:
    """The posteriors of held-out rows, and their scores."""

    posterior: Floats
    accuracy: float
    log_loss: float
    brier: float


def show_cancer(console: Console) -> None:
    """Show accuracy, log loss, Brier score and the time of a fit, for both classifiers."""
    import sklearn  # here and below: the files are written without these
    from sklearn.datasets import load_breast_cancer
    from sklearn.naive_bayes import GaussianNB as SklearnGaussianNB

    X, y = load_breast_cancer(return_X_y=True)
    show_title(
        console, "Breast cancer", f"{len(X)} tumours, {X.shape[1]} measurements each: predict malignant or benign"
    )
    show_heading(console, "Ten-fold cross-validation", "cross_val_predict(db.GaussianNB(), X, y, cv=folds, …)")
    models = {"deciban GaussianNB": GaussianNB(), f"scikit-learn {sklearn.__version__} GaussianNB": SklearnGaussianNB()}
    ours, theirs = (cross_validate(model, X, y) for model in models.values())
    seconds = time_fits(list(models.values()), X, y)
    rows = (
        [name, f"{s.accuracy:.4f}", f"{s.log_loss:.4f}", f"{s.brier:.4f}", f"{1000 * t:.2f} ms"]
        for name, s, t in zip(models, (ours, theirs), seconds, strict=True)
    )
    show_body(console, simple_table(["", "accuracy", "log loss", "Brier score", "fit time"], rows))
    difference = np.abs(ours.posterior - theirs.posterior).max()
    show_body(
        console,
        f"\nLargest difference of the posteriors: {difference:.1g}. deciban's fit is\n"
        f"{seconds[1] / seconds[0]:.1f} times as fast (medians of {_FITS} alternating fits).",
    )
    console.print()


def cross_validate(model: Any, X: AnyArray, y: AnyArray) -> Scores:
    """Score the cross-validated posteriors."""
    from sklearn.metrics import accuracy_score, brier_score_loss, log_loss
    from sklearn.model_selection import StratifiedKFold, cross_val_predict

    folds = StratifiedKFold(n_splits=10, shuffle=True, random_state=0)
    posterior = cross_val_predict(model, X, y, cv=folds, method="predict_proba")
    return Scores(
        posterior,
        accuracy_score(y, posterior.argmax(axis=1)),
        log_loss(y, posterior),
        brier_score_loss(y, posterior[:, 1]),
    )


def time_fits(models: list[Any], X: AnyArray, y: AnyArray, fits: int = _FITS) -> list[float]:
    """Return the median time of a fit for each model, in seconds; the fits alternate."""
    # the first fit of a model is not timed: it also imports
    for model in models:
        model.fit(X, y)
    durations: list[list[float]] = [[] for _ in models]
    # in turns, so that both models meet the same load of the machine
    for _ in range(fits):
        for model, times in zip(models, durations, strict=True):
            start = perf_counter()
            model.fit(X, y)
            times.append(perf_counter() - start)
    return [median(times) for times in durations]


_NO_YES = ("no", "yes")
_DRAWN = 4000

GARDEN = BayesNet.from_tables(
    DAG([("season", "sprinkler"), ("season", "rain"), ("sprinkler", "wet"), ("rain", "wet"), ("wet", "slippery")]),
    {"season": ("dry", "rainy"), "sprinkler": _NO_YES, "rain": _NO_YES, "wet": _NO_YES, "slippery": _NO_YES},
    {
        "season": [0.5, 0.5],
        "sprinkler": [[0.3, 0.7], [0.8, 0.2]],
        "rain": [[0.9, 0.1], [0.3, 0.7]],
        "wet": [[[0.98, 0.02], [0.1, 0.9]], [[0.1, 0.9], [0.01, 0.99]]],
        "slippery": [[0.95, 0.05], [0.2, 0.8]],
    },
)


def show_sprinkler(console: Console) -> None:
    """Show the example: a graph learned from rows, tables estimated by counting, and queries."""
    show_title(
        console,
        "The sprinkler network",
        f"{_DRAWN:,} rows sampled from a Bayes net; the graph is learned from the rows",
    )
    days = GARDEN.sample(_DRAWN, random_state=0)
    result = discover(days)
    _show_graph(console, result)
    tiers = [["season"], ["sprinkler", "rain"], ["wet"], ["slippery"]]
    net = BayesNet(search(days, knowledge=Knowledge(tiers=tiers)).dag).fit(days)
    show_heading(
        console,
        "Observation and intervention",
        'net.query("rain", {"wet": "yes"})   net.do({"wet": "yes"}).query("rain")',
    )
    rows = [(label, f"{learned:.3f}", f"{true:.3f}") for label, learned, true in _queries(net)]
    show_body(console, simple_table(["query", "learned", "true"], rows))
    show_body(
        console,
        "\nA wet pavement is evidence for rain, unless the sprinkler explains it.\n"
        "Wetting the pavement does not change the probability of rain.",
    )


def _show_graph(console: Console, result: Discovery) -> None:
    show_heading(console, "Learn the graph by independence tests (PC)", "result = db.discover(days); result.graph")
    edges = [f"{a} → {b}" for a, b in result.graph.directed_edges]
    edges += [f"{a} — {b}" for a, b in result.graph.undirected_edges]
    show_body(console, Text(", ".join(edges)))
    console.print()
    show_body(console, Text(result.explain("sprinkler", "rain")))


def _queries(net: BayesNet) -> list[tuple[str, float, float]]:
    """Each query with its result in the learned net and in the true one."""
    observed: dict[str, dict[str, str]] = {
        "P(rain)": {},
        "P(rain | wet)": {"wet": "yes"},
        "P(rain | wet, sprinkler)": {"wet": "yes", "sprinkler": "yes"},
    }
    nets = (net, GARDEN)
    rows = [(query, *(n.query("rain", evidence)["yes"] for n in nets)) for query, evidence in observed.items()]
    return [*rows, ("P(rain | do(wet))", *(n.do({"wet": "yes"}).query("rain")["yes"] for n in nets))]


_EIGHTHS = " ▏▎▍▌▋▊▉█"  # the last character of a bar to the right; for bars to the left there are only halves
_HALVES = " ▐█"


def show_title(console: Console, title: str, subtitle: str) -> None:
    """Print the title of an example."""
    console.print()
    console.rule(Text(title, style="bold"), style="bold", characters="━")
    console.print(Text(subtitle, style="dim"), justify="center")


def show_heading(console: Console, title: str, call: str = "") -> None:
    """Print the heading of a step, with the call that returns the result below it."""
    console.print()
    console.print(Text(title, style="bold cyan"))
    if call:
        show_body(console, Text(call, style="dim"))
    console.print()


def show_body(console: Console, body: RenderableType) -> None:
    """Print text or a table below a heading."""
    console.print(Padding(body, (0, 0, 0, 2), expand=False))


def simple_table(heads: Sequence[str | Text], rows: Iterable[Sequence[str | Text]], *, title: str = "") -> Table:
    """Make a table with a line below its header; all columns after the first are right-aligned."""
    table = Table(
        box=box.SIMPLE_HEAD,
        title=title or None,
        title_style="bold",
        title_justify="left",
        show_edge=False,
        pad_edge=False,
        collapse_padding=True,
    )
    for i, head in enumerate(heads):
        table.add_column(head, justify="right" if i else "left", no_wrap=True)
    for row in rows:
        table.add_row(*row)
    return table


def signed_bar(value: float, largest: float, width: int, *, below: str, above: str) -> Text:
    """Draw a bar from an axis in the middle: to the right for a positive value, to the left for a negative one.

    >>> (
    ...     signed_bar(-2.0, 4.0, 4, below="", above="").plain,
    ...     signed_bar(3.0, 4.0, 4, below="", above="").plain,
    ... )
    ('  ██│    ', '    │███ ')
    """
    length = abs(value) / largest * width if largest > 0 else 0.0
    if value < 0:
        return Text.assemble((_left_bar(length).rjust(width), below), "│", " " * width)
    return Text.assemble(" " * width, "│", (_right_bar(length).ljust(width), above))


def _right_bar(length: float) -> str:
    eighths = round(length * 8)
    return ("█" * (eighths // 8) + _EIGHTHS[eighths % 8]).rstrip()


def _left_bar(length: float) -> str:
    halves = round(length * 2)
    return (_HALVES[halves % 2] + "█" * (halves // 2)).lstrip()


_MESSAGES = {
    "spam": (
        "win a free prize now",
        "claim your free ticket today",
        "cheap loans, call now",
        "you won, claim the prize",
    ),
    "ham": ("see you at lunch", "the meeting is at noon", "call me when you are home", "thanks for the ticket"),
}
_GARDEN_ROWS = 2000


def write_examples(folder: Path) -> list[str]:
    """Write the files into a folder, which is made where it does not exist; return their names."""
    folder.mkdir(parents=True, exist_ok=True)
    messages = [{"label": label, "text": text} for label, texts in _MESSAGES.items() for text in texts]
    contents = {
        "tennis.csv": as_csv(DAYS),
        "monday.csv": as_csv({name: values[:1] for name, values in DAYS.items()}),
        "day.json": json.dumps(SUNNY_DAY).encode() + b"\n",
        "messages.jsonl": "".join(f"{json.dumps(message)}\n" for message in messages).encode(),
        "garden.csv": as_csv(GARDEN.sample(_GARDEN_ROWS, random_state=0)),
    }
    for name, content in contents.items():
        write_whole(folder / name, content)
    GARDEN.write(folder / "garden.bif")
    save(NaiveBayes().fit(DAYS, TARGET), folder / "tennis.deciban")
    return [*contents, "garden.bif", "tennis.deciban"]
