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
(`deciban.estimate.numeric`) and defines `estimate`; the other methods have defaults.

A distribution without states refuses to be coded for such models (`TAN`, `AODE`, `KDB`, `BayesNetClassifier`), and
names what the column can be instead.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, Literal, NoReturn, Self

import numpy as np

from deciban import _core
from deciban.choices import did_you_mean
from deciban.errors import ParameterError
from deciban.estimate.drawing import Drawn
from deciban.estimate.likelihood import Likelihood, StateLogs
from deciban.estimate.live import LiveColumn, LiveRows, Setting
from deciban.estimate.values import Example
from deciban.read import Column, Variable
from deciban.tallies import Part, Sample, raise_fault
from deciban.types import AnyArray, Codes, Floats, Singles

__all__ = ["ColumnDistribution", "Margins", "Missing"]


Missing = Literal["skip", "error", "state"]

# The rows of `add_margins` are subtracted in so many parts: one refit for each row would take too long.
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
    reads_numbers: ClassVar[bool] = False
    """True where the values are numbers, so that text in later rows is the number that it spells."""
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
        """Fill in what is None: `missing`, and those of the defaults that are fields here (`smoothing`, `unseen`).

        Parameters
        ----------
        missing : str
            The model's setting.
        **defaults
            The model's other settings.

        Returns
        -------
        distribution : one of the same class
        """
        settings = {"missing": missing if missing in self.missing_options() else "skip", **defaults}
        unset = {field.name for field in fields(self) if getattr(self, field.name) is None}
        return replace(self, **{name: value for name, value in settings.items() if name in unset})

    def planned(self, column: Column) -> tuple[Self, str]:
        """Decide what follows from the first rows.

        Parameters
        ----------
        column : Column
            The first rows.

        Returns
        -------
        distribution, note : one of the same class, and a note for the schema
        """
        return self, ""

    def counted(self, part: Any) -> Self:
        """Adopt what the part of a tally shows of the distribution.

        Parameters
        ----------
        part : `part_type`
            The part of a tally.

        Returns
        -------
        distribution : one of the same class
        """
        return self

    # Counting ------------------------------------------------------------------------------------------------------

    @abstractmethod
    def count(self, column: Column, sample: Sample, owner: str) -> Part:
        """Count a column.

        Parameters
        ----------
        column : Column
            The values.
        sample : Sample
            The classes and weights of the rows.
        owner : str
            The name of the model, for errors.

        Returns
        -------
        part : `part_type`
            What a tally keeps of the column.
        """

    def check(self, column: Column, owner: str) -> None:
        """Refuse a column whose missing values are an error.

        Parameters
        ----------
        column : Column
            The values.
        owner : str
            The name of the model, for errors.
        """
        if self.missing == "error" and column.has_missing:
            raise_fault(("missing", column.first_missing(), 0), owner, (column.name,))

    def as_learned(self, column: Column, variable: Variable | None) -> Column:
        """Read a column of later rows in the type that the column had in fit, where the two differ.

        Text that spells a number is that number in a column of numbers, for example. By default the column stays as it
        is.

        Parameters
        ----------
        column : Column
            The values.
        variable : Variable, optional
            The labels that were counted; None where none are known.

        Returns
        -------
        Column
        """
        return column

    def live(self, part: Any, setting: Setting) -> LiveColumn:
        """Make a counter that continues from the part of a tally, one value at a time.

        Parameters
        ----------
        part : `part_type`
            What has been counted.
        setting : Setting
            The classes and settings of the model.

        Returns
        -------
        LiveColumn
        """
        return LiveRows(self, part, setting)

    @classmethod
    def of_part(cls, part: object) -> ColumnDistribution | None:  # noqa: ARG003
        """Make the distribution of a column of which only the tally is known; None where another one is usual.

        Parameters
        ----------
        part : any part
            The part of a tally.

        Returns
        -------
        distribution : ColumnDistribution or None
        """
        return None

    def check_part(self, part: Any) -> None:
        """Refuse the part of a tally that does not hold what `estimate` needs.

        Parameters
        ----------
        part : any part
            The part of a tally.
        """
        if not isinstance(part, self.part_type):
            kept, needed = type(part).__name__, self.part_type.__name__
            raise ParameterError(
                f"column {part.names[0]!r} cannot be {type(self).__name__}: the tally holds {kept} of it, not {needed}."
            )

    # Estimating ----------------------------------------------------------------------------------------------------

    @abstractmethod
    def estimate(self, parts: Sequence[Any]) -> Likelihood:
        """Estimate the likelihood of all columns that have this distribution.

        Parameters
        ----------
        parts : sequence of `part_type`
            The parts of a tally, one for each column.

        Returns
        -------
        Likelihood
            It computes log P(value | class).
        """

    def n_parameters(self, parts: Sequence[Any]) -> int:
        """Count the free parameters of all columns that have this distribution, in all classes.

        Parameters
        ----------
        parts : sequence of `part_type`
            The parts of a tally, one for each column.

        Returns
        -------
        count : int
        """
        raise ParameterError(
            f"column {parts[0].names[0]!r}: {type(self).__name__} has no number of free parameters. Define its method "
            "n_parameters(parts)."
        )

    @property
    def why_no_probability(self) -> str:
        """Why its likelihoods are not probabilities or densities of the values; empty where they are."""
        return ""

    def leave_one_out(self, parts: Sequence[Any], columns: Sequence[Column], y: Codes, sample_weight: Floats) -> Floats:
        """Compute log P(value | class) of rows that were counted, as if each had not been.

        This default subtracts each row from the tally and estimates again. It is exact, and slow: override it where a
        formula is known.

        Parameters
        ----------
        parts : sequence of `part_type`
            The parts of a tally, one for each column.
        columns : sequence of Column
            The values of the rows; a missing value has 0.
        y : array of int
            The classes of the rows.
        sample_weight : array
            Their weights in the tally.

        Returns
        -------
        logs : array of rows × columns × classes
        """
        classes = parts[0].classes
        names = Variable("y", np.arange(classes), classes)
        logs = self.estimate(parts).columns(columns)
        for row in np.flatnonzero(sample_weight > 0).tolist():
            at, own = np.array([row]), None if sample_weight[row] == 1 else sample_weight[row : row + 1]
            sample = Sample(names, y[at], np.bincount(y[at], own, classes), own)
            single = [column.take(at) for column in columns]
            logs[row] = self._estimate_without(parts, single, sample).columns(single)[0]
        return logs

    def add_margins(
        self, likelihood: Any, parts: Sequence[Any], columns: Sequence[Column], margins: Margins, at: Sequence[int]
    ) -> None:
        """Add the leave-one-out evidence of some of the counted rows to `margins`.

        A formula may keep what was chosen from all rows, such as cuts. This default subtracts a tenth of the given rows
        at a time and estimates again.

        Parameters
        ----------
        likelihood : Likelihood
            What `estimate` returned for the parts.
        parts : sequence of `part_type`
            The parts of a tally, one for each column.
        columns : sequence of Column
            The values of the rows.
        margins : Margins
            What the evidence is added to.
        at : sequence of int
            The columns of `margins`.
        """
        classes = parts[0].classes
        names, logs = Variable("y", np.arange(classes), classes), np.empty((len(margins), len(columns), classes))
        for first in range(min(_FOLDS, len(margins))):
            # Every tenth row, not a tenth in a row: tables are often sorted.
            rows = np.arange(first, len(margins), _FOLDS)
            y, own, some = margins.y[rows], margins.own[rows], [column.take(rows) for column in columns]
            weights = None if (own == 1.0).all() else own  # without weights, counts stay integers and exact
            sample = Sample(names, y, np.bincount(y, weights, classes), weights)
            logs[rows] = self._estimate_without(parts, some, sample).columns(some)
        for i, index in enumerate(at):
            margins.add_logs(index, logs[:, i])

    def _estimate_without(self, parts: Sequence[Part], columns: Sequence[Column], sample: Sample) -> Likelihood:
        """What is estimated without some of the counted rows."""
        owner = type(self).__name__
        return self.estimate([part - self.count(c, sample, owner) for part, c in zip(parts, columns, strict=True)])

    def left_out(self, column: Column, sample: Sample) -> Floats:
        """Compute log P(value | class) of the rows of a sample, none of weight 0, each from other rows.

        Distributions of a column are compared by this. By default it is leave-one-out; a distribution that looks at the
        classes when it adapts to the column must leave a row out of that, too.

        Parameters
        ----------
        column : Column
            The values.
        sample : Sample
            The classes and weights of the rows.

        Returns
        -------
        logs : array of rows × classes
        """
        weights = np.ones(len(column)) if sample.weights is None else sample.weights
        part = self.count(column, sample, type(self).__name__)
        return self.leave_one_out([part], [column], sample.codes, weights)[:, 0]

    # Measuring and showing -----------------------------------------------------------------------------------------

    def contingency(self, part: Any) -> AnyArray | None:
        """List class × state counts, where the column has states; None for a density.

        Parameters
        ----------
        part : `part_type`
            The part of a tally.

        Returns
        -------
        counts : array or None
        """
        return None

    def information(self, part: Any) -> float:
        """Compute the mutual information of the column and the class, where there is no `contingency` table.

        Parameters
        ----------
        part : `part_type`
            The part of a tally.

        Returns
        -------
        information : float
            In nats.
        """
        raise ParameterError(
            f"column {part.names[0]!r}: {type(self).__name__} has no measure of its information about the "
            "class. Define its method information(part)."
        )

    def examples(self, part: Any) -> list[Example]:
        """List values for the axis of a nomogram; none where single values are not shown.

        Parameters
        ----------
        part : `part_type`
            The part of a tally.

        Returns
        -------
        examples : list of Example
        """
        return []

    # Coding ---------------------------------------------------------------------------------------------------------

    def discretized(self) -> ColumnDistribution:
        """Return what replaces it in a model that counts combinations of values, where it was chosen automatically."""
        return self

    def with_fixed_states(self, column: Column, sample: Sample) -> tuple[ColumnDistribution, str]:
        """Find the states that a model counts in combinations.

        Parameters
        ----------
        column : Column
            The values of the first rows.
        sample : Sample
            The classes and weights of the rows.

        Returns
        -------
        distribution, note : the distribution with these states, and a note on how they were found
        """
        self._refuse_codes(column.name)

    def variable(self, column: Column) -> Variable:
        """List the states of a column, of a distribution that `with_fixed_states` returned.

        Parameters
        ----------
        column : Column
            The values.

        Returns
        -------
        Variable
        """
        self._refuse_codes(column.name)

    def codes(self, column: Column, variable: Variable, owner: str) -> Codes:
        """Find the state of each row.

        Parameters
        ----------
        column : Column
            The values.
        variable : Variable
            The states.
        owner : str
            The name of the model, for errors.

        Returns
        -------
        codes : array of int
            −1 where the value is missing, the number of states where it is not in `variable`.
        """
        self._refuse_codes(column.name)

    def draw_values(self, codes: Codes, variable: Variable, rng: np.random.Generator) -> Drawn:
        """Draw values that have the given states, of a column whose states were drawn.

        Parameters
        ----------
        codes : array of int
            The states; −1 is missing.
        variable : Variable
            The states of the column.
        rng : Generator
            What the values are drawn with.

        Returns
        -------
        Drawn
        """
        self._refuse_codes(variable.name)

    def states(self, variable: Variable, classes: int) -> StateLogs | None:
        """Describe how values become states, with log-probabilities of 0; None where the column is left out.

        Parameters
        ----------
        variable : Variable
            The states.
        classes : int
            The number of classes.

        Returns
        -------
        StateLogs or None
        """
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


