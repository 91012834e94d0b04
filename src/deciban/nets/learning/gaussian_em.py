"""Expectation maximization of Gaussian nets: rows with gaps are completed by what they are expected to be.

    E  x̂ = E[x | what the row shows], and C = Σ_rows w·((x̂ − m)(x̂ − m)ᵀ + Var[x | what the row shows])
    M  a regression for each node, from the parts of m and C that its family has

Each turn raises the log-likelihood of what was observed (Dempster, Laird and Rubin, 1977).
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

__all__ = ["climb_gaussian"]


def climb_gaussian(
    dag: DAG, values: Floats, weights: Floats | None, joint_of: Callable[[GaussianTally], MultivariateNormal], em: EM
) -> tuple[GaussianTally, EMTrace]:
    """The expected moments at the top, and how it went; `joint_of` is the M step."""
    held = np.ones(len(values)) if weights is None else weights
    tally, trace = GaussianTally.of(dag, _filled(values), weights), []
    is_converged = has_none = not np.isnan(values).any()
    for turn in range(em.max_iter + 1):
        joint = joint_of(tally)
        trace.append(float(held @ joint.log_density(values)))
        em.report(EMStep(0, turn, trace[-1], trace[-1]))
        is_converged = has_none or (turn > 0 and trace[-1] - trace[-2] <= em.tol * float(held.sum()))
        if is_converged or turn == em.max_iter:
            break
        tally = _expected(dag, values, held, joint)
    return tally, EMTrace(tuple(trace), tuple(trace), is_converged)


def _filled(values: Floats) -> Floats:
    """Every gap filled with the mean of its column: a start whose covariances agree with one another."""
    return np.where(np.isnan(values), np.nanmean(values, axis=0), values)


def _expected(dag: DAG, values: Floats, weights: Floats, joint: MultivariateNormal) -> GaussianTally:
    """The moments of all nodes when every row is completed."""
    missing = np.isnan(values)
    completed, spare = values.copy(), np.zeros((values.shape[1],) * 2)
    for rows, seen in patterns_of(~missing):
        gain, left = joint.condition(seen.tolist())
        guess = joint.mean + (values[np.ix_(rows, seen)] - joint.mean[seen]) @ gain.T
        completed[rows] = np.where(missing[rows], guess, values[rows])
        spare += weights[rows].sum() * (left @ left.T)
    whole = CrossMoments.of(completed, weights)
    return GaussianTally.of_whole(dag, CrossMoments(whole.weight, whole.mean, whole.cross + spare), whole.weight)
