"""What models of combinations of values count: sets of columns, families of a net, or chains of views of columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Protocol, Self

import numpy as np

from deciban import nets
from deciban.errors import ColumnMismatchError
from deciban.estimate import ColumnDistribution, Cut
from deciban.estimate.values import numbers_of
from deciban.models.schema import Form, Schema, check_form
from deciban.read import MISSING, Table, Variable
from deciban.storable import require, storable
from deciban.tallies import Crossed
from deciban.tallies.crossed import narrow_codes, narrow_type
from deciban.ties import largest_first
from deciban.types import AnyArray, Codes

__all__ = ["Chain", "ChainForm", "Chains", "ColumnSets", "Families", "NetForm", "Structure", "View"]


class Structure(Protocol):
    """What a model counts: columns that are coded in some way, and sets of them."""

    def variables(self, data: Table) -> tuple[Variable, ...]:
        """The states of each coded column in these rows."""

    def codes(self, data: Table, variables: Sequence[Variable], owner: str) -> AnyArray:
        """Coded columns × rows, in the narrowest type; what is missing or not known is the code behind the last."""

    def sets(self) -> AnyArray:
        """The sets, indices among the coded columns; −1 behind the last of a shorter one."""


def padded_sets(sets: Sequence[Sequence[int]], width: int) -> AnyArray:
    """One row a set, as the counting kernel takes them; −1 behind the last of a shorter one."""
    out = np.full((len(sets), width), -1, dtype=np.int32)
    for row, columns in zip(out, sets, strict=True):
        row[: len(columns)] = columns
    return out


@dataclass(frozen=True, eq=False)
class ColumnSets:
    """Sets of columns, each of which is coded by its distribution."""

    schema: Schema
    indices: AnyArray

    def variables(self, data: Table) -> tuple[Variable, ...]:
        return tuple(plan.distribution.variable(c) for plan, c in zip(self.schema, data.columns, strict=True))

    def codes(self, data: Table, variables: Sequence[Variable], owner: str) -> AnyArray:
        rows = zip(self.schema, data.columns, variables, strict=True)
        # One column at a time, so that only the narrow codes are stored.
        codes = (plan.distribution.codes(column, variable, owner) for plan, column, variable in rows)
        return narrow_codes(codes, [len(variable) for variable in variables], len(data))

    def sets(self) -> AnyArray:
        return self.indices


@storable
@dataclass(frozen=True)
class View:
    """The states of a column in some chains: its labels, or one of several ways to cut its numbers into bins."""

    column: int
    distribution: ColumnDistribution


@storable
@dataclass(frozen=True)
class Chain:
    """A view of a column given those of its parents, strongest first; `share` is its part in the column's evidence."""

    view: int
    parents: tuple[int, ...]
    share: float

    @property
    def views(self) -> tuple[int, ...]:
        return (*self.parents, self.view)


