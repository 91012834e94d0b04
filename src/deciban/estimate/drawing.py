"""Drawing values: states by their probabilities, and numbers in bins."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from deciban.errors import InputTypeError, ParameterError
from deciban.read import MISSING_LABEL, Variable, object_array
from deciban.types import AnyArray, Codes, Floats, Ints

__all__ = [
    "Drawn",
    "DrawnLabels",
    "RandomState",
    "cumulative_ends",
    "draw_classes",
    "draw_codes",
    "draw_states",
    "drawn_table",
    "read_count",
    "read_lengths",
    "read_seed",
]


def cumulative_ends(table: Floats) -> Floats:
    """Cumulative sums along the last axis: state s is drawn where ends[s − 1] ≤ u < ends[s].

    They are 1 from the last possible state on, so that rounding never draws an impossible state.
    """
    ends = np.cumsum(table, axis=-1)
    # States after which nothing has a probability: a cumulative sum of 0.9999… would leave a share for them.
    beyond = np.cumsum(table[..., ::-1], axis=-1)[..., ::-1] - table <= 0
    ends[beyond] = 1.0
    return ends


def draw_codes(probabilities: Floats, y: Codes, rng: np.random.Generator) -> Codes:
    """A state for each row, given its class; `probabilities` are classes × states.

    >>> draw_codes(
    ...     np.array([[0.0, 1.0], [1.0, 0.0]]), np.array([0, 1, 0]), np.random.default_rng(0)
    ... ).tolist()
    [1, 0, 1]
    """
    uniform, out = rng.random(len(y)), np.zeros(len(y), dtype=np.int32)
    for j, ends in enumerate(cumulative_ends(probabilities)):
        rows = np.flatnonzero(y == j)
        out[rows] = np.searchsorted(ends, uniform[rows], side="right")
    return out


def draw_classes(prior: Floats, n: int, rng: np.random.Generator) -> Codes:
    """The codes of n classes, by their log priors."""
    return draw_codes(np.exp(prior)[None], np.zeros(n, dtype=np.int32), rng)


def draw_states(variable: Variable, logs: Floats, y: Codes, rng: np.random.Generator) -> Drawn:
    """A label for each row, given its class; `logs` are states × classes.

    The states of a coded variable that are not listed share the rest of the probability, evenly.
    A variable without states gives missing values.
    """
    listed, others = np.exp(logs).T, variable.size - len(variable)
    if not variable.size:
        return DrawnLabels(variable.labels, np.full(len(y), -1, dtype=np.int32))
    if not others:
        return DrawnLabels.of(variable.labels, draw_codes(listed, y, rng))
    rest = np.maximum(1.0 - listed.sum(axis=1, keepdims=True), 0.0)
    codes = draw_codes(np.concatenate([listed, rest], axis=1), y, rng)
    # The which-th code that is not listed: itself, and one more for each listed code below it.
    which = rng.integers(others, size=len(y))
    before = np.searchsorted(variable.labels - np.arange(len(variable)), which, side="right")
    return np.where(codes < len(variable), np.append(variable.labels, 0)[codes], which + before)


class DrawnLabels(NamedTuple):
    """Labels, and for each row the index of its label; −1 where the value is missing."""

    labels: AnyArray
    codes: Codes

    @classmethod
    def of(cls, labels: AnyArray, codes: Codes) -> Drawn:
        """The labels; numbers and booleans without missing values as an array of their own type."""
        values = labels.tolist()
        # The label of missing values leaves the list, and the codes after it move up.
        if MISSING_LABEL in values:
            at = values.index(MISSING_LABEL)
            codes = np.where(codes == at, -1, codes - (codes > at)).astype(np.int32)
            labels, values = np.delete(labels, at), [*values[:at], *values[at + 1 :]]
        plain = labels if labels.dtype.kind in "biuf" else _as_numbers(values)
        return cls(labels, codes) if plain is None or (codes < 0).any() else plain[codes]

    def values(self) -> AnyArray:
        """The label of each row; None where it is missing."""
        return object_array([*self.labels.tolist(), None])[self.codes]


Drawn = AnyArray | DrawnLabels
"""The values of a drawn column."""


def drawn_table(names: Sequence[str] | None, columns: Sequence[Drawn]) -> Any:
    """An Arrow table, whose labels are dictionaries; an array where the columns have no names.

    >>> (
    ...     drawn_table(["n"], [np.array([1.5, 2.5])]).to_pydict(),
    ...     drawn_table(None, [np.array([1.5, 2.5])]).tolist(),
    ... )
    ({'n': [1.5, 2.5]}, [[1.5], [2.5]])
    """
    if names is not None:
        from deciban.read.frame import arrow_table  # noqa: PLC0415  brings pyarrow, which takes long to load

        pairs = [tuple(drawn) if isinstance(drawn, DrawnLabels) else drawn for drawn in columns]
        return arrow_table(names, pairs)
    arrays = [drawn.values() if isinstance(drawn, DrawnLabels) else drawn for drawn in columns]
    kinds = {array.dtype.kind for array in arrays}
    # numpy would make text of numbers that stand beside text.
    are_mixed = len(kinds) > 1 and not kinds <= set("iuf")
    return np.column_stack([array.astype(object) for array in arrays] if are_mixed else arrays)


def _as_numbers(labels: Sequence[object]) -> AnyArray | None:
    """Labels as an array of numbers or of booleans; None where they are something else."""
    kinds = set(map(type, labels))
    if kinds and (kinds <= {int, float} or kinds == {bool}):
        numbers = np.array(labels)
        return numbers if numbers.dtype.kind in "biuf" else None
    return None


RandomState = int | np.random.Generator | None


def read_count(value: Any, name: str, least: int) -> int:
    """A whole number that is at least ``least``."""
    try:
        count = operator.index(value)
    except TypeError:
        raise InputTypeError(f"{name} is a whole number, not {value!r}") from None
    if count < least:
        raise ParameterError(f"{name} is at least {least}, not {count}")
    return count


def read_lengths(n_tokens: Any, rows: int, mean: float) -> Ints:
    """How many tokens each row has: as given, or the mean of the learned rows.

    >>> read_lengths(None, 2, 3.4).tolist(), read_lengths([1, 0], 2, 3.4).tolist()
    ([3, 3], [1, 0])
    """
    lengths = np.asarray(round(mean) if n_tokens is None else n_tokens)
    if lengths.dtype.kind not in "iu" or lengths.shape not in ((), (rows,)) or (lengths.size and lengths.min() < 0):
        raise ParameterError(f"n_tokens is a whole number from 0 on, or one for each of {rows} rows, not {n_tokens!r}.")
    return np.broadcast_to(lengths, rows).astype(np.int64)


def read_seed(random_state: Any) -> int:
    """A 64-bit seed from anything that NumPy and scikit-learn take as a random state."""
    # scikit-learn still takes numpy's old generators, which `default_rng` refuses.
    if isinstance(random_state, np.random.RandomState):
        random_state = int(random_state.randint(0, 2**31))
    try:
        return int(np.random.default_rng(random_state).integers(0, 2**64, dtype=np.uint64))
    except (TypeError, ValueError):
        raise InputTypeError(
            f"random_state is None, a whole number from 0 on or a NumPy Generator, not {random_state!r}"
        ) from None
