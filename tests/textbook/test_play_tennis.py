"""PlayTennis (Mitchell 6.9.1): 0.0053 against 0.0206, hence "no"."""

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

import deciban as db
from tests.textbook.tables import TENNIS, rows_of

INSTANCE = [["sunny", "cool", "high", "strong"]]
YES = Fraction(9, 14) * Fraction(2, 9) * Fraction(3, 9) * Fraction(3, 9) * Fraction(3, 9)
NO = Fraction(5, 14) * Fraction(3, 5) * Fraction(1, 5) * Fraction(4, 5) * Fraction(3, 5)


@pytest.fixture
def model():
    rows, labels = rows_of(TENNIS, "PlayTennis")
    return db.CategoricalNB(alpha=0).fit(rows, labels)


def test_the_products_are_those_of_the_notes(model):
    joint = np.exp(model.predict_joint_log_proba(INSTANCE))[0]
    assert joint == pytest.approx([float(NO), float(YES)], rel=1e-14)
    assert [round(v, 4) for v in joint] == [0.0206, 0.0053]
    assert model.predict(INSTANCE).tolist() == ["no"]


def test_the_posterior_is_normalized(model):
    assert model.predict_proba(INSTANCE)[0] == pytest.approx(
        [float(NO / (NO + YES)), float(YES / (NO + YES))], rel=1e-14
    )
    assert round(float(NO / (NO + YES)), 3) == 0.795


def test_a_tally_of_the_table_gives_the_same_model_without_rows(model):
    tally = db.tally(pa.table(TENNIS), target="PlayTennis")
    again = db.CategoricalNB.from_tally(tally, alpha=0)
    assert again.feature_names_in_.tolist() == ["Outlook", "Temperature", "Humidity", "Wind"]
    frame = pa.table(dict(zip(again.feature_names_in_, [[v] for v in INSTANCE[0]], strict=True)))
    assert again.predict_proba(frame).tolist() == model.predict_proba(INSTANCE).tolist()


def test_the_tally_shows_the_counts_of_the_lecture():
    text = str(db.tally(pa.table(TENNIS), target="PlayTennis"))
    assert "Tally of 14 rows, 2 classes of 'PlayTennis'" in text
    assert [line.split()[-2:] for line in text.splitlines() if "overcast" in line] == [["0", "4"]]
