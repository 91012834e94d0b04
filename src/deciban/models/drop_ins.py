"""What the models of counts share: `alpha`, the class priors, and weights that score a row in one product.

Multinomial naive Bayes: a row is a bag of terms (Culotta, CS429; Mitchell, Table 6.2).

P(k | j) = (T_jk + α) / (Σ_k T_jk + α·|V|),  log P(x | j) = Σ_k x_k·log P(k | j)

Complement naive Bayes: a class is scored by the rows of all other classes (Rennie et al. 2003).

θ_jk = (α + Σ_{i ≠ j} T_ik) / (α·|V| + Σ_{i ≠ j} Σ_k T_ik),  score_j(x) = −Σ_k x_k·log θ_jk

Bernoulli naive Bayes: each term is present or absent (Culotta, CS429).

    P(k | j) = (n_jk + α) / (n_j + 2α),  log P(x | j) = Σ_k x_k·log P(k | j) + (1 − x_k)·log P(not k | j)

The counts of rows with the term and of rows without it are both smoothed, so that no logarithm of a difference is
taken.

Categorical naive Bayes: each column takes one of its states (Mukund, lecture 15; Zhu, items 4 to 10).

P(v | j) = (n_jv + α) / (n_j + α·m),  m the number of states of the column

Gaussian naive Bayes: each column is normal within each class (Zhu, item 11).

P(x_i | j) = exp(−(x_i − μ_ji)² / 2σ²_ji) / √(2πσ²_ji)
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import Tags
from sklearn.utils._param_validation import Interval

from deciban.decide import finish
from deciban.errors import InputError, ParameterError, warn_user
from deciban.estimate import Lidstone, estimate_gaussian, log_norms, log_priors, log_probabilities, packed_tables
from deciban.estimate.closed_form import ClosedForm, MatrixInput, NamedFormula
from deciban.estimate.drawing import Drawn, RandomState, draw_classes, draw_states, read_lengths
from deciban.estimate.likelihood import Curve, Formula, Labels, Presence, StateLogs
from deciban.explain.tokens import TermProbabilities, chosen_terms
from deciban.models.base import BayesClassifier, Constraints, PriorsLike, SkipOrError, Unseen, words
from deciban.models.exported import SqlClassifier
from deciban.models.schema import Form
from deciban.read import EXACT, Column, Matrix, Table, container_of, is_frame, read_matrix, read_table
from deciban.tallies import (
    Counts,
    Moments,
    Sample,
    Tally,
    Terms,
    count_columns,
    count_matrix,
    gather_moments,
    sum_columns,
)
from deciban.tallies.kernels import (
    Fault,
    Want,
    Weighing,
    pack_classes,
    pack_columns,
    pack_complement,
    pack_logs,
    pack_presence,
    score_gaussian,
    score_linear,
    score_table,
)
from deciban.types import AnyArray, ArrayLike, Codes, Floats, Ints

__all__ = [
    "COUNT_CONSTRAINTS",
    "BernoulliNB",
    "CategoricalNB",
    "ComplementNB",
    "DiscreteNB",
    "GaussianNB",
    "MultinomialNB",
    "check_alpha",
    "find_fault",
    "packed_log_probabilities",
    "prior_rule",
]


COUNT_CONSTRAINTS: Constraints = {
    "alpha": [Interval(Real, 0, None, closed="left"), "array-like"],
    "fit_prior": ["boolean"],
    "class_prior": ["array-like", None],
    "force_alpha": ["boolean"],
}
"""Which values the parameters take that all models of counts have."""

Alpha = float | Floats
"""Pseudo-counts: one for all terms, or one for each."""

# scikit-learn's own bound.
_SMALLEST_ALPHA = 1e-10


class DiscreteNB(SqlClassifier):
    """A model whose log-likelihood is linear in the columns: log P(x | j) = b_j + Σ_k amount(x_k)·w_jk."""

    _parameter_constraints: ClassVar[Constraints] = {
        **BayesClassifier._parameter_constraints,
        **COUNT_CONSTRAINTS,
    }

    alpha: ArrayLike
    force_alpha: bool
    fit_prior: bool
    class_prior: ArrayLike | None
    _weight: Floats  # w: columns × padded classes
    _at_missing: Floats | None  # what a missing value adds, laid out like w
    _base: Floats  # the log prior plus b

    def _check_alpha(self, columns: int | None = None) -> Alpha:
        columns = getattr(self, "n_features_in_", 0) if columns is None else columns
        return check_alpha(self._settings.alpha, columns, force=self._settings.force_alpha)

    def _log_prior(self, tally: Tally) -> Floats:
        return log_priors(tally.class_counts, self._settings.class_prior, uniform=not self._settings.fit_prior)

    def _prior_rule(self) -> PriorsLike:
        return prior_rule(self._settings)

    def _free_parameters(self) -> int:
        """The probabilities of the terms sum to 1 in each class."""
        return len(self.classes_) * (self.n_features_in_ - 1)

    def _weighing(self) -> Weighing:
        return Weighing(missing_allowed=self._settings.missing == "skip")

    def _count(self, data: Matrix, sample: Sample, form: Form) -> Tally:
        return sample.tally(sum_columns(data, sample, type(self).__name__, self._weighing()))

    def _accepted(self, tally: Tally) -> Tally:
        if len(tally.parts) != 1 or not isinstance(tally.parts[0], Terms):
            raise ParameterError(f"{type(self).__name__} takes a tally of term sums alone.")
        return tally

    def _scores(self, data: Matrix, want: Want) -> AnyArray:
        limits, at_missing = self._weighing(), self._at_missing
        scored = score_linear(data.for_kernel(), self._base, self._prior, self._weight, want, limits, at_missing)
        return self._without_fault(scored, data)

    def _start(self) -> Floats:
        return self._base

    def _column_evidence(self, data: Matrix) -> Floats:
        # The columns beyond are padding, so that the core adds whole vectors.
        weight = self._weight[:, : len(self.classes_)]
        x = self._checked(data)
        amount = np.nan_to_num(self._weighing().amount(x), nan=0.0)[:, :, None]
        with np.errstate(invalid="ignore"):
            evidence = np.where(amount == 0, 0.0, amount * weight)  # 0·log 0 is 0
        if self._at_missing is not None:
            evidence += np.isnan(x)[:, :, None] * self._at_missing[:, : len(self.classes_)]
        return evidence

    def _closed_form(self) -> ClosedForm:
        classes = len(self.classes_)
        columns = [
            NamedFormula(name, self._curve(self._weight[i, :classes], np.zeros(classes)))
            for i, name in enumerate(self._names())
        ]
        return ClosedForm(self._start(), self._prior, columns, matrix=MatrixInput(self._names(), are_doubles=True))

    def _curve(self, slope: Floats, constant: Floats) -> Curve:
        """The log-likelihood of a count or an amount."""
        missing, limits = np.zeros(len(slope)) if self._settings.missing == "skip" else None, self._weighing()
        return Curve(constant, missing, slope=slope, lowest=limits.lowest, highest=limits.highest, is_strict=True)

    def _checked(self, data: Matrix) -> AnyArray:
        """The values of all rows, or an error where one of them cannot be used."""
        x = data.dense()
        fault = find_fault(x, self._weighing())
        if fault is not None:
            self._raise(fault, data)
        return x

    @cached_property
    def class_count_(self) -> Floats:
        """The weight of the rows of each class."""
        return self.tally_.class_counts.astype(np.float64)

    @cached_property
    def feature_count_(self) -> Floats:
        """The sum of each column in each class, classes × columns."""
        return np.asarray(self.tally_.parts[0].sums, dtype=np.float64)


class TermNB(DiscreteNB):
    """A model of counts that has a probability for each term in each class."""

    @property
    @abstractmethod
    def feature_log_prob_(self) -> Floats:
        """log P(term | class), classes × columns."""

    def term_probabilities(self, terms: Sequence[str] | None = None, *, n: int | None = None) -> TermProbabilities:
        """P(term | class), as a table with a row for each term and a column for each class.

        In `MultinomialNB` the probabilities of a class sum to 1 over all terms; in `BernoulliNB` each is the
        probability that a row has the term.

        Parameters
        ----------
        terms : the names of columns; all when None. Columns without names are x0, x1, …
        n : of these, only the n with the largest P(term) = Σ_j P(j)·P(term | j), the largest first

        Examples
        --------
        >>> from deciban import MultinomialNB
        >>> model = MultinomialNB().fit({"ball": [2, 0], "song": [1, 3]}, ["sport", "music"])
        >>> print(model.term_probabilities())
        term   music   sport
        ball  0.2000  0.6000
        song  0.8000  0.4000
        """
        self._check_fitted()
        index = {name: i for i, name in enumerate(self._names())}
        return chosen_terms(index, np.exp(self.feature_log_prob_), self.classes_, self._prior, terms, n)


def prior_rule(model: DiscreteNB | CategoricalNB) -> PriorsLike:
    """How the priors are estimated, in the words of `priors`."""
    if model.class_prior is not None:
        return model.class_prior
    return "empirical" if model.fit_prior else "uniform"


def check_alpha(given: ArrayLike, columns: int, *, force: bool) -> Alpha:
    """`alpha` as it is used: as given, or raised to 1e-10 unless it is forced."""
    alpha = given
    if not isinstance(given, Real):
        alpha = np.asarray(given, dtype=np.float64)
        if alpha.shape != (columns,):
            raise ParameterError(
                # The messages are scikit-learn's, word for word, so that a search for them helps.
                f"When alpha is an array, it should contains `n_features`. Got {alpha.shape[0]} elements instead "
                f"of {columns}."
            )
        if alpha.min() < 0:
            raise ParameterError("All values in alpha must be greater than 0.")
    if np.min(alpha) < _SMALLEST_ALPHA and not force:
        warn_user(
            f"alpha too small will result in numeric errors, setting alpha = {_SMALLEST_ALPHA:.1e}. Use "
            "`force_alpha=True` to keep alpha unchanged."
        )
        return np.maximum(alpha, _SMALLEST_ALPHA)
    return alpha


def find_fault(x: AnyArray, weighing: Weighing) -> Fault | None:
    """The first value that cannot be used, row by row, as the kernels report it."""
    largest = np.finfo(np.float64).max
    with np.errstate(invalid="ignore"):
        kinds = {
            "infinite": np.abs(x) > largest,
            "negative": x < weighing.lowest,
            "outside": x > weighing.highest,
        }
    if not weighing.missing_allowed:
        kinds["missing"] = np.isnan(x)
    faults = [(*np.argwhere(wrong)[0].tolist(), kind) for kind, wrong in kinds.items() if wrong.any()]
    if not faults:
        return None
    # The first row, then the first column: what a kernel that reads row by row would have met first.
    row, column, _ = min(faults)
    kind = next(kind for kind, wrong in kinds.items() if wrong[row, column])
    return kind, row, column


def packed_log_probabilities(counts: AnyArray, pseudo: Alpha, whole: AnyArray, states: int | None = None) -> Floats:
    """log (n + a) − log whole, packed for scoring; all states are equally likely where nothing was counted."""
    # The core takes counts and logarithms in one pass, but only of sums that are above 0.
    if whole.shape[1] == 1 and (whole > 0).all():
        return pack_logs(counts, pseudo, np.asarray(whole[:, 0], dtype=np.float64))
    return pack_classes(log_probabilities(counts, pseudo, whole, states))


class MultinomialNB(TermNB):
    """Multinomial naive Bayes: counts of terms. A drop-in for ``sklearn.naive_bayes.MultinomialNB``.

    Beyond scikit-learn: missing values, new classes later on, `merge`, `forget`, `evidence` and `explain`. ``alpha=0``
    never gives NaN.

    Parameters
    ----------
    alpha : float or array of shape (n_features,)
        The pseudo-count of each term; 1 is Laplace's law, 0 maximum likelihood.
    force_alpha : bool
        Whether an alpha below 1e-10 is used as given.
    fit_prior : bool
        Whether class priors are relative frequencies; uniform when not.
    class_prior : array, optional
        The probabilities of the classes.
    missing : {"error", "skip"}
        What a missing value (NaN) is: an error, or no evidence.

    Attributes
    ----------
    tally_ : Tally
        The sums of the columns in each class, from which all other attributes follow.
    classes_ : array
        The labels, sorted.
    class_count_ : array
        The weight of the rows of each class.
    class_log_prior_ : array
        log P(class).
    feature_count_ : array of shape (n_classes, n_features)
        The sum of each column in each class.
    feature_log_prob_ : array of shape (n_classes, n_features)
        log P(term | class).
    n_features_in_ : int
        The number of columns.
    feature_names_in_ : array
        The names of the columns, where the rows had names.

    See Also
    --------
    BernoulliNB : For terms that are present or absent.
    TextNB : For documents, without a vectorizer.

    Examples
    --------
    >>> model = MultinomialNB().fit([[2, 1, 0], [0, 1, 3]], ["sport", "music"])
    >>> model.predict([[0, 0, 1]]).tolist()
    ['music']
    """

    def __init__(
        self,
        *,
        alpha: Any = 1.0,
        force_alpha: bool = True,
        fit_prior: bool = True,
        class_prior: ArrayLike | None = None,
        missing: SkipOrError = "error",
    ) -> None:
        self.alpha, self.force_alpha = alpha, force_alpha
        self.fit_prior, self.class_prior = fit_prior, class_prior
        self.missing = missing

    def _estimate(self, tally: Tally, form: Form) -> dict[str, object]:
        alpha = self._check_alpha(form.columns)
        sums = tally.parts[0].sums
        whole = sums.sum(axis=1, keepdims=True) + np.sum(np.broadcast_to(alpha, form.columns))
        prior = self._log_prior(tally)
        return {
            "class_log_prior_": prior,
            "_prior": prior,
            "_base": prior,
            "_weight": packed_log_probabilities(sums, alpha, whole),
            "_at_missing": None,
        }

    def _joint(self, data: Matrix) -> Floats:
        return self._scores(data, "joint")

    def sample(self, n: int, *, n_tokens: Any = None, random_state: RandomState = None) -> tuple[Any, AnyArray]:
        """Draw rows of term counts with their classes: a class by the priors, then the terms given the class.

        Parameters
        ----------
        n : the number of rows
        n_tokens : the sum of each row, of which the model says nothing: a number, or one for each row; by default the
            mean of the learned rows, rounded
        random_state : an int, a Generator or None; the same int gives the same rows

        Returns
        -------
        X : an array, or an Arrow table where the model was fitted with the names of columns
        y : the labels

        Examples
        --------
        >>> model = MultinomialNB().fit([[2, 1, 0], [0, 1, 3]], ["sport", "music"])
        >>> X, y = model.sample(2, n_tokens=[5, 3], random_state=0)
        >>> X.sum(axis=1).tolist()
        [5, 3]
        """

        def draw(rows: int, rng: np.random.Generator) -> tuple[Codes, Ints]:
            y, lengths = draw_classes(self._prior, rows, rng), read_lengths(n_tokens, rows, self._mean_length)
            return y, rng.multinomial(lengths, np.exp(self.feature_log_prob_)[y]).T

        return self._drawn(n, random_state, draw)

    @property
    def _mean_length(self) -> float:
        # A tally without rows has no mean length; 0 / 1e-300 is 0, not NaN.
        return float(self.feature_count_.sum()) / max(float(self.tally_.total), 1e-300)

    @cached_property
    def feature_log_prob_(self) -> Floats:
        """log P(term | class), classes × columns."""
        return log_probabilities(self.feature_count_, self._check_alpha())

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        tags.classifier_tags.poor_score = True
        return tags


class ComplementNB(DiscreteNB):
    """Complement naive Bayes: the terms of all other classes. A drop-in for ``sklearn.naive_bayes.ComplementNB``.

    Beyond scikit-learn: missing values, new classes later on, `merge`, `forget`, `evidence` and `explain`. A class
    without rows has probability 0, and ``alpha=0`` never gives NaN.

    Parameters
    ----------
    alpha : float or array of shape (n_features,)
        The pseudo-count of each term; 1 is Laplace's law, 0 maximum likelihood.
    force_alpha : bool
        Whether an alpha below 1e-10 is used as given.
    fit_prior : bool
        Whether class priors are relative frequencies; they are used only when there is a single class.
    class_prior : array, optional
        The probabilities of the classes; used only when there is a single class.
    norm : bool
        Whether each class's weights are divided by their sum.
    missing : {"error", "skip"}
        What a missing value (NaN) is: an error, or no evidence.

    Attributes
    ----------
    tally_ : Tally
        The sums of the columns in each class, from which all other attributes follow.
    classes_ : array
        The labels, sorted.
    class_count_ : array
        The weight of the rows of each class.
    class_log_prior_ : array
        log P(class).
    feature_count_ : array of shape (n_classes, n_features)
        The sum of each column in each class.
    feature_all_ : array of shape (n_features,)
        The sum of each column.
    feature_log_prob_ : array of shape (n_classes, n_features)
        The weight of each term in each class.
    n_features_in_ : int
        The number of columns.
    feature_names_in_ : array
        The names of the columns, where the rows had names.

    See Also
    --------
    TextNB : For documents, with ``event="complement"``.

    Examples
    --------
    >>> model = ComplementNB().fit([[2, 1, 0], [0, 1, 3]], ["sport", "music"])
    >>> model.predict([[0, 0, 1]]).tolist()
    ['music']
    """

    _parameter_constraints: ClassVar[Constraints] = {**DiscreteNB._parameter_constraints, "norm": ["boolean"]}

    def __init__(
        self,
        *,
        alpha: Any = 1.0,
        force_alpha: bool = True,
        fit_prior: bool = True,
        class_prior: ArrayLike | None = None,
        norm: bool = False,
        missing: SkipOrError = "error",
    ) -> None:
        self.alpha, self.force_alpha = alpha, force_alpha
        self.fit_prior, self.class_prior = fit_prior, class_prior
        self.norm = norm
        self.missing = missing

    _why_no_joint = "it scores a class by the rows of all other classes"

    def _estimate(self, tally: Tally, form: Form) -> dict[str, object]:
        alpha = self._check_alpha(form.columns)
        prior = self._log_prior(tally)
        is_empty = (tally.class_counts == 0) & (tally.total > 0)  # of no class is anything known: all are alike
        classes, sums = len(is_empty), tally.parts[0].sums
        weight = self._pack(sums, alpha)
        if self._settings.norm:
            _normalize(weight[:, :classes])
        if np.min(alpha) == 0:
            weight[(classes - 1) * sums.sum(axis=0) == 0] = 0.0  # a term that no other class has is no evidence
        if is_empty.any():
            weight[:, :classes][:, is_empty] = 0.0
        start = prior if classes == 1 else np.where(is_empty, -np.inf, 0.0)
        return {
            "class_log_prior_": prior,
            "_prior": np.where(is_empty, -np.inf, prior),
            "_base": start,
            "_weight": weight,
            "_at_missing": None,
        }

    def _pack(self, sums: Floats, alpha: Alpha) -> Floats:
        """−log θ, packed for scoring."""
        added = np.sum(np.broadcast_to(alpha, sums.shape[1]))
        totals = np.asarray(sums.sum(axis=1), dtype=np.float64)
        # A difference of rounded sums may lie below 0 by a few units of the last digit.
        whole = np.maximum(totals.sum() - totals, 0.0) + added
        if np.min(alpha) > 0:
            return pack_complement(sums, alpha, whole)
        others = np.maximum(sums.sum(axis=0) - sums, 0.0)
        return -packed_log_probabilities(others, alpha, whole[:, None])

    @cached_property
    def feature_all_(self) -> Floats:
        """The sum of each column."""
        return self.feature_count_.sum(axis=0)

    @cached_property
    def feature_log_prob_(self) -> Floats:
        """The weight of each term in each class, classes × columns."""
        return np.ascontiguousarray(self._weight[:, : len(self.classes_)].T)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        tags.classifier_tags.poor_score = True
        return tags


def _normalize(logs: Floats) -> None:
    """Divide each class's logs by their sum; infinite ones share the whole, as they do for alpha near 0.

    Logs that are all 0, as those of the only column are, stay 0.
    """
    infinite = np.isinf(logs)
    if not infinite.any():
        sums = logs.sum(axis=0)
        logs /= np.where(sums == 0, 1.0, sums)
        return
    shared = infinite.any(axis=0)
    sums = np.where(shared, 1.0, np.where(infinite, 0.0, logs).sum(axis=0))
    # Logs that are all 0 are divided by 1.
    sums = np.where(sums == 0, 1.0, sums)
    logs[:] = np.where(shared, infinite / np.maximum(infinite.sum(axis=0), 1), logs / sums)


_LARGEST = float(np.finfo(np.float64).max)


class BernoulliNB(TermNB):
    """Bernoulli naive Bayes: each term is present or absent. A drop-in for ``sklearn.naive_bayes.BernoulliNB``.

    Beyond scikit-learn: missing values, new classes later on, `merge`, `forget`, `evidence` and `explain`. No alpha,
    however small, gives NaN.

    Parameters
    ----------
    alpha : float or array of shape (n_features,)
        The pseudo-count of presence and of absence; 1 is Laplace's law.
    force_alpha : bool
        Whether an alpha below 1e-10 is used as given.
    binarize : float, optional
        A value above it is 1, else 0; None when the values lie in [0, 1] already.
    fit_prior : bool
        Whether class priors are relative frequencies; uniform when not.
    class_prior : array, optional
        The probabilities of the classes.
    missing : {"error", "skip"}
        What a missing value (NaN) is: an error, or no evidence.

    Attributes
    ----------
    tally_ : Tally
        The sums of the columns in each class, from which all other attributes follow.
    classes_ : array
        The labels, sorted.
    class_count_ : array
        The weight of the rows of each class.
    class_log_prior_ : array
        log P(class).
    feature_count_ : array of shape (n_classes, n_features)
        The weight of the rows of each class in which a term is present.
    feature_log_prob_ : array of shape (n_classes, n_features)
        log P(term is present | class).
    n_features_in_ : int
        The number of columns.
    feature_names_in_ : array
        The names of the columns, where the rows had names.

    See Also
    --------
    MultinomialNB : For counts of terms.
    TextNB : For documents, without a vectorizer.

    Examples
    --------
    >>> model = BernoulliNB().fit([[1, 1, 0], [0, 1, 1]], ["sport", "music"])
    >>> model.predict([[0, 0, 1]]).tolist()
    ['music']
    """

    _parameter_constraints: ClassVar[Constraints] = {
        **DiscreteNB._parameter_constraints,
        "binarize": [None, Interval(Real, 0, None, closed="left")],
    }

    def __init__(
        self,
        *,
        alpha: Any = 1.0,
        force_alpha: bool = True,
        binarize: float | None = 0.0,
        fit_prior: bool = True,
        class_prior: ArrayLike | None = None,
        missing: SkipOrError = "error",
    ) -> None:
        self.alpha, self.force_alpha = alpha, force_alpha
        self.binarize = binarize
        self.fit_prior, self.class_prior = fit_prior, class_prior
        self.missing = missing

    def _weighing(self) -> Weighing:
        skips = self._settings.missing == "skip"
        if self._settings.binarize is None:
            return Weighing(highest=1.0, missing_allowed=skips)
        return Weighing(lowest=-_LARGEST, missing_allowed=skips, threshold=float(self._settings.binarize))

    def _estimate(self, tally: Tally, form: Form) -> dict[str, object]:
        alpha = self._check_alpha(form.columns)
        terms, classes = tally.parts[0], len(tally.class_counts)
        prior = self._log_prior(tally)
        if self._settings.missing == "error" and np.min(alpha) > 0:  # in one pass
            weight, none_present = pack_presence(terms.sums, alpha, np.asarray(terms.known[:, 0], dtype=np.float64))
            return {
                "class_log_prior_": prior,
                "_prior": prior,
                "_base": prior + none_present,
                "_weight": weight,
                "_at_missing": None,
                "_sure": None,
            }
        present = packed_log_probabilities(terms.sums, alpha, _whole(terms, alpha), states=2)
        absent, sure = self._log_absent(tally, alpha)
        base = prior + absent.sum(axis=0)[:classes]
        present -= absent
        return {
            "class_log_prior_": prior,
            "_prior": prior,
            "_base": base,
            "_weight": present,
            "_at_missing": -absent if self._settings.missing == "skip" else None,
            "_sure": sure if sure.any() else None,
        }

    def _log_absent(self, tally: Tally, alpha: Alpha) -> tuple[Floats, AnyArray]:
        """log P(not k | j), packed, with 0 for a term that all rows of a class have; and where that is so."""
        terms, classes = tally.parts[0], len(tally.class_counts)
        absent = packed_log_probabilities(_absent(terms), alpha, _whole(terms, alpha), states=2)
        sure = absent[:, :classes] == -np.inf if np.min(alpha) == 0 else np.zeros((0, classes), dtype=bool)
        # −∞ for a term that cannot be absent: 0·(−∞) would be NaN in the product, so these rows are set afterwards.
        if sure.any():
            absent[:, :classes][sure] = 0.0
        return absent, sure

    def _scores(self, data: Matrix, want: Want) -> AnyArray:
        if self._sure is None:
            return super()._scores(data, want)
        joint = super()._scores(data, "joint")
        joint[self._lacks_sure(data)] = -np.inf
        return finish(joint, self._prior, want)

    def _lacks_sure(self, data: Matrix) -> AnyArray:
        """True where a row lacks a term that all rows of a class have, so that P(row | class) is 0: rows × classes."""
        zero = np.zeros(len(self.classes_))
        weight = np.zeros_like(self._weight)
        weight[:, : len(zero)] = self._sure
        at_missing = weight if self._settings.missing == "skip" else None
        present, _ = score_linear(data.for_kernel(), zero, zero, weight, "joint", self._weighing(), at_missing)
        # Whole numbers but for rounding, as each sure term that a row has adds 1.
        return present < self._sure.sum(axis=0) - 1e-9

    def _joint(self, data: Matrix) -> Floats:
        if self._settings.binarize is None:
            self._check_presence(data)
        return self._scores(data, "joint")

    def _check_presence(self, data: Matrix) -> None:
        x = data.dense()
        wrong = np.argwhere((x != 0) & (x != 1) & ~np.isnan(x))
        if len(wrong):
            row, column = wrong[0].tolist()
            name, value = self._names()[column], float(x[row, column])
            raise InputError(f"column {name!r} (row {row}) is {value:g}: a term that is present or not is 0 or 1.")

    def _free_parameters(self) -> int:
        return len(self.classes_) * self.n_features_in_

    def _draw(self, n: int, rng: np.random.Generator) -> tuple[Codes, list[Ints]]:
        y, present = draw_classes(self._prior, n, rng), np.exp(self.feature_log_prob_)
        return y, [(rng.random(n) < present[y, i]).astype(np.int64) for i in range(self.n_features_in_)]

    def _start(self) -> Floats:
        return self._prior

    def _closed_form(self) -> ClosedForm:
        absent, present = self._absent_logs(), self.feature_log_prob_
        pairs = zip(self._names(), absent.T, present.T, strict=True)
        columns = [NamedFormula(name, self._formula(gone, here)) for name, gone, here in pairs]
        return ClosedForm(self._start(), self._prior, columns, matrix=MatrixInput(self._names(), are_doubles=True))

    def _formula(self, absent: Floats, present: Floats) -> Formula:
        """The log-likelihood of a column: by its two states, or of a share between 0 and 1."""
        nothing = np.zeros(len(absent))
        if self._settings.binarize is None:
            return replace(self._curve(present, nothing), complement=absent)
        missing = nothing if self._settings.missing == "skip" else None
        return StateLogs(Presence(float(self._settings.binarize)), np.stack([absent, present]), nothing, missing)

    def _column_evidence(self, data: Matrix) -> Floats:
        absent = self._absent_logs()
        x = self._checked(data)
        amount = self._weighing().amount(np.where(np.isnan(x), 0.0, x))[:, :, None]
        with np.errstate(invalid="ignore"):
            here = np.where(amount == 0, 0.0, amount * self.feature_log_prob_.T)  # 0·log 0 is 0
            gone = np.where(amount == 1, 0.0, (1 - amount) * absent.T)
        return np.where(np.isnan(x)[:, :, None], 0.0, here + gone)

    def _absent_logs(self) -> Floats:
        """log P(absent | class), classes × columns."""
        terms, alpha = self.tally_.parts[0], self._check_alpha()
        return log_probabilities(_absent(terms), alpha, _whole(terms, alpha), states=2)

    @cached_property
    def feature_log_prob_(self) -> Floats:
        """log P(term is present | class), classes × columns."""
        terms, alpha = self.tally_.parts[0], self._check_alpha()
        return log_probabilities(terms.sums, alpha, _whole(terms, alpha), states=2)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True
        return tags


def _absent(terms: Terms) -> Floats:
    """The weight of the rows without each term."""
    absent = terms.known - terms.sums
    return np.maximum(absent, 0.0, out=absent)


def _whole(terms: Terms, alpha: Alpha) -> Floats:
    """The weight of the rows whose value is known, with the pseudo-counts of presence and absence."""
    return terms.known + 2.0 * np.asarray(alpha, dtype=np.float64)


class CategoricalNB(SqlClassifier):
    """Categorical naive Bayes: each column has one of its states. A drop-in for ``sklearn.naive_bayes.CategoricalNB``.

    Whole numbers are codes, as in scikit-learn: a column whose largest value is 4 has the states 0 … 4; booleans are
    the codes 0 and 1. Anything else, text, fractions or dates, is a label, and a column has the states that occur.
    Beyond scikit-learn also: categories that were not seen in fit, missing values, huge codes, classes and categories
    that come later, `merge`, `forget`, `evidence` and `explain`.

    Parameters
    ----------
    alpha : float
        The pseudo-count of each state; 1 is Laplace's law, 0 maximum likelihood.
    force_alpha : bool
        Whether an alpha below 1e-10 is used as given.
    fit_prior : bool
        Whether class priors are relative frequencies; uniform when not.
    class_prior : array, optional
        The probabilities of the classes.
    min_categories : int or array of shape (n_features,), optional
        The least number of states of every coded column, or of each.
    missing : {"error", "skip"}
        What a missing value (NaN, None) is: an error, or no evidence.
    unseen : {"smooth", "ignore", "error"}
        What a category is that did not occur in fit: a state counted 0 times, no evidence, or an error.

    Attributes
    ----------
    tally_ : Tally
        The counts of each column's states in each class, from which all other attributes follow.
    classes_ : array
        The labels, sorted.
    class_count_ : array
        The weight of the rows of each class.
    class_log_prior_ : array
        log P(class).
    category_count_ : list of arrays
        For each column, the counts of its states, classes × states.
    feature_log_prob_ : list of arrays
        For each column, log P(state | class), classes × states.
    n_categories_ : array
        The number of states of each column.
    n_features_in_ : int
        The number of columns.
    feature_names_in_ : array
        The names of the columns, where the rows had names.

    See Also
    --------
    NaiveBayes : For tables with labels, numbers and text.

    Examples
    --------
    >>> model = CategoricalNB().fit([["sun", "hot"], ["rain", "cool"]], ["play", "stay"])
    >>> model.predict([["sun", "cold"]]).tolist()
    ['play']
    """

    _parameter_constraints: ClassVar[Constraints] = {
        **BayesClassifier._parameter_constraints,
        **COUNT_CONSTRAINTS,
        "alpha": [Interval(Real, 0, None, closed="left")],
        "min_categories": [None, "array-like", Interval(Integral, 1, None, closed="left")],
        "unseen": [words(Unseen)],
    }

    def __init__(
        self,
        *,
        alpha: float = 1.0,
        force_alpha: bool = True,
        fit_prior: bool = True,
        class_prior: ArrayLike | None = None,
        min_categories: Any = None,
        missing: SkipOrError = "error",
        unseen: Unseen = "smooth",
    ) -> None:
        self.alpha, self.force_alpha, self.min_categories = alpha, force_alpha, min_categories
        self.fit_prior, self.class_prior = fit_prior, class_prior
        self.missing, self.unseen = missing, unseen

    def _read(self, X: Any) -> Matrix | Table:
        values = container_of(X)
        if hasattr(values, "tocsr") or (
            isinstance(values, np.ndarray) and (values.dtype.kind in "iufb" or values.ndim != 2)
        ):
            return read_matrix(values)
        table = read_table(values)
        coded = replace(table, columns=tuple(map(_booleans_as_codes, table.columns)))
        if not _has_one_type(coded.columns):
            return coded
        if is_frame(values):
            return read_matrix(values)
        return Matrix(np.column_stack([column.numbers for column in coded.columns]), coded.given_names)

    def _as_learned(self, data: Matrix | Table, form: Form | None) -> Matrix | Table:
        """The columns in the types of the labels that were counted, where one of them differs from these in type."""
        if not self._is_own(form) or data.shape[1] != self.n_features_in_:
            return data
        known = [part.variable for part in self.tally_.parts]
        if isinstance(data, Matrix) and all(variable.labels.dtype.kind in "iuf" for variable in known):
            return data
        columns = tuple(map(Column.read_as, _table(data).columns, known))
        if not _has_one_type(columns):
            return Table(columns, data.given_names is not None)
        return Matrix(np.column_stack([column.numbers for column in columns]), data.given_names)

    def _count(self, data: Matrix | Table, sample: Sample, form: Form) -> Tally:
        owner, skips = type(self).__name__, self._settings.missing == "skip"
        counts = count_matrix(data, sample, owner, missing_allowed=skips) if isinstance(data, Matrix) else None
        # The matrix has values that are no small codes, so its columns are counted as labels.
        if counts is None:
            counts = count_columns(_table(data), sample, owner, missing_allowed=skips, coded=True)
        return sample.tally(*counts)

    def _accepted(self, tally: Tally) -> Tally:
        if not tally.parts or not all(isinstance(part, Counts) for part in tally.parts):
            raise ParameterError("CategoricalNB takes a tally of counts alone.")
        return tally

    def _least_sizes(self, columns: int) -> Ints:
        if self._settings.min_categories is None:
            return np.zeros(columns, dtype=np.int64)
        # Checks and messages are those of scikit-learn.
        least = np.array(self._settings.min_categories)
        if not np.issubdtype(least.dtype, np.signedinteger):
            raise ParameterError(f"'min_categories' should have integral type. Got {least.dtype} instead.")
        if least.shape not in ((), (columns,)):
            raise ParameterError(
                f"'min_categories' should have shape ({columns},) when an array-like is provided. Got {least.shape} "
                "instead."
            )
        return np.broadcast_to(least, columns)

    def _estimate(self, tally: Tally, form: Form) -> dict[str, object]:
        alpha = check_alpha(self._settings.alpha, form.columns, force=self._settings.force_alpha)
        prior = log_priors(tally.class_counts, self._settings.class_prior, uniform=not self._settings.fit_prior)
        least = self._least_sizes(form.columns)
        parts = tuple(_widened(part, int(size)) for part, size in zip(tally.parts, least, strict=True))
        return {
            "class_log_prior_": prior,
            "n_categories_": np.array([part.variable.size for part in parts], dtype=np.int64),
            "_prior": prior,
            "_parts": parts,
            "_sizes": np.array([len(part.variable) for part in parts], dtype=np.int64),
            "_table": packed_tables(parts, Lidstone(float(alpha)), self._settings.unseen),
        }

    def _scores(self, data: Matrix | Table, want: Want) -> AnyArray:
        rules = {
            "missing_allowed": self._settings.missing == "skip",
            "unseen_allowed": self._settings.unseen != "error",
        }
        if isinstance(data, Matrix) and all(part.variable.is_dense for part in self._parts):
            scores, fault = score_table(data.for_kernel(), self._prior, self._table, self._sizes, want, **rules)
            # The kernel reads small whole numbers as codes; others are looked up as labels, one by one.
            if fault is None or fault[0] not in ("fractional", "wide"):
                return self._without_fault((scores, fault), data)
        codes = self._codes(data)
        scored = score_table(codes, self._prior, self._table, self._sizes, want, minus_is_missing=True, **rules)
        return self._without_fault(scored, data)

    def _codes(self, data: Matrix | Table) -> AnyArray:
        table = _table(data)
        for column, part in zip(table.columns, self._parts, strict=True):
            if part.variable.is_coded and column.is_numeric and np.nanmin(column.numbers, initial=0) < 0:
                raise InputError(f"Negative values in data passed to {type(self).__name__} (input X): {column.name!r}.")
        return table.codes(tuple(part.variable for part in self._parts))

    def _joint(self, data: Matrix | Table) -> Floats:
        return self._scores(data, "joint")

    def _prior_rule(self) -> PriorsLike:
        return prior_rule(self._settings)

    def _free_parameters(self) -> int:
        return len(self.classes_) * int(np.maximum(self.n_categories_ - 1, 0).sum())

    def _draw(self, n: int, rng: np.random.Generator) -> tuple[Codes, list[Drawn]]:
        y, columns = draw_classes(self._prior, n, rng), []
        for part, end in zip(self._parts, np.cumsum(self._sizes + 2).tolist(), strict=True):
            logs = self._table[end - 2 - len(part.variable) : end - 2, : len(self.classes_)]
            columns.append(draw_states(part.variable, logs, y, rng))
        return y, columns

    def _column_evidence(self, data: Matrix | Table) -> Floats:
        codes, sizes = self._codes(data), self._sizes
        self._check_codes(codes, data)
        rows = np.where(codes < 0, sizes + 1, np.minimum(codes, sizes))  # missing: the last row of a column
        starts = np.concatenate([[0], np.cumsum(sizes + 2)[:-1]])
        return self._table[starts + rows][:, :, : len(self.classes_)]

    def _closed_form(self) -> ClosedForm:
        starts = np.concatenate([[0], np.cumsum(self._sizes + 2)])
        columns = []
        for i, part in enumerate(self._parts):
            logs = self._table[starts[i] : starts[i + 1], : len(self.classes_)]
            states = Labels(part.variable.labels.tolist(), part.variable.is_coded)
            missing, is_strict = (
                logs[-1] if self._settings.missing == "skip" else None,
                self._settings.unseen == "error",
            )
            formula = StateLogs(states, logs[:-2], logs[-2], missing, is_strict=is_strict)
            columns.append(NamedFormula(self._names()[i], formula))
        return ClosedForm(self._start(), self._prior, columns, matrix=MatrixInput(self._names(), are_doubles=True))

    def _check_codes(self, codes: AnyArray, data: Matrix | Table) -> None:
        """Refuse missing and unseen values where they are errors."""
        missing = (codes < 0) & (self._settings.missing == "error")
        unseen = (codes >= self._sizes) & (self._settings.unseen == "error")
        if (missing | unseen).any():
            row, column = np.argwhere(missing | unseen)[0].tolist()
            self._raise(("missing" if missing[row, column] else "unseen", row, column), data)

    @cached_property
    def class_count_(self) -> Floats:
        """The weight of the rows of each class."""
        return self.tally_.class_counts.astype(np.float64)

    @cached_property
    def category_count_(self) -> list[Floats]:
        """Class × state counts of each column, every state of a coded column included."""
        return [_widened(part, part.variable.size, dense=True).table.astype(np.float64) for part in self._parts]

    @cached_property
    def feature_log_prob_(self) -> list[Floats]:
        """log P(state | class) of each column, classes × states."""
        alpha = check_alpha(self._settings.alpha, self.n_features_in_, force=self._settings.force_alpha)
        return [log_probabilities(counts, alpha) for counts in self.category_count_]

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.positive_only = True
        tags.classifier_tags.poor_score = True
        return tags


def _table(data: Matrix | Table) -> Table:
    return data if isinstance(data, Table) else read_table(data.dense(), data.given_names)


def _has_one_type(columns: tuple[Column, ...]) -> bool:
    """True for numbers that one array holds without rounding: floats have no room for whole numbers beyond 2^53."""
    if not all(column.is_numeric for column in columns):
        return False
    # One array of all columns has one type, and int64 with float64 becomes float64.
    if np.result_type(*(column.held.dtype for column in columns if column.held is not None)).kind != "f":
        return True
    return all(column.is_float or np.abs(column.numbers.astype(np.float64)).max() < EXACT for column in columns)


def _booleans_as_codes(column: Column) -> Column:
    if column.is_numeric or not all(isinstance(state, bool | np.bool_) for state in column.states):
        return column
    if not column.has_missing:
        return Column.of_numbers(column.name, column.states.astype(np.int64)[column.indices])
    # Missing values have the index −1, which is the last: NaN.
    numbers = np.append(column.states.astype(np.float64), np.nan)[column.indices]
    return Column.of_numbers(column.name, numbers, is_whole=True)


def _widened(part: Counts, size: int, *, dense: bool = False) -> Counts:
    """The counts of a coded column over at least `size` states; `dense` lists every one of them."""
    variable = part.variable
    if not variable.is_coded:
        return part
    wider = variable.with_size(size)
    return part.restated(type(wider).of_codes(wider.name, wider.size) if dense else wider)


class GaussianNB(SqlClassifier):
    """Gaussian naive Bayes: each column is normal within a class. A drop-in for ``sklearn.naive_bayes.GaussianNB``.

    Beyond scikit-learn: sparse input, missing values, new classes later on, `merge`, `forget`, `evidence` and
    `explain`. The variance floor follows from all rows learned so far, so `partial_fit` row by row equals one `fit`.

    Parameters
    ----------
    priors : array, optional
        The probabilities of the classes; relative frequencies when None.
    var_smoothing : float
        The part of the largest column variance that is added to every variance.
    missing : {"error", "skip"}
        What a missing value (NaN) is: an error, or no evidence.

    Attributes
    ----------
    tally_ : Tally
        The moments that all other attributes follow from.
    classes_ : array
        The labels, sorted.
    class_count_ : array
        The weight of the rows of each class.
    class_prior_ : array
        P(class).
    theta_ : array of shape (n_classes, n_features)
        The mean of each column in each class.
    var_ : array of shape (n_classes, n_features)
        The variance of each column in each class.
    epsilon_ : float
        What was added to the variances.
    n_features_in_ : int
        The number of columns.
    feature_names_in_ : array
        The names of the columns, where the rows had names.

    See Also
    --------
    NaiveBayes : For tables with labels, numbers and text.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[-1, -1], [-2, -1], [-3, -2], [1, 1], [2, 1], [3, 2]])
    >>> GaussianNB().fit(X, [1, 1, 1, 2, 2, 2]).predict([[-0.8, -1]]).tolist()
    [1]
    """

    _parameter_constraints: ClassVar[Constraints] = {
        **BayesClassifier._parameter_constraints,
        "priors": ["array-like", None],
        "var_smoothing": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(self, *, priors: Any = None, var_smoothing: float = 1e-9, missing: SkipOrError = "error") -> None:
        self.priors, self.var_smoothing, self.missing = priors, var_smoothing, missing

    def _count(self, data: Matrix, sample: Sample, form: Form) -> Tally:
        return sample.tally(
            gather_moments(data, sample, type(self).__name__, missing_allowed=self._settings.missing == "skip")
        )

    def _accepted(self, tally: Tally) -> Tally:
        if not tally.parts or not all(isinstance(part, Moments) for part in tally.parts):
            raise ParameterError("GaussianNB takes a tally of moments alone: of float columns.")
        return replace(tally, parts=(Moments.side_by_side(tally.parts),))

    def _estimate(self, tally: Tally, form: Form) -> dict[str, object]:
        estimate = estimate_gaussian(tally.parts[0], self._settings.var_smoothing)
        prior = log_priors(tally.class_counts, self._settings.priors)
        # Halves of the precisions, so that the kernel multiplies where it would divide.
        packed = estimate.mean, 0.5 / estimate.variance, log_norms(estimate.variance)
        return {
            "theta_": estimate.mean.astype(form.dtype),
            "var_": estimate.variance.astype(form.dtype),
            "epsilon_": estimate.floor,
            "class_count_": tally.class_counts.astype(form.dtype),
            "class_prior_": np.exp(prior).astype(form.dtype),
            "_prior": prior,
            "_packed": tuple(pack_columns(table) for table in packed),
        }

    def _scores(self, data: Matrix, want: Want) -> AnyArray:
        skips = self._settings.missing == "skip"
        scored = score_gaussian(data.for_kernel(), self._prior, self._packed, want, missing_allowed=skips)
        return self._without_fault(scored, data)

    def _joint(self, data: Matrix) -> Floats:
        return self._scores(data, "joint")

    def _free_parameters(self) -> int:
        return 2 * self.theta_.size

    def _draw(self, n: int, rng: np.random.Generator) -> tuple[Codes, list[Floats]]:
        y, estimate = (
            draw_classes(self._prior, n, rng),
            estimate_gaussian(self.tally_.parts[0], self._settings.var_smoothing),
        )
        means, widths = estimate.mean, np.sqrt(estimate.variance)
        return y, [means[y, i] + widths[y, i] * rng.standard_normal(n) for i in range(self.n_features_in_)]

    def _closed_form(self) -> ClosedForm:
        mean, half, norm = (table[:, : self.n_features_in_] for table in self._packed)
        missing = np.zeros(len(norm)) if self._settings.missing == "skip" else None
        columns = [
            NamedFormula(name, Curve(norm[:, i], missing, mean=mean[:, i], half=half[:, i]))
            for i, name in enumerate(self._names())
        ]
        return ClosedForm(self._start(), self._prior, columns, matrix=MatrixInput(self._names(), are_doubles=True))

    def _column_evidence(self, data: Matrix) -> Floats:
        columns = self.n_features_in_
        mean, half_precision, norm = (table[:, :columns] for table in self._packed)
        x = data.dense()
        fault = find_fault(x, Weighing(lowest=-np.inf, missing_allowed=self._settings.missing == "skip"))
        if fault is not None:
            self._raise(fault, data)
        deviation = x.astype(np.float64)[:, :, None] - mean.T
        evidence = norm.T - deviation * deviation * half_precision.T
        # A missing number is no evidence.
        return np.where(np.isnan(evidence), 0.0, evidence)
