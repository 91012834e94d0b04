"""What a fitted net has to say of its tables, in words."""

from __future__ import annotations

from collections.abc import Mapping

from deciban.nets.graphs.base import Node
from deciban.nets.learning.em import EMTrace
from deciban.nets.learning.families import FamilyTally
from deciban.nets.learning.tables import Rule
from deciban.nets.learning.unseen import Unseen

__all__ = ["report"]

_MOST_LINES = 20


def report(tally: FamilyTally, rules: Mapping[Node, Rule], unseen: str, trace: EMTrace | None) -> str:
    """Rows, smoothing, how a climb ended, and each node with configurations that were never counted."""
    never = Unseen(tally)
    used = {str(rule) for rule in rules.values()}
    lines = [
        repr(tally),
        f"smoothing: {used.pop() if len(used) == 1 else 'node by node'}",
        *([_climb(trace)] if trace is not None else []),
        f'never counted: {never.count:,} of {never.possible:,} configurations of parents (unseen="{unseen}")',
    ]
    worst = sorted(never.values(), key=lambda rows: -len(rows))
    for rows in worst[:_MOST_LINES]:
        shown = ", ".join(f"{parent}={state}" for parent, state in rows[0].items()) or "no row at all"
        lines.append(f"  {rows.node}: {len(rows):,} of {rows.possible:,}, such as {shown}")
    if len(worst) > _MOST_LINES:
        lines.append(f"  and {len(worst) - _MOST_LINES} more nodes")
    return "\n".join(lines)


def _climb(trace: EMTrace) -> str:
    end = "converged" if trace.is_converged else "not converged: raise max_iter"
    return f"expectation maximization: {trace.turns} turns, log-likelihood {trace.log_likelihoods[-1]:.6g}, {end}"
