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
)
from deciban.nets.network import Network
from deciban.read.variable import object_array
from deciban.read.weights import weighted_sum
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

        Parameters
        ----------
        data : table
            Rows, which may have missing values. A node without a column is missing in every row.
        sample_weight : array, optional
            How many rows each row stands for.
        per_row : bool
            Whether to return a value for each row instead of the sum.

        Returns
        -------
        float or array
            In nats; an impossible row has −∞.

        Examples
        --------
        >>> import deciban as db
        >>> coin = db.BayesNet.from_tables(
        ...     db.DAG(nodes=["coin"]), {"coin": ("head", "tail")}, {"coin": [0.25, 0.75]}
        ... )
        >>> coin.log_likelihood({"coin": ["head", None]}, per_row=True).round(4).tolist()
        [-1.3863, 0.0]
        """
        logs = log_likelihoods(self.network, read_cases(self.network, data))
        return logs if per_row else weighted_sum(logs, sample_weight)

    def predict_proba(self, data: Any, target: Node, *, impossible: Impossible = "error") -> Floats:
        """P(target | the rest of the row), for each row.

        Parameters
        ----------
        data : table
            Rows, which may have missing values. A column of the target itself is ignored.
        target : node
            The node that is predicted.
        impossible : {"error", "prior"}
            For a row with probability 0: an error, or P(target).

        Returns
        -------
        array, rows × states
            In the order of ``states[target]``.

        Examples
        --------
        >>> import deciban as db
        >>> net = db.BayesNet.from_tables(
        ...     [("rain", "wet")],
        ...     {"rain": ("no", "yes"), "wet": ("no", "yes")},
        ...     {"rain": [0.8, 0.2], "wet": [[0.9, 0.1], [0.2, 0.8]]},
        ... )
        >>> net.predict_proba({"wet": ["yes", None]}, "rain").round(3).tolist()
        [[0.333, 0.667], [0.8, 0.2]]
        >>> net.predict({"wet": ["yes", None]}, "rain").tolist()
        ['yes', 'no']
        """
        codes = read_cases(self.network, data, without=target)
        return posteriors(self.network, codes, self.network.dag.index(target), impossible)

    def predict(self, data: Any, target: Node, *, impossible: Impossible = "error") -> AnyArray:
        """The most probable state of the target in each row.

        Parameters
        ----------
        data, target, impossible
            As in ``predict_proba``.

        Returns
        -------
        array of states
        """
        probabilities = self.predict_proba(data, target, impossible=impossible)
        return object_array(self.network.states[target])[probabilities.argmax(axis=1)]

    def impute(self, data: Any, method: Fill = "mpe") -> Any:
        """The data with missing values filled in.

        Parameters
        ----------
        data : table
            A frame or a mapping of columns; an array gives an array.
        method : {"mpe", "marginals"}
            "mpe": the missing values of a row get their most probable joint states. "marginals": each missing value
            gets its own most probable state.

        Returns
        -------
        table
            A table of the same kind; nodes without a column get one.

        Examples
        --------
        >>> import deciban as db
        >>> net = db.BayesNet.from_tables(
        ...     [("rain", "wet")],
        ...     {"rain": ("no", "yes"), "wet": ("no", "yes")},
        ...     {"rain": [0.8, 0.2], "wet": [[0.9, 0.1], [0.2, 0.8]]},
        ... )
        >>> net.impute({"rain": [None, "yes"], "wet": ["yes", None]})
        {'rain': ['yes', 'yes'], 'wet': ['yes', 'yes']}
        """
        return fill_in(self.network, data, method)
