r"""Questions to a net in the notation of the textbooks: their text, their meaning in a net, and their answers.

Interventions come first, then observations in the net that they leave: P(t | e, do(a)) is what the net after ``do(a)``
answers to P(t | e). The text becomes a ``Question`` by a tokenizer and a method for each rule of the grammar,

    question      = probability | expectation | most_probable | independence
    probability   = "P" "(" terms [ "|" conditions ] ")"
    expectation   = "E" "(" word [ "|" conditions ] ")"
    most_probable = "argmax" "P" "(" ( "*" | words ) [ "|" conditions ] ")"
    independence  = words ( "_||_" | "⊥" | "⫫" ) words [ "|" words ]
    conditions    = condition { "," condition }
    condition     = state | comparison | "do" "(" state { "," state } ")"
    terms         = words | state { "," state } | comparison
    words         = word { "," word }
    state         = word "=" word
    comparison    = word ( "<" | "<=" | ">" | ">=" ) word
    word          = bare | quoted

A bare word holds no spaces and none of ``( ) [ ] { } | , ; = < > * ' " \ ⊥ ⫫``. In a quoted word, within '…' or "…",
a backslash stands for the character after it. ``P``, ``E``, ``argmax`` and ``do`` may be the names of nodes too: only
what follows them makes them part of the notation.

Names and states are words, whatever they are in the net: a word names the string that it is; else the number or the
boolean that it reads as; else what prints as this word. Where a net has numbers, these are compared, ``P(x > 3)``, also
as conditions, ``P(rain | x > 3)``.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf, nextafter
from typing import Any, Literal, NoReturn, Protocol, Self, get_args

import numpy as np

from deciban.choices import closest
from deciban.errors import ImpossibleEvidenceError, QuestionError
from deciban.nets.graphs.graph import Node
from deciban.nets.inference.distribution import Completion, Distribution, JointDistribution
from deciban.nets.inference.evidence import Between, Targets
from deciban.nets.inference.mixture import MixedDistribution, Mixture, MultivariateMixture
from deciban.nets.inference.normal import MultivariateNormal, Normal
from deciban.nets.network import Evidence, State
from deciban.read import listed

__all__ = [
    "Question",
    "Term",
    "Word",
    "answer_gaussian",
    "answer_rows",
    "answer_states",
    "index_named",
    "parse_question",
    "parse_states",
    "read_assignments",
    "read_nodes",
]


_RELATIONS: Mapping[Relation, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


class _Net(Protocol):
    """What is needed of a net: see ``GaussianNet``, whose answers are normal distributions."""

    @property
    def nodes(self) -> tuple[Node, ...]: ...
    def do(self, actions: Evidence) -> Self: ...
    def query(self, targets: Node | list[Node], evidence: Evidence | None = None) -> Any: ...


class _StateNet(_Net, Protocol):
    """What is needed of a net of states: see ``BayesNet``."""

    @property
    def states(self) -> Mapping[Node, tuple[State, ...]]: ...
    def mpe(self, evidence: Evidence | None = None) -> Completion: ...
    def map(self, targets: Targets, evidence: Evidence | None = None) -> Completion: ...
    def independent(self, x: Targets, y: Targets, given: Targets = ()) -> bool: ...


NumberAnswer = Normal | MultivariateNormal | Mixture | MultivariateMixture | float
StateAnswer = Distribution | JointDistribution | Completion | bool | NumberAnswer | MixedDistribution


def answer_states(net: _StateNet, question: str | Question) -> StateAnswer:
    """The answer of a net of states: see ``BayesNet.ask``."""
    asked = question if isinstance(question, Question) else parse_question(question)
    numbers = frozenset(net.nodes) - frozenset(net.states)
    _refuse_values(asked, net.nodes, numbers)
    names = Names(asked.text, net.nodes, _states_of(net.states), numbers)
    named = names.read(asked)
    after = net.do(named.actions) if named.actions else net
    try:
        return _answer(after, asked, names, named)
    except ImpossibleEvidenceError as error:
        if not named.actions:
            raise
        # The evidence may be possible in the net itself, where a user would look for the contradiction.
        raise ImpossibleEvidenceError(f"{error} after do({', '.join(map(str, asked.actions))})") from None


def _answer(after: _StateNet, asked: Question, names: Names, named: Named) -> StateAnswer:
    """The answer of the net that interventions leave."""
    if asked.kind == "independent":
        return after.independent(named.targets, named.others, named.given)
    if asked.kind == "argmax":
        return after.map(named.targets, named.evidence) if named.targets else after.mpe(named.evidence)
    if named.states:
        return _probability(after, named)
    posterior = after.query(_one_or_all(named.targets), named.evidence)
    if isinstance(posterior, Normal | Mixture):
        return _of_number(posterior, asked, named.bound)
    return _of_states(posterior, asked, names, named)


def _of_states(posterior: Any, asked: Question, names: Names, named: Named) -> StateAnswer:
    """A distribution; or its mean or the probability of a comparison, for states that are numbers."""
    if named.bound is not None:  # Σ P(s) over the numbers s for which the comparison holds
        holds = _RELATIONS[asked.targets[0].relation]
        return float(sum(p for number, p in _numbers(posterior, names, asked) if holds(number, named.bound)))
    if asked.kind == "E":
        return float(sum(number * p for number, p in _numbers(posterior, names, asked)))
    answer: StateAnswer = posterior
    return answer


def _of_number(posterior: Normal | Mixture, asked: Question, bound: float | None) -> Normal | Mixture | float:
    """A distribution, its mean, or the probability of a comparison."""
    if bound is None:
        return posterior if asked.kind == "P" else posterior.mean
    relation = asked.targets[0].relation
    # "<" and "<=" differ where the bound itself has positive probability.
    at = nextafter(bound, -inf) if relation in ("<", ">=") else bound
    return posterior.cdf(at) if relation in ("<", "<=") else posterior.sf(at)


def answer_gaussian(net: _Net, question: str | Question) -> NumberAnswer:
    """The answer of a net of numbers: see ``GaussianNet.ask``."""
    asked = question if isinstance(question, Question) else parse_question(question)
    if asked.kind not in ("P", "E"):
        raise QuestionError("a Gaussian net answers P(…) and E(…)", asked.text, 0)
    _refuse_values(asked, net.nodes, net.nodes)
    named = Names(asked.text, net.nodes, _number, net.nodes).read(asked)
    after = net.do(named.actions) if named.actions else net
    posterior: Normal | Mixture | MultivariateNormal | MultivariateMixture = after.query(
        _one_or_all(named.targets), named.evidence
    )
    if isinstance(posterior, MultivariateNormal | MultivariateMixture):
        return posterior
    return _of_number(posterior, asked, named.bound)


def _refuse_values(asked: Question, nodes: Sequence[Node], numbers: Container[Node]) -> None:
    """An error for P(x = 3), if x is a number."""
    for term in asked.targets:
        index = index_named(term.name.text, nodes)
        if term.state is not None and term.relation == "=" and index is not None and nodes[index] in numbers:
            reason = f"one value of a number has probability 0; ask P({term.name} | …) or P({term.name} > {term.state})"
            raise QuestionError(reason, asked.text, term.state.start)


def read_assignments(net: _Net, text: str) -> dict[Node, State]:
    """The states that a text such as ``smoke=no, asia=yes`` gives to nodes, and numbers to those that are numbers."""
    return Names(text, net.nodes, _states_of(getattr(net, "states", {}))).states(parse_states(text))


def read_nodes(net: _Net, text: str) -> list[Node]:
    """The nodes that a text such as ``lung, 'visit to Asia'`` names."""
    return list(Names(text, net.nodes, _number).by_node(parse_nodes(text)))


def _states_of(states: Mapping[Node, tuple[State, ...]]) -> Callable[[Node, str], State]:
    """Finds the state of a node that a word names; the number, if the node has no states."""

    def find(node: Node, text: str) -> State:
        if node not in states:
            return _number(node, text)
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


def _one_or_all(targets: list[Node]) -> Node | list[Node]:
    return targets[0] if len(targets) == 1 else targets


def _probability(net: _StateNet, named: Named) -> float:
    """P(t₁, t₂, … | e) = P(t₁ | e) · P(t₂ | t₁, e) · …, which needs no joint table of the targets."""
    product, given = 1.0, dict(named.evidence)
    # An impossible state ends it: to condition on it would be an error, and the answer is 0 whatever follows.
    for node, state in zip(named.targets, named.states, strict=True):
        product *= net.query(node, given)[state]
        if product == 0:
            break
        given[node] = state
    return product


def _numbers(posterior: Distribution, names: Names, asked: Question) -> list[tuple[float, float]]:
    """The states as numbers, with their probabilities."""
    numbers = [(number, p) for state, p in posterior.items() if (number := _as_number(state)) is not None]
    if len(numbers) < len(posterior):
        reason = f"this needs states that are numbers; those of {posterior.node!r} are: {listed(posterior.states)}"
        raise names.error(asked.targets[0].name, reason)
    return numbers


def _as_number(state: State) -> float | None:
    """A state that is a number, or the text of one, as in files without types."""
    if isinstance(state, str):
        return number_of(state)
    return state if isinstance(state, int | float) and not isinstance(state, bool) else None


INDEPENDENT = "_||_"
BARE = r"""(?:(?!_\|\|_)[^\s()\[\]{}|,;=<>*'"\\⊥⫫])+"""
"""A word without quotes."""

Kind = Literal["P", "E", "argmax", "independent"]
Relation = Literal["=", "<", "<=", ">", ">="]


@dataclass(frozen=True)
class Word:
    r"""A name or a state, and the index of its first character in the text of the question.

    >>> str(Word("yes")), str(Word("not sure")), str(Word("Bob's"))
    ('yes', "'not sure'", "'Bob\\'s'")
    """

    text: str
    start: int = field(default=0, compare=False, repr=False)

    def __str__(self) -> str:
        if re.fullmatch(BARE, self.text):
            return self.text
        escaped = self.text.replace("\\", "\\\\").replace("'", "\\'")
        return f"'{escaped}'"


@dataclass(frozen=True)
class Term:
    """A node, a node in a state, or a comparison of a node with a number.

    >>> (
    ...     str(Term(Word("lung"))),
    ...     str(Term(Word("lung"), Word("yes"))),
    ...     str(Term(Word("age"), Word("40"), ">=")),
    ... )
    ('lung', 'lung=yes', 'age >= 40')
    """

    name: Word
    state: Word | None = None
    relation: Relation = "="

    def __str__(self) -> str:
        if self.state is None:
            return str(self.name)
        return f"{self.name}={self.state}" if self.relation == "=" else f"{self.name} {self.relation} {self.state}"


@dataclass(frozen=True)
class Question:
    """A question, as ``parse_question`` reads it; ``str`` writes a question with the same meaning.

    "P" asks for a distribution or the probability of states, "E" for an expected value, "argmax" for the most probable
    states, of all nodes if there are no targets; "independent" asks whether `targets` and `others` are independent
    given the nodes of `evidence`. `actions` are the states that are set by ``do``, `text` is what was read.
    """

    kind: Kind
    targets: tuple[Term, ...]
    evidence: tuple[Term, ...] = ()
    actions: tuple[Term, ...] = ()
    others: tuple[Term, ...] = ()
    text: str = field(default="", compare=False, repr=False)

    def __str__(self) -> str:
        given = ", ".join([*map(str, self.evidence), *([f"do({_joined(self.actions)})"] if self.actions else [])])
        tail = f" | {given}" if given else ""
        if self.kind == "independent":
            return f"{_joined(self.targets)} {INDEPENDENT} {_joined(self.others)}{tail}"
        head = "argmax P" if self.kind == "argmax" else self.kind
        return f"{head}({_joined(self.targets) or '*'}{tail})"


def _joined(terms: Iterable[Term]) -> str:
    return ", ".join(map(str, terms))


_TOKEN = re.compile(
    rf"""
    (?P<space>\s+)
    | (?P<independent>_\|\|_|⊥|⫫)
    | (?P<symbol><=|>=|[()|,=<>*])
    | (?P<bare>{BARE})
    | (?P<quoted>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")
    """,
    re.VERBOSE | re.DOTALL,
)
_FORMS = f"P(…), E(…), argmax P(…) or a {INDEPENDENT} b"
_EXAMPLE = "P(lung | xray=yes, do(smoke=no))"


def parse_question(text: str) -> Question:
    """Read a question; a ``QuestionError`` points at the first character that does not fit.

    >>> question = parse_question("P(lung | do(smoke=no), xray = 'yes')")
    >>> print(question)
    P(lung | xray=yes, do(smoke=no))
    >>> parse_question("P(lung | xray)")
    Traceback (most recent call last):
    ...
    deciban.errors.QuestionError: expected '=' and a state after 'xray', found ')'
      P(lung | xray)
                   ^
    """
    return _Parser(text).question()


def parse_states(text: str) -> tuple[Term, ...]:
    """Read states such as ``smoke=no, asia=yes``.

    >>> [str(term) for term in parse_states("smoke=no, 'visit to Asia' = yes")]
    ['smoke=no', "'visit to Asia'=yes"]
    """
    parser = _Parser(text)
    terms = parser.states()
    parser.expect_end()
    return terms


def parse_nodes(text: str) -> tuple[Term, ...]:
    """Read names of nodes such as ``lung, 'visit to Asia'``."""
    parser = _Parser(text)
    terms = parser.words()
    parser.expect_end()
    return terms


@dataclass(frozen=True)
class _Token:
    """A piece of the text: its kind ("word", "independent", a symbol, or "end"), its value and where it begins."""

    kind: str
    value: str
    start: int

    def __str__(self) -> str:
        return "the end" if self.kind == "end" else repr(self.value)


class _Parser:
    """Goes through the tokens once; each method reads one rule."""

    def __init__(self, text: str) -> None:
        if not isinstance(text, str):
            raise QuestionError(f"a question is a text such as {_EXAMPLE!r}, not {text!r}")
        self.text = text
        self.tokens = _tokens(text)
        self.next = 0

    def question(self) -> Question:
        # One token more is enough to tell ``P(…)`` from an independence of a node that is called P.
        first, second = self.tokens[0], self.tokens[min(1, len(self.tokens) - 1)]
        if first.kind == "end":
            self.fail(first, f"expected a question such as {_EXAMPLE}")
        if first.kind == "word" and second.kind == "(":
            made = self.function(first)
        elif first.kind == "word" and first.value == "argmax" and second.value == "P":
            self.next += 1
            made = self.call("argmax")
        else:
            made = self.independence()
        self.expect_end()
        return made

    def function(self, head: _Token) -> Question:
        """P(…) or E(…)."""
        if head.value in ("P", "E"):
            return self.call("P" if head.value == "P" else "E")
        meant = closest(head.value, ["P", "E"]) or f" A question is {_FORMS}."
        raise QuestionError(f"there is no {head.value}(…).{meant}", self.text, head.start)

    def call(self, kind: Kind) -> Question:
        """Targets and conditions in parentheses."""
        self.next += 1
        self.take("(")
        targets = self.targets(kind)
        evidence, actions = self.conditions() if self.skip("|") else ((), ())
        self.take(")")
        return Question(kind, targets, evidence, actions, text=self.text)

    def targets(self, kind: Kind) -> tuple[Term, ...]:
        if kind == "argmax" and self.skip("*"):
            return ()
        terms = [self.term()]
        while kind != "E" and self.skip(","):
            terms.append(self.term())
        stated = [term for term in terms if term.state is not None]
        if stated and kind != "P":
            self.reject(stated[0], f"{kind} takes nodes without states")
        compared = [term for term in terms if term.relation != "="]
        if compared and len(terms) > 1:
            self.reject(compared[0], "a comparison is a question of its own: leave out the other targets")
        if stated and len(stated) < len(terms):
            self.reject(stated[0], "give a state to every target or to none")
        return tuple(terms)

    def conditions(self) -> tuple[tuple[Term, ...], tuple[Term, ...]]:
        """Observed states, and states that are set."""
        evidence: list[Term] = []
        actions: list[Term] = []
        while True:
            if self.peek().value == "do" and self.peek(1).kind == "(":
                self.next += 2
                actions += self.states()
                self.take(")")
            else:
                evidence.append(self.condition())
            if not self.skip(","):
                return tuple(evidence), tuple(actions)

    def condition(self) -> Term:
        """A state, or a comparison of a number."""
        term = self.term()
        if term.state is None:
            self.fail(self.peek(), f"expected '=' and a state after {str(term.name)!r}")
        return term

    def independence(self) -> Question:
        left = self.words()
        if self.peek().kind == "end":
            shown = ", ".join(map(str, left))
            self.fail(self.peek(), f"to ask for {shown} write P({shown}); expected {INDEPENDENT}")
        if self.peek().kind != "independent":
            self.fail(self.peek(), f"a question is {_FORMS}: expected {INDEPENDENT} after {str(left[-1])!r}")
        self.next += 1
        right = self.words()
        given = self.words() if self.skip("|") else ()
        return Question("independent", left, given, others=right, text=self.text)

    def words(self) -> tuple[Term, ...]:
        return self.listed(lambda: Term(self.word("the name of a node")))

    def states(self) -> tuple[Term, ...]:
        return self.listed(self.stated)

    def listed(self, read: Callable[[], Term]) -> tuple[Term, ...]:
        """One or more terms with commas between them."""
        terms = [read()]
        while self.skip(","):
            terms.append(read())
        return tuple(terms)

    def stated(self) -> Term:
        term = Term(self.word("the name of a node"), self.word("a state") if self.skip("=") else None)
        if term.state is None:
            self.fail(self.peek(), f"expected '=' and a state after {str(term.name)!r}")
        return term

    def term(self) -> Term:
        name = self.word("the name of a node")
        for relation in get_args(Relation):
            if self.skip(relation):
                return Term(name, self.word("a state" if relation == "=" else "a number"), relation)
        return Term(name)

    def word(self, what: str) -> Word:
        token = self.peek()
        if token.kind != "word":
            self.fail(token, f"expected {what}")
        self.next += 1
        return Word(token.value, token.start)

    def peek(self, ahead: int = 0) -> _Token:
        return self.tokens[min(self.next + ahead, len(self.tokens) - 1)]

    def skip(self, kind: str) -> bool:
        """Whether the next token is of this kind; it is then read."""
        is_next = self.peek().kind == kind
        self.next += is_next
        return is_next

    def take(self, kind: str) -> None:
        if not self.skip(kind):
            self.fail(self.peek(), f"expected {kind!r}")

    def expect_end(self) -> None:
        if self.peek().kind != "end":
            self.fail(self.peek(), "expected the end")

    def fail(self, token: _Token, expected: str) -> NoReturn:
        raise QuestionError(f"{expected}, found {token}", self.text, token.start)

    def reject(self, term: Term, reason: str) -> NoReturn:
        raise QuestionError(reason, self.text, term.name.start)


def _tokens(text: str) -> list[_Token]:
    """The tokens of a text without its spaces, and a last one for its end."""
    tokens, index = [], 0
    while index < len(text):
        match = _TOKEN.match(text, index)
        if match is None:
            reason = f"{text[index]!r} is not part of the notation; write names and states that contain it in quotes"
            if text[index] in "'\"":  # a quoted word would have matched, had it an end
                reason = f"the quote {text[index]} is not closed"
            raise QuestionError(reason, text, index)
        kind, value = str(match.lastgroup), match[0]
        if kind == "quoted":
            kind, value = "word", re.sub(r"\\(.)", r"\1", value[1:-1], flags=re.DOTALL)
        if kind != "space":
            name = {"symbol": value, "bare": "word"}.get(kind, kind)
            tokens.append(_Token(name, value, index))
        index = match.end()
    return [*tokens, _Token("end", "", len(text))]


_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_BOOLEANS = {"true": True, "false": False}


def number_of(text: str) -> float | None:
    """The number that a word reads as, if it does.

    >>> number_of("1e3"), number_of("-.5"), number_of("nan"), number_of("1_000")
    (1000.0, -0.5, None, None)
    """
    return float(text) if _NUMBER.fullmatch(text) else None


def index_named(text: str, among: Sequence[object]) -> int | None:
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

    def is_literal(value: object) -> bool:
        if isinstance(value, bool):  # before the numbers: True == 1, but the word 1 is no boolean
            return value is boolean
        return isinstance(value, int | float) and value == number

    # In this order: a state "1" beside a state 1 is the one that is written so.
    tests: tuple[Callable[[object], bool], ...] = (
        lambda value: isinstance(value, str) and value == text,
        is_literal,
        lambda value: str(value) == text,
    )
    return next((index for test in tests for index, value in enumerate(among) if test(value)), None)


@dataclass(frozen=True)
class Named:
    """A question with the nodes and states of a net; `bound` is what a single target is compared with."""

    targets: list[Node]
    states: list[State] = field(default_factory=list)
    bound: float | None = None
    evidence: dict[Node, State] = field(default_factory=dict)
    actions: dict[Node, State] = field(default_factory=dict)
    others: list[Node] = field(default_factory=list)
    given: list[Node] = field(default_factory=list)


@dataclass(frozen=True)
class Names:
    """Finds what the words of a question name; an error points at the word.

    `state` gives the state of a node that a word names, or a ``LookupError`` with the reason if there is none. The
    `numbers` among the nodes can be compared in conditions.
    """

    text: str
    nodes: Sequence[Node]
    state: Callable[[Node, str], State]
    numbers: Container[Node] = ()

    def read(self, question: Question) -> Named:
        """All words of a question."""
        if question.kind == "independent":
            sides = (question.targets, question.others, question.evidence)
            self.by_node(term for side in sides for term in side)  # an error for a node on two of them
            left, right, given = ([self.node(term.name) for term in side] for side in sides)
            return Named(left, others=right, given=given)
        targets, evidence = self.by_node(question.targets), self.by_node(question.evidence)
        # That a number lies in an interval leaves the question of its value.
        for node in (node for node in targets if node in evidence and evidence[node].relation == "="):
            raise self.error(evidence[node].name, f"{node!r} is in question, so it cannot be observed too")
        stated: list[State] = []
        bound = None
        for node, term in targets.items():
            if term.state is not None and term.relation == "=":
                stated.append(self.value(node, term.state))
            elif term.state is not None:
                bound = self.bound(node, term.state)
        observed, actions = self.states(question.evidence), self.states(question.actions)
        # Observing a node in the state that it is set to says nothing new and is allowed; another state is impossible.
        for node, state in actions.items():
            if observed.get(node, state) != state:
                reason = f"{node!r} is set to {state!r} by do(…), so it cannot be observed to be {observed[node]!r}"
                raise self.error(evidence[node].name, reason)
        return Named(list(targets), stated, bound, observed, actions)

    def states(self, terms: Iterable[Term]) -> dict[Node, State]:
        """Node → state, or number; the interval that a comparison leaves to a number."""
        return {node: self.observed(node, term) for node, term in self.by_node(terms).items()}

    def observed(self, node: Node, term: Term) -> State:
        """What a condition says of a node."""
        word = term.state or term.name
        if term.relation == "=":
            return self.value(node, word)
        if node not in self.numbers:
            raise self.error(term.name, f"only numbers are compared in conditions; write {term.name}={word}")
        bound = self.bound(node, word)
        # low < x ≤ high: the next number below makes "≥" and "<" of these.
        end = nextafter(bound, -inf) if term.relation in ("<", ">=") else bound
        return Between(None, end) if term.relation in ("<", "<=") else Between(end, None)

    def bound(self, node: Node, word: Word) -> float:
        """The number with which a node is compared."""
        number = number_of(word.text)
        if number is None:
            raise self.error(word, f"{node!r} is compared with a number, not with {word.text!r}")
        return number

    def by_node(self, terms: Iterable[Term]) -> dict[Node, Term]:
        """The terms by their nodes, each of which may be named once."""
        term_of: dict[Node, Term] = {}
        for term in terms:
            node = self.node(term.name)
            if node in term_of:
                raise self.error(term.name, f"{node!r} is named twice")
            term_of[node] = term
        return term_of

    def node(self, word: Word) -> Node:
        """The node that a word names."""
        index = index_named(word.text, self.nodes)
        if index is None:
            known, meant = listed(self.nodes), closest(word.text, self.nodes)
            raise self.error(word, f"the net has no node {word.text!r}; its nodes are: {known}.{meant}")
        return self.nodes[index]

    def value(self, node: Node, word: Word) -> State:
        """The state of a node that a word names."""
        try:
            return self.state(node, word.text)
        except LookupError as error:
            raise self.error(word, str(error.args[0])) from None

    def error(self, word: Word, reason: str) -> QuestionError:
        """An error that points at a word."""
        return QuestionError(reason, self.text, word.start)


Row = dict[str, Any]
"""A value of each column, as it is printed or written as JSON."""


def answer_rows(question: Question, answer: StateAnswer | NumberAnswer) -> list[Row]:
    """The rows of an answer: a column for each node in question, and one for the value.

    The value is a ``probability``, an expected value (``expected``), a truth value (``independent``), or the ``mean``
    and ``sd`` of a normal distribution. The probability of the most probable states is that given the evidence.

    >>> from deciban.nets.inference.ask import parse_question
    >>> answer_rows(parse_question("P(rain)"), Distribution("rain", ("no", "yes"), [0.8, 0.2]))
    [{'rain': 'no', 'probability': 0.8}, {'rain': 'yes', 'probability': 0.2}]
    >>> answer_rows(parse_question("P(rain=yes)"), 0.2)
    [{'probability': 0.2}]
    """
    if isinstance(answer, Distribution):
        return [_row([answer.node], [state], p) for state, p in answer.items()]
    if isinstance(answer, JointDistribution):
        return [_row(answer.nodes, states, p) for states, p in answer.items()]
    if isinstance(answer, Completion):
        return [_row(answer, answer.values(), answer.posterior)]
    if isinstance(answer, Normal | Mixture):
        return [{"node": question.targets[0].name.text, "mean": answer.mean, "sd": answer.sd}]
    if isinstance(answer, MixedDistribution | MultivariateNormal | MultivariateMixture):
        return _joint_rows(answer)
    return [{{"P": "probability", "E": "expected"}.get(question.kind, question.kind): answer}]


def _joint_rows(answer: MixedDistribution | MultivariateNormal | MultivariateMixture) -> list[Row]:
    """A row for each number; of categories and numbers one for each configuration of the categories."""
    rows: list[Row] = []
    if isinstance(answer, MixedDistribution):
        for states, mixture in answer.items():
            rows.append({**_row(answer.categories, states, answer.probabilities[states]), **_number_columns(mixture)})
        return rows
    for node, covariances in zip(answer.nodes, answer.covariance.tolist(), strict=True):
        shared = {f"covariance with {name}": value for name, value in zip(answer.nodes, covariances, strict=True)}
        rows.append({"node": str(node), "mean": answer[node].mean, "sd": answer[node].sd, **shared})
    return rows


def _number_columns(mixture: MultivariateMixture) -> Row:
    """The mean and standard deviation of each number."""
    sd = np.sqrt(np.diag(mixture.covariance)).tolist()
    out: Row = {}
    for node, mean, one in zip(mixture.nodes, mixture.mean.tolist(), sd, strict=True):
        out |= {f"mean of {node}": mean, f"sd of {node}": one}
    return out


def _row(nodes: Iterable[Node], states: Iterable[State], probability: float) -> Row:
    row: Row = {str(node): state for node, state in zip(nodes, states, strict=True)}
    value = "probability"
    while value in row:  # a node may have this name
        value += "_"
    return {**row, value: probability}
