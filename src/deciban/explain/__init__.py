"""Evidence that sums to the log-odds, and ways to show it."""

from deciban.explain.evidence import Evidence
from deciban.explain.explanation import Explanation, Reason, explain
from deciban.explain.nomogram import Nomogram, Scale

__all__ = ["Evidence", "Explanation", "Nomogram", "Reason", "Scale", "explain"]
