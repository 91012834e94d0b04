"""Effects between numbers and categories: the estimate, its error, and what is said where there is none."""

import numpy as np
import pytest
from scipy import stats

import deciban as db
from deciban.errors import (
    ColumnMismatchError,
    DecibanWarning,
    InputError,
    NotIdentifiedError,
    ParameterError,
    UnseenStateError,
)
from deciban.nets import EffectSize, MeanEffect

RNG = np.random.default_rng(0)
N = 300
AGE = RNG.normal(50, 10, N)
SEX = RNG.choice(["f", "m"], N)
DOSE = AGE / 10 + (SEX == "m") + RNG.normal(size=N)
DRUG = np.where(RNG.random(N) < 1 / (1 + np.exp(5 - AGE / 10)), "new", "old")
PRESSURE = 100 + AGE - 2 * DOSE + 3 * (SEX == "m") + RNG.normal(size=N) * np.exp(0.3 * DOSE - 2)
RELIEF = AGE / 10 + 2.0 * (DRUG == "new") + RNG.normal(size=N)
ROWS = {"age": AGE, "sex": SEX, "dose": DOSE, "drug": DRUG, "pressure": PRESSURE, "relief": RELIEF,
        "well": np.where(RELIEF > 6, "yes", "no")}  # fmt: skip
DOSES = db.DAG([("age", "dose"), ("sex", "dose"), ("age", "pressure"), ("sex", "pressure"), ("dose", "pressure")])
DRUGS = db.DAG([("age", "drug"), ("age", "relief"), ("drug", "relief"), ("relief", "well")])
BOW = db.DAG([("z", "x"), ("x", "y")])
HIDDEN = {"cause": "x", "effect": "y", "confounded": [("x", "y")]}


def dose(rows=None, **options):
    return db.effect(ROWS if rows is None else rows, DOSES, cause="dose", effect="pressure", **options)


def drug(effect="relief", rows=None, **options):
    return db.effect(ROWS if rows is None else rows, DRUGS, cause="drug", effect=effect, **options)


def least_squares(design, y):
    """Coefficients, and their covariance HC3, row by row."""
    inverse = np.linalg.inv(design.T @ design)
    beta = inverse @ design.T @ y
    meat = np.zeros_like(inverse)
    for row, left in zip(design, y - design @ beta, strict=True):
        meat += np.outer(row, row) * (left / (1 - row @ inverse @ row)) ** 2
    return beta, inverse @ meat @ inverse


def confounded(rng, n=2000, strength=1.0):
    """z → x → y, and a hidden cause of x and y; the slope is 2."""
    hidden, z = rng.normal(size=(2, n))
    x = strength * z + hidden + rng.normal(size=n)
    return {"z": z, "x": x, "y": 2 * x + 3 * hidden + rng.normal(size=n)}


def test_a_slope_is_that_of_least_squares_with_the_error_hc3():
    design = np.column_stack([np.ones(N), DOSE, AGE, SEX == "m"])
    beta, covariance = least_squares(design, PRESSURE)
    found = dose()
    assert found.slope().value == pytest.approx(beta[1], rel=1e-9)
    assert found.slope().error == pytest.approx(np.sqrt(covariance[1, 1]), rel=1e-9)
    half = stats.t.ppf(0.95, N - 4) * np.sqrt(covariance[1, 1])
    assert found.slope().interval(0.9) == pytest.approx((beta[1] - half, beta[1] + half))
    assert found.difference(7, 4).value == pytest.approx(3 * beta[1])
    assert found.difference(7, 4).error == pytest.approx(3 * found.slope().error)
    assert (found.adjusted, found.method, found.rows) == (("age", "sex"), "regression", N)


def test_a_mean_is_the_average_of_predictions():
    design = np.column_stack([np.ones(N), DOSE, AGE, SEX == "m"])
    beta, _ = least_squares(design, PRESSURE)
    design[:, 1] = 6.0
    assert dose().mean(6).value == pytest.approx((design @ beta).mean())
    design = np.column_stack([np.ones(N), DRUG == "new", AGE])
    beta, _ = least_squares(design, RELIEF)
    found = drug()
    assert found.difference("new", "old").value == pytest.approx(beta[1])
    design[:, 1] = 0.0
    assert found.mean("old").value == pytest.approx((design @ beta).mean())
    assert found.mean({"drug": "old"}) == found.mean("old")


