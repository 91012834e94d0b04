"""Naive Bayes for raw documents: counted straight into the tally, with no matrix between.

    log P(c | document) = log P(c) + Σ_{known tokens t} log P(t | c) + const

Positions whose token is unknown are left out (Mitchell, table 6.2). What P(t | c) is, and how a document is read as
tokens, is a choice of the event model (`deciban.models.text.events`).
"""

from __future__ import annotations

from functools import cached_property
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from deciban.errors import InputError, ParameterError
from deciban.estimate import Smoothing, settle_priors
from deciban.models.base import BayesClassifier
from deciban.models.form import Form
from deciban.models.text.calibration import CalibratedText
from deciban.models.text.model import TextModel, estimate_text
from deciban.models.text.tags import tag_documents
from deciban.read import read_target, read_weights
from deciban.read.documents import Documents, read_documents
from deciban.tallies import Sample, Tally
from deciban.text.analyzer import Analyzer
from deciban.text.bag import Bag
from deciban.text.counting import count_bag, weigh_bag
from deciban.text.pruning import MEASURES, Pruning
from deciban.text.vocabulary import Vocabulary
from deciban.types import AnyArray, Floats

__all__ = ["TextNB"]

_EVENTS = {"multinomial", "bernoulli", "boolean", "complement", "twcnb"}
_NO_TOKENS = "empty vocabulary: no document has a token. Pass another pattern, or a smaller `shortest`."
_NO_TOKENS_LEFT = "after pruning, no token remains. Try lower drop_top, min_count and min_df, or a higher max_df."
_COUNT = [Interval(Integral, 0, None, closed="left")]
_SHARE = [Interval(Real, 0, None, closed="left")]


