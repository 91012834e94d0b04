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

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import asdict, dataclass
from html import escape
from math import exp, isinf, log
from typing import Any, NamedTuple, cast

import numpy as np

from deciban.errors import ParameterError
from deciban.explain import Explanation, Reason
from deciban.nets.graphs.bits import mask_of
from deciban.nets.graphs.graph import Node
from deciban.nets.graphs.separation import reached
from deciban.nets.inference.distribution import Distribution
from deciban.nets.inference.evidence import Findings, MixedFindings
from deciban.nets.inference.mixed_queries import MixedQueries
from deciban.nets.inference.queries import joint, log_probability, refuse_impossible, unobserved
from deciban.nets.inference.sensitivity import StateQuery
from deciban.nets.mixed_network import MixedNetwork
from deciban.nets.network import Network, State
from deciban.read import object_array, plain
from deciban.ties import TIE, first_largest
from deciban.types import Floats
from deciban.units import decibans_from_nats

__all__ = [
    "Answers",
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


Subset = tuple[int, ...]
"""Some of the findings, by their indices, ascending."""


class Answers(NamedTuple):
    """What a net says about subsets of the findings.

    P(state of the target | subset); log P(subset); and the findings that the subset does not separate from the target:
    any other has the weight 0 when it is added to it.
    """

    belief: Callable[[Subset], Floats]
    log_probability: Callable[[Subset], float]
    relevant: Callable[[Subset], Collection[int]]


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
    node: Node, states: Sequence[State], findings: Sequence[Finding], answers: Answers, code: int | None = None
) -> NetExplanation:
    """Explain P(state | findings), of the most probable state where ``code`` is None.

    Findings come in the order of the nodes, which decides between equal weights.
    """
    whole = tuple(range(len(findings)))
    if code is None:
        code = first_largest(answers.belief(whole), scale=0.0)
    beliefs = _Beliefs(answers, code)
    chosen: Subset = ()
    logs = beliefs.log_joint(chosen)
    reasons = []
    while len(chosen) < len(whole):
        candidates = [i for i in whole if i not in chosen]
        changes = [beliefs.change(chosen, i) for i in candidates]
        best = first_largest([abs(change) for change in changes])
        picked = candidates[best]
        chosen, before = _plus(chosen, picked), logs
        logs = beliefs.log_joint(chosen)
        likelihoods = tuple(now - was if was > -np.inf else -np.inf for was, now in zip(before, logs, strict=True))
        rest = tuple(i for i in whole if i != picked)
        reasons.append(
            FindingReason(
                *findings[picked],
                likelihoods=tuple(exp(value) for value in likelihoods),
                weight_db=decibans_from_nats(changes[best]),
                log_likelihoods=likelihoods,
                alone_db=decibans_from_nats(beliefs.change((), picked)),
                last_db=decibans_from_nats(beliefs.change(rest, picked)),
                probability=float(beliefs.of(chosen)[code]),
            )
        )
    against = next(state for state in states if state != states[code]) if len(states) == 2 else f"not {states[code]}"
    return NetExplanation(
        classes=object_array([states[code], against]),
        label=states[code],
        against=against,
        priors=beliefs.halves(()),
        prior_db=decibans_from_nats(beliefs.log_odds(())),
        reasons=tuple(reasons),
        joint=tuple(exp(value) for value in logs),
        log_joint=logs,
        is_impossible=False,
        node=str(node),
    )


class _Beliefs:
    """P(state | subset of the findings); each subset is asked for once."""

    def __init__(self, answers: Answers, code: int) -> None:
        self._answers, self._code = answers, code
        self._beliefs: dict[Subset, Floats] = {}
        self._relevant: dict[Subset, Collection[int]] = {}

    def of(self, subset: Subset) -> Floats:
        if subset not in self._beliefs:
            self._beliefs[subset] = self._answers.belief(subset)
        return self._beliefs[subset]

    def halves(self, subset: Subset) -> tuple[float, float]:
        """P(state | subset) and P(another state | subset): a sum, as 1 − p of a p near 1 has few digits."""
        belief = self.of(subset)
        return float(belief[self._code]), float(np.delete(belief, self._code).sum())

    def log_odds(self, subset: Subset) -> float:
        yes, no = self.halves(subset)
        return _log(yes) - _log(no)

    def log_joint(self, subset: Subset) -> tuple[float, float]:
        """log P(state, subset), and log P(another state, subset)."""
        log_p, (yes, no) = self._answers.log_probability(subset), self.halves(subset)
        return log_p + _log(yes), log_p + _log(no)

    def change(self, subset: Subset, one: int) -> float:
        """The weight of a finding, in nats, when it is added to others; 0 where these leave nothing to move."""
        if subset not in self._relevant:
            self._relevant[subset] = self._answers.relevant(subset)
        together = _plus(subset, one)
        if one not in self._relevant[subset]:
            # The belief of both is the same, which need not be asked for twice; that of fewer findings is quicker.
            self._beliefs.setdefault(together, self.of(subset))
        before = self.log_odds(subset)
        return 0.0 if isinf(before) else self.log_odds(together) - before


def _plus(chosen: Subset, one: int) -> Subset:
    return tuple(sorted((*chosen, one)))


def _log(probability: float) -> float:
    return log(probability) if probability > 0 else -np.inf


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

    def part(subset: Subset) -> Findings:
        kept = _Part(findings, keys, subset)
        return Findings(kept.of("codes"), kept.of("likelihoods"))

    answers = Answers(
        belief=lambda subset: joint(network, [index], part(subset)),
        log_probability=lambda subset: log_probability(network, part(subset)),
        relevant=_relevant(network, index, keys),
    )
    shown = [_shown(network, findings, key) for key in keys]
    return explain_findings(target, network.states[target], shown, answers, code)


def explain_mixed_query(queries: MixedQueries, query: StateQuery | Node, findings: MixedFindings) -> NetExplanation:
    """Explain a posterior of a category in a net of categories and numbers."""
    network = queries.network
    target, code = read_query(network, query)
    queries.posterior(target, findings)  # an error for a target that is observed, and for impossible evidence
    keys = _keys(findings)

    def part(subset: Subset) -> MixedFindings:
        kept = _Part(findings, keys, subset)
        return MixedFindings(kept.of("codes"), kept.of("likelihoods"), kept.of("values"), kept.of("bounds"))

    answers = Answers(
        # Of a category the posterior is a Distribution.
        belief=lambda subset: cast("Distribution", queries.posterior(target, part(subset))).as_array(),
        log_probability=lambda subset: queries.log_probability(part(subset)),
        relevant=_relevant(network, network.dag.index(target), keys),
    )
    shown = [_shown(network, findings, key) for key in keys]
    return explain_findings(target, network.states[target], shown, answers, code)


def _relevant(
    network: Network | MixedNetwork, target: int, keys: Sequence[_Key]
) -> Callable[[Subset], Collection[int]]:
    """The findings that a subset does not separate from the target in the graph."""

    def relevant(subset: Subset) -> Collection[int]:
        given = [keys[i] for i in subset]
        # What is known uncertainly is a child of its node that the graph does not have: nothing is left out then.
        if any(key.kind in ("likelihoods", "bounds") for key in given):
            return range(len(keys))
        opened = reached(network.dag, 1 << target, mask_of(key.node for key in given))
        return {i for i, key in enumerate(keys) if opened >> key.node & 1}

    return relevant


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
