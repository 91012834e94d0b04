"""Effects from data: the numbers, how sure they are, and what they lack."""

import numpy as np
import pytest

import deciban as db
from deciban.errors import ImpossibleEvidenceError, InputError, NotIdentifiedError, ParameterError, UnseenStateError
from tests.nets.causal.models import joint, random_net, truth

CONFOUNDED = db.DAG([("z", "x"), ("z", "y"), ("x", "y")])
# Kidney stones: Charig and others (1986), by size of the stone and treatment.
STONES = {
    "size": ["small"] * 4 + ["large"] * 4,
    "treatment": ["open", "open", "puncture", "puncture"] * 2,
    "success": ["yes", "no"] * 4,
}
PATIENTS = [81, 6, 234, 36, 192, 71, 55, 25]
STONE = db.DAG([("size", "treatment"), ("size", "success"), ("treatment", "success")])


def draw(net, rows, rng):
    """Rows from the whole joint table, as columns."""
    table = joint(net)
    cells = rng.choice(table.size, rows, p=table.ravel() / table.sum())
    return dict(zip(net.nodes, np.unravel_index(cells, table.shape), strict=True))


def test_simpsons_paradox():
    """Puncture succeeds more often, open surgery is the better choice: it was taken for the harder cases."""
    seen = db.effect(STONES, db.DAG([("treatment", "success")]), effect="success", cause="treatment",
                     sample_weight=PATIENTS)  # fmt: skip
    done = db.effect(STONES, STONE, effect="success", cause="treatment", sample_weight=PATIENTS)
    assert seen["open"]["yes"] == pytest.approx(273 / 350)
    assert seen["puncture"]["yes"] == pytest.approx(289 / 350)
    assert done["open"]["yes"] == pytest.approx((357 * 81 / 87 + 343 * 192 / 263) / 700)
    assert done["puncture"]["yes"] == pytest.approx((357 * 234 / 270 + 343 * 55 / 80) / 700)
    assert done.difference("open", "puncture")["yes"] == pytest.approx(0.0537, abs=1e-4)
    assert 0.02 < done.error("open", "puncture")["yes"] < 0.05
    assert (done.rows, len(done)) == (700, 2)


def test_what_is_shown():
    done = db.effect(STONES, STONE, effect="success", cause="treatment", sample_weight=PATIENTS, bootstrap=0)
    assert str(done) == (
        "P(success | do(treatment)) = Σ_size P(success | treatment, size) P(size)\n"
        "treatment  success = no  success = yes\n"
        "open       0.1675        0.8325\n"
        "puncture   0.2211        0.7789"
    )
    assert done._repr_html_().startswith("<pre>P(success | do(treatment))")
    with pytest.raises(InputError, match="bootstrap=0 was passed"):
        done.error("open")


def test_estimates_come_near_the_truth_and_errors_tell_how_near():
    rng = np.random.default_rng(3)
    net = random_net(rng, CONFOUNDED, (2, 2))
    right = truth(net, ["y"], ["x"])
    off, said = [], []
    for _ in range(40):
        found = db.effect(draw(net, 400, rng), CONFOUNDED, effect="y", cause="x", bootstrap=60)
        off.append(found[1][1] - right[1, 1])
        said.append(found.error(1)[1])
    assert np.std(off) == pytest.approx(np.mean(said), rel=0.4)
    assert abs(np.mean(off)) < 3 * np.mean(said) / np.sqrt(40)


def test_where_positivity_fails_there_is_no_number_but_a_name():
    rows = {"z": [0, 0, 0, 1, 1], "x": [0, 1, 1, 0, 0], "y": [0, 1, 0, 1, 0]}
    found = db.effect(rows, CONFOUNDED, effect="y", cause="x", bootstrap=5)
    assert list(found) == [0]
    assert found.unsupported == ({"x": 1, "z": 1},)
    with pytest.raises(ImpossibleEvidenceError, match=r"undefined for x = 1: the formula needs x = 1, z = 1"):
        found[1]
    assert str(found).splitlines()[-2:] == ["1  —                —", "not in the data: x = 1, z = 1"]
    smoothed = db.effect(rows, CONFOUNDED, effect="y", cause="x", smoothing=db.Laplace(), bootstrap=5)
    assert list(smoothed) == [0, 1]
    assert smoothed.unsupported == ({"x": 1, "z": 1},)
    assert smoothed[1][1] == pytest.approx(4 / 7 * 2 / 4 + 3 / 7 * 1 / 2)


def test_what_occurs_never_need_not_be_supported():
    """A stratum without rows has weight 0, with whatever cause."""
    rows = {"z": [0, 0, 0, 0], "x": [0, 1, 1, 0], "y": [0, 1, 0, 1]}
    assert db.effect(rows, CONFOUNDED, effect="y", cause="x", bootstrap=0).unsupported == ()


def test_keys():
    net = random_net(np.random.default_rng(0), db.DAG([("a", "y"), ("b", "y"), ("w", "y")]), (2, 2))
    found = db.effect(net, net.dag, effect="y", cause=["a", "b"], given="w")
    assert found[0, 1, 1] == found[{"b": 1, "w": 1, "a": 0}]
    assert repr(found) == "Effect(P(y | do(a, b), w) = P(y | a, b, w); 2 × 2 × 2 × 2 table)"
    assert set(found) == {(a, b, w) for a in range(2) for b in range(2) for w in range(2)}
    for key, error in (((0, 1), InputError), ({"a": 0}, InputError), ((0, 1, 7), UnseenStateError)):
        with pytest.raises(error):
            found[key]


def test_several_effects_have_tuples_of_states():
    net = random_net(np.random.default_rng(0), db.DAG([("x", "y"), ("x", "z")]), (2, 2))
    found = db.effect(net, net.dag, effect=["y", "z"], cause="x")
    assert list(found[0]) == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert sum(found[0].values()) == pytest.approx(1)


def test_rows_with_gaps_are_counted():
    rows = {"x": [0, 1, None, 1], "y": [0, 1, 1, 0]}
    found = db.effect(rows, db.DAG([("x", "y")]), effect="y", cause="x", bootstrap=0)
    assert found.left_out == 1
    assert str(found).endswith("dropped for missing values: 1 row")


def test_what_is_not_identified_is_not_estimated():
    with pytest.raises(NotIdentifiedError, match="x ↔ y"):
        db.effect(STONES, db.DAG([("x", "y")]), effect="y", cause="x", confounded=[("x", "y")])
    with pytest.raises(ParameterError, match="number of samples"):
        db.effect(STONES, STONE, effect="success", cause="treatment", bootstrap=-1)
