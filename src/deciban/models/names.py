"""Column names: data must have the names that the model was fitted with, in the same order."""

from __future__ import annotations

from deciban.errors import ColumnMismatchError
from deciban.notices import warn_user

__all__ = ["check_names"]

Names = tuple[str, ...] | None

_MOST_SHOWN = 5


def check_names(owner: str, known: Names, given: Names) -> None:
    """Compare the names of a model with those of its input; warn where only one of them has names."""
    if known == given:
        return
    if known is None:
        warn_user(f"X has feature names, but {owner} was fitted without feature names")
    elif given is None:
        warn_user(f"X does not have valid feature names, but {owner} was fitted with feature names")
    else:
        raise ColumnMismatchError(_difference(known, given))


def _difference(known: tuple[str, ...], given: tuple[str, ...]) -> str:
    message = "The feature names should match those that were passed during fit.\n"
    unexpected, missing = sorted(set(given) - set(known)), sorted(set(known) - set(given))
    if unexpected:
        message += "Feature names unseen at fit time:\n" + _listed(unexpected)
    if missing:
        message += "Feature names seen at fit time, yet now missing:\n" + _listed(missing)
    if not unexpected and not missing:
        message += "Feature names must be in the same order as they were in fit.\n"
    return message


def _listed(names: list[str]) -> str:
    lines = [f"- {name}\n" for name in names[:_MOST_SHOWN]]
    return "".join(lines) + ("- ...\n" if len(names) > _MOST_SHOWN else "")
