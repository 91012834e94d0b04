"""Cross-validation of a net: how well it predicts rows that it was not fitted to.

    loss(row) = −log P(row),  with the tables of all rows but those of the row's own fold

A tally is a group: the tally without a fold is that of all rows minus that of the fold, so each row is counted twice,
however many folds there are. What the tallies are of (the graph, the states, the cuts of numbers) is the same in all
folds; a graph that was learned from the same rows has seen all of them, and its loss is somewhat too small.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import inf, isfinite, sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from deciban.choices import counted
from deciban.errors import InputError, ParameterError
from deciban.nets.data.node_rows import NodeKind
from deciban.nets.data.samples import CodedSample, MixedSample, NetSample, read_net_sample
from deciban.nets.graphs.graph import Node
from deciban.nets.inference.mixed_queries import RowPieces
from deciban.nets.inference.net_queries import log_likelihoods
from deciban.nets.inference.strong_tree import strong_tree
from deciban.nets.learning.fit import NetFit
from deciban.nets.learning.mixed import as_mixed
from deciban.nets.mixed_network import MixedNetwork
from deciban.nets.network import Network
from deciban.tallies import rows_as_html, rows_as_text
from deciban.thread_pool import in_threads
from deciban.ties import largest_first
from deciban.types import Floats, Ints

__all__ = ["CrossValidation", "LogLoss", "cross_validate"]


@dataclass(frozen=True)
class LogLoss:
    """A mean of −log P over rows that were left out, with its standard error.

        s / √n        (s: the standard deviation of the losses of n rows)

    Attributes
    ----------
    mean : float
        In nats per row; ∞ if a row was impossible. Of numbers, whose densities may be above 1, it may be negative.
    standard_error : float
        Of the mean; ∞ if the mean is.
    rows : int
        The number of rows.

    See Also
    --------
    CrossValidation : Has one for the rows and one for each node.

    Examples
    --------
    >>> from deciban.nets import LogLoss
    >>> print(LogLoss(0.5, 0.01, 100))
    0.5000 ± 0.0100
    """

    mean: float
    standard_error: float
    rows: int

    @classmethod
    def of(cls, losses: Floats, sample_weight: Floats | None) -> LogLoss:
        """The mean of some losses.

        Parameters
        ----------
        losses : array
            The loss of each row.
        sample_weight : array or None
            How many rows each row stands for.

        Returns
        -------
        LogLoss
        """
        weight = np.ones(len(losses)) if sample_weight is None else sample_weight
        known = weight > 0
        losses, weight = losses[known], weight[known]
        rows, total = len(losses), float(weight.sum())
        if not rows or not np.isfinite(losses).all():
            return cls(inf, inf, rows)
        mean = float(weight @ losses) / total
        spread = sqrt(float((weight * (losses - mean)) @ (weight * (losses - mean)))) / total
        return cls(mean, spread * sqrt(rows / (rows - 1)) if rows > 1 else inf, rows)

    def __str__(self) -> str:
        return f"{self.mean:.4f} ± {self.standard_error:.4f}" if isfinite(self.mean) else "∞"


@dataclass(frozen=True, eq=False)
class CrossValidation:
    """How well a net predicts rows that were left out: the result of ``BayesNet.cross_validate``.

    Attributes
    ----------
    folds : int
        The number of folds.
    log_loss : LogLoss
        The mean of −log P(row); missing values are summed out.
    nodes : dict
        For each node the mean of −log P(node | parents), over the rows in which these are known. If nothing is missing,
        they sum to ``log_loss``.
    losses : array
        −log P of each row, in the order of the table: two nets are compared by the differences, row by row.

    See Also
    --------
    BayesNet.cross_validate : Returns it.
    BayesNet.log_likelihood : Of rows that were learned, or of new ones.

    Examples
    --------
    >>> import deciban as db
    >>> rows = {"rain": ["no", "no", "yes", "yes"] * 10, "wet": ["no", "no", "no", "yes"] * 10}
    >>> net = db.BayesNet([("rain", "wet")]).fit(rows)
    >>> found = net.cross_validate(rows, 5)
    >>> print(found)
    CrossValidation(5 folds of 40 rows: log loss 1.1346 ± 0.0598 nats per row)
    node  log loss  standard error
    rain  0.7195    0.0114
    wet   0.4151    0.0586
    """

    folds: int
    log_loss: LogLoss
    nodes: Mapping[Node, LogLoss]
    losses: Floats

    def _rows(self) -> list[tuple[str, ...]]:
        worst = largest_first(self.nodes.items(), lambda item: item[1].mean)
        return [
            (str(node), *(f"{one.mean:.4f} ± {one.standard_error:.4f}" if isfinite(one.mean) else "∞ ± ∞").split(" ± "))
            for node, one in worst
        ]

    def __repr__(self) -> str:
        rows = counted(len(self.losses), "row")
        return f"CrossValidation({counted(self.folds, 'fold')} of {rows}: log loss {self.log_loss} nats per row)"

    def __str__(self) -> str:
        return rows_as_text(repr(self), _HEADS, self._rows())

    def _repr_html_(self) -> str:
        return rows_as_html(repr(self), _HEADS, self._rows())

    def to_frame(self, backend: str = "pandas") -> Any:
        """The losses of the nodes as a frame.

        Parameters
        ----------
        backend : str
            "pandas", "polars", "pyarrow" or another library that narwhals knows.

        Returns
        -------
        frame
            A row for each node: ``node``, ``log_loss``, ``standard_error``, ``rows``.
        """
        from deciban.read.frame import make_frame  # noqa: PLC0415  brings pyarrow, which takes long to load

        found = list(self.nodes.values())
        columns: dict[str, list[Any]] = {
            "node": list(self.nodes),
            "log_loss": [one.mean for one in found],
            "standard_error": [one.standard_error for one in found],
            "rows": [one.rows for one in found],
        }
        return make_frame(columns, backend)


_HEADS = ("node", "log loss", "standard error")


def cross_validate(
    fit: NetFit,
    data: Any,
    k: int,
    *,
    sample_weight: ArrayLike | None,
    random_state: int | np.random.Generator | None,
) -> CrossValidation:
    """Fit the net of a fit to the rows outside each of k folds, with its settings, and score those inside."""
    if fit.settings.missing == "em":
        raise ParameterError(
            "cross-validation subtracts the counts of a fold, and the expected counts of EM depend on all rows: fit "
            'the net with missing="skip".'
        )
    sample = _read(fit, data, sample_weight)
    if isinstance(k, bool) or not isinstance(k, int | np.integer) or not 2 <= k <= len(sample):
        raise ParameterError(f"k is a number of folds, from 2 to the number of rows ({len(sample):,}), not {k!r}.")
    order = np.random.default_rng(random_state).permutation(len(sample))
    folds = [np.sort(order[fold::k]) for fold in range(k)]
    whole = fit.counted(sample)  # type: ignore[arg-type]  # a sample of the kind that this fit counts

    def score(rows: Ints) -> tuple[Floats, list[tuple[Node, Ints, Floats]]]:
        part = _part(sample, rows)
        left: Any = whole - fit.counted(part)  # type: ignore[arg-type, operator]
        return _losses(replace(fit, tally=left, trace=None).network, part)

    losses = np.empty(len(sample))
    of_nodes: dict[Node, list[tuple[Ints, Floats]]] = {node: [] for node in fit.tally.dag.nodes}
    for rows, (of_rows, parts) in zip(folds, in_threads(score, folds), strict=True):
        losses[rows] = of_rows
        for node, which, found in parts:
            of_nodes[node].append((rows[which], found))
    weight = sample.sample_weight
    nodes = {node: _joined(found, weight) for node, found in of_nodes.items()}
    return CrossValidation(int(k), LogLoss.of(losses, weight), nodes, losses)


def _joined(parts: list[tuple[Ints, Floats]], weight: Floats | None) -> LogLoss:
    """The loss of a node, from the rows and losses of each fold."""
    losses = np.concatenate([np.empty(0), *(found for _, found in parts)])
    if weight is not None:
        weight = np.concatenate([np.empty(0), *(weight[rows] for rows, _ in parts)])
    return LogLoss.of(losses, weight)


def _read(fit: NetFit, data: Any, sample_weight: ArrayLike | None) -> NetSample:
    """The rows, with all states of all of them: a fold may lack some, and they stay states of its net."""
    nodes, known = fit.tally.dag.nodes, getattr(fit.tally, "variables", {})
    kinds: dict[Node, NodeKind] = {node: "category" if node in known else "number" for node in nodes}
    fixed = {node: states for node, states in known.items() if states.kind == "fixed"}
    sample, _ = read_net_sample(
        data, nodes, kinds=kinds, fixed=fixed, known=known, sample_weight=sample_weight, missing=fit.settings.missing
    )
    if not len(sample):
        raise InputError("there are no rows to leave out.")
    return _with_fixed_states(sample)


def _with_fixed_states(sample: NetSample) -> NetSample:
    if isinstance(sample, MixedSample):
        return replace(sample, categories=_fixed(sample.categories))
    return _fixed(sample) if isinstance(sample, CodedSample) else sample


def _fixed(sample: CodedSample) -> CodedSample:
    return replace(sample, states={node: replace(states, kind="fixed") for node, states in sample.states.items()})


def _part(sample: NetSample, rows: Ints) -> NetSample:
    if isinstance(sample, MixedSample):
        categories, numbers = sample.categories, sample.numbers
        return replace(
            sample,
            categories=categories._part(range(len(categories.names)), rows),
            numbers=numbers._part(range(len(numbers.names)), rows),
        )
    return sample._part(range(len(sample.names)), rows)


def _losses(network: Network | MixedNetwork, sample: NetSample) -> tuple[Floats, list[tuple[Node, Ints, Floats]]]:
    """−log P of each row; and for each node the rows in which its family is known, and −log P(node | parents) there."""
    mixed = as_mixed(sample)
    codes, values = np.ascontiguousarray(mixed.categories.codes.T), mixed.numbers.values
    pieces = RowPieces(
        strong_tree(MixedNetwork.of(network) if isinstance(network, Network) else network), codes, values
    )
    of_nodes = [(network.nodes[node], rows, -logs) for node, rows, logs in pieces.family_logs()]
    # A clique tree sums out the missing values of a net of categories faster.
    logs = log_likelihoods(network, codes) if isinstance(network, Network) else pieces.log_likelihoods()
    return -logs, of_nodes
