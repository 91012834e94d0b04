"""A summary of a fit in words."""

from __future__ import annotations

from deciban.choices import counted
from deciban.nets.learning.em import EMTrace
from deciban.nets.learning.fit import TableFit

__all__ = ["report"]

_MOST_LINES = 20


def report(fit: TableFit) -> str:
    """The rows, the smoothing, the result of EM, and the nodes with configurations of parents that do not occur."""
    unseen = fit.unseen_parents
    used = {str(rule) for rule in fit.rules.values()}
    lines = [
        repr(fit.tally),
        f"smoothing: {used.pop() if len(used) == 1 else 'different for each node'}",
        *([_em_line(fit.trace)] if fit.trace is not None else []),
        f"configurations of parents that do not occur: {unseen.count:,} of {unseen.possible:,} "
        f'(unseen_parents="{fit.settings.unseen_parents}")',
    ]
    worst = sorted(unseen.values(), key=lambda rows: -len(rows))
    for rows in worst[:_MOST_LINES]:
        shown = ", ".join(f"{parent}={state}" for parent, state in rows[0].items()) or "no row"
        lines.append(f"  {rows.node}: {len(rows):,} of {rows.possible:,}, such as {shown}")
    if len(worst) > _MOST_LINES:
        lines.append(f"  and {counted(len(worst) - _MOST_LINES, 'more node')}")
    return "\n".join(lines)


def _em_line(trace: EMTrace) -> str:
    end = "converged" if trace.is_converged else "not converged: raise max_iter"
    return (
        f"expectation maximization: {counted(trace.iterations, 'iteration')}, "
        f"log-likelihood {trace.log_likelihoods[-1]:.6g}, {end}"
    )
