"""The rows of a table as nets need them: categories as codes, or numbers.

    read_variables        all columns of any table, in memory or in files, for tests and scores
    read_sample           the columns of the nodes, as codes, for ``BayesNet.fit``
    read_number_sample    the columns of the nodes, as numbers, for ``GaussianNet.fit``

The order of the variables is that of the nodes, or, where a whole table is read, that of the names of its columns: the
order of the names settles every tie and every sum, so the order of the columns changes nothing.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, Self, TypedDict, Unpack, get_args, overload

import numpy as np
from numpy.typing import DTypeLike

from deciban.choices import counted
from deciban.engines.source import Source, is_source, open_source
from deciban.errors import MissingValueError, ParameterError, UnseenStateError
from deciban.nets.data.centred import CentredProducts, has_missing, linear_relations
from deciban.nets.data.interventions import Interventions
from deciban.nets.data.mapped import MappedRows, map_rows, weight_column
from deciban.nets.data.node_rows import (
    FEW,
    MOST_STATES,
    UNSEEN,
    ColumnRole,
    NodeKind,
    Reads,
    Roles,
    Rows,
    check_category,
    check_numbers,
    check_part,
    declared_orders,
    declared_states,
    distinct_values,
    kind_of,
    kind_of_node,
    kinds_of_columns,
    kinds_of_nodes,
    narrowest,
    notes_on_kinds,
    numbers_of_labels,
    ordered_states,
    read_rows,
    state_codes,
    what_is_read,
)
from deciban.nets.graphs.graph import Node
from deciban.read import MISSING, Column, Variable, listed
from deciban.types import AnyArray, Floats, Ints

__all__ = [
    "Advice", "CodedSample", "FitMissing", "MixedSample", "NetSample", "NumberSample", "RowOptions",
    "code_rows", "is_not_in_memory", "mixed_rows", "note_on_missing", "notes_on_relations",
    "number_rows", "read_codes", "read_number_sample", "read_numbers", "read_sample", "read_variables", "source_of",
    "unsigned",
]  # fmt: skip


class WeightedRows(ABC):
    """The rows of a table, each of which may stand for several."""

    sample_weight: Floats | None

    @abstractmethod
    def __len__(self) -> int: ...

    @property
    def total(self) -> float | int:
        """The number of rows, or the sum of their weights."""
        return len(self) if self.sample_weight is None else float(self.sample_weight.sum())

    def reweighted(self, sample_weight: Floats) -> Self:
        """The same rows with other weights.

        Parameters
        ----------
        sample_weight : array
            How many rows each row stands for.

        Returns
        -------
        sample
            A sample of the same class.
        """
        return replace(self, sample_weight=sample_weight)  # type: ignore[type-var]


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
    interventions : Interventions or None
        Which nodes were set in which rows; None where it is not known that any was.
    ordered : tuple
        The variables whose states are in an order that was declared: by ``columns=``, or by the type of the column.

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
    names: tuple[Node, ...]
    states: Mapping[Node, Variable]
    codes: AnyArray
    sample_weight: Floats | None = None
    columns: tuple[Node, ...] = ()
    hidden: tuple[Node, ...] = ()
    dropped: int = 0
    notes: tuple[str, ...] = ()
    interventions: Interventions | None = None
    ordered: tuple[Node, ...] = ()

    def __len__(self) -> int:
        return int(self.codes.shape[1])

    @property
    def sizes(self) -> Ints:
        """The number of states of each variable."""
        return np.array([len(self.states[name]) for name in self.names], dtype=np.int64)

    @property
    def is_complete(self) -> bool:
        """Whether no value is missing."""
        return not bool((self.codes < 0).any())

    @property
    def missing_counts(self) -> Ints:
        """The number of rows in which each variable is missing."""
        return np.count_nonzero(self.codes < 0, axis=1)

    def known(self, columns: Sequence[int]) -> CodedSample:
        """Some of the variables, and the rows in which all of them are known.

        Parameters
        ----------
        columns : sequence of int
            The indices of the variables.

        Returns
        -------
        CodedSample
            The same states, also those that no row has.
        """
        rows = np.flatnonzero((self.codes[list(columns)] >= 0).all(axis=0))
        return self._part(columns, rows)

    def reweighted(self, sample_weight: Floats) -> CodedSample:
        """The same rows with other weights; of rows in memory, those of weight 0 are left out.

        Parameters
        ----------
        sample_weight : array
            How many rows each row stands for.

        Returns
        -------
        CodedSample
        """
        # A bootstrap sample lacks 37 % of the rows, and codes are counted row by row. Rows in files, which are mapped
        # read-only, would be copied to memory.
        if not self.codes.flags.writeable or sample_weight.all():
            return super().reweighted(sample_weight)
        rows = np.flatnonzero(sample_weight)
        interventions = None if self.interventions is None else self.interventions.take(rows)
        codes = np.take(self.codes, rows, axis=1)
        return replace(self, codes=codes, sample_weight=sample_weight[rows], interventions=interventions)

    def take(self, rows: Ints) -> CodedSample:
        """Some of the rows, by index.

        Parameters
        ----------
        rows : array of int
            The indices of the rows.

        Returns
        -------
        CodedSample
        """
        return self._part(range(len(self.names)), rows)

    def _part(self, columns: Sequence[int], rows: Ints) -> CodedSample:
        names = tuple(self.names[column] for column in columns)
        return replace(
            self,
            names=names,
            states={name: self.states[name] for name in names},
            codes=self.codes[np.asarray(columns, dtype=np.int64)[:, None], rows],
            sample_weight=None if self.sample_weight is None else self.sample_weight[rows],
            interventions=None if self.interventions is None else self.interventions.take(rows),
            ordered=tuple(name for name in self.ordered if name in names),
        )


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
    interventions : Interventions or None
        Which nodes were set in which rows; None where it is not known that any was.

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
    names: tuple[Node, ...]
    values: Floats
    sample_weight: Floats | None = None
    columns: tuple[Node, ...] = ()
    dropped: int = 0
    notes: tuple[str, ...] = ()
    interventions: Interventions | None = None

    def __len__(self) -> int:
        return len(self.values)

    @property
    def is_complete(self) -> bool:
        """Whether no value is missing."""
        return not has_missing(self.values)

    @property
    def missing_counts(self) -> Ints:
        """The number of rows in which each variable is missing."""
        return np.count_nonzero(np.isnan(self.values), axis=0)

    def known(self, columns: Sequence[int]) -> NumberSample:
        """Some of the variables, and the rows in which all of them are known.

        Parameters
        ----------
        columns : sequence of int
            The indices of the variables.

        Returns
        -------
        NumberSample
        """
        rows = np.flatnonzero(~np.isnan(self.values[:, list(columns)]).any(axis=1))
        return self._part(columns, rows)

    def take(self, rows: Ints) -> NumberSample:
        """Some of the rows, by index.

        Parameters
        ----------
        rows : array of int
            The indices of the rows.

        Returns
        -------
        NumberSample
        """
        return self._part(range(len(self.names)), rows)

    def _part(self, columns: Sequence[int], rows: Ints) -> NumberSample:
        return replace(
            self,
            names=tuple(self.names[column] for column in columns),
            values=self.values[rows[:, None], np.asarray(columns, dtype=np.int64)],
            sample_weight=None if self.sample_weight is None else self.sample_weight[rows],
            interventions=None if self.interventions is None else self.interventions.take(rows),
        )


@dataclass(frozen=True, eq=False)
class MixedSample:
    """A table of categories and numbers, as tests and scores read it.

    Attributes
    ----------
    names : tuple
        All variables.
    categories : CodedSample
        The categories; it may have none.
    numbers : NumberSample
        The numbers, of the same rows; it may have none.
    notes : tuple of str
        How columns were read that could be read in another way.

    See Also
    --------
    CodedSample : The same of categories alone.
    NumberSample : The same of numbers alone.

    Examples
    --------
    >>> from deciban.nets import FisherZ, GSquared, MixedSample
    >>> sky = GSquared({"sky": ["sun", "rain", "sun"]}).sample
    >>> warmth = FisherZ({"warmth": [21.0, 15.5, 23.0]}).sample
    >>> sample = MixedSample(("sky", "warmth"), sky, warmth)
    >>> len(sample), sample.is_number("warmth")
    (3, True)
    """

    reads: ClassVar[Reads] = "mixed"
    names: tuple[Node, ...]
    categories: CodedSample
    numbers: NumberSample
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.numbers)

    def is_number(self, name: Node) -> bool:
        """Whether a variable is a number.

        Parameters
        ----------
        name : node
            The name of a variable.

        Returns
        -------
        bool
        """
        return name in self.numbers.names

    @property
    def sample_weight(self) -> Floats | None:
        """How many rows each row stands for; None for one each."""
        return self.numbers.sample_weight

    @property
    def total(self) -> float | int:
        """The number of rows, or the sum of their weights."""
        return self.numbers.total

    @property
    def interventions(self) -> Interventions | None:
        """Which nodes were set in which rows; None where it is not known that any was."""
        return self.numbers.interventions

    @property
    def columns(self) -> tuple[Node, ...]:
        """The variables in the order of the table's columns."""
        return tuple(dict.fromkeys((*self.categories.columns, *self.numbers.columns)))

    @property
    def dropped(self) -> int:
        """How many rows were left out because of a missing value."""
        return self.numbers.dropped

    @property
    def is_complete(self) -> bool:
        """Whether no value is missing."""
        return self.categories.is_complete and self.numbers.is_complete

    @property
    def missing_counts(self) -> Ints:
        """The number of rows in which each variable is missing."""
        counts = dict(zip(self.categories.names, self.categories.missing_counts.tolist(), strict=True))
        counts |= dict(zip(self.numbers.names, self.numbers.missing_counts.tolist(), strict=True))
        return np.array([counts[name] for name in self.names], dtype=np.int64)

    def known(self, columns: Sequence[int]) -> MixedSample:
        """Some of the variables, and the rows in which all of them are known.

        Parameters
        ----------
        columns : sequence of int
            The indices of the variables.

        Returns
        -------
        MixedSample
        """
        names = tuple(self.names[column] for column in columns)
        categories = [index for index, name in enumerate(self.categories.names) if name in names]
        numbers = [index for index, name in enumerate(self.numbers.names) if name in names]
        is_known = (self.categories.codes[categories] >= 0).all(axis=0)
        is_known &= ~np.isnan(self.numbers.values[:, numbers]).any(axis=1)
        rows = np.flatnonzero(is_known)
        return replace(
            self,
            names=names,
            categories=self.categories._part(categories, rows),
            numbers=self.numbers._part(numbers, rows),
        )

    def take(self, rows: Ints) -> MixedSample:
        """Some of the rows, by index.

        Parameters
        ----------
        rows : array of int
            The indices of the rows.

        Returns
        -------
        MixedSample
        """
        return replace(self, categories=self.categories.take(rows), numbers=self.numbers.take(rows))

    def reweighted(self, sample_weight: Floats) -> MixedSample:
        """The same rows with other weights.

        Parameters
        ----------
        sample_weight : array
            How many rows each row stands for.

        Returns
        -------
        MixedSample
        """
        # All rows of both parts: they stay side by side.
        categories = replace(self.categories, sample_weight=sample_weight)
        return replace(self, categories=categories, numbers=replace(self.numbers, sample_weight=sample_weight))

    @property
    def slots(self) -> Ints:
        """Of each variable its index among the categories, or −1 less that among the numbers: as the core reads it."""
        category = {name: index for index, name in enumerate(self.categories.names)}
        number = {name: -1 - index for index, name in enumerate(self.numbers.names)}
        return np.array([category[name] if name in category else number[name] for name in self.names], dtype=np.int64)

    def embedded(self) -> tuple[Floats, Ints]:
        """The variables as columns of numbers: of a category the indicators of its states but the last.

        A missing value is NaN in all columns of its variable. A category of one state has one column, a constant.

        Returns
        -------
        array, array
            Rows × columns, and where the columns of each variable begin, with the number of all columns at the end.
        """
        columns, starts = list[Floats](), [0]
        for slot in self.slots.tolist():
            if slot < 0:
                columns.append(self.numbers.values[:, [-1 - slot]])
            else:
                size, codes = int(self.categories.sizes[slot]), self.categories.codes[slot]
                indicators = (codes[:, None] == np.arange(max(size - 1, 1))).astype(np.float64)
                indicators[codes < 0] = np.nan
                columns.append(indicators)
            starts.append(starts[-1] + columns[-1].shape[1])
        return np.asfortranarray(np.concatenate(columns, axis=1)), np.array(starts, dtype=np.int64)


