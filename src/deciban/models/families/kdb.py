"""Averaged k-dependence Bayes classifiers (Sahami, 1996), with hierarchical smoothing and learned weights.

    log P(j | x) = log P(j) + Σ_i log P(x_i | j, p_1 … p_k) + a constant

Every column depends on the class and on up to k other columns, its parents. P(x_i | j, p_1 … p_k) is a ratio of counts
that are few, so it is shrunk to P(x_i | j, p_1 … p_(k−1)), and so on down to P(x_i | j) and P(x_i): hierarchical
smoothing, as in Petitjean, Buntine, Webb and Zaidi (2018, "Accurate parameter estimation for Bayesian network
classifiers using hierarchical Dirichlet processes"). By how much is chosen by the leave-one-out likelihood of the
counts (`core/chains`). Which columns and parents are used, and how much, depends on weights that are learned from
leave-one-out evidence; Martínez, Webb, Chen and Zaidi (2016, "Scalable learning of Bayesian network
classifiers") select them by the same loss. And the evidence is the mean of several members, whose orders, parents and
cuts of numbers differ, so that it is smooth in the numbers.

Columns are ordered by their mutual information with the class; each gets as parents the k columns before it with which
it has the most conditional mutual information given the class (Sahami, 1996). A model of several members repeats this
with an order that is disturbed at random, with a random half of the columns before it as candidates, and with numbers
cut at random quantiles. What the members have in common remains in their mean; the edges of bins and the accidents of
one order do not.

Orders, dependences and quantiles are those of at most 20,000 rows, evenly spread over the table.

Each level of a column, the number of its parents that are used, has a weight in the evidence:

    log P(class | x) = log P(class) + Σ_i Σ_l w_il·(log P_l(x_i | class, p_1 … p_l) − log P_(l−1)(…)) + a constant

The first level of a column is its evidence in naive Bayes, and each further level is what one more parent adds to it.
The weights minimize the log loss of the counted rows, each scored without itself, plus half the squared distance from
naive Bayes, in which the first level has the weight 1 and the others have 0. So a column that misleads, and a parent
that adds nothing, get the weight 0: columns and the number of parents are selected, column by column.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from math import prod
from numbers import Integral
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from deciban import _core
from deciban.decide import Reject
from deciban.errors import ColumnMismatchError, ParameterError
from deciban.estimate import ColumnDistribution, Cut, Laplace
from deciban.estimate.closed_form import ClosedForm, NamedFormula, Sums, TableOf
from deciban.estimate.column import Margins
from deciban.estimate.values import numbers_of
from deciban.models.base import Missing, Rule, Unseen
from deciban.models.exported import OnnxClassifier
from deciban.models.families.family_classifier import FamilyClassifier
from deciban.models.families.family_tables import Tables
from deciban.models.families.structures import Chain, ChainForm, Chains, View
from deciban.models.leave_one_out import best_weights, chosen_rows, order_of_rows, prior_of_rows
from deciban.models.schema import ColumnPlan, Defaults, Form, Schema, judge_columns, plan_columns, wanted_columns
from deciban.models.table_classifier import (
    TABLE_CONSTRAINTS,
    check_some_weight,
    markers_of,
)
from deciban.read import Column, Table
from deciban.tallies import Crossed, Sample, Tally, weight_left
from deciban.ties import exceeds, settled
from deciban.types import AnyArray, Codes, Floats, Ints

__all__ = ["KDB", "ChainSearch", "naive_weights"]


_MOST_PARENTS = 3
_FEWEST_TO_CUT = 5
_MOST_WEIGHTS = 64  # leave-one-out smooths all tables anew for each weight of a row


class KDB(FamilyClassifier, OnnxClassifier):
    """K-dependence Bayes: every column depends on the class and on up to k other columns.

    Several such models, with orders, parents and cuts of their own, are averaged.

    Parameters
    ----------
    columns : "auto", mapping or Schema
        The distributions of the columns, "auto" or by name: labels, and numbers in bins. Numbers whose distribution is
        not named are cut by each member, at random quantiles of its own.
    k : int or "auto"
        The largest number of parents of a column; "auto" is 3. How many of them are used, and how much, is learned.
    members : int
        How many orders, choices of parents and cuts are averaged; 1 is the classical model.
    bins : {"few", "many"}
        Into how many bins a member cuts n numbers at most: "few": n^(1/3), "many": n^(1/2).
    structure : optional
        `structure_` of another model, whose cuts, parents and weights are then used, so that both can be merged.
    weights : "auto" or None
        "auto": of each column and each of its parents, learned by `fit` or the first `partial_fit`. None: 1 each.
    priors : "empirical", "uniform", Smoothing, mapping or array
        The class priors: relative frequencies, equal ones, smoothed frequencies, or probabilities by label or in the
        order of the classes.
    missing : {"state", "error"}
        "state": missing values are a state of their own in the columns that have any.
    unseen : {"smooth", "ignore", "error"}
        What a label is that did not occur in fit: a label counted 0 times, no evidence, or an error.
    na_values : sequence
        Further values that stand for missing ones, like "?".
    rule : {"map", "ml"}
        How to decide: "map" by the posterior; "ml" by the likelihood alone, without the priors.
    loss : array or mapping, optional
        A matrix, truth × decision, or {truth: {decision: cost}}, where costs that are not named are 0 for the right
        decision and 1 for a wrong one. The decision of least expected loss is taken.
    reject : Reject or float, optional
        A `Reject`, or the posterior below which no decision is made: `predict` then returns None.
    random_state : int, Generator or None
        What the members are drawn with.

    Attributes
    ----------
    tally_ : Tally
        The counts of all combinations of a column and its parents.
    parents_ : dict
        For each column, the share of the members in which another column is its parent.
    weights_ : dict
        For each column, the weight of P(x | class), and those of what the first parent, the second … adds.
    structure_ : value
        The cuts, parents and weights, for the parameter `structure` of another model.
    classes_ : array
        The labels, sorted.
    class_count_ : array
        The weight of the rows of each class.
    class_prior_ : array
        P(class).
    schema_ : Schema
        For each column its name, its distribution and the reason for it; it prints as a table.
    n_features_in_ : int
        The number of columns.
    feature_names_in_ : array
        The names of the columns, where the rows had names.

    See Also
    --------
    AutoBayes : Naive Bayes and KDB, compared and combined.
    TAN : One parent for each column.

    Notes
    -----
    Cuts, parents and weights are found from the rows of `fit`, or of the first `partial_fit`, and kept: `partial_fit`,
    `merge` and `forget` change the counts, and with them all probabilities and the strengths of their smoothing.
    `merge` averages the weights of both models by the rows that they were learned from.

    A missing value of a column without missing values in `fit`, and an unseen label, are no evidence, and as parents
    they are left out.

    Examples
    --------
    The class is whether a and b agree: no column alone has any information on it.

    >>> rows = {"a": list("xxyy") * 20, "b": list("uvuv") * 20}
    >>> model = KDB().fit(rows, [1, 0, 0, 1] * 20)
    >>> model.predict({"a": ["x", "x"], "b": ["u", "v"]}).tolist()
    [1, 0]
    """

    _parameter_constraints: ClassVar[dict[str, list[object]]] = {
        **{name: rules for name, rules in TABLE_CONSTRAINTS.items() if name != "smoothing"},
        "missing": [StrOptions({"state", "error"})],
        "k": [StrOptions({"auto"}), Interval(Integral, 0, 8, closed="both")],
        "members": [Interval(Integral, 1, None, closed="left")],
        "bins": [StrOptions({"few", "many"})],
        "structure": [Chains, None],
        "weights": [StrOptions({"auto"}), None],
    }

    schema_: Schema
    structure_: Chains
    _form: ChainForm
    _tables: ChainTables

    def __init__(
        self,
        columns: Any = "auto",
        *,
        k: int | Literal["auto"] = "auto",
        members: int = 16,
        bins: Literal["few", "many"] = "few",
        structure: Chains | None = None,
        weights: Literal["auto"] | None = "auto",
        priors: Any = "empirical",
        missing: Literal["state", "error"] = "state",
        unseen: Unseen = "smooth",
        na_values: Sequence[Any] = (),
        rule: Rule = "map",
        loss: Any = None,
        reject: Reject | float | None = None,
        random_state: int | np.random.Generator | None = 0,
    ) -> None:
        self.columns, self.k, self.members, self.bins, self.structure = columns, k, members, bins, structure
        self.weights, self.priors = weights, priors
        self.missing, self.unseen, self.na_values = missing, unseen, na_values
        self.rule, self.loss, self.reject = rule, loss, reject
        self.random_state = random_state

    # Finding the structure -----------------------------------------------------------------------------------------

    def _form_of_sample(self, data: Table, sample: Sample) -> ChainForm:
        check_some_weight(sample)
        schema, is_cut = self._plan(data, sample)
        form = replace(self._form_of(data), schema=schema)
        chains = self._settings.structure
        if chains is None:
            most = _MOST_PARENTS if self._settings.k == "auto" else int(self._settings.k)
            rng = np.random.default_rng(self._settings.random_state)
            chains = ChainSearch(data, sample, schema, is_cut, self._settings.bins).find(
                most, int(self._settings.members), rng
            )
            ones = np.ones((len(schema), chains.k + 1))
            chains = replace(chains, weights=_as_tuples(ones), unit=_unit(sample))
        elif len(chains.weights) != len(schema):
            raise ColumnMismatchError(
                f"the structure has {len(chains.weights)} columns, and the table has {len(schema)}."
            )
        return ChainForm.extend(form, chains)

    def _plan(self, data: Table, sample: Sample) -> tuple[Schema, list[bool]]:
        """How each column is coded, and which columns each member cuts by itself."""
        given = wanted_columns(self._settings.columns, data.names)
        defaults = Defaults(Laplace(), self._settings.missing, self._settings.unseen)
        schema = judge_columns(plan_columns(data, self._settings.columns, defaults), data, sample, given)
        plans, is_cut = [], []
        for plan, column in zip(schema, data.columns, strict=True):
            is_given = plan.name in given
            kind = defaults.settle(plan.distribution if is_given else plan.distribution.discretized())
            if self._settings.missing == "state" and not kind.is_ignored and not column.has_missing:
                kind = replace(kind, missing="skip")  # no state that never occurs
            is_cut.append(not is_given and not kind.is_ignored and _is_cut(column))
            if not is_cut[-1]:
                kind, _ = kind.with_fixed_states(column, sample)
            plans.append(replace(plan, distribution=kind))
        return Schema(tuple(plans)), is_cut

    def _form_of_tally(self, tally: Tally) -> ChainForm:
        if self._settings.structure is None or not np.array_equal(self._settings.structure.sets(), tally.parts[0].sets):
            raise ParameterError("a tally does not say how its columns were cut. Pass structure=model.structure_.")
        names = self._names_in(tally)
        kinds = {view.column: view.distribution for view in reversed(self._settings.structure.views)}
        plans = (ColumnPlan(name, kinds[i], "as the tally counts it") for i, name in enumerate(names))
        return ChainForm(len(names), names, schema=Schema(tuple(plans)), chains=self._settings.structure)

    def _learn_beyond_counts(
        self, tally: Tally, form: Form, data: Table, sample: Sample
    ) -> tuple[Form, dict[str, object] | None]:
        """The form with learned weights of the columns and their parents."""
        if self._settings.structure is not None or self._settings.weights is None:
            return form, None
        form = _chain_form(form)
        tables = ChainTables.of(tally.parts[0], form.chains)
        owner = type(self).__name__
        weights, strengths = learn_chain_weights(
            form.chains, tables, tally, data, sample, priors=self._settings.priors, owner=owner
        )
        if weights is not None:
            form = replace(form, chains=replace(form.chains, weights=_as_tuples(weights), rows=float(tally.total)))
        return form, self._fitted_attributes(tally, form, self._made_of(replace(tables, strengths=strengths), form))

    # Counting and estimating ---------------------------------------------------------------------------------------

    def _structure(self, form: Form) -> Chains:
        return _chain_form(form).chains

    def _names_in(self, tally: Tally) -> tuple[str, ...]:
        return tuple(dict.fromkeys(tally.names))  # a column has several views

    def _check_mergeable(self, other: KDB) -> None:
        if not self.structure_.has_same_counts(other.structure_):
            raise ColumnMismatchError(
                "the two models have different cuts or parents. Fit the second with those of the first: "
                "structure=first.structure_."
            )

    def _made(self, tally: Tally, form: Form) -> dict[str, object]:
        form = _chain_form(form)
        return self._made_of(ChainTables.of(tally.parts[0], form.chains), form)

    def _made_of(self, tables: ChainTables, form: ChainForm) -> dict[str, object]:
        names, chains = [plan.name for plan in form.schema], form.chains
        return {
            "structure_": chains,
            "parents_": chains.parents_of(names),
            "weights_": dict(zip(names, chains.weights, strict=True)),
            "_tables": replace(tables, chains=chains),
        }

    def _column_weights(self) -> Mapping[str, object]:
        return self.weights_

    # Scoring -------------------------------------------------------------------------------------------------------

    def _codes(self, data: Table) -> AnyArray:
        return self.structure_.codes(data, self.tally_.parts[0].variables, type(self).__name__)

    def _closed_form(self) -> ClosedForm:
        """A formula for each view that a chain has: a column of numbers has several, each with cuts of its own."""
        views, variables, classes = self.structure_.views, self.tally_.parts[0].variables, len(self.classes_)
        used = sorted({view for chain in self.structure_.chains for view in chain.views})
        markers, columns = markers_of(self._settings.na_values), []
        for i in used:
            name, kind = self.schema_.plans[views[i].column].name, views[i].distribution
            states = kind.states(variables[i], classes)
            if states is not None:  # no chain has a view without states
                columns.append(NamedFormula(name, states, markers, name in self._form.numerals))
        index = {view: k for k, view in enumerate(used)}
        tables = [TableOf(tuple(index[view] for view in views), logs) for views, logs in self._tables.tables()]
        return ClosedForm(self._start(), self._prior, columns, Sums(tables), matrix=self._matrix_input())

    _why_no_joint = "it averages the weighted logarithms of several members. Use TAN or BayesNetClassifier"

    def _free_parameters(self) -> int:
        """Those of P(x | class, parents), of all members."""
        sizes = [len(variable) for variable in self.tally_.parts[0].variables]
        chains = {chain.views for chain in self.structure_.chains}
        free = sum(prod(sizes[view] for view in views[:-1]) * max(sizes[views[-1]] - 1, 0) for views in chains)
        return len(self.classes_) * free

    def _left_out_likelihood(self, data: Table, y: Codes, weights: Floats) -> Floats:
        """The structure, the weights and the strengths of the smoothing stay as they are."""
        part, chains, owner = self.tally_.parts[0], self.structure_, type(self).__name__
        units = np.unique(weights)
        if len(units) > _MOST_WEIGHTS:
            raise ParameterError(
                f"leave-one-out of a KDB takes at most {_MOST_WEIGHTS} different sample weights, and there are "
                f"{len(units)}. Use rows that were not learned."
            )
        out = np.empty((len(y), len(self.classes_)))
        for unit in units.tolist():
            rows = np.flatnonzero(weights == unit)
            codes = chains.left_out_codes(data.take(rows), part, unit, owner)
            out[rows] = ChainTables.of(part, chains, unit).score_left_out(codes, y[rows])
        return out


def _chain_form(form: Form) -> ChainForm:
    if not isinstance(form, ChainForm):
        raise ParameterError("the model has no chains.")
    return form


def _is_cut(column: Column) -> bool:
    """True for numbers of which there are more than a few."""
    if not column.is_numeric:
        return False
    numbers = column.numbers
    return len(np.unique(numbers[~np.isnan(numbers)] if numbers.dtype.kind == "f" else numbers)) >= _FEWEST_TO_CUT


def _unit(sample: Sample) -> float:
    """The weight of a row that is left out: 1, or the mean where weights are not whole numbers."""
    weights = sample.weights
    # A whole-number weight stands for so many rows, of which one is left out.
    if weights is None or not (weights % 1.0).any():
        return 1.0
    return float(weights[weights > 0].mean())


def _as_tuples(weights: Floats) -> tuple[tuple[float, ...], ...]:
    return tuple(map(tuple, weights.tolist()))


_ROWS, _MOST_REPEATED = 20_000, 1 << 24
_FEWEST_BINS = 3
# The power of the number of rows that is the largest number of bins, and its limit: with n^(1/3) bins each has n^(2/3)
# rows.
_FINEST = {"few": (1 / 3, 32), "many": (1 / 2, 128)}
_BINS_OF_ORDER = 6  # for the dependences alone, which all members share
_DISTURBED, _CANDIDATES = 0.5, 0.5  # the least factor of a column's information; the share of columns to choose from
_FEWEST_CELLS, _MOST_CELLS, _CELLS_A_ROW = 1 << 10, 1 << 17, 4


class _Rows(NamedTuple):
    """Some of the rows, which decide."""

    data: Table
    y: Codes
    weights: Floats | None
    classes: int


@dataclass(frozen=True)
class _Numbers:
    """A column to be cut: its finite numbers in order."""

    ordered: Floats
    missing: Missing | None

    @classmethod
    def of(cls, column: Column, kind: ColumnDistribution) -> _Numbers | None:
        """None where there are no two different numbers."""
        numbers = numbers_of(column)
        ordered = np.sort(numbers[np.isfinite(numbers)])
        return cls(ordered, kind.missing) if len(ordered) and ordered[0] < ordered[-1] else None

    def cut(self, quantiles: Floats) -> Cut:
        """Bins that end at these quantiles, halfway between two numbers."""
        at = np.clip((quantiles * len(self.ordered)).astype(np.int64), 1, len(self.ordered) - 1)
        below, above = self.ordered[at - 1], self.ordered[at]
        ends = np.sort(below + (above - below) / 2)
        # The largest number lies behind the last end; otherwise the last bin would be a state that never occurs.
        is_new = np.append(ends[:-1] < ends[1:], True) & (ends < self.ordered[-1])
        return Cut(at=ends[is_new].tolist(), missing=self.missing)


class ChainSearch:
    """The search for the chains of a table.

    `is_cut` says which columns are to be cut here; the others have the states of their distributions.
    """

    def __init__(
        self, data: Table, sample: Sample, schema: Schema, is_cut: Sequence[bool], bins: Literal["few", "many"] = "few"
    ) -> None:
        at, weights = _spread(sample, len(data))
        self._rows = _Rows(data.take(at), sample.codes[at], weights, len(sample.classes))
        self._used = [i for i, plan in enumerate(schema) if not plan.distribution.is_ignored]
        self._kinds = [plan.distribution for plan in schema]
        cut = {i: _Numbers.of(self._rows.data.columns[i], self._kinds[i]) for i in self._used if is_cut[i]}
        self._numbers = {i: numbers for i, numbers in cut.items() if numbers is not None}
        for i in set(cut) - set(self._numbers):  # one number: a column of one bin
            self._kinds[i] = Cut(missing=self._kinds[i].missing)
        power, most_bins = _FINEST[bins]
        self._most_bins = int(np.clip(round(len(at) ** power), _FEWEST_BINS + 1, most_bins))
        # A table has a few cells a row at most: more of them could not be filled.
        room = min(_MOST_CELLS, max(_FEWEST_CELLS, _CELLS_A_ROW * int(sample.counts.sum())))
        self._room = room // self._rows.classes
        self._information = self._measure()
        # Ties are settled once: every member sorts by the same numbers.
        self._on_class = settled(np.diag(self._information))
        self._of_pairs = [settled(row) for row in self._information]
        self._is_dependent = [[exceeds(number, 0.0) for number in row] for row in self._information.tolist()]

    def find(self, k: int, members: int, rng: np.random.Generator) -> Chains:
        """The chains of some members, each column with at most k parents."""
        views = _Views()
        fixed = {i: views.add(i, kind) for i, kind in enumerate(self._kinds) if i not in self._numbers}
        columns = self._rows.data.columns
        fixed_sizes = {i: len(self._kinds[i].variable(columns[i])) for i in self._used if i in fixed}
        times: dict[tuple[int, ...], int] = {}  # members often agree: a chain is counted once, with its share
        for _ in range(members):
            kinds = self._kinds_of_member(rng)
            index = fixed | {i: views.add(i, kinds[i]) for i in self._numbers}
            sizes = fixed_sizes | {i: len(kinds[i].variable(columns[i])) for i in self._numbers}
            # The order of a single member is not disturbed: it is the classical model.
            for i, parents in self._parents(k, rng if members > 1 else None):
                kept = _that_fit(parents, sizes, self._room // max(sizes[i], 1))
                key = (*(index[p] for p in kept), index[i])
                times[key] = times.get(key, 0) + 1
        chains = [Chain(key[-1], key[:-1], count / members) for key, count in times.items()]
        return views.by_column(chains)

    def _kinds_of_member(self, rng: np.random.Generator) -> list[ColumnDistribution]:
        kinds = list(self._kinds)
        for i, numbers in self._numbers.items():
            bins = int(rng.integers(_FEWEST_BINS, self._most_bins + 1))
            kinds[i] = numbers.cut((np.arange(1, bins) + rng.uniform(-0.5, 0.5, bins - 1)) / bins)
        return kinds

    def _measure(self) -> Floats:
        """Columns × columns: the dependence given the class, and on the diagonal the information on the class."""
        equal = np.arange(1, _BINS_OF_ORDER) / _BINS_OF_ORDER
        kinds = [self._numbers[i].cut(equal) if i in self._numbers else self._kinds[i] for i in self._used]
        views = Chains(tuple(View(i, kind) for i, kind in zip(self._used, kinds, strict=True)), ())
        data, y, weights, classes = self._rows
        variables = views.variables(data)
        sizes = np.array([len(variable) for variable in variables], dtype=np.int64)
        if not len(sizes):
            return np.zeros((0, 0))
        return _core.pair_information(views.codes(data, variables, "KDB"), sizes, y, classes, weights)

    def _parents(self, k: int, rng: np.random.Generator | None) -> list[tuple[int, list[int]]]:
        """The parents of each column, strongest first."""
        on_class = self._on_class
        keys = on_class if rng is None else on_class * rng.uniform(_DISTURBED, 1.0, len(on_class))
        order = np.argsort(-settled(keys), kind="stable")
        out = []
        for place, j in enumerate(order.tolist()):
            before = order[:place]
            if rng is not None:
                before = before[rng.random(place) < _CANDIDATES]
            best = before[np.argsort(-self._of_pairs[j][before], kind="stable")[:k]]
            out.append((self._used[j], [self._used[p] for p in best.tolist() if self._is_dependent[j][p]]))
        return out


class _Views:
    """Views without repetitions."""

    def __init__(self) -> None:
        self._views: list[View] = []
        self._index: dict[tuple[int, str], int] = {}

    def add(self, column: int, kind: ColumnDistribution) -> int:
        """The index of a view; equal ones have the same."""
        key = (column, kind.coding)
        if key not in self._index:
            self._index[key] = len(self._views)
            self._views.append(View(column, kind))
        return self._index[key]

    def by_column(self, chains: Sequence[Chain]) -> Chains:
        """The views in the order of the columns, and chains of these."""
        order = sorted(range(len(self._views)), key=lambda i: self._views[i].column)
        new = {old: i for i, old in enumerate(order)}
        moved = [replace(c, view=new[c.view], parents=tuple(new[p] for p in c.parents)) for c in chains]
        return Chains(tuple(self._views[i] for i in order), tuple(moved))


def _spread(sample: Sample, rows: int) -> tuple[AnyArray, Floats | None]:
    """Some rows, evenly spread, and their weights; whole-number weights repeat rows."""
    if sample.weights is None:
        return np.arange(rows)[:: max(1, -(-rows // _ROWS))], None
    if (sample.weights % 1.0).any() or sample.weights.sum() > _MOST_REPEATED:
        at = np.flatnonzero(sample.weights)
        at = at[:: max(1, -(-len(at) // _ROWS))]
        return at, sample.weights[at]
    at = np.repeat(np.arange(rows), sample.weights.astype(np.int64))
    return at[:: max(1, -(-len(at) // _ROWS))], None


def _that_fit(parents: Sequence[int], sizes: dict[int, int], room: int) -> list[int]:
    """The parents whose states fit into the table of a column."""
    kept, cells = [], 1
    for parent in parents:
        if cells * sizes[parent] <= room:
            kept.append(parent)
            cells *= sizes[parent]
    return kept


class _Combined(NamedTuple):
    """The tables of the chains that are used, one behind the other; their views, and their indices among all chains.

    `strengths` are those of all chains.
    """

    table: Floats
    views: list[tuple[int, ...]]
    used: Ints
    strengths: Floats


_BLOCK = 1 << 22  # rows × columns × levels × classes of evidence at once: 32 MB


@dataclass(frozen=True, eq=False)
class ChainTables(Tables):
    """The levels of all chains, combined by their weights. Rows are codes, views × rows.

    `unit` is the weight of the row that leave-one-out leaves out, and `strengths` are those of the smoothing of each
    level, where they are known.
    """

    part: Crossed
    chains: Chains
    unit: float
    strengths: Floats | None = None

    @classmethod
    def of(cls, part: Crossed, chains: Chains, unit: float | None = None) -> ChainTables:
        return cls(part, chains, chains.unit if unit is None else unit)

    @cached_property
    def _of_column(self) -> Codes:
        return np.array(self.chains.columns(), dtype=np.int32)

    @cached_property
    def _sizes(self) -> Ints:
        return np.array([len(variable) for variable in self.part.variables], dtype=np.int64)

    @cached_property
    def _counted(self) -> tuple[AnyArray, Ints, Ints, Codes]:
        # Without a forgotten class, cells are a part of those before.
        cells = np.ascontiguousarray(self.part.cells)
        return cells, self._sizes, *_ragged([chain.views for chain in self.chains.chains])

    def score(self, codes: AnyArray) -> Floats:
        """log P(row | class), weighted: rows × classes."""
        return self._sum(codes, np.zeros_like(self._of_column), 1)[:, 0]

    def weigh(self, codes: AnyArray) -> Floats:
        """The weighted evidence of each column: rows × columns × classes."""
        return self._sum(codes, self._of_column, len(self.chains.weights))

    def score_left_out(self, codes: AnyArray, y: Codes) -> Floats:
        """log P(row | class) of counted rows, weighted, each without itself."""
        weights, out = np.array(self.chains.weights), np.empty((len(y), self.part.classes))
        step = max(1, _BLOCK // max(1, weights.size * self.part.classes))
        for first in range(0, len(y), step):
            rows = slice(first, first + step)
            evidence, _ = self.evidence(np.ascontiguousarray(codes[:, rows]), y[rows])
            out[rows] = np.einsum("rilc,il->rc", evidence, weights)
        return out

    def evidence(self, codes: AnyArray, y: Codes) -> tuple[Floats, Floats]:
        """What each level of each column adds to counted rows, each without itself, and the strengths.

        Rows × columns × levels × classes.
        """
        shares = np.array([chain.share for chain in self.chains.chains])
        size = len(self.chains.weights), self.chains.k + 1
        return _core.chain_evidence(*self._counted, self.unit, codes, y, shares, self._of_column, *size)

    def _sum(self, codes: AnyArray, groups: Codes, count: int) -> Floats:
        combined = self._combined
        chains, groups = _ragged(combined.views), groups[combined.used]
        return _core.add_chains(codes, self._sizes, *chains, combined.table, groups, count, self.part.classes)

    def tables(self) -> Iterator[tuple[tuple[int, ...], Floats]]:
        """The views of each chain, and its weighted logs: the states of each view and an unknown one × … × classes."""
        start, classes = 0, self.part.classes
        for views in self._combined.views:
            sizes = [int(self._sizes[view]) for view in views]
            out = np.zeros((*(size + 1 for size in sizes), classes))
            # The last level first, and those without the last parents over what is not known of these.
            for level in range(len(sizes), 0, -1):
                shape = (*sizes[: level - 1], sizes[-1])
                end = start + prod(shape)
                held = self._combined.table[start:end, :classes].reshape(*shape, classes)
                start = end
                index = tuple(slice(size) for size in shape[:-1])
                if level == len(sizes):
                    out[(*index, slice(sizes[-1]))] = held
                    continue
                between = (1,) * (len(sizes) - level - 1)
                held = held.reshape(*shape[:-1], *between, sizes[-1], classes)
                unknown = np.moveaxis(out[index], level - 1, 0)[sizes[level - 1]]
                unknown[..., : sizes[-1], :] = held
            start += 1  # an entry of zeros, for a value that is not known
            yield views, out

    @cached_property
    def _combined(self) -> _Combined:
        """One table a chain: the levels, weighted."""
        factors, used = [], []
        for chain, column in zip(self.chains.chains, self._of_column.tolist(), strict=True):
            weights = [*self.chains.weights[column][: len(chain.parents) + 1], 0.0]
            # Σ_l w_l·(log P_l − log P_(l−1)) = Σ_l (w_l − w_(l+1))·log P_l: one table a chain serves all its levels.
            of_levels = [chain.share * (a - b) for a, b in pairwise(weights)]
            # The last levels have no weight where their parents add nothing: then they are in no table.
            used.append(max((level + 1 for level, factor in enumerate(of_levels) if factor), default=0))
            factors += of_levels
        if not any(used):  # exported models have a table
            used[:1] = [1 for _ in used[:1]]
        flat, levels = np.array(factors), np.array(used, dtype=np.int64)
        table, strengths = _core.combine_chains(*self._counted, self.unit, self.strengths, flat, levels)
        kept = np.flatnonzero(levels)
        chains = [self.chains.chains[i] for i in kept.tolist()]
        views = [(*c.parents[: count - 1], c.view) for c, count in zip(chains, levels[kept].tolist(), strict=True)]
        return _Combined(table, views, kept, strengths)


def _ragged(lists: Sequence[Sequence[int]]) -> tuple[Ints, Codes]:
    """Lists as the kernels take them: starts and values."""
    starts = np.concatenate([[0], np.cumsum([len(values) for values in lists])]).astype(np.int64)
    return starts, np.array([value for values in lists for value in values], dtype=np.int32)


def naive_weights(columns: int, levels: int) -> Floats:
    """The weights of naive Bayes: columns × levels."""
    out = np.zeros((columns, levels))
    out[:, 0] = 1.0
    return out


def learn_chain_weights(
    chains: Chains,
    tables: ChainTables,
    tally: Tally,
    data: Table,
    sample: Sample,
    *,
    priors: Any,
    owner: str,
) -> tuple[Floats | None, Floats | None]:
    """The best weights, columns × levels, and the strengths of the levels; None where there are no rows for them.

    `data` and `sample` are the rows that were counted, all of them, and `priors` is the rule of the class priors.
    """
    center, classes = naive_weights(len(chains.weights), chains.k + 1), len(tally.classes)
    at = chosen_rows(sample, center.size * max(1, classes - 1), center.size)
    # Without the row, a class that has no other row is impossible.
    at = at[weight_left(tally.class_counts[sample.codes[at]], np.full(len(at), chains.unit)) > 0]
    if classes < 2 or not len(at):
        return None, None
    y, own = sample.codes[at], np.full(len(at), chains.unit)
    codes = chains.left_out_codes(data.take(at), tally.parts[0], chains.unit, owner)
    evidence, strengths = tables.evidence(codes, y)
    prior = prior_of_rows(priors, tally.class_counts, y, own)
    order = order_of_rows(sample.codes, classes)
    if order is not None:  # the optimizer's path, and so rounding, must not depend on the names of the classes
        evidence, prior, y = evidence[..., order], prior[:, order], np.argsort(order).astype(y.dtype)[y]
    margins, of_prior = Margins(y, own, classes, center.size), Margins(y, own, classes, 1)
    of_prior.add_logs(0, prior)
    evidence = evidence.reshape(len(at), center.size, classes)
    for i in range(center.size):
        margins.add_logs(i, evidence[:, i])
    importance = np.ones(len(at)) if sample.weights is None else sample.weights[at]
    return best_weights(margins, of_prior, importance, center.ravel()).reshape(center.shape), strengths
