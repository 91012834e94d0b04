"""deciban's own rows of the sections, as tasks that only use public names, so that an older build can run them too.

`TASKS` maps a section to its rows. A row is prepared (data read, models fitted) before its task is timed. Where a
keyword has another name in an older build, `benchmarks.harness.names` chooses.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from functools import cache, lru_cache, partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

import deciban as db
from benchmarks.graphs.samples import read_codes, read_labels
from benchmarks.harness.paths import NETS
from benchmarks.harness.timing import Task
from benchmarks.inference.files import FORMATS, LARGE
from benchmarks.inference.sampling import sampling_tasks
from benchmarks.speed.samples import Sample
from benchmarks.speed.workloads import OURS, WORKLOADS, Verb, Workload, task
from benchmarks.tables.adult import read_adult
from benchmarks.tables.connections import connection_tasks
from benchmarks.tables.one_row import one_row_tasks
from benchmarks.text.corpora import Split, read_split
from benchmarks.text.tasks import ONE_TOKENS, WORKS, Work, new_text_nb, one_document, text_tasks

__all__ = ["TASKS", "Prepare"]

Prepare = Callable[[], Task]
"""Gets everything ready, and returns what is timed."""

_SEED, _OBSERVED = 11, 0.2
_SIZES = (5_000, 20_000)
_SAMPLES = ("alarm", "insurance", "hailfinder")
_LARGE_GRAPHS = {"andes": 3, "munin1": 2, "link": 1}
_CASES = {
    "alarm": 100, "hailfinder": 100, "hepar2": 100, "win95pts": 100, "andes": 50, "pigs": 50, "water": 50, "munin": 5,
    "munin1": 5, "diabetes": 10, "barley": 20, "mildew": 30, "pathfinder": 50, "munin2": 10, "munin3": 10, "munin4": 10,
    "link": 3,
}  # fmt: skip


# The drop-in classifiers ---------------------------------------------------------------------------------------------


def _speed() -> Iterator[tuple[str, Prepare]]:
    for work in WORKLOADS:
        for verb in work.at_least:
            yield f"{work.name} {verb}", partial(_drop_in, work, verb)
    yield "import deciban, fresh interpreter", lambda: partial(_run_python, "import deciban")


def _drop_in(work: Workload, verb: Verb) -> Task:
    return task(work, verb, OURS, _draw(work.draw))


@lru_cache(maxsize=1)
def _draw(draw: Callable[[float], Sample]) -> Sample:
    return draw(1.0)


def _run_python(code: str) -> None:
    subprocess.run([sys.executable, "-c", code], check=True)


# Tables of mixed columns ---------------------------------------------------------------------------------------------


def _tables() -> Iterator[tuple[str, Prepare]]:
    yield "Adult fit and predict_proba", _adult
    for verb in ("predict_one", "predict_proba_one", "learn_one", "predict_one, then learn_one"):
        yield f"Adult {verb}", partial(_one_row, verb)
    for model, verb in product(("NaiveBayes", "AODE"), ("fit", "predict")):
        yield f"KDD Cup 99 {model} {verb}", partial(_connections, model, verb)


def _adult() -> Task:
    X, y = read_adult()
    return lambda: db.NaiveBayes().fit(X, y).predict_proba(X)


def _one_row(verb: str) -> Task:
    return one_row_tasks(*read_adult())[verb]


def _connections(model: str, verb: str) -> Task:
    return connection_tasks(model)[verb]


# Text ----------------------------------------------------------------------------------------------------------------


def _text() -> Iterator[tuple[str, Prepare]]:
    for work in WORKS:
        for verb in ("fit", "predict"):
            yield f"{work.title}: {verb}", partial(_documents, work, verb)
    yield "One document: predict_proba", _one_document
    yield "CountVectorizer().fit_transform", _vectors


def _documents(work: Work, verb: str) -> Task:
    split = _split(work.corpus)
    return text_tasks(work, split, new_text_nb(work).fit(*split.train))[verb]


def _one_document() -> Task:
    split = _split(WORKS[0].corpus)
    tokens = next(words for words in map(str.split, split.test.X) if len(words) >= ONE_TOKENS)[:ONE_TOKENS]
    return one_document(new_text_nb(WORKS[0]).fit(*split.train), " ".join(tokens))


def _vectors() -> Task:
    documents = _split(WORKS[0].corpus).train.X
    return lambda: db.CountVectorizer().fit_transform(documents)


@lru_cache(maxsize=1)
def _split(corpus: str) -> Split:
    return read_split(corpus)


# Graphs from data ----------------------------------------------------------------------------------------------------


def _graphs() -> Iterator[tuple[str, Prepare]]:
    for name, size in product(_SAMPLES, _SIZES):
        yield f"{name}, {size:,} rows: codes", partial(_discover, read_codes, name, size)
        yield f"{name}, {size:,} rows: text", partial(_discover, read_labels, name, size)
    for name, most in _LARGE_GRAPHS.items():
        yield f"{name}, max_given={most}", partial(_discover, read_codes, name, _SIZES[0], most)


def _discover(read: Callable[[str, int], Any], name: str, size: int, max_given: int | None = None) -> Task:
    data = read(name, size)
    return lambda: db.discover(data, alpha=0.01, max_given=max_given)


def _structures() -> Iterator[tuple[str, Prepare]]:
    for name, size, method in product(_SAMPLES, _SIZES, ("hc", "tabu")):
        yield f"{name}, {size:,} rows: {method}", partial(_search, name, size, method)


def _search(name: str, size: int, method: Any) -> Task:
    data = read_labels(name, size).astype("category")
    return lambda: db.search(data, score="bic", method=method)


# Nets with known tables ----------------------------------------------------------------------------------------------


def _inference() -> Iterator[tuple[str, Prepare]]:
    for name in _CASES:
        yield f"{name}: all posteriors", partial(_marginals, name)
    yield "alarm: posteriors of a class, 10,000 rows", _posteriors


@cache
def _net(name: str) -> db.BayesNet:
    return db.read_net(NETS / f"{name}.bif.gz")


def _marginals(name: str) -> Task:
    """All posteriors of each case, with a fifth of the nodes observed."""
    net, rng = _net(name), np.random.default_rng(_SEED)
    rows: list[dict[Any, Any]] = net.sample(_CASES[name], random_state=_SEED).to_pylist()
    cases = [{node: state for node, state in row.items() if rng.random() < _OBSERVED} for row in rows]
    return lambda: [net.marginals(case) for case in cases]


def _posteriors() -> Task:
    net, target = _net("alarm"), "HYPOVOLEMIA"
    table = net.sample(60_000, random_state=_SEED).to_pandas().astype(str)
    y = table.pop(target)
    model = db.BayesNetClassifier(net.dag, target=target).fit(table[:50_000], y[:50_000])
    rows = table[50_000:]
    return lambda: model.predict_proba(rows)


def _sampling() -> Iterator[tuple[str, Prepare]]:
    for title in sampling_tasks(_net("alarm")):
        yield f"alarm: {title}", partial(_draw_rows, title)


def _draw_rows(title: str) -> Task:
    return sampling_tasks(_net("alarm"))[title]


def _net_files() -> Iterator[tuple[str, Prepare]]:
    yield f"{LARGE}: read bif.gz", lambda: partial(db.read_net, NETS / f"{LARGE}.bif.gz")
    for suffix in FORMATS:
        yield f"{LARGE}: read {suffix}", partial(_read_format, suffix)


def _read_format(suffix: str) -> Task:
    path = Path(tempfile.mkdtemp()) / f"{LARGE}.{suffix}"
    _net(LARGE).write(path)
    return lambda: db.read_net(path)


TASKS: Mapping[str, Callable[[], Iterator[tuple[str, Prepare]]]] = {
    "speed": _speed,
    "tables": _tables,
    "text": _text,
    "graphs": _graphs,
    "structures": _structures,
    "inference": _inference,
    "sampling": _sampling,
    "net-files": _net_files,
}
