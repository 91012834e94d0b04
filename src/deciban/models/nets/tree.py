"""The tables of a tree-augmented model, and how they score rows with or without missing values.

The score of a complete row is a sum of table lookups. In other rows the missing values are summed out from the leaves
up: a column sends a message to its parent, the likelihood of the known values below for each of the parent's values u,

    m(u) = Σ_v P(v | u, j)·Π_children m_child(v),

with only its own value in the sum where that is known (Pearl, 1988).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from deciban.estimate import Smoothing
from deciban.models.nets.back_off import BackOff, Strength
from deciban.tallies import Crossed
from deciban.tallies.kernels import aligned, padded, score_table
from deciban.types import Codes, Floats

__all__ = ["TreeTables"]

_CHUNK = 1 << 21


class TreeTables:
    """log P(v | parent, class) of each column, for the states of fit and one unseen state."""

    def __init__(
        self,
        part: Crossed,
        parents: dict[int, int],
        smoothing: Smoothing,
        strength: Strength,
        like: BackOff | None = None,
    ) -> None:
        self.parents = parents  # parents before children
        self.back_off = BackOff(part, smoothing, strength, like)
        self._columns = len(part.counts)
        self._classes = part.classes
        self._sizes = [len(variable) for variable in part.variables]
        self.logs = {i: self._given(i) for i in parents}
        self._packed = self._pack()

    def score(self, codes: Codes) -> Floats:
        """log P(row | class): rows × classes."""
        out = np.zeros((len(codes), self._classes))
        if not self.parents:
            return out
        missing = (codes[:, list(self.parents)] < 0).any(axis=1)
        if not missing.all():
            out[~missing] = self._score_whole(codes[~missing])
        if missing.any():
            out[missing] = self._score_incomplete(codes[missing])
        return out

    def weigh(self, codes: Codes) -> Floats:
        """The evidence of each column given its parent: rows × columns × classes."""
        out = np.zeros((len(codes), self._columns, self._classes))
        missing = (codes[:, list(self.parents)] < 0).any(axis=1)
        whole = ~missing
        for i, parent in self.parents.items():
            above = np.zeros_like(codes[whole, i]) if parent < 0 else codes[whole, parent]
            out[whole, i] = self.logs[i][above, codes[whole, i]]
        if missing.any():
            out[missing] = self._weigh_incomplete(codes[missing])
        return out

    def _given(self, i: int) -> Floats:
        """Parent's states and one unseen × states and one unseen × classes; of the root, one parent's state."""
        parent, alone = self.parents[i], self.back_off.alone[i][None]
        if parent < 0:
            return alone
        return np.concatenate([self.back_off.logs((parent,), i), alone])  # an unseen parent: P(v | class)

    def _pack(self) -> Floats:
        """All tables in one, each with the two further rows that `score_table` needs."""
        rows = [logs.shape[0] * logs.shape[1] for logs in self.logs.values()]
        out = aligned((sum(rows) + 2 * len(rows), padded(self._classes)))
        start = 0
        for logs, size in zip(self.logs.values(), rows, strict=True):
            out[start : start + size, : self._classes] = logs.reshape(size, self._classes)
            start += size + 2
        return out

    def _score_whole(self, codes: Codes) -> Floats:
        columns, sizes = [], []
        for i, parent in self.parents.items():
            above, width = (0, self._sizes[i] + 1) if parent < 0 else (codes[:, parent], self._sizes[i] + 1)
            columns.append(np.ascontiguousarray(above * np.int32(width) + codes[:, i], dtype=np.int32))
            sizes.append(self.logs[i].shape[0] * width)
        nothing = np.zeros(self._classes)
        scores, _ = score_table(columns, nothing, self._packed, np.array(sizes), "joint", missing_allowed=False)
        return scores

    def _score_incomplete(self, codes: Codes) -> Floats:
        widest = max(logs.shape[0] for logs in self.logs.values()) * self._classes * (len(self.parents) + 1)
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
        logs = self.logs[i]
        known = np.flatnonzero(codes >= 0)
        missing = np.flatnonzero(codes < 0)
        out = np.empty((len(codes), logs.shape[0], self._classes))
        own = logs[:, codes[known]].transpose(1, 0, 2)
        out[known] = own + sum((message[known, codes[known]][:, None] for message in below), np.zeros(1))
        if len(missing) and below:
            out[missing] = _sum_out(logs[:, :-1], sum((message[missing, :-1] for message in below), np.zeros(1)))
        else:
            out[missing] = 0.0  # no value below is known, so the sum is 1
        return out

    def _weigh_incomplete(self, codes: Codes) -> Floats:
        """By the chain rule: the log-likelihood of the columns up to one, minus that of the columns before it."""
        out = np.zeros((len(codes), self._columns, self._classes))
        known = np.full_like(codes, -1)
        before = np.zeros((len(codes), self._classes))
        for i in self.parents:
            known[:, i] = codes[:, i]
            now = self._score_incomplete(known)
            with np.errstate(invalid="ignore"):
                out[:, i] = np.where(np.isneginf(before), 0.0, now - before)
            before = now
        return out


def _sum_out(logs: Floats, below: Floats) -> Floats:
    """log Σ_v exp (logs[u, v, j] + below[row, v, j]), without an array of all four axes."""
    largest = below.max(axis=1, keepdims=True)
    largest = np.where(np.isneginf(largest), 0.0, largest)
    with np.errstate(divide="ignore"):
        return np.log(np.einsum("uvj,rvj->ruj", np.exp(logs), np.exp(below - largest))) + largest
