"""Evidence that sums to the log-odds, and ways to show it."""

from deciban.explain.document import DocumentExplanation, Mark, TokenReason
from deciban.explain.evidence import Evidence
from deciban.explain.explanation import Explanation, FactorExplanation, MeanExplanation, Reason, conditioned, explain
from deciban.explain.nomogram import Nomogram, Scale
from deciban.explain.tokens import TopTokens

__all__ = [
    "DocumentExplanation",
    "Evidence",
    "Explanation",
    "FactorExplanation",
    "Mark",
    "MeanExplanation",
    "Nomogram",
    "Reason",
    "Scale",
    "TokenReason",
    "TopTokens",
    "conditioned",
    "explain",
]
