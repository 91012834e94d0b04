"""Tallies travel: any scheduler may count parts of a sample elsewhere, and one sum joins what comes back.

A tally that is larger than its arrays, or differs after the journey, would make every shard of a large job cost more,
or its sum wrong.
"""

import pickle
import subprocess
import sys
from dataclasses import fields, is_dataclass

import numpy as np
import pandas as pd
import pytest

import deciban as db
from deciban.errors import ColumnMismatchError
from deciban.nets.learning.families import NetTally

RNG = np.random.default_rng(0)
ROWS = 400
Y = RNG.integers(0, 4, ROWS)
LABELS = pd.DataFrame({f"c{i}": RNG.choice(["red", "green", "blue", "grey"], ROWS) for i in range(6)})
NUMBERS = pd.DataFrame({f"x{i}": RNG.normal(size=ROWS) for i in range(6)})
WORDS = [f"word{i}" for i in range(300)]
DOCUMENTS = [" ".join(RNG.choice(WORDS, 20)) for _ in range(ROWS)]
DAG = db.DAG([("c0", "c1"), ("c1", "c2"), ("c0", "c2")])


def counts(rows):
    return db.tally(LABELS.iloc[rows].assign(y=Y[rows]), target="y")


def weighted(rows):
    return db.tally(LABELS.iloc[rows].assign(y=Y[rows]), target="y", sample_weight=Y[rows] + 0.5)


def moments(rows):
    return db.tally(NUMBERS.iloc[rows].assign(y=Y[rows]), target="y")


def with_missing(rows):
    table = LABELS.iloc[rows].mask(RNG.random((len(Y[rows]), 6)) < 0.2).join(NUMBERS.iloc[rows].mask(NUMBERS > 1))
    kinds = {name: db.Gaussian(missing="state") for name in NUMBERS}
    return db.NaiveBayes(columns=kinds, missing="state", weights=None).fit(table, Y[rows]).tally_


def sketches(rows):
    return db.NaiveBayes(columns=db.Kernel(), weights=None).fit(NUMBERS.iloc[rows], Y[rows]).tally_


def terms(rows):
    return db.MultinomialNB().fit(RNG.poisson(1, (len(Y[rows]), 50)), Y[rows]).tally_


def text(rows):
    return db.TextNB().fit(DOCUMENTS[rows], Y[rows]).tally_


def hashed_text(rows):
    return db.TextNB(n_bits=10).fit(DOCUMENTS[rows], Y[rows]).tally_


def text_column(rows):
    table = {"note": DOCUMENTS[rows], "size": NUMBERS["x0"].iloc[rows].tolist()}
    return db.NaiveBayes(columns={"note": db.Text(), "size": db.Gaussian()}, weights=None).fit(table, Y[rows]).tally_


def pairs(rows):
    return db.AODE().fit(LABELS.iloc[rows], Y[rows]).tally_


def pairs_of_tan(rows):
    return db.TAN().fit(LABELS.iloc[rows], Y[rows]).tally_


def families(rows):
    return db.BayesNet(DAG).fit(LABELS.iloc[rows]).tally_


def gaussian_families(rows):
    dag = db.DAG([("x0", "x1"), ("x1", "x2")])
    return db.GaussianNet(dag).fit(NUMBERS[["x0", "x1", "x2"]].iloc[rows]).tally_


KINDS = {
    function.__name__: function
    for function in (
        counts, weighted, moments, with_missing, sketches, terms, text, hashed_text, text_column, pairs, pairs_of_tan,
        families, gaussian_families,
    )
}  # fmt: skip
EVERY = slice(0, ROWS)


def bytes_of(value):
    """The bytes of all arrays and texts that a tally is made of, without values computed from them."""
    if isinstance(value, np.ndarray) and value.dtype.kind != "O":
        return value.nbytes
    return len(value.encode()) if isinstance(value, str) else sum(map(bytes_of, contents(value)))


def contents(value):
    """The values that a value is made of."""
    if isinstance(value, dict):
        return [*value, *value.values()]
    if isinstance(value, np.ndarray | tuple | list):
        return list(value)
    if is_dataclass(value):
        return [getattr(value, field.name) for field in fields(value)]
    return value.__reduce__()[1] if isinstance(value, NetTally | db.DAG) else []


def used(tally):
    """The tally after it was printed, added and looked up in: it may hold computed values now."""
    assert str(tally)
    assert tally._repr_html_()
    assert tally + tally != tally
    for part in getattr(tally, "parts", ()):
        if hasattr(part, "variable"):
            part.variable.encode(np.array(["red", "white"], dtype=object))
    return tally


