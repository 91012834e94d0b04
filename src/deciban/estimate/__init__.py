"""From counts to probabilities. Changing the smoothing never counts again."""

from deciban.estimate.gaussian import GaussianEstimate, estimate_gaussian, log_norms
from deciban.estimate.priors import check_priors, empirical_priors, log_priors
from deciban.estimate.smoothing import (
    MLE,
    Jeffreys,
    Laplace,
    Lidstone,
    MEstimate,
    Smoothing,
    log_probabilities,
)

__all__ = [
    "MLE",
    "GaussianEstimate",
    "Jeffreys",
    "Laplace",
    "Lidstone",
    "MEstimate",
    "Smoothing",
    "check_priors",
    "empirical_priors",
    "estimate_gaussian",
    "log_norms",
    "log_priors",
    "log_probabilities",
]