@storable
@dataclass(frozen=True)
class Chains:
    """The views and chains of a model, and the weights of their levels.

    Attributes
    ----------
    views, chains : what is counted
    weights : columns × (k + 1): the weight of log P(x | class), and those of what each further parent adds to it
    rows : how many rows the weights were learned from
    unit : the weight of one row, which leave-one-out takes out
    """

    views: tuple[View, ...]
    chains: tuple[Chain, ...]
    weights: tuple[tuple[float, ...], ...] = ()
    rows: float = 0.0
    unit: float = 1.0

    @property
    def k(self) -> int:
        """The number of parents of the longest chain."""
        return max((len(chain.parents) for chain in self.chains), default=0)

    def sets(self) -> AnyArray:
        """The views of each chain: parents, then the column itself, then −1 in shorter chains."""
        return padded_sets([chain.views for chain in self.chains], self.k + 1)

    def columns(self) -> list[int]:
        """The column of each chain."""
        return [self.views[chain.view].column for chain in self.chains]

    def variables(self, data: Table) -> tuple[Variable, ...]:
        """The states of each view in these rows."""
        return tuple(view.distribution.variable(data.columns[view.column]) for view in self.views)

    def codes(self, data: Table, variables: Sequence[Variable], owner: str) -> AnyArray:
        """Views × rows, in the narrowest type; a value that is not known has the code behind the last state."""
        sizes = [len(variable) for variable in variables]
        out = np.empty((len(sizes), len(data)), dtype=narrow_type(sizes))
        bins = _Bins(self.views, data)
        for i, (view, variable, size) in enumerate(zip(self.views, variables, sizes, strict=True)):
            kind = view.distribution
            if isinstance(kind, Cut):
                codes = bins.codes(view.column, kind)
            else:
                codes = kind.codes(data.columns[view.column], variable, owner)
            out[i] = np.where(codes < 0, size, codes)  # narrow types have no sign: missing is the state behind the last
        return out

    def left_out_codes(self, data: Table, part: Crossed, unit: float, owner: str) -> AnyArray:
        """The codes of counted rows, each as if it had not been counted: a label that no other row has is not known."""
        codes = self.codes(data, part.variables, owner)
        for row, counts in zip(codes, part.counts, strict=True):
            if not counts.variable.is_coded:
                left = np.append(counts.table.sum(axis=0) > unit, True)  # the unknown state stays what it is
                row[~left[row]] = len(counts.variable)
        return codes

    def parents_of(self, names: Sequence[str]) -> dict[str, dict[str, float]]:
        """For each column, the share of the members in which another column is its parent, largest first."""
        out: dict[str, dict[str, float]] = {name: {} for name in names}
        for chain in self.chains:
            of = out[names[self.views[chain.view].column]]
            for parent in chain.parents:
                name = names[self.views[parent].column]
                of[name] = of.get(name, 0.0) + chain.share
        return {name: dict(largest_first(of.items(), lambda item: item[1])) for name, of in out.items()}

    def merged(self, other: Chains) -> Chains:
        """The same chains, with the weights of both, averaged by the rows they were learned from."""
        rows = self.rows + other.rows
        share = self.rows / rows if rows > 0 else 1.0
        pairs = zip(self.weights, other.weights, strict=True)
        mean = (tuple(share * a + (1.0 - share) * b for a, b in zip(*both, strict=True)) for both in pairs)
        return replace(self, weights=tuple(mean), rows=rows)

    def has_same_counts(self, other: Chains) -> bool:
        """True where the counts of both can be added."""
        return _codings(self.views) == _codings(other.views) and [c.views for c in self.chains] == [
            c.views for c in other.chains
        ]


class _Bins:
    """Bins of numbers in several views: a number is looked up once, among the cuts of all views of its column."""

    def __init__(self, views: Sequence[View], data: Table) -> None:
        self._data = data
        self._cuts: dict[int, list[Cut]] = {}
        for view in views:
            if isinstance(view.distribution, Cut):
                self._cuts.setdefault(view.column, []).append(view.distribution)
        self._column = -1

    def codes(self, column: int, cut: Cut) -> Codes:
        """The bins of a column; −1 where a value is missing and that is no state."""
        if column != self._column:
            self._look_up(column)
        at = np.asarray(cut.at, dtype=np.float64)
        coarse = np.append(np.searchsorted(at, self._ends), len(at)).astype(np.int32)
        codes: Codes = coarse[self._fine]
        codes[self._is_missing] = len(at) + 1 if cut.missing == "state" else MISSING
        return codes

    def _look_up(self, column: int) -> None:
        numbers = numbers_of(self._data.columns[column])
        # One search among all ends; that of a view is then a lookup, and a column may have one view a member.
        self._ends = np.unique([end for cut in self._cuts[column] for end in cut.at])
        self._fine = np.searchsorted(self._ends, numbers)
        self._is_missing = np.isnan(numbers)
        self._column = column


def _codings(views: Sequence[View]) -> list[tuple[int, str]]:
    return [(view.column, view.distribution.coding) for view in views]


