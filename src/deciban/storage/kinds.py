"""The classes that files of tallies hold, beside the distributions and smoothings, which register themselves.

`storable` registers a class with the check of its values; `codec.py` writes and reads the values of all registered
classes by the fields of their dataclasses. `deciban.nets` and `deciban.models` register theirs.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from deciban.read import MissingLabel, Variable
from deciban.storable import STORED, Stored, storable
from deciban.storage import checks
from deciban.tallies import Counts, Crossed, Moments, Sketch, Tally, Terms, WithMissing
from deciban.text import Bag, TokenRules, Vocabulary
from deciban.text.renamed import renamed_text_settings

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
