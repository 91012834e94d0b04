"""Pictures show the weights that the text shows."""

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest

import deciban as db
from deciban.errors import ParameterError

mpl.use("Agg")

rng = np.random.default_rng(0)
Y = rng.choice(["no", "yes"], 200)
TABLE = pd.DataFrame(
    {"sky": np.where(Y == "yes", "sun", rng.choice(["sun", "rain"], 200)), "warm": rng.normal(size=200)}
)


@pytest.fixture
def model():
    return db.NaiveBayes().fit(TABLE, Y)


def test_the_bars_are_the_weights(model):
    explanation = model.explain({"sky": "sun", "warm": 0.3})
    axes = explanation.plot()
    assert [bar.get_width() for bar in axes.patches] == pytest.approx([weight for _, weight in explanation.weights()])
    assert axes.get_xlabel() == f"decibans for {explanation.label} against {explanation.against}"


def test_the_nomogram_shows_each_value_at_its_weight(model):
    nomogram = model.nomogram()
    assert (nomogram.label, nomogram.against) == ("yes", "no")
    assert nomogram.scales[0].name == "sky"  # it says most
    weights = dict(nomogram.scales[0].points)
    expected = model.explain({"sky": "rain", "warm": 0.0}, against="yes")
    assert weights["rain"] == pytest.approx(-expected.reasons[0].weight_db)
    assert "rain" in nomogram.to_text()
    assert len(nomogram.plot().get_yticks()) == 2
    with pytest.raises(ParameterError, match="the classes are"):
        model.nomogram("maybe")
