"""Log-count ratios, and the linear classifier of one class against the rest upon them (Wang and Manning, 2012)."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from deciban.text.bag import Bag
from deciban.types import AnyArray, Floats

__all__ = ["fit_side", "log_count_ratio", "presence"]


def log_count_ratio(bag: Bag, place: int, alpha: float) -> Floats:
    """log((p / ‖p‖₁) / (q / ‖q‖₁)) of each token, for a class against the rest."""
    entries = slice(bag.starts[place], bag.starts[place + 1])
    p = np.bincount(bag.indices[entries], bag.documents[entries], bag.size) + alpha
    q = bag.sums(distinct=True) + 2 * alpha - p
    return np.log(p / p.sum()) - np.log(q / q.sum())


def fit_side(
    linear: Any, features: sp.csr_matrix, ratio: Floats, is_class: AnyArray, weights: Floats | None
) -> tuple[Floats, float, Floats]:
    """The linear classifier's weights and constant for a class against the rest, and the ratios under it."""
    scaled = sp.csr_matrix((features.data * ratio[features.indices], features.indices, features.indptr), features.shape)
    linear.fit(scaled, is_class, sample_weight=weights)
    return linear.coef_[0], float(linear.intercept_[0]), ratio


def presence(matrix: sp.csr_matrix) -> sp.csr_matrix:
    """1 where a document has a token."""
    return sp.csr_matrix((np.ones(len(matrix.data)), matrix.indices, matrix.indptr), matrix.shape)
