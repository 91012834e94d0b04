"""AODE on tables small enough to be counted by hand, in fractions."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

import deciban as db
from deciban.errors import ParameterError, TooLargeError
from tests.textbook.tables import TENNIS, rows_of

ROWS, LABELS = rows_of(TENNIS, "PlayTennis")
NEW = ["sunny", "cool", "high", "strong"]
MIXED = pd.DataFrame({"a": list("xyxyxyxy"), "n": [1.5, 2.5, 1.25, 9.5, 8.75, 9.0, 1.0, 2.0]})


PAPER = {"strength": 1.0, "weights": None, "temperature": 1.0}


def count(given, label):
    """How many rows of a class have these values, by column."""
    return sum(
        all(row[i] == v for i, v in given.items()) for row, own in zip(ROWS, LABELS, strict=True) if own == label
    )


def alone(i, v, label, pseudo=1):
    states = len({row[i] for row in ROWS})
    return Fraction(count({i: v}, label) + pseudo, LABELS.count(label) + pseudo * states)


def given(k, v, above, label, strength=1, pseudo=1):
    n = count(above, label)
    back = strength * alone(k, v, label, pseudo) if strength else 0
    if n + strength == 0:
        return alone(k, v, label, pseudo)
    return (count({**above, k: v}, label) + back) / Fraction(n + strength)


def joint(row, label, parents, strength=1, pseudo=1):
    """P(j)·mean over the parents of P(parent | j)·Π P(x_k | parent, j)."""
    total = Fraction(0)
    for i in parents:
        p = alone(i, row[i], label, pseudo)
        for k in range(4):
            if k != i and row[k] is not None:
                p *= given(k, row[k], {i: row[i]}, label, strength, pseudo)
        total += p / len(parents)
    return Fraction(LABELS.count(label), 14) * total


def posterior(no, yes):
    return [float(no / (no + yes)), float(yes / (no + yes))]


def test_tennis_is_the_mean_of_four_models_exactly():
    model = db.AODE(**PAPER).fit(ROWS, LABELS)
    expected = [joint(NEW, label, range(4)) for label in ("no", "yes")]
    assert np.exp(model.predict_joint_log_proba([NEW]))[0] == pytest.approx([float(p) for p in expected], rel=1e-13)
    assert model.predict_proba([NEW])[0] == pytest.approx(posterior(*expected), rel=1e-13)


def test_without_smoothing_it_is_the_paper_s_frequencies():
    model = db.AODE(smoothing=db.MLE(), strength=0, weights=None, temperature=1.0).fit(ROWS, LABELS)
    expected = [joint(ROWS[8], label, range(4), strength=0, pseudo=0) for label in ("no", "yes")]
    assert np.exp(model.predict_joint_log_proba([ROWS[8]]))[0] == pytest.approx([float(p) for p in expected], abs=1e-15)


def test_columns_whose_value_is_rare_have_no_model_in_the_mean():
    # sunny 5, cool 4, high 7, strong 6
    for least, parents in ((5, [0, 2, 3]), (6, [2, 3]), (7, [2])):
        model = db.AODE(least=least, **PAPER).fit(ROWS, LABELS)
        expected = [joint(NEW, label, parents) for label in ("no", "yes")]
        assert model.predict_proba([NEW])[0] == pytest.approx(posterior(*expected), rel=1e-13)


def test_where_no_column_has_a_model_naive_bayes_decides():
    model = db.AODE(least=8, **PAPER).fit(ROWS, LABELS)
    naive = db.NaiveBayes(weights=None).fit(ROWS, LABELS)
    assert model.predict_proba([NEW]) == pytest.approx(naive.predict_proba([NEW]))


def test_a_missing_value_is_summed_out():
    row = ["sunny", None, "high", "strong"]
    expected = [joint(row, label, [0, 2, 3]) for label in ("no", "yes")]
    assert db.AODE(**PAPER).fit(ROWS, LABELS).predict_proba([row])[0] == pytest.approx(posterior(*expected), rel=1e-13)


def test_with_two_parents_it_is_the_mean_over_pairs():
    pairs = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    expected = []
    for label in ("no", "yes"):
        total = Fraction(0)
        seen = [pair for pair in pairs if any(all(row[i] == NEW[i] for i in pair) for row in ROWS)]
        for i, k in seen:
            p = alone(i, NEW[i], label) * given(k, NEW[k], {i: NEW[i]}, label)
            for other in set(range(4)) - {i, k}:
                p *= given(other, NEW[other], {i: NEW[i], k: NEW[k]}, label)
            total += p / len(seen)
        expected.append(Fraction(LABELS.count(label), 14) * total)
    assert db.AODE(n=2, **PAPER).fit(ROWS, LABELS).predict_proba([NEW])[0] == pytest.approx(
        posterior(*expected), rel=1e-13
    )


def test_one_column_is_naive_bayes():
    column = [[row[0]] for row in ROWS]
    for n in (1, 2):
        found = db.AODE(n=n, **PAPER).fit(column, LABELS).predict_proba(column)
        assert found == pytest.approx(db.NaiveBayes(weights=None).fit(column, LABELS).predict_proba(column))


def test_three_parents_at_a_time_need_too_much_room_for_wide_tables():
    wide = np.arange(600)[:, None].repeat(40, axis=1)
    with pytest.raises(TooLargeError, match=r"would take [\d.]+ TiB"):
        db.AODE(db.Categorical(), n=2).fit(wide, np.arange(600) % 2)


def test_evidence_names_what_averaging_adds_and_it_is_bounded():
    model = db.AODE(**PAPER).fit(ROWS, LABELS)
    evidence = model.evidence(ROWS)
    assert evidence.names[-1] == "(averaging)"
    averaging = evidence.columns[:, -1]
    assert (averaging <= 1e-12).all()
    assert (averaging >= -np.log(4)).all()
    lines = model.explain([NEW]).to_text().splitlines()
    assert lines[0].startswith("P(no)·mean = 0.3571 · (") and "(x0 = sunny) + " in lines[0] and ") / 4 = " in lines[0]
    assert lines[-2].split()[0] == "(averaging)"
    assert "(naive) = " in db.AODE(least=99, **PAPER).fit(ROWS, LABELS).explain([NEW]).to_text()
    assert "x0 = sunny and x1 = cool" in db.AODE(n=2, **PAPER).fit(ROWS, LABELS).explain([NEW]).to_text()


def test_an_unseen_label_does_not_speak_for_rare_parents():
    model = db.AODE(**PAPER).fit(ROWS, LABELS)
    with_it = model.evidence([["sunny", "cool", "high", "gale"]])
    naive = db.NaiveBayes(weights=None).fit(ROWS, LABELS).evidence([["sunny", "cool", "high", "gale"]])
    assert with_it.columns[0, 3] == pytest.approx(naive.columns[0, 3])


def test_numbers_are_cut_once():
    model = db.AODE().fit(MIXED, [0, 0, 0, 1, 1, 1, 0, 0])
    cuts = model.schema_["n"].distribution
    assert isinstance(cuts, db.Cut) and len(cuts.at) == 1
    model.partial_fit(MIXED, [1, 1, 1, 0, 0, 0, 1, 1])
    assert model.schema_["n"].distribution == cuts
    assert model.tally_.parts[0].counts[1].table.tolist() == [[5, 3], [5, 3]]


@pytest.mark.parametrize("parameters", [{"n": 3}, {"least": 0}, {"strength": -1}, {"missing": "x"}])
def test_parameters_outside_their_range_are_refused(parameters):
    with pytest.raises(ParameterError):
        db.AODE(**parameters).fit(ROWS, LABELS)
