"""A score of one's own: AIC, once by the compiled counts and once in plain Python."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

import deciban as db
from deciban.nets import SCORES, CodedSample, CodeScores


@dataclass(frozen=True)
class AIC:
    """Akaike's criterion (1974): the log-likelihood, less 1 for each free parameter."""

    reads = "categories"

    def on(self, data: CodedSample) -> CodeScores:
        return CodeScores(data, "likelihood", penalty=1.0)


@dataclass(frozen=True)
class PlainAIC:
    """The same in plain Python: a function of a family's counts."""

    reads = "categories"

    def on(self, data: CodedSample) -> "PlainScores":
        return PlainScores(data)


class PlainScores:
    """The local score of each family: a variable, and a bit mask of its parents."""

    def __init__(self, sample: CodedSample) -> None:
        self.names, self.sample = sample.names, sample

    def local(self, families: Sequence[tuple[int, int]]) -> np.ndarray:
        return np.array([self.score(child, mask) for child, mask in families])

    def score(self, child: int, mask: int) -> float:
        sizes, codes = self.sample.sizes, self.sample.codes
        parents = [index for index in range(len(self.names)) if mask >> index & 1]
        counts = np.zeros(tuple(sizes[[*parents, child]]))
        np.add.at(counts, tuple(codes[index] for index in (*parents, child)), 1)
        shares = counts / np.maximum(counts.sum(axis=-1, keepdims=True), 1)
        likelihood = float((counts[counts > 0] * np.log(shares[counts > 0])).sum())
        return likelihood - (sizes[child] - 1) * np.prod(sizes[parents])


rng = np.random.default_rng(0)
rain = rng.random(400) < 0.3
sprinkler = rng.random(400) < 0.4
wet = np.where(rain | sprinkler, rng.random(400) < 0.9, rng.random(400) < 0.1)
days = {"rain": rain, "sprinkler": sprinkler, "wet": wet}

found = db.search(days, AIC())
print(found)
print(np.isclose(db.search(days, PlainAIC()).score, found.score))

SCORES["aic"] = AIC  # from now on by its name, too
print(db.search(days, "aic", method="exact").graph)
