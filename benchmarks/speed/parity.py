"""Both libraries must give the same answers before either is timed.

Fitted attributes agree to 1e-9 relative. Predictions are equal, except where scikit-learn's two best joint
log-probabilities are within 1e-9 of each other: there the order of summation decides.

float32 input is compared with scikit-learn on the same numbers held as float64, because scikit-learn sums float32 in
float32, and deciban in float64. The attributes come as float32, so they agree to float32's last digit.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.harness.parity import ParityError
from benchmarks.speed.samples import Sample
from benchmarks.speed.workloads import OURS, PEER, Workload, new_model

__all__ = ["check_parity"]

_RELATIVE = 1e-9
_TIE = 1e-9


def check_parity(work: Workload, sample: Sample) -> None:
    """Raise a ParityError unless attributes and predictions agree."""
    ours = new_model(work, OURS).fit(*sample)
    exact = Sample(_widened(sample.X), sample.y)
    peer = new_model(work, PEER).fit(*exact)
    tolerance = float(np.finfo(np.float32).eps) if sample.X.dtype == np.float32 else _RELATIVE
    for name in work.attributes:
        _check_attribute(work, name, getattr(peer, name), getattr(ours, name), tolerance)
    _check_predictions(work, peer, exact.X, np.asarray(ours.predict(sample.X)))
    if work.is_one_row:
        _check_attribute(work, "predict_proba", peer.predict_proba(exact.X), ours.predict_proba(sample.X), _RELATIVE)


def _widened(X: Any) -> Any:
    return X.astype(np.float64) if X.dtype == np.float32 else X


def _check_attribute(work: Workload, name: str, expected: Any, found: Any, tolerance: float) -> None:
    """Compare arrays, or the lists of arrays that CategoricalNB has, one for each column."""
    pairs = zip(expected, found, strict=True) if isinstance(expected, list) else [(expected, found)]
    for want, have in pairs:
        if want.shape != have.shape:
            raise ParityError(f"{work.name}: {name} has shape {have.shape}, scikit-learn's has {want.shape}.")
        if not np.allclose(have, want, rtol=tolerance, atol=0.0):
            difference = float(np.max(np.abs(have - want) / np.abs(want)))
            raise ParityError(f"{work.name}: {name} is off by {difference:.1e} relative, more than {tolerance:.1e}.")


def _check_predictions(work: Workload, peer: Any, X: Any, found: NDArray[Any]) -> None:
    differs = np.flatnonzero(peer.predict(X) != found)
    if len(differs) == 0:
        return
    best = np.sort(peer.predict_joint_log_proba(X[differs]), axis=1)[:, -2:]
    wrong = differs[best[:, 1] - best[:, 0] >= _TIE]
    if len(wrong):
        raise ParityError(f"{work.name}: {len(wrong)} predictions differ from scikit-learn's, first in row {wrong[0]}.")