NetSample = CodedSample | NumberSample | MixedSample
"""The rows of a table, as nets, tests and scores read them."""


def code_rows(
    rows: Rows,
    nodes: Sequence[Node] | None = None,
    *,
    fixed: Mapping[Node, Variable] | None = None,
    known: Mapping[Node, Variable] | None = None,
    ignored: Collection[Node] = (),
    numbers: str = "",
    has_declared: bool = False,
    dtype: DTypeLike | None = None,
    is_part: bool = False,
    counted: Collection[Node] = (),
    orders: Mapping[Node, Sequence[Hashable] | None] | None = None,
) -> CodedSample:
    """Rows as codes, with the variables in the order of `nodes`, or of their names.

    A value that is not among the `fixed` states is an error; `known` states are those of earlier rows, for a column
    without any value; all values of `ignored` nodes are missing. With `has_declared`, the states that a column's type
    lists are kept where no row has them. `numbers` says what a user can do with a column of numbers, for the error that
    refuses one. `dtype` is that of the codes, by default the narrowest that holds them. `is_part`: the rows are a batch
    of a larger table, so a column may have no value, and so no state. `counted` are columns that a user wants counted,
    whatever they hold. `orders` are those of the states of some columns, as of ``ordered_states``.
    """
    names = tuple(sorted(rows.columns, key=str)) if nodes is None else tuple(nodes)
    fixed, known, orders = fixed or {}, known or {}, orders or {}
    states: dict[Node, Variable] = {}
    coded: list[AnyArray] = []
    for name in names:
        column = rows.columns.get(name)
        if column is None or name in ignored:
            states[name], codes = fixed[name], np.array(MISSING)
        elif (listing := fixed.get(name) or (declared_states(name, column) if has_declared else None)) is not None:
            states[name], codes = listing, _codes_among(name, column, listing, is_part=is_part)
        else:
            weights = rows.sample_weight
            advice = None if name in counted else numbers
            states[name], codes = _code_found(name, column, known.get(name), advice, weights, is_part=is_part)
            if name in orders:
                listed_states = ordered_states(name, states[name].values, orders[name])
                new_code = {state: code for code, state in enumerate(listed_states)}
                # The last, at index −1, is for missing values.
                codes = np.array([*(new_code[state] for state in states[name].values), MISSING])[codes]
                states[name] = Variable.of_states(name, listed_states)
        coded.append(codes.astype(dtype or narrowest(len(states[name])), copy=False))
    table = np.empty((len(names), len(rows)), dtype or narrowest(max(map(len, states.values()))))
    for index, codes in enumerate(coded):
        table[index] = codes
    return CodedSample(
        names,
        states,
        table,
        rows.sample_weight,
        tuple(rows.columns),
        rows.absent,
        rows.dropped,
        interventions=rows.interventions,
        ordered=tuple(name for name in names if name in orders),
    )


