"""Averaged one-dependence estimators (Webb, Boughton and Wang, 2005).

    P(j, x) = P(j)·Σ_i w_i·P(x_i | j)·Π_k P(x_k | x_i, j) / Σ_i w_i

In each of the models of the average, every column depends on the class and on one column, the same for all; there is
no model selection and no search. The model of a column is used where the column's value occurred in at least `least`
rows; where no column has such a value, the model is naive Bayes. With n = 2 every column of a model depends on two
columns (A2DE: Webb et al., 2012).

There is one table of log-probabilities, parents × states × classes. A parent is a value of one column, or a pair of
values of two columns. Its row has log P(v | parent, class) for the states v of every other column, and its own
log-probability at its own columns, so the model in which all columns depend on one parent is a sum along a row. After
the last state there is one of zeros, for missing values; the last row is that without a parent, naive Bayes.

The models are weighted in the average, by weights that are learned together with its temperature T:

    log P(j | x) = log P(j) + (1/T)·log (Σ_p w_p·P_p(x | j) / Σ_p w_p) + a constant

A parent has the weight w_p = exp θ_i of its column, and a pair of parents exp (θ_i + θ_k). θ and T minimize the log
loss of leave-one-out posteriors,

    Σ_r −log P'(y_r | x_r) + ½·Σ θ² + ½·(log T)²,

by BFGS from θ = 0, the plain average, and T = 1. The gradient of the average's logarithm by θ_p is the share of
model p in it. (Weighted averages of one-dependence models: Jiang and Zhang, 2006, by mutual information; Cerquides and
López de Mántaras, 2005, by the conditional likelihood.)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from math import comb, prod
from numbers import Real
from typing import Any, ClassVar, Literal

import numpy as np
import scipy
from sklearn.utils._param_validation import Interval, Options, StrOptions

from deciban.decide import Reject
from deciban.decide.calibration import COLDEST, HOTTEST, fit_temperature
from deciban.errors import InputError, ParameterError
from deciban.estimate import Laplace, Smoothing
from deciban.estimate.closed_form import Average, ClosedForm, Parent
from deciban.explain import Explanation, MeanExplanation
from deciban.log_sums import log_sum_and_shares, log_sum_exp
from deciban.models.base import Missing, Rule, Unseen
from deciban.models.exported import SqlClassifier
from deciban.models.families.family_classifier import CodedClassifier
from deciban.models.families.family_tables import CLASS, BackOff, FactorTables, LeftOut, NodeTables, Strength
from deciban.models.families.structures import ColumnSets
from deciban.models.schema import Form
from deciban.read import Table, generated_names
from deciban.storable import ByFields
from deciban.tallies import Tally
from deciban.tallies.crossed import check_room, sets_of_size
from deciban.tallies.kernels import averaged_width, score_averaged
from deciban.types import AnyArray, Codes, Floats, Ints

__all__ = ["AODE", "fit_mixture"]


class AODE(CodedClassifier, SqlClassifier):
    """Averaged one-dependence estimators: the mean of models in which all columns depend on the class and one column.

    Parameters
    ----------
    columns : "auto", mapping or Schema
        "auto": labels and small whole numbers are `Categorical`; other numbers are cut into bins by minimum description
        length, from the first rows (`schema_` has the cuts; rows that are learned later use the same bins). A mapping
        from names to `Categorical`, `Binned`, `Cut` or `Ignore` overrides it. Pass the `schema_` of another model to
        use its columns and cuts, so that the two can be merged.
    n : {1, 2}
        The number of columns on which the others depend: 1, or 2 for tables of few columns (A2DE).
    least : float
        The least number of rows with a value for its column's model to be used (30 in the paper).
    smoothing : Smoothing
        Of P(x | class).
    strength : float or "auto"
        The number of virtual rows by which P(x | parent, class) is shrunk to P(x | class). "auto": for each column and
        parent the number of largest leave-one-out likelihood; with n = 2, P(x | two parents, class) is then shrunk to
        P(x | one of them, class).
    weights : "auto" or None
        The weights of the columns' models in the average. "auto": `fit` learns them from leave-one-out posteriors,
        together with the temperature. None: 1 each, as in the paper.
    temperature : float or "auto"
        T in log P(class) + (1/T)·log P(row | class), which corrects overconfidence. "auto": learned by `fit`; 1 for the
        paper's posteriors.
    priors : "empirical", "uniform", Smoothing, mapping or array
        The class priors: relative frequencies, equal ones, smoothed frequencies, or probabilities by label or in the
        order of the classes.
    missing : {"skip", "state", "error"}
        "skip": a row counts in the pairs of columns that it has, and missing values of a row to be classified are
        summed out, so that their factors and their columns' models are not used. "state": a missing value is a label of
        its own.
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
        The counts of all columns and of all pairs of them (with n = 2, of all triples).
    classes_ : array
        The labels, sorted.
    class_count_ : array
        The weight of the rows of each class.
    class_prior_ : array
        P(class).
    weights_ : dict
        The weight of each column's model, 1 in the geometric mean.
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
    TAN : One tree of dependences instead of an average.
    KDB : More parents, and members that are drawn at random.

    Notes
    -----
    `evidence` is the mean of the models' evidence, with each by its share v_i ∝ w_i·P(x | j, model i) in the average,
    divided by T. The part −Σ v·log (v·Σ w / w_i), which the averaging adds, belongs to no column and is listed as
    "(averaging)": 0 where all models agree.

    The strengths follow from the counts. Weights and temperature need rows: `fit` learns them, `partial_fit` and
    `forget` keep them, `merge` averages their logarithms by the numbers of rows, and they are 1 in models that begin
    with `partial_fit` or `from_tally`.

    Examples
    --------
    Two switches that turn the lamp on when they differ: each alone is independent of the lamp.

    >>> rows = [["up", "up"], ["up", "down"], ["down", "up"], ["down", "down"]] * 9
    >>> lamp = ["off", "on", "on", "off"] * 9
    >>> AODE().fit(rows, lamp).predict([["up", "down"], ["down", "down"]]).tolist()
    ['on', 'off']
    """

    _parameter_constraints: ClassVar[dict[str, list[object]]] = {
        **CodedClassifier._parameter_constraints,
        "n": [Options(int, {1, 2})],
        "least": [Interval(Real, 1, None, closed="left")],
        "weights": [StrOptions({"auto"}), None],
    }
    weights_: dict[str, float]
    _tables: Averages

    def __init__(
        self,
        columns: Any = "auto",
        *,
        n: Literal[1, 2] = 1,
        least: float = 1,
        smoothing: Smoothing = Laplace(),
        strength: Strength = "auto",
        weights: Literal["auto"] | None = "auto",
        temperature: Strength = "auto",
        priors: Any = "empirical",
        missing: Missing = "skip",
        unseen: Unseen = "smooth",
        na_values: Sequence[Any] = (),
        rule: Rule = "map",
        loss: Any = None,
        reject: Reject | float | None = None,
    ) -> None:
        self.columns, self.n, self.least = columns, n, least
        self.smoothing, self.strength, self.priors = smoothing, strength, priors
        self.weights, self.temperature = weights, temperature
        self.missing, self.unseen, self.na_values = missing, unseen, na_values
        self.rule, self.loss, self.reject = rule, loss, reject

    def _structure(self, form: Form) -> ColumnSets:
        sets = sets_of_size(form.columns, 2)
        if self._settings.n == 2:  # pairs are counted, too: what is given two parents is shrunk to what is given one
            wide = np.pad(sets, ((0, 0), (0, 1)), constant_values=-1)
            sets = np.concatenate([wide, sets_of_size(form.columns, 3)])
        return ColumnSets(form.schema, sets)

    def _made(self, tally: Tally, form: Form) -> dict[str, object]:
        back_off = BackOff(tally.parts[0], self._settings.smoothing, self._settings.strength)
        return {
            "_tables": Averages(
                ParentTable(back_off, float(self._settings.least), self._settings.n), self._log_weights(form)
            )
        }

    def _terms(self, columns: int) -> int:
        return comb(columns, self._settings.n)

    def _learns(self) -> bool:
        return self._settings.weights == "auto" or super()._learns()

    def _learned(self, form: Form, left: LeftOut, log_prior: Floats, weights: Floats) -> Form:
        logs, columns = self._models_left_out(left)
        if self._settings.weights is None:
            return replace(form, temperature=fit_temperature(log_sum_exp(logs, axis=1), log_prior, left.y, weights))
        temperature = None if self._settings.temperature == "auto" else float(self._settings.temperature)
        log_weights, learned = fit_mixture(logs, columns, log_prior, left.y, weights, temperature)
        centred = np.exp(log_weights - log_weights.mean())  # a common factor of all weights cancels in the average
        return replace(form, temperature=learned, weights=tuple(centred.tolist()))

    def _models_left_out(self, left: LeftOut) -> tuple[Floats, Floats]:
        """log P(row | class) by each model, rows × models × classes, and the columns of its parents."""
        columns = len(left.logs)
        if self._settings.n == 1:
            return sums_without(self._tables.parents, left), np.eye(columns)
        table = self._tables.parents
        models = list(models_without(left, table.back_off, table.least, table.n))
        logs = [np.where(used[:, None], scores, -np.inf) for _, used, scores in models]
        nothing = np.empty((len(left.y), 0, len(self.classes_)))
        parents = [[float(c in parents) for c in range(columns)] for parents, _, _ in models]
        return np.stack(logs, axis=1) if logs else nothing, np.array(parents).reshape(-1, columns)

    def _from_form(self, form: Form) -> dict[str, object]:
        weights = np.exp(self._log_weights(form) or np.zeros(form.columns))
        names = form.names or generated_names(form.columns)
        return {**super()._from_form(form), "weights_": dict(zip(names, weights.tolist(), strict=True))}

    def _column_weights(self) -> Mapping[str, object]:
        return self.weights_

    def _take_learned(self, form: Form) -> None:
        super()._take_learned(form)
        self._tables = replace(self._tables, log_weights=self._log_weights(form))

    def _log_weights(self, form: Form) -> tuple[float, ...] | None:
        """The logarithms of the columns' weights; None where all are 1."""
        if self._settings.weights is None or form.weights is None:
            return None
        return tuple(np.log(form.weights).tolist())

    def _joint_of(self, codes: Codes) -> Floats:
        """The mean over all models; where values are missing, `score` leaves models out instead of summing out."""
        columns = self._check_mixture()
        if (codes[:, columns] < 0).any():
            raise InputError(
                "AODE averages the models of known values only: rows with missing values have no probability."
            )
        return super()._joint_of(codes)

    def _check_mixture(self) -> list[int]:
        """The columns with states; an error where the models that are averaged depend on the row."""
        counted = self.tally_.parts[0].counts
        columns = [i for i, counts in enumerate(counted) if len(counts.variable)]
        n, least = self._settings.n, self._settings.least
        if n != 1 or any(counted[i].table.sum(axis=0).min() < least for i in columns):
            raise ParameterError(
                f"AODE(n={n}, least={least:g}) averages other models for other rows: it is no distribution of rows and "
                "classes. Use n=1 and least=1."
            )
        return columns

    def _nets(self) -> tuple[Sequence[NodeTables], Floats]:
        columns = self._check_mixture()
        nets = self._tables.node_tables(self._prior, columns)
        weights = np.exp(self._log_weights(self._form) or np.zeros(len(self.schema_)))[columns]
        return nets or [{CLASS: ((), np.exp(self._prior))}], weights / weights.sum() if nets else np.ones(1)

    def _free_parameters(self) -> int:
        """Those of P(x | class) and P(x | parents, class), for all columns and their n parents in the models."""
        sizes = [len(counts.variable) for counts in self.tally_.parts[0].counts if len(counts.variable)]
        free = 0
        for level in range(self._settings.n + 1):
            for parents in combinations(range(len(sizes)), level):
                rows = prod(sizes[parent] for parent in parents)
                free += sum(rows * (size - 1) for k, size in enumerate(sizes) if k not in parents)
        return len(self.classes_) * free

    def _closed_form(self) -> ClosedForm:
        if self._settings.n != 1:
            raise ParameterError("AODE(n=2) has a table for each three columns, too many for a formula. Use n=1.")
        average, columns = self._tables.closed_form(), self._state_columns()
        index = {i: k for k, i in enumerate(columns)}
        parents = [
            Parent(index[p.column], p.is_used, p.weight, {index[j]: logs for j, logs in p.logs.items() if j in index})
            for p in average.parents
        ]
        alone = {index[j]: logs for j, logs in average.alone.items() if j in index}
        structure, formulas = Average(parents, alone), list(columns.values())
        return ClosedForm(self._start(), self._prior, formulas, structure, self.temperature_, self._matrix_input())

    def _with_factors(self, plain: Explanation, data: Table, values: list[object]) -> Explanation:
        codes = self._codes(data)
        names = self._names()
        models = [
            (" and ".join(f"{names[c]} = {values[c]}" for c in columns) or "naive", weight, tuple(logs.tolist()))
            for columns, weight, logs in self._tables.models(codes)
        ]
        return MeanExplanation.of(plain, models, self.temperature_)

    def _remainders(self) -> tuple[str, ...]:
        return ("(averaging)",)


