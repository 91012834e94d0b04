"""Evidence that sums to the log-odds, and ways to show it."""

from deciban.explain.document import DocumentExplanation, TokenReason
from deciban.explain.evidence import Evidence
from deciban.explain.explanation import Explanation, Reason, explain
from deciban.explain.nomogram import Nomogram, Scale
from deciban.explain.shading import Mark
from deciban.explain.tokens import TopTokens

__all__ = [
    "DocumentExplanation",
    "Evidence",
    "Explanation",
    "Mark",
    "Nomogram",
    "Reason",
    "Scale",
    "TokenReason",
    "TopTokens",
    "explain",
]
