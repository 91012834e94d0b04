"""Evidence that sums to the log-odds, and ways to show it."""

from deciban.explain.evidence import Evidence
from deciban.explain.explanation import Explanation, Reason, explain

__all__ = ["Evidence", "Explanation", "Reason", "explain"]
