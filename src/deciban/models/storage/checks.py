"""What must hold of the arrays that a file holds, before anything computes with them.

A checksum shows that a file is undamaged, not that its contents are valid. So every index, offset and shape is checked
once, when a file is read: code that uses the values then never reads outside an array, and never meets a count that is
negative or not a number. `kinds.py` registers each check with its class.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from deciban.decide.calibration import Isotonic, Temperature
from deciban.estimate import ColumnDistribution
from deciban.models.auto.comparison import Candidate, Comparison
from deciban.models.auto.form import AutoForm
from deciban.models.form import Form
from deciban.models.kdb.chains import Chain, ChainForm, Chains, View
from deciban.models.nets.net_form import Families, NetForm
from deciban.models.tables.schema import ColumnPlan, Schema
from deciban.models.text.temperature import TextForm
from deciban.read import Variable
from deciban.tallies import Counts, Crossed, Moments, Part, Sketch, Tally, Terms, WithMissing
from deciban.text import Bag, TokenRules, Vocabulary
from deciban.types import AnyArray

__all__ = [
    "check_bag",
    "check_calibration",
    "check_counts",
    "check_crossed",
    "check_form",
    "check_form_of",
    "check_isotonic",
    "check_learned_temperature",
    "check_moments",
    "check_plans",
    "check_schema",
    "check_sets",
    "check_sketch",
    "check_tally",
    "check_temperature",
    "check_terms",
    "check_text_form",
    "check_variable",
    "check_vocabulary",
    "check_weights",
    "check_with_missing",
]


def check_form_of(form: Any, tally: Any, names: tuple[str, ...]) -> None:
    """The form must fit the columns of the tally."""
    _require(isinstance(form, Form) and isinstance(tally, Tally), "it holds no tally, or no form")
    _require(form.columns == len(names), "its form does not have the tally's columns")
    _require(form.weights is None or len(form.weights) == form.columns, "its columns' weights do not fit")


def check_plans(schema: Any, form: Form) -> None:
    """A model that plans its columns must have a plan for each."""
    _require(isinstance(schema, Schema) and len(schema) == form.columns, "its plans do not fit its columns")


def check_calibration(calibration: Any, classes: int) -> None:
    """A calibration must fit the classes of the model."""
    _require(isinstance(calibration, Isotonic | Temperature), "its calibration is of an unknown kind")
    _require(
        not isinstance(calibration, Isotonic) or len(calibration.points) == classes, "its calibration does not fit"
    )


def check_sets(crossed: Crossed, wanted: AnyArray) -> None:
    """The sets of columns that were counted must be those that the model counts."""
    _require(np.array_equal(crossed.sets, wanted), "it counts other sets of columns than its model")


def check_weights(coefficients: Any, constants: Any, tally: Any) -> None:
    """The weights of a linear classifier must fit the classes and tokens of its tally."""
    is_bag = isinstance(tally, Tally) and len(tally.parts) == 1 and isinstance(tally.parts[0], Bag)
    _require(is_bag and tally.parts[0].vocabulary is not None, "it holds no tally of documents")
    sides = 1 if len(tally.classes) == 2 else len(tally.classes)
    _check_numbers(coefficients, (sides, tally.parts[0].size), "weights", negative=True)
    _check_numbers(constants, (sides,), "constants", negative=True)
    _require(coefficients.dtype == constants.dtype == np.float64, "weights are of another precision")


def _require(holds: bool, message: str) -> None:
    if not holds:
        raise ValueError(message)


def _check_numbers(values: Any, shape: tuple[int | None, ...], what: str, *, negative: bool = False) -> None:
    """An array of finite numbers of this shape, none below 0 unless `negative`."""
    _require(isinstance(values, np.ndarray) and values.dtype.kind in "iuf", f"{what} are not numbers")
    fits = values.ndim == len(shape) and all(n is None or n == m for n, m in zip(shape, values.shape, strict=True))
    _require(fits, f"{what} have the shape {values.shape}")
    _require(bool(np.isfinite(values).all()), f"{what} are not all finite")
    _require(negative or not values.size or bool(values.min() >= 0), f"{what} are negative")


def _check_ends(ends: Any, last: int, what: str) -> None:
    """Ascending from 0 to `last`."""
    is_list = isinstance(ends, np.ndarray) and ends.dtype == np.int64 and ends.ndim == 1 and len(ends) > 0
    _require(is_list and ends[0] == 0 and ends[-1] == last, f"{what} do not fit")
    _require(bool((np.diff(ends) >= 0).all()), f"{what} do not ascend")


def check_variable(variable: Variable) -> None:
    """Labels must be distinct and fit the number of states."""
    labels = variable.labels
    _require(isinstance(variable.name, str) and isinstance(variable.is_coded, bool), "a variable has no name")
    _require(isinstance(labels, np.ndarray) and labels.ndim == 1, "a variable has no list of labels")
    _require(type(variable.size) is int and variable.size >= len(labels), "a variable has more labels than states")
    if variable.is_coded:
        _check_numbers(labels, (None,), "codes")
        _require(not len(labels) or int(labels[-1]) < variable.size, "a code is too large")
    if labels.dtype.kind == "O":
        _require(len(set(labels.tolist())) == len(labels), "a label occurs twice")
    else:
        _require(bool((labels[1:] > labels[:-1]).all()), "labels do not ascend")


def check_vocabulary(vocabulary: Vocabulary) -> None:
    """Offsets must lie within the bytes, and the bytes must be UTF-8."""
    held = vocabulary.bytes
    _require(isinstance(held, np.ndarray) and held.dtype == np.uint8 and held.ndim == 1, "a vocabulary has no bytes")
    _check_ends(vocabulary.offsets, len(held), "a vocabulary's offsets")
    held.tobytes().decode("utf-8", "surrogatepass")
    starts = vocabulary.offsets[:-1][np.diff(vocabulary.offsets) > 0]
    _require(bool(((held[starts] & 0xC0) != 0x80).all()), "a token begins within a character")


def check_bag(bag: Bag) -> None:
    """Token ids and class starts must lie within the tables."""
    _require(isinstance(bag.name, str) and isinstance(bag.rules, TokenRules | None), "a bag has no name or rules")
    _require(type(bag.size) is int and 0 <= bag.size <= 1 << 31, "a bag's size is impossible")
    if bag.vocabulary is None:
        _require(bag.size > 1 and bag.size.bit_count() == 1, "a bag has no vocabulary")
    else:
        _require(
            isinstance(bag.vocabulary, Vocabulary) and len(bag.vocabulary) == bag.size, "a vocabulary does not fit"
        )
    indices = bag.indices
    _require(
        isinstance(indices, np.ndarray) and indices.dtype == np.uint32 and indices.ndim == 1, "tokens are not integers"
    )
    _check_ends(bag.starts, len(indices), "a bag's starts")
    _require(not len(indices) or int(indices.max()) < bag.size, "a token is unknown")
    keys = bag.rows * bag.size + indices.astype(np.int64)
    _require(len(np.unique(keys)) == len(keys), "a token occurs twice in a class")
    for counts in (bag.occurrences, bag.documents):
        _check_numbers(counts, (len(indices),), "counts of tokens")
    _require(isinstance(bag.error, int | float) and bag.error >= 0, "a bag's error is impossible")


def check_counts(counts: Counts) -> None:
    """Counts must fit the states of their variable."""
    _require(isinstance(counts.variable, Variable), "counts have no variable")
    _check_numbers(counts.table, (None, None), "counts")
    _require(counts.table.shape[1] in (len(counts.variable), counts.variable.size), "counts do not fit their states")


def check_crossed(crossed: Crossed) -> None:
    """Sets must name existing columns, and cells must fit the states of these."""
    _require(all(isinstance(counts, Counts) for counts in crossed.counts), "a part holds something that is not counts")
    _check_numbers(crossed.sets, (None, None), "sets of columns", negative=True)
    sets = crossed.sets
    _require((sets.dtype.kind == "i" and not sets.size) or bool(((sets >= -1) & (sets < len(crossed.counts))).all()),
             "a set has a column that does not exist")  # fmt: skip
    _require(
        bool((np.diff((sets < 0).astype(np.int8), axis=1) >= 0).all()), "a set of columns has −1 before its last column"
    )
    sizes = [len(counts.variable) for counts in crossed.counts]
    cells = sum(prod(sizes[c] for c in row if c >= 0) for row in sets.tolist())
    _check_numbers(crossed.cells, (cells, None), "counts of sets")
    _require(all(c.table.shape == (crossed.classes, n) for c, n in zip(crossed.counts, sizes, strict=True)),
             "counts do not fit their classes")  # fmt: skip


def check_moments(moments: Moments) -> None:
    """Weights, means and deviations must fit each other."""
    _check_numbers(moments.mean, (None, None), "means", negative=True)
    classes, columns = moments.mean.shape
    _check_numbers(moments.weight, (classes, None), "weights")
    _require(moments.weight.shape[1] in (1, columns), "weights do not fit their columns")
    held = moments.deviation
    _require(
        isinstance(held, np.ndarray) and held.dtype.kind == "f" and held.shape == moments.mean.shape,
        "deviations do not fit their means",
    )
    _require(not np.isnan(held).any() and not (held < 0).any(), "deviations are negative or not numbers")
    _check_names(moments.given_names, columns)


def check_terms(terms: Terms) -> None:
    """Sums and weights must fit each other."""
    _check_numbers(terms.sums, (None, None), "sums")
    _check_numbers(terms.known, (len(terms.sums), None), "weights")
    _require(terms.known.shape[1] in (1, terms.sums.shape[1]), "weights do not fit their terms")
    _check_names(terms.given_names, terms.sums.shape[1])


def _check_names(names: Any, columns: int) -> None:
    is_list = isinstance(names, tuple) and len(names) == columns and all(isinstance(name, str) for name in names)
    _require(names is None or is_list, "the names do not fit the columns")


def check_sketch(sketch: Sketch) -> None:
    """Values must ascend, with a weight for each class and value."""
    _require(isinstance(sketch.name, str) and isinstance(sketch.is_exact, bool), "a sketch has no name")
    _check_numbers(sketch.values, (None,), "values", negative=True)
    _require(sketch.values.dtype == np.float64 and bool((np.diff(sketch.values) > 0).all()), "values do not ascend")
    _check_numbers(sketch.table, (None, len(sketch.values)), "weights of values")


def check_with_missing(part: WithMissing) -> None:
    """Missing values must be counted for the classes of the column."""
    _require(isinstance(part.part, Part) and not isinstance(part.part, WithMissing), "missing values have no column")
    _check_numbers(part.presence, (part.part.classes, 2), "numbers of missing values")


def check_tally(tally: Tally) -> None:
    """All parts must have the classes of the tally."""
    _require(isinstance(tally.classes, Variable) and len(tally.classes) > 0, "a tally has no classes")
    is_list = isinstance(tally.parts, tuple) and all(isinstance(part, Part) for part in tally.parts)
    _require(is_list, "a tally holds something that it cannot count")
    _check_numbers(tally.class_counts, (len(tally.classes),), "the classes' counts")
    fits = all(part.classes == len(tally.classes) for part in tally.parts)
    _require(fits, "a column's counts do not have the tally's classes")


def check_form(form: Form) -> None:
    """Names, plans and weights must fit the number of columns."""
    _require(type(form.columns) is int and form.columns >= 0, "a form has no number of columns")
    _check_names(form.names, form.columns)
    is_list = isinstance(form.numerals, tuple) and all(isinstance(name, str) for name in form.numerals)
    _require(is_list, "a form's numerals are no names")
    is_planned = isinstance(form.schema, Schema) and len(form.schema) == form.columns
    _require(form.schema == () or is_planned, "a form's plans do not fit its columns")
    if isinstance(form, NetForm):
        _check_families(form.families, form.columns)
    if isinstance(form, ChainForm):
        _check_chains(form.chains, form.columns)
    if isinstance(form, AutoForm):
        _check_models(form)
    _require(form.weights is None or all(np.isfinite(w) and w >= 0 for w in form.weights), "weights are impossible")
    _require(0 <= form.weighed_rows < np.inf, "weights are learned from an impossible number of rows")
    heat = form.temperature
    _require(heat is None or (isinstance(heat, float) and 0 < heat < np.inf), "a temperature is impossible")


def check_text_form(form: TextForm) -> None:
    """A form whose temperature is positive, or has not been learned."""
    check_form(form)
    check_learned_temperature(form.temperature)


def check_learned_temperature(learned: Any) -> None:
    """A temperature of a text model must be positive, or None."""
    _require(learned is None or (isinstance(learned, float) and 0 < learned < np.inf), "a temperature is impossible")


def check_schema(schema: Schema) -> None:
    """Every plan must have a name and a distribution."""
    for plan in schema:
        _require(
            isinstance(plan, ColumnPlan) and isinstance(plan.name, str), "a schema holds something that is not a plan"
        )
        _require(isinstance(plan.distribution, ColumnDistribution), f"column {plan.name!r} has no distribution")


def _check_families(families: Any, columns: int) -> None:
    if families is None:
        return
    _require(isinstance(families, Families) and isinstance(families.target, str), "a structure is not valid")
    _require(len(families.of_columns) == len(families.under_class) == columns, "a structure does not fit its columns")
    _require(all(type(is_under) is bool for is_under in families.under_class), "a structure is not valid")
    ups = [up for held in (families.of_class, *families.of_columns) for up in held]
    _require(all(type(up) is int and 0 <= up < columns for up in ups), "a structure has a column that does not exist")


def _check_chains(chains: Any, columns: int) -> None:
    _require(isinstance(chains, Chains), "a form has no chains")
    is_list = all(isinstance(view, View) and isinstance(view.distribution, ColumnDistribution) for view in chains.views)
    _require(is_list and all(0 <= view.column < columns for view in chains.views), "a view has no column")
    for chain in chains.chains:
        _require(isinstance(chain, Chain) and 0 < chain.share <= 1, "a chain is not valid")
        _require(all(0 <= view < len(chains.views) for view in chain.views), "a chain has a view that does not exist")
    weights = np.array(chains.weights, dtype=np.float64)
    _require(weights.shape == (columns, chains.k + 1) and bool(np.isfinite(weights).all()), "weights are impossible")
    _require(0 < chains.unit < np.inf and 0 <= chains.rows < np.inf, "numbers of rows are impossible")


def _check_models(form: AutoForm) -> None:
    _require(len(form.models) == len(form.forms) > 0, "a form has no models")
    _require(all(isinstance(f, Form) and f.columns == form.columns for f in form.forms), "a model has other columns")
    comparison = form.comparison
    if comparison is None:
        return
    is_list = isinstance(comparison, Comparison) and len(comparison.candidates) == len(form.models)
    _require(is_list and all(isinstance(c, Candidate) for c in comparison.candidates), "a comparison is not valid")
    _require(all(0 <= c.weight < np.inf for c in comparison.candidates), "weights of models are impossible")


def check_temperature(calibration: Temperature) -> None:
    """A temperature must be positive."""
    _require(isinstance(calibration.value, float) and 0 < calibration.value < np.inf, "a temperature is impossible")


def check_isotonic(calibration: Isotonic) -> None:
    """The points of each class must ascend."""
    for x, y in calibration.points:
        _check_numbers(x, (None,), "points")
        _check_numbers(y, (len(x),), "points")
        _require(len(x) > 0 and bool((np.diff(x) >= 0).all()), "points do not ascend")
