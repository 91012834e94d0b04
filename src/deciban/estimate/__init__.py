"""From counts to probabilities. Changing the smoothing never counts again."""

from deciban.estimate.association import association, chi_squared, mutual_information, symmetrical_uncertainty
from deciban.estimate.conditional import backed_off_logs, column_logs, conditional_information
from deciban.estimate.distributions import (
    Bernoulli,
    Binned,
    Categorical,
    Cut,
    Distribution,
    Exponential,
    Gaussian,
    Ignore,
    Kernel,
    Likelihood,
    LogNormal,
    NegativeBinomial,
    Poisson,
)
from deciban.estimate.gaussian import GaussianEstimate, estimate_gaussian, log_norms
from deciban.estimate.priors import check_priors, empirical_priors, log_priors, settle_priors
from deciban.estimate.smoothing import (
    MLE,
    Jeffreys,
    Laplace,
    Lidstone,
    MEstimate,
    Smoothing,
    log_probabilities,
)
from deciban.estimate.tables import packed_tables

__all__ = [
    "MLE",
    "Bernoulli",
    "Binned",
    "Categorical",
    "Cut",
    "Distribution",
    "Exponential",
    "Gaussian",
    "GaussianEstimate",
    "Ignore",
    "Jeffreys",
    "Kernel",
    "Laplace",
    "Lidstone",
    "Likelihood",
    "LogNormal",
    "MEstimate",
    "NegativeBinomial",
    "Poisson",
    "Smoothing",
    "association",
    "backed_off_logs",
    "check_priors",
    "chi_squared",
    "column_logs",
    "conditional_information",
    "empirical_priors",
    "estimate_gaussian",
    "log_norms",
    "log_priors",
    "log_probabilities",
    "mutual_information",
    "packed_tables",
    "settle_priors",
    "symmetrical_uncertainty",
]
