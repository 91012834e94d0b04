"""A classifier is a distribution of rows: it sums to 1, can be drawn from, and its parameters can be counted."""

import math
from itertools import product

import numpy as np
import pyarrow as pa
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

import deciban as db
from deciban.errors import InputError, InputTypeError, ParameterError, UnfittedError
from tests.strategies import code_samples

RNG = np.random.default_rng(5)
ROWS = 90
A, B = RNG.choice(list("xyz"), ROWS), RNG.integers(0, 2, ROWS)
Y = np.where((A == "x") ^ (RNG.random(ROWS) < 0.2), "t", "f")
TABLE = {"a": A.tolist(), "b": B.tolist(), "c": RNG.choice(list("uv"), ROWS).tolist()}
SPACE = {
    name: list(column) for name, column in zip("abc", zip(*product("xyz", [0, 1], "uv"), strict=True), strict=True)
}
MODELS = {
    "categorical": db.CategoricalNB(),
    "uniform": db.CategoricalNB(fit_prior=False),
    "weighted": db.NaiveBayes(),
    "naive": db.NaiveBayes(weights=None, priors=db.Laplace()),
    "joint": db.JointBayes(smoothing=db.Laplace()),
    "tan": db.TAN(),
    "aode": db.AODE(),
    "augmented": db.BayesNetClassifier("augmented"),
    "parents": db.BayesNetClassifier([("a", "class"), ("b", "class"), ("class", "c"), ("a", "c")]),
}
FREE = {"categorical": 9, "uniform": 8, "weighted": 9, "naive": 9, "joint": 23, "aode": 45, "parents": 15}


@pytest.fixture(scope="module")
def fitted():
    return {name: model.fit(TABLE, Y) for name, model in MODELS.items()}


@pytest.mark.parametrize("name", MODELS)
def test_probabilities_of_all_rows_sum_to_one(fitted, name):
    model = fitted[name]
    assert np.exp(model.log_likelihood(SPACE, per_row=True)).sum() == pytest.approx(1, abs=1e-12)
    joint = [model.log_likelihood(SPACE, [label] * 12, per_row=True) for label in "ft"]
    assert np.logaddexp(*joint) == pytest.approx(model.log_likelihood(SPACE, per_row=True), abs=1e-12)


@pytest.mark.parametrize("name", MODELS)
def test_missing_values_are_summed_out(fitted, name):
    """A row without its first value has the probability of the three rows that complete it."""
    model = fitted[name]
    if model.missing == "error":
        model = type(model)(**{**model.get_params(), "missing": "skip"}).fit(TABLE, Y)
    row = {"a": [None], "b": [1], "c": ["v"]}
    if name == "aode":
        with pytest.raises(InputError, match="missing values have no probability"):
            model.log_likelihood(row)
        return
    whole = np.exp(model.log_likelihood({"a": list("xyz"), "b": [1] * 3, "c": ["v"] * 3}, per_row=True)).sum()
    assert np.exp(model.log_likelihood(row)) == pytest.approx(whole, rel=1e-10)


@pytest.mark.parametrize("name", MODELS)
def test_draws_have_the_probabilities_of_the_model(fitted, name):
    model = fitted[name]
    X, y = model.sample(20_000, random_state=1)
    drawn = list(zip(*(X[column].to_pylist() for column in "abc"), y.tolist(), strict=True))
    for label in "ft":
        expected = np.exp(model.log_likelihood(SPACE, [label] * 12, per_row=True))
        rows = list(zip(*SPACE.values(), [label] * 12, strict=True))
        shares = np.array([drawn.count(row) for row in rows]) / len(drawn)
        assert shares == pytest.approx(expected, abs=0.015)


@pytest.mark.parametrize("name", FREE)
def test_free_parameters_are_counted(fitted, name):
    assert fitted[name].n_parameters_ == FREE[name]


def test_a_tree_has_a_table_for_each_state_of_the_parent(fitted):
    sizes = {"a": 3, "b": 2, "c": 2}
    tree = fitted["tan"].tree_
    rows = {node: math.prod(sizes[parent] for parent in tree.parents(node)) for node in sizes}
    assert fitted["tan"].n_parameters_ == 1 + 2 * sum(rows[node] * (sizes[node] - 1) for node in sizes)


