"""The generalized Cochran–Mantel–Haenszel statistic (Landis, Heyman and Koch 1978), as the formula stands."""

import numpy as np

__all__ = ["cochran_mantel_haenszel"]


def cochran_mantel_haenszel(tables, rows, columns):
    """M² and its degrees of freedom, of strata of counts; `rows` and `columns` are matrices of scores × states.

    t = Σ (A ⊗ B)(n − m),  V = Σ N²/(N − 1)·(A(D_p − ppᵀ)Aᵀ) ⊗ (B(D_q − qqᵀ)Bᵀ)
    """
    size = len(rows) * len(columns)
    t, v = np.zeros(size), np.zeros((size, size))
    for table in np.asarray(tables, dtype=float):
        n = table.sum()
        if n <= 1:
            continue
        p, q = table.sum(axis=1) / n, table.sum(axis=0) / n
        t += (rows @ (table - n * np.outer(p, q)) @ columns.T).reshape(-1)
        of_rows = rows @ (np.diag(p) - np.outer(p, p)) @ rows.T
        of_columns = columns @ (np.diag(q) - np.outer(q, q)) @ columns.T
        v += n**2 / (n - 1) * np.kron(of_rows, of_columns)
    return float(t @ np.linalg.pinv(v, rcond=1e-10, hermitian=True) @ t), int(np.linalg.matrix_rank(v, tol=1e-8))
