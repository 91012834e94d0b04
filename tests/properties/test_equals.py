"""Equal columns, renamed classes and other processors change nothing that is shown.

Rounding tells columns apart that say the same: the sums of one are added in another order than those of the other. The
results must not follow it, since the order of additions differs between processors.
"""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import deciban as db
from docs.update import SNIPPETS, TABLES, readers_folder

PROCESSORS = {
    "this one": {},
    "an old one": {
        "DECIBAN_ISA": "baseline",
        "DECIBAN_THREADS": "1",
        "NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4 AVX512_ICL AVX512_SPR",
        "OPENBLAS_CORETYPE": "Nehalem",
        "OPENBLAS_NUM_THREADS": "1",
    },
}
SHOWN = ["mixed-tables/people_weights", "causal-graphs/sprinkler_discover", "causal-graphs/sprinkler_cpdag"]
_MANY = """
import runpy, sys
for path in sys.argv[1:]:
    sys.path.insert(0, path.rpartition("/")[0])
    runpy.run_path(path, run_name="__main__")
"""


def shown_on(settings: dict[str, str], snippets: list[Path]) -> str:
    """What snippets print in a process of its own, where the libraries choose other kernels."""
    known = {"PYTHONUTF8": "1", "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": str(TABLES)}
    with readers_folder() as folder:
        command = [sys.executable, "-c", _MANY, *map(str, snippets)]
        done = subprocess.run(
            command,
            cwd=folder,
            env=os.environ | known | settings,
            capture_output=True,
            encoding="utf-8",
            check=False,
            timeout=120,
        )
    assert not done.returncode, done.stderr
    return done.stdout


def test_pages_show_the_same_on_every_processor():
    named = {f"{path.parent.name}/{path.stem}": path for path in SNIPPETS}
    snippets = [named[name] for name in SHOWN]
    first, *others = (shown_on(settings, snippets) for settings in PROCESSORS.values())
    assert first and set(others) == {first}


def recoded(seed: int, rows: int = 60, columns: int = 4) -> tuple[dict[str, list[str]], np.ndarray]:
    """Columns of labels, each followed by two that say the same in other labels, in other orders of the states."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, rows)
    table = {}
    for c in range(columns):
        codes = np.where(rng.random(rows) < 0.4, y, rng.integers(0, 5, rows))
        for copy in "abc":
            names = rng.permutation(list("vwxyz"))
            table[f"{c}{copy}"] = names[codes].tolist()
    return table, y


@given(st.integers(0, 2**32))
def test_of_columns_that_say_the_same_the_first_is_selected(seed):
    table, y = recoded(seed)
    selected = db.correlation_filter(table, y)
    for c in "0123":
        own = [name for name in selected if name[0] == c]
        assert own == [f"{c}{copy}" for copy in "abc"][: len(own)]


@given(st.integers(0, 2**32))
def test_columns_that_say_the_same_stay_in_their_order(seed):
    table, y = recoded(seed)
    model = db.NaiveBayes(weights=None).fit(table, y)
    for measure in ("mi", "chi2", "su"):
        names = list(model.associations(measure))
        assert all([n for n in names if n[0] == c] == [f"{c}a", f"{c}b", f"{c}c"] for c in "0123")
    row = {name: values[0] for name, values in table.items()}
    listed = [name for name, _, _ in model.explain(row).rows() if name[0].isdigit()]
    assert all([n for n in listed if n[0] == c] == [f"{c}a", f"{c}b", f"{c}c"] for c in "0123")


def tables(seed: int, rows: int, classes: int) -> tuple[dict[str, list], np.ndarray]:
    """Small tables with nearly equal columns, gaps and numbers of very different size."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, classes, rows)
    kinds = [
        lambda: rng.choice(list("abcdefgh")[: int(rng.integers(1, 9))], rows),
        lambda: rng.normal(size=rows).round(1),
        lambda: rng.integers(0, 4, rows),
        lambda: rng.normal(size=rows) + 10.0 ** rng.integers(0, 12),
        lambda: np.exp(5 * rng.normal(size=rows)),
        lambda: y * 1.5 + (rng.random(rows) < 0.2) * 0.25,
        lambda: np.array(table[next(iter(table))], dtype=object) if table else rng.normal(size=rows),
    ]
    table: dict[str, list] = {}
    for c in range(int(rng.integers(1, 7))):
        values = kinds[int(rng.integers(len(kinds)))]().astype(object)
        if rng.random() < 0.3:
            values[rng.random(rows) < 0.3] = None
        table[f"c{c}"] = values.tolist()
    return table, y


def posterior_of(model, table, y, names):
    model.fit(table, [names[j] for j in y])
    found = dict(zip(model.classes_.tolist(), model.predict_proba(table).T, strict=True))
    return np.array([found[names[j]] for j in sorted(set(y.tolist()))])


@pytest.mark.parametrize(
    "kind",
    [db.NaiveBayes, db.KDB, db.Discriminant, db.CountForest, db.TAN, db.AODE, db.BayesNetClassifier, db.AutoBayes],
    ids=lambda kind: kind.__name__,
)
@given(st.integers(0, 2**32), st.sampled_from([8, 8, 20, 70]), st.permutations("pqrs"))
def test_the_names_of_the_classes_change_no_posterior(kind, seed, rows, names):
    table, y = tables(seed, rows, 4)
    if kind is not db.NaiveBayes:
        table = {name: [str(value)[:4] for value in values] for name, values in table.items()}
    one, other = posterior_of(kind(), table, y, "pqrs"), posterior_of(kind(), table, y, names)
    np.testing.assert_allclose(one, other, atol=1e-6)


@pytest.mark.parametrize("seed", [44, 556, 2215, 2712])
def test_weights_of_columns_that_say_nearly_the_same_follow_no_class_order(seed):
    table, y = tables(seed, 8, 4)
    weights = [
        list(db.NaiveBayes().fit(table, [names[j] for j in y]).weights_.values()) for names in ("pqrs", "srqp", "rpsq")
    ]
    assert weights[0] == weights[1] == weights[2]
