"""deciban: Bayesian classifiers and Bayes nets, by counting.

read ──► tally ──► estimate ──► model ──► decide ──► explain
table    counts    log-probs    scores    labels     decibans
"""

from importlib.metadata import version

from deciban.decide import Reject
from deciban.estimate import MLE, Jeffreys, Laplace, Lidstone, MEstimate
from deciban.models import (
    BernoulliNB,
    CategoricalNB,
    ComplementNB,
    Evidence,
    GaussianNB,
    JointBayes,
    MultinomialNB,
)
from deciban.tally import Tally, tally
from deciban.tally.threads import set_threads, threads

__version__ = version("deciban")

__all__ = [
    "MLE",
    "BernoulliNB",
    "CategoricalNB",
    "ComplementNB",
    "Evidence",
    "GaussianNB",
    "Jeffreys",
    "JointBayes",
    "Laplace",
    "Lidstone",
    "MEstimate",
    "MultinomialNB",
    "Reject",
    "Tally",
    "set_threads",
    "tally",
    "threads",
]
