"""Exact inference: a Bayes net compiled to a clique tree, which answers any number of queries.

    P(x) = Π P(clique) / Π P(separator)

The graph is moralized and triangulated; the cliques form a tree; messages are passed up and down it
(Lauritzen and Spiegelhalter, 1988; Jensen, Lauritzen and Olesen, 1990). Of several elimination orders the one with the
smallest tables is used. Its memory is known before it is allocated, and ``limit`` bounds it. Observed nodes are removed
from every table, so evidence reduces the work. ``tests/reference/trees.py`` computes the same by enumeration.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from deciban import _core
from deciban.errors import InputError, TooLargeError
from deciban.limits import VARIABLE, in_bytes, memory_limit
from deciban.nets.inference.elimination import CELL, Cost
from deciban.nets.network import Network
from deciban.types import AnyArray, Codes, Floats

__all__ = ["CELLS_PER_STEP", "CliqueTree", "clique_tree"]

CELLS_PER_STEP = 4_000
"""Entries that the tree processes in the time of one elimination step in NumPy."""

_COPIES = 2  # the core holds each factor as it was given, and in the order of its tree
_SHOWN = 12


class CliqueTree:
    """A net compiled for inference: made by ``compile``, immutable, safe to share between threads.

    Rows of evidence are codes of states, a column for each node in the order of ``network.nodes``, −1 for unobserved
    nodes; ``likelihoods`` have P(observation | state), rows × states, for the indices of some nodes.

    Examples
    --------
    >>> from deciban.nets import DAG
    >>> wet = Network(
    ...     DAG([("rain", "wet")]),
    ...     {"rain": ("no", "yes"), "wet": ("no", "yes")},
    ...     {"rain": [0.8, 0.2], "wet": [[0.9, 0.1], [0.2, 0.8]]},
    ... )
    >>> tree = CliqueTree.compile(wet)
    >>> log_p, beliefs = tree.marginals(np.array([[-1, 1]]))
    >>> float(np.exp(log_p[0]).round(4)), beliefs[0].round(4).tolist()
    (0.24, [0.3333, 0.6667, 0.0, 1.0])
    """

    cost: Cost

    def __init__(self, network: Network, kernel: _core.Inference, cost: Cost) -> None:
        self.network = network
        self.cost = cost
        self._kernel = kernel
        # Each worker has tables of its own for a row: fewer of them keep within the limit that the cost was made for.
        if cost.rows_at_a_time < _core.thread_count():
            kernel.set_most_workers(cost.rows_at_a_time)

    @classmethod
    def compile(cls, network: Network, *, limit: int | None = None) -> CliqueTree:
        """Find a cheap clique tree; an error if its tables would take more than ``limit`` bytes."""
        families = network.families
        # The kernel only searches its order here: tables of cliques come with the first rows, after ``_cost``'s limit.
        kernel = _core.Inference(
            np.array(network.cards, dtype=np.int32),
            np.cumsum([0, *map(len, families)], dtype=np.int64),
            np.array([member for family in families for member in family], dtype=np.int32),
            _flat(network),
        )
        return cls(network, kernel, _cost(network, kernel, limit))

    def with_network(self, network: Network) -> CliqueTree:
        """The same tree for a net with other probabilities, as in the iterations of EM: no new search."""
        if (network.cards, network.families) != (self.network.cards, self.network.families):
            raise InputError(
                "a clique tree is for nets with the same nodes, parents and numbers of states; compile this net"
            )
        return CliqueTree(network, self._kernel.with_tables(_flat(network)), self.cost)

    def marginals(self, codes: AnyArray, likelihoods: Mapping[int, Floats] | None = None) -> tuple[Floats, Floats]:
        """The log P(e) of each row, and P(state | e) of all nodes side by side; all 0 in an impossible row."""
        rows, soft, shift = self._read(codes, likelihoods)
        logs, beliefs = self._kernel.beliefs(rows, soft)
        return logs + shift, beliefs

    def log_probability(self, codes: AnyArray, likelihoods: Mapping[int, Floats] | None = None) -> Floats:
        """The log P(e) of each row, −∞ where the evidence is impossible."""
        rows, soft, shift = self._read(codes, likelihoods)
        return self._kernel.log_probability(rows, soft) + shift

    def best(self, codes: AnyArray, likelihoods: Mapping[int, Floats] | None = None) -> tuple[Codes, Floats]:
        """A most probable completion x of each row and log P(x, e); an impossible row stays as it is, at −∞."""
        rows, soft, shift = self._read(codes, likelihoods)
        completed, logs = self._kernel.best(rows, soft)
        impossible = np.isneginf(logs)
        completed[impossible] = rows[impossible]
        return completed, logs + shift

    def draws(self, codes: AnyArray, count: int, seed: int) -> tuple[Codes, Floats]:
        """``count`` completions of each row from P(x | row), rows × count × nodes, and log P(row).

        They depend on the seed, the index of the row and its codes alone. For each clique the uniform numbers of a
        row's draws lie one in each of ``count`` equal parts of [0, 1), so that the draws have nearly the shares that
        the probabilities say. An impossible row stays as it is, at −∞.
        """
        rows = self._codes(codes)
        drawn, logs = self._kernel.draws(rows, count, seed)
        impossible = np.isneginf(logs)
        drawn[impossible] = rows[impossible, None]
        return drawn, logs

    def expected_counts(self, codes: AnyArray, weights: Floats | None = None) -> tuple[list[Floats], float]:
        """Σ weight · P(parents, node | row), shaped like each table, and Σ weight · log P(row).

        An impossible row adds no counts and makes the sum −∞; a row of weight 0 is ignored.
        """
        rows = self._codes(codes)
        each = None if weights is None else np.ascontiguousarray(weights, dtype=np.float64)
        if each is not None and each.shape != (len(rows),):
            raise InputError(f"there are {len(rows)} rows and weights of shape {each.shape}; give one weight per row")
        flat, log_likelihood = self._kernel.expected(rows, each)
        ends = np.cumsum([factor.size for factor in self.network.factors])[:-1]
        parts = np.split(flat, ends) if len(self.network.nodes) else []
        return [part.reshape(f.shape) for part, f in zip(parts, self.network.factors, strict=True)], log_likelihood

    def _read(
        self, codes: AnyArray, likelihoods: Mapping[int, Floats] | None
    ) -> tuple[Codes, dict[int, Floats], Floats]:
        """Codes and likelihoods as the core takes them: the largest likelihood of a row is scaled to 1."""
        rows = self._codes(codes)
        shift, soft = np.zeros(len(rows)), {}
        for index, given in (likelihoods or {}).items():
            values = self._likelihood(index, given, len(rows))
            # Tiny likelihoods of many nodes would underflow in the core; their scale goes into the logarithm instead.
            top = values.max(axis=1, keepdims=True)
            soft[index] = np.divide(values, top, out=np.zeros_like(values), where=top > 0)
            shift += np.log(top[:, 0], out=np.zeros(len(rows)), where=top[:, 0] > 0)
        return rows, soft, shift

    def _codes(self, codes: AnyArray) -> Codes:
        rows = np.ascontiguousarray(codes, dtype=np.int32)
        nodes = self.network.nodes
        if rows.ndim != 2 or rows.shape[1] != len(nodes):
            raise InputError(f"evidence is rows × {len(nodes)} nodes of codes, not of shape {rows.shape}")
        wrong = (rows < -1) | (rows >= np.array(self.network.cards, dtype=np.int32))
        if wrong.any():
            row, index = map(int, np.argwhere(wrong)[0])
            raise InputError(
                f"row {row} has the code {rows[row, index]} for {nodes[index]!r}; "
                f"its codes are 0 to {self.network.cards[index] - 1}, and −1 if it is not observed"
            )
        return rows

    def _likelihood(self, index: int, given: Floats, rows: int) -> Floats:
        nodes, cards = self.network.nodes, self.network.cards
        if not 0 <= index < len(nodes):
            raise InputError(f"likelihoods are given for the indices 0 to {len(nodes) - 1} of nodes, not for {index}")
        values = np.ascontiguousarray(given, dtype=np.float64)
        if values.shape != (rows, cards[index]):
            shape = f"{rows} rows × {cards[index]} states"
            raise InputError(f"the likelihoods of {nodes[index]!r} have shape {values.shape}; they need {shape}")
        if not (np.isfinite(values) & (values >= 0)).all():
            raise InputError(f"the likelihoods of {nodes[index]!r} contain a number that is negative or not finite")
        return values

    def __repr__(self) -> str:
        return f"CliqueTree({self.cost})"


def _flat(network: Network) -> Floats:
    return np.concatenate([np.zeros(0), *(factor.ravel() for factor in network.factors)])


def _cost(network: Network, kernel: _core.Inference, limit: int | None) -> Cost:
    cliques, total, largest, indices = kernel.cost()
    cells, fixed = int(total), _COPIES * sum(factor.nbytes for factor in network.factors)
    threads = _core.thread_count()
    if limit is not None:
        if fixed + cells * CELL > limit:
            raise TooLargeError(_too_large(network, fixed + cells * CELL, limit, int(largest), indices))
        # Each thread has the tables of one row: with less memory fewer rows go at a time, rather than none.
        threads = min(threads, max(1, (limit - fixed) // max(1, cells * CELL)))
    names = tuple(network.nodes[index] for index in indices)
    return Cost(cliques, int(largest), cells, fixed + threads * cells * CELL, names, threads)


def _too_large(network: Network, needed: int, limit: int, largest: int, indices: Sequence[int]) -> str:
    names = ", ".join(str(network.nodes[index]) for index in indices[:_SHOWN]) + (
        ", …" if len(indices) > _SHOWN else ""
    )
    return (
        f"exact inference would need {in_bytes(needed)}, and the limit is {in_bytes(limit)}; the largest of its tables "
        f"has {largest:,} entries, over {names}. Raise the limit (environment variable {VARIABLE}), or ask an "
        "approximate method (estimate, sample_weighted, sample_gibbs)"
    )


def clique_tree(network: Network) -> CliqueTree:
    """The clique tree of a network, compiled at the first call and kept with it."""
    if not isinstance(network._clique_tree, CliqueTree):
        # Two threads may both compile it: each gets a whole tree, and the last one is kept.
        network._clique_tree = CliqueTree.compile(network, limit=memory_limit())
    return network._clique_tree
