"""What a combination of models stores of the data and of its comparison."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from html import escape

from deciban.models.form import Form
from deciban.storable import storable

__all__ = ["AutoForm", "Candidate", "Comparison"]


@storable
@dataclass(frozen=True)
class Candidate:
    """One model: its scores on rows that it had not learned, and its weight in the combination."""

    name: str
    log_loss: float
    accuracy: float
    weight: float


@storable
@dataclass(frozen=True)
class Comparison:
    """The models that were compared, and how; it shows itself as a table.

    Attributes
    ----------
    candidates : the models
    log_loss, accuracy : the scores of the combination, on the same rows
    how : how the rows were left out
    rows : how many rows were scored
    """

    candidates: tuple[Candidate, ...]
    log_loss: float
    accuracy: float
    how: str
    rows: int

    def __repr__(self) -> str:
        rows = [("model", "weight", "log loss", "accuracy"), *self._rows()]
        widths = [max(len(row[i]) for row in rows) for i in range(4)]
        lines = [
            "  ".join(
                f"{cell:<{w}}" if i == 0 else f"{cell:>{w}}"
                for i, (cell, w) in enumerate(zip(row, widths, strict=True))
            )
            for row in rows
        ]
        return "\n".join([*lines, "", self._reason()])

    def _repr_html_(self) -> str:
        head = "<tr><th>model</th><th>weight</th><th>log loss</th><th>accuracy</th></tr>"
        body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in self._rows())
        return f"<table>{head}{body}</table><p>{escape(self._reason())}</p>"

    def _rows(self) -> list[tuple[str, str, str, str]]:
        rows = [(c.name, f"{c.weight:.2f}", f"{c.log_loss:.4f}", f"{c.accuracy:.4f}") for c in self.candidates]
        return [*rows, ("combination", "", f"{self.log_loss:.4f}", f"{self.accuracy:.4f}")]

    def _reason(self) -> str:
        used = [c.name for c in self.candidates if c.weight > 0]
        scored = f"Scored on {self.rows:,} rows, {self.how}."
        if not used:
            return f"{scored} No model is better than the class priors alone."
        what = f"only {used[0]} is used" if len(used) == 1 else f"the evidence of {' and '.join(used)} is added"
        return f"{scored} By the log loss of the combination, {what}."


@dataclass(frozen=True)
class AutoForm(Form):
    """The form of the data, the forms of the models, and their comparison."""

    models: tuple[str, ...] = ()
    forms: tuple[Form, ...] = ()
    comparison: Comparison | None = None

    def merged(self, other: Form) -> AutoForm:
        plain = super().merged(other)
        both = replace(self, **{field.name: getattr(plain, field.name) for field in fields(Form)})
        if not isinstance(other, AutoForm):
            return both
        return replace(both, forms=tuple(a.merged(b) for a, b in zip(self.forms, other.forms, strict=True)))
