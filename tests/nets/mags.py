"""All small MAGs, m-separation by its definition, and classes of MAGs by what they separate: no code under test."""

from __future__ import annotations

import itertools
from functools import cache

# The marks at both ends of an edge from i to j, i < j; "" is no edge.
ENDS = [("", ""), ("tail", "arrow"), ("arrow", "tail"), ("arrow", "arrow")]


def all_mags(count):
    """Every maximal ancestral graph of directed and bidirected edges on 0 … count − 1, as {(i, j): mark at j}."""
    for marks in _all_marked(count):
        if _is_ancestral(marks, count) and _is_maximal(marks, count):
            yield marks


def _all_marked(count):
    pairs = list(itertools.combinations(range(count), 2))
    for ends in itertools.product(ENDS, repeat=len(pairs)):
        marks = {}
        for (i, j), (at_i, at_j) in zip(pairs, ends, strict=True):
            if at_i:
                marks[j, i], marks[i, j] = at_i, at_j
        yield marks


def ancestors(marks, node):
    """The node and whatever leads to it."""
    found, waiting = {node}, [node]
    while waiting:
        b = waiting.pop()
        for a, c in marks:
            if c == b and marks[a, b] == "arrow" and marks[b, a] == "tail" and a not in found:
                found.add(a)
                waiting.append(a)
    return found


def _is_ancestral(marks, count):
    above = {node: ancestors(marks, node) for node in range(count)}
    # An arrowhead at b of the edge between a and b says that b is no cause of a; a tail that it is one.
    return all((b in above[a]) == (mark == "tail") for (a, b), mark in marks.items())


def _is_maximal(marks, count):
    return all(
        (x, y) in marks or any(not is_connected(marks, x, y, given) for given in _sets(count, x, y))
        for x, y in itertools.combinations(range(count), 2)
    )


def _sets(count, x, y):
    others = [z for z in range(count) if z not in (x, y)]
    return [set(s) for size in range(len(others) + 1) for s in itertools.combinations(others, size)]


def is_connected(marks, x, y, given):
    """Whether some path is m-connecting, path by path."""
    opened = set().union(*(ancestors(marks, z) for z in given)) if given else set()

    def go_on(path):
        if path[-1] == y:
            return True
        for nxt in {b for a, b in marks if a == path[-1]} - set(path):
            if len(path) > 1:
                before, node = path[-2:]
                is_collider = marks[before, node] == "arrow" == marks[nxt, node]
                if node not in opened if is_collider else node in given:
                    continue
            if go_on([*path, nxt]):
                return True
        return False

    return go_on([x])


def signature(marks, count):
    """All separations."""
    return frozenset(
        (x, y, frozenset(given))
        for x, y in itertools.combinations(range(count), 2)
        for given in _sets(count, x, y)
        if not is_connected(marks, x, y, given)
    )


@cache
def classes(count):
    """For each set of separations the marks on which all MAGs with them agree, and those MAGs."""
    found = {}
    for marks in all_mags(count):
        found.setdefault(signature(marks, count), []).append(marks)
    return {key: (common(members), members) for key, members in found.items()}


def common(members):
    """Marks where all agree, else a circle."""
    return {pair: mark if all(m[pair] == mark for m in members) else "circle" for pair, mark in members[0].items()}


def matrix_of(marks, count):
    """The matrix of marks, as a graph reads it."""
    return [[marks.get((i, j), "") for j in range(count)] for i in range(count)]


def equivalents(marks, count):
    """All MAGs with the same separations: they have the same adjacencies, so every way to mark these is tried."""
    pairs = sorted((a, b) for a, b in marks if a < b)
    found = []
    for ends in itertools.product(ENDS[1:], repeat=len(pairs)):
        other = {}
        for (a, b), (at_a, at_b) in zip(pairs, ends, strict=True):
            other[b, a], other[a, b] = at_a, at_b
        if _is_ancestral(other, count) and _separates_alike(marks, other, count):
            found.append(other)
    return found


def _separates_alike(one, other, count):
    return all(
        is_connected(one, x, y, given) == is_connected(other, x, y, given)
        for x, y in itertools.combinations(range(count), 2)
        if (x, y) not in one
        for given in _sets(count, x, y)
    )


def marks_of(graph):
    """The marks of a graph on 0 … n − 1, as here."""
    return {(a, b): graph.mark(a, b) for a in graph.nodes for b in graph.nodes if graph.mark(a, b)}


def canonical(marks, count):
    """A DAG with these separations of 0 … count − 1, and its latent nodes: each a ↔ b is a ← latent → b."""
    arrows, latent = [], []
    for (a, b), mark in marks.items():
        if mark == "arrow" and marks[b, a] == "tail":
            arrows.append((a, b))
        elif a < b and mark == "arrow" == marks[b, a]:
            latent.append(count + len(latent))
            arrows += [(latent[-1], a), (latent[-1], b)]
    return arrows, latent