_CHUNK = 1 << 21  # table cells that are gathered at once: 16 MB of float64

ByColumns = dict[tuple[int, ...], AnyArray]
"""For the columns of a parent: the rows of the table, or the counts, of its values."""


@dataclass(frozen=True, eq=False)
class ParentTable(ByFields):
    """The table of averaged estimators: parents of up to `n` columns that occur in at least `least` rows."""

    back_off: BackOff
    least: float
    n: int

    @cached_property
    def levels(self) -> list[ByColumns]:
        """The rows of the table by the values of the parents' columns: of pairs where `n` is 2, then of single ones."""
        part, rows = self.back_off.part, 0
        singles: ByColumns = {(i,): counts.table.sum(axis=0) for i, counts in enumerate(part.counts)}
        pairs: ByColumns = {columns: table.sum(axis=-1) for columns, table in part.tables() if len(columns) == 2}
        levels: list[ByColumns] = []
        for level in (pairs, singles)[2 - self.n :]:
            levels.append({})
            for columns, counts in level.items():
                levels[-1][columns] = _row_numbers(counts >= self.least, rows)
                rows += int((counts >= self.least).sum())
        return levels

    @cached_property
    def table(self) -> Floats:
        rows, states, width = self.rows, int(self.starts[-1]) + 1, averaged_width(self.classes)
        check_room((rows + 1) * states, width, "the tables of the averaged models")
        table = np.zeros((rows + 1, states, width))
        for level in self.levels:
            for columns, numbers in level.items():
                used = np.argwhere(numbers >= 0)
                if len(used):
                    first = int(numbers[tuple(used[0])])
                    self._fill(table[first : first + len(used), :, : self.classes], columns, used)
        # The state behind those of the last column stays 0: missing values add nothing.
        for j in range(len(self.sizes)):
            table[-1, self.states(j), : self.classes] = self.back_off.alone[j]
        return table

    @property
    def rows(self) -> int:
        """The number of parents."""
        return sum(int((numbers >= 0).sum()) for level in self.levels for numbers in level.values())

    @cached_property
    def sizes(self) -> list[int]:
        return [len(variable) for variable in self.back_off.part.variables]

    @cached_property
    def starts(self) -> Ints:
        """Where the states of each column begin in a row of the table, and where those of the last one end."""
        return np.concatenate([[0], np.cumsum([size + 1 for size in self.sizes])]).astype(np.int64)

    @property
    def classes(self) -> int:
        return self.back_off.part.classes

    def states(self, j: int) -> slice:
        """The states of a column, and the unseen one."""
        return slice(int(self.starts[j]), int(self.starts[j + 1]))

    def weights(self, log_weights: Sequence[float] | None) -> Floats:
        """The logarithm of the weight of each row of the table, from those of the columns."""
        out = np.zeros(self.rows + 1)
        if log_weights is not None:
            for level in self.levels:
                for columns, numbers in level.items():
                    out[numbers[numbers >= 0]] = sum(log_weights[c] for c in columns)
        return out

    def indices(self, codes: Codes) -> tuple[Codes, Codes]:
        """Each row's parents, −1 where one is not used, and each row's states, as indices of the table."""
        children = np.where(codes < 0, self.starts[-1], self.starts[:-1] + codes).astype(np.int32)
        widest = max(1, *(len(level) for level in self.levels))
        parents = np.full((len(codes), widest), -1, dtype=np.int32)
        open_rows = np.ones(len(codes), dtype=bool)
        for level in self.levels:
            for k, (columns, numbers) in enumerate(level.items()):
                rows = numbers[tuple(codes[:, c] for c in columns)]
                parents[open_rows, k] = rows[open_rows]
            # A row uses single parents only where no pair is frequent enough, and naive Bayes where no parent is.
            open_rows &= (parents < 0).all(axis=1)
        parents[open_rows, 0] = len(self.table) - 1
        return parents, children

    def sums(self, codes: Codes) -> Floats:
        """log P(row | class) by the model of each parent: rows × parents × classes; −∞ where one is not used."""
        parents, children = self.indices(codes)
        out = np.full((*parents.shape, self.classes), -np.inf)
        step = max(1, _CHUNK // (children.shape[1] * self.classes))
        for k, parent in enumerate(parents.T):
            used = np.flatnonzero(parent >= 0)
            for first in range(0, len(used), step):
                rows = used[first : first + step]
                out[rows, k] = self.table[parent[rows, None], children[rows], : self.classes].sum(axis=1)
        return out

    def _fill(self, rows: Floats, columns: tuple[int, ...], used: Ints) -> None:
        """Fill the rows of the parents with these columns."""
        first = columns[0]
        rows[:, self.states(first)] = self.back_off.alone[first][used[:, 0], None]
        if len(columns) == 2:
            second = self.back_off.logs((first,), columns[1])[used[:, 0], used[:, 1]]
            rows[:, self.states(columns[1])] = second[:, None]
        for j in range(len(self.sizes)):
            if j not in columns:
                rows[:, self.states(j)] = self.back_off.logs(columns, j)[tuple(used.T)]


@dataclass(frozen=True, eq=False)
class Averages(FactorTables):
    """The mean over the parents, each weighted by the product of the weights of its columns.

    `log_weights` are the logarithms of the columns' weights; all weights are 1 when None.
    """

    parents: ParentTable
    log_weights: tuple[float, ...] | None = None

    @cached_property
    def _log_weights(self) -> Floats:
        return self.parents.weights(self.log_weights)

    def score(self, codes: Codes) -> Floats:
        """The logarithm of the weighted mean over parents: rows × classes."""
        parents = self.parents
        step = max(1, _CHUNK // max(len(level) for level in parents.levels))
        parts = [
            score_averaged(
                *parents.indices(codes[first : first + step]), parents.table, parents.classes, self._log_weights
            )
            for first in range(0, len(codes), step)
        ]
        return parts[0] if len(parts) == 1 else np.concatenate(parts)  # which would copy

    def weigh(self, codes: Codes) -> Floats:
        """The evidence of each column, and that of averaging: rows × (columns + 1) × classes.

        With v_p ∝ w_p·exp L_p, log Σ_p w_p·exp L_p / Σ_p w_p = Σ_p v_p·L_p − Σ_p v_p·log (v_p·Σ w / w_p); L_p is a sum
        over columns.
        """
        parents, children = self.parents.indices(codes)
        out = np.empty((len(codes), codes.shape[1] + 1, self.parents.classes))
        step = max(1, _CHUNK // (parents.shape[1] * children.shape[1] * self.parents.classes))
        for first in range(0, len(codes), step):
            rows = slice(first, first + step)
            out[rows] = self._weighed(parents[rows], children[rows])
        return out

    def models(self, codes: Codes) -> list[tuple[tuple[int, ...], float, Floats]]:
        """For one row, the parent columns of each model in the mean, its weight, and log P(row | class) in it."""
        parents, children = self.parents.indices(codes)
        logs = self.parents.table[parents[0, :, None], children[0, None, :], : self.parents.classes].sum(axis=1)
        for level in self.parents.levels:
            rows = [numbers[tuple(codes[0, c] for c in columns)] for columns, numbers in level.items()]
            if max(rows, default=-1) >= 0:
                weights = np.exp(self._log_weights[rows])
                return [(columns, float(weights[k]), logs[k]) for k, columns in enumerate(level) if rows[k] >= 0]
        return [((), 1.0, logs[0])]

    def closed_form(self) -> Average:
        """The tables of all parents of one column, as plain numbers."""
        rows_of = self.parents
        logs_of = {j: rows_of.table[:, rows_of.states(j), : rows_of.classes] for j in range(len(rows_of.sizes))}
        alone = {j: logs[-1] for j, logs in logs_of.items()}
        parents = []
        for (i,), numbers in rows_of.levels[-1].items():
            rows = numbers[: rows_of.sizes[i]]
            used = rows >= 0
            if used.any():
                others = {j: logs[rows] for j, logs in logs_of.items() if j != i}
                others = {j: np.where(used[:, None, None], logs, 0.0) for j, logs in others.items()}
                weight = float(np.exp(self._log_weights[rows[used][0]]))
                parents.append(Parent(i, used.tolist(), weight, {**others, i: alone[i]}))
        return Average(parents, alone)

    def _weighed(self, parents: Codes, children: Codes) -> Floats:
        logs = self.parents.table[parents[:, :, None], children[:, None, :], : self.parents.classes]
        is_used = (parents >= 0)[:, :, None]
        log_weights = np.where(is_used, self._log_weights[parents][:, :, None], 0.0)
        sums = np.where(is_used, logs.sum(axis=2) + log_weights, -np.inf)
        whole, shares = log_sum_and_shares(sums, axis=1)
        weights = is_used * np.exp(log_weights)
        is_impossible = np.isneginf(whole)[:, None]  # under all models: by weight alone
        shares = np.where(is_impossible, weights / weights.sum(axis=1, keepdims=True), shares)
        with np.errstate(invalid="ignore"):  # 0·−∞ of a model without a share is 0
            columns = np.where(shares[:, :, None] > 0, shares[:, :, None] * logs, 0.0).sum(axis=1)
        ratio = log_weights - np.log(np.where(shares > 0, shares, 1.0))
        spread = np.where(shares > 0, shares * ratio, 0.0).sum(axis=1)
        averaging = spread - np.log(weights.sum(axis=1))
        return np.concatenate([columns, averaging[:, None, :]], axis=1)

    def score_left_out(self, left: LeftOut, *, exact: bool = True) -> Floats:  # it always is
        """The mean over parents that occur in `least` other rows, for counted rows, each without its own counts."""
        back_off, least = self.parents.back_off, self.parents.least
        out = np.sum(left.logs, axis=0)  # naive Bayes, where no parent occurs often enough
        weigh = np.zeros(left.codes.shape[1]) if self.log_weights is None else np.asarray(self.log_weights)
        is_open = np.ones(len(out), dtype=bool)
        for size in range(self.parents.n, 0, -1):
            sums, whole = np.full_like(out, -np.inf), np.zeros(len(out))
            for parents, is_used, logs in models_without(left, back_off, least, size):
                used, log_weight = is_open & is_used, float(weigh[list(parents)].sum())
                sums[used] = np.logaddexp(sums[used], logs[used] + log_weight)
                whole += used * np.exp(log_weight)
            has_parents = whole > 0
            out[has_parents] = sums[has_parents] - np.log(whole[has_parents])[:, None]
            is_open &= ~has_parents
        return out

    def node_tables(self, prior: Floats, columns: Sequence[int]) -> list[NodeTables]:
        """The nets of which this is the mean: one for each of the columns, which is the parent of the others."""
        back_off = self.parents.back_off
        nets: list[NodeTables] = []
        for i in columns:
            families: dict[int, tuple[tuple[int, ...], Floats]] = {CLASS: ((), np.exp(prior))}
            families[i] = (CLASS,), np.exp(back_off.alone[i][:-1].T)
            for k in columns:
                if k != i:
                    families[k] = (CLASS, i), np.exp(np.moveaxis(back_off.logs((i,), k)[:, :-1], -1, 0))
            nets.append(families)
        return nets


def sums_without(table: ParentTable, left: LeftOut) -> Floats:
    """log P(row | class) by the model of each column, each without the row's own counts: rows × columns × classes.

    This is `models_without` with one parent for all models at once, except that a label which no other row has stays a
    label that is counted 0 times.
    """
    out, own, back_off = table.sums(left.codes), left.weights, table.back_off
    at, columns = np.arange(len(own)), [i for i, counts in enumerate(left.part.counts) if len(counts.variable)]
    alone = np.column_stack([logs[at, left.y] for logs in left.logs])
    for i in columns:
        # Only the sums of a row's own class have its counts in them.
        sums = alone[:, i].copy()
        for k in columns:
            if k != i:
                sums += _own_factor(left, back_off, (i, k), own, alone[:, k])
        out[at, i, left.y] = np.where(left.codes[:, i] >= 0, sums, -np.inf)
    return out


def _own_factor(left: LeftOut, back_off: BackOff, pair: tuple[int, int], own: Floats, below: Floats) -> Floats:
    """log P'(value of the second | value of the first, own class); 0 where a value is missing."""
    known = (left.codes[:, pair[0]] >= 0) & (left.codes[:, pair[1]] >= 0)
    first, second, y = left.codes[known, pair[0]], left.codes[known, pair[1]], left.y[known]
    table, strength = back_off.table(pair[:1], pair[1]), back_off.level(pair[:1], pair[1]).strength
    cells = np.maximum(table[first, second, y] - own[known], 0.0)
    whole = np.maximum(table.sum(axis=1)[first, y] - own[known], 0.0) + strength
    out = np.zeros(len(known))
    with np.errstate(divide="ignore"):
        logs = np.log(cells + strength * np.exp(below[known])) - np.log(np.where(whole > 0, whole, 1.0))
    out[known] = np.where(whole > 0, logs, below[known])
    return out


def models_without(
    left: LeftOut, back_off: BackOff, least: float, size: int
) -> Iterator[tuple[tuple[int, ...], AnyArray, Floats]]:
    """Each set of so many parents, the rows that use it, and log P(row | class) by its model without each row."""
    columns = range(left.codes.shape[1])
    for parents in combinations(columns, size):
        first, rest = parents[0], parents[1:]
        table = back_off.table((first,), rest[0]) if rest else left.part.counts[first].table.T
        used = left.counted(table, parents) >= least
        if used.any():
            logs = np.zeros((len(left.codes), left.part.classes))
            for k, parent in enumerate(parents):
                logs += left.factor(back_off, parents[:k], parent)
            for j in columns:
                if j not in parents:
                    logs += left.factor(back_off, parents, j)
            yield parents, used, logs


def _row_numbers(is_used: AnyArray, first: int) -> AnyArray:
    """The row of each value or pair of values; −1 for those that are not used, unseen or missing."""
    # Two more states an axis: the unseen one, and the last, which the code −1 of a missing value indexes.
    numbers = np.full([size + 2 for size in is_used.shape], -1, dtype=np.int32)
    inner = numbers[tuple(slice(0, size) for size in is_used.shape)]
    inner[is_used] = np.arange(first, first + int(is_used.sum()))
    return numbers


_STEPS = 60
_SLOPE = 0.05  # the gradient at which the search ends, of a loss that is a sum over rows
_FARTHEST = 8.0  # the logarithm of a weight: e⁻⁸ all but removes a model
_LOWEST = -1e4
"""Stands for log 0 in differences."""


def fit_mixture(
    logs: Floats, columns: Floats, log_prior: Floats, y: Codes, weights: Floats, temperature: float | None = None
) -> tuple[Floats, float]:
    """The logarithms of the columns' weights, and the temperature, unless that is given.

    `logs` are log P(row | class) by each model, rows × models × classes, −∞ where a model is not used, and `columns`
    the model × column matrix of its parents.
    """
    at = np.arange(len(y))
    # A row that no model, or the prior, allows has an infinite loss, whatever the weights.
    used = np.isfinite(logs[at, :, y]).any(axis=1) & np.isfinite(log_prior[at, y])
    if not used.any() or logs.shape[2] < 2:
        return np.zeros(columns.shape[1]), temperature or 1.0
    loss = _Loss(np.maximum(logs[used], _LOWEST), columns, log_prior[used], y[used], weights[used])
    heat = temperature or fit_temperature(loss.average(np.zeros(columns.shape[1]))[0], log_prior[used], *loss.rows)
    start = np.append(np.zeros(columns.shape[1]), -np.log(heat))
    is_free = np.ones(len(start), dtype=bool)
    is_free[-1] = temperature is None

    def objective(point: Floats) -> tuple[float, Floats]:
        value, gradient = loss.at(np.where(is_free, np.clip(point, -_FARTHEST, _FARTHEST), start))
        return value, np.where(is_free, gradient, 0.0)

    # BFGS is plain numpy; L-BFGS-B would call BLAS, whose threads wait for one another on a busy machine.
    best = scipy.optimize.minimize(
        objective, start, jac=True, method="BFGS", options={"maxiter": _STEPS, "gtol": _SLOPE}
    ).x
    heat = temperature or float(np.clip(np.exp(-best[-1]), COLDEST, HOTTEST))
    return np.clip(best[:-1], -_FARTHEST, _FARTHEST), heat


class _Loss:
    """The penalized log loss of weights and temperature."""

    def __init__(self, logs: Floats, columns: Floats, log_prior: Floats, y: Codes, weights: Floats) -> None:
        self._logs, self._columns, self._prior = logs, columns, log_prior
        self.rows = y, weights

    def average(self, theta: Floats) -> tuple[Floats, Floats]:
        """log Σ_p w_p·P_p(x | j), and the share of each model in the sum."""
        return log_sum_and_shares(self._logs + (self._columns @ theta)[:, None], axis=1)

    def at(self, point: Floats) -> tuple[float, Floats]:
        """The loss, and its gradient, at θ and the logarithm of 1/T."""
        (y, weights), exponent = self.rows, np.exp(point[-1])
        average, shares = self.average(point[:-1])
        joint = self._prior + exponent * average
        joint -= joint.max(axis=1, keepdims=True)  # so that exp does not underflow for all classes
        posterior = np.exp(joint)
        whole, at = posterior.sum(axis=1), np.arange(len(y))
        value = float(weights @ (np.log(whole) - joint[at, y]) + 0.5 * point @ point)
        posterior /= whole[:, None]
        posterior[at, y] -= 1.0
        slope = exponent * weights[:, None] * posterior
        by_model = np.einsum("rpc,rc->p", shares, slope)
        return value, np.append(by_model @ self._columns, (slope * average).sum()) + point