def number_rows(rows: Rows, nodes: Sequence[Node] | None = None, *, labels: str, is_part: bool = False) -> NumberSample:
    """Rows as numbers; `labels` says what to use for columns of labels. A node without a column has only NaN.

    `is_part` as in ``code_rows``.
    """
    names = tuple(sorted(rows.columns, key=str)) if nodes is None else tuple(nodes)
    values = np.empty((len(rows), len(names)), order="F")
    for index, name in enumerate(names):
        column = rows.columns.get(name)
        if column is None:
            values[:, index] = np.nan
        else:
            values[:, index] = column.numbers if column.is_numeric else numbers_of_labels(name, column, labels)
            check_numbers(name, values[:, index], is_part=is_part)
    return NumberSample(
        names, values, rows.sample_weight, tuple(rows.columns), rows.dropped, interventions=rows.interventions
    )


def _codes_among(name: Node, column: Column, states: Variable, *, is_part: bool) -> AnyArray:
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
    name: Node,
    column: Column,
    known: Variable | None,
    numbers: str | None,
    sample_weight: Floats | None,
    *,
    is_part: bool,
) -> tuple[Variable, AnyArray]:
    values, codes = distinct_values(column if known is None else column.read_as(known))
    if is_part:
        if numbers is not None:
            check_part(column, numbers, len(values))
    elif known is None:
        if numbers is not None or len(values) > MOST_STATES:
            check_category(column, numbers or "", len(values), sample_weight)
        if not values:
            raise MissingValueError(f"column {name!r} has no value at all: every row is missing. Leave it out.")
    elif not values:
        return known, codes
    return Variable.of_states(name, values), codes


