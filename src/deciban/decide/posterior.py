"""Beliefs: from joint log-probabilities to posteriors.

    P(class | row) = P(class, row) / Σ_c P(c, row)

computed in log space. A row that is impossible under every class says nothing of the classes: its posterior is the
prior.
"""

from __future__ import annotations

import numpy as np

from deciban.types import AnyArray, Floats

__all__ = ["finish", "is_impossible", "log_posterior"]


def is_impossible(joint: Floats) -> AnyArray:
    """True for each row that no class can have made."""
    return (joint == -np.inf).all(axis=1)


def log_posterior(joint: Floats, log_prior: Floats) -> Floats:
    """Normalize joint log-probabilities, row by row.

    >>> np.exp(log_posterior(np.log([[0.2, 0.1]]), np.log([0.5, 0.5]))).round(3).tolist()
    [[0.667, 0.333]]
    """
    settled = np.where(is_impossible(joint)[:, None], log_prior, joint)
    certain = settled == np.inf
    settled = np.where(certain.any(axis=1)[:, None], np.where(certain, log_prior, -np.inf), settled)
    largest = settled.max(axis=1, keepdims=True)
    shifted = settled - largest
    return shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))


def finish(joint: Floats, log_prior: Floats, want: str) -> AnyArray:
    """What a caller wants of joint log-probabilities: themselves, posteriors, or the best class."""
    if want == "joint":
        return joint
    posterior = log_posterior(joint, log_prior)
    if want == "best":
        return posterior.argmax(axis=1)
    return posterior if want == "log_posterior" else np.exp(posterior)
