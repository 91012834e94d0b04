"""What a distribution of a column is. It describes itself: all that a model needs to know of a column is a method.

=============  =======================================================================================================
counting       `part_type`, `count`, `check`; `live` for rows that come one by one
estimating     `estimate`, which gives a `Likelihood`; `leave_one_out`; `add_margins`, for learned weights;
               `n_parameters`, for the number of free parameters of a model
choosing       `left_out`, by which distributions are compared
measuring      `contingency` or `information`, for `associations`, ``weights="mi"`` and `select`
showing        `examples`, the values on the axes of a nomogram
coding         `discretized`, `with_fixed_states`, `variable`, `codes`, `draw_values`, for models that count
               combinations of values
storing        the fields of the dataclass, once it is registered with ``@storable``
=============  =======================================================================================================

A distribution is a frozen value that users write, ``Gaussian(tie="class")``. The columns of a table that have equal
distributions are estimated together, because variances may be tied over columns, and scored together. A new
distribution defines `part_type`, `count` and `estimate`, or begins with `MomentsDistribution` or `SketchDistribution`
(`deciban.estimate.columns.numeric`) and defines `estimate`; the other methods have defaults.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, Literal, NoReturn, Self

import numpy as np

from deciban.errors import ParameterError
from deciban.estimate.columns.examples import Example
from deciban.estimate.columns.formulas import StateLogs
from deciban.estimate.columns.likelihood import Likelihood
from deciban.estimate.columns.margins import Margins
from deciban.estimate.live.base import LiveColumn, LiveRows, Setting
from deciban.read import Column, Variable
from deciban.read.drawn import Drawn
from deciban.suggest import did_you_mean
from deciban.tallies import Sample, raise_fault
from deciban.types import AnyArray, Codes, Floats

__all__ = ["ColumnDistribution", "Missing"]

Missing = Literal["skip", "error", "state"]

_FOLDS = 10


@dataclass(frozen=True, kw_only=True)
class ColumnDistribution(ABC):
    """The distribution of a column within each class: the base of `Gaussian`, `Categorical` and all others.

    A new distribution is a frozen dataclass, registered with ``@storable``, that defines `part_type`, `count` and
    `estimate`; the other methods have defaults.

    Parameters
    ----------
    missing : {"skip", "error", "state"}, optional
        What a missing value is: no evidence, an error, or evidence of its own. The model's setting when None.

    Examples
    --------
    >>> from deciban import Gaussian
    >>> isinstance(Gaussian(), ColumnDistribution)
    True
    """

    missing: Missing | None = None

    part_type: ClassVar[type]
    """What a tally keeps of such a column: `Counts`, `Moments`, `Sketch`, …"""
    is_ignored: ClassVar[bool] = False
    """True where the column is left out of the model."""
    values_repeat: ClassVar[bool] = True
    """False where most values are expected to be distinct, so that a column of distinct values is no identifier."""
    has_fixed_bins: ClassVar[bool] = False
    """True where the states are bins with given ends."""

    def __post_init__(self) -> None:
        options = self.missing_options()
        if self.missing not in (None, *options):
            raise ParameterError(
                f"missing of a {type(self).__name__} column is one of {', '.join(map(repr, options))}, not "
                f"{self.missing!r}.{did_you_mean(self.missing, options)}"
            )

    @classmethod
    def missing_options(cls) -> tuple[Missing, ...]:
        """The values that `missing` may have."""
        return "skip", "error", "state"

    @property
    def counts_missing(self) -> bool:
        """True where missing values are counted beside the distribution of the known ones."""
        return self.missing == "state"

    def settled(self, *, missing: str, **defaults: Any) -> Self:
        """Fill in what is None: `missing`, and those of the defaults that are fields here (`smoothing`, `unseen`)."""
        given = {"missing": missing if missing in self.missing_options() else "skip", **defaults}
        unset = {field.name for field in fields(self) if getattr(self, field.name) is None}
        return replace(self, **{name: value for name, value in given.items() if name in unset})

    def planned(self, column: Column) -> tuple[Self, str]:  # noqa: ARG002
        """The distribution with what the first rows decide, and a note for the schema."""
        return self, ""

    def counted(self, part: Any) -> Self:  # noqa: ARG002
        """The distribution with what the part of a tally shows of it."""
        return self

    # Counting ------------------------------------------------------------------------------------------------------

    @abstractmethod
    def count(self, column: Column, sample: Sample, owner: str) -> Any:
        """Count a column: a `part_type` for the tally. `owner` is the model that an error names."""

    def check(self, column: Column, owner: str) -> None:
        """Refuse a column whose missing values are an error."""
        if self.missing == "error" and column.has_missing:
            raise_fault(("missing", column.first_missing(), 0), owner, (column.name,))

    def live(self, part: Any, setting: Setting) -> LiveColumn:
        """A counter that continues from `part`, one value at a time."""
        return LiveRows(self, part, setting)

    @classmethod
    def of_part(cls, part: Any) -> ColumnDistribution | None:  # noqa: ARG003
        """The distribution of a column of which only the tally is known; None where another one is usual."""
        return None

    def check_part(self, part: Any) -> None:
        """Refuse the part of a tally that does not hold what `estimate` needs."""
        if not isinstance(part, self.part_type):
            held, needed = type(part).__name__, self.part_type.__name__
            raise ParameterError(
                f"column {part.names[0]!r} cannot be {type(self).__name__}: the tally holds {held} of it, not {needed}."
            )

    # Estimating ----------------------------------------------------------------------------------------------------

    @abstractmethod
    def estimate(self, parts: Sequence[Any]) -> Likelihood:
        """The likelihood of all columns that have this distribution."""

    def n_parameters(self, parts: Sequence[Any]) -> int:
        """The number of free parameters of all columns that have this distribution, in all classes."""
        raise ParameterError(
            f"column {parts[0].names[0]!r}: {type(self).__name__} has no number of free parameters. Define its method "
            "n_parameters(parts)."
        )

    @property
    def why_no_probability(self) -> str:
        """Why its likelihoods are not probabilities or densities of the values; empty where they are."""
        return ""

    def leave_one_out(self, parts: Sequence[Any], columns: Sequence[Column], y: Codes, sample_weight: Floats) -> Floats:
        """log P(value | class) of rows that were counted, as if each had not been: rows × columns × classes.

        `y` are the classes of the rows and `sample_weight` their weights in the tally; a missing value has 0. This
        default subtracts each row from the tally and estimates again. It is exact, and slow: override it where a
        formula is known.
        """
        classes = parts[0].classes
        names = Variable("y", np.arange(classes), classes)
        whole = self.estimate(parts).columns(columns)
        for row in np.flatnonzero(sample_weight > 0).tolist():
            at, own = np.array([row]), None if sample_weight[row] == 1 else sample_weight[row : row + 1]
            sample = Sample(names, y[at], np.bincount(y[at], own, classes), own)
            single = [column.take(at) for column in columns]
            left = [p - self.count(c, sample, type(self).__name__) for p, c in zip(parts, single, strict=True)]
            whole[row] = self.estimate(left).columns(single)[0]
        return whole

    def add_margins(
        self,
        likelihood: Any,  # noqa: ARG002  formulas use it
        parts: Sequence[Any],
        columns: Sequence[Column],
        margins: Margins,
        at: Sequence[int],
    ) -> None:
        """Add the leave-one-out evidence of some of the counted rows to `margins`, in its columns `at`.

        `likelihood` is what `estimate` returned for the parts; a formula may keep what was chosen from all rows, such
        as cuts. This default subtracts a tenth of the given rows at a time and estimates again.
        """
        classes = parts[0].classes
        names, logs = Variable("y", np.arange(classes), classes), np.empty((len(margins), len(columns), classes))
        for first in range(min(_FOLDS, len(margins))):
            rows = np.arange(first, len(margins), _FOLDS)
            y, own, some = margins.y[rows], margins.own[rows], [column.take(rows) for column in columns]
            weights = None if (own == 1.0).all() else own
            sample = Sample(names, y, np.bincount(y, weights, classes), weights)
            left = [p - self.count(c, sample, type(self).__name__) for p, c in zip(parts, some, strict=True)]
            logs[rows] = self.estimate(left).columns(some)
        for i, index in enumerate(at):
            margins.add_logs(index, logs[:, i])

    def left_out(self, column: Column, sample: Sample) -> Floats:
        """log P(value | class) of the rows of a sample, none of weight 0, each from other rows: rows × classes.

        Distributions of a column are compared by this. By default it is leave-one-out; a distribution that looks at
        the classes when it adapts to the column must leave a row out of that, too.
        """
        weights = np.ones(len(column)) if sample.weights is None else sample.weights
        part = self.count(column, sample, type(self).__name__)
        return self.leave_one_out([part], [column], sample.codes, weights)[:, 0]

    # Measuring and showing -----------------------------------------------------------------------------------------

    def contingency(self, part: Any) -> AnyArray | None:  # noqa: ARG002
        """Class × state counts, where the column has states; None for a density."""
        return None

    def information(self, part: Any) -> float:
        """The mutual information of the column and the class, in nats, where there is no `contingency` table."""
        raise ParameterError(
            f"column {part.names[0]!r}: {type(self).__name__} has no measure of its information about the "
            "class. Define its method information(part)."
        )

    def examples(self, part: Any) -> list[Example]:  # noqa: ARG002
        """Values for the axis of a nomogram; none where single values are not shown."""
        return []

    # Coding --------------------------------------------------------------------------------------------------------

    def discretized(self) -> ColumnDistribution:
        """What replaces it in a model that counts combinations of values, where it was chosen automatically."""
        return self

    def with_fixed_states(self, column: Column, sample: Sample) -> tuple[ColumnDistribution, str]:  # noqa: ARG002
        """The distribution whose states a model counts in combinations, and a note on how they were found."""
        self._refuse_codes(column.name)

    def variable(self, column: Column) -> Variable:
        """The states of a column, of a distribution that `with_fixed_states` gave."""
        self._refuse_codes(column.name)

    def codes(self, column: Column, variable: Variable, owner: str) -> Codes:  # noqa: ARG002
        """The state of each row; −1 where it is missing, the number of states for one that is not in `variable`."""
        self._refuse_codes(column.name)

    def draw_values(self, codes: Codes, variable: Variable, rng: np.random.Generator) -> Drawn:  # noqa: ARG002
        """Values that have these states, of a column whose states were drawn; −1 is missing."""
        self._refuse_codes(variable.name)

    def states(self, variable: Variable, classes: int) -> StateLogs | None:  # noqa: ARG002
        """How values become states, with log-probabilities of 0; None where the column is left out."""
        return None

    @property
    def coding(self) -> str:
        """How values become states, in words: models can be merged where this is equal."""
        return f"{type(self).__name__}()"

    def _refuse_codes(self, name: str) -> NoReturn:
        raise ParameterError(
            f"column {name!r} is {type(self).__name__}(), but this model counts combinations of values: a column is "
            "Categorical(), Binned(), Cut() or Ignore()."
        )