_SHOWN = 3


def note_on_missing(sample: CodedSample | NumberSample | MixedSample) -> str:
    """Which columns have missing values, those with the most first; empty where none has."""
    counts = sample.missing_counts
    order = [index for index in np.argsort(-counts, kind="stable").tolist() if counts[index]]
    if not order:
        return ""
    shares = [f"{sample.names[index]} ({counts[index] / len(sample):.1%})" for index in order[:_SHOWN]]
    more = [counted(len(order) - _SHOWN, "more column")] if len(order) > _SHOWN else []
    return f"missing values: {', '.join([*shares, *more])}"


# Among more numbers no relations are looked for: a factor of their correlations takes as long as a search.
_MOST_RELATED = 500


def notes_on_relations(sample: NetSample) -> tuple[str, ...]:
    """Notes on numbers that are copies or linear functions of others, on the rows where all are known."""
    numbers = sample.numbers if isinstance(sample, MixedSample) else sample
    if not isinstance(numbers, NumberSample) or not 1 < len(numbers.names) <= _MOST_RELATED:
        return ()
    if not numbers.is_complete:
        numbers = numbers.known(range(len(numbers.names)))
    # So few rows are on a plane whatever the columns are.
    if len(numbers) <= len(numbers.names) + 1:
        return ()
    names, copies, notes = numbers.names, dict[int, list[int]](), list[str]()
    for column, others in linear_relations(CentredProducts.of(numbers.values, numbers.sample_weight)):
        if len(others) == 1:
            copies.setdefault(others[0], []).append(column)
        else:
            shown = _and([names[other] for other in others])
            notes.append(f"{names[column]} is a linear function of {shown}: leave one of them out")
    return (
        *(
            f"{_and([names[c] for c in (one, *same)])} are linear copies of one another: leave all but one out"
            for one, same in copies.items()
        ),
        *notes,
    )


