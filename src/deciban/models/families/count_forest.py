"""A forest of random trees whose nodes count the classes.

    P(c | node) = (n_c + s·P(c | parent)) / (n + s)

    log P(c | x) = log P(c) + 1/T · (log P(c | ends of x) − log P(c | root)) + a constant

P(c | ends of x) is the mean over the trees of P(c | the node where x ends).

A tree is grown at random, as in Geurts, Ernst and Wehenkel (2006, "Extremely randomized trees"): at a node, some
columns are drawn, each is cut at random, and the cut after which the classes are purest (Gini) is kept. Numbers are cut
by rank. Labels are split into one and the others, or at a random place of an order in which some classes become more
frequent. Missing values go to the side that they fit better.

That is the structure, and it stays. All else are counts: every row walks down each tree and is counted at the node
where it ends, so that learning adds and forgetting subtracts. The counts of a node are few, so they are smoothed
towards those of its parent. The strength s depends on the depth. It maximizes the leave-one-out likelihood of single
trees, multiplied by a factor that suits their mean: averaging smooths, too.

Each tree is grown from three quarters of the rows, by a hash of their values, and counts all of them. Strengths, their
factor and the temperature T are learned from rows in the trees that were grown without them, whose counts are taken out
on their way down.

Every split that a row passes changes the probabilities. The evidence is shared out over the columns in proportion to
the changes by their splits, and sums to the whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from numbers import Integral
from typing import Any, ClassVar, Literal

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from deciban.decide import Reject
from deciban.decide.calibration import fit_temperature
from deciban.errors import ColumnMismatchError, ParameterError
from deciban.estimate import Categorical, Cut, Laplace, settle_priors
from deciban.estimate.values import numbers_of
from deciban.limits import check_memory
from deciban.log_sums import log_softmax
from deciban.models.base import Rule, Unseen
from deciban.models.families.trees import GrowRules, Rows, Trees, distinct_rows, grow, unseen_of
from deciban.models.leave_one_out import prior_of_rows
from deciban.models.schema import Defaults, Form, Schema, check_form, judge_columns, plan_columns, wanted_columns
from deciban.models.table_classifier import TABLE_CONSTRAINTS, TableClassifier, check_some_weight, check_values
from deciban.read import Table
from deciban.storable import require, storable
from deciban.tallies import EndCounts, Sample, Tally, weight_left
from deciban.tallies.crossed import count_crossed, narrow_codes, sets_of_size
from deciban.types import AnyArray, Codes, Floats

__all__ = ["CountForest", "TreesForm"]


_CANDIDATES = 8
_DEEPEST = 1 << 30
_LEARNED = 2048  # rows, for strengths and temperature
_RELIEFS = (0.03, 0.1, 0.3, 1.0)  # the factors of the strengths
_FEWEST_CUTS, _MOST_CUTS = 4, 254  # whole numbers of which there are fewer are labels
_FEWER_NODES = "Grow fewer trees (n_trees), or smaller ones (min_samples_leaf)."


class CountForest(TableClassifier):
    """A forest of random trees whose nodes count the classes: for deep interactions, and many rows.

    Parameters
    ----------
    columns : "auto", mapping or Schema
        The distributions of the columns, "auto" or by name: labels, and numbers in bins. Numbers whose distribution is
        not named are cut at up to 254 quantiles, which the trees choose from.
    n_trees : int
        How many trees are averaged.
    max_features : int or "auto"
        How many columns are tried at each node; "auto" is 8.
    max_depth : int, optional
        The largest number of splits that a row passes in a tree.
    min_samples_leaf : int
        How many of the rows that a tree is grown from each side of a split has at least.
    structure : optional
        `structure_` of another model, whose trees are then used, so that both can be merged.
    priors : "empirical", "uniform", Smoothing, mapping or array
        The class priors: relative frequencies, equal ones, smoothed frequencies, or probabilities by label or in the
        order of the classes.
    missing : {"state", "error"}
        "state": at each split, missing values go to the side that they fit better.
    unseen : {"smooth", "ignore", "error"}
        What a label is that did not occur in fit: it goes to the larger side of a split, or the row ends there, or an
        error.
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
        What the trees are drawn with.

    Attributes
    ----------
    tally_ : Tally
        The counts of all columns, and of the nodes where rows end.
    structure_ : value
        The trees, the strengths of the smoothing and the temperature, for the parameter `structure` of another model.
    temperature_ : float
        What the evidence is divided by.
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
    KDB : Columns that depend on a few others: for few rows.
    AutoBayes : Models compared and combined.

    Notes
    -----
    Trees, strengths and the temperature are found from the rows of `fit`, or of the first `partial_fit`, and kept:
    `partial_fit`, `merge` and `forget` change the counts, and with them all probabilities.

    Neither the order of rows and columns nor the names of columns, classes and labels change the trees.

    Examples
    --------
    The class is whether a and b agree: no column alone has any information on it.

    >>> rows = {"a": list("xxyy") * 20, "b": list("uvuv") * 20}
    >>> model = CountForest().fit(rows, [1, 0, 0, 1] * 20)
    >>> model.predict({"a": ["x", "x"], "b": ["u", "v"]}).tolist()
    [1, 0]
    """

    _parameter_constraints: ClassVar[dict[str, list[object]]] = {
        **{name: rules for name, rules in TABLE_CONSTRAINTS.items() if name != "smoothing"},
        "missing": [StrOptions({"state", "error"})],
        "n_trees": [Interval(Integral, 1, None, closed="left")],
        "max_features": [StrOptions({"auto"}), Interval(Integral, 1, None, closed="left")],
        "max_depth": [Interval(Integral, 0, None, closed="left"), None],
        "min_samples_leaf": [Interval(Integral, 1, None, closed="left")],
        "structure": [Trees, None],
    }

    schema_: Schema
    structure_: Trees
    temperature_: float
    _form: TreesForm
    _chances: Floats

    def __init__(
        self,
        columns: Any = "auto",
        *,
        n_trees: int = 64,
        max_features: int | Literal["auto"] = "auto",
        max_depth: int | None = None,
        min_samples_leaf: int = 1,
        structure: Trees | None = None,
        priors: Any = "empirical",
        missing: Literal["state", "error"] = "state",
        unseen: Unseen = "smooth",
        na_values: Sequence[Any] = (),
        rule: Rule = "map",
        loss: Any = None,
        reject: Reject | float | None = None,
        random_state: int | np.random.Generator | None = 0,
    ) -> None:
        self.columns, self.n_trees, self.max_features, self.max_depth = columns, n_trees, max_features, max_depth
        self.min_samples_leaf, self.structure, self.priors = min_samples_leaf, structure, priors
        self.missing, self.unseen, self.na_values = missing, unseen, na_values
        self.rule, self.loss, self.reject = rule, loss, reject
        self.random_state = random_state

    # Finding the structure -----------------------------------------------------------------------------------------

    def _form_of_sample(self, data: Table, sample: Sample) -> TreesForm:
        check_some_weight(sample)
        form, trees = self._form_of(data), self._settings.structure
        if trees is not None:
            if len(trees.columns) != data.shape[1]:
                raise ColumnMismatchError(
                    f"the structure has {len(trees.columns)} columns, and the table has {data.shape[1]}."
                )
            return TreesForm.extend(replace(form, schema=trees.columns.schema(data.names)), trees)
        data, sample = _weighty(data, sample)
        schema = self._plan(data, sample)
        kinds = tuple(plan.distribution for plan in schema)
        variables = tuple(kind.variable(column) for kind, column in zip(kinds, data.columns, strict=True))
        return TreesForm.extend(replace(form, schema=schema), grow(kinds, variables, data, sample, self._rules()))

    def _rules(self) -> GrowRules:
        most, depth = self._settings.max_features, self._settings.max_depth
        return GrowRules(
            trees=int(self._settings.n_trees),
            candidates=_CANDIDATES if most == "auto" else int(most),
            min_leaf=int(self._settings.min_samples_leaf),
            max_depth=_DEEPEST if depth is None else int(depth),
            seed=int(np.random.default_rng(self._settings.random_state).integers(1 << 63)),
        )

    def _plan(self, data: Table, sample: Sample) -> Schema:
        """How each column is coded: numbers at many cuts, unless their distribution is given."""
        given = wanted_columns(self._settings.columns, data.names)
        defaults = Defaults(Laplace(), self._settings.missing, self._settings.unseen)
        schema = judge_columns(plan_columns(data, self._settings.columns, defaults), data, sample, given)
        plans = []
        for plan, column in zip(schema, data.columns, strict=True):
            kind = plan.distribution
            if plan.name not in given and not kind.is_ignored:
                ends = _cuts(numbers_of(column), sample.weights) if column.is_numeric else []
                is_code = isinstance(kind, Categorical) and len(ends) < _FEWEST_CUTS
                kind = kind.discretized() if is_code or not column.is_numeric else Cut(at=ends)
            kind, _ = defaults.settle(kind).with_fixed_states(column, sample)
            if kind.missing == "state":
                kind = replace(kind, missing="skip")  # splits have a side for missing values, which are no state
            plans.append(replace(plan, distribution=kind))
        return Schema(tuple(plans))

    def _form_of_tally(self, tally: Tally) -> TreesForm:
        trees = self._settings.structure
        if trees is None or trees.nodes != tally.parts[0].nodes:
            raise ParameterError("a tally does not say where its trees split. Pass structure=model.structure_.")
        return TreesForm.extend(replace(super()._form_of_tally(tally), schema=trees.columns.schema(tally.names)), trees)

    def _learn_beyond_counts(
        self, tally: Tally, form: Form, data: Table, sample: Sample
    ) -> tuple[Form, dict[str, object] | None]:
        """The form with the strengths of the smoothing and the temperature."""
        form = _trees_form(form)
        if self._settings.structure is not None or len(tally.classes) < 2:
            return form, None
        data, sample = _weighty(data, sample)
        states = form.trees.columns.states(data, type(self).__name__)
        rows = distinct_rows(states, form.trees.columns.keys(states), sample).spread(_LEARNED)
        # Without the row, a class that has no other row is impossible.
        rows = rows.take(weight_left(tally.class_counts[rows.y], rows.own) > 0)
        if not len(rows.y):
            return form, None
        counts = form.trees.passing(tally.parts[0])
        prior = prior_of_rows(self._settings.priors, tally.class_counts, rows.y, rows.own)
        return replace(form, trees=_learned(form.trees, rows, counts, prior)), None

    # Counting and estimating ---------------------------------------------------------------------------------------

    def _count(self, data: Table, sample: Sample, form: Form) -> Tally:
        trees, owner = _trees_form(form).trees, type(self).__name__
        check_values(data, form.schema, owner)
        whole = sample
        data, sample = _weighty(data, sample)
        variables, codes = trees.columns.code(data, owner)
        narrow = narrow_codes(codes, [len(variable) for variable in variables], len(data))
        alone = count_crossed(variables, narrow, sample, sets_of_size(0, 1))
        classes = len(sample.classes)
        check_memory("the counts of all trees, nodes × classes,", trees.nodes, classes, advice=_FEWER_NODES)
        states = trees.columns.states_of(variables, codes)
        return whole.tally(EndCounts.of(alone, trees.count_ends(states, sample)))

    def _parts_in(self, form: Form) -> int:
        """One part has the counts of all trees."""
        return 1

    def _check_fits(self, tally: Tally, form: Form) -> None:
        require(tally.parts[0].nodes == _trees_form(form).trees.nodes, "it counts the nodes of other trees")

    def _accepted(self, tally: Tally) -> Tally:
        if len(tally.parts) != 1 or not isinstance(tally.parts[0], EndCounts):
            raise ParameterError("CountForest takes the tally of nodes of trees that such a model makes.")
        return tally

    def _check_mergeable(self, other: CountForest) -> None:
        if not self.structure_.has_same_splits(other.structure_):
            raise ColumnMismatchError(
                "the two models have different trees. Fit the second with those of the first: "
                "structure=first.structure_."
            )

    def _estimate(self, tally: Tally, form: Form) -> dict[str, object]:
        trees = _trees_form(form).trees
        prior = settle_priors(self._settings.priors, tally.class_counts, tally.classes.labels.tolist())
        return {
            "schema_": form.schema,
            "structure_": trees,
            "temperature_": trees.temperature,
            "class_count_": tally.class_counts.astype(np.float64),
            "class_prior_": np.exp(prior),
            "_prior": prior,
            "_chances": trees.chances(tally.parts[0]),
        }

    # Scoring -------------------------------------------------------------------------------------------------------

    def _states(self, data: Table) -> AnyArray:
        columns, owner = self.structure_.columns, type(self).__name__
        for column, plan, variable in zip(data.columns, self.schema_, self.tally_.parts[0].variables, strict=True):
            if unseen_of(plan.distribution) == "error":
                plan.distribution.codes(column, variable, owner)  # refuses labels that were never counted
        return columns.states(data, owner)

    def _likelihood(self, data: Table) -> Floats:
        return self.structure_.score(self._states(data), self._chances)

    def _column_evidence(self, data: Table) -> Floats:
        return self.structure_.weigh(self._states(data), self._chances)

    _why_no_joint = "it averages many trees. Use TAN or BayesNetClassifier"

    def _free_parameters(self) -> int:
        """Those of P(class | end), of all trees."""
        return int((self.structure_.splits[:, 0] < 0).sum()) * (len(self.classes_) - 1)

    def _left_out_likelihood(self, data: Table, y: Codes, weights: Floats) -> Floats:
        """By the trees that were grown without the row; the trees, strengths and temperature stay as they are."""
        trees, states = self.structure_, self._states(data)
        rows = Rows(states, trees.columns.keys(states), y, weights, weights)
        return trees.score_left_out(rows, trees.passing(self.tally_.parts[0])) / trees.temperature


def _trees_form(form: Form) -> TreesForm:
    if not isinstance(form, TreesForm):
        raise ParameterError("the model has no trees.")
    return form


def _weighty(data: Table, sample: Sample) -> tuple[Table, Sample]:
    """The rows that have a weight."""
    rows = sample.weighty()
    return (data, sample) if rows is None else (data.take(rows), sample.take(rows))


def _learned(trees: Trees, rows: Rows, counts: Floats, prior: Floats) -> Trees:
    """The trees with the strengths and the temperature of least log loss."""
    best, lowest = trees, np.inf
    strengths = trees.find_strengths(rows, counts)
    for relief in _RELIEFS:
        relieved = replace(trees, strengths=relief * strengths)
        scores = relieved.score_left_out(rows, counts)
        temperature = fit_temperature(scores, prior, rows.y, rows.importance)
        logs = log_softmax(prior + scores / temperature)[np.arange(len(rows.y)), rows.y]
        loss = -float(rows.importance @ logs)
        if loss >= lowest:  # it falls to its minimum, and rises then
            break
        best, lowest = replace(relieved, temperature=temperature), loss
    return best


def _cuts(numbers: Floats, weights: Floats | None) -> list[float]:
    """Places between all different numbers, or, where these are many, at quantiles."""
    known = np.isfinite(numbers)
    values, at = np.unique(numbers[known], return_inverse=True)
    if len(values) < 2:
        return []
    ends = np.arange(len(values) - 1)
    if len(ends) > _MOST_CUTS:
        whole = np.cumsum(np.bincount(at, None if weights is None else weights[known], len(values)))
        wanted = np.arange(1, _MOST_CUTS + 1) * (whole[-1] / (_MOST_CUTS + 1))
        ends = np.unique(np.minimum(np.searchsorted(whole, wanted), len(values) - 2))
    below, above = values[ends], values[ends + 1]
    middle = below + (above - below) / 2
    return np.where(middle < above, middle, below).tolist()


def _check_trees_form(form: TreesForm) -> None:
    check_form(form)
    require(isinstance(form.trees, Trees) and len(form.trees.columns) == form.columns, "a form has no trees")


@storable(check=_check_trees_form)
@dataclass(frozen=True)
class TreesForm(Form):
    """The form of the data, and the trees that were grown or given."""

    trees: Any = None

    @classmethod
    def extend(cls, form: Form, trees: Trees) -> TreesForm:
        return cls(**{field.name: getattr(form, field.name) for field in fields(Form)}, trees=trees)
