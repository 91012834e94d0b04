"""Distributions of a column within each class: one file each."""

from deciban.estimate.distributions.base import Distribution, Likelihood
from deciban.estimate.distributions.bernoulli import Bernoulli
from deciban.estimate.distributions.binned import Binned
from deciban.estimate.distributions.categorical import Categorical
from deciban.estimate.distributions.counts import Exponential, Poisson
from deciban.estimate.distributions.cut import Cut
from deciban.estimate.distributions.gaussian import Gaussian
from deciban.estimate.distributions.ignore import Ignore
from deciban.estimate.distributions.kernel import Kernel
from deciban.estimate.distributions.lognormal import LogNormal
from deciban.estimate.distributions.negative_binomial import NegativeBinomial

__all__ = [
    "Bernoulli",
    "Binned",
    "Categorical",
    "Cut",
    "Distribution",
    "Exponential",
    "Gaussian",
    "Ignore",
    "Kernel",
    "Likelihood",
    "LogNormal",
    "NegativeBinomial",
    "Poisson",
]
