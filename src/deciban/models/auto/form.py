"""What a combination of models stores of the data that it was first fitted on."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

from deciban.models.auto.comparison import Comparison
from deciban.models.form import Form

__all__ = ["AutoForm"]


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

    @property
    def weights_of_models(self) -> tuple[float, ...]:
        """The weight of each model; equal ones where nothing was compared."""
        if self.comparison is None:
            return (1.0 / len(self.models),) * len(self.models)
        return tuple(candidate.weight for candidate in self.comparison.candidates)
