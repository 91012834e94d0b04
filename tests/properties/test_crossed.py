"""Counts of sets of columns: the kernel is its twin, and parts of a sample add up to the whole."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import deciban as db
from deciban.tallies import kernels
from tests.reference import tallies as reference

pytestmark = pytest.mark.usefixtures("each_instruction_set")

SIZES = [3, 1, 4, 2]


@st.composite
def samples(draw):
    rows = draw(st.lists(st.tuples(*(st.integers(-1, size - 1) for size in SIZES), st.integers(0, 2)), min_size=1))
    weights = draw(st.none() | st.lists(st.sampled_from([0.5, 1.0, 2.25]), min_size=len(rows), max_size=len(rows)))
    return rows, weights


@given(samples(), st.integers(0, 3), st.sampled_from(["u1", "u2", "u4"]))
def test_count_sets(sample, order, dtype):
    rows, weights = sample
    values = [[None if v < 0 else v for v in row[:-1]] for row in rows]
    sets = [*combinations(range(len(SIZES)), order), (2, 0)]
    twin = reference.count_sets(values, [row[-1] for row in rows], 3, SIZES, sets, weights)
    codes = np.array([[size if row[c] < 0 else row[c] for row in rows] for c, size in enumerate(SIZES)], dtype=dtype)
    starts = np.cumsum([0, *map(len, sets)])
    flat = np.array([c for columns in sets for c in columns], dtype=np.int32)
    y = np.array([row[-1] for row in rows], dtype=np.int32)
    held = None if weights is None else np.array(weights)
    cells = kernels.count_sets(codes, np.array(SIZES), y, 3, held, (starts, flat))
    assert cells.tolist() == [[float(n) for n in cell] for table in twin for cell in table]


def test_many_rows_and_equal_ones_are_all_counted():
    rng = np.random.default_rng(0)
    codes, y = rng.integers(0, 5, (3, 9_001)).astype(np.uint8), np.zeros(9_001, dtype=np.int32)
    codes[:, :4_000] = 1
    cells = kernels.count_sets(codes, np.full(3, 5), y, 1, None, (np.array([0, 2]), np.array([0, 2], dtype=np.int32)))
    expected = np.zeros((5, 5), dtype=int)
    np.add.at(expected, (codes[0], codes[2]), 1)
    assert np.array_equal(cells.reshape(5, 5), expected)


@pytest.mark.parametrize(
    ("codes", "sets"), [([[4]], [0]), ([[0]], [1]), ([[0]], [-1])], ids=["no code", "no column", "below"]
)
def test_what_is_no_code_or_column_is_refused(codes, sets):
    with pytest.raises(ValueError, match=r"code|column"):
        kernels.count_sets(
            np.array(codes, dtype=np.uint8),
            np.array([3]),
            np.zeros(1, dtype=np.int32),
            1,
            None,
            (np.array([0, 1]), np.array(sets, dtype=np.int32)),
        )


@given(st.integers(1, 9), st.integers(1, 5), st.integers(1, 4), st.integers(0, 2**32 - 1))
def test_score_averaged(classes, columns, supers, seed):
    rng = np.random.default_rng(seed)
    table = rng.normal(-2, 3, (6, 7, kernels.averaged_width(classes)))
    table[rng.uniform(size=table.shape) < 0.1] = -np.inf
    parents = rng.integers(-1, 6, (5, supers)).astype(np.int32)
    parents[:, 0] = 3
    children = rng.integers(0, 7, (5, columns)).astype(np.int32)
    found = kernels.score_averaged(parents, children, table, classes)
    for row, of_row, scores in zip(parents, children, found, strict=True):
        logs = [[table[p, c, :classes].tolist() for c in of_row] for p in row if p >= 0]
        assert scores == pytest.approx(reference.score_averaged(logs), rel=1e-11, abs=1e-12)


def test_scores_do_not_underflow():
    table = np.full((1, 1, 2), -2_000.0)
    found = kernels.score_averaged(np.zeros((1, 1), np.int32), np.zeros((1, 3), np.int32), table, 2)
    assert found.tolist() == [[-6_000.0, -6_000.0]]


# Laws of the models ---------------------------------------------------------------------------------------------------

LABELS = st.sampled_from(["a", "b", "c", None])
TABLES = st.lists(st.tuples(LABELS, LABELS, LABELS, st.sampled_from(["no", "yes"])), min_size=4, max_size=25)
EVEN = {"weights": None, "temperature": 1.0}
MODELS = [db.TAN(temperature=1.0), db.AODE(**EVEN), db.AODE(n=2, least=2, **EVEN)]
models = pytest.mark.parametrize("model", MODELS, ids=["TAN", "AODE", "A2DE"])


def split(rows):
    table = {name: [row[i] for row in rows] for i, name in enumerate(("p", "q", "r"))}
    return table, [row[-1] for row in rows]


def fresh(model):
    return type(model)(**{**model.get_params(), "columns": db.Categorical()})


@models
@given(TABLES, st.data())
def test_parts_in_any_order_merge_to_the_whole(model, rows, data):
    cut = data.draw(st.integers(1, len(rows) - 1))
    whole = fresh(model).fit(*split(rows))
    first, second = fresh(model).fit(*split(rows[cut:])), fresh(model).fit(*split(rows[:cut]))
    assert first.merge(second).tally_ == whole.tally_
    parts = fresh(model).partial_fit(*split(rows[:cut]), classes=["no", "yes"]).partial_fit(*split(rows[cut:]))
    assert parts.tally_ == whole.tally_.with_classes(parts.tally_.classes)
    if len(whole.classes_) == 2:
        table = split(rows)[0]
        assert first.predict_proba(table).tobytes() == whole.predict_proba(table).tobytes()


@models
@given(TABLES, st.data())
def test_what_is_forgotten_was_never_learned(model, rows, data):
    cut = data.draw(st.integers(1, len(rows) - 1))
    kept = fresh(model).fit(*split(rows[:cut]))
    whole = fresh(model).fit(*split(rows)).forget(*split(rows[cut:]))
    assert whole.tally_ == kept.tally_.with_classes(whole.tally_.classes)


@models
@given(TABLES, st.data())
def test_weights_are_repetitions(model, rows, data):
    times = data.draw(st.lists(st.integers(0, 3), min_size=len(rows), max_size=len(rows)).filter(any))
    repeated = [row for row, n in zip(rows, times, strict=True) for _ in range(n)]
    weighted = fresh(model).fit(*split(rows), sample_weight=times)
    plain = fresh(model).fit(*split(repeated))
    classes = weighted.tally_.classes
    assert weighted.tally_ == plain.tally_.with_classes(classes)
    if len(plain.classes_) == 2:
        table = split(repeated)[0]
        assert weighted.predict_proba(table) == pytest.approx(plain.predict_proba(table), rel=1e-12)


@models
@given(TABLES)
def test_evidence_sums_to_the_joint_and_rows_are_independent_of_one_another(model, rows):
    table, labels = split(rows)
    fitted = fresh(model).fit(table, labels)
    joint = fitted.predict_joint_log_proba(table)
    assert fitted.evidence(table).joint == pytest.approx(joint, rel=1e-10, abs=1e-10)
    one = {name: values[:1] for name, values in table.items()}
    assert fitted.predict_joint_log_proba(one) == pytest.approx(joint[:1], rel=1e-12)
    posterior = fitted.predict_proba_one({name: values[0] for name, values in one.items()})
    assert list(posterior.values()) == pytest.approx(fitted.predict_proba(one)[0].tolist(), rel=1e-12)


@pytest.mark.parametrize("model", MODELS[:2], ids=["TAN", "AODE"])
@given(TABLES)
def test_probabilities_of_all_rows_sum_to_one(model, rows):
    """With the seen labels alone, Σ_x P(x | class) is 1, and a tree sums missing values out exactly."""
    table, labels = split([row for row in rows if None not in row] or [("a", "b", "c", "no")])
    fitted = fresh(model).fit(table, labels)
    states = [sorted(set(values)) for values in table.values()]
    grid = np.array(np.meshgrid(*states)).reshape(3, -1)
    likelihood = fitted._likelihood(fitted._read(dict(zip("pqr", map(list, grid), strict=True))))
    assert np.exp(likelihood).sum(axis=0) == pytest.approx(1.0)
    hidden = fitted._likelihood(fitted._read({"p": [None], "q": [None], "r": [None]}))
    assert hidden == pytest.approx(0.0, abs=1e-12)
    for i, name in enumerate("pqr" if type(model) is db.TAN else ""):
        seen = {other: [states[i][0] if other == name else None] for other in "pqr"}
        alone = np.exp(likelihood[grid[i] == states[i][0]]).sum(axis=0)
        assert np.exp(fitted._likelihood(fitted._read(seen)))[0] == pytest.approx(alone)
