"""A question to a net as a value: what is asked for, the observed states, and the states that are set.

Names and states are words, whatever they are in the net: the text ``1`` may be the number or the string.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

__all__ = ["BARE", "INDEPENDENT", "Kind", "Question", "Relation", "Term", "Word"]

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
    """A question, as ``parse_question`` reads it; its text is that of a question with the same meaning.

    Attributes
    ----------
    kind
        ``"P"``: a distribution, or the probability of states; ``"E"``: an expected value; ``"argmax"``: the most
        probable states; ``"independent"``: whether `targets` and `others` are independent.
    targets
        The nodes in question; none for the most probable states of all nodes.
    others
        Of an independence, the nodes on its right side.
    evidence
        The observed states; of an independence, the nodes that are given.
    actions
        The states that are set by ``do``.
    text
        The text that was read.
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
