"""The classes that model files hold, beside the distributions and smoothings, which register themselves.

`storable` registers a class with the check of its values; `codec.py` writes and reads the values of all registered
classes by the fields of their dataclasses.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from deciban.decide import Reject
from deciban.decide.calibration import Isotonic, Temperature
from deciban.models.form import Form
from deciban.models.nets.net_form import Families, NetForm
from deciban.models.storage import checks
from deciban.models.tables.schema import ColumnPlan, Schema
from deciban.models.text.renamed import renamed_text_settings
from deciban.models.text.temperature import TextForm
from deciban.nets import BDeu, LinearGaussian
from deciban.nets.data.states import States
from deciban.nets.learning.em import EMTrace
from deciban.nets.learning.fit import FitSettings
from deciban.nets.learning.moments import CrossMoments
from deciban.read import MissingLabel, Variable
from deciban.storable import STORED, Stored, storable
from deciban.tallies import Counts, Crossed, Moments, Sketch, Tally, Terms, WithMissing
from deciban.text import Bag, TokenRules, Vocabulary

__all__ = ["stored_kind", "stored_name"]


def stored_kind(name: str) -> Stored | None:
    """The registered class that files call by this name."""
    return STORED.get(name)


def stored_name(value: Any) -> str | None:
    """The name that files use for the class of a value; None where it is not registered."""
    name = type(value).__name__
    return name if name in STORED and STORED[name].cls is type(value) else None


def _moments_of_version_1(held: dict[str, Any]) -> dict[str, Any]:
    """Means and sums of squared deviations, which files held before version 2, as sums around the means."""
    if "sums" in held:
        return held
    old = Moments.of(held["weight"], held["mean"], held["deviation"], held["given_names"])
    return {field.name: getattr(old, field.name) for field in fields(old)}


def _renamed_presence(held: dict[str, Any]) -> dict[str, Any]:
    """The fields of a column with missing values: `presence` was called `gaps`."""
    return {"presence" if name == "gaps" else name: value for name, value in held.items()}


def _renamed_fit_settings(held: dict[str, Any]) -> dict[str, Any]:
    """The settings of a fitted net by today's names: `unseen` was renamed, and so was `missing="available"`."""
    names = {"unseen": "unseen_parents"}
    settings = {names.get(name, name): value for name, value in held.items()}
    return {**settings, "missing": "skip" if settings.get("missing") == "available" else settings["missing"]}


# What a tally holds
storable(check=checks.check_tally)(Tally)
storable(check=checks.check_variable)(Variable)
storable(check=checks.check_bag)(Bag)
storable(check=checks.check_counts)(Counts)
storable(check=checks.check_crossed)(Crossed)
storable(check=checks.check_with_missing, upgrade=_renamed_presence, older_name="Gapped")(WithMissing)
storable(check=checks.check_moments, upgrade=_moments_of_version_1)(Moments)
storable(check=checks.check_sketch)(Sketch)
storable(check=checks.check_terms)(Terms)
storable(check=checks.check_vocabulary)(Vocabulary)
storable(MissingLabel)
storable(upgrade=renamed_text_settings)(TokenRules)

# The form of a model, its settings and its calibration
storable(check=checks.check_form)(Form)
storable(check=checks.check_form)(NetForm)
storable(check=checks.check_text_form)(TextForm)
storable(check=checks.check_schema)(Schema)
storable(ColumnPlan)
storable(Families)
storable(Reject)
storable(check=checks.check_isotonic)(Isotonic)
storable(check=checks.check_temperature)(Temperature)

# Bayes nets
storable(BDeu)
storable(CrossMoments)
storable(EMTrace)
storable(upgrade=_renamed_fit_settings)(FitSettings)
storable(LinearGaussian)
storable(States)