class Margins:
    """The evidence of columns against the true classes of counted rows, as if these rows had not been counted.

        m_rji = log P'(x_ri | j) − log P'(x_ri | y_r),   P' estimated without row r

    The log-odds of another class j against the row's own class y_r are the prior's margin plus the sum of those of the
    columns. They are what the weights of columns are learned from (`deciban.models.leave_one_out`): on the counts
    with the row in them, a column that identifies rows would look perfect; without the row, it is no evidence.

    The table is blocks × other classes × columns × rows of a block, 0 until margins are added. Infinite margins are
    ±700, and 0 where a value is impossible in both classes.

    Parameters
    ----------
    y : the class of each row
    own : the weight of each row that is left out of the counts
    classes, columns : how many there are
    """

    def __init__(self, y: Codes, own: Floats, classes: int, columns: int) -> None:
        self.y, self.own, self.classes = y, own, classes
        blocks = -(-len(y) // _core.MARGIN_ROWS)  # rounded up
        # Single precision halves what `loss` reads at every step of the search for weights.
        self.table: Singles = np.zeros((blocks, classes - 1, columns, _core.MARGIN_ROWS), dtype=np.float32)

    def __len__(self) -> int:
        return len(self.y)

    def add_logs(self, column: int, logs: Floats) -> None:
        """Add the margins of log P'(x | class), rows × classes."""
        _core.add_log_margins(np.ascontiguousarray(logs), self.y, self.own, column, self.table)

    def add_counts(
        self,
        column: int,
        codes: Codes,
        counts: AnyArray,
        pseudo: Floats,
        *,
        added: float | None = None,
        added_alone: float = np.nan,
    ) -> None:
        """Add the margins of states: (n_jv + a_v) / (n_j + Σ a); a code of −1 is missing, and adds nothing.

        Parameters
        ----------
        codes : the state of each row
        counts : class × state
        pseudo, added : the pseudo-counts of the states, and their sum where some states are not listed
        added_alone : the sum of pseudo-counts where no other row has the state, which is then an unseen one; negative
            where unseen states are no evidence; NaN where the states are given, so that none is unseen
        """
        table = np.ascontiguousarray(counts, dtype=np.float64)
        whole = float(pseudo.sum()) if added is None else added
        _core.add_count_margins(codes, table, pseudo, whole, added_alone, self.y, self.own, column, self.table)

    def add_normal(
        self, column: int, x: Floats, moments: Floats, *, strength: float, middle: float, least_variance: float
    ) -> None:
        """Add the margins of a normal column; a NaN is missing, and adds nothing.

        Parameters
        ----------
        moments : weight, sum of squared deviations, mean and estimated variance, each by class
        strength : how many rows the variance within classes counts for in that of one class; infinite where it is that
            of all classes
        middle : the mean of the column, for a class without other rows
        least_variance : the lower bound of variances; 0 for a constant column
        """
        numbers = np.ascontiguousarray(x, dtype=np.float64)
        rows = self.y, self.own, column, self.table
        _core.add_normal_margins(numbers, moments, strength, middle, least_variance, *rows)

    def loss(
        self, weights: Floats, prior: Margins, importance: Floats, *, with_curvature: bool = False
    ) -> tuple[float, Floats, Floats | None]:
        """−Σ_r importance_r·log P(y_r | x_r) with weighted columns, its gradient, and the diagonal of its Hessian."""
        return _core.weighed_loss(weights, self.table, prior.table, importance, with_curvature)
