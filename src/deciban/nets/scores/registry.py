"""The scores by name. A new score is one file and one line here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from deciban.choices import check_choice
from deciban.errors import ParameterError
from deciban.nets.scores.discrete import BIC, K2, BDeu
from deciban.nets.scores.gaussian import GaussianBIC
from deciban.nets.scores.protocol import Score

__all__ = ["AUTO", "SCORES", "ScoreName", "read_score"]

ScoreName = Literal["auto", "bic", "bdeu", "k2", "gaussian_bic"]

SCORES: dict[str, Callable[[], Score]] = {"bic": BIC, "bdeu": BDeu, "k2": K2, "gaussian_bic": GaussianBIC}
"""The scores that ``search`` finds by name: name → a function that makes the score."""

AUTO = {"categories": "bic", "numbers": "gaussian_bic"}
"""The score that "auto" stands for, by what the columns hold."""


def read_score(score: Any) -> tuple[Score, str] | None:
    """A score by its name, or as it is, and how a result calls it; None for "auto"."""
    if isinstance(score, str):
        check_choice("score", score, ("auto", *SCORES), other=", or a score such as BDeu(1)")
        return None if score == "auto" else (SCORES[score](), score)
    made = score() if isinstance(score, type) else score
    if not isinstance(made, Score):
        raise ParameterError(
            f"score is one of {', '.join(map(repr, ('auto', *SCORES)))}, or an object with the attribute reads and the "
            f"method on(data), such as BDeu(1); not {score!r}."
        )
    has_repr = type(made).__repr__ is not object.__repr__
    return made, repr(made) if has_repr else type(made).__name__
