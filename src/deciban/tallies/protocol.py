"""What every tally can do, whatever it counts.

`Tally` counts columns within classes (tables and documents), `FamilyTally` the families of a discrete net,
`GaussianTally` the moments of the families of a linear Gaussian net. All are frozen values that form a group:

    (a + b) − b = a,    a.scaled(v).scaled(w) = a.scaled(v·w),    (a + b).marginal(n) = a.marginal(n) + b.marginal(n)

``sum(tallies)`` adds many. So streaming, merging, unlearning and ageing are the same operations everywhere.
``db.save`` and ``db.load`` take them.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Protocol, Self, runtime_checkable

__all__ = ["SampleTally"]


@runtime_checkable
class SampleTally(Protocol):
    """The sufficient statistics of a sample."""

    @property
    def names(self) -> tuple[Hashable, ...]:
        """The names of the columns or nodes."""

    @property
    def total(self) -> float | int:
        """The number of rows, or their weight."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing was counted."""

    def __add__(self, other: Self, /) -> Self: ...
    def __radd__(self, other: int, /) -> Self:
        """``0 + tally``, the first step of ``sum(tallies)``."""

    def __sub__(self, other: Self, /) -> Self: ...
    def __eq__(self, other: object, /) -> bool: ...
    def scaled(self, factor: float) -> Self:
        """Weigh the whole sample by `factor` ≥ 0, as when it ages."""

    def marginal(self, *names: Hashable) -> Self:
        """The tally of some columns or nodes only."""

    def _repr_html_(self) -> str: ...
