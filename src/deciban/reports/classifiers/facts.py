"""What all sections of a report on a classifier are about: the model, the rows, and the predictions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

import numpy as np

from deciban.decide import ProbabilityScores
from deciban.models.assess import ChosenRow, Origin, Predictions, choose_rows, named_target, predict_honestly
from deciban.read import Target, read_target, split_target, take_rows
from deciban.types import AnyArray, Codes, Floats

__all__ = ["ORIGINS", "Facts", "gather"]

ORIGINS: dict[Origin, str] = {
    "leave-one-out": (
        "These are the rows that the model was fitted on. Each is predicted as if it had not been learned (exact "
        "leave-one-out), so the scores are about those to expect on new rows. What was chosen by means of all rows, "
        "such as cuts of columns and their weights, is kept, which makes them a little too good."
    ),
    "held-out": (
        "These are the documents that the model was fitted on. They are predicted in parts, each by the counts of the "
        "others, so the scores are those to expect on new documents."
    ),
    "learned": (
        "These are the rows that the model was fitted on, and this kind of model has no leave-one-out: the scores are "
        "better than those to expect on new rows. Pass rows that the model has not learned."
    ),
    "other": (
        "These are not the rows that the model was fitted on, as their counts show: they are predicted as new rows. If "
        "the model has learned some of them, or all of them with weights, the scores are better than those to expect."
    ),
    "unknown": (
        "It is not known whether the model was fitted on these rows. If it was, the scores are better than those to "
        "expect on new rows."
    ),
}
"""How the rows were predicted, in a sentence."""


@dataclass(frozen=True, eq=False)
class Facts:
    """The model, the rows without their classes, the classes, the name of their column, and the predictions.

    `codes` are the classes of all rows, `scored` those of the rows that were predicted: of a large table, some.
    """

    model: Any
    X: Any
    y: Any
    target: str | None
    codes: Codes
    predictions: Predictions

    @property
    def labels(self) -> list[Any]:
        return list(self.model.classes_.tolist())

    @property
    def rows(self) -> int:
        return len(self.codes)

    @property
    def scored(self) -> Codes:
        return self.codes[self.predictions.rows]

    @property
    def kind(self) -> str:
        """The name of the model's class."""
        return type(self.model).__name__

    @property
    def probability(self) -> ProbabilityScores:
        """The scores of the posteriors."""
        return cast(ProbabilityScores, self.predictions.scores.probability)

    @cached_property
    def counts(self) -> list[int]:
        """The number of rows of each class."""
        return list(np.bincount(self.codes, minlength=len(self.labels)).tolist())

    @cached_property
    def chosen(self) -> list[ChosenRow]:
        """Ten of the predicted rows to explain, or all of a smaller table; by their index among those."""
        return choose_rows(self.predictions.posterior, self.scored)

    @property
    def chosen_rows(self) -> list[int]:
        """The same, by their index in the table."""
        return [int(self.predictions.rows[chosen.row]) for chosen in self.chosen]

    @cached_property
    def as_it_is(self) -> tuple[Floats, AnyArray]:
        """The posteriors and the decisions of the model as it is for the chosen rows, which it may have learned."""
        rows = take_rows(self.X, np.array(self.chosen_rows))
        return self.model.predict_proba(rows), self.model.predict(rows)

    @property
    def is_left_out(self) -> bool:
        """Whether the rows were learned, and predicted as if they had not been."""
        return self.predictions.origin in ("leave-one-out", "held-out")


def gather(model: Any, X: Any, y: Any) -> Facts:
    """Predict the rows and read their classes."""
    model._check_fitted()
    X, y, named = split_target(X, named_target(model, y))
    predictions = predict_honestly(model, X, y)
    target = read_target(y, len(y))
    code_of = {label: code for code, label in enumerate(model.classes_.tolist())}
    codes = np.array([code_of.get(label, 0) for label in target.classes.labels.tolist()], dtype=np.int32)
    return Facts(model, X, y, named or _name_of_target(model, target), codes[target.codes], predictions)


def _name_of_target(model: Any, target: Target) -> str | None:
    """The name of the column of the classes, as the labels or the model know it."""
    tally = getattr(model, "tally_", None)
    names = (target.classes.name, "y" if tally is None else tally.classes.name)
    return next((name for name in names if name != "y"), None)
