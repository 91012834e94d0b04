"""From counts to probabilities. Changing the smoothing never counts again."""

from deciban.estimate.association import Measure, chi_squared, mutual_information, symmetrical_uncertainty
from deciban.estimate.column import ColumnDistribution
from deciban.estimate.distributions import (
    Bernoulli,
    Binned,
    Categorical,
    Cut,
    Exponential,
    Gaussian,
    Ignore,
    Kernel,
    LogNormal,
    NegativeBinomial,
    Poisson,
)
from deciban.estimate.distributions.categorical import packed_tables
from deciban.estimate.distributions.gaussian import GaussianEstimate, estimate_gaussian, log_norms
from deciban.estimate.likelihood import ColumnLikelihood, Likelihood
from deciban.estimate.numeric import MomentsDistribution, SketchDistribution
from deciban.estimate.smoothing import (
    MLE,
    Jeffreys,
    Laplace,
    Lidstone,
    MEstimate,
    Smoothing,
    check_priors,
    empirical_priors,
    log_priors,
    log_probabilities,
    settle_priors,
)
from deciban.estimate.tables import (
    backed_off_logs,
    column_logs,
    conditional_information,
    probabilities_without_own,
)
from deciban.storable import storable

__all__ = [
    "MLE",
    "Bernoulli",
    "Binned",
    "Categorical",
    "ColumnDistribution",
    "ColumnLikelihood",
    "Cut",
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
    "Measure",
    "MomentsDistribution",
    "NegativeBinomial",
    "Poisson",
    "SketchDistribution",
    "Smoothing",
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
    "probabilities_without_own",
    "settle_priors",
    "storable",
    "symmetrical_uncertainty",
]
