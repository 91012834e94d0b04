"""Answers as rows: what tables and JSON show of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from deciban.nets.graphs.base import Node
from deciban.nets.inference.ask.question import Question
from deciban.nets.inference.distribution import Completion, Distribution, JointDistribution
from deciban.nets.inference.normal import MultivariateNormal, Normal

__all__ = ["answer_rows"]

Row = dict[str, Any]


def answer_rows(question: Question, answer: Any) -> list[Row]:
    """The rows of an answer: a column for each node in question, and one for the value.

    The value is a ``probability``, an expected value (``expected``), a truth value (``independent``), or the ``mean``
    and ``sd`` of a normal distribution. The probability of the most probable states is that given the evidence.

    >>> from deciban.nets.inference.ask.parser import parse_question
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
    if isinstance(answer, Normal):
        return [{"node": question.targets[0].name.text, "mean": answer.mean, "sd": answer.sd}]
    if isinstance(answer, MultivariateNormal):
        return _normal_rows(answer)
    return [{{"P": "probability", "E": "expected"}.get(question.kind, question.kind): answer}]


def _row(nodes: Iterable[Node], states: Iterable[Any], probability: float) -> Row:
    row = {str(node): state for node, state in zip(nodes, states, strict=True)}
    value = "probability"
    while value in row:  # a node may have this name
        value += "_"
    return {**row, value: probability}


def _normal_rows(answer: MultivariateNormal) -> list[Row]:
    """A row for each node, with its covariance with each of them."""
    rows = []
    for node, own in zip(answer.nodes, answer.covariance, strict=True):
        shared = {f"covariance with {other}": float(value) for other, value in zip(answer.nodes, own, strict=True)}
        rows.append({"node": str(node), "mean": answer[node].mean, "sd": answer[node].sd, **shared})
    return rows