def _and(names: Sequence[Node]) -> str:
    words = [str(name) for name in names]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def unsigned(codes: AnyArray) -> AnyArray:
    """The same codes as the core reads them, without a copy: unsigned, so that ``MISSING`` is the largest of all."""
    return np.ascontiguousarray(codes).view(f"u{codes.dtype.itemsize}")


FitMissing = Literal["error", "skip", "em"]
"""What ``fit`` does with a missing value: refuse it, leave it out of the families that need it, or sum it out."""

# Of one batch of rows alone: expectation maximization needs all rows again in each of its iterations.
_PART_CHOICES = ("error", "skip")


def read_sample(
    data: Any,
    nodes: Sequence[Node],
    *,
    fixed: Mapping[Node, Variable],
    known: Mapping[Node, Variable],
    sample_weight: Any = None,
    missing: FitMissing = "error",
    is_part: bool = False,
    interventions: Any = None,
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
        interventions=_checked_interventions(interventions, missing),
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
    interventions: Any = None,
) -> NumberSample:
    """Read a table of numbers; where columns may lack, all values of a node without a column are missing.

    `is_part`: the table is a batch of a larger one. `is_later`: the rows come after a fit: text is the number that it
    spells.
    """
    rows = read_rows(
        data,
        nodes,
        sample_weight=sample_weight,
        missing=missing,
        choices=_PART_CHOICES if is_part else get_args(FitMissing),
        may_lack=nodes if may_lack else (),
        only_nodes=may_lack,
        is_part=is_part,
        interventions=_checked_interventions(interventions, missing),
    )
    if is_later:
        rows = replace(rows, columns={node: column.as_numbers() for node, column in rows.columns.items()})
    return number_rows(rows, nodes, labels="Use deciban.BayesNet for labels.", is_part=is_part)