def _check_chain_form(form: ChainForm) -> None:
    check_form(form)
    chains, columns = form.chains, form.columns
    require(isinstance(chains, Chains), "a form has no chains")
    is_list = all(isinstance(view, View) and isinstance(view.distribution, ColumnDistribution) for view in chains.views)
    require(is_list and all(0 <= view.column < columns for view in chains.views), "a view has no column")
    for chain in chains.chains:
        require(isinstance(chain, Chain) and 0 < chain.share <= 1, "a chain is not valid")
        require(all(0 <= view < len(chains.views) for view in chain.views), "a chain has a view that does not exist")
    weights = np.array(chains.weights, dtype=np.float64)
    require(weights.shape == (columns, chains.k + 1) and bool(np.isfinite(weights).all()), "weights are impossible")
    require(0 < chains.unit < np.inf and 0 <= chains.rows < np.inf, "numbers of rows are impossible")


@storable(check=_check_chain_form)
@dataclass(frozen=True)
class ChainForm(Form):
    """The form of the data, and the chains that were found or given."""

    chains: Chains = Chains((), ())

    @classmethod
    def extend(cls, form: Form, chains: Chains) -> ChainForm:
        return cls(**{field.name: getattr(form, field.name) for field in fields(Form)}, chains=chains)

    def merged(self, other: Form) -> Self:
        both = super().merged(other)
        return replace(both, chains=self.chains.merged(other.chains)) if isinstance(other, ChainForm) else both


@storable
@dataclass(frozen=True)
class Families:
    """The parents of the class and of each column, as indices, and which columns are children of the class."""

    target: str
    of_class: tuple[int, ...]
    of_columns: tuple[tuple[int, ...], ...]
    under_class: tuple[bool, ...]

    @classmethod
    def of(cls, dag: nets.DAG, names: tuple[str, ...], target: str) -> Families:
        """Read a graph of the class and some columns; columns that it does not name have no edges."""
        unknown = [node for node in dag.nodes if node != target and node not in names]
        if unknown or target not in dag.nodes:
            raise ColumnMismatchError(
                f"the nodes of the structure are the class, {target!r}, and columns; it has "
                f"{', '.join(map(repr, dag.nodes))}, and the columns are {', '.join(names)}. Name its class in target."
            )
        index = {name: i for i, name in enumerate(names)}
        parents = [dag.parents(name) if name in dag.nodes else frozenset() for name in names]
        return cls(
            target,
            tuple(sorted(index[str(name)] for name in dag.parents(target))),
            tuple(tuple(sorted(index[str(up)] for up in ups if up != target)) for ups in parents),
            tuple(target in ups for ups in parents),
        )

    def dag(self, names: tuple[str, ...]) -> nets.DAG:
        """The graph with all columns."""
        edges = [(names[up], names[i]) for i, ups in enumerate(self.of_columns) for up in ups]
        edges += [(self.target, names[i]) for i, is_under in enumerate(self.under_class) if is_under]
        edges += [(names[up], self.target) for up in self.of_class]
        return nets.DAG(edges, [self.target, *names])

    def sets(self) -> AnyArray:
        """The sets of columns that are counted: the parents of the class; then each column after its own parents."""
        sets = [self.of_class, *((*ups, i) for i, ups in enumerate(self.of_columns))]
        return padded_sets(sets, max(map(len, sets)))


def _check_net_form(form: NetForm) -> None:
    check_form(form)
    families, columns = form.families, form.columns
    if families is None:
        return
    require(isinstance(families, Families) and isinstance(families.target, str), "a structure is not valid")
    require(len(families.of_columns) == len(families.under_class) == columns, "a structure does not fit its columns")
    require(all(type(is_under) is bool for is_under in families.under_class), "a structure is not valid")
    ups = [up for parents in (families.of_class, *families.of_columns) for up in parents]
    # isinstance would take True for a column.
    require(all(type(up) is int and 0 <= up < columns for up in ups), "a structure has a column that does not exist")


@storable(check=_check_net_form)
@dataclass(frozen=True)
class NetForm(Form):
    """The form of the data, and the structure that was given or found."""

    families: Families | None = None

    @classmethod
    def extend(cls, form: Form, families: Families) -> NetForm:
        return cls(**{field.name: getattr(form, field.name) for field in fields(Form)}, families=families)
