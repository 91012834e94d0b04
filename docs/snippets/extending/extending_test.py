"""An independence test of one's own: permutations instead of a χ² distribution."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

import deciban as db
from deciban.nets import TESTS, CodedSample, DataTest


@dataclass(frozen=True, eq=False, kw_only=True)
class PermutationTest(DataTest):
    """G², its p-value from random permutations of x within each stratum of `given`."""

    name, reads = "G²", "categories"
    permutations: int = 500

    def values(
        self, x: int, y: int, given: Sequence[int]
    ) -> tuple[float, float, float, float]:
        sample: CodedSample = self.sample
        codes = sample.codes[:, (sample.codes[[x, y, *given]] >= 0).all(axis=0)].astype(
            np.int64
        )
        strata = (
            np.unique(codes[list(given)], axis=1, return_inverse=True)[1]
            if given
            else np.zeros_like(codes[x])
        )
        observed = g_squared(codes[x], codes[y], strata)
        rng = np.random.default_rng(0)
        order = np.argsort(strata, kind="stable")
        extreme = 1
        for _ in range(self.permutations):
            permuted = np.empty_like(codes[x])
            permuted[order] = codes[x][np.lexsort((rng.random(len(order)), strata))]
            extreme += g_squared(permuted, codes[y], strata) >= observed - 1e-9
        return observed, 1.0, float(len(strata)), extreme / (self.permutations + 1)


def g_squared(x: np.ndarray, y: np.ndarray, strata: np.ndarray) -> float:
    """G² = 2 Σ n·log(n·n₊ / (n_x·n_y)), summed over the strata."""
    counts = np.zeros((strata.max() + 1, x.max() + 1, y.max() + 1))
    np.add.at(counts, (strata, x, y), 1)
    expected = (
        counts.sum(2, keepdims=True)
        * counts.sum(1, keepdims=True)
        / counts.sum((1, 2), keepdims=True)
    )
    return float(
        2
        * (counts[counts > 0] * np.log(counts[counts > 0] / expected[counts > 0])).sum()
    )


rng = np.random.default_rng(0)
rain = rng.random(400) < 0.3
sprinkler = rng.random(400) < 0.4
wet = np.where(rain | sprinkler, rng.random(400) < 0.9, rng.random(400) < 0.1)
days = {"rain": rain, "sprinkler": sprinkler, "wet": wet}

found = db.discover(days, test=PermutationTest(permutations=200), alpha=0.05)
print(found.graph)
print(found.explain("rain", "sprinkler"))

TESTS["permutation"] = PermutationTest  # from now on by its name, too
print(db.discover(days, test="permutation", alpha=0.05).graph == found.graph)
