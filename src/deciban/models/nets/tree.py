"""The tables of a tree-augmented model, and how rows are scored by them, with or without gaps.

Rows without gaps are sums of table look-ups. In the others the missing values are summed out from the leaves up: a
column passes to its parent, for each of the parent's values u, how likely what is known below is,

    m(u) = Σ_v P(v | u, j)·Π_children m_child(v),

with only its own value in the sum where that is known (Pearl, 1988).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from deciban.estimate import Smoothing, backed_off_logs, column_logs
from deciban.tallies import Crossed
from deciban.tallies.kernels import aligned, padded, score_table
from deciban.types import Codes, Floats

__all__ = ["TreeTables"]

_CHUNK = 1 << 21


class TreeTables:
    """log P(v | parent, class) of each column, for states that were seen and one that was not."""

    def __init__(self, part: Crossed, parents: dict[int, int], smoothing: Smoothing, strength: float) -> None:
        self.parents = parents  # parents before children
        self._columns = len(part.counts)
        self._classes = part.classes
        self._sizes = [len(variable) for variable in part.variables]
        self._alone = {i: column_logs(part.counts[i], smoothing) for i in parents}
        counted = dict(part.tables())
        self._logs = {i: self._given(counted, i, strength) for i in parents}
        self._packed = self._pack()

    def score(self, codes: Codes) -> Floats:
        """log P(row | class): rows × classes."""
        out = np.zeros((len(codes), self._classes))
        if not self.parents:
            return out
        gaps = (codes[:, list(self.parents)] < 0).any(axis=1)
        if not gaps.all():
            out[~gaps] = self._score_whole(codes[~gaps])
        if gaps.any():
            out[gaps] = self._score_gaps(codes[gaps])
        return out

    def weigh(self, codes: Codes) -> Floats:
        """What each column adds to those above it in the tree: rows × columns × classes."""
        out = np.zeros((len(codes), self._columns, self._classes))
        gaps = (codes[:, list(self.parents)] < 0).any(axis=1)
        whole = ~gaps
        for i, parent in self.parents.items():
            above = np.zeros_like(codes[whole, i]) if parent < 0 else codes[whole, parent]
            out[whole, i] = self._logs[i][above, codes[whole, i]]
        if gaps.any():
            out[gaps] = self._weigh_gaps(codes[gaps])
        return out

    def _given(self, counted: dict[tuple[int, ...], Floats], i: int, strength: float) -> Floats:
        """Parent's states and one unseen × states and one unseen × classes; of the root, one parent's state."""
        parent = self.parents[i]
        if parent < 0:
            return self._alone[i][None]
        pair = (parent, i) if parent < i else (i, parent)
        table = counted[pair] if parent < i else np.swapaxes(counted[pair], 0, 1)
        logs = backed_off_logs(table, self._alone[i], strength)
        return np.concatenate([logs, self._alone[i][None]])  # of an unseen parent nothing is known

    def _pack(self) -> Floats:
        """The tables one below the other, each with the two rows more that `score_table` wants."""
        rows = [logs.shape[0] * logs.shape[1] for logs in self._logs.values()]
        out = aligned((sum(rows) + 2 * len(rows), padded(self._classes)))
        start = 0
        for logs, size in zip(self._logs.values(), rows, strict=True):
            out[start : start + size, : self._classes] = logs.reshape(size, self._classes)
            start += size + 2
        return out

    def _score_whole(self, codes: Codes) -> Floats:
        columns, sizes = [], []
        for i, parent in self.parents.items():
            above, width = (0, self._sizes[i] + 1) if parent < 0 else (codes[:, parent], self._sizes[i] + 1)
            columns.append(np.ascontiguousarray(above * np.int32(width) + codes[:, i], dtype=np.int32))
            sizes.append(self._logs[i].shape[0] * width)
        nothing = np.zeros(self._classes)
        scores, _ = score_table(columns, nothing, self._packed, np.array(sizes), "joint", missing_allowed=False)
        return scores

    def _score_gaps(self, codes: Codes) -> Floats:
        widest = max(logs.shape[0] for logs in self._logs.values()) * self._classes * (len(self.parents) + 1)
        step = max(1, _CHUNK // widest)
        parts = [self._summed_out(codes[first : first + step]) for first in range(0, len(codes), step)]
        return np.concatenate(parts)

    def _summed_out(self, codes: Codes) -> Floats:
        below: dict[int, list[Floats]] = {i: [] for i in self.parents}
        out = np.zeros((len(codes), self._classes))
        for i in reversed(self.parents):
            message = self._message(i, codes[:, i], below.pop(i))
            if self.parents[i] < 0:
                out += message[:, 0]
            else:
                below[self.parents[i]].append(message)
        return out

    def _message(self, i: int, codes: Codes, below: Sequence[Floats]) -> Floats:
        """log m(u): rows × the parent's states × classes."""
        logs = self._logs[i]
        known = np.flatnonzero(codes >= 0)
        gaps = np.flatnonzero(codes < 0)
        out = np.empty((len(codes), logs.shape[0], self._classes))
        own = logs[:, codes[known]].transpose(1, 0, 2)
        out[known] = own + sum((message[known, codes[known]][:, None] for message in below), np.zeros(1))
        if len(gaps) and below:
            out[gaps] = _sum_out(logs[:, :-1], sum((message[gaps, :-1] for message in below), np.zeros(1)))
        else:
            out[gaps] = 0.0  # nothing is known below, so all of it sums to 1
        return out

    def _weigh_gaps(self, codes: Codes) -> Floats:
        """By the chain rule: what is known up to a column, less what is known before it."""
        out = np.zeros((len(codes), self._columns, self._classes))
        shown = np.full_like(codes, -1)
        before = np.zeros((len(codes), self._classes))
        for i in self.parents:
            shown[:, i] = codes[:, i]
            now = self._score_gaps(shown)
            with np.errstate(invalid="ignore"):
                out[:, i] = np.where(np.isneginf(before), 0.0, now - before)
            before = now
        return out


def _sum_out(logs: Floats, below: Floats) -> Floats:
    """log Σ_v exp (logs[u, v, j] + below[row, v, j]), without the four axes at once."""
    largest = below.max(axis=1, keepdims=True)
    largest = np.where(np.isneginf(largest), 0.0, largest)
    with np.errstate(divide="ignore"):
        return np.log(np.einsum("uvj,rvj->ruj", np.exp(logs), np.exp(below - largest))) + largest
