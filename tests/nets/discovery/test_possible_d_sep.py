"""Sets that may separate reach along colliders and triangles, and nowhere else."""

import numpy as np

from deciban.nets.discovery.fci import possible_separators


def masks(matrix):
    return [sum(1 << int(i) for i in np.flatnonzero(row)) for row in np.array(matrix)]


def test_colliders_lead_on_and_chains_do_not():
    # 0 — 1 — 2 — 3
    chain = masks([[0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 0]])
    assert possible_separators(chain, [0] * 4)[0].tolist() == [False, True, False, False]
    into = [0, 0b101, 0, 0]  # 0 *→ 1 ←* 2
    assert possible_separators(chain, into)[0].tolist() == [False, True, True, False]
    assert possible_separators(chain, [0, 0b101, 0b1010, 0])[0].tolist() == [False, True, True, True]


def test_triangles_lead_on():
    # 0 — 1 — 2 — 0, 2 — 3, 1 — 3
    near = masks([[0, 1, 1, 0], [1, 0, 1, 1], [1, 1, 0, 1], [0, 1, 1, 0]])
    assert possible_separators(near, [0] * 4)[0].tolist() == [False, True, True, True]
