"""Intervals for answers: how far P(t | e) is known, if the tables were estimated from so many rows.

Given complete rows and a Dirichlet prior, each row of a table has a Dirichlet posterior, independent of the others
(Spiegelhalter and Lauritzen, 1990), with the estimated probabilities m as its means and with S = rows + pseudo-counts
as its size,

    Cov(θ_x, θ_y) = (m_x·[x = y] − m_x·m_y) / (S + 1)

An answer is a function of all tables. To first order (the delta method; Van Allen, Singh, Greiner and Hooper, 2008) its
variance is a sum over the rows u of all tables,

    Var P(t | e) = Σ_u ( Σ_x m_x·d_x² − (Σ_x m_x·d_x)² ) / (S_u + 1),        d_x = ∂P(t | e) / ∂θ_xu

and the derivatives follow from the net with that table left out, as in ``sensitivity``,

    m_x·d_x = P(t, x, u | e) − P(t | e)·P(x, u | e)

The interval is taken on the logit scale, where the distribution of P(t | e) is closer to normal, so that its ends are
between 0 and 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike

from deciban.errors import ParameterError
from deciban.nets.graphs.bits import bits
from deciban.nets.graphs.graph import Node
from deciban.nets.inference.distribution import Distribution
from deciban.nets.inference.evidence import Findings, Targets
from deciban.nets.inference.queries import joint, needed_nodes, unobserved
from deciban.nets.inference.sensitivity import without_table
from deciban.nets.network import Network, State
from deciban.ties import largest_first
from deciban.types import Floats

__all__ = ["UncertainDistribution", "uncertain_posterior"]

_SHOWN, _IN_LINE = 20, 6


class UncertainDistribution(Distribution):
    """The distribution of one node with an interval for each probability: the answer to ``query(…, interval=0.95)``.

    It is a ``Distribution`` in all else.

    Parameters
    ----------
    node : node
        The name of the node.
    states : iterable
        Its states.
    probabilities : array
        Their probabilities.
    variances : mapping
        Node → the part of the variance of each probability that is due to its table.
    level : float
        The probability of the intervals.

    Attributes
    ----------
    level : float
        The probability of the intervals.
    standard_errors : array
        The standard deviation of each probability, to first order.

    See Also
    --------
    BayesNet.query : Returns it.

    Examples
    --------
    >>> import deciban as db
    >>> net = db.BayesNet([("rain", "wet")]).fit(
    ...     {"rain": ["no", "yes"] * 50, "wet": ["no", "yes", "yes", "yes"] * 25}
    ... )
    >>> rain = net.query("rain", {"wet": "yes"}, interval=0.95)
    >>> rain
    UncertainDistribution(rain: no 0.3377 [0.2412, 0.4498], yes 0.6623 [0.5502, 0.7588])
    >>> low, high = rain.interval("yes")
    >>> round(low, 3), round(high, 3), max(rain.shares("yes"))
    (0.55, 0.759, 'wet')
    """

    def __init__(
        self,
        node: Node,
        states: Iterable[State],
        probabilities: ArrayLike,
        *,
        variances: Mapping[Node, Floats],
        level: float = 0.95,
    ) -> None:
        super().__init__(node, states, probabilities)
        self.level = _checked(level)
        self._variances = dict(variances)

    @property
    def standard_errors(self) -> Floats:
        """The standard deviation of each probability, to first order."""
        return np.sqrt(sum(self._variances.values(), np.zeros(len(self))))

    def interval(self, state: State, *, level: float | None = None) -> tuple[float, float]:
        """The interval of the probability of a state.

        Parameters
        ----------
        state : state
            A state of the node.
        level : float, optional
            The probability of the interval; that of the question by default.

        Returns
        -------
        pair of floats
            The lower and the upper end. Where the probability does not depend on any estimate, both are the
            probability.
        """
        p = self[state]
        error = float(self.standard_errors[self._code(state)])
        # d logit(p) / dp = 1 / (p·(1 − p)); a probability of 0 or 1 is that for all tables with these zeros.
        if error == 0 or not 0 < p < 1:
            return p, p
        half = NormalDist().inv_cdf(0.5 + _checked(self.level if level is None else level) / 2) * error / (p * (1 - p))
        centre = np.log(p) - np.log1p(-p)
        low, high = (float(1 / (1 + np.exp(-end))) for end in np.clip((centre - half, centre + half), -700, 700))
        return low, high

    def shares(self, state: State) -> dict[Node, float]:
        """The share of the variance that is due to each table: more rows for the first ones would help most.

        Parameters
        ----------
        state : state
            A state of the node.

        Returns
        -------
        dict
            Node → share, the largest first; the shares sum to 1, and tables without any are left out.
        """
        code = self._code(state)
        parts = {node: float(variance[code]) for node, variance in self._variances.items() if variance[code] > 0}
        total = sum(parts.values())
        return {node: parts[node] / total for node in largest_first(list(parts), lambda node: parts[node] / total)}

    def _code(self, state: State) -> int:
        _ = self[state]  # an error that lists the states
        return next(code for code, own in enumerate(self.states) if own == state)

    def _ends(self, state: State) -> str:
        low, high = self.interval(state)
        return f"[{low:.4f}, {high:.4f}]"

    def __repr__(self) -> str:
        shown = ", ".join(f"{state} {self[state]:.4f} {self._ends(state)}" for state in self.states[:_IN_LINE])
        return f"UncertainDistribution({self.node}: {shown}{', …' if len(self) > _IN_LINE else ''})"

    def __str__(self) -> str:
        wide = max((len(str(state)) for state in self.states[:_SHOWN]), default=0)
        rows = [f"{state!s:{wide}}  {self[state]:.4f}  {self._ends(state)}" for state in self.states[:_SHOWN]]
        more = [f"… and {len(self) - _SHOWN} more"] if len(self) > _SHOWN else []
        return "\n".join([f"{self.node}  ({self.level:.0%} intervals)", *rows, *more])

    def _repr_html_(self) -> str:
        rows = "".join(self._row(state) for state in self.states[:_SHOWN])
        more = f"<tr><td>… and {len(self) - _SHOWN} more</td></tr>" if len(self) > _SHOWN else ""
        head = f"<caption>{escape(str(self.node))} ({self.level:.0%} intervals)</caption>"
        return f"<table>{head}{rows}{more}</table>"

    def _row(self, state: State) -> str:
        """A bar for the probability, and over it a line for the interval, in the colour of the text."""
        p, (low, high) = self[state], self.interval(state)
        bar = f'<div style="width:{100 * p:.1f}%;height:0.8em;background:#2b7bba"></div>'
        place = f"left:{100 * low:.1f}%;width:{100 * (high - low):.1f}%"
        line = f'<div style="position:absolute;top:0.35em;{place};border-top:2px solid currentColor"></div>'
        cell = f'<td style="min-width:120px"><div style="position:relative">{bar}{line}</div></td>'
        number = f'<td style="text-align:right">{p:.4f}</td><td>{self._ends(state)}</td>'
        return f"<tr><td>{escape(str(state))}</td>{cell}{number}</tr>"


def uncertain_posterior(
    network: Network, targets: Targets, findings: Findings, sizes: Sequence[Floats], level: float
) -> UncertainDistribution:
    """P(target | e) with intervals; `sizes` are the rows and pseudo-counts behind each row of each table.

    A size of ∞ says that the row is known.
    """
    _checked(level)
    (target, *more), is_one = unobserved(network, targets, findings)
    if more or not is_one:
        raise ParameterError("an interval is for the answer about one node: ask for each node by itself")
    posterior = joint(network, [target], findings)
    needed = needed_nodes(network, 1 << target | findings.touched)
    variances = {
        network.nodes[node]: _variances(network, needed, node, target, findings, sizes[node]) for node in bits(needed)
    }
    node = network.nodes[target]
    return UncertainDistribution(node, network.states[node], posterior, variances=variances, level=level)


def _variances(network: Network, needed: int, node: int, target: int, findings: Findings, sizes: Floats) -> Floats:
    """For each state of the target the part of the variance that is due to a table."""
    table = network.factors[node]
    joint_of_family = without_table(network, needed, node, target, findings) * table
    joint_of_family /= joint_of_family.sum()
    axes = tuple(range(1, joint_of_family.ndim))
    posterior = joint_of_family.sum(axis=axes, keepdims=True)
    weighted = joint_of_family - posterior * joint_of_family.sum(axis=0, keepdims=True)  # m·d
    squares = np.divide(weighted**2, table, out=np.zeros_like(weighted), where=table > 0).sum(axis=-1)
    spread = np.maximum(squares - weighted.sum(axis=-1) ** 2, 0.0)  # rounding may go below 0
    return np.asarray((spread / (sizes + 1)).reshape(len(spread), -1).sum(axis=1))


def _checked(level: float) -> float:
    if isinstance(level, bool) or not isinstance(level, int | float | np.number) or not 0 < level < 1:
        raise ParameterError(f"interval is a probability between 0 and 1, such as 0.95, not {level!r}")
    return float(level)
