"""The weights of the levels of a k-dependence model, learned from leave-one-out evidence.

    log P(class | x) = log P(class) + Σ_i Σ_l w_il·(log P_l(x_i | class, p_1 … p_l) − log P_(l−1)(…)) + a constant

The first level of a column is its evidence in naive Bayes, and each further level is what one more parent adds to it.
The weights minimize the log loss of the counted rows, each scored without itself, plus half the squared distance from
naive Bayes, in which the first level has the weight 1 and the others have 0. So a column that misleads, and a parent
that adds nothing, get the weight 0: columns and the number of parents are selected, column by column.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from deciban.estimate.columns.margins import Margins
from deciban.models.kdb.chains import Chains
from deciban.models.kdb.tables import ChainTables
from deciban.models.parts.learned_weights import best_weights, chosen_rows
from deciban.models.parts.leave_one_out import prior_of_rows
from deciban.read import Table
from deciban.tallies import Sample, Tally
from deciban.tallies.leave_one_out import weight_left
from deciban.types import Floats

__all__ = ["learn_chain_weights", "naive_weights"]

_BLOCK = 1 << 20


def naive_weights(columns: int, levels: int) -> Floats:
    """The weights of naive Bayes: columns × levels."""
    out = np.zeros((columns, levels))
    out[:, 0] = 1.0
    return out


def learn_chain_weights(
    chains: Chains,
    tables: ChainTables,
    tally: Tally,
    data: Table,
    sample: Sample,
    *,
    priors: Any,
    owner: str,
) -> Floats | None:
    """The best weights, columns × levels; None where there is nothing to learn them from.

    Parameters
    ----------
    chains, tables, tally : what was counted, and the probabilities that follow from it
    data, sample : the rows that were counted, all of them
    priors : the rule of the class priors
    """
    center, classes = naive_weights(len(chains.weights), chains.k + 1), len(tally.classes)
    at = chosen_rows(sample, center.size * max(1, classes - 1), center.size)
    at = at[weight_left(tally.class_counts[sample.codes[at]], np.full(len(at), chains.unit)) > 0]
    if classes < 2 or not len(at):
        return None
    y, own = sample.codes[at], np.full(len(at), chains.unit)
    codes = chains.left_out_codes(data.take(at), tally.parts[0], chains.unit, owner)
    margins, of_prior = Margins(y, own, classes, center.size), Margins(y, own, classes, 1)
    of_prior.add_logs(0, prior_of_rows(priors, tally.class_counts, y, own))
    evidence = tables.levels(codes, y).reshape(len(at), center.size, classes)
    for i in range(center.size):
        margins.add_logs(i, evidence[:, i])
    importance = np.ones(len(at)) if sample.weights is None else sample.weights[at]
    return best_weights(margins, of_prior, importance, center.ravel()).reshape(center.shape)
