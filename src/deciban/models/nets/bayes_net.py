"""A Bayes net over the class and the columns, as a classifier.

    P(c | x) ∝ P(c | parents of c)·Π P(x_i | parents of x_i)   over the children i of the class

Naive Bayes is the net in which the class is the only parent of every column, TAN the best tree between them; here any
graph will do, given or found from the rows ("Bayes Nets"; Friedman, Geiger and Goldszmidt, 1997, section 3).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import fields
from numbers import Integral, Real
from typing import Any, ClassVar, Self, cast

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from deciban.decide import Reject
from deciban.errors import ColumnMismatchError, InputError, ParameterError
from deciban.estimate import Laplace, Smoothing, empirical_priors
from deciban.explain import Explanation, FactorExplanation, conditioned
from deciban.models.base import BayesClassifier
from deciban.models.form import Form
from deciban.models.lazy import Lazy
from deciban.models.nets.coded import CodedClassifier
from deciban.models.nets.coding import codes_of, variable_of
from deciban.models.nets.leave_one_out import LeftOut, score_each_without
from deciban.models.nets.net_form import Families, NetForm
from deciban.models.nets.net_tables import NetTables, score_without
from deciban.nets import DAG, PDAG, Knowledge, discover
from deciban.nets.search.search import search
from deciban.read import Table
from deciban.suggest import did_you_mean
from deciban.tallies import Crossed, Sample, Tally
from deciban.types import AnyArray, Codes, Floats, Ints

__all__ = ["BayesNetClassifier"]

_MOST_REPEATED = 1 << 24
_FOUND = ("search", "augmented", "discover")


class BayesNetClassifier(CodedClassifier):
    """A Bayes net over the class and the columns, found from the rows or given.

    Parameters
    ----------
    structure : "search", the net that the criterion likes best; "augmented", the best of those in which the class is a
        parent of every column; "discover", a net with the independences that tests find; or a `DAG`, or its arrows as
        pairs, over the columns and the class
    columns : as in `AODE`: labels as they are, and numbers cut once by minimum description length
    target : what the class is called in the net
    criterion, method, max_parents : how to search: the score, the method and the limit of `db.search`
    alpha : how to discover, as in `db.discover`
    smoothing : of P(x | class), and of P(x) where the class is no parent of x
    strength : the virtual rows by which P(x | parents) falls back on these
    priors, unseen, na_values, rule, loss, reject : as in `AODE`
    missing : "skip": a row counts in the families that it has, and what is missing in a row to be classified is summed
        out, exactly, over the whole net; "state"; or "error"

    Attributes
    ----------
    dag_ : the net, a `DAG`
    schema_, tally_, classes_, class_prior_, class_count_, n_features_in_, feature_names_in_

    Notes
    -----
    The net is found when the model first sees rows, from those that miss nothing, and kept: `partial_fit`, `merge` and
    `forget` change the counts of its families alone. Whole-number weights repeat rows in the search; with others each
    row is searched with once. `predict_joint_log_proba` leaves out what is the same for all classes. `evidence` gives
    each child of the class its factor; what the class's parents say, and what is summed out, is "(parents, gaps)".

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
        "criterion": [StrOptions({"bic", "bdeu", "k2"})],
        "method": [StrOptions({"hc", "tabu", "ges", "exact", "chow_liu"})],
        "max_parents": [Interval(Integral, 0, None, closed="left"), None],
        "alpha": [Interval(Real, 0, 1, closed="neither")],
    }
    dag_: DAG
    _form: NetForm

    def __init__(
        self,
        structure: Any = "search",
        *,
        columns: Any = "auto",
        target: str = "class",
        criterion: Any = "bic",
        method: Any = "hc",
        max_parents: int | None = None,
        alpha: float = 0.01,
        smoothing: Smoothing = Laplace(),
        strength: float = 1.0,
        priors: Any = "empirical",
        missing: str = "skip",
        unseen: str = "smooth",
        na_values: Sequence[Any] = (),
        rule: str = "map",
        loss: Any = None,
        reject: Reject | float | None = None,
    ) -> None:
        self.structure = structure
        self.columns = columns
        self.target = target
        self.criterion = criterion
        self.method = method
        self.max_parents = max_parents
        self.alpha = alpha
        self.smoothing = smoothing
        self.strength = strength
        self.priors = priors
        self.missing = missing
        self.unseen = unseen
        self.na_values = na_values
        self.rule = rule
        self.loss = loss
        self.reject = reject

    # The structure -------------------------------------------------------------------------------------------------

    def _form_of_sample(self, data: Table, sample: Sample) -> NetForm:
        plain = super()._form_of_sample(data, sample)
        names = plain.names or data.names
        if self.target in names:
            raise ColumnMismatchError(f"a column is called {self.target!r}, as the class is. Pass another target.")
        dag = self._given_structure()
        if dag is None:
            dag = self._find(*self._whole_rows(data, sample, plain), names)
        return _with_families(plain, Families.of(dag, names, self.target))

    def _form_of_tally(self, tally: Tally) -> NetForm:
        dag = self._given_structure()
        if dag is None:
            raise ParameterError("a tally does not say how its net was found. Pass structure=model.dag_.")
        families = Families.of(dag, tally.names, self.target)
        if not np.array_equal(families.sets(), tally.parts[0].sets):
            raise ParameterError("the tally counts the families of another net. Pass structure=model.dag_.")
        return _with_families(super()._form_of_tally(tally), families)

    def _given_structure(self) -> DAG | None:
        """The graph that is given, if one is."""
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

    def _whole_rows(self, data: Table, sample: Sample, form: Form) -> tuple[dict[int, Codes], Codes]:
        """The codes of the columns that vary, and of the class, of rows that miss nothing, repeated by weight."""
        found = {}
        for i, (plan, column) in enumerate(zip(form.schema, data.columns, strict=True)):
            variable = variable_of(plan.distribution, column)
            if len(variable) > 1:
                found[i] = codes_of(plan.distribution, column, variable, type(self).__name__)
        rows = _repeated(sample.weights, len(data))
        whole = np.ones(len(data), dtype=bool)
        for codes in found.values():
            whole &= codes >= 0
        rows = rows[whole[rows]]
        if len(rows) == 0:
            raise InputError(
                "every row misses a value, so no net can be found. Pass missing='state', a structure, or leave columns "
                "out (columns={name: db.Ignore()})."
            )
        return {i: codes[rows] for i, codes in found.items()}, sample.codes[rows]

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

    def merge(self, other: BayesClassifier) -> Self:
        if isinstance(other, BayesNetClassifier) and self._is_fitted() and other._is_fitted():
            self._check_same_net(other)
        return super().merge(other)

    def _check_same_net(self, other: BayesNetClassifier) -> None:
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
            "_tables": Lazy(NetTables, part, families, prior, self.smoothing, float(self.strength)),
        }

    def _score_codes(self, codes: Codes) -> Floats:
        tables: NetTables = self._tables.get()
        return tables.score(codes)

    def _score_left_out(self, left: LeftOut) -> Floats:
        """Of the net as it is; rows with gaps in the class's Markov blanket one by one, by tables without them."""
        families = _families(self._form)
        prior = empirical_priors(self._classes_without_own(left.y, left.weights))
        out, blanket = score_without(left, families, prior, float(self.strength))
        gaps = np.flatnonzero((left.codes[:, blanket] < 0).any(axis=1))

        def score(part: Crossed, codes: Codes, row: int) -> Floats:
            return NetTables(part, families, prior[row], self.smoothing, float(self.strength)).score(codes)

        if len(gaps):
            out[gaps] = score_each_without(left, left.part, gaps, score)
        return out

    def _weigh_codes(self, codes: Codes) -> Floats:
        tables: NetTables = self._tables.get()
        return tables.weigh(codes)

    def _with_factors(self, plain: Explanation, data: Table, values: list[Any]) -> Explanation:
        codes = self._codes(data)
        families = _families(self._form)
        terms: list[str | None] = [None] * len(values)
        for i, (is_under, ups) in enumerate(zip(families.under_class, families.of_columns, strict=True)):
            if is_under and (codes[0, [i, *ups]] >= 0).all():
                terms[i] = conditioned(values[i], [values[up] for up in ups])
        terms[-1] = self._remainders()[0] if plain.reasons[-1].weight_db else None
        return FactorExplanation.of(plain, terms)

    def _remainders(self) -> tuple[str, ...]:
        return ("(parents, gaps)",)


def _with_families(form: Form, families: Families) -> NetForm:
    return NetForm(**{field.name: getattr(form, field.name) for field in fields(form)}, families=families)


def _families(form: Form) -> Families:
    if not isinstance(form, NetForm) or form.families is None:
        raise ParameterError("the model has no net.")
    return form.families


def _repeated(weights: Floats | None, rows: int) -> Ints:
    """The rows to search with: each as often as it weighs, where weights are whole numbers, else each that weighs."""
    if weights is None:
        return np.arange(rows)
    if (weights == np.floor(weights)).all() and weights.sum() < _MOST_REPEATED:
        return np.repeat(np.arange(rows), weights.astype(np.int64))
    return np.flatnonzero(weights)
