"""Tree-augmented naive Bayes (Friedman, Geiger and Goldszmidt, 1997).

    P(j, x) = P(j)·Π_i P(x_i | x_π(i), j)

Every column but one depends on the class and on one other column, its parent. The edges form the tree with the largest
sum of conditional mutual information

    I(X; Y | C) = Σ P(x, y, j)·log P(x, y | j) / (P(x | j)·P(y | j)),

which is the tree of maximum likelihood (Chow and Liu, 1968).

The score of a complete row is a sum of table lookups. In other rows the missing values are summed out from the leaves
up: a column sends a message to its parent, the likelihood of the known values below for each of the parent's values u,

    m(u) = Σ_v P(v | u, j)·Π_children m_child(v),

with only its own value in the sum where that is known (Pearl, 1988).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from deciban.choices import did_you_mean
from deciban.decide import Reject
from deciban.errors import ColumnMismatchError
from deciban.estimate import Laplace, Smoothing, conditional_information, mutual_information
from deciban.estimate.closed_form import ClosedForm, Tree
from deciban.explain import Explanation, FactorExplanation, conditioned
from deciban.models.base import Missing, Rule, Unseen
from deciban.models.exported import SqlClassifier
from deciban.models.families.family_classifier import CodedClassifier
from deciban.models.families.family_tables import (
    CLASS,
    BackOff,
    FactorTables,
    LeftOut,
    NodeTables,
    Strength,
    pack_tables,
    score_each_without,
    sum_lookups,
)
from deciban.models.families.structures import ColumnSets
from deciban.models.schema import Form
from deciban.nets import DAG
from deciban.read import Table
from deciban.tallies import Crossed, Tally
from deciban.tallies.crossed import sets_of_size
from deciban.ties import first_largest, largest_first, settled
from deciban.types import Codes, Floats

__all__ = ["TAN", "TreeTables"]


class TAN(CodedClassifier, SqlClassifier):
    """Tree-augmented naive Bayes: columns also depend on one another, along a tree.

    Parameters
    ----------
    columns : "auto", mapping or Schema
        The distributions of the columns, as in `AODE`: labels, and numbers in bins.
    smoothing : Smoothing
        Of P(x | class).
    strength : float or "auto"
        The number of virtual rows by which P(x | parent, class) is shrunk to P(x | class), 5 in the paper. "auto": for
        each column the number of largest leave-one-out likelihood.
    temperature : float or "auto"
        T in log P(class) + (1/T)·log P(row | class), which corrects overconfidence. "auto": `fit` learns it from
        leave-one-out posteriors; 1 for the textbook's posteriors.
    root : str, optional
        The column that has no parent; by default the one with the most mutual information with the class.
    priors : "empirical", "uniform", Smoothing, mapping or array
        The class priors: relative frequencies, equal ones, smoothed frequencies, or probabilities by label or in the
        order of the classes.
    missing : {"skip", "state", "error"}
        "skip": a row counts in the pairs of columns that it has, and missing values of a row to be classified are
        summed out exactly, along the tree. "state": a missing value is a label of its own.
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
        The counts of all columns and of all pairs of them.
    tree_ : DAG
        The tree of the columns.
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
    AODE : The average over all parents.
    BayesNetClassifier : Any net.

    Notes
    -----
    The tree and the strengths follow from the counts, so `partial_fit`, `merge` and `forget` may change them. The
    temperature needs rows: `fit` learns it, `partial_fit` and `forget` keep it, `merge` averages it by the numbers of
    rows, and it is 1 in models that begin with `partial_fit` or `from_tally`. The `evidence` of a column is (1/T)·log
    P(x_i | x_π(i), j), given its parent in the tree.

    Examples
    --------
    >>> table = {"sky": list("ssrrssrr"), "street": list("ddwwddwd"), "day": list("aabbabab")}
    >>> model = TAN(root="sky").fit(table, [0, 0, 0, 0, 1, 1, 1, 1])
    >>> model.tree_
    DAG(sky → street, street → day)
    """

    _parameter_constraints: ClassVar[dict[str, list[object]]] = {
        **CodedClassifier._parameter_constraints,
        "root": [str, None],
    }
    tree_: DAG
    _tables: TreeTables

    def __init__(
        self,
        columns: Any = "auto",
        *,
        smoothing: Smoothing = Laplace(),
        strength: Strength = "auto",
        temperature: Strength = "auto",
        root: str | None = None,
        priors: Any = "empirical",
        missing: Missing = "skip",
        unseen: Unseen = "smooth",
        na_values: Sequence[Any] = (),
        rule: Rule = "map",
        loss: Any = None,
        reject: Reject | float | None = None,
    ) -> None:
        self.columns, self.root = columns, root
        self.smoothing, self.strength, self.temperature, self.priors = smoothing, strength, temperature, priors
        self.missing, self.unseen, self.na_values = missing, unseen, na_values
        self.rule, self.loss, self.reject = rule, loss, reject

    def conditional_mutual_information(self) -> dict[tuple[str, str], float]:
        """Compute I(X; Y | class) of each pair of columns, in nats, largest first; naive Bayes assumes that all are 0.

        Where values are missing, it is that of the rows that have both, times the share of these rows.

        Returns
        -------
        information : dict
            By pairs of names.

        Examples
        --------
        >>> table = {"a": list("xxyy"), "copy": list("xxyy"), "b": list("uvuv")}
        >>> found = TAN().fit(table, [0, 0, 0, 0]).conditional_mutual_information()
        >>> {pair: round(value, 3) for pair, value in found.items()}
        {('a', 'copy'): 0.693, ('a', 'b'): 0.0, ('copy', 'b'): 0.0}
        """
        self._check_fitted()
        names = self._names()
        gains = {(names[a], names[b]): gain for (a, b), gain in _information(self.tally_.parts[0]).items()}
        return dict(largest_first(sorted(gains.items()), lambda item: item[1]))  # ties by name

    def _made(self, tally: Tally, form: Form) -> dict[str, object]:
        names, part = tally.names, tally.parts[0]
        parents = _tree(part, names, self._root(part, names))
        edges = [(names[parent], names[i]) for i, parent in parents.items() if parent >= 0]
        return {
            "tree_": DAG(edges, [names[i] for i in sorted(parents)]),
            "_tables": TreeTables(part, parents, self._settings.smoothing, self._settings.strength),
        }

    def _nets(self) -> tuple[Sequence[NodeTables], Floats]:
        return [self._tables.node_tables(self._prior)], np.ones(1)

    def _closed_form(self) -> ClosedForm:
        tables = self._tables
        columns = {i: formula for i, formula in self._state_columns().items() if i in tables.parents}
        index = {i: k for k, i in enumerate(columns)} | {-1: -1}
        parents = {index[i]: index[parent] for i, parent in tables.parents.items()}
        tree = Tree(parents, {index[i]: logs for i, logs in tables.logs.items()})
        formulas = list(columns.values())
        return ClosedForm(self._start(), self._prior, formulas, tree, self.temperature_, self._matrix_input())

    def _with_factors(self, plain: Explanation, data: Table, values: list[object]) -> Explanation:
        codes = self._codes(data)
        tables = self._tables
        terms: list[str | None] = [None] * len(values)
        for i, parent in tables.parents.items():
            if codes[0, i] >= 0:
                above = [] if parent < 0 else [values[parent] if codes[0, parent] >= 0 else "…"]
                terms[i] = conditioned(values[i], above)
        return FactorExplanation.of(plain, terms, self.temperature_)

    def _root(self, part: Crossed, names: Sequence[str]) -> int:
        if self._settings.root is not None:
            if self._settings.root not in names:
                raise ColumnMismatchError(
                    f"root is {self._settings.root!r}, which is no column.{did_you_mean(self._settings.root, names)}"
                )
            return names.index(self._settings.root)
        by_name = sorted(range(len(names)), key=lambda i: names[i])  # ties do not depend on the order of columns
        return by_name[first_largest([mutual_information(part.counts[i].table) for i in by_name])]

    def _structure(self, form: Form) -> ColumnSets:
        return ColumnSets(form.schema, sets_of_size(form.columns, 2))


def _information(part: Crossed) -> dict[tuple[int, int], float]:
    """I(X; Y | C) of each pair, times the share of the rows that have both values."""
    whole = max((counts.table.sum() for counts in part.counts), default=0)
    gains = {}
    for (a, b), table in part.tables():
        # I times the rows that have both is the gain in log-likelihood, which the tree maximizes.
        share = table.sum() / whole if whole > 0 else 0.0
        gains[a, b] = float(share) * conditional_information(table)
    return gains


def _tree(part: Crossed, names: Sequence[str], root: int) -> dict[int, int]:
    """The parent of each column that has states, −1 for the root: the maximum spanning tree of information (Prim)."""
    used = [i for i, counts in enumerate(part.counts) if len(counts.variable)]
    gains = np.zeros((len(names), len(names)))
    for (a, b), gain in _information(part).items():
        gains[a, b] = gains[b, a] = gain
    gains = settled(gains)  # rounding must not decide between equal edges
    # Equal edges are told apart by names, so that the tree does not depend on the order of the columns.
    # Equal edges are told apart by names, so that the tree does not depend on the order of the columns.
    outside = sorted(used, key=lambda i: names[i])
    parents: dict[int, int] = {}
    best = dict.fromkeys(used, (np.inf, "", "", -1))  # the edge that joins a column to the tree: its cost, and its ends
    joining = root if root in used else outside[0] if outside else -1
    while outside:
        parents[joining] = best[joining][3]
        outside.remove(joining)
        for b in outside:
            first, second = sorted((names[joining], names[b]))
            best[b] = min(best[b], (-float(gains[joining, b]), first, second, joining))
        joining = min(outside, key=lambda b: best[b], default=-1)
    return parents


_CHUNK = 1 << 21  # cells of the messages of a block of rows: 16 MB of float64


@dataclass(frozen=True, eq=False)
class TreeTables(FactorTables):
    """log P(v | parent, class) of each column, for the states of fit and one unseen state.

    `parents` has parents before children, −1 for the root. `like` has the strengths of all rows, where `part` leaves
    one out.
    """

    part: Crossed
    parents: dict[int, int]
    smoothing: Smoothing
    strength: Strength
    like: BackOff | None = None

    @cached_property
    def back_off(self) -> BackOff:
        return BackOff(self.part, self.smoothing, self.strength, self.like)

    @cached_property
    def logs(self) -> dict[int, Floats]:
        """Of each column: parent's states and one unseen × states and one unseen × classes; a root has one parent's."""
        return {i: self._given(i) for i in self.parents}

    def node_tables(self, log_prior: Floats) -> NodeTables:
        """The parents and the table of the class and of each column that has states."""
        nodes: dict[int, tuple[tuple[int, ...], Floats]] = {CLASS: ((), np.exp(log_prior))}
        for i, parent in self.parents.items():
            table = np.exp(np.moveaxis(self.logs[i][:, :-1], -1, 0))  # class × parent × state
            nodes[i] = ((CLASS,), table[:, 0]) if parent < 0 else ((CLASS, parent), table[:, :-1])
        return nodes

    def score_left_out(self, left: LeftOut, *, exact: bool = True) -> Floats:
        """log P(row | class) of counted rows, each without its own counts; the tree and the strengths stay.

        Rows with missing values are scored one by one, by tables without them; if not `exact`, without these values.
        """
        out = np.zeros((len(left.codes), self.part.classes))
        for i, parent in self.parents.items():
            factor = left.factor(self.back_off, () if parent < 0 else (parent,), i)
            out += factor if parent < 0 else np.where(left.codes[:, [parent]] < 0, left.logs[i], factor)
        incomplete = np.flatnonzero((left.codes[:, list(self.parents)] < 0).any(axis=1))
        if exact and len(incomplete):
            edges = [tuple(sorted(edge)) for edge in self.parents.items() if min(edge) >= 0]
            out[incomplete] = score_each_without(left, left.part.of_sets(edges), incomplete, self._score_by)
        return out

    def _score_by(self, part: Crossed, codes: Codes, row: int) -> Floats:
        return TreeTables(part, self.parents, self.smoothing, self.strength, self.back_off).score(codes)

    def score(self, codes: Codes) -> Floats:
        """log P(row | class): rows × classes."""
        out = np.zeros((len(codes), self.part.classes))
        if not self.parents:
            return out
        missing = (codes[:, list(self.parents)] < 0).any(axis=1)
        if not missing.all():
            out[~missing] = self._score_whole(codes[~missing])
        if missing.any():
            out[missing] = self._score_incomplete(codes[missing])
        return out

    def weigh(self, codes: Codes) -> Floats:
        """The evidence of each column given its parent: rows × columns × classes."""
        out = np.zeros((len(codes), len(self.part.counts), self.part.classes))
        missing = (codes[:, list(self.parents)] < 0).any(axis=1)
        whole = ~missing
        for i, parent in self.parents.items():
            above = np.zeros_like(codes[whole, i]) if parent < 0 else codes[whole, parent]
            out[whole, i] = self.logs[i][above, codes[whole, i]]
        if missing.any():
            out[missing] = self._weigh_incomplete(codes[missing])
        return out

    def _given(self, i: int) -> Floats:
        parent, alone = self.parents[i], self.back_off.alone[i][None]
        if parent < 0:
            return alone
        return np.concatenate([self.back_off.logs((parent,), i), alone])  # an unseen parent: P(v | class)

    @cached_property
    def _packed(self) -> Floats:
        return pack_tables(self.logs.values(), self.part.classes)

    def _score_whole(self, codes: Codes) -> Floats:
        columns, sizes = [], []
        for i, parent in self.parents.items():
            above, width = 0 if parent < 0 else codes[:, parent], self.logs[i].shape[1]
            # np.int32, so that the product has 32 bits and is not copied.
            columns.append(np.ascontiguousarray(above * np.int32(width) + codes[:, i], dtype=np.int32))
            sizes.append(self.logs[i].shape[0] * width)
        return sum_lookups(self._packed, columns, sizes, self.part.classes)

    def _score_incomplete(self, codes: Codes) -> Floats:
        widest = max(logs.shape[0] for logs in self.logs.values()) * self.part.classes * (len(self.parents) + 1)
        step = max(1, _CHUNK // widest)
        parts = [self._summed_out(codes[first : first + step]) for first in range(0, len(codes), step)]
        return np.concatenate(parts)

    def _summed_out(self, codes: Codes) -> Floats:
        below: dict[int, list[Floats]] = {i: [] for i in self.parents}
        out = np.zeros((len(codes), self.part.classes))
        for i in reversed(self.parents):  # children before parents
            message = self._message(i, codes[:, i], below.pop(i))
            if self.parents[i] < 0:
                out += message[:, 0]
            else:
                below[self.parents[i]].append(message)
        return out

    def _message(self, i: int, codes: Codes, below: Sequence[Floats]) -> Floats:
        """log m(u): rows × the parent's states × classes."""
        logs = self.logs[i]
        known = np.flatnonzero(codes >= 0)
        missing = np.flatnonzero(codes < 0)
        out = np.empty((len(codes), logs.shape[0], self.part.classes))
        of_value = logs[:, codes[known]].transpose(1, 0, 2)
        out[known] = of_value + sum((message[known, codes[known]][:, None] for message in below), np.zeros(1))
        if len(missing) and below:
            out[missing] = _sum_out(logs[:, :-1], sum((message[missing, :-1] for message in below), np.zeros(1)))
        else:
            out[missing] = 0.0  # no value below is known, so the sum is 1
        return out

    def _weigh_incomplete(self, codes: Codes) -> Floats:
        """By the chain rule: the log-likelihood of the columns up to one, minus that of the columns before it."""
        out = np.zeros((len(codes), len(self.part.counts), self.part.classes))
        known = np.full_like(codes, -1)
        before = np.zeros((len(codes), self.part.classes))
        for i in self.parents:
            known[:, i] = codes[:, i]
            now = self._score_incomplete(known)
            with np.errstate(invalid="ignore"):  # an impossible row has its −∞ once, at the first such column
                out[:, i] = np.where(np.isneginf(before), 0.0, now - before)
            before = now
        return out


def _sum_out(logs: Floats, below: Floats) -> Floats:
    """log Σ_v exp (logs[u, v, j] + below[row, v, j]), without an array of all four axes."""
    largest = below.max(axis=1, keepdims=True)
    largest = np.where(np.isneginf(largest), 0.0, largest)  # −∞ − −∞ is NaN
    with np.errstate(divide="ignore"):
        return np.log(np.einsum("uvj,rvj->ruj", np.exp(logs), np.exp(below - largest))) + largest
