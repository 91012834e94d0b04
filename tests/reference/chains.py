"""What the kernels of chains compute (`core/chains`), value by value."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import log

from deciban.ties import exceeds

__all__ = ["best_strengths", "conditional_information", "entry", "mutual_information", "smoothed"]

Counts = Mapping[tuple[int, ...], Sequence[float]]
"""n(p_1, …, p_k, x) in each class, by the states of the parents and of x."""


def smoothed(
    counts: Counts, states: int, strengths: Sequence[float], values: Sequence[int], j: int, out: float
) -> float:
    """P_l(x | j, p_1 … p_l) for the values p_1, …, p_l, x, with l + 1 strengths.

    P_l = (n(x, j, p_1 … p_l) + s_l·P_(l−1)) / (n(j, p_1 … p_l) + s_l), and P_(−1) = (n(x) + 1) / (n + states of x).
    `out` is the weight of a row with these values that is left out, where there is one.
    """
    *parents, x = values
    if not strengths:
        n = sum(sum(of_class) for key, of_class in counts.items() if key[-1] == x)
        total = sum(sum(of_class) for of_class in counts.values())
        return (max(n - out, 0) + 1) / (max(total - out, 0) + states)
    inside = {key: of_class[j] for key, of_class in counts.items() if list(key[: len(parents)]) == parents}
    n, total = sum(v for key, v in inside.items() if key[-1] == x), sum(inside.values())
    if n == 0:
        out = 0.0
    s, below = strengths[-1], smoothed(counts, states, strengths[:-1], [*parents[:-1], x], j, out)
    return (max(n - out, 0) + s * below) / (max(total - out, 0) + s)


def entry(
    counts: Counts, sizes: Sequence[int], strengths: Sequence[float], values: Sequence[int], j: int, out: float = 0.0
) -> float:
    """log P of a row with these values; a value that equals its size is not known.

    The parents before the first that is not known are used; the evidence of an x that is not known is 0.
    """
    *parents, x = values
    if x == sizes[-1]:
        return 0.0
    known = next((i for i, v in enumerate(parents) if v == sizes[i]), len(parents))
    return log(smoothed(counts, sizes[-1], strengths[: known + 1], [*parents[:known], x], j, out))


def best_strengths(counts: Counts, sizes: Sequence[int], unit: float) -> list[float]:
    """For each level, the power of 2 that maximizes Σ n·log P_l without one row, found by climbing from 4."""
    chosen: list[float] = []
    for level in range(len(sizes)):
        tables: dict[tuple[int, ...], list[float]] = {}
        for key, of_class in counts.items():
            at = (*key[:level], key[-1])
            held = tables.setdefault(at, [0.0] * len(of_class))
            tables[at] = [a + b for a, b in zip(held, of_class, strict=True)]

        def likelihood(e: int, tables: Counts = tables) -> float:
            rules = [*chosen, 2.0**e]
            cells = ((key, j, n) for key, of_class in tables.items() for j, n in enumerate(of_class) if n > 0)
            return sum(n * log(smoothed(counts, sizes[-1], rules, list(key), j, unit)) for key, j, n in cells)

        rows = sum(sum(of_class) for of_class in tables.values())
        chosen.append(2.0 ** _climb(likelihood, 2, -2, 10, max(rows, 1.0)))
    return chosen


def _climb(value: Callable[[int], float], start: int, lowest: int, highest: int, scale: float) -> int:
    best, top = start, value(start)
    for step in (1, -1):
        first = best
        while lowest <= best + step <= highest and exceeds(value(best + step), top, scale):
            best += step
            top = value(best)
        if best != first:
            break
    return best


def mutual_information(table: Sequence[Sequence[float]]) -> float:
    """I(X; C) in nats, of state × class counts: the dependence of both within one class of all rows."""
    return conditional_information([[[n] for n in row] for row in table])


def conditional_information(table: Sequence[Sequence[Sequence[float]]]) -> float:
    """I(U; V | C) = Σ P(u, v, c)·log P(u, v | c) / (P(u | c)·P(v | c)), of u × v × class counts."""
    total = sum(n for of_u in table for of_v in of_u for n in of_v)
    found = 0.0
    for c in range(len(table[0][0])):
        of_class = [[of_v[c] for of_v in of_u] for of_u in table]
        whole, of_v = sum(map(sum, of_class)), [sum(column) for column in zip(*of_class, strict=True)]
        for row in of_class:
            found += sum(n * log(n * whole / (sum(row) * m)) for n, m in zip(row, of_v, strict=True) if n > 0)
    return found / total if total else 0.0
