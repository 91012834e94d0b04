"""Rows as the kernels of nets need them: categories as codes, or numbers.

The order of the variables is that of the nodes, or, where a whole table is read, that of the names of its columns: the
order of the names settles every tie and every sum, so the order of the columns changes nothing.

The rows that a net is fitted on: codes for the tables of a ``BayesNet``, numbers for a ``GaussianNet``.

A column belongs to the node of its name, and other columns are not read. A node without a column is an error, unless
it is hidden: its values were never observed, and only the number of its states is known.

Bootstrap samples as weights: rows are reweighted, not copied.

A draw of n rows with replacement is a vector of multinomial weights. A row that is drawn twice is not two independent
rows: without a correction, χ² of independent variables would be about twice what it should be, and scores would prefer
graphs with too many edges (Steck and Jaakkola, 2003). So the weights are scaled to the effective sample size (Kish,
1965):

    n_eff = (Σ w)² / Σ w²
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, get_args

import numpy as np

from deciban.errors import InputError, InputTypeError, MissingValueError, ParameterError, UnseenStateError
from deciban.nets.data.centred import has_missing
from deciban.nets.data.kinds import Reads, check_category, check_part
from deciban.nets.data.node_rows import Rows, read_rows
from deciban.nets.data.states import UNSEEN, declared_states, distinct_values, state_codes
from deciban.nets.graphs.graph import Node
from deciban.read import MISSING, Column, Variable, listed
from deciban.types import AnyArray, Floats, Ints

__all__ = [
    "CodedSample",
    "FitMissing",
    "NumberSample",
    "bootstrap_weights",
    "check_numbers",
    "code_rows",
    "narrowest",
    "number_rows",
    "numbers_of_labels",
    "read_number_sample",
    "read_sample",
    "unsigned",
]


_LARGEST = 1e150
"""Numbers whose squares can still be summed."""


class WeightedRows(ABC):
    """The rows of a table, each of which may stand for several."""

    sample_weight: Floats | None

    @abstractmethod
    def __len__(self) -> int: ...

    @property
    def total(self) -> float | int:
        """The number of rows, or the sum of their weights."""
        return len(self) if self.sample_weight is None else float(self.sample_weight.sum())


@dataclass(frozen=True, eq=False)
class CodedSample(WeightedRows):
    """A table of categories as codes, as tests and scores read it.

    Attributes
    ----------
    names : tuple
        The variables, in the order of the codes.
    states : mapping
        Variable → its states.
    codes : array, variables × rows
        Indices into the states; −1 where the value is missing.
    sample_weight : array or None
        How many rows each row stands for; None for one each.
    columns : tuple
        The variables in the order of the table's columns.
    hidden : tuple
        The variables that have no column, so that all their values are missing.
    dropped : int
        How many rows were left out because of a missing value.
    notes : tuple of str
        How columns were read that could be read in another way.

    See Also
    --------
    NumberSample : The same of numbers.
    DataTest.sample : The sample of a test.

    Examples
    --------
    >>> from deciban.nets import GSquared
    >>> sample = GSquared({"sky": ["sun", "rain", None], "wet": [0, 1, 1]}).sample
    >>> sample.names, sample.codes.tolist(), sample.sizes.tolist()
    (('sky', 'wet'), [[1, 0, -1], [0, 1, 1]], [2, 2])
    """

    reads: ClassVar[Reads] = "categories"
    names: tuple[Any, ...]
    states: Mapping[Node, Variable]
    codes: AnyArray
    sample_weight: Floats | None = None
    columns: tuple[Any, ...] = ()
    hidden: tuple[Node, ...] = ()
    dropped: int = 0
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return int(self.codes.shape[1])

    @property
    def sizes(self) -> Ints:
        """The number of states of each variable."""
        return np.array([len(self.states[name]) for name in self.names], dtype=np.int64)


@dataclass(frozen=True, eq=False)
class NumberSample(WeightedRows):
    """A table of numbers, as tests and scores read it.

    Attributes
    ----------
    names : tuple
        The variables, in the order of the values.
    values : array, rows × variables
        The numbers; NaN where one is missing.
    sample_weight : array or None
        How many rows each row stands for; None for one each.
    columns : tuple
        The variables in the order of the table's columns.
    dropped : int
        How many rows were left out because of a missing value.
    notes : tuple of str
        How columns were read that could be read in another way.

    See Also
    --------
    CodedSample : The same of categories.
    DataTest.sample : The sample of a test.

    Examples
    --------
    >>> from deciban.nets import FisherZ
    >>> sample = FisherZ({"height": [1.5, 1.6, 1.8], "weight": [50.0, None, 80.0]}).sample
    >>> sample.names, sample.values.tolist(), sample.is_complete
    (('height', 'weight'), [[1.5, 50.0], [1.6, nan], [1.8, 80.0]], False)
    """

    reads: ClassVar[Reads] = "numbers"
    names: tuple[Any, ...]
    values: Floats
    sample_weight: Floats | None = None
    columns: tuple[Any, ...] = ()
    dropped: int = 0
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.values)

    @property
    def is_complete(self) -> bool:
        """Whether no value is missing."""
        return not has_missing(self.values)


def code_rows(
    rows: Rows,
    nodes: Sequence[Node] | None = None,
    *,
    fixed: Mapping[Node, Variable] | None = None,
    known: Mapping[Node, Variable] | None = None,
    ignored: Collection[Node] = (),
    numbers: str = "",
    has_declared: bool = False,
    dtype: Any = None,
    is_part: bool = False,
) -> CodedSample:
    """Rows as codes.

    Parameters
    ----------
    rows
        What ``read_rows`` gives.
    nodes
        The order of the variables; that of the names where not given.
    fixed, known
        States that are given: another value is an error; and states of earlier rows, for a column without any value.
    ignored
        Nodes whose columns are not looked at: all their values are missing.
    numbers
        What a user can do with a column of numbers, for the error that refuses one.
    has_declared
        Whether the states that a column's type lists are kept where no row has them.
    dtype
        The type of the codes; where not given, the narrowest that holds them.
    is_part
        Whether the rows are a batch of a larger table: then a column may have no value, and so no state.
    """
    names = tuple(sorted(rows.columns, key=str)) if nodes is None else tuple(nodes)
    fixed, known = fixed or {}, known or {}
    states: dict[Node, Variable] = {}
    coded: list[AnyArray] = []
    for name in names:
        column = rows.columns.get(name)
        if column is None or name in ignored:
            states[name], codes = fixed[name], np.array(MISSING)
        elif (given := fixed.get(name) or (declared_states(name, column) if has_declared else None)) is not None:
            states[name], codes = given, _code_given(name, column, given, is_part=is_part)
        else:
            weights = rows.sample_weight
            states[name], codes = _code_found(name, column, known.get(name), numbers, weights, is_part=is_part)
        coded.append(codes.astype(dtype or narrowest(len(states[name])), copy=False))
    table = np.empty((len(names), len(rows)), dtype or narrowest(max(map(len, states.values()))))
    for index, codes in enumerate(coded):
        table[index] = codes
    return CodedSample(names, states, table, rows.sample_weight, tuple(rows.columns), rows.absent, rows.dropped)


def number_rows(rows: Rows, nodes: Sequence[Node] | None = None, *, labels: str, is_part: bool = False) -> NumberSample:
    """Rows as numbers; `labels` says what to use for columns of labels. A node without a column has only NaN.

    `is_part` as in ``code_rows``.
    """
    names = tuple(sorted(rows.columns, key=str)) if nodes is None else tuple(nodes)
    values = np.full((len(rows), len(names)), np.nan, order="F")
    for index, name in enumerate(names):
        if name in rows.columns:
            column = rows.columns[name]
            values[:, index] = column.numbers if column.is_numeric else numbers_of_labels(name, column, labels)
            check_numbers(name, values[:, index], is_part=is_part)
    return NumberSample(names, values, rows.sample_weight, tuple(rows.columns), rows.dropped)


def _code_given(name: Node, column: Column, states: Variable, *, is_part: bool) -> AnyArray:
    codes = state_codes(column, states)
    if (codes == UNSEEN).any():
        row = int(np.argmax(codes == UNSEEN))
        shown = "" if is_part else f" (row {row})"
        raise UnseenStateError(
            f"column {name!r} has value {column.value(row)!r}{shown}, which is not one of its states: "
            f"{listed(states.values)}. Mark it as missing, leave out the row, or use a net that has this state."
        )
    return codes


def _code_found(
    name: Node, column: Column, known: Variable | None, numbers: str, sample_weight: Floats | None, *, is_part: bool
) -> tuple[Variable, AnyArray]:
    values, codes = distinct_values(column if known is None else column.read_as(known))
    if is_part:
        check_part(column, numbers, len(values))
    elif known is None:
        check_category(column, numbers, len(values), sample_weight)
        if not values:
            raise MissingValueError(f"column {name!r} has no value at all: every row is missing. Leave it out.")
    elif not values:
        return known, codes
    return Variable.of_states(name, values), codes


def narrowest(states: int) -> Any:
    """The narrowest type of codes of so many states."""
    return np.int8 if states <= 1 << 7 else np.int16 if states <= 1 << 15 else np.int32


def unsigned(codes: AnyArray) -> AnyArray:
    """The same codes as the core reads them, without a copy: unsigned, so that ``MISSING`` is the largest of all."""
    return np.ascontiguousarray(codes).view(f"u{codes.dtype.itemsize}")


def numbers_of_labels(name: Node, column: Column, labels: str) -> Floats:
    """Numbers that are held as objects, such as whole numbers of more than 64 bits."""
    known = [state for state in column.states.tolist() if state is not None and state == state]
    label = next((state for state in known if isinstance(state, bool) or not isinstance(state, int | float)), None)
    if label is not None:
        raise InputTypeError(f"column {name!r} holds labels such as {label!r}, not numbers. {labels}")
    states = [np.nan if state is None else float(state) for state in column.states.tolist()]
    return np.append(states, np.nan)[column.indices]


def check_numbers(name: Node, values: Floats, *, first: int = 0, is_part: bool = False) -> None:
    """Refuse numbers that are too large, and, unless they are a part of a column, a column without any number.

    `first` is the row of the first of them.
    """
    if np.isfinite(values).all() and np.abs(values).max(initial=0.0) <= _LARGEST:
        return
    is_missing = np.isnan(values)
    if is_missing.all():
        if not is_part:
            raise MissingValueError(f"column {name!r} has no value at all: every row is missing. Leave it out.")
    elif np.abs(values[~is_missing]).max() > _LARGEST:
        row = int(np.nanargmax(np.abs(values)))
        raise InputError(
            f"column {name!r} has {values[row]:g} (row {first + row}): numbers must not exceed {_LARGEST:g}."
        )


FitMissing = Literal["error", "skip", "em"]
"""What ``fit`` does with a missing value: refuse it, leave it out of the families that need it, or sum it out."""

_PART_CHOICES = ("error", "skip")
"""What can be done with the missing values of one batch of rows alone."""


def read_sample(
    data: Any,
    nodes: Sequence[Node],
    *,
    fixed: Mapping[Node, Variable],
    known: Mapping[Node, Variable],
    sample_weight: Any = None,
    missing: FitMissing = "error",
    is_part: bool = False,
) -> CodedSample:
    """Code a table; `known` are the states of a net that was fitted before, for a column without any value.

    `is_part`: the table is a batch of a larger one, which may have no states of a column.
    """
    rows = read_rows(
        data,
        nodes,
        sample_weight=sample_weight,
        missing=missing,
        choices=_PART_CHOICES if is_part else get_args(FitMissing),
        may_lack=fixed if missing == "em" else (),
        hint=' Add the column, or, for a hidden node, pass missing="em" and the number of its states in states.',
        is_part=is_part,
    )
    return code_rows(
        rows,
        nodes,
        fixed=fixed,
        known=known,
        numbers="use deciban.GaussianNet",
        has_declared=True,
        dtype=np.int32,
        is_part=is_part,
    )


def read_number_sample(
    data: Any,
    nodes: Sequence[Node],
    *,
    sample_weight: Any = None,
    missing: FitMissing = "error",
    may_lack: bool = False,
    is_part: bool = False,
    is_later: bool = False,
) -> NumberSample:
    """Read a table of numbers; where columns may lack, all values of a node without a column are missing.

    `is_part`: the table is a batch of a larger one. `is_later`: the rows come after a fit: text is the number that it
    spells.
    """
    options = {"sample_weight": sample_weight, "missing": missing, "may_lack": nodes if may_lack else ()}
    choices = _PART_CHOICES if is_part else get_args(FitMissing)
    rows = read_rows(data, nodes, choices=choices, only_nodes=may_lack, is_part=is_part, **options)
    if is_later:
        rows = replace(rows, columns={node: column.as_numbers() for node, column in rows.columns.items()})
    return number_rows(rows, nodes, labels="Use deciban.BayesNet for labels.", is_part=is_part)


def bootstrap_weights(
    sample: CodedSample | NumberSample, n: int, random_state: int | np.random.Generator | None
) -> Iterator[Floats]:
    """The weights of the rows in each of n bootstrap samples."""
    if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 1:
        raise ParameterError(f"n is a number of draws, at least 1, not {n!r}.")
    return _draws(sample, n, np.random.default_rng(random_state))


def _draws(sample: CodedSample | NumberSample, n: int, rng: np.random.Generator) -> Iterator[Floats]:
    size = len(sample)
    own = 1.0 if sample.sample_weight is None else sample.sample_weight
    for _ in range(n):
        drawn = rng.multinomial(size, np.full(size, 1 / size)).astype(np.float64)
        yield drawn * (drawn.sum() / (drawn**2).sum()) * own
