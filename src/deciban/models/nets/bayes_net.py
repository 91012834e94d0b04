"""A Bayes net over the class and the columns, as a classifier.

    P(c | x) ∝ P(c | parents of c)·Π P(x_i | parents of x_i)   over the children i of the class

In naive Bayes the class is the only parent of every column, in TAN the columns also form a tree; here the graph may be
any DAG, given or found from the rows ("Bayes Nets"; Friedman, Geiger and Goldszmidt, 1997, section 3).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, cast

import numpy as np
from sklearn.utils._param_validation import Interval

from deciban.decide import Reject
from deciban.errors import ColumnMismatchError, ParameterError
from deciban.estimate import Ignore, Laplace, Smoothing, empirical_priors
from deciban.explain import Explanation, FactorExplanation, conditioned
from deciban.models.form import Form
from deciban.models.lazy import Lazy
from deciban.models.nets.back_off import Strength
from deciban.models.nets.coded import CodedClassifier
from deciban.models.nets.drawing import CLASS, NodeTables
from deciban.models.nets.leave_one_out import LeftOut, score_each_without
from deciban.models.nets.net_form import Families, NetForm
from deciban.models.nets.net_tables import NetTables, score_without
from deciban.models.options import Missing, Rule, Unseen, words
from deciban.models.parts.leave_one_out import class_counts_without_own
from deciban.models.tables.schema import ColumnPlan, Schema, wanted_columns
from deciban.nets import DAG, PDAG, Knowledge, discover
from deciban.nets.data.kinds import kind_of
from deciban.nets.search.search import search
from deciban.read import Column, Table
from deciban.suggest import did_you_mean
from deciban.tallies import Crossed, Sample, Tally
from deciban.types import AnyArray, Codes, Floats, Ints

__all__ = ["BayesNetClassifier"]

Criterion = Literal["bic", "bdeu", "k2"]
Method = Literal["hc", "tabu", "ges", "exact", "chow_liu"]

_MOST_REPEATED = 1 << 24
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

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **CodedClassifier._parameter_constraints,
        "target": [str],
        "criterion": [words(Criterion)],
        "method": [words(Method)],
        "max_parents": [Interval(Integral, 0, None, closed="left"), None],
        "alpha": [Interval(Real, 0, 1, closed="neither")],
    }
    dag_: DAG
    _form: NetForm

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
        if self.target in names:
            raise ColumnMismatchError(f"a column is called {self.target!r}, as the class is. Pass another target.")
        dag = self._given_structure()
        if dag is None:
            columns, y = self._searched_rows(data, sample, plain)
            plain = replace(plain, schema=_without_identifiers(plain.schema, columns, self.columns))
            used = {i: codes for i, codes in columns.items() if not plain.schema.plans[i].distribution.is_ignored}
            dag = self._find(used, y, names)
        return _with_families(plain, Families.of(dag, names, self.target))

    def _form_of_tally(self, tally: Tally) -> NetForm:
        dag = self._given_structure()
        if dag is None:
            raise ParameterError("a tally does not say how its net was found. Pass structure=model.dag_.")
        families = Families.of(dag, tally.names, self.target)
        if not np.array_equal(families.sets(), tally.parts[0].sets):
            raise ParameterError("the tally counts the families of another net. Pass structure=model.dag_.")
        return _with_families(super()._form_of_tally(tally), families)

    def _form_of_database(self, form: Form) -> NetForm:
        dag = self._given_structure()
        if dag is None:
            raise ParameterError("finding a net needs the rows. Pass its structure: a DAG, its arrows, or model.dag_.")
        return _with_families(form, Families.of(dag, form.names or (), self.target))

    def _given_structure(self) -> DAG | None:
        """The graph that is given; None where it is to be found."""
        if isinstance(self.structure, str):
            if self.structure in _FOUND:
                return None
        elif isinstance(self.structure, DAG):
            return self.structure
        elif isinstance(self.structure, Iterable):
            return DAG([tuple(pair) for pair in self.structure], [self.target])
        named = ", ".join(map(repr, _FOUND))
        raise ParameterError(
            f"structure is one of {named}, a DAG or its arrows, not {self.structure!r}."
            f"{did_you_mean(self.structure, _FOUND)}"
        )

    def _searched_rows(self, data: Table, sample: Sample, form: Form) -> tuple[dict[int, Codes], Codes]:
        """The codes of the columns that vary, and of the class; a missing value is a state of its own."""
        rows = _repeated(sample.weights, len(data))
        found = {}
        for i, (plan, column) in enumerate(zip(form.schema, data.columns, strict=True)):
            variable = plan.distribution.variable(column)
            codes = plan.distribution.codes(column, variable, type(self).__name__)[rows]
            with_missing = np.where(codes < 0, np.int32(len(variable)), codes)
            if len(variable) > 0 and with_missing.min() < with_missing.max():
                found[i] = with_missing
        return found, sample.codes[rows]

    def _find(self, columns: dict[int, Codes], y: Codes, names: Sequence[str]) -> DAG:
        table = {names[i]: codes for i, codes in columns.items()} | {self.target: y}
        if self.structure == "discover":
            return cast(PDAG, discover(table, test="g2", alpha=self.alpha).graph).extension()
        required = [(self.target, names[i]) for i in columns] if self.structure == "augmented" else []
        most = None if self.max_parents is None else int(self.max_parents)
        knowledge = Knowledge(required=required) if required else None
        found = search(table, self.criterion, method=self.method, max_parents=most, knowledge=knowledge).graph
        return found.extension() if isinstance(found, PDAG) else found

    # Counting, estimating and scoring ------------------------------------------------------------------------------

    def _check_mergeable(self, other: Any) -> None:
        super()._check_mergeable(other)
        if self._form.families != other._form.families:
            raise ColumnMismatchError(
                "the two models have different nets. Fit the second with the net of the first: structure=first.dag_."
            )

    def _sets(self, form: Form) -> AnyArray:
        return _families(form).sets()

    def _made(self, tally: Tally, form: Form) -> dict[str, Any]:
        families, part = _families(form), tally.parts[0]
        prior = empirical_priors(tally.class_counts)
        return {
            "dag_": families.dag(part.names),
            "_tables": Lazy(NetTables, part, families, prior, self.smoothing, self._strength()),
        }

    def _strength(self) -> Strength:
        return "auto" if self.strength == "auto" else float(self.strength)

    def _score_left_out(self, left: LeftOut, *, exact: bool = True) -> Floats:
        """The net and the strengths stay; rows with missing values in the Markov blanket are scored one by one."""
        families = _families(self._form)
        prior = empirical_priors(class_counts_without_own(self.tally_.class_counts, left.y, left.weights))
        strengths = self._tables.get().strengths
        out, blanket = score_without(left, families, prior, strengths)
        incomplete = np.flatnonzero((left.codes[:, blanket] < 0).any(axis=1))

        def score(part: Crossed, codes: Codes, row: int) -> Floats:
            return NetTables(part, families, prior[row], self.smoothing, strengths).score(codes)

        if exact and len(incomplete):
            out[incomplete] = score_each_without(left, left.part, incomplete, score)
        return out

    def _joint_of(self, codes: Codes) -> Floats:
        self._check_priors()
        tables: NetTables = self._tables.get()
        return self._prior + tables.score(codes, whole=True)

    def _check_priors(self) -> None:
        """Refuse other priors where the class has parents: its marginal follows from the tables."""
        is_empirical = isinstance(self.priors, str) and self.priors == "empirical"
        if _families(self._form).of_class and not is_empirical:
            raise ParameterError(
                "the class has parents in the net, so its probabilities follow from the tables: with other priors the "
                'posteriors are not those of one joint distribution. Use priors="empirical".'
            )

    def _nets(self) -> tuple[Sequence[NodeTables], Floats]:
        self._check_priors()
        families = self._tables.get().families(self._prior)
        order = [CLASS if node == self.target else self._names().index(node) for node in self.dag_.topological_order()]
        return [{node: families[node] for node in order if node in families}], np.ones(1)

    def _with_factors(self, plain: Explanation, data: Table, values: list[Any]) -> Explanation:
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


def _with_families(form: Form, families: Families) -> NetForm:
    return NetForm(**{field.name: getattr(form, field.name) for field in fields(form)}, families=families)


def _families(form: Form) -> Families:
    if not isinstance(form, NetForm) or form.families is None:
        raise ParameterError("the model has no net.")
    return form.families


def _without_identifiers(schema: Schema, columns: Mapping[int, Codes], wanted: Any) -> Schema:
    """The schema with columns ignored that have too many values to be counted, unless their distribution is named."""
    plans, given = list(schema), wanted_columns(wanted, [plan.name for plan in schema])
    for i, codes in columns.items():
        found = kind_of(Column.of_values(plans[i].name, codes))
        if found.kind == "identifier" and plans[i].name not in given:
            reason = f"identifier: {found.values:,} distinct labels in {found.rows:,} rows, too many for a net"
            plans[i] = ColumnPlan(plans[i].name, Ignore(missing="skip"), reason)
    return Schema(tuple(plans))


def _repeated(weights: Floats | None, rows: int) -> Ints:
    """The rows to search with: repeated by weight where weights are whole numbers, else once each."""
    if weights is None:
        return np.arange(rows)
    if (weights == np.floor(weights)).all() and weights.sum() < _MOST_REPEATED:
        return np.repeat(np.arange(rows), weights.astype(np.int64))
    return np.flatnonzero(weights)