def read_net_sample(
    data: Any,
    nodes: Sequence[Node],
    *,
    kinds: Mapping[Node, NodeKind],
    fixed: Mapping[Node, Variable],
    known: Mapping[Node, Variable] | None = None,
    sample_weight: Any = None,
    missing: FitMissing = "error",
    is_part: bool = False,
    interventions: Any = None,
) -> tuple[NetSample, dict[Node, tuple[NodeKind, str]]]:
    """Read the columns of the nodes, each as a category or as a number, and the kind of each node with the reason.

    `kinds` are those that are set; nodes with `fixed` states are categories. `known` are the states of a net that was
    fitted before: then text in a column of numbers is the number that it spells. `is_part` as in ``read_sample``.
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
        interventions=_checked_interventions(interventions, missing),
    )
    given: dict[Node, NodeKind] = {**dict.fromkeys(fixed, "category"), **kinds}
    # Of the others only: counting different values takes long.
    is_open = {node: column for node, column in rows.columns.items() if node not in given}
    found = kinds_of_nodes({node: kind_of_node(column, rows.sample_weight) for node, column in is_open.items()})
    chosen = {
        node: found[node] if node in found else (given[node], "states given" if node in fixed else "as given")
        for node in nodes
    }
    numbers = [node for node in nodes if chosen[node][0] == "number"]
    categories = [node for node in nodes if chosen[node][0] == "category"]
    measured = _number_part(rows, numbers, is_later=known is not None, is_part=is_part) if numbers else None
    if measured is not None and not categories:
        return measured, chosen
    coded = code_rows(
        rows,
        categories,
        fixed=fixed,
        known=known,
        numbers="use deciban.GaussianNet",
        has_declared=True,
        dtype=np.int32,
        is_part=is_part,
        counted=[node for node in categories if node in kinds],
    )
    return (coded if measured is None else MixedSample(tuple(nodes), coded, measured)), chosen


def _checked_interventions(interventions: Any, missing: str) -> Any:
    if interventions is not None and missing == "em":
        raise ParameterError(
            'missing="em" sums over a missing value by all families of its row, also those that an intervention cuts: '
            'pass missing="skip" with interventions.'
        )
    return interventions


def _number_part(rows: Rows, numbers: Sequence[Node], *, is_later: bool, is_part: bool) -> NumberSample:
    if is_later:
        typed = {node: rows.columns[node].as_numbers() for node in numbers if node in rows.columns}
        rows = replace(rows, columns={**rows.columns, **typed})
    return number_rows(rows, numbers, labels='Pass columns={…: "category"} for labels.', is_part=is_part)


@dataclass(frozen=True)
class Advice:
    """What a user can do with columns that cannot be read, for error messages.

    `categories` is what to do to count all columns, `numbers` to read all of them as numbers, `labels` with a column
    of labels among numbers.
    """

    categories: str = ""
    numbers: str = ""
    labels: str = ""


class RowOptions(TypedDict, total=False):
    """How rows are read: as in `read_rows`; of rows in files, the weights are the name of a column."""

    sample_weight: Any
    missing: str
    choices: Sequence[str]
    interventions: Any


@overload
def read_variables(
    data: Any,
    reads: Literal["categories"],
    advice: Advice,
    *,
    columns: Mapping[Any, ColumnRole] | None = None,
    **options: Unpack[RowOptions],
) -> CodedSample: ...
@overload
def read_variables(
    data: Any,
    reads: Literal["numbers"],
    advice: Advice,
    *,
    columns: Mapping[Any, ColumnRole] | None = None,
    **options: Unpack[RowOptions],
) -> NumberSample: ...
@overload
def read_variables(
    data: Any,
    reads: Literal["mixed"],
    advice: Advice,
    *,
    columns: Mapping[Any, ColumnRole] | None = None,
    **options: Unpack[RowOptions],
) -> MixedSample: ...
@overload
def read_variables(
    data: Any,
    reads: Reads | None,
    advice: Advice,
    *,
    columns: Mapping[Any, ColumnRole] | None = None,
    **options: Unpack[RowOptions],
) -> NetSample: ...
def read_variables(
    data: Any,
    reads: Reads | None,
    advice: Advice,
    *,
    columns: Mapping[Any, ColumnRole] | None = None,
    **options: Unpack[RowOptions],
) -> NetSample:
    """All columns of a table as categories, as numbers, or each by itself; where `reads` is None, as what they hold.

    `columns` says of some how they are read. `data` is a table, or rows in files: a name, a pattern, a folder, a list
    of names, or a source. Rows in files are read once; the sample then is in temporary files, which are mapped into
    memory. A sample stays as it is.
    """
    if isinstance(data, CodedSample | NumberSample | MixedSample) and reads in (None, data.reads):
        return data
    missing = options.get("missing", "error")
    _check_state(reads, missing)
    if is_not_in_memory(data):
        if options.get("interventions") is not None:
            raise ParameterError("interventions are for rows in memory: read the files into a frame.")
        weights, choices = options.get("sample_weight"), options.get("choices", ("error",))
        source = source_of(data)
        roles = Roles.of([name for name in source.names if name != weight_column(source.names, weights)], columns)
        mapped = map_rows(source, reads, roles=roles, sample_weight=weights, missing=missing, choices=choices)
        return _mapped_variables(mapped, reads, advice, missing, roles)
    rows = read_rows(data, **options)
    roles = Roles.of(rows.columns, columns)
    orders = {**declared_orders(rows.columns, roles), **roles.orders}
    notes: tuple[str, ...] = ()
    if reads is None or reads == "mixed":
        kinds = {name: kind_of(column) for name, column in rows.columns.items()}
        chosen = kinds_of_columns(kinds, roles.kinds)
        reads = reads or what_is_read(chosen)
        notes = notes_on_kinds(kinds, chosen, reads, advice.categories if reads == "numbers" else "")
        _check_state(reads, missing)
        if reads == "mixed":
            return mixed_rows(rows, chosen, advice, notes, orders)
    _check_roles(roles, reads, advice)
    if reads == "categories":
        coded = code_rows(rows, numbers=advice.numbers, counted=roles.kinds, orders=orders)
        declared = [name for name, column in rows.columns.items() if column.is_declared or name in roles.kinds]
        return replace(coded, notes=notes + _note_on_counted(coded, declared))
    return replace(number_rows(rows, labels=advice.labels), notes=notes)


def _note_on_counted(coded: CodedSample, declared: Collection[Node]) -> tuple[str, ...]:
    """A note on numbers of many values that are counted because the test or the score counts all that it gets."""
    shown = [
        f"{name} ({len(states)} different)"
        for name, states in coded.states.items()
        if name not in declared and len(states) > FEW and isinstance(states.values[0], int)
    ]
    return (f"whole numbers, {', '.join(shown)}, were counted as categories",) if shown else ()


def _check_roles(roles: Roles, reads: Reads, advice: Advice) -> None:
    """Refuse a kind of column that is not read."""
    read: NodeKind = "number" if reads == "numbers" else "category"
    other = next((name for name, kind in roles.kinds.items() if kind != read), None)
    if other is not None:
        raise ParameterError(
            f"columns says that {other!r} is a {roles.kinds[other]}, and only {reads} are read. {advice.labels}"
        )


def mixed_rows(
    rows: Rows,
    chosen: Mapping[Node, tuple[NodeKind, str]],
    advice: Advice,
    notes: tuple[str, ...] = (),
    orders: Mapping[Node, Sequence[Hashable] | None] | None = None,
) -> MixedSample:
    """Rows with each column as the category or the number that was chosen."""
    given = [name for name, (_, why) in chosen.items() if why == "as given"]
    numbers = {name: column for name, column in rows.columns.items() if chosen[name][0] == "number"}
    categories = {name: column for name, column in rows.columns.items() if name not in numbers}
    names = tuple(sorted(rows.columns, key=str))
    if categories:
        coded = code_rows(replace(rows, columns=categories), numbers=advice.numbers, counted=given, orders=orders)
    else:
        coded = _without_columns(len(rows), rows.sample_weight)
    if numbers:
        measured = number_rows(replace(rows, columns=numbers), labels=advice.labels)
    else:
        nothing = np.zeros((len(rows), 0))
        measured = NumberSample((), nothing, rows.sample_weight, dropped=rows.dropped, interventions=rows.interventions)
    return MixedSample(names, coded, measured, notes)


def _without_columns(rows: int, sample_weight: Floats | None) -> CodedSample:
    return CodedSample((), {}, np.zeros((0, rows), dtype=np.int8), sample_weight)


def _mapped_variables(mapped: MappedRows, reads: Reads | None, advice: Advice, missing: str, roles: Roles) -> NetSample:
    """The variables of rows in files."""
    kinds = mapped.kinds() if reads is None or reads == "mixed" else {}
    chosen = kinds_of_columns(kinds, roles.kinds) if kinds else {}
    reads = reads or what_is_read(chosen)
    _check_state(reads, missing)
    weights, dropped = mapped.sample_weight, mapped.dropped

    def coded(only: Collection[Node] | None) -> CodedSample:
        states, codes = mapped.codes(advice.numbers, only)
        columns = tuple(name for name in mapped.columns if name in states)
        ordered = tuple(name for name in states if name in roles.orders)
        return CodedSample(tuple(states), states, codes, weights, columns, dropped=dropped, ordered=ordered)

    def measured(only: Collection[Node] | None) -> NumberSample:
        names, values = mapped.numbers(advice.labels, only)
        return NumberSample(names, values, weights, tuple(n for n in mapped.columns if n in names), dropped)

    if reads != "mixed":
        _check_roles(roles, reads, advice)
        if reads == "numbers":
            return measured(None)
        labelled = coded(None)
        return replace(labelled, notes=_note_on_counted(labelled, roles.kinds))
    of_numbers = [name for name, (kind, _) in chosen.items() if kind == "number"]
    of_labels = [name for name in kinds if name not in of_numbers]
    names = tuple(sorted(kinds, key=str))
    labels = coded(of_labels) if of_labels else _without_columns(len(mapped), weights)
    return MixedSample(names, labels, measured(of_numbers), notes_on_kinds(kinds, chosen, reads, ""))


def read_codes(data: Any, *, numbers: str, **options: Unpack[RowOptions]) -> CodedSample:
    """All columns of a table as codes; `numbers` says what to use for columns of numbers."""
    return read_variables(data, "categories", Advice(numbers=numbers), **options)


def read_numbers(data: Any, *, labels: str, **options: Unpack[RowOptions]) -> NumberSample:
    """All columns of a table as numbers; `labels` says what to use for labels."""
    return read_variables(data, "numbers", Advice(labels=labels), **options)


def _check_state(reads: Reads | None, missing: str) -> None:
    if reads == "numbers" and missing == "state":
        raise ParameterError('missing="state" is for categories: among numbers a missing value cannot be a state.')


def is_not_in_memory(data: Any) -> bool:
    """True for names of files, and for a source that was opened."""
    return _is_open(data) or is_source(data)


def source_of(data: Any, **options: Any) -> Source:
    """The source of some rows; `options` are those of ``open_source``, for one that is not open yet."""
    return data if _is_open(data) else open_source(data, **options)


def _is_open(data: Any) -> bool:
    return hasattr(data, "names") and callable(getattr(data, "batches", None))
