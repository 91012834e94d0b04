"""Answer a question by the queries of a net: interventions first, then observations in the net that they leave.

P(t | e, do(a))     the net after ``do(a)`` is asked for P(t | e)
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, Self

from deciban.errors import ImpossibleEvidenceError, QuestionError
from deciban.nets.data.states import listed
from deciban.nets.graphs.base import Node
from deciban.nets.inference.ask.names import Named, Names, index_named, number_of
from deciban.nets.inference.ask.parser import parse_nodes, parse_question, parse_states
from deciban.nets.inference.ask.question import Question, Relation
from deciban.nets.inference.distribution import Distribution
from deciban.nets.inference.normal import Normal
from deciban.nets.network import State
from deciban.suggest import closest

__all__ = ["answer_gaussian", "answer_states", "read_assignments", "read_nodes"]


_RELATIONS: Mapping[Relation, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


class _StateNet(Protocol):
    """What is needed of a net of states: see ``BayesNet``."""

    @property
    def nodes(self) -> tuple[Node, ...]: ...
    @property
    def states(self) -> Mapping[Node, tuple[State, ...]]: ...
    def do(self, actions: Any) -> Self: ...
    def query(self, targets: Any, evidence: Any = None) -> Any: ...
    def mpe(self, evidence: Any = None) -> Any: ...
    def map(self, targets: Any, evidence: Any = None) -> Any: ...
    def independent(self, x: Any, y: Any, given: Any = ()) -> bool: ...


class _NumberNet(Protocol):
    """What is needed of a net of numbers: see ``GaussianNet``."""

    @property
    def nodes(self) -> tuple[Node, ...]: ...
    def do(self, actions: Any) -> Self: ...
    def query(self, targets: Any, evidence: Any = None) -> Any: ...


def answer_states(net: _StateNet, question: str | Question) -> Any:
    """The answer of a net of states: see ``BayesNet.ask``."""
    asked = _parsed(question)
    names = Names(asked.text, net.nodes, _states_of(net.states))
    named = names.read(asked)
    after = net.do(named.actions) if named.actions else net
    try:
        return _answer(after, asked, names, named)
    except ImpossibleEvidenceError as error:
        if not named.actions:
            raise
        raise ImpossibleEvidenceError(f"{error} after do({', '.join(map(str, asked.actions))})") from None


def _answer(after: _StateNet, asked: Question, names: Names, named: Named) -> Any:
    """The answer of the net that interventions leave."""
    if asked.kind == "independent":
        return after.independent(named.targets, named.others, named.given)
    if asked.kind == "argmax":
        return after.map(named.targets, named.evidence) if named.targets else after.mpe(named.evidence)
    if named.states and asked.targets[0].relation == "=":
        return _probability(after, named)
    found = after.query(_one_or_all(named.targets), named.evidence)
    if named.states:
        return _compared(found, names, asked, named.states[0])
    return found if asked.kind == "P" else _expected(found, names, asked)


def answer_gaussian(net: _NumberNet, question: str | Question) -> Any:
    """The answer of a net of numbers: see ``GaussianNet.ask``."""
    asked = _parsed(question)
    if asked.kind not in ("P", "E"):
        raise QuestionError("a Gaussian net answers P(…) and E(…)", asked.text, 0)
    for term in asked.targets:
        if term.state is not None and term.relation == "=":
            reason = f"one value of a number has probability 0; ask P({term.name} | …) or P({term.name} > {term.state})"
            raise QuestionError(reason, asked.text, term.state.start)
    named = Names(asked.text, net.nodes, _number).read(asked)
    after = net.do(named.actions) if named.actions else net
    found = after.query(_one_or_all(named.targets), named.evidence)
    if named.states:
        return _compared_normal(found, asked.targets[0].relation, named.states[0])
    return found if asked.kind == "P" else found.mean


def read_assignments(net: _StateNet | _NumberNet, text: str) -> dict[Any, Any]:
    """The states that a text such as ``smoke=no, asia=yes`` gives to nodes; numbers in a net of numbers."""
    states = getattr(net, "states", None)
    find = _number if states is None else _states_of(states)
    return Names(text, net.nodes, find).states(parse_states(text))


def read_nodes(net: _StateNet | _NumberNet, text: str) -> list[Node]:
    """The nodes that a text such as ``lung, 'visit to Asia'`` names."""
    return list(Names(text, net.nodes, _number).by_node(parse_nodes(text)))


def _parsed(question: str | Question) -> Question:
    return question if isinstance(question, Question) else parse_question(question)


def _states_of(states: Mapping[Any, Sequence[State]]) -> Any:
    """Finds the state of a node that a word names."""

    def find(node: Node, text: str) -> State:
        index = index_named(text, states[node])
        if index is None:
            meant = closest(text, states[node])
            raise LookupError(f"{node!r} has no state {text!r}; its states are: {listed(states[node])}.{meant}")
        return states[node][index]

    return find


def _number(node: Node, text: str) -> float:
    number = number_of(text)
    if number is None:
        raise LookupError(f"the value of {node!r} is a number, not {text!r}")
    return number


def _one_or_all(targets: list[Node]) -> Any:
    return targets[0] if len(targets) == 1 else targets


def _probability(net: _StateNet, named: Named) -> float:
    """P(t₁, t₂, … | e) = P(t₁ | e) · P(t₂ | t₁, e) · …, which needs no joint table of the targets."""
    product, given = 1.0, dict(named.evidence)
    for node, state in zip(named.targets, named.states, strict=True):
        product *= net.query(node, given)[state]
        if product == 0:
            break
        given[node] = state
    return product


def _expected(found: Distribution, names: Names, asked: Question) -> float:
    """Σ s · P(s), of a node whose states are numbers."""
    return float(sum(number * p for number, p in _numbers(found, names, asked)))


def _compared(found: Distribution, names: Names, asked: Question, bound: float) -> float:
    """Σ P(s) over the numbers s for which the comparison holds."""
    holds = _RELATIONS[asked.targets[0].relation]
    return float(sum(p for number, p in _numbers(found, names, asked) if holds(number, bound)))


def _numbers(found: Distribution, names: Names, asked: Question) -> list[tuple[float, float]]:
    """The states as numbers, with their probabilities."""
    numbers = [(number, p) for state, p in found.items() if (number := _as_number(state)) is not None]
    if len(numbers) < len(found):
        reason = f"this needs states that are numbers; those of {found.node!r} are: {listed(found.states)}"
        raise names.error(asked.targets[0].name, reason)
    return numbers


def _as_number(state: State) -> float | None:
    """A state that is a number, or the text of one, as in files without types."""
    if isinstance(state, str):
        return number_of(state)
    return state if isinstance(state, int | float) and not isinstance(state, bool) else None


def _compared_normal(found: Normal, relation: Relation, bound: float) -> float:
    if not found.variance:
        return float(_RELATIONS[relation](found.mean, bound))
    return found.cdf(bound) if relation in ("<", "<=") else found.sf(bound)
