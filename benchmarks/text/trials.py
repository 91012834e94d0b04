"""Text models scored on splits of a corpus, with results that are kept on disk."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, partial
from hashlib import sha256
from typing import Any, NamedTuple

import numpy as np
from sklearn.metrics import f1_score
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from benchmarks.accuracy.scores import Fold, Score, judge
from benchmarks.harness.options import Options
from benchmarks.harness.store import Store
from benchmarks.text.corpora import Split
from benchmarks.text.settings import Setting, Task

__all__ = ["TextScore", "TextTrials", "fingerprint", "open_store"]


class TextScore(NamedTuple):
    """The task's own measure and macro F1, means over the splits; and the score of the probabilities, if any."""

    own: float
    macro_f1: float
    score: Score | None


class TextTrials:
    """One corpus: the same splits for every model."""

    def __init__(self, task: Task, options: Options) -> None:
        self.task, self._store = task, open_store(options)

    def score(self, setting: Setting) -> TextScore:
        """Fit and predict every split, unless the results are there."""
        found = [
            self._store.get(
                self.task.title,
                setting.title,
                {"data": data, "settings": setting.key, "measure": self.task.measure},
                partial(_fit_and_judge, self.task, setting, split),
            )
            for data, split in zip(self._fingerprints, self._splits, strict=True)
        ]
        own, macro_f1, folds = zip(*found, strict=True)
        score = None if folds[0] is None else Score.of_folds(Fold(*fold) for fold in folds)
        return TextScore(float(np.mean(own)), float(np.mean(macro_f1)), score)

    @cached_property
    def _splits(self) -> Sequence[Split]:
        return self.task.read()

    @cached_property
    def _fingerprints(self) -> list[str]:
        return [fingerprint(split) for split in self._splits]


def open_store(options: Options) -> Store:
    """The results of text models."""
    return Store(options.results / "text", options.is_fresh)


def fingerprint(split: Split) -> str:
    """A hash of documents and classes."""
    digest = sha256()
    for part in split:
        for document, label in zip(part.X, part.y.tolist(), strict=True):
            digest.update(f"{document}\0{label}\0".encode(errors="surrogatepass"))
    return digest.hexdigest()[:16]


def _fit_and_judge(task: Task, setting: Setting, split: Split) -> tuple[float, float, Fold | None]:
    """The task's own measure, macro F1, and what is known of the probabilities."""
    train, test = split
    with threadpool_limits(1):
        model: Any = setting.make().fit(*train)
        fold = None
        if hasattr(model, "predict_proba") and getattr(model, "classifier", "logistic") != "svm":
            posterior = np.asarray(model.predict_proba(test.X))
            fold = judge(posterior, model.classes_.tolist(), test.y)
            predicted = model.classes_[posterior.argmax(axis=1)]
        else:
            predicted = model.predict(test.X)
    macro = f1_score(test.y, predicted, average="macro")
    return float(task.score(test.y, predicted)), float(macro), fold
