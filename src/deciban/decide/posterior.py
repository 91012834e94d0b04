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
    settled = _settled(joint, log_prior)
    shifted = settled - settled.max(axis=1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))


def _settled(joint: Floats, log_prior: Floats) -> Floats:
    """Joints with the rows settled whose largest value is infinite: no class is possible, or some are certain."""
    largest = joint.max(axis=1)
    rows = np.flatnonzero(np.isinf(largest))
    if len(rows) == 0:
        return joint
    settled = joint.copy()
    certain = joint[rows] == np.inf
    among = np.where(certain, log_prior, -np.inf)
    settled[rows] = np.where((largest[rows] == np.inf)[:, None], among, log_prior)
    return settled


def finish(joint: Floats, log_prior: Floats, want: str) -> AnyArray:
    """What a caller wants of joint log-probabilities: themselves, posteriors, or the best class."""
    if want == "joint":
        return joint
    if want == "best":
        return _settled(joint, log_prior).argmax(axis=1)
    posterior = log_posterior(joint, log_prior)
    return posterior if want == "log_posterior" else np.exp(posterior)
