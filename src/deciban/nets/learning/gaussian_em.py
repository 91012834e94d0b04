"""Expectation maximization of Gaussian nets: missing values are replaced by their expectations.

    E  x̂ = E[x | observed], and C = Σ_rows w·((x̂ − m)(x̂ − m)ᵀ + Var[x | observed])
    M  a regression for each node, from the entries of m and C of its family

Each iteration raises the log-likelihood of the observed values (Dempster, Laird and Rubin, 1977).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from deciban.nets.graphs.graph import DAG
from deciban.nets.inference.normal import MultivariateNormal
from deciban.nets.inference.trees.grouping import patterns_of
from deciban.nets.learning.em import EM, EMStep, EMTrace
from deciban.nets.learning.moments import CrossMoments, GaussianTally
from deciban.types import Floats

__all__ = ["fit_incomplete_gaussian"]


def fit_incomplete_gaussian(
    dag: DAG, values: Floats, weights: Floats | None, joint_of: Callable[[GaussianTally], MultivariateNormal], em: EM
) -> tuple[GaussianTally, EMTrace]:
    """The expected moments of the last iteration, and the trace; `joint_of` is the M step."""
    row_weights = np.ones(len(values)) if weights is None else weights
    tally, trace = GaussianTally.of(dag, _filled(values), weights), []
    is_complete = not np.isnan(values).any()
    is_converged = False
    for iteration in range(em.max_iter + 1):
        joint = joint_of(tally)
        trace.append(float(row_weights @ joint.log_density(values)))
        em.report(EMStep(0, iteration, trace[-1], trace[-1]))
        is_converged = is_complete or (iteration > 0 and trace[-1] - trace[-2] <= em.tol * float(row_weights.sum()))
        if is_converged or iteration == em.max_iter:
            break
        tally = _expected(dag, values, row_weights, joint)
    return tally, EMTrace(tuple(trace), tuple(trace), is_converged)


def _filled(values: Floats) -> Floats:
    """Missing values replaced by the mean of their column: a start with a positive semidefinite covariance."""
    return np.where(np.isnan(values), np.nanmean(values, axis=0), values)


def _expected(dag: DAG, values: Floats, weights: Floats, joint: MultivariateNormal) -> GaussianTally:
    """The expected moments of all nodes."""
    missing = np.isnan(values)
    completed, extra = values.copy(), np.zeros((values.shape[1],) * 2)
    for rows, observed in patterns_of(~missing):
        gain, left = joint.condition(observed.tolist())
        expected = joint.mean + (values[np.ix_(rows, observed)] - joint.mean[observed]) @ gain.T
        completed[rows] = np.where(missing[rows], expected, values[rows])
        extra += weights[rows].sum() * (left @ left.T)
    whole = CrossMoments.of(completed, weights)
    return GaussianTally.of_whole(dag, CrossMoments(whole.weight, whole.mean, whole.cross + extra), whole.weight)
