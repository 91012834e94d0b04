"""`GaussianNB` stands in for scikit-learn's, and keeps its digits where means are far from 0."""

import numpy as np
import pytest

import deciban as db
from tests.models.drop_ins.peer import PeerChecks, X, Y, both


class TestGaussianNB(PeerChecks):
    name = "GaussianNB"
    attributes = ("theta_", "var_", "class_prior_", "class_count_")

    @pytest.mark.parametrize("parameters", [{"var_smoothing": 0.1}, {"priors": [0.5, 0.25, 0.25]}], ids=str)
    def test_parameters_are_scikit_learns(self, parameters):
        self.agree(*both(self.name, X, Y, **parameters))


def test_an_offset_costs_no_digits_in_batches():
    rows = np.random.default_rng(1).normal(size=(60, 3))
    model = db.GaussianNB(var_smoothing=0.0)
    for part in np.array_split(np.arange(60), 7):
        model.partial_fit(rows[part] + 1e8, Y[part], classes=["a", "b", "c"])
    np.testing.assert_allclose(model.var_, db.GaussianNB(var_smoothing=0.0).fit(rows, Y).var_, rtol=1e-6)