@pytest.mark.parametrize("kind", KINDS)
def test_a_pickled_tally_is_equal_and_little_larger_than_its_arrays(kind):
    tally = KINDS[kind](EVERY)
    pickled = pickle.dumps(tally)
    assert len(pickle.dumps(used(tally))) == len(pickled)
    again = pickle.loads(pickled)  # noqa: S301
    assert again == tally
    assert type(again) is type(tally)
    assert again + tally == tally + tally
    parts = getattr(tally, "parts", tally.names)
    assert len(pickled) <= bytes_of(tally) + 1200 + 500 * len(parts)


def test_a_large_tally_has_no_overhead():
    """Ten thousand tokens, of which the pickle has the bytes, not the strings or an index."""
    words = [f"{i:05}" for i in range(10_000)]
    documents = [" ".join(words[i : i + 50]) for i in range(0, 10_000, 25)]
    model = db.TextNB().fit(documents, np.arange(len(documents)) % 3)
    model.predict(documents)
    tally = used(model.tally_)
    assert len(pickle.dumps(tally)) < 1.01 * bytes_of(tally)
    assert bytes_of(tally) < 10_000 * (5 + 8) + 30_000 * (4 + 8 + 8)


def test_many_labels_have_no_overhead():
    """The pickle has the labels once, not a dictionary of them as well."""
    labels = [f"label{i:04}" for i in range(4000)]
    tally = used(db.tally({"held": labels, "y": [0, 1] * 2000}, target="y"))
    assert len(pickle.dumps(tally)) < 1.06 * (bytes_of(tally) + 3 * len(labels))


@pytest.mark.parametrize("kind", KINDS)
def test_a_saved_tally_is_equal(kind, tmp_path):
    tally = used(KINDS[kind](EVERY))
    db.save(tally, tmp_path / "tally.db")
    assert db.load(tmp_path / "tally.db") == tally


def test_tallies_are_loaded_and_added_in_another_process(tmp_path):
    paths = []
    for kind, count in KINDS.items():
        db.save(count(EVERY), tmp_path / f"{kind}.saved")
        (tmp_path / f"{kind}.pickled").write_bytes(pickle.dumps(db.load(tmp_path / f"{kind}.saved")))
        paths.append(str(tmp_path / kind))
    code = (
        "import pickle, sys, deciban as db\n"
        "for path in sys.argv[1:]:\n"
        "    saved, pickled = db.load(path + '.saved'), pickle.load(open(path + '.pickled', 'rb'))\n"
        "    assert saved == pickled, path\n"
        "    assert sum([saved, pickled]).total == 2 * saved.total, path\n"
        "print('all equal')\n"
    )
    done = subprocess.run([sys.executable, "-c", code, *paths], capture_output=True, text=True, check=False)
    assert (done.stdout, done.returncode) == ("all equal\n", 0), done.stderr


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in ("terms", "with_missing")])
def test_the_sum_of_parts_is_the_tally_of_the_whole(kind):
    count = KINDS[kind]
    parts = [count(slice(first, first + 100)) for first in range(0, ROWS, 100)]
    total, whole = sum(parts), count(EVERY)
    assert total.total == pytest.approx(whole.total)
    if kind in ("counts", "pairs", "pairs_of_tan", "families", "text", "hashed_text", "sketches"):
        assert total == whole


def test_only_zero_is_added_from_the_left():
    tally = counts(EVERY)
    assert sum([tally]) is tally
    for other in (1, 0.5, "", None, False):
        with pytest.raises(TypeError):
            other + tally


def test_columns_that_are_counted_in_different_ways_are_named():
    whole = db.tally(pd.DataFrame({"doors": [1, 2], "y": [0, 1]}), target="y")
    missing = db.tally(pd.DataFrame({"doors": [1, None], "y": [0, 1]}), target="y")
    with pytest.raises(ColumnMismatchError, match="column 'doors' is Counts in one tally and Moments in the other"):
        sum([whole, missing])
    other = db.tally(pd.DataFrame({"door": [0.5], "y": [0]}), target="y")
    with pytest.raises(ColumnMismatchError, match="different columns"):
        whole + other
    together = db.GaussianNB().fit(NUMBERS, Y).tally_
    with pytest.raises(ColumnMismatchError, match="a part for each column"):
        moments(EVERY) + together
