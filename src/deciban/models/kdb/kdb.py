"""Averaged k-dependence Bayes classifiers (Sahami, 1996), with hierarchical smoothing and learned weights.

    log P(j | x) = log P(j) + Σ_i log P(x_i | j, p_1 … p_k) + a constant

Every column depends on the class and on up to k other columns, its parents. P(x_i | j, p_1 … p_k) is a ratio of counts
that are few, so it is shrunk to P(x_i | j, p_1 … p_(k−1)), and so on down to P(x_i | j) and P(x_i): hierarchical
smoothing, as in Petitjean, Buntine, Webb and Zaidi (2018, "Accurate parameter estimation for Bayesian network
classifiers using hierarchical Dirichlet processes"). How far, says the leave-one-out likelihood of the counts
(`core/chains`). Which columns and parents are used, and how much, say weights that are learned from leave-one-out
evidence (`weights.py`); Martínez, Webb, Chen and Zaidi (2016, "Scalable learning of Bayesian network
classifiers") select them by the same loss. And the evidence is the mean of several members, whose orders, parents and
cuts of numbers differ (`search.py`), so that it is smooth in the numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from math import prod
from numbers import Integral
from typing import Any, ClassVar, Literal

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from deciban.decide import Reject
from deciban.errors import ColumnMismatchError, ParameterError
from deciban.estimate import Laplace, settle_priors
from deciban.models.base import BayesClassifier
from deciban.models.kdb.chains import ChainForm, Chains
from deciban.models.kdb.search import ChainSearch
from deciban.models.kdb.tables import ChainTables
from deciban.models.kdb.weights import learn_chain_weights
from deciban.models.lazy import Lazy
from deciban.models.options import Rule, Unseen
from deciban.models.parts.calibration import calibrate, honest_posterior
from deciban.models.parts.decider import Decider
from deciban.models.parts.generative import without_joint
from deciban.models.parts.learned_weights import order_of_rows, with_classes_in
from deciban.models.parts.leave_one_out import loo_posterior, loo_predict_proba
from deciban.models.parts.tables import (
    TABLE_CONSTRAINTS,
    check_some_weight,
    check_values,
    read_marked_row,
    read_marked_table,
    table_as_learned,
    tag_table,
)
from deciban.models.tables.identifiers import judge_columns
from deciban.models.tables.schema import ColumnPlan, Defaults, Schema, plan_columns, wanted_columns
from deciban.read import Table
from deciban.tallies import Crossed, Sample, Tally
from deciban.tallies.crossed import count_crossed
from deciban.types import AnyArray, Codes, Floats

__all__ = ["KDB"]

_MOST_PARENTS = 3
_FEWEST_TO_CUT = 5
_MOST_WEIGHTS = 64


class KDB(BayesClassifier):
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

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **{name: held for name, held in TABLE_CONSTRAINTS.items() if name != "smoothing"},
        "missing": [StrOptions({"state", "error"})],
        "k": [StrOptions({"auto"}), Interval(Integral, 0, 8, closed="both")],
        "members": [Interval(Integral, 1, None, closed="left")],
        "structure": [Chains, None],
        "weights": [StrOptions({"auto"}), None],
    }

    schema_: Schema
    structure_: Chains
    _form: ChainForm
    _tables: Lazy[ChainTables]

    def __init__(
        self,
        columns: Any = "auto",
        *,
        k: int | Literal["auto"] = "auto",
        members: int = 16,
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
        self.columns, self.k, self.members, self.structure = columns, k, members, structure
        self.weights, self.priors = weights, priors
        self.missing, self.unseen, self.na_values = missing, unseen, na_values
        self.rule, self.loss, self.reject = rule, loss, reject
        self.random_state = random_state

    calibrate = calibrate
    loo_predict_proba = loo_predict_proba
    _left_out_posterior = loo_posterior
    _honest_posterior = honest_posterior
    _read = read_marked_table
    _read_values = read_marked_row
    _as_learned = table_as_learned

    # Finding the structure -----------------------------------------------------------------------------------------

    def _form_of_sample(self, data: Table, sample: Sample) -> ChainForm:
        check_some_weight(sample)
        schema, is_cut = self._plan(data, sample)
        form = replace(self._form_of(data), schema=schema)
        chains = self.structure
        if chains is None:
            most = _MOST_PARENTS if self.k == "auto" else int(self.k)
            rng = np.random.default_rng(self.random_state)
            chains = ChainSearch(data, sample, schema, is_cut).find(most, int(self.members), rng)
            ones = np.ones((len(schema), chains.k + 1))
            chains = replace(chains, weights=_as_tuples(ones), unit=_unit(sample))
        elif len(chains.weights) != len(schema):
            raise ColumnMismatchError(
                f"the structure has {len(chains.weights)} columns, and the table has {len(schema)}."
            )
        return ChainForm(**{field.name: getattr(form, field.name) for field in fields(form)}, chains=chains)

    def _plan(self, data: Table, sample: Sample) -> tuple[Schema, list[bool]]:
        """How each column is coded, and which columns each member cuts by itself."""
        given, defaults = wanted_columns(self.columns, data.names), Defaults(Laplace(), self.missing, self.unseen)
        schema = judge_columns(plan_columns(data, self.columns, defaults), data, sample, given)
        plans, is_cut = [], []
        for plan, column in zip(schema, data.columns, strict=True):
            is_given = plan.name in given
            kind = defaults.settle(plan.distribution if is_given else plan.distribution.discretized())
            if self.missing == "state" and not kind.is_ignored and not column.has_missing:
                kind = replace(kind, missing="skip")  # no state that never occurs
            is_cut.append(not is_given and not kind.is_ignored and _is_cut(column))
            if not is_cut[-1]:
                kind, _ = kind.with_fixed_states(column, sample)
            plans.append(replace(plan, distribution=kind))
        return Schema(tuple(plans)), is_cut

    def _form_of_tally(self, tally: Tally) -> ChainForm:
        if self.structure is None or not np.array_equal(self.structure.sets(), tally.parts[0].sets):
            raise ParameterError("a tally does not say how its columns were cut. Pass structure=model.structure_.")
        names = self._names_in(tally)
        kinds = {view.column: view.distribution for view in reversed(self.structure.views)}
        plans = (ColumnPlan(name, kinds[i], "as the tally counts it") for i, name in enumerate(names))
        return ChainForm(len(names), names, schema=Schema(tuple(plans)), chains=self.structure)

    def _learn_beyond_counts(self, tally: Tally, form: Any, data: Table, sample: Sample) -> ChainForm:
        """The form with learned weights of the columns and their parents."""
        if self.structure is not None or self.weights is None:
            return form
        order = order_of_rows(sample.codes, len(tally.classes))
        if order is not None:
            tally, sample = with_classes_in(order, tally, sample)
        tables = ChainTables(tally.parts[0], form.chains)
        if order is None:
            self._smoothed = tally, tables  # `_estimate` needs them next
        owner = type(self).__name__
        found = learn_chain_weights(form.chains, tables, tally, data, sample, priors=self.priors, owner=owner)
        if found is None:
            return form
        return replace(form, chains=replace(form.chains, weights=_as_tuples(found), rows=float(tally.total)))

    # Counting and estimating ---------------------------------------------------------------------------------------

    def _count(self, data: Table, sample: Sample, form: Any) -> Tally:
        owner, whole, rows = type(self).__name__, sample, sample.weighty()
        check_values(data, form.schema, owner)
        if rows is not None:
            data, sample = data.take(rows), sample.take(rows)
        variables = form.chains.variables(data)
        codes = form.chains.codes(data, variables, owner)
        return whole.tally(count_crossed(variables, codes, sample, self._sets(form)))

    def _sets(self, form: Any) -> AnyArray:
        return form.chains.sets()

    def _accepted(self, tally: Tally) -> Tally:
        if len(tally.parts) != 1 or not isinstance(tally.parts[0], Crossed):
            raise ParameterError("KDB takes the tally of sets of columns that such a model makes.")
        return tally

    def _names_in(self, tally: Tally) -> tuple[str, ...]:
        return tuple(dict.fromkeys(tally.names))  # a column has several views

    def _check_mergeable(self, other: KDB) -> None:
        if not self.structure_.has_same_counts(other.structure_):
            raise ColumnMismatchError(
                "the two models have different cuts or parents. Fit the second with those of the first: "
                "structure=first.structure_."
            )

    def _estimate(self, tally: Tally, form: Any) -> dict[str, Any]:
        prior = self._prior_of(tally)
        names, chains = [plan.name for plan in form.schema], form.chains
        counted, tables = self.__dict__.pop("_smoothed", (None, None))
        lazy = Lazy(ChainTables, tally.parts[0], chains)
        if tables is not None and counted is tally:
            lazy.hold(tables.weighted(chains))
        return {
            "schema_": form.schema,
            "structure_": chains,
            "parents_": chains.parents_of(names),
            "weights_": dict(zip(names, chains.weights, strict=True)),
            "class_count_": tally.class_counts.astype(np.float64),
            "class_prior_": np.exp(prior),
            "_prior": prior,
            "_tables": lazy,
        }

    def _prior_of(self, tally: Tally) -> Floats:
        return settle_priors(self.priors, tally.class_counts, tally.classes.labels.tolist())

    # Scoring -------------------------------------------------------------------------------------------------------

    def _likelihood(self, data: Table) -> Floats:
        return self._tables.get().score(self._codes(data))

    def _column_evidence(self, data: Table) -> Floats:
        return self._tables.get().weigh(self._codes(data))

    def _codes(self, data: Table) -> AnyArray:
        return self.structure_.codes(data, self.tally_.parts[0].variables, type(self).__name__)

    _joint = _draw = without_joint(
        "it averages the weighted logarithms of several members. Use TAN or BayesNetClassifier"
    )

    def _free_parameters(self) -> int:
        """Those of P(x | class, parents), of all members."""
        sizes = [len(variable) for variable in self.tally_.parts[0].variables]
        chains = {chain.views for chain in self.structure_.chains}
        free = sum(prod(sizes[view] for view in views[:-1]) * max(sizes[views[-1]] - 1, 0) for views in chains)
        return len(self.classes_) * free

    def _left_out_likelihood(self, data: Table, y: Codes, weights: Floats) -> Floats:
        """The structure, the weights and the strengths of the smoothing stay as they are."""
        part, chains, owner = self.tally_.parts[0], self.structure_, type(self).__name__
        found = np.unique(weights)
        if len(found) > _MOST_WEIGHTS:
            raise ParameterError(
                f"leave-one-out of a KDB takes at most {_MOST_WEIGHTS} different sample weights, and there are "
                f"{len(found)}. Use rows that were not learned."
            )
        out = np.empty((len(y), len(self.classes_)))
        for unit in found.tolist():
            rows = np.flatnonzero(weights == unit)
            tables, codes = ChainTables(part, chains, unit), chains.left_out_codes(data.take(rows), part, unit, owner)
            out[rows] = tables.score_left_out(codes, y[rows])
        return out

    def _check_values(self, data: Table) -> None:
        check_values(data, self.schema_, type(self).__name__)

    def _decider(self) -> Decider:
        return Decider(self.rule, self.loss, self.reject)

    def __sklearn_tags__(self) -> Any:
        return tag_table(super().__sklearn_tags__(), self.missing)


def _is_cut(column: Any) -> bool:
    """True for numbers of which there are more than a few."""
    if not column.is_numeric:
        return False
    numbers = column.numbers
    return len(np.unique(numbers[~np.isnan(numbers)] if numbers.dtype.kind == "f" else numbers)) >= _FEWEST_TO_CUT


def _unit(sample: Sample) -> float:
    """The weight of a row that is left out: 1, or the mean where weights are not whole numbers."""
    weights = sample.weights
    if weights is None or not (weights % 1.0).any():
        return 1.0
    return float(weights[weights > 0].mean())


def _as_tuples(weights: Floats) -> tuple[tuple[float, ...], ...]:
    return tuple(map(tuple, weights.tolist()))
