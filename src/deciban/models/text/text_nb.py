"""Naive Bayes for raw documents: tokens are counted straight into the tally, without a matrix.

    log P(c | document) = log P(c) + Σ_{known tokens t} log P(t | c) + const

Unknown tokens are ignored (Mitchell, table 6.2). P(t | c), and the tokens of a document that count, depend on the event
model (`deciban.models.text.model`). The counts of documents are added and subtracted as those of rows are; in addition,
a temperature is learned from the first documents, because tokens are not independent.

Decisions are made before the temperature is applied, except where they depend on the probabilities themselves: with a
loss, a rejection or a calibration.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, Self, get_args

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from deciban.decide import NO_DECISION, Reject
from deciban.decide.rules import Decider, by_blocks, labels_of
from deciban.engines.source import OnBadRow, Progress, Source, open_source, tally_source
from deciban.errors import DecibanWarning, InputError, ParameterError, UnfittedError, warn_user
from deciban.estimate import Smoothing
from deciban.estimate.drawing import RandomState, draw_classes, read_count, read_seed
from deciban.explain import DocumentExplanation, TopTokens
from deciban.explain.tokens import TermProbabilities, chosen_terms
from deciban.models.base import (
    DECIDER_CONSTRAINTS,
    ArrowTable,
    BayesClassifier,
    check_label,
    check_weight,
    check_within,
    known_classes,
)
from deciban.models.leave_one_out import CalibratedClassifier, plain_posterior
from deciban.models.schema import Form
from deciban.models.text.counting_in_parts import DocumentCounting, PendingDocuments, documents_in_memory, sample_of
from deciban.models.text.document_classifier import (
    BATCH,
    DOCUMENT_FREQUENCY,
    TEMPERATURE,
    DocumentClassifier,
    learned_tokens,
    read_document,
    warn_of_unknown,
)
from deciban.models.text.explain import DocumentCase, explain_document
from deciban.models.text.fitted import NO_TOKENS, TextFit, TextForm, TextSettings
from deciban.models.text.model import (
    TextModel,
    check_event,
    class_index,
    document_weights,
    draw_documents,
    token_probabilities,
    top_tokens,
)
from deciban.read import plain, read_target, read_weights
from deciban.read.documents import Documents, read_documents
from deciban.tallies import Sample, Tally, is_same_sample
from deciban.tallies.kernels import Want
from deciban.text.analyzer import (
    ANALYZER_PARAMETERS,
    AnalyzerChoice,
    StripAccents,
    Tokenizer,
    analyzer_for,
    is_spaceless,
    was_spaceless,
)
from deciban.text.bag import Bag
from deciban.text.pruning import MEASURES, Measure, Pruning
from deciban.turns import turn
from deciban.types import AnyArray, ArrayLike, Floats, Ints, LabelsLike

__all__ = ["TextNB"]

Event = Literal["multinomial", "bernoulli", "boolean", "complement", "twcnb"]
SmoothingName = Literal["auto", "by-classes", "discount", "kneser-ney", "loo"]
Length = Literal["none", "mean", "root"]

_COUNT = [Interval(Integral, 0, None, closed="left")]


class TextNB(DocumentClassifier, CalibratedClassifier):
    """Naive Bayes for documents, without a vectorizer: X is a list, Series, array or Arrow column of str or bytes.

    Parameters
    ----------
    event : {"boolean", "multinomial", "bernoulli", "complement", "twcnb"}
        The event model. "boolean": each distinct token of a document counts once (Metsis et al. 2006). "multinomial":
        every occurrence. "bernoulli": present and absent tokens. "complement": token probabilities of the other
        classes. "twcnb": the same with log counts, idf and length-normalized training documents (Rennie et al. 2003),
        and each distinct token of a new document counted once; it needs all documents together, so `partial_fit`,
        `merge` and `forget` are errors.
    analyzer : {"auto", "word", "word_emoji", "word_punct", "char", "char_wb", "unicode_word"}
        What a token is: "word" (as in scikit-learn), "word_emoji" (words and emoji), "word_punct" (words and
        punctuation), "char", "char_wb" (n-grams of characters), "unicode_word" (words by UAX 29). "auto" is
        "word_emoji", or, where most of the first documents are in
        a script without spaces, "char" with n-grams of up to 3 characters at least; `analyzer_` says which.
    tokenizer : callable, optional
        A function that takes a document and returns its tokens, instead of those of `analyzer`.
    ngram_range : (int, int)
        The sizes of n-grams, first and last: of tokens, or for "char" and "char_wb" of characters.
    lowercase : bool
        Whether to convert to lower case.
    strip_accents : {"unicode", "ascii"}, optional
        How to remove accents; they stay when None.
    shortest, longest : int, optional
        The minimum and maximum length of a token. None: 2 for "word", else 1, without a maximum.
    smoothing : str, float or Smoothing
        "discount": absolute discounting, with the mean of the classes as background. "kneser-ney": the same, with
        tokens by their number of classes as background. "loo": Lidstone's law. Each has its parameters chosen by
        leave-one-out. Or a number, α; or a Smoothing without a prior over states. "auto" for "boolean" and
        "multinomial" is "kneser-ney" or "discount", whichever has the larger leave-one-out likelihood of the classes;
        it is "loo" for "bernoulli", 1 for "complement" and 0.05 for "twcnb". "by-classes" is "kneser-ney" for two
        classes and "discount" for more.
    priors : "empirical", "uniform", Smoothing, mapping or array
        The class priors: relative frequencies, equal ones, smoothed frequencies, or probabilities. "complement" and
        "twcnb" use them only for documents without known tokens.
    drop_top : int
        The number of most frequent tokens that are not used. The tally keeps all tokens, so neither this nor the
        following five parameters need counting again, and learning in parts stays exact.
    min_count : float
        The minimum number of occurrences of a token that is used.
    min_df, max_df : int or float
        The minimum and maximum number of documents that contain a token that is used; a float is a share of the
        documents.
    select : int, optional
        The number of tokens that are used, those with the largest `measure`; all when None.
    measure : {"mi", "chi2", "frequency"}
        Mutual information with the class, χ², or the number of documents with the token.
    n_bits : int, optional
        Hash tokens to 2^n_bits buckets: fixed memory, and no vocabulary.
    max_terms : int, optional
        The maximum number of tokens that the tally keeps after each batch, the most frequent ones (up to twice as many
        while `fit_files` counts). Counts may then be too small, by at most ``model.tally_.parts[0].error``, and
        learning in parts is no longer exact.
    temperature : "auto", float or None
        T; posteriors are raised to the power 1/T, which changes no decision, since tokens are not independent. "auto":
        learned in `fit`, from documents that are left out, or in the first batch of `partial_fit` with 20 of them; then
        `partial_fit`, `learn_one` and `forget` keep it, and `merge` takes the mean by documents. A model without it
        ("twcnb", `from_tally`) has T = 1. None is T = 1 as well: naive Bayes as in textbooks. A number is the T of a
        document of mean length.
    length : {"none", "mean", "root"}
        "mean": documents are weighted as if all had the mean length. "root": the geometric mean of both.
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
        The counts of all tokens in each class.
    classes_ : array
        The labels, sorted.
    class_log_prior_ : array
        log P(class).
    vocabulary_ : dict
        The tokens in use and their ids; empty where tokens are hashed.
    smoothing_ : float or value
        The smoothing in use: α, or the discounts of each class for tokens that occur once, twice and more often.
    analyzer_ : str or None
        The analyzer in use, which "auto" has chosen; None for a callable tokenizer.
    temperature_ : float
        The temperature of a document of mean length.

    See Also
    --------
    TextEM : Learns from documents without labels, too.
    LogCountRatio : A linear classifier on the tokens' log-count ratios.
    Text : Text in a column of a table.

    Examples
    --------
    >>> model = TextNB().fit(
    ...     ["free prize now", "lunch at noon", "win a free prize"], ["spam", "ham", "spam"]
    ... )
    >>> model.predict(["a prize for lunch: free!"]).tolist()
    ['spam']
    >>> model.known_tokens(["a prize for lunch: free!", "quite unknown"]).tolist()
    [3, 0]
    """

    _parameter_constraints: ClassVar[dict[str, list[object]]] = {
        **DECIDER_CONSTRAINTS,
        "event": [StrOptions(set(get_args(Event)))],
        "smoothing": [StrOptions(set(get_args(SmoothingName))), Interval(Real, 0, None, closed="left"), Smoothing],
        "drop_top": _COUNT,
        "min_count": [Interval(Real, 0, None, closed="left")],
        "min_df": DOCUMENT_FREQUENCY,
        "max_df": DOCUMENT_FREQUENCY,
        "select": [*_COUNT, None],
        "measure": [StrOptions(set(MEASURES))],
        "n_bits": [Interval(Integral, 1, 31, closed="both"), None],
        "max_terms": [Interval(Integral, 1, None, closed="left"), None],
        "temperature": TEMPERATURE,
        "length": [StrOptions(set(get_args(Length)))],
    }
    missing = "error"

    _fitted: TextFit | None = None
    _pending: PendingDocuments | None = None
    """The documents of `learn_one` since `_fitted` was estimated, with its tally."""

    def __init__(
        self,
        event: Event = "boolean",
        *,
        analyzer: AnalyzerChoice = "auto",
        tokenizer: Tokenizer | None = None,
        ngram_range: tuple[int, int] = (1, 1),
        lowercase: bool = True,
        strip_accents: StripAccents | None = None,
        shortest: int | None = None,
        longest: int | None = None,
        smoothing: SmoothingName | float | Smoothing = "auto",
        priors: Any = "empirical",
        drop_top: int = 0,
        min_count: float = 1,
        min_df: float = 1,
        max_df: float = 1.0,
        select: int | None = None,
        measure: Measure = "mi",
        n_bits: int | None = None,
        max_terms: int | None = None,
        temperature: Literal["auto"] | float | None = "auto",
        length: Length = "none",
        rule: Literal["map", "ml"] = "map",
        loss: Any = None,
        reject: Reject | float | None = None,
    ) -> None:
        self.event, self.smoothing, self.priors = event, smoothing, priors
        self.analyzer, self.tokenizer, self.ngram_range = analyzer, tokenizer, ngram_range
        self.lowercase, self.strip_accents = lowercase, strip_accents
        self.shortest, self.longest = shortest, longest
        self.drop_top, self.min_count, self.min_df, self.max_df = drop_top, min_count, min_df, max_df
        self.select, self.measure = select, measure
        self.n_bits, self.max_terms = n_bits, max_terms
        self.temperature, self.length = temperature, length
        self.rule, self.loss, self.reject = rule, loss, reject

    # Fitted attributes ---------------------------------------------------------------------------------------------

    def _is_fitted(self) -> bool:
        return self._fitted is not None

    def _current(self) -> TextFit:
        """What was learned, the documents of `learn_one` included."""
        fitted = self._fitted
        if fitted is None:
            raise UnfittedError(
                f"This {type(self).__name__} instance is not fitted yet. Call 'fit' with appropriate arguments before "
                "using this estimator."
            )
        if self._pending is not None:  # estimated here, once, however many documents `learn_one` has had
            fitted = TextFit.of(fitted.settings, fitted.form, self._pending.total())
            self._fitted, self._pending = fitted, None
        return fitted

    @property
    def tally_(self) -> Tally:  # type: ignore[override]
        """The counts of all tokens in each class."""
        return self._current().tally

    @property
    def classes_(self) -> AnyArray:  # type: ignore[override]
        """The labels, sorted."""
        return self._current().classes

    @property
    def class_log_prior_(self) -> AnyArray:
        """log P(class)."""
        return self._current().prior

    @property
    def vocabulary_(self) -> dict[str, int]:
        """The tokens in use and their ids; empty where tokens are hashed."""
        return self._current().vocabulary

    @property
    def smoothing_(self) -> float | Floats:
        """The smoothing in use: α, or the discounts of each class for tokens that occur once, twice and more often."""
        return self._current().model.smoothing

    @property
    def analyzer_(self) -> str | None:
        """The analyzer in use, which "auto" has chosen; None for a callable tokenizer."""
        analyzer = self._current().settings.analyzer
        return None if analyzer.tokenizer is not None else analyzer.settings.analyzer

    @property
    def temperature_(self) -> float:
        """The temperature of a document of mean length."""
        return self._current().temperature

    @property
    def _prior(self) -> Floats:  # type: ignore[override]
        return self._current().prior

    @property
    def _form(self) -> TextForm:  # type: ignore[override]
        return self._current().form

    # Learning ------------------------------------------------------------------------------------------------------

    def fit(self, X: Any, y: LabelsLike | None = None, sample_weight: ArrayLike | None = None) -> Self:
        """Count the documents and estimate the model. What was learned before is forgotten.

        Parameters
        ----------
        X : collection of str or bytes
            The documents: a list, a Series, an array or an Arrow column.
        y : array of shape (n_samples,)
            Their labels.
        sample_weight : array of shape (n_samples,), optional
            How many documents each stands for; none is negative. 1 each when None.

        Returns
        -------
        self : the fitted model
        """
        with turn(self):
            self._check_parameters()
            documents = read_documents(X)
            sample = Sample.of(read_target(y, len(documents)), read_weights(sample_weight, len(documents)))
            settings = self._settings_for(documents)
            tally = settings.count(documents, sample)
            check_weight(tally)
            fitted = TextFit.of(settings, TextForm(1), tally).check_tokens()
            return self._keep(fitted.with_temperature(documents, sample), self._unfitted())

    def fit_files(
        self,
        source: Any,
        *,
        text: str = "text",
        target: str = "label",
        sample_weight: str | None = None,
        schema: Any = None,
        checkpoint: str | os.PathLike[str] | None = None,
        progress: Progress = None,
        on_bad_row: OnBadRow = "error",
        encoding: str | None = None,
        sheet: str | None = None,
        decimal: str | None = None,
    ) -> Self:
        """Count the documents of files and estimate the model. What was learned before is forgotten.

        The memory depends on the number of different tokens, which `max_terms` and `n_bits` limit, and not on the
        number of documents. The tally is that of `fit` with all documents, except that with `max_terms` counts may be
        too small, by at most ``model.tally_.parts[0].error``. The analyzer of "auto" and the temperature are learned
        from 20,000 documents that are spread over the whole source.

        Parameters
        ----------
        source : str, path, or list of these
            The name of a file (JSON Lines or arrays, or CSV, also with .gz or .zst; Parquet; Arrow or Feather; Excel),
            a glob, a folder, or a list of these, all with the same columns.
        text : str
            The name of the column of documents.
        target : str
            The name of the column of classes.
        sample_weight : str, optional
            The name of a column of weights, none negative.
        schema : mapping, optional
            The Arrow types of some columns, as a mapping from names to types or their names ("string", "int64", …).
        checkpoint : str or path, optional
            A file that keeps what was counted, so that the same call continues where an interrupted one ended. It is
            removed at the end.
        progress : bool or function, optional
            True for a bar on the standard error, a function of a `ReadingStep`, or False; None for a bar where the
            standard error is a terminal.
        on_bad_row : {"error", "skip"}
            "skip": rows that cannot be read, or have no document or label, are left out, and a warning names the first
            ones.
        encoding : str, optional
            The encoding of CSV and JSON files. None: UTF-8, or UTF-16 or Windows-1252 (Latin-1) where the bytes say so,
            with a warning.
        sheet : str, optional
            The sheet of Excel files; the first one when None.
        decimal : {".", ","}, optional
            The decimal mark of numbers in CSV files. None: found from some rows, with a warning where it is a comma.

        Returns
        -------
        self : the fitted model
        """
        opened = open_source(
            source,
            schema=schema,
            checkpoint=checkpoint,
            progress=progress,
            on_bad_row=on_bad_row,
            encoding=encoding,
            sheet=sheet,
            decimal=decimal,
        )
        return self._fit_opened(opened, text=text, target=target, sample_weight=sample_weight)

    def _fit_opened(
        self,
        source: Source,
        *,
        text: str,
        target: str,
        sample_weight: str | None = None,
        in_memory: tuple[ArrowTable, bool] | None = None,
    ) -> Self:
        """Count the documents of a source and estimate.

        `in_memory` are rows that what counts do not tell is learned from, and whether these are all.
        """
        self._check_parameters()
        self._check_additive("fit_files")
        names = tuple(name for name in (text, target, sample_weight) if name is not None)
        table, is_whole = in_memory or documents_in_memory(source, text, names)
        documents, sample = read_documents(table[text]), sample_of(table, target, sample_weight)
        settings = self._settings_for(documents)
        if is_whole and self.max_terms is None:  # what is cut depends on the pieces: a call with a checkpoint has some
            tally = settings.count(documents, sample)
            check_weight(tally)
        else:
            columns = text, target, sample_weight
            counting = DocumentCounting(settings.analyzer, *columns, self.n_bits, self.max_terms)
            tally = tally_source(source, counting).tally
        fitted = TextFit.of(settings, TextForm(1), tally).check_tokens()
        return self._keep(fitted.with_temperature(documents, sample), self._unfitted())

    def partial_fit(
        self,
        X: Any,
        y: LabelsLike | None = None,
        classes: LabelsLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Count more documents. They may have new tokens and new classes.

        Parameters
        ----------
        X : collection of str or bytes
            The documents.
        y : array of shape (n_samples,)
            Their labels.
        classes : array, optional
            All classes of the first call; it may be left out.
        sample_weight : array of shape (n_samples,), optional
            How many documents each stands for; none is negative. 1 each when None.

        Returns
        -------
        self : the model

        Examples
        --------
        >>> from deciban import TextNB
        >>> model = TextNB().partial_fit(["free prize", "lunch at noon"], ["spam", "ham"])
        >>> model.partial_fit(["a new bike"], ["advert"]).classes_.tolist()
        ['advert', 'ham', 'spam']
        """
        with turn(self):
            self._check_additive("partial_fit")
            documents = read_documents(X)
            labels, weights = read_target(y, len(documents)), read_weights(sample_weight, len(documents))
            if self._is_fitted():
                known = self._current()
                known_classes(classes, known.tally.classes)
                settings, form = known.settings, known.form
                sample = Sample.of(labels.read_as(known.tally.classes), weights)
                tally = known.tally + settings.count(documents, sample)
            else:
                self._check_parameters()
                settings, form, sample = self._settings_for(documents), TextForm(1), Sample.of(labels, weights)
                tally = settings.count(documents, sample)
                if classes is not None:
                    declared = known_classes(classes, None)
                    check_within(tally.classes, declared)
                    tally, form = tally.with_classes(declared), replace(form, classes=declared)
            check_weight(tally)
            fitted = TextFit.of(settings, form, tally)  # a batch may be without tokens: others follow
            if len(documents) >= BATCH and fitted.bag.is_empty:
                warn_user(f"{NO_TOKENS} Until then, all posteriors are the prior.", DecibanWarning)
            in_use = self._settings if self._is_fitted() else self._unfitted()
            return self._keep(fitted.with_temperature(documents, sample), in_use)

    def learn_one(self, document: Any, label: object) -> Self:
        """Learn one document. The result is that of `partial_fit` with the same documents.

        A class may be new. It takes time proportional to the length of the document alone; the next prediction
        estimates the model again.

        Parameters
        ----------
        document : str or bytes
            One document.
        label : a class
            Its class.

        Returns
        -------
        self : the model

        Examples
        --------
        >>> from deciban import TextNB
        >>> model = TextNB()
        >>> for document, label in [
        ...     ("free prize", "spam"),
        ...     ("lunch at noon", "ham"),
        ...     ("win a prize", "spam"),
        ... ]:
        ...     _ = model.learn_one(document, label)
        >>> str(model.predict_one("a prize")), model.tally_.total
        ('spam', 3)
        """
        with turn(self):
            self._check_additive("learn_one")
            documents = read_document(document, "learn_one").texts
            check_label(label)
            pending = self._pending  # `_current()` would estimate the model for each document
            if pending is None and self._fitted is not None:
                settings = self._fitted.settings
                pending = PendingDocuments(self._fitted.tally, settings.analyzer, settings.n_bits)
            if pending is None or (code := pending.code_of(label)) is None:
                return self.partial_fit(documents, [label])
            pending.add(documents[0], code)
            self._pending = pending
            self.__dict__.pop("calibration_", None)  # it was fitted on the posteriors of another model
            return self

    def merge(self, other: Any) -> Self:
        """Add what another `TextNB` with the same tokenizer has learned.

        Parameters
        ----------
        other : TextNB
            A fitted model; it is not changed.

        Returns
        -------
        self : the model
        """
        self._check_additive("merge")
        return super().merge(other)

    def forget(self, X: Any, y: LabelsLike | None = None, *, sample_weight: ArrayLike | None = None) -> Self:
        """Remove documents, as if they had never been learned.

        Parameters
        ----------
        X : collection of str or bytes
            Documents that the model has learned.
        y : array of shape (n_samples,)
            Their labels.
        sample_weight : array of shape (n_samples,), optional
            The weights that they were learned with. 1 each when None.

        Returns
        -------
        self : the model

        Raises
        ------
        InputError
            A document was not learned; the message names a token. The model stays as it was.
        """
        self._check_additive("forget")
        return super().forget(X, y, sample_weight=sample_weight)

    def _adopt(self, tally: Tally, form: TextForm, estimates: None = None) -> Self:  # type: ignore[override]
        in_use = self._settings if self._is_fitted() else self._unfitted()
        return self._keep(TextFit.of(in_use._text_settings(was_spaceless(tally.parts[0].rules)), form, tally), in_use)

    def _keep(self, fitted: TextFit, in_use: Self) -> Self:
        """Take what was learned with the parameters of another instance, all at once."""
        self._drop_stale()
        self._fitted, self._pending, self._fitted_with = fitted, None, in_use
        return self

    def _text_settings(self, spaceless: bool) -> TextSettings:
        """The parameters; `spaceless` says what the analyzer "auto" means."""
        return TextSettings(
            self.event,
            self.smoothing,
            self.priors,
            Pruning(self.drop_top, self.min_count, self.min_df, self.max_df, self.select, self.measure),
            self.length,
            self.n_bits,
            self.max_terms,
            self.temperature,
            Decider(self.rule, self.loss, self.reject),
            analyzer_for({name: getattr(self, name) for name in ANALYZER_PARAMETERS}, "word_emoji", spaceless),
        )

    def _settings_for(self, documents: Documents) -> TextSettings:
        """The parameters for a first batch of documents, by which the analyzer "auto" is decided."""
        return self._text_settings(self.analyzer == "auto" and is_spaceless(documents.texts))

    def _learned_beside_counts(self) -> dict[str, str]:
        tokens = learned_tokens(self._current().bag.size, self.analyzer_, self.temperature_)
        return {**super()._learned_beside_counts(), **tokens}

    def _check_additive(self, what: str) -> None:
        """Refuse to learn in parts where the model cannot."""
        if self._settings.event == "twcnb":
            advice = 'fit them together, or pass event="complement".'
            raise ParameterError(
                f'event="twcnb" weights tokens by all documents at once, so it has no {what}: {advice}'
            )

    def _estimates_once(self) -> bool:
        """Not where each batch is cut to `max_terms`, or where the next one may give the temperature."""
        in_use = self._settings
        is_settled = in_use.temperature != "auto" or self._form.temperature is not None
        return is_settled and in_use.max_terms is None and in_use.event != "twcnb"

    def _tally_of(self, X: Any, y: LabelsLike | None, sample_weight: ArrayLike | None) -> Tally:
        documents, fitted = read_documents(X), self._current()
        labels, weights = read_target(y, len(documents)), read_weights(sample_weight, len(documents))
        return fitted.settings.count(documents, Sample.of(labels.read_as(fitted.tally.classes), weights))

    def _merged_form(self, other: BayesClassifier) -> Form:
        rows = float(self.tally_.total), float(other.tally_.total)
        return replace(self._form, classes=super()._merged_form(other).classes).averaged(other._form, *rows)

    def _accepted(self, tally: Tally) -> Tally:
        if len(tally.parts) != 1 or not isinstance(tally.parts[0], Bag):
            raise ParameterError("TextNB takes a tally of one column of documents.")
        rules = tally.parts[0].rules
        if rules != self._text_settings(was_spaceless(rules)).analyzer.rules:
            raise ParameterError(f"the tally was tokenized by {rules}: pass the same settings.")
        return tally

    def _form_of_tally(self, tally: Tally) -> Form:
        return TextForm(1)

    # Scoring -------------------------------------------------------------------------------------------------------

    def _decider(self) -> Decider:
        return self._current().settings.decider

    def _read(self, X: Any) -> Documents:
        return read_documents(X)

    def _check_columns(self, data: Documents) -> None:
        """Documents are one column: there is nothing to compare with the fit."""

    def _names(self) -> tuple[str, ...]:
        return ("text",)

    def _scores(self, data: Documents, want: Want) -> AnyArray:
        fitted, numbers = self._current(), []  # of the known tokens in each block

        def score(documents: Documents) -> AnyArray:
            likelihood, known = fitted.scored(documents)
            numbers.append(known)
            if want == "best":
                return self._codes(likelihood, known)
            return self._beliefs().conclude(fitted.tempered(likelihood, known), want)

        scores = by_blocks(data, len(fitted.classes), score)
        warn_of_unknown(numbers)
        return scores

    def _codes(self, likelihood: Floats, known: AnyArray) -> AnyArray:
        """The codes of the classes; only a loss, a rejection and a calibration depend on the temperature."""
        fitted = self._current()
        rule, loss, reject = fitted.settings.decider
        if loss is None and reject is None and self._calibration() is None:
            return self._decide(likelihood)
        # The temperature divides log-likelihoods alone where the rule leaves the priors out.
        if rule == "ml" and not fitted.settings.is_without_priors:
            return self._decide(likelihood / fitted.temperatures(known)[:, None])
        return self._decide(fitted.tempered(likelihood, known))

    def _decide(self, likelihood: Floats) -> AnyArray:
        settings = self._current().settings
        # The "ml" rule removes the priors, which these events have subtracted already.
        is_without = settings.decider.rule == "ml" and settings.is_without_priors
        return super()._decide(likelihood + np.nan_to_num(self._prior, neginf=0.0) if is_without else likelihood)

    def _likelihood(self, data: Documents) -> Floats:
        fitted = self._current()
        return fitted.tempered(*fitted.scored(data))

    def _column_evidence(self, data: Documents) -> Floats:
        return self._likelihood(data)[:, None, :]

    def _left_out_posterior(self, X: Any, y: LabelsLike | None, sample_weight: ArrayLike | None) -> Floats:
        documents = read_documents(X)
        sample = Sample.of(read_target(y, len(documents)), read_weights(sample_weight, len(documents)))
        return self._current().held_out_posterior(documents, sample)

    def _honest_posterior(
        self, X: Any, y: LabelsLike | None, sample_weight: ArrayLike | None, learned: bool | str
    ) -> Floats:
        """Posteriors to calibrate on: held out where X, y are all documents that were learned; else plain ones."""
        documents = read_documents(X).to_list()  # X may be an iterator, which is read once
        if learned is not False and is_same_sample(self.tally_, self._tally_of(documents, y, sample_weight)):
            return self._left_out_posterior(documents, y, sample_weight)
        if learned is True:
            raise InputError("learned=True needs the documents that were learned, all of them, with their weights.")
        return plain_posterior(self, documents)

    def known_tokens(self, X: Any) -> Ints:
        """Count the known tokens of each document; where there are none, the posterior is the prior.

        Parameters
        ----------
        X : collection of str or bytes
            The documents: a list, a Series, an array or an Arrow column.

        Returns
        -------
        counts : array of shape (n_samples,)
        """
        return self._current().model.score(read_documents(X))[1].astype(np.int64)

    # As a distribution of documents --------------------------------------------------------------------------------

    def _free_parameters(self) -> int:
        """One for each token and class; one fewer a class where the probabilities of the tokens sum to 1."""
        fitted = self._current()
        tokens = int(fitted.model.bag.size)
        return len(fitted.classes) * (tokens if fitted.settings.event == "bernoulli" else max(tokens - 1, 0))

    def _joint(self, data: Documents) -> Floats:
        """log P(document, class), without a temperature and without normalization by length."""
        fitted = self._current()
        check_event(fitted.settings.event)
        model = replace(fitted.model, power=0.0)  # likelihoods to a power are no distribution
        return fitted.prior + by_blocks(data, len(fitted.classes), lambda documents: model.score(documents)[0])

    def sample(self, n: int, *, n_tokens: Any = None, random_state: RandomState = None) -> tuple[list[str], AnyArray]:
        """Draw documents with their classes: a class by the priors, then the tokens given the class.

        Parameters
        ----------
        n : the number of documents
        n_tokens : for ``event="multinomial"``, the number of tokens of each document, of which the model says nothing:
            a number, or one for each document; by default the mean of the learned documents, rounded
        random_state : an int, a Generator or None; the same int gives the same documents

        Returns
        -------
        X : the documents: their tokens, joined by spaces
        y : the labels

        Examples
        --------
        >>> from deciban import TextNB
        >>> model = TextNB("multinomial").fit(["free prize now", "lunch at noon"], ["spam", "ham"])
        >>> documents, labels = model.sample(2, n_tokens=4, random_state=0)
        >>> [len(document.split()) for document in documents]
        [4, 4]
        """
        fitted = self._current()
        check_event(fitted.settings.event)
        rows, rng = read_count(n, "n", 0), np.random.default_rng(read_seed(random_state))
        y = draw_classes(fitted.prior, rows, rng)
        return draw_documents(fitted.model, y, n_tokens, rng), labels_of(y, fitted.classes)

    def term_probabilities(self, terms: Sequence[str] | None = None, *, n: int | None = None) -> TermProbabilities:
        """P(token | class), as a table with a row for each token and a column for each class.

        The probabilities of a class sum to 1 over the vocabulary; with ``event="bernoulli"`` each is the probability
        that a document contains the token. They are those of the model, without a temperature.

        Parameters
        ----------
        terms : tokens; all of the vocabulary when None
        n : of these, only the n with the largest P(token) = Σ_j P(j)·P(token | j), the largest first

        Examples
        --------
        >>> from deciban import TextNB
        >>> model = TextNB("multinomial", smoothing=1.0).fit(
        ...     ["free prize", "lunch at noon"], ["spam", "ham"]
        ... )
        >>> print(model.term_probabilities(["free", "noon"]))
        term     ham    spam
        free  0.1250  0.2857
        noon  0.2500  0.1429
        """
        fitted = self._current()
        event = fitted.settings.event
        if event in ("complement", "twcnb"):
            raise ParameterError(f'event="{event}" has probabilities of the other classes, not of each class.')
        if fitted.model.bag.vocabulary is None:
            raise ParameterError("hashed tokens have no names: fit without n_bits to get their probabilities.")
        probabilities = token_probabilities(fitted.model)
        return chosen_terms(fitted.vocabulary, probabilities, fitted.classes, fitted.prior, terms, n)

    # Explaining ----------------------------------------------------------------------------------------------------

    def explain(self, document: Any, against: object = None) -> DocumentExplanation:  # type: ignore[override]
        """Show the weight of each token for the predicted class against another.

        The weights, all divided by the document's temperature, sum to the log-odds, before any calibration.
        "complement" and "twcnb" ignore the prior.

        Parameters
        ----------
        document : str or bytes
            One document.
        against : a class, optional
            The class to compare with; the second best when None.

        Returns
        -------
        DocumentExplanation
            The weights in decibans; a notebook colours the tokens of the document.

        Examples
        --------
        >>> from deciban import TextNB
        >>> model = TextNB(smoothing=1, temperature=None).fit(
        ...     ["free prize", "lunch at noon"], ["spam", "ham"]
        ... )
        >>> [
        ...     (reason.token, round(reason.weight_db, 1))
        ...     for reason in model.explain("free lunch, free prize").reasons
        ... ]
        [('free', 3.6), ('prize', 3.6), ('lunch', -2.4)]
        """
        data = read_document(document, "explain")
        likelihood, known = self._current().scored(data)
        # The class is that of `predict`: with a loss or a rejection it need not be the most probable one.
        code = int(self._codes(likelihood, known)[0])
        model, case = self._case(data)
        return explain_document(model, case, None if code == NO_DECISION else plain(case.classes[code]), against)

    def _case(self, data: Documents) -> tuple[TextModel, DocumentCase]:
        """The scores and one document, to be explained."""
        fitted = self._current()
        likelihood, known = fitted.scored(data)
        ignored = fitted.ignored_priors(known)[0]
        prior = fitted.prior - ignored if fitted.settings.decider.rule == "map" else np.zeros_like(ignored)
        heat = float(fitted.temperatures(known)[0])
        scale = float(fitted.model.length_factor(known)[0]) / heat
        case = DocumentCase(data.texts[0], fitted.classes, prior / heat, (likelihood[0] + ignored) / heat, scale)
        return fitted.model, case

    def top_tokens(self, label: object, against: object = None, *, n: int = 10) -> TopTokens:
        """List the tokens with the largest weights for a class against another.

        Parameters
        ----------
        label : a class
            The class that the weights are for.
        against : a class, optional
            The class to compare with. When None, it is the other of two classes; with more classes, all others
            together: the mixture of their token probabilities by the classes' priors.
        n : int
            The number of tokens.

        Returns
        -------
        TopTokens
            Tokens and weights in decibans, the largest first; it prints as a table.

        Examples
        --------
        >>> from deciban import TextNB
        >>> model = TextNB(smoothing=1).fit(
        ...     ["free prize", "free lunch", "lunch at noon"], ["spam", "spam", "ham"]
        ... )
        >>> print(model.top_tokens("spam", n=2))
        decibans for spam against ham
        free   +4.26
        prize  +2.50
        """
        fitted = self._current()
        return top_tokens(fitted.model, fitted.classes, label, against, n, fitted.prior)

    def token_weights(self, document: Any, label: object, *, against: object) -> list[tuple[str, int, float]]:
        """List the weight of each known token of a document for a class against another.

        With temperature=None and length="none" they sum to the log-odds that the document adds to those of the priors;
        for "bernoulli", the weight of absent tokens has to be added.

        Parameters
        ----------
        document : str or bytes
            One document.
        label, against : a class
            The two classes.

        Returns
        -------
        weights : list of tuples
            Token, how often it counts, and its weight in decibans; the largest absolute weight first.
        """
        fitted = self._current()
        indices = (class_index(name, fitted.classes) for name in (label, against))
        return document_weights(fitted.model, read_document(document, "token_weights").texts[0], *indices)
