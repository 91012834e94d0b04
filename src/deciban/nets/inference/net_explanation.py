"""Which finding moved a belief by how much: the log-odds of a state as a sum of weights of evidence.

The log-odds of a state s of the target against its other states, from the prior to the posterior, are a sum over the
findings e₁, …, e_k in some order,

    log P(s | e) / P(¬s | e) = log P(s) / P(¬s) + Σ_i w_i
    w_i = log P(e_i | s, e₁ … e_(i−1)) / P(e_i | ¬s, e₁ … e_(i−1))

Each weight is that of Good (1950), given the findings before it, so they add up whatever the findings have to do with
one another; but they depend on the order. Here the finding that moves the log-odds most comes first, then the one that
moves them most after it, and so on. Beside it stand two weights that depend on no order: that of the finding alone, and
its weight when it is added last, to all others. A finding of weight 0 when added last is irrelevant given the others.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import asdict, dataclass
from html import escape
from itertools import combinations
from math import exp, isinf, log
from typing import Any, NamedTuple, cast

import numpy as np

from deciban.errors import ParameterError, TooLargeError
from deciban.explain import Explanation, Reason
from deciban.nets.graphs.graph import Node
from deciban.nets.inference.distribution import Distribution
from deciban.nets.inference.evidence import Findings, MixedFindings
from deciban.nets.inference.mixed_queries import MixedQueries
from deciban.nets.inference.queries import engine_for, joint, log_probability, refuse_impossible, unobserved
from deciban.nets.inference.sensitivity import StateQuery
from deciban.nets.mixed_network import MixedNetwork
from deciban.nets.network import Network, State
from deciban.read import object_array, plain
from deciban.ties import TIE, first_largest
from deciban.types import Floats
from deciban.units import decibans_from_nats

__all__ = [
    "Asked",
    "Finding",
    "FindingReason",
    "NetExplanation",
    "explain_findings",
    "explain_mixed_query",
    "explain_query",
    "read_query",
]


class Finding(NamedTuple):
    """A finding as it is shown: the name of its node, and its state, number or likelihoods."""

    name: str
    value: Any


Asked = Callable[[Sequence[tuple[int, ...]]], tuple[Floats, Floats]]
"""Of subsets of the findings, by their indices: log P(subset), and P(state of the target | subset), rows × states."""


@dataclass(frozen=True)
class FindingReason(Reason):
    """The weight of one finding, given those before it.

    Attributes
    ----------
    name : str
        The node.
    value : state or number
        What was observed; of uncertain evidence the likelihoods.
    weight_db : float
        The change of the log-odds when this finding is added to those before it, in decibans.
    alone_db : float
        The change when it is the only finding.
    last_db : float
        The change when it is added to all others.
    probability : float
        P(state | this finding and those before it).
    likelihoods, log_likelihoods : tuple of float
        P(finding | state, those before it), and the same of the other states; and their logarithms.

    See Also
    --------
    NetExplanation : Holds one for each finding.

    Examples
    --------
    >>> import deciban as db
    >>> net = db.BayesNet.from_tables(
    ...     [("rain", "wet")],
    ...     {"rain": ("no", "yes"), "wet": ("no", "yes")},
    ...     {"rain": [0.8, 0.2], "wet": [[0.9, 0.1], [0.2, 0.8]]},
    ... )
    >>> wet = net.explain({"rain": "yes"}, {"wet": "yes"}).reasons[0]
    >>> round(wet.weight_db, 2), round(wet.probability, 3)
    (9.03, 0.667)
    """

    alone_db: float = 0.0
    last_db: float = 0.0
    probability: float = 0.0

    @property
    def is_irrelevant(self) -> bool:
        """Whether the finding changes nothing given the others, up to rounding."""
        return abs(self.last_db) <= TIE


@dataclass(frozen=True, eq=False, repr=False)
class NetExplanation(Explanation):
    """Which finding moved the probability of a state by how many decibans: the result of ``BayesNet.explain``.

        total = prior + Σ weights

    is the log-odds of the state against the other states of its node. The findings are in the order in which they are
    added: the one that moves the log-odds most, then the one that moves them most after it, and so on; of equal ones
    the first in the order of the nodes. "alone" is the weight of a finding without the others, "last" its weight when
    it is added to all others.

    Attributes
    ----------
    node : str
        The node whose state is explained.
    label, against : state
        The state, and what it is compared with: the other state, or "not …" where there are several.
    prior_db, total_db : float
        The log-odds before and after the evidence, in decibans.
    reasons : tuple
        The findings, in order: of each its `name`, its `value`, `weight_db`, `alone_db`, `last_db`, the `probability`
        of the state given it and those before it, and `is_irrelevant`.
    classes : array
        The label, and what it is compared with.
    priors : tuple of float
        P(state) and P(another state).
    joint, log_joint : tuple of float
        P(state, evidence) and P(another state, evidence), and their logarithms.
    is_impossible : bool
        Always False: impossible evidence is an error.

    See Also
    --------
    BayesNet.explain : Returns it.
    BayesNet.information : What to observe next.

    Examples
    --------
    >>> import deciban as db
    >>> dag = db.DAG([("rain", "wet"), ("sprinkler", "wet")])
    >>> net = db.BayesNet.from_tables(
    ...     dag,
    ...     {node: ("no", "yes") for node in dag.nodes},
    ...     {
    ...         "rain": [0.8, 0.2],
    ...         "sprinkler": [0.7, 0.3],
    ...         "wet": [[[0.98, 0.02], [0.1, 0.9]], [[0.2, 0.8], [0.01, 0.99]]],
    ...     },
    ... )
    >>> print(net.explain({"rain": "yes"}, {"wet": "yes", "sprinkler": "yes"}))
    P(rain=yes) = 0.200, then 0.216
      finding    value  alone   last  P(yes)  decibans
      prior                            0.200     -6.02
      wet        yes    +4.80  +0.41   0.430     +4.80
      sprinkler  yes    +0.00  -4.38   0.216     -4.38
      total                            0.216     -5.61
    """

    node: str = ""

    @property
    def irrelevant(self) -> tuple[str, ...]:
        """The findings that change nothing given the others."""
        return tuple(reason.name for reason in self._findings if reason.is_irrelevant)

    @property
    def _findings(self) -> tuple[FindingReason, ...]:
        return tuple(reason for reason in self.reasons if isinstance(reason, FindingReason))

    def to_dict(self) -> dict[str, Any]:
        """Convert the explanation to plain values, the findings in their order.

        Returns
        -------
        explanation : dict
            With the keys node, label, against, prior, probability, prior_db, reasons and total_db.
        """
        reasons = []
        for reason in self._findings:
            values = asdict(reason)
            kept = ("weight_db", "alone_db", "last_db", "probability")
            reasons.append({"finding": reason.name, "value": plain(reason.value), **{key: values[key] for key in kept}})
        return {
            "node": self.node,
            "label": plain(self.label),
            "against": plain(self.against),
            "prior": self.priors[0],
            "probability": self.probabilities[self.label],
            "prior_db": self.prior_db,
            "reasons": reasons,
            "total_db": self.total_db,
        }

    def _ranked(self) -> list[Reason]:
        # The weights depend on their order, so they are not sorted by their size.
        return list(self.reasons)

    def _cells(self) -> list[list[str]]:
        now = _percent(self.probabilities[self.label])
        cells = [["finding", "value", "alone", "last", f"P({self._text(self.label)})"]]
        cells.append(["prior", "", "", "", _percent(self.priors[0])])
        for reason in self._findings:
            weights = (f"{reason.alone_db:+z.2f}", f"{reason.last_db:+z.2f}", _percent(reason.probability))
            cells.append([reason.name, self._value(reason), *weights])
        return [*cells, ["total", "", "", "", now]]

    def _headline(self) -> str:
        name = f"P({self.node}={self._text(self.label)})"
        return f"{name} = {_percent(self.priors[0])}, then {_percent(self.probabilities[self.label])}"

    def __str__(self) -> str:
        return "\n".join([super().__str__(), *([f"  {self._note}"] if self._note else [])])

    def _repr_html_(self) -> str:
        return super()._repr_html_() + (f"<p>{escape(self._note)}</p>" if self._note else "")

    @property
    def _note(self) -> str:
        return f"Irrelevant given the others: {', '.join(self.irrelevant)}" if self.irrelevant else ""

    def _product(self, j: int) -> str:
        """P(s)·P(e₁ | s)·P(e₂ | s, e₁) … as numbers."""
        label = f"{self.node}={self._texts[j]}"
        names, factors, before = [f"P({label})"], [f"{self.priors[j]:.4g}"], ""
        for reason in self._findings:
            names.append(f"P({reason.name}={self._value(reason)}|{label}{before})")
            factors.append(reason.factor(j))
            before = ", …"
        return f"{'·'.join(names)} = {' · '.join(factors)} = {self.joint[j]:.4g}"


def explain_findings(
    node: Node, states: Sequence[State], findings: Sequence[Finding], ask: Asked, code: int | None = None
) -> NetExplanation:
    """Explain P(state | findings), of the most probable state where ``code`` is None.

    Findings come in the order of the nodes, which decides between equal weights.
    """
    whole = tuple(range(len(findings)))
    singles, others = list(combinations(whole, 1)), [tuple(i for i in whole if i != left) for left in whole]
    told = _Told(ask)
    told.ask([(), *singles, *others, whole])
    if code is None:
        code = first_largest(told.beliefs[whole], scale=0.0)
    odds = told.log_odds(code)
    alone = [_change(odds[()], odds[single]) for single in singles]
    last = [_change(odds[other], odds[whole]) for other in others]
    chosen: tuple[int, ...] = ()
    reasons = []
    while len(chosen) < len(whole):
        candidates = [i for i in whole if i not in chosen]
        told.ask([_plus(chosen, i) for i in candidates])
        odds = told.log_odds(code)
        changes = [_change(odds[_key(chosen)], odds[_plus(chosen, i)]) for i in candidates]
        best = first_largest([abs(change) for change in changes])
        picked, before, now = candidates[best], _key(chosen), _plus(chosen, candidates[best])
        chosen = (*chosen, picked)
        logs = tuple(
            after - earlier if earlier > -np.inf else -np.inf
            for earlier, after in zip(told.log_joint(before, code), told.log_joint(now, code), strict=True)
        )
        db = (decibans_from_nats(weight) for weight in (changes[best], alone[picked], last[picked]))
        weight_db, alone_db, last_db = db
        reasons.append(
            FindingReason(
                *findings[picked],
                likelihoods=tuple(exp(value) for value in logs),
                weight_db=weight_db,
                log_likelihoods=logs,
                alone_db=alone_db,
                last_db=last_db,
                probability=float(told.beliefs[now][code]),
            )
        )
    rest = next(state for state in states if state != states[code]) if len(states) == 2 else f"not {states[code]}"
    prior, log_joint = float(told.beliefs[()][code]), told.log_joint(whole, code)
    return NetExplanation(
        classes=object_array([states[code], rest]),
        label=states[code],
        against=rest,
        priors=(prior, float(np.delete(told.beliefs[()], code).sum())),
        prior_db=decibans_from_nats(odds[()]),
        reasons=tuple(reasons),
        joint=tuple(exp(value) for value in log_joint),
        log_joint=log_joint,
        is_impossible=False,
        node=str(node),
    )


class _Told:
    """The answers about subsets of the findings; each subset is asked for once."""

    def __init__(self, ask: Asked) -> None:
        self._ask = ask
        self.logs: dict[tuple[int, ...], float] = {}
        self.beliefs: dict[tuple[int, ...], Floats] = {}

    def ask(self, subsets: Sequence[tuple[int, ...]]) -> None:
        new = [subset for subset in dict.fromkeys(subsets) if subset not in self.logs]
        if new:
            logs, beliefs = self._ask(new)
            self.logs.update(zip(new, logs.tolist(), strict=True))
            self.beliefs.update(zip(new, beliefs, strict=True))

    def log_odds(self, code: int) -> dict[tuple[int, ...], float]:
        """The log-odds of a state against the others; the sum of the others, as 1 − p of a p near 1 has few digits."""
        return {
            subset: _log(float(belief[code])) - _log(float(np.delete(belief, code).sum()))
            for subset, belief in self.beliefs.items()
        }

    def log_joint(self, subset: tuple[int, ...], code: int) -> tuple[float, float]:
        """log P(state, subset), and log P(another state, subset)."""
        belief = self.beliefs[subset]
        return (
            self.logs[subset] + _log(float(belief[code])),
            self.logs[subset] + _log(float(np.delete(belief, code).sum())),
        )


def _key(chosen: Sequence[int]) -> tuple[int, ...]:
    return tuple(sorted(chosen))


def _plus(chosen: Sequence[int], one: int) -> tuple[int, ...]:
    return _key((*chosen, one))


def _log(probability: float) -> float:
    return log(probability) if probability > 0 else -np.inf


def _change(before: float, after: float) -> float:
    """The change of the log-odds; 0 where they were infinite: no finding moves what is certain."""
    return 0.0 if isinf(before) else after - before


def _percent(p: float) -> str:
    """A probability with as many digits as tell it from 0 and 1."""
    return f"{p:.3f}" if 0.001 <= p <= 0.999 else f"{p:.2g}" if p < 0.5 else f"1 - {1 - p:.2g}" if p < 1 else "1"


def explain_query(network: Network, query: StateQuery | Node, findings: Findings) -> NetExplanation:
    """Explain a posterior of a net of tables: see ``BayesNet.explain``."""
    target, code = read_query(network, query)
    (index,), _ = unobserved(network, [target], findings)
    if np.isneginf(log_probability(network, findings)):
        refuse_impossible(network, findings)
    keys = _keys(findings)

    def ask(subsets: Sequence[tuple[int, ...]]) -> tuple[Floats, Floats]:
        parts = [_Part(findings, keys, subset) for subset in subsets]
        return _posteriors(network, index, [Findings(part.of("codes"), part.of("likelihoods")) for part in parts])

    shown = [_shown(network, findings, key) for key in keys]
    return explain_findings(target, network.states[target], shown, ask, code)


def explain_mixed_query(queries: MixedQueries, query: StateQuery | Node, findings: MixedFindings) -> NetExplanation:
    """Explain a posterior of a category in a net of categories and numbers."""
    network = queries.network
    target, code = read_query(network, query)
    queries.posterior(target, findings)  # an error for a target that is observed, and for impossible evidence
    keys = _keys(findings)

    def ask(subsets: Sequence[tuple[int, ...]]) -> tuple[Floats, Floats]:
        logs, beliefs = [], []
        for subset in subsets:
            part = _Part(findings, keys, subset)
            some = MixedFindings(part.of("codes"), part.of("likelihoods"), part.of("values"), part.of("bounds"))
            logs.append(queries.log_probability(some))
            beliefs.append(cast("Distribution", queries.posterior(target, some)).as_array())  # of a category it is one
        return np.array(logs), np.array(beliefs)

    shown = [_shown(network, findings, key) for key in keys]
    return explain_findings(target, network.states[target], shown, ask, code)


def read_query(network: Network | MixedNetwork, query: StateQuery | Node) -> tuple[Node, int | None]:
    """A category, and the code of its state; None where only the node is named."""
    if isinstance(query, Hashable) and query in network.states:
        return query, None
    pairs = list(query.items()) if isinstance(query, Mapping) else [query]
    if len(pairs) == 1 and isinstance(pairs[0], tuple) and len(pairs[0]) == 2:
        node, state = pairs[0]
        return node, network.code(node, state)
    if isinstance(query, str):
        network.dag.index(query)  # an error that lists the nodes
        raise ParameterError(f"{query!r} is a number: explain a state of a category")
    raise ParameterError(f'query is a node, or one state of it, such as {{"rain": "yes"}}, not {query!r}')


class _Key(NamedTuple):
    """A finding: the index of its node, and the kind of evidence, by the field of the findings that holds it."""

    node: int
    kind: str


_EVIDENCE = ("codes", "values", "bounds", "likelihoods")


def _keys(findings: Findings) -> list[_Key]:
    """All findings, in the order of the nodes."""
    keys = [_Key(index, kind) for kind in _EVIDENCE for index in getattr(findings, kind, {})]
    return sorted(keys, key=lambda key: (key.node, _EVIDENCE.index(key.kind)))


class _Part:
    """Some of the findings."""

    def __init__(self, findings: Findings, keys: Sequence[_Key], subset: Sequence[int]) -> None:
        self._findings, self._kept = findings, {keys[i] for i in subset}

    def of(self, kind: str) -> dict[int, Any]:
        evidence: Mapping[int, Any] = getattr(self._findings, kind)
        return {index: value for index, value in evidence.items() if _Key(index, kind) in self._kept}


def _shown(network: Network | MixedNetwork, findings: Findings, key: _Key) -> Finding:
    node = network.nodes[key.node]
    value = getattr(findings, key.kind)[key.node]
    if key.kind == "codes":
        value = network.states[node][value]
    elif key.kind == "likelihoods":
        pairs = zip(network.states[node], value.tolist(), strict=True)
        value = ", ".join(f"{state}: {weight:.3g}" for state, weight in pairs)
    elif key.kind == "bounds":
        low, high = value
        value = f"≤ {high:g}" if np.isinf(low) else f"> {low:g}" if np.isinf(high) else f"{low:g} to {high:g}"
    return Finding(str(node), value)


def _posteriors(network: Network, target: int, parts: Sequence[Findings]) -> tuple[Floats, Floats]:
    """log P(e) and P(target | e) of several findings: in one pass of the clique tree, if that is not too large."""
    try:
        engine = engine_for(network, [part.codes for part in parts])
    except TooLargeError:
        # One by one, from the ancestors of the target and of the findings alone.
        logs = np.array([log_probability(network, part) for part in parts])
        return logs, np.array([joint(network, [target], part) for part in parts])
    rows = np.concatenate([part.row(len(network.nodes)) for part in parts])
    heard = sorted({index for part in parts for index in part.likelihoods})
    # Likelihoods of 1 in the rows without this evidence.
    soft = {
        index: np.array([part.likelihoods.get(index, np.ones(network.cards[index])) for part in parts])
        for index in heard
    }
    logs, beliefs = engine.marginals(rows, soft or None)
    return logs, beliefs[:, network._spans[target]]