def test_the_sum_takes_weights_and_named_targets(fitted):
    model = fitted["tan"]
    rows = model.log_likelihood(TABLE, Y, per_row=True)
    assert model.log_likelihood({**TABLE, "y": Y.tolist()}, "y") == pytest.approx(rows.sum(), rel=1e-14)
    weights = np.arange(ROWS) % 3
    assert model.log_likelihood(TABLE, Y, sample_weight=weights) == pytest.approx(rows @ weights, rel=1e-14)


def test_a_label_that_was_not_learned_has_probability_zero(fitted):
    assert fitted["categorical"].log_likelihood(SPACE, ["?"] * 12) == -math.inf


def test_weights_temperatures_and_calibration_change_posteriors_alone(fitted):
    weighted, plain = fitted["weighted"], db.NaiveBayes(weights=None).fit(TABLE, Y)
    assert not np.allclose(weighted.predict_proba(TABLE), plain.predict_proba(TABLE))
    assert weighted.log_likelihood(TABLE, Y) == plain.log_likelihood(TABLE, Y)
    assert weighted.sample(50, random_state=0)[0].equals(plain.sample(50, random_state=0)[0])
    calibrated = db.NaiveBayes(weights=None).fit(TABLE, Y).calibrate(TABLE, Y)
    assert calibrated.log_likelihood(TABLE, Y) == plain.log_likelihood(TABLE, Y)
    hot, cold = (db.TAN(temperature=t).fit(TABLE, Y) for t in (3.0, 1.0))
    assert hot.log_likelihood(TABLE, Y) == cold.log_likelihood(TABLE, Y)


def test_parameters_that_were_set_after_the_fit_wait_for_the_next(fitted):
    model = db.CategoricalNB().fit(TABLE, Y)
    before = model.n_parameters_, model.log_likelihood(TABLE), model.sample(5, random_state=0)[1].tolist()
    model.set_params(fit_prior=False, alpha=7.0)
    assert before == (model.n_parameters_, model.log_likelihood(TABLE), model.sample(5, random_state=0)[1].tolist())


def test_models_without_one_joint_distribution_say_why():
    counts = [[1, 0, 2], [0, 3, 1]]
    with pytest.raises(ParameterError, match="ComplementNB is not a distribution of rows and classes"):
        db.ComplementNB().fit(counts, [0, 1]).log_likelihood(counts)
    for model, match in (
        (db.KDB(), "several members"),
        (db.Discriminant(), "normal scores"),
        (db.CountForest(), "many trees"),
        (db.AutoBayes(), "several models"),
    ):
        model.fit(TABLE, Y)
        assert model.n_parameters_ > 9
        with pytest.raises(ParameterError, match=match):
            model.sample(2)
    for model in (db.AODE(n=2), db.AODE(least=40)):
        with pytest.raises(ParameterError, match="averages other models for other rows"):
            model.fit(TABLE, Y).log_likelihood(TABLE)
    net = db.BayesNetClassifier([("a", "class")], priors="uniform").fit(TABLE, Y)
    with pytest.raises(ParameterError, match="the class has parents"):
        net.log_likelihood(TABLE)
    assert db.AODE(n=2).fit(TABLE, Y).n_parameters_ > db.AODE().fit(TABLE, Y).n_parameters_
    assert db.ComplementNB().fit(counts, [0, 1]).n_parameters_ == 1 + 2 * 2


def test_a_model_that_is_not_fitted_says_so():
    for ask in (lambda m: m.n_parameters_, lambda m: m.log_likelihood(TABLE), lambda m: m.sample(1)):
        with pytest.raises(UnfittedError):
            ask(db.CategoricalNB())


def test_bad_numbers_and_states_are_refused(fitted):
    with pytest.raises(InputTypeError, match="n is a whole number"):
        fitted["tan"].sample(2.5)
    with pytest.raises(InputTypeError, match="random_state"):
        fitted["tan"].sample(2, random_state="x")
    X, y = fitted["tan"].sample(0)
    assert (X.num_rows, len(y)) == (0, 0)


def test_any_random_state_gives_the_same_rows_again(fitted):
    model = fitted["augmented"]
    for state in (7, np.random.SeedSequence(7)):
        assert model.sample(9, random_state=state)[0].equals(model.sample(9, random_state=state)[0])
    same = [model.sample(9, random_state=np.random.default_rng(7))[0] for _ in range(2)]
    assert same[0].equals(same[1])
    old = [model.sample(9, random_state=np.random.RandomState(7))[0] for _ in range(2)]
    assert old[0].equals(old[1])


# Columns of numbers ---------------------------------------------------------------------------------------------------

