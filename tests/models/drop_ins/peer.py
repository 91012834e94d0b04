"""What every drop-in must have in common with scikit-learn's class of the same name."""

import numpy as np
import pytest
import sklearn.naive_bayes

import deciban as db
from deciban.errors import InputError

rng = np.random.default_rng(0)
X = rng.integers(0, 4, (60, 5))
Y = np.array(["a", "b", "c"])[np.arange(60) % 3]
WEIGHTS = rng.uniform(0, 2, 60)


def both(name, *data, **parameters):
    """deciban's model and scikit-learn's, fitted on the same data."""
    return [getattr(module, name)(**parameters).fit(*data) for module in (db, sklearn.naive_bayes)]


class PeerChecks:
    """The same attributes, posteriors and labels: in one fit, in batches and after forgetting."""

    name: str
    attributes: tuple[str, ...]

    def agree(self, ours, theirs, rows=X):
        for attribute in self.attributes:
            for want, have in zip(getattr(theirs, attribute), getattr(ours, attribute), strict=True):
                np.testing.assert_allclose(have, want, rtol=1e-9, err_msg=attribute)
        np.testing.assert_allclose(ours.predict_proba(rows), theirs.predict_proba(rows), rtol=1e-8)
        assert ours.predict(rows).tolist() == theirs.predict(rows).tolist()

    @pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["unweighted", "weighted"])
    def test_it_is_scikit_learns(self, weights):
        self.agree(*both(self.name, X, Y, weights))

    def test_batches_are_one_fit(self):
        ours = getattr(db, self.name)()
        for rows in (slice(0, 11), slice(11, 60)):
            ours.partial_fit(X[rows], Y[rows], classes=["a", "b", "c"])
        self.agree(ours, both(self.name, X, Y)[1])

    def test_rows_that_are_forgotten_were_never_learned(self):
        ours = getattr(db, self.name)().fit(X, Y).forget(X[:10], Y[:10])
        self.agree(ours, both(self.name, X[10:], Y[10:])[1])

    def test_a_missing_value_is_an_error_unless_it_is_skipped(self):
        gapped = X.astype(float)
        gapped[3, 2] = np.nan
        with pytest.raises(InputError, match="row 3"):
            getattr(db, self.name)().fit(gapped, Y)
        model = getattr(db, self.name)(missing="skip").fit(gapped, Y)
        joint = model.predict_joint_log_proba(gapped)
        assert np.isfinite(joint).all()
        np.testing.assert_allclose(model.evidence(gapped).joint, joint, rtol=1e-9)
