"""A Bayes net over the class and the columns, as a classifier.

    P(c | x) ∝ P(c | parents of c)·Π P(x_i | parents of x_i)   over the children i of the class

In naive Bayes the class is the only parent of every column, in TAN the columns also form a tree; here the graph may be
any DAG, given or found from the rows ("Bayes Nets"; Friedman, Geiger and Goldszmidt, 1997, section 3).

The tables of a net that classifies, and how they score rows with or without missing values.

    P(c | x) ∝ P(c | parents of c)·Π P(x_i | parents of x_i, c)   over the children i of the class

where all of the class's Markov blanket is known: a sum of table lookups. Where some of it is missing, the missing
columns are summed out of the product of all families that contain them, many rows at a time.

Rows in which the same relevant columns are missing are summed out together. Columns that are not relevant are left out
first: missing columns without a known descendant, since their families sum to 1, and columns that no path through
missing columns connects to the class.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, cast

import numpy as np
from sklearn.utils._param_validation import Interval

from deciban.choices import did_you_mean
from deciban.decide import Reject
from deciban.errors import ColumnMismatchError, ParameterError
from deciban.estimate import Ignore, Laplace, Smoothing, backed_off_logs, column_logs, empirical_priors
from deciban.explain import Explanation, FactorExplanation, conditioned
from deciban.models.base import Missing, Rule, Unseen, words
from deciban.models.families.family_classifier import CodedClassifier
from deciban.models.families.family_tables import (
    CLASS,
    FactorTables,
    LeftOut,
    NodeTables,
    Strength,
    chosen_strength,
    pack_tables,
    score_each_without,
    sum_lookups,
)
from deciban.models.families.structures import ColumnSets, Families, NetForm
from deciban.models.leave_one_out import class_counts_without_own
from deciban.models.schema import ColumnPlan, Form, Schema, wanted_columns
from deciban.nets import DAG, PDAG, Knowledge, discover
from deciban.nets.data.grouping import distinct_rows
from deciban.nets.data.node_rows import kind_of
from deciban.nets.graphs.bits import bits, mask_of, reach
from deciban.nets.inference import elimination as tables
from deciban.nets.inference.elimination import plan, sum_out
from deciban.nets.search.search import search
from deciban.read import Column, Table
from deciban.tallies import Counts, Crossed, Sample, Tally
from deciban.tallies.kernels import best_strength
from deciban.types import AnyArray, Codes, Floats, Ints

__all__ = ["BayesNetClassifier", "NetTables"]


Criterion = Literal["bic", "bdeu", "k2"]
Method = Literal["hc", "tabu", "auto", "boss", "ges", "exact", "chow_liu"]

_MOST_REPEATED = 1 << 24  # rows: repeating them by larger weights would take too much memory
_FOUND = ("search", "augmented", "discover")


class BayesNetClassifier(CodedClassifier):
    """A Bayes net over the class and the columns, found from the rows or given.

    Parameters
    ----------
    structure : {"augmented", "search", "discover"}, DAG or pairs
        "augmented": the net with the best score of those in which the class is a parent of every column. "search": the
        best of all nets, in which the class may have few neighbours, so that it is less accurate on most tables.
        "discover": a net with the independences that tests find. Or a `DAG`, or its arrows as pairs, over the columns
        and the class.
    columns : "auto", mapping or Schema
        The distributions of the columns, as in `AODE`: labels, and numbers in bins.
    target : str
        The name of the class in the net.
    criterion : str
        The score of the search, as in `db.search`.
    method : str
        The method of the search, as in `db.search`.
    max_parents : int, optional
        The largest number of parents of a node in the search; the class counts as a parent.
    alpha : float
        The level of the tests, as in `db.discover`.
    smoothing : Smoothing
        Of P(x | class), and of P(x) where the class is not a parent of x.
    strength : float or "auto"
        The number of virtual rows by which P(x | parents) is shrunk to these. "auto": for each family the number of
        largest leave-one-out likelihood.
    temperature : float or "auto"
        T in log P(class) + (1/T)·log P(row | class), which corrects overconfidence. "auto": `fit` learns it from
        leave-one-out posteriors; 1 for the posteriors of the net.
    priors : "empirical", "uniform", Smoothing, mapping or array
        The class priors: relative frequencies, equal ones, smoothed frequencies, or probabilities by label or in the
        order of the classes.
    missing : {"skip", "state", "error"}
        "skip": a row counts in the families that it has, and missing values of a row to be classified are summed out
        exactly, over the whole net. "state": a missing value is a label of its own.
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

    Attributes
    ----------
    tally_ : Tally
        The counts of the families of the net.
    dag_ : DAG
        The net.
    classes_ : array
        The labels, sorted.
    class_count_ : array
        The weight of the rows of each class.
    class_prior_ : array
        P(class).
    temperature_ : float
        The temperature of the evidence.
    schema_ : Schema
        For each column its name, its distribution and the reason for it; it prints as a table.
    n_features_in_ : int
        The number of columns.
    feature_names_in_ : array
        The names of the columns, where the rows had names.

    See Also
    --------
    search : Find a net without a class.
    BayesNet : Query any node given any others.

    Notes
    -----
    The net is found from the first rows and kept: `partial_fit`, `merge` and `forget` change the counts of its families
    only. In the search a missing value is a state of its own, whole-number weights repeat rows, and with other weights
    each row is used once. A column with more than 64 labels and more than half as many as rows is ignored where the net
    is searched for, and `schema_` says so. `predict_joint_log_proba` leaves out factors that are equal for all classes.
    In `evidence` each child of the class has its factor, divided by T; the factor of the class given its parents, and
    missing values that are summed out, are "(parents, missing)".

    The temperature is learned by `fit`, kept by `partial_fit` and `forget`, averaged by `merge`, and 1 in models that
    begin with `partial_fit` or `from_tally`.

    Examples
    --------
    >>> rows = {"rain": list("yynn") * 9, "sprinkler": list("ynyn") * 9}
    >>> wet = ["wet", "wet", "wet", "dry"] * 9
    >>> model = BayesNetClassifier([("rain", "class"), ("sprinkler", "class")]).fit(rows, wet)
    >>> model.predict({"rain": ["n", "n"], "sprinkler": ["y", "n"]}).tolist()
    ['wet', 'dry']
    """

    _parameter_constraints: ClassVar[dict[str, list[object]]] = {
        **CodedClassifier._parameter_constraints,
        "target": [str],
        "criterion": [words(Criterion)],
        "method": [words(Method)],
        "max_parents": [Interval(Integral, 0, None, closed="left"), None],
        "alpha": [Interval(Real, 0, 1, closed="neither")],
    }
    dag_: DAG
    _form: NetForm
    _tables: NetTables

    def __init__(
        self,
        structure: Any = "augmented",
        *,
        columns: Any = "auto",
        target: str = "class",
        criterion: Criterion = "bdeu",
        method: Method = "hc",
        max_parents: int | None = 3,
        alpha: float = 0.01,
        smoothing: Smoothing = Laplace(),
        strength: Strength = "auto",
        temperature: Strength = "auto",
        priors: Any = "empirical",
        missing: Missing = "skip",
        unseen: Unseen = "smooth",
        na_values: Sequence[Any] = (),
        rule: Rule = "map",
        loss: Any = None,
        reject: Reject | float | None = None,
    ) -> None:
        self.structure, self.columns, self.target = structure, columns, target
        self.criterion, self.method, self.max_parents, self.alpha = criterion, method, max_parents, alpha
        self.smoothing, self.strength, self.temperature, self.priors = smoothing, strength, temperature, priors
        self.missing, self.unseen, self.na_values = missing, unseen, na_values
        self.rule, self.loss, self.reject = rule, loss, reject

    # The structure -------------------------------------------------------------------------------------------------

    def _form_of_sample(self, data: Table, sample: Sample) -> NetForm:
        plain = super()._form_of_sample(data, sample)
        names = plain.names or data.names
        if self._settings.target in names:
            raise ColumnMismatchError(
                f"a column is called {self._settings.target!r}, as the class is. Pass another target."
            )
        dag = self._given_structure()
        if dag is None:
            columns, y = self._searched_rows(data, sample, plain)
            plain = replace(plain, schema=_without_identifiers(plain.schema, columns, self._settings.columns))
            used = {i: codes for i, codes in columns.items() if not plain.schema.plans[i].distribution.is_ignored}
            dag = self._find(used, y, names)
        return NetForm.extend(plain, Families.of(dag, names, self._settings.target))

    def _form_of_tally(self, tally: Tally) -> NetForm:
        dag = self._given_structure()
        if dag is None:
            raise ParameterError("a tally does not say how its net was found. Pass structure=model.dag_.")
        families = Families.of(dag, tally.names, self._settings.target)
        if not np.array_equal(families.sets(), tally.parts[0].sets):
            raise ParameterError("the tally counts the families of another net. Pass structure=model.dag_.")
        return NetForm.extend(super()._form_of_tally(tally), families)

    def _form_of_database(self, form: Form) -> NetForm:
        dag = self._given_structure()
        if dag is None:
            raise ParameterError("finding a net needs the rows. Pass its structure: a DAG, its arrows, or model.dag_.")
        return NetForm.extend(form, Families.of(dag, form.names or (), self._settings.target))

    def _given_structure(self) -> DAG | None:
        """The graph that is given; None where it is to be found."""
        if isinstance(self._settings.structure, str):
            if self._settings.structure in _FOUND:
                return None
        elif isinstance(self._settings.structure, DAG):
            return self._settings.structure
        elif isinstance(self._settings.structure, Iterable):
            return DAG([tuple(pair) for pair in self._settings.structure], [self._settings.target])
        named = ", ".join(map(repr, _FOUND))
        raise ParameterError(
            f"structure is one of {named}, a DAG or its arrows, not {self._settings.structure!r}."
            f"{did_you_mean(self._settings.structure, _FOUND)}"
        )

    def _searched_rows(self, data: Table, sample: Sample, form: Form) -> tuple[dict[int, Codes], Codes]:
        """The codes of the columns that vary, and of the class; a missing value is a state of its own."""
        rows = _repeated(sample.weights, len(data))
        varying = {}
        for i, (planned, column) in enumerate(zip(form.schema, data.columns, strict=True)):
            variable = planned.distribution.variable(column)
            codes = planned.distribution.codes(column, variable, type(self).__name__)[rows]
            with_missing = np.where(codes < 0, np.int32(len(variable)), codes)
            # A column that does not vary is independent of all others.
            if len(variable) > 0 and with_missing.min() < with_missing.max():
                varying[i] = with_missing
        return varying, sample.codes[rows]

    def _find(self, columns: dict[int, Codes], y: Codes, names: Sequence[str]) -> DAG:
        table = {names[i]: codes for i, codes in columns.items()} | {self._settings.target: y}
        if self._settings.structure == "discover":
            return cast(PDAG, discover(table, test="g2", alpha=self._settings.alpha).graph).extension()
        is_augmented = self._settings.structure == "augmented" and columns
        required = Knowledge(required=[(self._settings.target, names[i]) for i in columns]) if is_augmented else None
        most = None if self._settings.max_parents is None else int(self._settings.max_parents)
        graph = search(
            table, self._settings.criterion, method=self._settings.method, max_parents=most, knowledge=required
        ).graph
        return graph.extension() if isinstance(graph, PDAG) else graph  # some methods find a class

    # Counting, estimating and scoring ------------------------------------------------------------------------------

    def _check_mergeable(self, other: BayesNetClassifier) -> None:
        super()._check_mergeable(other)
        if self._form.families != other._form.families:
            raise ColumnMismatchError(
                "the two models have different nets. Fit the second with the net of the first: structure=first.dag_."
            )

    def _structure(self, form: Form) -> ColumnSets:
        return ColumnSets(form.schema, _families(form).sets())

    def _made(self, tally: Tally, form: Form) -> dict[str, object]:
        families, part = _families(form), tally.parts[0]
        prior = empirical_priors(tally.class_counts)
        return {
            "dag_": families.dag(part.names),
            "_tables": NetTables(part, families, prior, self._settings.smoothing, self._settings.strength),
        }

    def _joint_of(self, codes: Codes) -> Floats:
        self._check_priors()
        return self._prior + self._tables.score(codes, whole=True)

    def _check_priors(self) -> None:
        """Refuse other priors where the class has parents: its marginal follows from the tables."""
        is_empirical = isinstance(self._settings.priors, str) and self._settings.priors == "empirical"
        if _families(self._form).of_class and not is_empirical:
            raise ParameterError(
                "the class has parents in the net, so its probabilities follow from the tables: with other priors the "
                'posteriors are not those of one joint distribution. Use priors="empirical".'
            )

    def _nets(self) -> tuple[Sequence[NodeTables], Floats]:
        self._check_priors()
        families = self._tables.node_tables(self._prior)
        order = [
            CLASS if node == self._settings.target else self._names().index(node)
            for node in self.dag_.topological_order()
        ]
        return [{node: families[node] for node in order if node in families}], np.ones(1)

    def _with_factors(self, plain: Explanation, data: Table, values: list[object]) -> Explanation:
        codes = self._codes(data)
        families = _families(self._form)
        terms: list[str | None] = [None] * len(values)
        for i, (is_under, ups) in enumerate(zip(families.under_class, families.of_columns, strict=True)):
            if is_under and (codes[0, [i, *ups]] >= 0).all():
                terms[i] = conditioned(values[i], [values[up] for up in ups])
        terms[-1] = self._remainders()[0] if plain.reasons[-1].weight_db else None
        return FactorExplanation.of(plain, terms, self.temperature_)

    def _remainders(self) -> tuple[str, ...]:
        return ("(parents, missing)",)


def _families(form: Form) -> Families:
    if not isinstance(form, NetForm) or form.families is None:
        raise ParameterError("the model has no net.")
    return form.families


def _without_identifiers(schema: Schema, columns: Mapping[int, Codes], wanted: object) -> Schema:
    """The schema with columns ignored that have too many values to be counted, unless their distribution is named."""
    plans, given = list(schema), wanted_columns(wanted, [plan.name for plan in schema])
    for i, codes in columns.items():
        judged = kind_of(Column.of_values(plans[i].name, codes))
        if judged.kind == "identifier" and plans[i].name not in given:
            reason = f"identifier: {judged.values:,} distinct labels in {judged.rows:,} rows, too many for a net"
            plans[i] = ColumnPlan(plans[i].name, Ignore(missing="skip"), reason)
    return Schema(tuple(plans))


def _repeated(weights: Floats | None, rows: int) -> Ints:
    """The rows to search with: repeated by weight where weights are whole numbers, else once each."""
    if weights is None:
        return np.arange(rows)
    if (weights == np.floor(weights)).all() and weights.sum() < _MOST_REPEATED:
        return np.repeat(np.arange(rows), weights.astype(np.int64))
    return np.flatnonzero(weights)


@dataclass(frozen=True, eq=False)
class NetTables(FactorTables):
    """log P(v | parents) of each column and of the class, for the states of fit and one unseen state.

    `strength` may be the strengths of other counts: those of all rows, where `part` leaves one out.
    """

    part: Crossed
    families: Families
    class_log_prior: Floats
    smoothing: Smoothing
    strength: Strength | Sequence[float]

    @cached_property
    def strengths(self) -> Sequence[float]:
        """The number of virtual rows of the class's table, and of each column's."""
        return net_strengths(self.part, self.families, self.smoothing, self.strength)

    @cached_property
    def _of_class(self) -> Factor:
        return Factor(self.families.of_class, self._class_logs(self.part.table(0)), has_class=True)

    @cached_property
    def _of_columns(self) -> list[Factor]:
        tables, families = [table for _, table in self.part.tables()], self.families
        return [
            Factor((*families.of_columns[i], i), self._logs(tables[i + 1], i), is_under)
            for i, is_under in enumerate(families.under_class)
        ]

    @property
    def _children(self) -> list[int]:
        return [i for i, is_under in enumerate(self.families.under_class) if is_under]

    @cached_property
    def _blanket(self) -> list[int]:
        """The columns on which the posterior depends where all are known: the class's Markov blanket."""
        families = self.families
        return sorted({*families.of_class, *(c for i in self._children for c in (*families.of_columns[i], i))})

    @cached_property
    def _network(self) -> Network:
        return Network(self._of_class, self._of_columns, self.families)

    def score(self, codes: Codes, *, whole: bool = False) -> Floats:
        """log P(blanket | class), up to a term that is equal for all classes; log P(row | class) if `whole`."""
        if whole:
            return self._network.sum_out(codes, whole=True) - self._finite_prior()
        out = np.empty((len(codes), len(self.class_log_prior)))
        missing = (codes[:, self._blanket] < 0).any(axis=1)
        if not missing.all():
            out[~missing] = self._score_whole(codes[~missing])
        if missing.any():
            out[missing] = self._network.sum_out(codes[missing])
        return out - self._finite_prior()

    def node_tables(self, log_prior: Floats) -> NodeTables:
        """The parents and the table of each node that has states; `log_prior` is that of a class without parents."""
        ups = self._of_class.columns
        nodes = {CLASS: (ups, _without_unseen(self._of_class.logs, len(ups)) if ups else np.exp(log_prior))}
        for i, factor in enumerate(self._of_columns):
            table = _without_unseen(factor.logs, len(factor.columns))
            if table.size and factor.has_class:
                nodes[i] = (CLASS, *factor.columns[:-1]), np.moveaxis(table, -1, 0)
            elif table.size:
                nodes[i] = factor.columns[:-1], table
        return nodes

    def score_left_out(self, left: LeftOut, *, exact: bool = True) -> Floats:
        """`score` of counted rows, each without its own counts; the net and the strengths stay.

        Rows with missing values in the Markov blanket are scored one by one; if not `exact`, the families that have
        them are left out.
        """
        log_prior = empirical_priors(class_counts_without_own(left.class_counts, left.y, left.weights))
        families, tables = self.families, [table for _, table in left.part.tables()]
        out = left.class_factor(tables[0], families.of_class, log_prior, self.strengths[0])
        for i in self._children:
            ups, alone = families.of_columns[i], left.logs[i]
            out += left.factor_of(tables[i + 1], ups, i, self.strengths[i + 1], alone) if ups else alone
        # The shell adds the prior, which the factor of the class has already.
        out -= np.where(np.isneginf(log_prior), 0.0, log_prior)
        incomplete = np.flatnonzero((left.codes[:, self._blanket] < 0).any(axis=1))

        def score(part: Crossed, codes: Codes, row: int) -> Floats:
            return NetTables(part, families, log_prior[row], self.smoothing, self.strengths).score(codes)

        if exact and len(incomplete):
            out[incomplete] = score_each_without(left, left.part, incomplete, score)
        return out

    def _finite_prior(self) -> Floats:
        return np.where(np.isneginf(self.class_log_prior), 0.0, self.class_log_prior)

    def weigh(self, codes: Codes) -> Floats:
        """The evidence of each child of the class, and the remainder: rows × (columns + 1) × classes."""
        out = np.zeros((len(codes), codes.shape[1] + 1, len(self.class_log_prior)))
        for i in self._children:
            factor = self._of_columns[i]
            known = (codes[:, list(factor.columns)] >= 0).all(axis=1)
            out[known, i] = factor.logs[tuple(codes[known, c] for c in factor.columns)]
        whole = self.score(codes)
        with np.errstate(invalid="ignore"):  # −∞ − −∞ of an impossible class, which is set to 0 below
            rest = whole - out.sum(axis=1)
        out[:, -1] = np.where(np.isneginf(whole), 0.0, rest)
        return out

    def _class_factors(self) -> list[Factor]:
        """The factors that differ between classes."""
        return [self._of_class, *(self._of_columns[i] for i in self._children)]

    def _class_logs(self, table: AnyArray) -> Floats:
        """log P(c | parents): from the counts, and virtual rows with the shares of the classes."""
        strength = self.strengths[0]
        whole = table.sum(axis=-1, keepdims=True) + strength
        with np.errstate(divide="ignore"):  # a class without rows, or strength 0, has −∞
            logs = np.log(table + strength * np.exp(self.class_log_prior)) - np.log(np.where(whole > 0, whole, 1.0))
        return _with_unseen(np.where(whole > 0, logs, self.class_log_prior), table.ndim - 1, self.class_log_prior)

    def _logs(self, table: AnyArray, i: int) -> Floats:
        """log P(v | parents): an axis for each parent, then the column's own and, under the class, the classes."""
        families = self.families
        table, counts = _of_family(self.part, table, families, i)
        alone = column_logs(counts, self.smoothing)
        parents = len(families.of_columns[i])
        logs = backed_off_logs(table, alone, self.strengths[i + 1]) if parents else alone
        wide = _with_unseen(logs, parents, alone)
        return wide if families.under_class[i] else wide[..., 0]

    @cached_property
    def _packed(self) -> Floats:
        """The tables that differ between classes in one."""
        return pack_tables((factor.logs for factor in self._class_factors()), len(self.class_log_prior))

    def _score_whole(self, codes: Codes) -> Floats:
        columns, sizes = [], []
        for factor in self._class_factors():
            axes = factor.logs.shape[:-1]
            # The number of a cell of the table, its axes in order (row-major).
            index = reduce(lambda at, axis: at * axis[1] + codes[:, axis[0]], zip(factor.columns, axes, strict=True), 0)
            columns.append(np.ascontiguousarray(np.broadcast_to(index, len(codes)), dtype=np.int32))
            sizes.append(int(np.prod(axes, dtype=np.int64)))
        return sum_lookups(self._packed, columns, sizes, len(self.class_log_prior))