def test_a_category_as_effect_has_a_probability_for_each_state():
    found = drug("well")
    design = np.column_stack([np.ones(N), DRUG == "new", AGE])
    beta, covariance = least_squares(design, ROWS["well"] == "yes")
    size = found.difference("new", "old", outcome="yes")
    assert size.value == pytest.approx(beta[1])
    assert size.error == pytest.approx(np.sqrt(covariance[1, 1]))
    for method in ("regression", "aipw"):
        found = drug("well", method=method)
        whole = sum(found.mean("new", outcome=outcome).value for outcome in ("yes", "no"))
        assert whole == pytest.approx(1)


@pytest.mark.parametrize(("method", "ask"), [("regression", dose), ("dml", dose), ("regression", drug), ("aipw", drug)])
def test_the_order_of_rows_and_columns_changes_nothing(method, ask):
    order = np.random.default_rng(1).permutation(N)
    mixed = {name: ROWS[name][order] for name in reversed(ROWS)}
    one, other = ask(method=method), ask(mixed, method=method) if ask is dose else ask(rows=mixed, method=method)
    assert np.array_equal(one._coefficients, other._coefficients)
    assert np.array_equal(one._covariances, other._covariances)


@pytest.mark.parametrize("method", ["regression", "dml"])
def test_a_weight_is_a_number_of_copies(method):
    times = np.random.default_rng(1).integers(0, 4, N)
    copies = {name: np.repeat(values, times) for name, values in ROWS.items()}
    one, other = dose(method=method, sample_weight=times), dose(copies, method=method)
    assert one.slope() == other.slope()
    assert one.rows == times.sum()


def test_copies_of_few_different_rows_are_spread_over_the_folds():
    """Of two binary columns, AIPW is the difference of the frequencies, and its error theirs."""
    table = {"x": ["a", "a", "b", "b"], "y": ["no", "yes", "no", "yes"]}
    found = db.effect(table, db.DAG([("x", "y")]), cause="x", effect="y", method="aipw",
                      sample_weight=[600, 400, 300, 700])  # fmt: skip
    size = found.difference("b", "a", outcome="yes")
    assert size.value == pytest.approx(0.3, abs=1e-3)
    assert size.error == pytest.approx(np.sqrt(0.24 / 1000 + 0.21 / 1000), rel=1e-2)


def test_units_do_not_matter():
    scaled = {**ROWS, "dose": DOSE * 1e-9, "pressure": PRESSURE * 1e9 + 1e15, "age": AGE * 1e40}
    assert dose(scaled).slope().value == pytest.approx(dose().slope().value * 1e18, rel=1e-5)
    assert dose(scaled).slope().error == pytest.approx(dose().slope().error * 1e18, rel=1e-5)


def test_numbers_of_extreme_size_have_finite_errors():
    found = dose({**ROWS, "dose": DOSE * 1e-140, "pressure": PRESSURE * 1e140})
    assert found.slope().value == pytest.approx(dose().slope().value * 1e280, rel=1e-9)
    assert found.slope().error == pytest.approx(dose().slope().error * 1e280, rel=1e-9)
    with pytest.raises(InputError, match="Use another unit"):
        dose({**ROWS, "dose": DOSE * 1e-200})


