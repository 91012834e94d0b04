"""The what-if panel: the model's tables, from which the page computes posteriors by itself."""

from __future__ import annotations

from typing import Any

from deciban.errors import ParameterError
from deciban.models.assess import explain_rows
from deciban.models.export.plain_form import plain_form, plain_rows
from deciban.reports.classifiers.facts import Facts
from deciban.reports.markup import note, text
from deciban.reports.page import Section

__all__ = ["what_if"]

_TITLE = "What if"
_MOST_FIELDS = 80
_MOST_NUMBERS = 60_000
_PANEL = (
    '<div class="what-if" id="what-if" hidden></div>'
    '<noscript><p class="note">This panel computes in the page, which needs scripts; they are off. Everything else on '
    "the page is readable without them.</p></noscript>"
)


def what_if(facts: Facts) -> tuple[Section, dict[str, Any]]:
    """The section, and the data for the script of the page: nothing where the model has no panel."""
    lead = (
        "Change a value, and see the weights of evidence and the probabilities move. Everything is computed in this "
        "page, from the tables of the model as it is; nothing is sent anywhere."
    )
    try:
        held = _held(facts)
    except ParameterError as error:
        said = f"There is no panel for this model: {text(error, 300)}"
        return Section(_TITLE, note(said), key="what-if-section"), {}
    return Section(_TITLE, _PANEL, lead, key="what-if-section"), {"what-if-model": held}


def _held(facts: Facts) -> dict[str, Any]:
    """The model in plain form, and rows to start from."""
    form = plain_form(facts.model)
    if len(form["columns"]) > _MOST_FIELDS:
        raise ParameterError(f"{len(form['columns'])} columns are too many to be changed one by one.")
    if _numbers(form) > _MOST_NUMBERS:
        raise ParameterError(f"its tables hold {_numbers(form):,} numbers, which are too many for a page.")
    explained = explain_rows(facts.model, facts.X, facts.chosen_rows)
    values = [{reason.name: reason.value for reason in explanation.reasons} for explanation in explained]
    starts = zip(facts.chosen_rows, facts.chosen, plain_rows(facts.model, values), strict=True)
    rows = [{"name": f"row {row} ({chosen.why})", "values": held} for row, chosen, held in starts]
    return {"model": form, "rows": rows}


def _numbers(held: Any) -> int:
    """How many numbers a plain value holds."""
    if isinstance(held, dict):
        return sum(map(_numbers, held.values()))
    return sum(map(_numbers, held)) if isinstance(held, list) else 1