def net_strengths(
    part: Crossed, families: Families, smoothing: Smoothing, strength: Strength | Sequence[float]
) -> Sequence[float]:
    """The number of virtual rows of the class's table, and of each column's; 1 where "auto" has nothing to choose."""
    if isinstance(strength, Sequence) and not isinstance(strength, str):
        return strength
    if strength != "auto":
        return [float(strength)] * (len(part.counts) + 1)
    tables = [table for _, table in part.tables()]
    of_columns = [
        chosen_strength(*_of_family(part, tables[i + 1], families, i), smoothing, strength) if parents else 1.0
        for i, parents in enumerate(families.of_columns)
    ]
    return [_class_strength(tables[0]) if families.of_class else 1.0, *of_columns]


def _of_family(part: Crossed, table: AnyArray, families: Families, i: int) -> tuple[AnyArray, Counts]:
    """The counts of a column with its parents, and alone; of all classes together where the class is no parent."""
    counts = part.counts[i]
    if families.under_class[i]:
        return table, counts
    return table.sum(axis=-1, keepdims=True), Counts(counts.variable, counts.table.sum(axis=0, keepdims=True))


def _class_strength(table: AnyArray) -> float:
    """The strength of P(class | parents), which is shrunk to the shares of the classes."""
    flat = table.reshape(-1, table.shape[-1], 1)
    left = np.maximum(flat.sum(axis=0) - 1.0, 0.0)
    return best_strength(flat, (left / max(float(flat.sum()) - 1.0, 1.0))[None])[0]


