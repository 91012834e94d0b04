"""Count and sample the DAGs of an equivalence class: clique-picking over chordal graphs.

The undirected part of a CPDAG consists of chordal components, and the DAGs of the class are the orientations of each
component without cycles and v-structures. For one component G with a rooted clique tree

  #AMO(G) = Σ_K φ(K) · Π_{H ∈ C(K)} #AMO(H),

where K runs over the maximal cliques; φ(K) counts the orders of K of which no prefix is a separator on the path from
the root to K, so that each orientation is counted at one clique only; and C(K) are the components that are still
undirected when K comes first (Wienöbst, Bannach and Liśkiewicz, "Polynomial-time algorithms for counting and sampling
Markov equivalent DAGs", 2021). The counts are exact, so the sampling is uniform.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import factorial, prod

import numpy as np

from deciban.nets.graphs.bits import bits, components

__all__ = ["AcyclicMoralOrientations", "CliqueTree", "clique_tree", "orient"]

# For each clique the separators on the path from the root that are subsets of it, smallest first.
CliqueTree = list[tuple[int, list[int]]]


class AcyclicMoralOrientations:
    """The orientations of a chordal graph without cycles and v-structures: count them, or sample one."""

    def __init__(self, adjacent: Sequence[int]) -> None:
        self._adjacent = adjacent
        self._parts = components(adjacent, (1 << len(adjacent)) - 1)
        # A part comes up behind many cliques: without these memos the recursion would take exponential time.
        self._choices: dict[int, list[tuple[int, int, list[int], list[int]]]] = {}
        self._counts: dict[int, int] = {}

    def count(self) -> int:
        """The number of orientations: the product over the components."""
        return prod(map(self._count, self._parts))

    def sample(self, rng: np.random.Generator) -> list[int]:
        """A random order of the nodes; directing each edge from the earlier to the later node samples uniformly."""
        order: list[int] = []
        waiting = self._parts[::-1]
        while waiting:
            part = waiting.pop()
            if not part & (part - 1):
                order.extend(bits(part))
                continue
            self._count(part)
            # Counting lists the cliques of a part, each with its number of orientations: the weights to draw by.
            _, clique, separators, rest = self._pick(part, rng)
            order.extend(_order_clique(clique, separators, rng))
            waiting.extend(rest[::-1])
        return order

    def _count(self, part: int) -> int:
        if not part & (part - 1):
            return 1
        if part not in self._counts:
            self._choices[part] = choices = []
            for clique, separators in clique_tree(self._adjacent, part):
                rest = _parts_after(self._adjacent, part, clique)
                sizes = [separator.bit_count() for separator in separators]
                number = _orders(clique.bit_count(), sizes) * prod(map(self._count, rest))
                choices.append((number, clique, separators, rest))
            self._counts[part] = sum(number for number, *_ in choices)
        return self._counts[part]

    def _pick(self, part: int, rng: np.random.Generator) -> tuple[int, int, list[int], list[int]]:
        ticket = _below(self._counts[part], rng)
        for choice in self._choices[part]:
            ticket -= choice[0]
            if ticket < 0:
                break
        return choice


def orient(parents: Sequence[int], neighbours: Sequence[int], order: Sequence[int]) -> list[int]:
    """Add to the parents of each node its neighbours that come before it."""
    result, before = list(parents), 0
    for node in order:
        result[node] |= neighbours[node] & before
        before |= 1 << node
    return result


def clique_tree(adjacent: Sequence[int], within: int) -> CliqueTree:
    """The maximal cliques of a connected chordal graph, root first, by maximum cardinality search.

    Blair and Peyton (1993): the cliques in the order of the search; the parent of each is the clique that contains the
    last visited node of its separator.
    """
    cliques: list[int] = []
    paths: list[list[int]] = []
    home: dict[int, int] = {}
    visited_at: dict[int, int] = {}
    current = 0
    for number, (node, visited) in enumerate(_by_cardinality(adjacent, within)):
        before = adjacent[node] & visited
        # The clique so far cannot take the node: another begins, with the separator `before` (Blair and Peyton 1993).
        if before != current or not cliques:
            last = max(bits(before), key=visited_at.__getitem__, default=None)
            paths.append([] if last is None else [*paths[home[last]], before])
            cliques.append(before)
        cliques[-1] |= 1 << node
        current = cliques[-1]
        home[node], visited_at[node] = len(cliques) - 1, number
    return [
        (clique, sorted({step for step in path if step & clique == step}, key=int.bit_count))
        for clique, path in zip(cliques, paths, strict=True)
    ]


def _by_cardinality(adjacent: Sequence[int], within: int) -> list[tuple[int, int]]:
    """The nodes, each with the set visited before it; next is always one with the most visited neighbours."""
    # Bucket i has the nodes with i visited neighbours (Tarjan and Yannakakis 1984).
    buckets, visited, order = [within], 0, []
    while within:
        while not buckets[-1]:
            buckets.pop()
        low = buckets[-1] & -buckets[-1]
        node = low.bit_length() - 1
        buckets[-1] ^= low
        order.append((node, visited))
        visited |= low
        within ^= low
        buckets.append(0)
        for level in range(len(buckets) - 2, -1, -1):
            rising = buckets[level] & adjacent[node]
            buckets[level] ^= rising
            buckets[level + 1] |= rising
    return order


def _parts_after(adjacent: Sequence[int], within: int, clique: int) -> list[int]:
    """The components that are still undirected when the clique comes first, in a topological order.

    Partition refinement: nodes with the same earlier neighbours stay in the same cell, so there are no directed edges
    inside a cell that becomes the first one.
    """
    cells, opened, parts = _Cells(clique, within & ~clique), clique, []
    while first := cells.first():
        low = first & -first
        if not low & opened:
            opened |= first
            parts.extend(components(adjacent, first))
        within ^= low
        cells.drop_from_first(low)
        cells.bring_forward(adjacent[low.bit_length() - 1] & within)
    return parts


class _Cells:
    """A linked list of sets; members of a set can be moved into a new set before it, in time linear in their number."""

    def __init__(self, *sets: int) -> None:
        count = len(sets)
        self._sets = [0, *sets]  # index 0 is the sentinel of the circular list
        self._next = [*range(1, count + 1), 0]
        self._before = [count, *range(count)]
        self._home = {node: index for index, members in enumerate(sets, 1) for node in bits(members)}

    def first(self) -> int:
        """The first non-empty set; 0 if all are empty."""
        while (index := self._next[0]) and not self._sets[index]:
            self._next[0] = after = self._next[index]
            self._before[after] = 0
        return self._sets[index]

    def drop_from_first(self, members: int) -> None:
        self._sets[self._next[0]] &= ~members

    def bring_forward(self, chosen: int) -> None:
        """Split each set: its chosen members come first."""
        split: dict[int, int] = {}
        for node in bits(chosen):
            index = self._home[node]
            split[index] = split.get(index, 0) | 1 << node
        for index, members in split.items():
            if members != self._sets[index]:
                self._insert(members, index)

    def _insert(self, members: int, index: int) -> None:
        fresh, before = len(self._sets), self._before[index]
        self._sets[index] ^= members
        self._sets.append(members)
        self._next.append(index)
        self._before.append(before)
        self._next[before] = self._before[index] = fresh
        for node in bits(members):
            self._home[node] = fresh


def _orders(size: int, prefixes: Sequence[int]) -> int:
    """φ: the number of orders of a clique of which no prefix is one of the nested sets of these sizes."""
    first: list[int] = []  # the number of orders of each nested set of which no prefix is a smaller one
    for number, total in enumerate([*prefixes, size]):
        # Orders by the smallest set that is a prefix: that set in its own first orders, the rest in any order.
        inner = sum(first[index] * factorial(total - smaller) for index, smaller in enumerate(prefixes[:number]))
        first.append(factorial(total) - inner)
    return first[-1]


def _order_clique(clique: int, separators: Sequence[int], rng: np.random.Generator) -> list[int]:
    """A random order without a separator as its prefix, by rejection; about half of the orders or more are accepted."""
    members, refused = np.array(list(bits(clique))), set(separators)
    while True:
        order = [int(node) for node in rng.permutation(members)]
        prefix, fits = 0, True
        for node in order:
            prefix |= 1 << node
            fits = fits and prefix not in refused
        if fits:
            return order


def _below(limit: int, rng: np.random.Generator) -> int:
    """A uniform random integer from 0 to below a limit of any size."""
    size = limit.bit_length()
    while True:
        # By rejection: counts have hundreds of digits, and the remainder of a division would favour small ones.
        number = int.from_bytes(rng.bytes((size + 7) // 8), "little") >> (-size % 8)
        if number < limit:
            return number
