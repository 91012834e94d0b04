"""What must hold of the form and the settings of a model in a file (of its tally: `deciban.storage.tally_checks`)."""

from __future__ import annotations

from typing import Any

import numpy as np

from deciban.decide.calibration import Isotonic, Temperature
from deciban.estimate import ColumnDistribution
from deciban.models.comparison import AutoForm, Candidate, Comparison
from deciban.models.families.structures import Chain, ChainForm, Chains, Families, NetForm, View
from deciban.models.form import Form
from deciban.models.schema import ColumnPlan, Schema
from deciban.models.text.fitted import TextForm
from deciban.storage.tally_checks import check_names, check_numbers, require
from deciban.tallies import Crossed, Tally
from deciban.text import Bag
from deciban.types import AnyArray

__all__ = [
    "check_calibration",
    "check_form",
    "check_form_of",
    "check_isotonic",
    "check_learned_temperature",
    "check_plans",
    "check_schema",
    "check_sets",
    "check_temperature",
    "check_text_form",
    "check_weights",
]


def check_form_of(form: Any, tally: Any, names: tuple[str, ...]) -> None:
    """The form must fit the columns of the tally."""
    require(isinstance(form, Form) and isinstance(tally, Tally), "it holds no tally, or no form")
    require(form.columns == len(names), "its form does not have the tally's columns")
    require(form.weights is None or len(form.weights) == form.columns, "its columns' weights do not fit")


def check_plans(schema: Any, form: Form) -> None:
    """A model that plans its columns must have a plan for each."""
    require(isinstance(schema, Schema) and len(schema) == form.columns, "its plans do not fit its columns")


def check_calibration(calibration: Any, classes: int) -> None:
    """A calibration must fit the classes of the model."""
    require(isinstance(calibration, Isotonic | Temperature), "its calibration is of an unknown kind")
    require(not isinstance(calibration, Isotonic) or len(calibration.points) == classes, "its calibration does not fit")


def check_sets(crossed: Crossed, wanted: AnyArray) -> None:
    """The sets of columns that were counted must be those that the model counts."""
    require(np.array_equal(crossed.sets, wanted), "it counts other sets of columns than its model")


def check_weights(coefficients: Any, constants: Any, tally: Any) -> None:
    """The weights of a linear classifier must fit the classes and tokens of its tally."""
    is_bag = isinstance(tally, Tally) and len(tally.parts) == 1 and isinstance(tally.parts[0], Bag)
    require(is_bag and tally.parts[0].vocabulary is not None, "it holds no tally of documents")
    sides = 1 if len(tally.classes) == 2 else len(tally.classes)
    check_numbers(coefficients, (sides, tally.parts[0].size), "weights", negative=True)
    check_numbers(constants, (sides,), "constants", negative=True)
    require(coefficients.dtype == constants.dtype == np.float64, "weights are of another precision")


def check_form(form: Form) -> None:
    """Names, plans and weights must fit the number of columns."""
    require(type(form.columns) is int and form.columns >= 0, "a form has no number of columns")
    check_names(form.names, form.columns)
    is_list = isinstance(form.numerals, tuple) and all(isinstance(name, str) for name in form.numerals)
    require(is_list, "a form's numerals are no names")
    is_planned = isinstance(form.schema, Schema) and len(form.schema) == form.columns
    require(form.schema == () or is_planned, "a form's plans do not fit its columns")
    if isinstance(form, NetForm):
        _check_families(form.families, form.columns)
    if isinstance(form, ChainForm):
        _check_chains(form.chains, form.columns)
    if isinstance(form, AutoForm):
        _check_models(form)
    require(form.weights is None or all(np.isfinite(w) and w >= 0 for w in form.weights), "weights are impossible")
    require(0 <= form.weighed_rows < np.inf, "weights are learned from an impossible number of rows")
    heat = form.temperature
    require(heat is None or (isinstance(heat, float) and 0 < heat < np.inf), "a temperature is impossible")


def check_text_form(form: TextForm) -> None:
    """A form whose temperature is positive, or has not been learned."""
    check_form(form)
    check_learned_temperature(form.temperature)


def check_learned_temperature(learned: Any) -> None:
    """A temperature of a text model must be positive, or None."""
    require(learned is None or (isinstance(learned, float) and 0 < learned < np.inf), "a temperature is impossible")


def check_schema(schema: Schema) -> None:
    """Every plan must have a name and a distribution."""
    for plan in schema:
        require(
            isinstance(plan, ColumnPlan) and isinstance(plan.name, str), "a schema holds something that is not a plan"
        )
        require(isinstance(plan.distribution, ColumnDistribution), f"column {plan.name!r} has no distribution")


def _check_families(families: Any, columns: int) -> None:
    if families is None:
        return
    require(isinstance(families, Families) and isinstance(families.target, str), "a structure is not valid")
    require(len(families.of_columns) == len(families.under_class) == columns, "a structure does not fit its columns")
    require(all(type(is_under) is bool for is_under in families.under_class), "a structure is not valid")
    ups = [up for held in (families.of_class, *families.of_columns) for up in held]
    require(all(type(up) is int and 0 <= up < columns for up in ups), "a structure has a column that does not exist")


def _check_chains(chains: Any, columns: int) -> None:
    require(isinstance(chains, Chains), "a form has no chains")
    is_list = all(isinstance(view, View) and isinstance(view.distribution, ColumnDistribution) for view in chains.views)
    require(is_list and all(0 <= view.column < columns for view in chains.views), "a view has no column")
    for chain in chains.chains:
        require(isinstance(chain, Chain) and 0 < chain.share <= 1, "a chain is not valid")
        require(all(0 <= view < len(chains.views) for view in chain.views), "a chain has a view that does not exist")
    weights = np.array(chains.weights, dtype=np.float64)
    require(weights.shape == (columns, chains.k + 1) and bool(np.isfinite(weights).all()), "weights are impossible")
    require(0 < chains.unit < np.inf and 0 <= chains.rows < np.inf, "numbers of rows are impossible")


def _check_models(form: AutoForm) -> None:
    require(len(form.models) == len(form.forms) > 0, "a form has no models")
    require(all(isinstance(f, Form) and f.columns == form.columns for f in form.forms), "a model has other columns")
    comparison = form.comparison
    if comparison is None:
        return
    is_list = isinstance(comparison, Comparison) and len(comparison.candidates) == len(form.models)
    require(is_list and all(isinstance(c, Candidate) for c in comparison.candidates), "a comparison is not valid")
    require(all(0 <= c.weight < np.inf for c in comparison.candidates), "weights of models are impossible")


def check_temperature(calibration: Temperature) -> None:
    """A temperature must be positive."""
    require(isinstance(calibration.value, float) and 0 < calibration.value < np.inf, "a temperature is impossible")


def check_isotonic(calibration: Isotonic) -> None:
    """The points of each class must ascend."""
    for x, y in calibration.points:
        check_numbers(x, (None,), "points")
        check_numbers(y, (len(x),), "points")
        require(len(x) > 0 and bool((np.diff(x) >= 0).all()), "points do not ascend")
