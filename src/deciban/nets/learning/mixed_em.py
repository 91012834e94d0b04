"""Expectation maximization for nets of categories and numbers with missing values.

The E step gives the expected counts of the tables and the expected moments of the regressions, given what is known of
each row (``inference.mixed_queries``); the M step estimates from these as from counts and moments of whole rows.

    n_jk = Σ_r P(j, k | row r),    W_j = Σ_r P(j | row r),    C_j = Σ_r P(j | row r)·E[(x − m_j)(x − m_j)ᵀ | row r, j]
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from deciban.nets.data.samples import MixedSample
from deciban.nets.graphs.dag import DAG
from deciban.nets.graphs.graph import Node
from deciban.nets.inference.mixed_queries import ExpectedStatistics, MixedQueries
from deciban.nets.learning.em import log_prior
from deciban.nets.learning.families import FamilyTally, read_rules
from deciban.nets.learning.fit import EM, EMStep, EMTrace, FitSettings, MixedFit
from deciban.nets.learning.grouped import GroupedMoments
from deciban.nets.learning.mixed import Bins, Cuts, MixedTally, estimate_network, tally_mixed
from deciban.nets.mixed_network import MixedNetwork
from deciban.ties import first_largest

__all__ = ["expected_tally", "fit_incomplete_mixed"]


def fit_incomplete_mixed(
    dag: DAG, sample: MixedSample, cuts: Cuts, settings: FitSettings, em: EM, reasons: Mapping[Node, str]
) -> MixedFit:
    """The expected counts and moments of the best run of EM, and its trace: see ``BayesNet.fit``."""
    rng = np.random.default_rng(em.random_state)
    runs = [_run_mixed(dag, sample, cuts, settings, em, rng, start) for start in range(em.starts)]
    tally, trace = runs[first_largest([trace.objectives[-1] for _, trace in runs])]
    return MixedFit(tally, settings, reasons, trace)


def _run_mixed(
    dag: DAG,
    sample: MixedSample,
    cuts: Cuts,
    settings: FitSettings,
    em: EM,
    rng: np.random.Generator,
    start: int,
) -> tuple[MixedTally, EMTrace]:
    """Iterate until convergence; the tally is that from which the last tables and regressions were estimated."""
    codes, values = np.ascontiguousarray(sample.categories.codes.T), np.asarray(sample.numbers.values)
    is_whole = bool((codes >= 0).all()) and not np.isnan(values).any()
    tally = _first_tally(dag, sample, cuts, settings, rng, start)
    rules = read_rules(dag.nodes, settings.smoothing)
    trace: list[float] = []
    objectives: list[float] = []
    is_converged = False
    for iteration in range(em.max_iter + 1):
        network = _estimated(tally, settings)
        expected = MixedQueries(network).expected_statistics(codes, values, sample.sample_weight)
        trace.append(expected.log_likelihood)
        objectives.append(trace[-1] + log_prior(list(network.tables), list(network.factors.values()), rules))
        em.report(EMStep(start, iteration, trace[-1], objectives[-1]))
        # The prior of rare configurations follows the data, so a gain may be negative when little is left to gain.
        gain = objectives[-1] - objectives[-2] if iteration else np.inf
        is_converged = is_whole or gain <= em.tol * float(sample.total)
        if is_converged or iteration == em.max_iter:
            break
        tally = expected_tally(tally, expected, sample.total)
    return tally, EMTrace(tuple(trace), tuple(objectives), is_converged, start)


def _first_tally(
    dag: DAG, sample: MixedSample, cuts: Cuts, settings: FitSettings, rng: np.random.Generator, start: int
) -> MixedTally:
    """The tally of the observed values; where these are too few, and in later starts, of rows that are filled in."""
    tally = tally_mixed(dag, sample, cuts, settings.limit)
    has_rows = all(family.weight.any() for family in tally.moments.values())
    has_hidden = any(not total.any() for total in tally.categories.totals.values())
    if start == 0 and has_rows and not has_hidden:
        return tally
    codes, values = sample.categories.codes.copy(), sample.numbers.values.copy()
    for index, name in enumerate(sample.categories.names):
        missing = codes[index] < 0
        counts = np.bincount(codes[index][~missing], minlength=len(sample.categories.states[name])) + 1.0
        # Drawn, as states of a hidden category that are equal at the start would stay equal in every iteration.
        codes[index, missing] = rng.choice(len(counts), int(missing.sum()), p=counts / counts.sum())
    means = np.array([np.nanmean(column) if (~np.isnan(column)).any() else 0.0 for column in values.T])
    filled = np.where(np.isnan(values), means, values)
    coded, measured = replace(sample.categories, codes=codes), replace(sample.numbers, values=filled)
    return tally_mixed(dag, replace(sample, categories=coded, numbers=measured), cuts, settings.limit)


def _estimated(tally: MixedTally, settings: FitSettings) -> MixedNetwork:
    return estimate_network(tally, settings.smoothing, settings.unseen_parents, settings.shrinkage)


def expected_tally(like: MixedTally, expected: ExpectedStatistics, rows: float) -> MixedTally:
    """The tally of expected counts and moments, for the graph and the states of another one."""
    categories = like.categories
    counts = {node: expected.tables[node] for node in like.cuts}
    for node, of_node in like.cuts.items():
        for axis, up in enumerate(sorted(like.dag.parents(node), key=like.dag.index)):
            if up in of_node:
                others = tuple(k for k in range(counts[node].ndim) if k != axis)
                counts[Bins(up, node)] = counts[node].sum(axis=others)
    totals = {node: table.reshape(-1, table.shape[-1]).sum(axis=0) for node, table in counts.items()}
    moments = {
        node: GroupedMoments(
            np.asarray(family.weight),
            family.mean,
            family.scatter,
            np.zeros_like(family.mean),
            np.zeros_like(family.scatter),
        )
        for node, family in expected.moments.items()
    }
    family_tally = FamilyTally(categories.dag, categories.variables, counts, totals, rows)
    return MixedTally(like.dag, family_tally, moments, like.cuts, rows)
