r"""From the text of a question to a ``Question``: a tokenizer, and a function for each rule of the grammar.

    question      = probability | expectation | most_probable | independence
    probability   = "P" "(" terms [ "|" conditions ] ")"
    expectation   = "E" "(" word [ "|" conditions ] ")"
    most_probable = "argmax" "P" "(" ( "*" | words ) [ "|" conditions ] ")"
    independence  = words ( "_||_" | "⊥" | "⫫" ) words [ "|" words ]
    conditions    = condition { "," condition }
    condition     = state | "do" "(" state { "," state } ")"
    terms         = words | state { "," state } | comparison
    words         = word { "," word }
    state         = word "=" word
    comparison    = word ( "<" | "<=" | ">" | ">=" ) word
    word          = bare | quoted

A bare word holds no spaces and none of ``( ) [ ] { } | , ; = < > * ' " \ ⊥ ⫫``. In a quoted word, within '…' or "…",
a backslash stands for the character after it. ``P``, ``E``, ``argmax`` and ``do`` may be the names of nodes too: only
what follows them makes them part of the notation.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NoReturn, get_args

from deciban.errors import QuestionError
from deciban.nets.inference.ask.question import BARE, INDEPENDENT, Kind, Question, Relation, Term, Word
from deciban.suggest import closest

__all__ = ["parse_nodes", "parse_question", "parse_states"]

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
        if head.value == "P":
            return self.call("P")
        if head.value == "E":
            return self.call("E")
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
        found = [self.term()]
        while kind != "E" and self.skip(","):
            found.append(self.term())
        stated = [term for term in found if term.state is not None]
        if stated and kind != "P":
            self.reject(stated[0], f"{kind} takes nodes without states")
        compared = [term for term in found if term.relation != "="]
        if compared and len(found) > 1:
            self.reject(compared[0], "a comparison is a question of its own: leave out the other targets")
        if stated and len(stated) < len(found):
            self.reject(stated[0], "give a state to every target or to none")
        return tuple(found)

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
                evidence.append(self.stated())
            if not self.skip(","):
                return tuple(evidence), tuple(actions)

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
        found = [Term(self.word("the name of a node"))]
        while self.skip(","):
            found.append(Term(self.word("the name of a node")))
        return tuple(found)

    def states(self) -> tuple[Term, ...]:
        found = [self.stated()]
        while self.skip(","):
            found.append(self.stated())
        return tuple(found)

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
        found = self.peek().kind == kind
        self.next += found
        return found

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
    found, index = [], 0
    while index < len(text):
        match = _TOKEN.match(text, index)
        if match is None:
            raise QuestionError(_unreadable(text[index]), text, index)
        kind, value = str(match.lastgroup), match[0]
        if kind == "quoted":
            kind, value = "word", re.sub(r"\\(.)", r"\1", value[1:-1], flags=re.DOTALL)
        if kind != "space":
            name = {"symbol": value, "bare": "word"}.get(kind, kind)
            found.append(_Token(name, value, index))
        index = match.end()
    return [*found, _Token("end", "", len(text))]


def _unreadable(character: str) -> str:
    if character in "'\"":
        return f"the quote {character} is not closed"
    return f"{character!r} is not part of the notation; write names and states that contain it in quotes"
