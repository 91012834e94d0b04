"""Samples whose graph is known: published networks, and random nets of categories and of numbers.

Networks are in two groups: those on which methods and settings are chosen, and those that are only reported. The seeds
of random nets are 5000 and more; smaller ones are for choosing.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

import deciban as db
from benchmarks.graphs.peers import Marks, marks_of
from benchmarks.graphs.samples import draw_codes
from benchmarks.harness.paths import NETS

__all__ = ["CHOOSING", "GROUPS", "Group", "Kind", "Known", "known_samples"]

CHOOSING = ("alarm", "insurance", "child", "hailfinder", "hepar2", "win95pts")
_REPORTING = (
    "asia",
    "survey",
    "sachs",
    "water",
    "mildew",
    "barley",
    "pathfinder",
    "munin1",
    "andes",
    "diabetes",
    "pigs",
)
_NUMBERS = ("ecoli70", "magic-niab", "magic-irri", "arth150")
_ROWS = 10_000
_SEEDS = (5001, 5002)

_DEGREES, _SIZES = (2, 4, 8), (1_000, 10_000, 100_000)
_NODES = {"categories": 20, "numbers": 50}

Kind = Literal["categories", "numbers"]
Group = Literal[
    "networks for choosing",
    "other networks",
    "networks of numbers",
    "random, categories",
    "random, numbers",
]
GROUPS: tuple[Group, ...] = (
    "networks for choosing",
    "other networks",
    "networks of numbers",
    "random, categories",
    "random, numbers",
)


class Known(NamedTuple):
    """Rows, drawn with a seed, and the marks of the class of the graph that they were drawn from."""

    group: Group
    title: str
    seed: int
    kind: Kind
    values: NDArray[Any]
    dag: db.DAG

    @property
    def marks(self) -> Marks:
        """The marks of the true class, in the order of the columns."""
        return marks_of(self.dag.cpdag())


def known_samples(*, is_quick: bool = False) -> Iterator[Known]:
    """All samples, group by group; the quick form has one of each group."""
    seeds = _SEEDS[:1] if is_quick else _SEEDS
    kept = slice(1 if is_quick else None)
    for group, names in zip(GROUPS[:2], (CHOOSING, _REPORTING), strict=True):
        for name, seed in product(names[kept], seeds[:1]):
            net = db.read_net(NETS / f"{name}.bif.gz")
            codes = np.column_stack(list(draw_codes(net, _ROWS, seed).values()))
            yield Known(group, f"{name}, {len(net.nodes)} nodes", seed, "categories", codes, net.dag)
    folder = _pgmpy_networks()
    for name, seed in product(_NUMBERS[kept], seeds):
        if folder is None:
            break
        values, dag = _gaussian_network(folder / f"{name}.json", seed)
        yield Known("networks of numbers", f"{name}, {len(dag.nodes)} nodes", seed, "numbers", values, dag)
    cells = list(product(_DEGREES, _SIZES))[kept]
    for (degree, rows), seed in product(cells, seeds):
        title = f"degree {degree}, {rows:,} rows"
        yield Known(
            "random, categories", f"categories, {title}", seed, "categories", *_random_categories(degree, rows, seed)
        )
    for (degree, rows), seed in product(cells, seeds):
        title = f"degree {degree}, {rows:,} rows"
        yield Known("random, numbers", f"numbers, {title}", seed, "numbers", *_random_numbers(degree, rows, seed))


def _pgmpy_networks() -> Path | None:
    """The folder of pgmpy's wheel with Gaussian networks of the bnlearn repository; None where it is not installed."""
    found = find_spec("pgmpy")
    if found is None or found.origin is None:
        return None
    folder = Path(found.origin).parent / "utils" / "example_models"
    return folder if (folder / f"{_NUMBERS[0]}.json").exists() else None


def _gaussian_network(path: Path, seed: int) -> tuple[NDArray[np.float64], db.DAG]:
    """The graph, and rows drawn from the regressions."""
    read = json.loads(path.read_text(encoding="utf-8"))
    names = [str(node) for node in read["nodes"]]
    dag = db.DAG([tuple(arc) for arc in read["arcs"]], names)
    rng = np.random.default_rng(seed)
    drawn: dict[str, NDArray[np.float64]] = {}
    for node in map(str, dag.topological_order()):
        cpd = read["cpds"][node]
        mean = np.zeros(_ROWS)
        for name, (coefficient, *_) in cpd["coefficients"].items():
            mean += coefficient * (1.0 if name == "(Intercept)" else drawn[name])
        drawn[node] = mean + np.sqrt(cpd["variance"][0]) * rng.normal(size=_ROWS)
    return np.column_stack([drawn[str(node)] for node in dag.nodes]), dag


def _random_dag(nodes: int, degree: int, rng: np.random.Generator) -> db.DAG:
    """Each pair is adjacent with the same probability, in the direction of a random order."""
    order = rng.permutation(nodes)
    pairs = [(order[i], order[j]) for j in range(nodes) for i in range(j) if rng.random() < degree / (nodes - 1)]
    return db.DAG([(f"v{a:02d}", f"v{b:02d}") for a, b in pairs], [f"v{index:02d}" for index in range(nodes)])


def _random_numbers(degree: int, rows: int, seed: int) -> tuple[NDArray[np.float64], db.DAG]:
    """Linear regressions with slopes between .3 and 1 of either sign, and noise of deviation between .7 and 1.3."""
    rng = np.random.default_rng([17, seed, degree])
    dag = _random_dag(_NODES["numbers"], degree, rng)
    drawn: dict[str, NDArray[np.float64]] = {}
    for node in map(str, dag.topological_order()):
        parents = sorted(map(str, dag.parents(node)))
        slopes = rng.choice([-1, 1], len(parents)) * rng.uniform(0.3, 1.0, len(parents))
        value = rng.uniform(0.7, 1.3) * rng.normal(size=rows)
        for slope, parent in zip(slopes, parents, strict=True):
            value += slope * drawn[parent]
        # In units of its own deviation: else the variance would tell the order of the variables.
        drawn[node] = value / value.std()
    return np.column_stack([drawn[str(node)] for node in dag.nodes]), dag


def _random_categories(degree: int, rows: int, seed: int) -> tuple[NDArray[np.int64], db.DAG]:
    """Tables with a distribution drawn from Dirichlet(½, …, ½) for each configuration of the parents."""
    rng = np.random.default_rng([19, seed, degree])
    dag = _random_dag(_NODES["categories"], degree, rng)
    states = {str(node): int(rng.integers(2, 4)) for node in dag.nodes}
    drawn: dict[str, NDArray[np.int64]] = {}
    for node in map(str, dag.topological_order()):
        configuration = np.zeros(rows, dtype=np.int64)
        for parent in sorted(map(str, dag.parents(node))):
            configuration = configuration * states[parent] + drawn[parent]
        seen, index = np.unique(configuration, return_inverse=True)
        ends = rng.dirichlet(np.full(states[node], 0.5), len(seen)).cumsum(axis=1)
        code = (rng.random(rows)[:, None] > ends[index]).sum(axis=1)
        drawn[node] = np.minimum(code, states[node] - 1)
    return np.column_stack([drawn[str(node)] for node in dag.nodes]), dag
