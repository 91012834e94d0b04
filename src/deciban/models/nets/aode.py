"""Averaged one-dependence estimators (Webb, Boughton and Wang, 2005).

    P(j, x) = P(j)·Σ_i w_i·P(x_i | j)·Π_k P(x_k | x_i, j) / Σ_i w_i

In each of the models of the average, every column depends on the class and on one column, the same for all; there is
no model selection and no search. The model of a column is used where the column's value occurred in at least `least`
rows; where no column has such a value, the model is naive Bayes. With n = 2 every column of a model depends on two
columns (A2DE: Webb et al., 2012).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import comb, prod
from numbers import Real
from typing import Any, ClassVar, Literal

import numpy as np
from sklearn.utils._param_validation import Interval, Options, StrOptions

from deciban.decide import Reject
from deciban.errors import InputError, ParameterError
from deciban.estimate import Laplace, Smoothing
from deciban.explain import Explanation, MeanExplanation
from deciban.models.export.forms import Average, ClosedForm, Parent
from deciban.models.form import Form
from deciban.models.lazy import Lazy
from deciban.models.nets.averages import Averages, average_without, models_without, sums_without
from deciban.models.nets.back_off import BackOff, Strength
from deciban.models.nets.coded import CodedClassifier
from deciban.models.nets.drawing import CLASS, NodeTables
from deciban.models.nets.leave_one_out import LeftOut
from deciban.models.nets.mixture import fit_mixture, log_average
from deciban.models.nets.temperature import fit_temperature
from deciban.models.options import Missing, Rule, Unseen
from deciban.models.parts.to_sql import to_sql
from deciban.read import Table, generated_names
from deciban.tallies import Tally
from deciban.tallies.crossed import sets_of_size
from deciban.types import AnyArray, Codes, Floats

__all__ = ["AODE"]


class AODE(CodedClassifier):
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

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **CodedClassifier._parameter_constraints,
        "n": [Options(int, {1, 2})],
        "least": [Interval(Real, 1, None, closed="left")],
        "weights": [StrOptions({"auto"}), None],
    }
    weights_: dict[str, float]
    _back_off: Lazy[BackOff]

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

    def _sets(self, form: Form) -> AnyArray:
        pairs = sets_of_size(form.columns, 2)
        if self.n == 1:
            return pairs
        wide = np.pad(pairs, ((0, 0), (0, 1)), constant_values=-1)
        return np.concatenate([wide, sets_of_size(form.columns, 3)])

    def _made(self, tally: Tally, form: Form) -> dict[str, Any]:
        back_off = Lazy(BackOff, tally.parts[0], self.smoothing, self.strength)
        return {"_back_off": back_off, "_tables": self._averages(back_off, form)}

    def _averages(self, back_off: Lazy[BackOff], form: Form) -> Lazy[Averages]:
        return Lazy(Averages, back_off, float(self.least), self.n, self._log_weights(form))

    def _terms(self, columns: int) -> int:
        return comb(columns, self.n)

    def _learns(self) -> bool:
        return self.weights == "auto" or super()._learns()

    def _learned(self, left: LeftOut, log_prior: Floats, weights: Floats) -> dict[str, Any]:
        logs, columns = self._models_left_out(left)
        if self.weights is None:
            return {"temperature": fit_temperature(log_average(logs)[0], log_prior, left.y, weights)}
        temperature = None if self.temperature == "auto" else float(self.temperature)
        log_weights, found_temperature = fit_mixture(logs, columns, log_prior, left.y, weights, temperature)
        centred = np.exp(log_weights - log_weights.mean())
        return {"temperature": found_temperature, "weights": tuple(centred.tolist())}

    def _models_left_out(self, left: LeftOut) -> tuple[Floats, Floats]:
        """log P(row | class) by each model, rows × models × classes, and the columns of its parents."""
        columns = len(left.logs)
        if self.n == 1:
            return sums_without(self._tables.get(), left), np.eye(columns)
        found = list(models_without(left, self._back_off.get(), float(self.least), self.n))
        logs = [np.where(used[:, None], scores, -np.inf) for _, used, scores in found]
        nothing = np.empty((len(left.y), 0, len(self.classes_)))
        parents = [[float(c in parents) for c in range(columns)] for parents, _, _ in found]
        return np.stack(logs, axis=1) if logs else nothing, np.array(parents).reshape(-1, columns)

    def _from_form(self, form: Form) -> dict[str, Any]:
        weights = np.exp(self._log_weights(form) or np.zeros(form.columns))
        names = form.names or generated_names(form.columns)
        return {**super()._from_form(form), "weights_": dict(zip(names, weights.tolist(), strict=True))}

    def _take_learned(self, form: Form) -> None:
        weighted = self._tables.get().weighted(self._log_weights(form))
        super()._take_learned(form)
        self._tables = self._averages(self._back_off, form).holding(weighted)

    def _log_weights(self, form: Form) -> tuple[float, ...] | None:
        """The logarithms of the columns' weights; None where all are 1."""
        if self.weights is None or form.weights is None:
            return None
        return tuple(np.log(form.weights).tolist())

    def _score_left_out(self, left: LeftOut, *, exact: bool = True) -> Floats:  # noqa: ARG002  it always is
        return average_without(left, self._back_off.get(), float(self.least), self.n, self._log_weights(self._form))

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
        columns = [i for i, counts in enumerate(self.tally_.parts[0].counts) if len(counts.variable)]
        if self.n != 1 or any(self.tally_.parts[0].counts[i].table.sum(axis=0).min() < self.least for i in columns):
            raise ParameterError(
                f"AODE(n={self.n}, least={self.least:g}) averages other models for other rows: it is no distribution "
                "of rows and classes. Use n=1 and least=1."
            )
        return columns

    def _nets(self) -> tuple[Sequence[NodeTables], Floats]:
        columns, back_off = self._check_mixture(), self._back_off.get()
        prior = ((), np.exp(self._prior))
        nets = []
        for i in columns:
            families: dict[int, tuple[tuple[int, ...], Floats]] = {CLASS: prior}
            families[i] = (CLASS,), np.exp(back_off.alone[i][:-1].T)
            for k in columns:
                if k != i:
                    families[k] = (CLASS, i), np.exp(np.moveaxis(back_off.logs((i,), k)[:, :-1], -1, 0))
            nets.append(families)
        weights = np.exp(self._log_weights(self._form) or np.zeros(len(self.schema_)))[columns]
        return nets or [{CLASS: prior}], weights / weights.sum() if nets else np.ones(1)

    def _free_parameters(self) -> int:
        """Those of P(x | class) and P(x | parents, class), for all columns and their n parents in the models."""
        sizes = [len(counts.variable) for counts in self.tally_.parts[0].counts if len(counts.variable)]
        free = 0
        for level in range(self.n + 1):
            for parents in combinations(range(len(sizes)), level):
                rows = prod(sizes[parent] for parent in parents)
                free += sum(rows * (size - 1) for k, size in enumerate(sizes) if k not in parents)
        return len(self.classes_) * free

    to_sql = to_sql

    def _closed_form(self) -> ClosedForm:
        if self.n != 1:
            raise ParameterError("AODE(n=2) has a table for each three columns, too many for a formula. Use n=1.")
        average, columns = self._tables.get().closed_form(), self._state_columns()
        index = {i: k for k, i in enumerate(columns)}
        parents = [
            Parent(index[p.column], p.is_used, p.weight, {index[j]: logs for j, logs in p.logs.items() if j in index})
            for p in average.parents
        ]
        alone = {index[j]: logs for j, logs in average.alone.items() if j in index}
        structure = Average(parents, alone)
        return ClosedForm(self._start(), self._prior, list(columns.values()), structure, self.temperature_)

    def _with_factors(self, plain: Explanation, data: Table, values: list[Any]) -> Explanation:
        codes = self._codes(data)
        averages: Averages = self._tables.get()
        names = self._names()
        models = [
            (" and ".join(f"{names[c]} = {values[c]}" for c in columns) or "naive", weight, tuple(logs.tolist()))
            for columns, weight, logs in averages.models(codes)
        ]
        return MeanExplanation.of(plain, models, self.temperature_)

    def _remainders(self) -> tuple[str, ...]:
        return ("(averaging)",)
