"""deciban: Bayesian classifiers and Bayes nets, by counting.

read ──► tally ──► estimate ──► model ──► decide ──► explain
table    counts    log-probs    scores    labels     decibans
"""

from importlib.metadata import version

from deciban.decide import Reject
from deciban.estimate import (
    MLE,
    Bernoulli,
    Categorical,
    Exponential,
    Gaussian,
    Ignore,
    Jeffreys,
    Laplace,
    Lidstone,
    LogNormal,
    MEstimate,
    Poisson,
)
from deciban.explain import Evidence, Explanation
from deciban.models import (
    BernoulliNB,
    CategoricalNB,
    ComplementNB,
    GaussianNB,
    JointBayes,
    MultinomialNB,
    NaiveBayes,
)
from deciban.tally import Tally, tally
from deciban.tally.threads import set_threads, threads

__version__ = version("deciban")

__all__ = [
    "MLE",
    "Bernoulli",
    "BernoulliNB",
    "Categorical",
    "CategoricalNB",
    "ComplementNB",
    "Evidence",
    "Explanation",
    "Exponential",
    "Gaussian",
    "GaussianNB",
    "Ignore",
    "Jeffreys",
    "JointBayes",
    "Laplace",
    "Lidstone",
    "LogNormal",
    "MEstimate",
    "MultinomialNB",
    "NaiveBayes",
    "Poisson",
    "Reject",
    "Tally",
    "set_threads",
    "tally",
    "threads",
]
