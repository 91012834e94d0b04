"""Sums node by node are the sums over all completions at once."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from deciban.nets.learning.buckets import make_buckets, propagate


def all_at_once(sizes, scopes, tables):
    """The product of all factors, with an axis for rows and one for each node."""
    joint = np.ones((len(tables[0]), *sizes))
    for scope, table in zip(scopes, tables, strict=True):
        joint = joint * table.reshape(-1, *[size if node in scope else 1 for node, size in enumerate(sizes)])
    return joint


@given(st.integers(0, 2**32 - 1), st.integers(1, 6))
def test_beliefs_are_marginals(seed, count):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 4, count).tolist()
    links = [(node, int(rng.integers(0, node))) for node in range(1, count)]  # so that all hang together
    more = [tuple(rng.choice(count, int(rng.integers(1, min(3, count) + 1)), replace=False)) for _ in range(3)]
    scopes = [tuple(sorted(map(int, scope))) for scope in [*links, *more]]
    tables = [rng.random((5, *[sizes[node] for node in scope])) * (rng.random() < 0.9) for scope in scopes]
    joint = all_at_once(sizes, scopes, tables)
    buckets = make_buckets(sizes, scopes)
    factors = [
        [tables[factor].reshape(-1, *bucket.shape_of(scopes[factor])) for factor in bucket.held] for bucket in buckets
    ]
    beliefs, total = propagate(buckets, factors, 5)
    sums = joint.reshape(5, -1).sum(axis=1)
    np.testing.assert_allclose(np.exp(total), sums, rtol=1e-10)
    assert sorted(factor for bucket in buckets for factor in bucket.held) == list(range(len(scopes)))
    for bucket, belief in zip(buckets, beliefs, strict=True):
        others = tuple(1 + node for node in range(count) if node not in bucket.scope)
        marginal = joint.sum(axis=others) / np.where(sums > 0, sums, 1).reshape(-1, *[1] * len(bucket.scope))
        np.testing.assert_allclose(belief, marginal, rtol=1e-9, atol=1e-15)
