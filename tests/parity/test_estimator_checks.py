"""scikit-learn's estimator checks, all of them, with no failure expected."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

import deciban as db

CLASSES = (
    db.GaussianNB,
    db.MultinomialNB,
    db.ComplementNB,
    db.BernoulliNB,
    db.CategoricalNB,
    db.JointBayes,
    db.NaiveBayes,
    db.TAN,
    db.AODE,
    db.BayesNetClassifier,
    db.Discriminant,
)


@parametrize_with_checks(
    [make(**parameters) for make in CLASSES for parameters in ({"missing": "error"}, {"missing": "skip"})]
    + [
        db.KDB(),
        db.KDB(missing="error"),
        db.CountForest(n_trees=8),
        db.CountForest(n_trees=8, missing="error"),
        db.AutoBayes(),
        db.AutoBayes(effort="fast", missing="error"),
    ]
)
@pytest.mark.filterwarnings("ignore")
def test_estimator_check(estimator, check):
    check(estimator)
