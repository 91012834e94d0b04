"""Effects of DoWhy on its own data sets: where DoWhy is not installed, these tests are skipped.

What is the same, to 1e-6: linear regression, two-stage least squares with one instrument (DoWhy divides covariances, as
Wald does) and the product of regressions through a front door, without other columns.

What differs, and why:

- *Standard errors.* DoWhy's regression has those of equal variances; deciban's are HC3, which are those of statsmodels
  with ``cov_type="HC3"``. On these data, of equal variances, the two differ by less than 10 %.
- *Several instruments.* DoWhy's two-stage least squares has no constant, so that it gives 10.047 where the truth is 10;
  deciban's is that of linearmodels, with a constant. Without one it is DoWhy's, to the 32 bits of its numbers.
- *Weighting.* DoWhy weights by propensities alone, without a model of the effect, and has only bootstrap errors:
  estimates differ by sampling, and deciban's are within three of its standard errors of the truth.
"""

import logging
import warnings

import numpy as np
import pytest

import deciban as db

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    datasets = pytest.importorskip("dowhy.datasets")
    from dowhy import CausalModel

pytestmark = pytest.mark.filterwarnings("ignore")


def data_set(**options):
    """A linear data set with the effect 10, and the seed 0."""
    logging.getLogger("dowhy").setLevel(logging.ERROR)
    np.random.seed(0)  # noqa: NPY002  the generator that DoWhy draws from
    made = datasets.linear_dataset(beta=10, num_samples=2000, num_effect_modifiers=0, **options)
    return made["df"], made


def theirs(made, method, **options):
    model = CausalModel(data=made["df"], treatment="v0", outcome="y", graph=made["gml_graph"])
    return model.estimate_effect(model.identify_effect(proceed_when_unidentifiable=True), method_name=method, **options)


def dag(frame, hidden=()):
    """DoWhy's graph: W are common causes, Z instruments, FD mediators."""
    w, z, through = ([name for name in frame.columns if name.startswith(begin)] for begin in ("W", "Z", "FD"))
    arrows = [(name, end) for name in w for end in ("v0", "y", *through) if name not in hidden]
    arrows += [(name, "v0") for name in z]
    arrows += [pair for name in through for pair in (("v0", name), (name, "y"))] or [("v0", "y")]
    return db.DAG(arrows)


def test_linear_regression():
    frame, made = data_set(num_common_causes=3, num_instruments=0, treatment_is_binary=False)
    other = theirs(made, "backdoor.linear_regression", test_significance=True)
    ours = db.effect(frame, dag(frame), cause="v0", effect="y")
    assert ours.slope().value == pytest.approx(other.value, rel=1e-6)
    assert ours.slope().error == pytest.approx(other.get_standard_error(), rel=0.1)


def test_hc3():
    sm = pytest.importorskip("statsmodels.api")
    frame, _ = data_set(num_common_causes=3, num_instruments=0, treatment_is_binary=False)
    fit = sm.OLS(frame["y"], sm.add_constant(frame[["v0", "W0", "W1", "W2"]])).fit(cov_type="HC3", use_t=True)
    size = db.effect(frame, dag(frame), cause="v0", effect="y").slope()
    assert (size.value, size.error) == pytest.approx((fit.params["v0"], fit.bse["v0"]), rel=1e-8)
    assert size.interval() == pytest.approx(tuple(fit.conf_int().loc["v0"]), rel=1e-8)


def test_a_binary_cause_and_discrete_common_causes():
    frame, made = data_set(
        num_common_causes=3, num_discrete_common_causes=1, num_instruments=0, treatment_is_binary=True
    )
    other = theirs(made, "backdoor.linear_regression")
    ours = db.effect(frame, dag(frame), cause="v0", effect="y")
    assert ours.difference(True, False).value == pytest.approx(other.value, rel=1e-6)
    for method in ("regression", "aipw"):
        size = db.effect(frame, dag(frame), cause="v0", effect="y", method=method).difference(True, False)
        assert abs(size.value - made["ate"]) < 3 * size.error
    weighted = theirs(made, "backdoor.propensity_score_weighting")
    assert abs(size.value - made["ate"]) <= abs(weighted.value - made["ate"])


def test_one_instrument():
    frame, made = data_set(num_common_causes=2, num_instruments=1, treatment_is_binary=True)
    other = theirs(made, "iv.instrumental_variable")
    hidden = ["W0", "W1"]
    ours = db.effect(frame, dag(frame), cause="v0", effect="y", latent=hidden, method="iv")
    assert ours.difference(True, False).value == pytest.approx(other.value, rel=1e-6)
    low, high = ours.difference(True, False).interval()
    assert low < made["ate"] < high


def test_two_instruments():
    frame, made = data_set(num_common_causes=2, num_instruments=2, treatment_is_binary=False)
    ours = db.effect(frame, dag(frame), cause="v0", effect="y", latent=["W0", "W1"])
    other = theirs(made, "iv.instrumental_variable")
    assert ours.instruments == ("Z0", "Z1")
    z, x, y = frame[["Z0", "Z1"]].to_numpy(float), frame["v0"].to_numpy(float), frame["y"].to_numpy(float)
    fitted = z @ np.linalg.lstsq(z, x, rcond=None)[0]
    assert other.value == pytest.approx(fitted @ y / (fitted @ x), rel=1e-6)
    assert abs(ours.slope().value - 10) < abs(other.value - 10)
    iv = pytest.importorskip("linearmodels.iv")
    columns = {name: frame[name].astype(float) for name in frame.columns}
    ones = np.ones(len(frame))
    fit = iv.IV2SLS(columns["y"], ones, columns["v0"], frame[["Z0", "Z1"]].astype(float)).fit(
        cov_type="robust", debiased=True
    )
    assert ours.slope().value == pytest.approx(fit.params["v0"], rel=1e-6)
    assert ours.slope().error == pytest.approx(fit.std_errors["v0"], rel=1e-6)


def test_the_front_door():
    frame, _ = data_set(num_common_causes=1, num_instruments=0, treatment_is_binary=False)
    hidden = frame[["v0"]].assign(FD0=frame["v0"] * 2.0 + np.random.default_rng(0).normal(size=len(frame)))
    hidden["y"] = 3 * hidden["FD0"] + 5 * frame["W0"]
    nodes = " ".join(f'node[id "{name}" label "{name}"]' for name in ("v0", "FD0", "y", "U"))
    arrows = (("v0", "FD0"), ("FD0", "y"), ("U", "v0"), ("U", "y"))
    edges = " ".join(f'edge[source "{a}" target "{b}"]' for a, b in arrows)
    graph = f"graph[directed 1 {nodes} {edges}]"
    model = CausalModel(data=hidden, treatment="v0", outcome="y", graph=graph)
    other = model.estimate_effect(model.identify_effect(proceed_when_unidentifiable=True),
                                  method_name="frontdoor.two_stage_regression")  # fmt: skip
    ours = db.effect(hidden, db.DAG([("v0", "FD0"), ("FD0", "y")]), cause="v0", effect="y", confounded=[("v0", "y")])
    assert ours.method == "front-door"
    assert abs(ours.slope().value - 6) < 3 * ours.slope().error
    assert ours.slope().value == pytest.approx(other.value, rel=1e-6)
