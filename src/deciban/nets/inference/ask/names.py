"""The nodes and states of a net that the words of a question name.

A word names the string that it is; else the number or the boolean that it reads as; else what prints as this word.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from deciban.errors import QuestionError
from deciban.nets.data.states import listed
from deciban.nets.graphs.base import Node
from deciban.nets.inference.ask.question import Question, Term, Word
from deciban.suggest import closest

__all__ = ["Named", "Names", "index_named", "number_of"]

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_BOOLEANS = {"true": True, "false": False}


def number_of(text: str) -> float | None:
    """The number that a word reads as, if it does.

    >>> number_of("1e3"), number_of("-.5"), number_of("nan"), number_of("1_000")
    (1000.0, -0.5, None, None)
    """
    return float(text) if _NUMBER.fullmatch(text) else None


def index_named(text: str, among: Sequence[Any]) -> int | None:
    """The index of the value that a word names, if there is one.

    >>> (
    ...     index_named("2", ["1", "2"]),
    ...     index_named("2.0", [1, 2]),
    ...     index_named("true", [False, True]),
    ... )
    (1, 1, 1)
    >>> index_named("1", [True, 1]), index_named("one", [1, 2])
    (1, None)
    """
    boolean, number = _BOOLEANS.get(text.lower()), number_of(text)

    def is_literal(value: Any) -> bool:
        if isinstance(value, bool):
            return value is boolean
        return isinstance(value, int | float) and value == number

    tests: tuple[Callable[[Any], bool], ...] = (
        lambda value: isinstance(value, str) and value == text,
        is_literal,
        lambda value: str(value) == text,
    )
    return next((index for test in tests for index, value in enumerate(among) if test(value)), None)


@dataclass(frozen=True)
class Named:
    """A question with the nodes and states of a net."""

    targets: list[Node]
    states: list[Any]
    evidence: dict[Any, Any] = field(default_factory=dict)
    actions: dict[Any, Any] = field(default_factory=dict)
    others: list[Node] = field(default_factory=list)
    given: list[Node] = field(default_factory=list)


@dataclass(frozen=True)
class Names:
    """Finds what the words of a question name; an error points at the word.

    Parameters
    ----------
    text
        The text of the question.
    nodes
        The nodes of the net.
    state
        The state of a node that a word names; a ``LookupError`` with the reason if there is none.
    """

    text: str
    nodes: Sequence[Node]
    state: Callable[[Node, str], Any]

    def read(self, question: Question) -> Named:
        """All words of a question."""
        if question.kind == "independent":
            return self._read_independence(question)
        targets, evidence = self.by_node(question.targets), self.by_node(question.evidence)
        for node in targets.keys() & evidence.keys():
            raise self.error(evidence[node].name, f"{node!r} is in question, so it cannot be observed too")
        stated = [self._target(node, term) for node, term in targets.items() if term.state is not None]
        observed, actions = self.states(question.evidence), self.states(question.actions)
        for node, state in actions.items():
            if observed.get(node, state) != state:
                reason = f"{node!r} is set to {state!r} by do(…), so it cannot be observed to be {observed[node]!r}"
                raise self.error(evidence[node].name, reason)
        return Named(list(targets), stated, observed, actions)

    def _target(self, node: Node, term: Term) -> Any:
        """The state of a target, or the number that it is compared with."""
        word = term.state or term.name
        if term.relation == "=":
            return self.value(node, word)
        number = number_of(word.text)
        if number is None:
            raise self.error(word, f"{node!r} is compared with a number, not with {word.text!r}")
        return number

    def _read_independence(self, question: Question) -> Named:
        sides = (question.targets, question.others, question.evidence)
        self.by_node(term for side in sides for term in side)
        left, right, given = ([self.node(term.name) for term in side] for side in sides)
        return Named(left, [], others=right, given=given)

    def states(self, terms: Iterable[Term]) -> dict[Any, Any]:
        """Node → state."""
        return {node: self.value(node, term.state or term.name) for node, term in self.by_node(terms).items()}

    def by_node(self, terms: Iterable[Term]) -> dict[Any, Term]:
        """The terms by their nodes, each of which may be named once."""
        found: dict[Any, Term] = {}
        for term in terms:
            node = self.node(term.name)
            if node in found:
                raise self.error(term.name, f"{node!r} is named twice")
            found[node] = term
        return found

    def node(self, word: Word) -> Node:
        """The node that a word names."""
        index = index_named(word.text, self.nodes)
        if index is None:
            known, meant = listed(self.nodes), closest(word.text, self.nodes)
            raise self.error(word, f"the net has no node {word.text!r}; its nodes are: {known}.{meant}")
        return self.nodes[index]

    def value(self, node: Node, word: Word) -> Any:
        """The state of a node that a word names."""
        try:
            return self.state(node, word.text)
        except LookupError as error:
            raise self.error(word, str(error.args[0])) from None

    def error(self, word: Word, reason: str) -> QuestionError:
        """An error that points at a word."""
        return QuestionError(reason, self.text, word.start)
