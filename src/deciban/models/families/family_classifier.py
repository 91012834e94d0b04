"""Classifiers by counts of families, combinations of the values of some columns within each class.

`TAN`, `AODE`, `BayesNetClassifier` and `KDB` are pipelines of the same four values:

=========  =======================================================================  ================================
structure  which columns are counted together, and how their values become codes    `Structure`, in the form
tally      the counts: `Crossed`, a part of the model's tally                       `count_crossed`
tables     the smoothed log-probabilities that follow from the counts               `Tables`, computed when first used
learned    what rows say that counts do not: temperature, weights                   in the form
=========  =======================================================================  ================================
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np

from deciban.errors import ParameterError
from deciban.estimate import settle_priors
from deciban.models.families.family_tables import Tables
from deciban.models.families.structures import Structure
from deciban.models.schema import Form
from deciban.models.table_classifier import TableClassifier, check_values
from deciban.read import Table
from deciban.storable import require
from deciban.tallies import Crossed, Sample, Tally
from deciban.tallies.crossed import count_crossed
from deciban.types import AnyArray, Floats

__all__ = ["FamilyClassifier"]


class FamilyClassifier(TableClassifier):
    """A classifier by counts of families: combinations of the values of some columns, within each class.

    Its structure says which columns, and how their values are coded; its tables follow from the counts.
    """

    _tables: Tables

    # What a model defines ------------------------------------------------------------------------------------------

    @abstractmethod
    def _structure(self, form: Form) -> Structure:
        """What is counted."""

    @abstractmethod
    def _made(self, tally: Tally, form: Form) -> dict[str, object]:
        """The fitted attributes that follow from the counts; `_tables` among them."""

    @abstractmethod
    def _codes(self, data: Table) -> AnyArray:
        """The rows as the tables take them."""

    # Counting, estimating and scoring ------------------------------------------------------------------------------

    def _count(self, data: Table, sample: Sample, form: Form) -> Tally:
        owner, structure = type(self).__name__, self._structure(form)
        check_values(data, form.schema, owner)
        whole, rows = sample, sample.weighty()
        if rows is not None:
            data, sample = data.take(rows), sample.take(rows)
        variables = structure.variables(data)
        codes = structure.codes(data, variables, owner)
        return whole.tally(count_crossed(variables, codes, sample, structure.sets()))

    def _parts_in(self, form: Form) -> int:
        """One part has the counts of all families."""
        return 1

    def _check_fits(self, tally: Tally, form: Form) -> None:
        sets = self._structure(form).sets()
        require(np.array_equal(tally.parts[0].sets, sets), "it counts other sets of columns than its model")

    def _accepted(self, tally: Tally) -> Tally:
        if len(tally.parts) != 1 or not isinstance(tally.parts[0], Crossed):
            raise ParameterError(f"{type(self).__name__} takes the tally of sets of columns that such a model makes.")
        return tally

    def _estimate(self, tally: Tally, form: Form) -> dict[str, object]:
        return self._fitted_attributes(tally, form, self._made(tally, form))

    def _fitted_attributes(self, tally: Tally, form: Form, made: dict[str, Any]) -> dict[str, object]:
        prior = settle_priors(self._settings.priors, tally.class_counts, tally.classes.labels.tolist())
        return {
            "schema_": form.schema,
            "class_count_": tally.class_counts.astype(np.float64),
            "class_prior_": np.exp(prior),
            "_prior": prior,
            **made,
        }

    def _likelihood(self, data: Table) -> Floats:
        return self._tables.score(self._codes(data))

    def _column_evidence(self, data: Table) -> Floats:
        return self._tables.weigh(self._codes(data))
