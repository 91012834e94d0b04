"""temporary"""

from __future__ import annotations
import numpy as np
from scipy.optimize import minimize


def chosen_rows(sample, cells, columns):
    n = len(sample.codes)
    most = max(1, min(16384, (1 << 22) // max(cells, 1)))
    return np.arange(n) if n <= most else np.sort(np.random.default_rng(0).permutation(n)[:most])


def best_weights(margins, prior, importance, center):
    D = margins.table
    dp = prior.table[:, 0]

    def f(w):
        m = dp + np.einsum("ofr,f->or", D, w.astype(np.float32))
        t = np.maximum(m.max(0), 0)
        e = np.exp(m - t)
        s = e.sum(0) + np.exp(-t)
        g = np.einsum("or,ofr->f", (e / s * importance).astype(np.float32), D).astype(float)
        a = w - center
        return float(((t + np.log(s)) * importance).sum() + 0.5 * (a @ a)), g + a

    return minimize(
        f, center, jac=True, method="L-BFGS-B", bounds=[(0, None)] * len(center), options=dict(maxiter=200)
    ).x