NUMBERS = {
    "gaussian": (db.Gaussian(strength=0), RNG.normal(3, 2, 400)),
    "lognormal": (db.LogNormal(strength=0), RNG.lognormal(1, 0.5, 400)),
    "poisson": (db.Poisson(), RNG.poisson(4, 400).astype(float)),
    "exponential": (db.Exponential(), RNG.exponential(4, 400)),
    "negative binomial": (db.NegativeBinomial(), RNG.negative_binomial(2, 0.3, 400).astype(float)),
    "binned": (db.Binned(bins=4), RNG.uniform(0, 8, 400)),
    "cut": (db.Cut(at=[2.0, 5.0]), RNG.uniform(0, 8, 400)),
    "kernel": (db.Kernel(), RNG.normal(0, 1, 400)),
    "bernoulli": (db.Bernoulli(), RNG.integers(0, 2, 400).astype(float)),
}
COUNTED = {  # of two classes
    "gaussian": 4, "lognormal": 4, "poisson": 2, "exponential": 2, "negative binomial": 4, "binned": 6, "cut": 4,
    "bernoulli": 2,
}  # fmt: skip
HALVES = np.arange(400) % 2


@pytest.fixture(scope="module")
def numeric():
    shifted = {name: values + 2 * HALVES if name == "gaussian" else values for name, (_, values) in NUMBERS.items()}
    return {
        name: db.NaiveBayes({"x": kind}, weights=None, missing="skip").fit({"x": shifted[name]}, HALVES)
        for name, (kind, _) in NUMBERS.items()
    }


@pytest.mark.parametrize("name", NUMBERS)
def test_each_distribution_draws_what_it_was_fitted_to(numeric, name):
    """A model of the drawn rows gives any row nearly the probability that the first model gives it."""
    model = numeric[name]
    X, y = model.sample(4000, random_state=3)
    kind = model.schema_.plans[0].distribution
    if name == "binned":  # its range grows with the rows
        edges = np.linspace(*np.quantile(NUMBERS[name][1], [0, 1]), 5)[1:-1]
        first, again = (
            np.bincount(np.searchsorted(edges, x), minlength=4) / len(x) for x in (NUMBERS[name][1], X["x"])
        )
        assert again == pytest.approx(first, abs=0.03)
        return
    again = db.NaiveBayes({"x": kind}, weights=None, missing="skip").fit(X, y)
    probe = {"x": NUMBERS[name][1][:50]}
    per_row = model.log_likelihood(probe, per_row=True), again.log_likelihood(probe, per_row=True)
    assert np.mean(per_row[1]) == pytest.approx(np.mean(per_row[0]), abs=0.03)


@pytest.mark.parametrize("name", COUNTED)
def test_each_distribution_counts_its_parameters(numeric, name):
    assert numeric[name].n_parameters_ == 1 + COUNTED[name]


def test_a_kernel_density_has_no_number_of_parameters(numeric):
    with pytest.raises(ParameterError, match="'x' is Kernel"):
        _ = numeric["kernel"].n_parameters_


@pytest.mark.parametrize(("tie", "variances"), [("none", 6), ("class", 3), ("feature", 2), ("both", 1)])
def test_tied_variances_are_counted_once(tie, variances):
    """Zhu, item 11, for two classes and three columns: six means, and the variances that differ."""
    X = RNG.normal(size=(30, 3))
    assert db.NaiveBayes(db.Gaussian(tie=tie)).fit(X, np.arange(30) % 2).n_parameters_ == 1 + 6 + variances


def test_the_density_is_that_of_scipy():
    X, y = RNG.normal(size=(40, 2)) * [1, 5], np.arange(40) % 2
    model = db.GaussianNB().fit(X, y)
    density = scipy.stats.norm(model.theta_[:, None], np.sqrt(model.var_)[:, None]).pdf(X).prod(axis=2)
    assert model.log_likelihood(X, per_row=True) == pytest.approx(np.log(0.5 * density.sum(axis=0)), rel=1e-12)
    drawn, labels = model.sample(20_000, random_state=0)
    for j in range(2):
        assert drawn[labels == j].mean(axis=0) == pytest.approx(model.theta_[j], abs=0.2)
        assert drawn[labels == j].var(axis=0) == pytest.approx(model.var_[j], rel=0.1)


