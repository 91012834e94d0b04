"""Margins of rows without their own counts: the kernels against their twins, and against exact leave-one-out."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import deciban as db
from deciban.estimate.column import Margins
from deciban.estimate.missing import add_margins, count_column, estimate_columns, leave_one_out
from deciban.read import Column, read_target
from deciban.tallies import Sample
from tests.reference import weights as twins

pytestmark = pytest.mark.usefixtures("each_instruction_set")


def of_rows(margins):
    """Rows × other classes × columns."""
    blocks, others, columns, wide = margins.table.shape
    return margins.table.transpose(0, 3, 1, 2).reshape(blocks * wide, others, columns)[: len(margins)]


@st.composite
def counted(draw):
    classes, states = draw(st.integers(2, 4)), draw(st.integers(1, 4))
    rows = draw(st.lists(st.tuples(st.integers(0, classes - 1), st.integers(0, states - 1)), min_size=1, max_size=70))
    return classes, states, rows


@given(counted(), st.sampled_from([1, 0.5]))
def test_the_margins_of_counts_are_those_of_the_twin(drawn, alpha):
    classes, states, rows = drawn
    counts = np.zeros((classes, states))
    np.add.at(counts, tuple(np.array(rows).T), 1)
    y, codes = (np.array(part, dtype=np.int32) for part in zip(*rows, strict=True))
    margins = Margins(y, np.ones(len(y)), classes, 2)
    margins.add_counts(1, codes, counts, np.full(states, alpha))
    exact = [[Fraction(int(n)) for n in of_class] for of_class in counts.tolist()]
    pseudo = [Fraction(alpha)] * states
    for row, (j, v) in zip(of_rows(margins), rows, strict=True):
        ratios = twins.count_ratios(exact, v, j, 1, pseudo, sum(pseudo))
        assert row[:, 1] == pytest.approx([math.log(ratio) for ratio in ratios], rel=1e-6, abs=1e-6)
        assert not row[:, 0].any()


@given(
    st.lists(st.lists(st.floats(-5, 5), min_size=3, max_size=9), min_size=2, max_size=3),
    st.sampled_from([0.5, 10.0]),
)
def test_the_margins_of_normal_numbers_are_those_of_the_twin(numbers, strength):
    numbers = [[v + 10 * i for i, v in enumerate(of_class)] for of_class in numbers]  # none without variance
    x = np.concatenate(numbers)
    y = np.repeat(np.arange(len(numbers)), [len(of_class) for of_class in numbers]).astype(np.int32)
    kind, column = db.Gaussian(strength=strength), Column.of_numbers("x", x)
    part = count_column(kind, column, Sample.of(read_target(y, len(y))), "a test")
    margins = Margins(y, np.ones(len(y)), len(numbers), 1)
    kind.add_margins(kind.estimate([part]), [part], [column], margins, [0])
    at = [(j, i) for j, of_class in enumerate(numbers) for i in range(len(of_class))]
    expected = [twins.normal_margins(numbers, j, i, strength) for j, i in at]
    assert of_rows(margins)[:, :, 0] == pytest.approx(np.array(expected), rel=1e-4, abs=1e-4)


@given(st.integers(1, 70), st.integers(1, 4), st.integers(1, 5), st.integers(0, 10**6))
def test_the_loss_and_its_gradient_are_those_of_the_twin(rows, others, columns, seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, others + 1, rows).astype(np.int32)
    margins, prior = (Margins(y, np.ones(rows), others + 1, n) for n in (columns, 1))
    for of_one in (margins, prior):
        of_one.table[:] = rng.normal(0, 4, of_one.table.shape)
    point, importance = rng.uniform(0, 2, columns), rng.choice([0.5, 1.0, 3.0], rows)
    loss, gradient, curvature = margins.loss(point, prior, importance, with_curvature=True)
    held = [part.astype(np.float64).tolist() for part in (of_rows(margins), of_rows(prior)[:, :, 0])]
    expected = twins.weighed_loss(point.tolist(), *held, importance.tolist())
    assert loss == pytest.approx(expected[0], rel=1e-12)
    assert gradient == pytest.approx(np.array(expected[1]), rel=1e-10, abs=1e-10)
    step = 1e-4
    for i in range(columns):
        sides = [margins.loss(point + side * step * np.eye(columns)[i], prior, importance)[1][i] for side in (-1, 1)]
        assert curvature[i] == pytest.approx((sides[1] - sides[0]) / (2 * step), rel=1e-4, abs=1e-4)


def test_huge_margins_neither_overflow_nor_vanish():
    y = np.zeros(2, dtype=np.int32)
    margins, prior = Margins(y, np.ones(2), 2, 1), Margins(y, np.ones(2), 2, 1)
    margins.table[0, 0, 0, :2] = [1e6, -1e6]
    loss, gradient, _ = margins.loss(np.ones(1), prior, np.ones(2))
    assert loss == 1e6
    assert gradient.tolist() == [1e6]


def test_impossible_values_have_finite_margins_and_equally_impossible_ones_none():
    margins = Margins(np.zeros(3, dtype=np.int32), np.ones(3), 2, 1)
    margins.add_logs(0, np.array([[-np.inf, -1.0], [-1.0, -np.inf], [-np.inf, -np.inf]]))
    assert of_rows(margins)[:, 0, 0].tolist() == [700, -700, 0]


RNG = np.random.default_rng(5)
Y = np.sort(RNG.integers(0, 3, 150)).astype(np.int32)
LABELS = np.where(RNG.uniform(size=150) < 0.6, Y, RNG.integers(0, 12, 150)).astype(str).astype(object)
NUMBERS = Y + RNG.gamma(2.0, size=150)
COUNTS = RNG.poisson(1 + 2 * Y).astype(float)
KINDS = [
    (db.Categorical(), LABELS, 1e-5),
    (db.Categorical(missing="state"), LABELS, 1e-5),
    (db.Categorical(smoothing=db.MEstimate(2.0)), LABELS, 1e-5),
    (db.Categorical(unseen="ignore"), LABELS, 1e-5),
    (db.Bernoulli(threshold=2.0), NUMBERS, 1e-5),
    (db.Gaussian(), NUMBERS, 1e-4),
    (db.Gaussian(missing="state"), NUMBERS, 1e-4),
    (db.Gaussian(tie="class"), NUMBERS, 1e-4),
    (db.Gaussian(tie="both"), NUMBERS, 1e-4),
    (db.LogNormal(), NUMBERS, 1e-4),
    (db.Poisson(), COUNTS, 1e-4),
    (db.Exponential(), NUMBERS, 1e-4),
    (db.NegativeBinomial(), COUNTS, 1e-3),
    (db.Cut(at=(1.0, 3.0)), NUMBERS, 1e-5),
    (db.Kernel(bandwidth=0.5), NUMBERS, 0.01),
    (db.Ignore(), LABELS, 0.0),
]


@pytest.mark.parametrize(("kind", "values", "tolerance"), KINDS, ids=[str(kind) for kind, *_ in KINDS])
def test_margins_are_those_of_leave_one_out(kind, values, tolerance):
    kind = kind.settled(missing="skip", smoothing=db.Laplace(), unseen="smooth")
    held = values.copy()
    held[::7] = None if held.dtype == object else np.nan
    columns, ones = [Column.of_values("x", held)], np.ones(150)
    parts = [count_column(kind, columns[0], Sample.of(read_target(Y, 150)), "a test")]
    exact = leave_one_out(kind, parts, columns, (Y, ones), db.Laplace())
    expected = Margins(Y, ones, 3, 1)
    expected.add_logs(0, exact[:, 0])
    margins = Margins(Y, ones, 3, 1)
    add_margins(kind, estimate_columns(kind, parts, db.Laplace()), parts, columns, margins, [0], db.Laplace())
    assert margins.table == pytest.approx(expected.table, abs=tolerance + 1e-7)
    some = np.arange(3, 150, 4)  # and those of some rows are the same
    few = Margins(Y[some], ones[some], 3, 1)
    taken = [column.take(some) for column in columns]
    add_margins(kind, estimate_columns(kind, parts, db.Laplace()), parts, taken, few, [0], db.Laplace())
    assert of_rows(few) == pytest.approx(of_rows(margins)[some], abs=1e-6)


@pytest.mark.parametrize("how", ["width", "frequency", "mdl"])
def test_bins_keep_their_cuts(how):
    binned, columns = db.Binned(bins=5, how=how), [Column.of_numbers("x", NUMBERS)]
    parts = [count_column(binned, columns[0], Sample.of(read_target(Y, 150)), "a test")]
    cut = db.Cut(at=binned.cuts(parts[0]).tolist())
    tables = [Margins(Y, np.ones(150), 3, 1) for _ in range(2)]
    for kind, margins in zip((binned, cut), tables, strict=True):
        kind.add_margins(kind.estimate(parts), parts, columns, margins, [0])
    assert np.array_equal(tables[0].table, tables[1].table)
    assert tables[0].table.any()


def test_a_distribution_without_a_formula_is_estimated_again_without_a_tenth_of_the_rows():
    kind = replace(db.Cut(at=(1.0, 3.0)), missing="skip", smoothing=db.Laplace())
    columns = [Column.of_numbers("x", NUMBERS)]
    parts = [count_column(kind, columns[0], Sample.of(read_target(Y, 150)), "a test")]
    margins, exact = Margins(Y, np.ones(150), 3, 1), Margins(Y, np.ones(150), 3, 1)
    super(type(kind).__mro__[1], kind).add_margins(None, parts, columns, margins, [0])
    kind.add_margins(kind.estimate(parts), parts, columns, exact, [0])
    assert margins.table.any()
    assert margins.table == pytest.approx(exact.table, abs=0.4)