def _without_unseen(logs: Floats, axes: int) -> Floats:
    """The probabilities of the states of fit: the last state on each of the first axes is the unseen one."""
    return np.exp(logs[(slice(-1),) * axes])


def _with_unseen(logs: Floats, axes: int, alone: Floats) -> Floats:
    """One further state, an unseen parent, on each of the first axes: its row is P(v | class)."""
    for axis in range(axes):
        shape = (*logs.shape[:axis], 1, *logs.shape[axis + 1 :])
        logs = np.concatenate([logs, np.broadcast_to(alone, shape)], axis=axis)
    return logs


_CHUNK = 1 << 20  # cells of the largest product for a block of rows


@dataclass(frozen=True, eq=False)
class Factor:
    """log-probabilities with an axis for each of some columns, and the classes last where `has_class`.

    On each axis the last state is the unseen one.
    """

    columns: tuple[int, ...]
    logs: Floats
    has_class: bool


class Network:
    """All factors, and which of them each pattern of missing columns needs; the class is the last node."""

    def __init__(self, of_class: Factor, of_columns: Sequence[Factor], families: Families) -> None:
        self._class = len(of_columns)
        factors = [*of_columns, of_class]
        self._axes = [(*each.columns, *(self._class,) * each.has_class) for each in factors]
        self._tables = [np.exp(each.logs) for each in factors]
        under = [up << self._class for up in families.under_class]
        self._parents = [mask_of(ups) | more for ups, more in zip(families.of_columns, under, strict=True)]
        self._parents.append(mask_of(families.of_class))
        # A missing value is not summed over the unseen state.
        self._cards = [each.logs.shape[len(each.columns) - 1] - 1 for each in of_columns]
        self._cards.append(of_class.logs.shape[-1])

    def sum_out(self, codes: Codes, *, whole: bool = False) -> Floats:
        """log Σ over the missing columns of the product of all factors: rows × classes.

        Factors that are equal for all classes are left out, unless it is `whole`.
        """
        # Rows with the same pattern share a plan, and patterns that need the same columns one sum.
        patterns = np.packbits(codes < 0, axis=1, bitorder="little")
        first, which = distinct_rows(patterns)
        needs = [self._needed(int.from_bytes(patterns[row].tobytes(), "little"), whole) for row in first]
        groups = {need: group for group, need in enumerate(dict.fromkeys(needs))}
        of_row = np.array([groups[need] for need in needs])[which]
        ends = np.cumsum(np.bincount(of_row))[:-1]
        out = np.empty((len(codes), self._cards[-1]))
        for need, rows in zip(groups, np.split(np.argsort(of_row, kind="stable"), ends), strict=True):
            self._sum_rows(codes, rows, *need, out)
        return out

    def _needed(self, missing: int, whole: bool = False) -> tuple[int, int]:
        """The relevant missing columns, and the nodes whose factors are relevant, as masks."""
        known = (1 << self._class) - 1 & ~missing | 1 << self._class
        # Missing columns without a known descendant are left out: their families sum to 1.
        waiting = known | reach(self._parents, known)
        if whole:
            return waiting & missing, waiting
        # From the class outwards: a factor is needed if a path through missing columns connects it to the class.
        reached, used, grows = 1 << self._class, 0, True
        while grows:
            touching = [v for v in bits(waiting & ~used) if (self._parents[v] | 1 << v) & reached]
            grows = bool(touching)
            used |= mask_of(touching)
            for v in touching:
                reached |= (self._parents[v] | 1 << v) & missing
        return reached & missing, used

    def _sum_rows(self, codes: Codes, rows: Ints, missing: int, used: int, out: Floats) -> None:
        nodes, free = list(bits(used)), list(bits(missing))
        open_to = missing | 1 << self._class
        scopes = [sorted(node for node in self._axes[v] if open_to >> node & 1) for v in nodes]
        laid = plan(scopes, self._cards, free)
        step = max(1, _CHUNK // laid.peak)
        for start in range(0, len(rows), step):
            some = rows[start : start + step]
            out[some] = self._summed(codes[some], nodes, open_to, laid.order)

    def _summed(self, codes: Codes, nodes: Sequence[int], open_to: int, order: Sequence[int]) -> Floats:
        seen = {i: codes[:, i] for i in range(self._class) if not open_to >> i & 1}
        factors = tables.sliced([self._tables[v] for v in nodes], [self._axes[v] for v in nodes], seen)
        _, rest, log_scale = sum_out([self._without_unseen(each) for each in factors], order, keep=())
        out = np.zeros((len(codes), self._cards[-1])) + np.reshape(log_scale, (-1, 1))
        with np.errstate(divide="ignore"):
            for each in rest:
                out += np.log(tables.aligned(each, (self._class,)))
        return out

    def _without_unseen(self, factor: tables.Factor) -> tables.Factor:
        seen = tuple(slice(self._cards[node]) for node in factor.scope)
        return tables.Factor(factor.scope, factor.table[(slice(None), *seen)])