def test_flexible_predictions_remove_a_bias_that_lines_leave():
    rng = np.random.default_rng(2)
    z = rng.normal(size=3000)
    x, y = z**2 + rng.normal(size=3000), np.zeros(3000)
    y = x + 2 * z**2 + rng.normal(size=3000)
    graph = db.DAG([("z", "x"), ("z", "y"), ("x", "y")])
    table = {"x": x, "y": y, "z": z}
    line, flexible = (db.effect(table, graph, cause="x", effect="y", method=how) for how in ("regression", "dml"))
    assert line.slope().value > 2
    assert flexible.slope().value == pytest.approx(1, abs=4 * flexible.slope().error)
    table["x"] = np.where(rng.random(3000) < 1 / (1 + np.exp(1 - z**2)), "t", "c")
    table["y"] = (table["x"] == "t") + 2 * z**2 + rng.normal(size=3000)
    line, flexible = (db.effect(table, graph, cause="x", effect="y", method=how) for how in ("regression", "aipw"))
    assert line.difference("t", "c").value > 2
    assert flexible.difference("t", "c").value == pytest.approx(1, abs=4 * flexible.difference("t", "c").error)


def test_an_instrument_without_covariates_gives_walds_ratio():
    table = confounded(np.random.default_rng(3))
    found = db.effect(table, BOW, **HIDDEN)
    z, x, y = table["z"], table["x"], table["y"]
    assert found.slope().value == pytest.approx(np.cov(z, y)[0, 1] / np.cov(z, x)[0, 1])
    left = (y - y.mean()) - found.slope().value * (x - x.mean())
    error = np.sqrt(((z - z.mean()) ** 2 @ left**2) * 2000 / 1998) / abs((z - z.mean()) @ x)
    assert found.slope().error == pytest.approx(error)
    r = np.corrcoef(z, x)[0, 1]
    assert found.first_stage_f == pytest.approx(r**2 / (1 - r**2) * 1998)
    assert found.slope().value == pytest.approx(2, abs=4 * error)
    assert (found.instruments, found.notes) == (("z",), ())


def test_two_stage_least_squares_with_covariates():
    """The slope of the second stage, on the fit of the first."""
    rng = np.random.default_rng(4)
    n = 2000
    hidden, w, u, v = rng.normal(size=(4, n))
    z = w + u
    x = z + v + w + hidden + rng.normal(size=n)
    table = {"z": z, "v": v, "w": w, "x": x, "y": 2 * x + 2 * hidden - w + rng.normal(size=n)}
    graph = db.DAG([("w", "z"), ("w", "x"), ("w", "y"), ("z", "x"), ("v", "x"), ("x", "y")])
    assert [str(one) for one in db.identify(graph, **HIDDEN).instruments] == ["v", "z given w"]
    found = db.effect(table, graph, **HIDDEN)
    assert (found.instruments, found.adjusted) == (("v",), ())
    more = db.effect(table, graph, **{**HIDDEN, "confounded": [("x", "y"), ("v", "y")]})
    assert (more.instruments, more.adjusted) == (("z",), ("w",))
    given = np.column_stack([np.ones(n), w])
    fit = np.column_stack([given, z]) @ np.linalg.lstsq(np.column_stack([given, z]), x, rcond=None)[0]
    beta = np.linalg.lstsq(np.column_stack([given, fit]), table["y"], rcond=None)[0]
    assert more.slope().value == pytest.approx(beta[2])


def test_a_weak_instrument_is_said():
    table = confounded(np.random.default_rng(5), strength=0.02)
    with pytest.warns(DecibanWarning, match=r"weak instruments: the first-stage F is [0-9.]+, below 10"):
        found = db.effect(table, BOW, **HIDDEN)
    assert found.first_stage_f < 10
    assert found.notes[0].startswith("weak instruments")


def test_the_front_door_is_a_product_of_slopes():
    rng = np.random.default_rng(6)
    n = 1000
    hidden = rng.normal(size=n)
    x = hidden + rng.normal(size=n)
    m = 0.7 * x + rng.normal(size=n)
    table = {"x": x, "m": m, "y": 1.5 * m + 2 * hidden + rng.normal(size=n)}
    found = db.effect(table, db.DAG([("x", "m"), ("m", "y")]), **HIDDEN)
    first, one = least_squares(np.column_stack([np.ones(n), x]), m)
    second, two = least_squares(np.column_stack([np.ones(n), m, x]), table["y"])
    assert found.slope().value == pytest.approx(first[1] * second[1])
    # The residuals of the two regressions are independent, so the delta method has no covariance, but in the sample.
    delta = np.sqrt(one[1, 1] * second[1] ** 2 + two[1, 1] * first[1] ** 2)
    assert found.slope().error == pytest.approx(delta, rel=0.05)
    assert (found.method, found.adjusted) == ("front-door", ("m",))