class TextNB(CalibratedText):
    """Naive Bayes whose X is a collection of documents: a list, Series, array or Arrow column of str or bytes.

    Parameters
    ----------
    event : what a document says (`deciban.models.text.events` has the formulas)
        "boolean": which tokens it has, each once, as draws from the class's tokens (Metsis et al. 2006);
        "multinomial": every occurrence; "bernoulli": which tokens it has and which it lacks; "complement": how unlike
        the other classes it is; "twcnb": the same with log counts, idf and length-normalized training documents
        (Rennie et al. 2003), and each token of a new document heard once; it needs all documents together, so
        `partial_fit`, `merge` and `forget` are errors.
    pattern : "words" (scikit-learn's), "words+punct", "chars", "chars_wb", "segments" (Unicode's words), or a callable
        that takes a document and gives its tokens
    ngrams : the sizes of sequences of tokens, or, for "chars" and "chars_wb", of characters: first and last
    lower, accents, shortest, longest : whether case is dropped; None, "unicode" or "ascii": how accents are; the
        lengths of tokens that are kept
    smoothing : "auto"; "discount": absolute discounting, to the mean class; "kneser-ney": the same, to tokens by the
        number of classes that have them; "loo": Lidstone's law; each with its parameters chosen by leaving one out; a
        number, α; or a Smoothing without a prior over states. "auto" for "boolean" and "multinomial" is "kneser-ney"
        where there are two classes and "discount" where there are more; it is "loo" for "bernoulli", 1 for "complement"
        and 0.05 for "twcnb".
    priors : "empirical", "uniform", a Smoothing, or probabilities; "complement" and "twcnb" use them only where a
        document has no known token
    drop_top, min_count, min_df, max_df, select, measure : which tokens are used (`deciban.text.pruning.Pruning`). The
        tally keeps all of them, so none of these counts again, and learning in parts stays exact.
    n_bits : hash tokens to 2^n_bits buckets: fixed memory, and no vocabulary
    max_terms : the most tokens that are kept after each batch; by how much counts may then be too small is
        ``model.tally_.parts[0].error``. Learning in parts is then no longer exact.
    temperature : what log-likelihoods are divided by; above 1, posteriors are less extreme
    length : "none"; "mean": each document weighs as one of average length; "root": halfway between, in log terms
    rule, loss, reject : how `predict` decides, as in `NaiveBayes`

    Examples
    --------
    >>> model = TextNB().fit(["free prize now", "lunch at noon", "win a free prize"], ["spam", "ham", "spam"])
    >>> model.predict(["a prize for lunch: free!"]).tolist()
    ['spam']
    >>> model.known_tokens(["a prize for lunch: free!", "quite unknown"]).tolist()
    [3, 0]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **CalibratedText._parameter_constraints,
        "event": [StrOptions(_EVENTS)],
        "smoothing": [
            StrOptions({"auto", "discount", "kneser-ney", "loo"}),
            Interval(Real, 0, None, closed="left"),
            Smoothing,
        ],
        "drop_top": _COUNT,
        "min_count": _SHARE,
        "min_df": _SHARE,
        "max_df": _SHARE,
        "select": [*_COUNT, None],
        "measure": [StrOptions(set(MEASURES))],
        "n_bits": [Interval(Integral, 1, 31, closed="both"), None],
        "max_terms": [Interval(Integral, 1, None, closed="left"), None],
        "temperature": [Interval(Real, 0, None, closed="neither")],
        "length": [StrOptions({"none", "mean", "root"})],
    }

    missing = "error"
    _model: TextModel

    def __init__(
        self,
        event: str = "boolean",
        *,
        pattern: Any = "words",
        ngrams: tuple[int, int] = (1, 1),
        lower: bool = True,
        accents: str | None = None,
        shortest: int | None = None,
        longest: int | None = None,
        smoothing: Any = "auto",
        priors: Any = "empirical",
        drop_top: int = 0,
        min_count: float = 1,
        min_df: float = 1,
        max_df: float = 1.0,
        select: int | None = None,
        measure: str = "mi",
        n_bits: int | None = None,
        max_terms: int | None = None,
        temperature: float = 1.0,
        length: str = "none",
        rule: str = "map",
        loss: Any = None,
        reject: Any = None,
    ) -> None:
        self.event = event
        self.pattern = pattern
        self.ngrams = ngrams
        self.lower = lower
        self.accents = accents
        self.shortest = shortest
        self.longest = longest
        self.smoothing = smoothing
        self.priors = priors
        self.drop_top = drop_top
        self.min_count = min_count
        self.min_df = min_df
        self.max_df = max_df
        self.select = select
        self.measure = measure
        self.n_bits = n_bits
        self.max_terms = max_terms
        self.temperature = temperature
        self.length = length
        self.rule = rule
        self.loss = loss
        self.reject = reject

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Count the documents and estimate; what was learned before is forgotten.

        Parameters
        ----------
        X : documents, str or bytes, of shape (n_samples,)
        y : labels of shape (n_samples,)
        sample_weight : weights of shape (n_samples,), none negative; 1 each when None
        """
        before = self.__dict__.copy()
        super().fit(X, y, sample_weight)
        if self._model.bag.is_empty:
            has_none = self.tally_.parts[0].is_empty
            self.__dict__ = before
            raise InputError(_NO_TOKENS if has_none else _NO_TOKENS_LEFT)
        return self

    def partial_fit(self, X: Any, y: Any = None, classes: Any = None, sample_weight: Any = None) -> Self:
        """Count more documents. They may bring tokens and classes of their own, so `classes` may be left out."""
        self._check_additive("partial_fit")
        if classes is None and not self._is_fitted():
            return super().fit(X, y, sample_weight)  # a first batch may be without tokens: others follow
        return super().partial_fit(X, y, classes, sample_weight)

    def merge(self, other: BayesClassifier) -> Self:
        """Add what another TextNB that cuts documents in the same way has learned."""
        self._check_additive("merge")
        return super().merge(other)

    def forget(self, X: Any, y: Any = None, *, sample_weight: Any = None) -> Self:
        """Take documents out again, as if they had never been learned; an error names a token that never was."""
        self._check_additive("forget")
        return super().forget(X, y, sample_weight=sample_weight)

    def _check_additive(self, what: str) -> None:
        if self.event == "twcnb":
            raise ParameterError(
                f'event="twcnb" weighs tokens by all documents at once, so it has no {what}: fit them together, or '
                'pass event="complement".'
            )

    def _tally_of(self, X: Any, y: Any, sample_weight: Any, known: Form | None = None) -> tuple[Tally, Form]:
        data = read_documents(X)
        sample = Sample.of(read_target(y, len(data)), read_weights(sample_weight, len(data)))
        return self._count(data, sample, form := known or Form(1)), form

    def _count(self, data: Documents, sample: Sample, form: Form) -> Tally:  # noqa: ARG002
        count = weigh_bag if self.event == "twcnb" else count_bag
        return sample.tally(count(data, sample, self._analyzer(), self.n_bits))

    def _adopt(self, tally: Tally, form: Form) -> Self:
        if self.max_terms is not None:
            tally = Tally(tally.classes, tally.class_counts, tuple(bag.capped(self.max_terms) for bag in tally.parts))
        super()._adopt(tally, form)
        del self.n_features_in_  # documents have no columns to be counted
        return self

    def _accepted(self, tally: Tally) -> Tally:
        if len(tally.parts) != 1 or not isinstance(tally.parts[0], Bag):
            raise ParameterError("TextNB takes a tally of one column of documents.")
        if tally.parts[0].rules != self._analyzer().rules:
            raise ParameterError(f"the tally's documents were cut by {tally.parts[0].rules}: pass the same settings.")
        return tally

    def _form_of_tally(self, tally: Tally) -> Form:  # noqa: ARG002
        return Form(1)

    # Estimating and scoring ----------------------------------------------------------------------------------------

    def _estimate(self, tally: Tally, form: Form) -> dict[str, Any]:  # noqa: ARG002
        prior = settle_priors(self.priors, tally.class_counts, tally.classes.labels.tolist())
        pruning = Pruning(self.drop_top, self.min_count, self.min_df, self.max_df, self.select, self.measure)
        how = (self.event, self.smoothing, pruning, self._analyzer(), self.length)
        model = estimate_text(tally.parts[0], tally.class_counts, *how)
        return {"_prior": prior, "_model": model}

    def _analyzer(self) -> Analyzer:
        return Analyzer.of(self.pattern, self.ngrams, self.lower, self.accents, self.shortest, self.longest)

    def _read(self, X: Any) -> Documents:
        return read_documents(X)

    def _check_columns(self, data: Any) -> None:
        """Documents are one column: there is nothing to hold against the form."""

    def _likelihood(self, data: Any) -> Floats:
        likelihood, known = self._model.score(data)
        if self.temperature != 1.0:
            likelihood /= self.temperature
        if self.event in ("complement", "twcnb"):
            likelihood -= self._unheard(known)
        return likelihood

    def _unheard(self, known: AnyArray) -> Floats:
        """The log-priors that have no say: those of "complement" and "twcnb" where a token is known."""
        is_unheard = self.event in ("complement", "twcnb") and len(self.classes_) > 1
        return np.where((known > 0)[:, None] & np.isfinite(self._prior) & is_unheard, self._prior, 0.0)

    def _decide(self, likelihood: Floats) -> AnyArray:
        leaves_priors_out = self.rule == "ml" and self.event in ("complement", "twcnb")  # they had no say to begin with
        return super()._decide(likelihood + np.nan_to_num(self._prior, neginf=0.0) if leaves_priors_out else likelihood)

    def _column_evidence(self, data: Documents) -> Floats:
        return self._likelihood(data)[:, None, :]

    def _names(self) -> tuple[str, ...]:
        return ("text",)

    # What was learned ----------------------------------------------------------------------------------------------

    @cached_property
    def vocabulary_(self) -> dict[str, int]:
        """The tokens that the model uses, and their ids; empty where tokens are hashed."""
        return {token: i for i, token in enumerate(self._vocabulary() or ())}

    @property
    def smoothing_(self) -> Any:
        """The smoothing in use: α, or each class's discounts of tokens it has once, twice and more often."""
        self._check_fitted()
        return self._model.smoothing

    def _vocabulary(self) -> Vocabulary | None:
        self._check_fitted()
        return self._model.bag.vocabulary

    @property
    def class_log_prior_(self) -> AnyArray:
        self._check_fitted()
        return self._prior

    def __sklearn_tags__(self) -> Any:
        return tag_documents(super().__sklearn_tags__())
