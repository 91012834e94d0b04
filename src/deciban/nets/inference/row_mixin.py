"""The methods of ``BayesNet`` that answer for the rows of a table: likelihoods, predictions, missing values."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Literal, overload

from deciban.nets.graphs.base import Node
from deciban.nets.inference.cases import (
    Fill,
    Impossible,
    fill_in,
    log_likelihoods,
    posteriors,
    read_cases,
    weighted_sum,
)
from deciban.nets.network import Network
from deciban.read.variable import object_array
from deciban.types import AnyArray, Floats

__all__ = ["RowMixin"]


class RowMixin(ABC):
    """Exact answers from the ``network`` of a net, for each row of a table."""

    @property
    @abstractmethod
    def network(self) -> Network:
        """The graph, the states and the tables."""

    @overload
    def log_likelihood(self, data: Any, *, sample_weight: Any = ..., per_row: Literal[False] = ...) -> float: ...
    @overload
    def log_likelihood(self, data: Any, *, per_row: Literal[True]) -> Floats: ...
    def log_likelihood(self, data: Any, *, sample_weight: Any = None, per_row: bool = False) -> float | Floats:
        """Σ w·log P(row), or log P of each row; missing values are summed out.

        An impossible row has −∞. A node without a column is missing in every row.

        Examples
        --------
        >>> from deciban import BayesNet, DAG
        >>> coin = BayesNet.from_tables(DAG(nodes=["coin"]), {"coin": ("head", "tail")}, {"coin": [0.25, 0.75]})
        >>> coin.log_likelihood({"coin": ["head", None]}, per_row=True).round(4).tolist()
        [-1.3863, 0.0]
        """
        logs = log_likelihoods(self.network, read_cases(self.network, data))
        return logs if per_row else weighted_sum(logs, sample_weight)

    def predict_proba(self, data: Any, target: Node, *, impossible: Impossible = "error") -> Floats:
        """P(target | the rest of the row): rows × states, in the order of ``states[target]``.

        Parameters
        ----------
        data
            Rows, which may have missing values. A column of the target itself is ignored.
        target
            The node that is predicted.
        impossible
            For a row with probability 0: ``"error"``, or ``"prior"``, which predicts P(target).
        """
        codes = read_cases(self.network, data, without=target)
        return posteriors(self.network, codes, self.network.dag.index(target), impossible)

    def predict(self, data: Any, target: Node, *, impossible: Impossible = "error") -> AnyArray:
        """The most probable state of the target in each row: see ``predict_proba``."""
        probabilities = self.predict_proba(data, target, impossible=impossible)
        return object_array(self.network.states[target])[probabilities.argmax(axis=1)]

    def impute(self, data: Any, method: Fill = "mpe") -> Any:
        """The data with missing values filled in, as a table of the same kind; nodes without a column get one.

        Parameters
        ----------
        data
            A frame or a mapping of columns; an array gives an array.
        method
            ``"mpe"``: the missing values of a row get their most probable joint states. ``"marginals"``: each missing
            value gets its own most probable state.

        Examples
        --------
        >>> from deciban import BayesNet
        >>> net = BayesNet.from_tables(
        ...     [("rain", "wet")],
        ...     {"rain": ("no", "yes"), "wet": ("no", "yes")},
        ...     {"rain": [0.8, 0.2], "wet": [[0.9, 0.1], [0.2, 0.8]]},
        ... )
        >>> net.impute({"rain": [None, "yes"], "wet": ["yes", None]})
        {'rain': ['yes', 'yes'], 'wet': ['yes', 'yes']}
        """
        return fill_in(self.network, data, method)