def test_a_mediator_without_variation_is_refused():
    table = {"x": DOSE, "m": ["a"] * N, "y": AGE}
    with pytest.raises(InputError, match="the mediator 'm' has one value"):
        db.effect(table, db.DAG([("x", "m"), ("m", "y")]), **HIDDEN)


def test_without_a_path_there_is_no_effect():
    graph = db.DAG([("pressure", "dose")])
    found = db.effect(ROWS, graph, cause="dose", effect="pressure")
    assert found.slope() == EffectSize(0.0, 0.0)
    assert found.mean(3).value == pytest.approx(PRESSURE.mean())
    assert found.mean(3).error == pytest.approx(PRESSURE.std() / np.sqrt(N))


@pytest.mark.parametrize("method", ["regression", "dml", "aipw", "iv", "front-door"])
def test_intervals_cover_the_truth(method):
    """95 % intervals of some tables; of 500 and more, they cover between 93 % and 97 %."""
    tables = 30 if method in ("dml", "aipw") else 100
    rng = np.random.default_rng(8)
    graph = {"iv": BOW, "front-door": db.DAG([("x", "z"), ("z", "y")])}.get(
        method, db.DAG([("z", "x"), ("z", "y"), ("x", "y")])
    )
    covered = 0
    for _ in range(tables):
        hidden, z, e, f = rng.normal(size=(4, 400))
        if method == "iv":
            x = z + hidden + e
            y = x + hidden + f * np.exp(z / 3)
        elif method == "front-door":
            x = hidden + e
            z = x + z
            y = z + hidden + f
        elif method == "aipw":
            x = np.where(rng.random(400) < 1 / (1 + np.exp(-z)), "t", "c")
            y = (x == "t") * (1 + z) + np.abs(z) + f
        else:
            x = np.sin(2 * z) + e if method == "dml" else z + e
            y = x + (np.abs(z) if method == "dml" else z) + f * np.exp(z / 3)
        options = {"confounded": [("x", "y")]} if method in ("iv", "front-door") else {}
        found = db.effect({"x": x, "y": y, "z": z}, graph, cause="x", effect="y", method=method, **options)
        low, high = (found.difference("t", "c") if method == "aipw" else found.slope()).interval()
        covered += low <= 1 <= high
    # Fewer occur once in a thousand times where 95 % cover.
    assert covered >= {30: 24, 100: 87}[tables]


def test_the_adjustment_set_of_least_variance_is_taken_if_it_has_columns():
    graph = db.DAG([("age", "sex"), ("sex", "dose"), ("age", "pressure"), ("dose", "pressure"), ("w", "pressure")])
    table = {**ROWS, "w": RNG.normal(size=N)}
    assert db.effect(table, graph, cause="dose", effect="pressure").adjusted == ("age", "w")
    assert db.effect(ROWS, graph, cause="dose", effect="pressure").adjusted in (("age",), ("sex",))
    chosen = db.effect(ROWS, graph, cause="dose", effect="pressure", adjust_for=["age", "sex"])
    assert chosen.adjusted == ("age", "sex")
    with pytest.raises(NotIdentifiedError, match="adjusting for nothing does not give"):
        db.effect(ROWS, graph, cause="dose", effect="pressure", adjust_for=[])
    with pytest.raises(ColumnMismatchError, match="no column 'age'"):
        dose({name: values for name, values in ROWS.items() if name != "age"})


def test_tables_of_categories_stay_tables():
    table = {"x": [0, 1, 0, 1, 1], "y": [0, 1, 1, 1, 0], "z": [0, 0, 1, 1, 1]}
    graph = db.DAG([("z", "x"), ("z", "y"), ("x", "y")])
    found = db.effect(table, graph, cause="x", effect="y", bootstrap=0)
    assert found[1][1] == pytest.approx(2 / 5 * 1 + 3 / 5 * 1 / 2)
    with pytest.raises(InputError, match=r"holds 300 different numbers.*method=\"regression\""):
        dose(method="tables")


