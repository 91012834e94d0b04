"""The distributions of a column within each class, one a file.

To add one, write its file here and import its class below; ``@storable`` registers it, so that models that use it can
be saved. `docs/development/extending.md` shows how to write one outside deciban.
"""

from deciban.estimate.distributions.bernoulli import Bernoulli
from deciban.estimate.distributions.binned import Binned, Cut
from deciban.estimate.distributions.categorical import Categorical
from deciban.estimate.distributions.gaussian import Gaussian
from deciban.estimate.distributions.ignore import Ignore
from deciban.estimate.distributions.kernel import Kernel
from deciban.estimate.distributions.lognormal import LogNormal
from deciban.estimate.distributions.mean_only import Exponential, NegativeBinomial, Poisson

__all__ = [
    "Bernoulli", "Binned", "Categorical", "Cut", "Exponential", "Gaussian", "Ignore", "Kernel", "LogNormal",
    "NegativeBinomial", "Poisson",
]  # fmt: skip
