"""LogCountRatio: Wang & Manning's ratios, by hand, and the classifiers on them."""

import numpy as np
import pytest

import deciban as db
from deciban.errors import DecibanError
from deciban.models.ratio import log_count_ratios

X = ["good good film", "good fun", "bad film", "bad no fun", "good film", "bad bad"] * 3
Y = ["pos", "pos", "neg", "neg", "pos", "neg"] * 3


def test_ratios_are_those_of_presence():
    model = db.LogCountRatio(ngrams=(1, 1)).fit(X, Y)
    bag = model.tally_.parts[0]
    ratios = dict(zip(bag.vocabulary, log_count_ratios(bag, 1.0)[1], strict=True))
    p, q = 9 + 6 + 3 + 0 + 0 + 5, 9 + 3 + 3 + 3 + 0 + 5  # good, film, fun; bad, film, no, fun; and five tokens' alpha
    assert ratios["good"] == pytest.approx(np.log((10 / p) / (1 / q)))


@pytest.mark.parametrize("classifier", ["logistic", "svm"])
@pytest.mark.parametrize("beta", [0.0, 0.25, 1.0])
def test_it_learns(classifier, beta):
    model = db.LogCountRatio(classifier=classifier, beta=beta).fit(X, Y)
    assert model.predict(["good", "bad", "no fun"]).tolist() == ["pos", "neg", "neg"]
    assert model.decision_function(["good"]) > 0


def test_several_classes_and_probabilities():
    model = db.LogCountRatio().fit([*X, "so so", "so so"], [*Y, "meh", "meh"])
    assert model.predict(["so so", "good fun"]).tolist() == ["meh", "pos"]
    assert model.predict_proba(["so so", "", "good"]).sum(axis=1) == pytest.approx(1.0)


def test_bad_input_says_so():
    for call in (
        lambda: db.LogCountRatio().fit(X, ["one"] * len(X)),
        lambda: db.LogCountRatio(beta=2).fit(X, Y),
        lambda: db.LogCountRatio().predict(X),
        lambda: db.LogCountRatio(min_df=99).fit(X, Y),
        lambda: db.LogCountRatio(classifier="svm").fit(X, Y).predict_proba(X),
    ):
        with pytest.raises(DecibanError):
            call()