def test_columns_say_what_is_a_number():
    rng = np.random.default_rng(9)
    stars = rng.integers(1, 6, 200)
    table = {"price": stars * 2.0 + rng.normal(size=200), "stars": stars}
    graph = db.DAG([("stars", "price")])
    assert db.effect(table, graph, cause="stars", effect="price").states == (1, 2, 3, 4, 5)
    found = db.effect(table, graph, cause="stars", effect="price", columns={"stars": "number"})
    assert found.slope().value == pytest.approx(2, abs=0.3)
    both = db.effect({**table, "price": stars}, graph, cause="stars", effect="price",
                     columns={"stars": "number", "price": "number"})  # fmt: skip
    assert both.slope().value == pytest.approx(1)
    for columns, error in (
        ({"star": "number"}, ParameterError),
        ({"stars": "count"}, ParameterError),
        (3, ParameterError),
    ):
        with pytest.raises(error):
            db.effect(table, graph, cause="stars", effect="price", columns=columns)


def test_rows_with_missing_values_are_left_out():
    gap = {**ROWS, "age": np.where(np.arange(N) < 30, np.nan, AGE)}
    part = {name: values[30:] for name, values in ROWS.items()}
    assert dose(gap).left_out == 30
    assert dose(gap).slope() == dose(part).slope()
    assert str(dose(gap)).endswith("dropped for missing values: 30 rows")


def test_a_cause_without_variation_is_refused():
    with pytest.raises(InputError, match="'dose' has one value in all rows"):
        dose({**ROWS, "dose": np.full(N, 3.5)}, method="regression")
    with pytest.raises(InputError, match="'drug' has one value in all rows"):
        drug(rows={**ROWS, "drug": ["old"] * N})


@pytest.mark.parametrize("method", ["regression", "dml"])
def test_a_constant_effect_is_not_changed(method):
    found = dose({**ROWS, "pressure": np.full(N, 3.5)}, method=method, columns={"pressure": "number"})
    assert found.slope() in (EffectSize(0.0, 0.0), EffectSize(0.0, 0.0, N - 4))
    assert found.mean(2).value == pytest.approx(3.5)
    assert "pressure has one value in all rows" in found.notes


def test_collinear_columns_of_an_adjustment_set_change_nothing():
    graph = db.DAG(
        [*DOSES.directed_edges, ("copy", "dose"), ("copy", "pressure"), ("one", "dose"), ("one", "pressure")]
    )
    table = {**ROWS, "copy": 3 * AGE - 7, "one": np.full(N, 2.5)}
    found = db.effect(table, graph, cause="dose", effect="pressure")
    assert found.slope().value == pytest.approx(dose().slope().value)
    assert found.slope().error == pytest.approx(dose().slope().error)
    assert [note.split(":")[0] for note in found.notes] == ["constant, so without influence", "collinear"]


@pytest.mark.parametrize("method", ["regression", "dml"])
def test_a_cause_that_others_determine_is_refused(method):
    with pytest.raises(InputError, match=r"age, sex determine 'dose'.*positivity fails"):
        dose({**ROWS, "dose": 2 * AGE + 1}, method=method)


def test_strata_without_a_state_of_the_cause_are_named():
    table = {**ROWS, "age": np.where(DRUG == "new", "old", np.where(AGE > 50, "old", "young"))}
    found = drug(rows=table)
    young = int((table["age"] == "young").sum())
    assert found.notes == (
        f"positivity: no row has drug = new with age = young ({young} rows), so the model extrapolates there",
    )
    found = drug(rows=table, method="aipw")
    assert any(note.startswith("positivity: P(drug = new | age) is below 0.01 in") for note in found.notes) or (
        found.notes[-1].startswith("positivity: no row")
    )
    apart = {**ROWS, "age": np.where(DRUG == "new", AGE + 100, AGE)}
    assert any("lie outside, where the model extrapolates" in note for note in drug(rows=apart).notes)


