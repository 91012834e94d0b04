"""From joint log-probabilities to posteriors.

    P(class | row) = P(class, row) / Σ_c P(c, row)

computed in log space. A row that is impossible under every class says nothing of the classes: its posterior is the
prior.
"""

from __future__ import annotations

import numpy as np

from deciban.tallies import kernels
from deciban.tallies.kernels import Want
from deciban.types import AnyArray, Floats

__all__ = ["finish", "is_impossible", "log_posterior"]


def is_impossible(joint: Floats) -> AnyArray:
    """True for each row that has probability 0 in every class."""
    return (joint == -np.inf).all(axis=1)


def log_posterior(joint: Floats, log_prior: Floats) -> Floats:
    """Normalize joint log-probabilities, row by row.

    >>> np.exp(log_posterior(np.log([[0.2, 0.1]]), np.log([0.5, 0.5]))).round(3).tolist()
    [[0.667, 0.333]]
    """
    return finish(joint, log_prior, "log_posterior")


def finish(joint: Floats, log_prior: Floats, want: Want) -> AnyArray:
    """The joint log-probabilities in the form that is wanted: as they are, as posteriors, or as the best class.

    Where some classes are certain, at +∞, they alone remain, weighed by the prior.
    """
    return joint if want == "joint" else kernels.finish(joint, log_prior, want)
