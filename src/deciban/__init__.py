"""deciban: Bayesian classifiers and Bayes nets, by counting.

read ──► tally ──► estimate ──► model ──► decide ──► explain
table    counts    log-probs    scores    labels     decibans
"""

from importlib.metadata import version

from deciban.decide import Reject
from deciban.estimate import (
    MLE,
    Bernoulli,
    Binned,
    Categorical,
    Exponential,
    Gaussian,
    Ignore,
    Jeffreys,
    Kernel,
    Laplace,
    Lidstone,
    LogNormal,
    MEstimate,
    NegativeBinomial,
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
    correlation_filter,
    load,
    save,
)
from deciban.nets import CPDAG, DAG, PDAG, Discovery, Knowledge, Oracle, discover
from deciban.tally import Tally, tally
from deciban.tally.threads import set_threads, threads

__version__ = version("deciban")

__all__ = [
    "CPDAG",
    "DAG",
    "MLE",
    "PDAG",
    "Bernoulli",
    "BernoulliNB",
    "Binned",
    "Categorical",
    "CategoricalNB",
    "ComplementNB",
    "Discovery",
    "Evidence",
    "Explanation",
    "Exponential",
    "Gaussian",
    "GaussianNB",
    "Ignore",
    "Jeffreys",
    "JointBayes",
    "Kernel",
    "Knowledge",
    "Laplace",
    "Lidstone",
    "LogNormal",
    "MEstimate",
    "MultinomialNB",
    "NaiveBayes",
    "NegativeBinomial",
    "Oracle",
    "Poisson",
    "Reject",
    "Tally",
    "correlation_filter",
    "discover",
    "load",
    "save",
    "set_threads",
    "tally",
    "threads",
]