def test_too_few_rows_are_said():
    few = {name: values[:5] for name, values in ROWS.items()}
    columns = dict.fromkeys(("age", "dose", "pressure"), "number")
    with pytest.raises(InputError, match="too few for a regression"):
        dose({**few, "sex": list("abcde")}, columns=columns)
    with pytest.raises(InputError, match="too few for 5 folds"):
        dose(few, columns=columns, method="dml")
    with pytest.raises(InputError, match=r"'new' in 4 rows: too few for 5 folds"):
        drug(rows={**ROWS, "drug": np.where(np.arange(N) < 4, "new", "old")}, method="aipw")
    with pytest.raises(InputError, match="1 row without another that is like it"):
        drug(rows={**ROWS, "drug": np.where(np.arange(N) < 1, "new", "old")})


def test_what_does_not_fit_is_refused():
    with pytest.raises(InputError, match='Use method="dml"'):
        dose(method="aipw")
    with pytest.raises(InputError, match='Use method="aipw"'):
        drug(method="dml")
    with pytest.raises(NotIdentifiedError, match=r"no instrument .* Pass method='regression' or 'tables'"):
        dose(method="iv")
    with pytest.raises(NotIdentifiedError, match="no front door"):
        dose(method="front-door")
    with pytest.raises(ParameterError, match="method is one of"):
        dose(method="ols")
    with pytest.raises(InputError, match="one node as cause"):
        db.effect(ROWS, DOSES, cause=["dose", "age"], effect="pressure")
    with pytest.raises(InputError, match="no given nodes"):
        db.effect(ROWS, DOSES, cause="dose", effect="pressure", given="sex")
    with pytest.raises(NotIdentifiedError, match='instrument z: method="iv"'):
        db.effect({name: [0, 1, 0, 1] for name in "xyz"}, BOW, **HIDDEN)
    labels = np.random.default_rng(0).choice(["a", "b", "c"], N)
    with pytest.raises(InputError, match="cannot identify"):
        db.effect({"z": AGE, "x": labels, "y": DOSE}, BOW, **HIDDEN)


def test_questions_that_a_result_cannot_answer():
    found, compared = dose(), drug("well")
    with pytest.raises(InputError, match="is a category, so it has no slope"):
        compared.slope("yes")
    with pytest.raises(InputError, match="pass one of its states as outcome: 'no', 'yes'"):
        compared.mean("new")
    with pytest.raises(InputError, match="do not pass an outcome"):
        found.slope("yes")
    with pytest.raises(InputError, match="it cannot be set to 'high'"):
        found.mean("high")
    with pytest.raises(InputError, match="cannot be set to nan"):
        found.mean(float("nan"))
    with pytest.raises(UnseenStateError, match=r"'drug' has no state 'nwe'.*Did you mean 'new'"):
        compared.mean("nwe", outcome="yes")
    with pytest.raises(InputError, match="exactly the node drug"):
        compared.mean({"dose": 1}, outcome="yes")
    with pytest.raises(ParameterError, match="between 0 and 1"):
        found.slope().interval(95)


def test_what_is_shown():
    found = drug("well")
    assert isinstance(found, MeanEffect)
    lines = str(found).splitlines()
    assert lines[0] == "P(well | do(drug)) by regression of well on drug, age"
    assert lines[1].split() == ["well", "estimate", "error", "95%", "interval"]
    assert lines[-1].startswith("old − new   yes")
    assert repr(found).startswith("MeanEffect(P(well | do(drug)) by regression of well on drug, age: old − new of yes ")
    assert len(repr(found).splitlines()) == 1
    frame = found.to_frame()
    assert list(frame.columns) == ["contrast", "outcome", "estimate", "error", "low", "high"]
    assert len(frame) == 6
    page = drug("well", rows={**ROWS, "well": np.where(ROWS["well"] == "yes", "<b>", "&")})._repr_html_()
    assert "&lt;b&gt;" in page
    assert "<b>," not in page
    assert list(dose().to_frame("polars").columns) == ["contrast", "estimate", "error", "low", "high"]