def test_missing_values_that_are_evidence_are_drawn_too():
    table = {"x": np.where(np.arange(60) % 3 == 0, np.nan, np.arange(60.0)), "k": ["a", None, "b"] * 20}
    model = db.NaiveBayes(missing="state", weights=None).fit(table, HALVES[:60])
    X, _ = model.sample(6000, random_state=0)
    assert X["x"].null_count / 6000 == pytest.approx(1 / 3, abs=0.03)
    assert X["k"].null_count / 6000 == pytest.approx(1 / 3, abs=0.03)
    assert model.n_parameters_ == 1 + (2 + 4) + 2 * 2
    assert model.log_likelihood(X) > -math.inf


def test_an_ignored_column_is_missing_and_counts_nothing():
    model = db.NaiveBayes({"id": db.Ignore()}).fit({"id": list(range(ROWS)), **TABLE}, Y)
    X, _ = model.sample(5, random_state=0)
    assert X["id"].null_count == 5
    assert model.n_parameters_ == FREE["weighted"]
    tree = db.TAN({"id": db.Ignore()}).fit({"id": list(range(ROWS)), **TABLE}, Y)
    assert tree.sample(5, random_state=0)[0]["id"].null_count == 5


def test_bins_of_a_tree_are_drawn_as_numbers():
    table = {"x": RNG.normal(size=200), "k": RNG.choice(list("ab"), 200)}
    y = np.where(table["x"] > 0.2, "high", "low")
    model = db.TAN().fit(table, y)
    X, labels = model.sample(500, random_state=0)
    assert pa.types.is_floating(X.schema.field("x").type)
    assert model.score(X, labels) == pytest.approx(model.score(table, y), abs=0.05)


# Counts of terms ------------------------------------------------------------------------------------------------------


def test_rows_of_terms_have_the_length_that_was_asked_for():
    model = db.MultinomialNB().fit([[2, 1, 0], [0, 1, 3]], ["sport", "music"])
    X, y = model.sample(3000, n_tokens=10, random_state=0)
    assert set(X.sum(axis=1)) == {10}
    assert X[y == "sport"].mean(axis=0) / 10 == pytest.approx(np.exp(model.feature_log_prob_[1]), abs=0.02)
    assert set(model.sample(9)[0].sum(axis=1)) == {round(7 / 2)}
    with pytest.raises(ParameterError, match="n_tokens is a whole number"):
        model.sample(2, n_tokens=[1, 2, 3])


def test_presence_is_zero_or_one():
    model = db.BernoulliNB(binarize=None).fit([[1, 0], [0, 1]], [0, 1])
    with pytest.raises(InputError, match="is 0 or 1"):
        model.log_likelihood([[0.5, 1.0]])
    whole = np.exp(model.log_likelihood([[0, 0], [0, 1], [1, 0], [1, 1]], per_row=True)).sum()
    assert whole == pytest.approx(1, abs=1e-15)
    X, y = model.sample(4000, random_state=0)
    assert X[y == 0].mean(axis=0) == pytest.approx(np.exp(model.feature_log_prob_[0]), abs=0.05)


def test_a_text_column_is_scored_where_it_is_a_distribution_and_never_drawn():
    table = {"subject": ["win a prize", "lunch today", "free prize"], "n": [9.0, 0.0, 7.0]}
    for event in ("boolean", "multinomial"):
        model = db.NaiveBayes({"subject": db.Text(event=event)}).fit(table, ["spam", "ham", "spam"])
        assert model.n_parameters_ == 1 + 2 * (5 - 1) + 4
        with pytest.raises(ParameterError, match="Text"):
            model.sample(2)
    assert model.log_likelihood(table) > -math.inf
    with pytest.raises(ParameterError, match='Use event="multinomial"'):
        db.NaiveBayes({"subject": db.Text()}).fit(table, ["spam", "ham", "spam"]).log_likelihood(table)


@given(code_samples(), st.floats(0.1, 3))
def test_every_smoothed_table_of_codes_sums_to_one(sample, alpha):
    X = np.asarray(sample.X)[:, :3].astype(int) % 3
    model = db.CategoricalNB(alpha=alpha, min_categories=3).fit(X, sample.y)
    rows = np.array(list(product(range(3), repeat=X.shape[1])))
    assert np.exp(model.log_likelihood(rows, per_row=True)).sum() == pytest.approx(1, rel=1e-9)
    assert model.n_parameters_ == len(model.classes_) - 1 + len(model.classes_) * 2 * X.shape[1]
    drawn, labels = model.sample(4, random_state=0)
    assert drawn.shape == (4, X.shape[1]) and set(labels) <= set(model.classes_)
