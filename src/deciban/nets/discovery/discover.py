"""``discover``: from a table, or from an oracle, to the class of graphs that it comes from."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, get_args

import numpy as np

from deciban.choices import check_choice
from deciban.errors import InputError, ParameterError
from deciban.nets.data.reading import read_variables
from deciban.nets.discovery.engine import Engine, Found, PlainEngine, engine_of
from deciban.nets.discovery.fci import Marked, find_marks
from deciban.nets.discovery.knowledge import Knowledge, Limits
from deciban.nets.discovery.orient import Oriented, orient
from deciban.nets.discovery.result import Collider, Conflict, Discovery
from deciban.nets.discovery.skeleton import (
    Implied,
    Skeleton,
    Step,
    find_screens,
    find_skeleton,
    remove_implied,
    separate_forbidden,
)
from deciban.nets.discovery.triples import COLLIDER_RULES, ColliderRule, Judged, judge_triples
from deciban.nets.graphs.dag import CPDAG, PDAG
from deciban.nets.graphs.graph import Node, sort_key
from deciban.nets.graphs.marked import PAG
from deciban.nets.independence.contingency import ChiSquared, GSquared
from deciban.nets.independence.fisher_z import FisherZ
from deciban.nets.independence.independence_test import ADVICE, Independence, IndependenceTest, TestResult, Verdict

__all__ = ["TESTS", "TestName", "discover", "read_test"]


Method = Literal["pc", "ic", "fci"]
Missing = Literal["error", "skip", "drop", "state"]
Progress = bool | Callable[[Step], None]


@dataclass(frozen=True)
class _Plan:
    """How to search, apart from the test."""

    method: Method
    knowledge: Knowledge | None
    max_given: int | None
    collider_rule: ColliderRule
    fdr: bool


def discover(
    source: Any,
    method: Method = "pc",
    *,
    test: TestName | IndependenceTest = "auto",
    alpha: float = 0.01,
    knowledge: Knowledge | None = None,
    max_given: int | None = None,
    collider_rule: ColliderRule = "opening",
    fdr: bool = False,
    sample_weight: Any = None,
    missing: Missing = "error",
    progress: Progress = False,
) -> Discovery:
    """Find the class of causal graphs that explains the independences in a table.

    Parameters
    ----------
    source : table, files or source of independences
        A frame, an array, a mapping of columns or a list of records; rows in files: a name, a glob, a folder or a list
        of these, which are read once into memory-mapped temporary files; an ``Oracle``, or any object with ``nodes``
        and ``independent(x, y, given)``.
    method : {"pc", "ic", "fci"}
        "pc": PC-stable, on all cores. "ic": the three steps of the IC algorithm over all sets; slow and readable. Both
        assume that there are no hidden common causes. "fci" does not: its graph is a ``PAG``.
    test : {"auto", "g2", "x2", "fisher_z"} or test
        "auto": "fisher_z" where every column holds numbers of many different values, "g2" where every column holds
        categories; a mixture is an error. "g2" and "x2" count the different values of each column, whole numbers too.
        "fisher_z" is for numbers that are jointly normal. Or a test such as ``GSquared(df="full")``, or your own: an
        object with the attributes of ``deciban.nets.IndependenceTest``.
    alpha : float
        Pairs with p > alpha are treated as independent.
    knowledge : Knowledge, optional
        Required and forbidden arrows, and tiers. To "fci" a forbidden arrow a → b says that a is not a cause of b.
    max_given : int, optional
        The largest number of variables to condition on. Without it, sets are tested while there are enough rows: not
        those whose full table would have fewer than 5 rows for each degree of freedom (``GSquared(rows_per_df=…)``),
        and by "fci", in a sample, no sets beyond the neighbours where there are thousands of a size.
    collider_rule : {"opening", "max_p", "majority", "conservative", "first"}
        How separating sets are compared to decide whether a triple is a collider.
    fdr : bool
        Whether to remove edges until the expected share of false ones among the rest is alpha. For "pc" only.
    sample_weight : array or column name, optional
        How many rows each row stands for; of rows in files, the name of a column.
    missing : {"error", "skip", "drop", "state"}
        "error" refuses a missing value, "skip" leaves its row out of each test that needs it, "drop" leaves its row out
        of all tests, "state" makes it a state of its own.
    progress : bool or function
        True prints a line for each size of sets to the standard error; a function is called with an object that has
        the ``size``, the number of ``tests`` and of ``edges`` left.

    Returns
    -------
    Discovery
        The graph and the tests that led to it. Neither the order of columns and rows nor the number of threads changes
        it.

    Raises
    ------
    InputError
        If the columns are not of a kind that one test reads.
    KnowledgeError
        If the knowledge names an unknown variable.

    See Also
    --------
    search : Search for the graph with the best score instead.
    Oracle : Independences of a known graph, to try a method.
    Knowledge : What is known beforehand.

    Examples
    --------
    >>> import deciban as db
    >>> dag = db.DAG(
    ...     [("season", "rain"), ("season", "sprinkler"), ("rain", "wet"), ("sprinkler", "wet")]
    ... )
    >>> db.discover(db.Oracle(dag)).graph
    CPDAG(rain → wet, sprinkler → wet, rain — season, season — sprinkler)

    From rows:

    >>> rows = {
    ...     "rain": [0, 0, 1, 1] * 25,
    ...     "sprinkler": [0, 1, 0, 1] * 25,
    ...     "wet": [0, 1, 1, 1] * 25,
    ... }
    >>> found = db.discover(rows)
    >>> found
    Discovery(pc: 3 variables, 2 arrows, 0 undirected edges, 5 tests, 0 conflicts)
    >>> found.graph
    CPDAG(rain → wet, sprinkler → wet)

    With a hidden common cause of smoking and cancer:

    >>> town = db.DAG(
    ...     [
    ...         ("age", "smoking"),
    ...         ("gene", "smoking"),
    ...         ("gene", "cancer"),
    ...         ("asbestos", "cancer"),
    ...     ]
    ... )
    >>> db.discover(db.Oracle(town, latent=["gene"]), method="fci").graph
    PAG(age o→ smoking, asbestos o→ cancer, cancer ↔ smoking)
    """
    _check(method, alpha, max_given, collider_rule)
    if fdr and method != "pc":
        raise ParameterError(f'fdr is for method="pc"; leave it out with {method!r}.')
    if hasattr(source, "independent"):
        if sample_weight is not None:
            raise ParameterError("a source of independences has no rows to weigh: leave out sample_weight.")
        ready = source
    else:
        ready = _test_on(source, test, alpha, sample_weight, missing)
    plan = _Plan(method, knowledge, max_given, collider_rule, fdr)
    return _search(plan, _reporter(progress), ready)


def _test_on(data: Any, test: Any, alpha: float, sample_weight: Any, missing: Missing) -> Independence:
    """The test on the rows of a table."""
    chosen = read_test(test)
    options = {"sample_weight": sample_weight, "missing": missing, "choices": get_args(Missing)}
    sample = read_variables(data, None if chosen is None else chosen.reads, ADVICE, **options)
    if chosen is None:
        chosen = TESTS[AUTO[sample.reads]]()
    return chosen.on(sample, alpha=alpha)


def _reporter(progress: Progress) -> Callable[[Step], None] | None:
    """The function to call after each size of conditioning sets, if any."""
    if callable(progress):
        return progress
    return _print_step if progress else None


def _print_step(step: Step) -> None:
    print(f"given {step.size}: {step.tests:,} tests, {step.edges:,} edges left", file=sys.stderr)


def _check(method: Any, alpha: Any, max_given: Any, collider_rule: Any) -> None:
    check_choice("method", method, get_args(Method))
    if not 0 < alpha < 1:
        raise ParameterError(f"alpha lies between 0 and 1; it is {alpha!r}.")
    if max_given is not None and max_given < 0:
        raise ParameterError(f"max_given is a number of variables, not {max_given!r}.")
    check_choice("collider_rule", collider_rule, tuple(COLLIDER_RULES))


def _search(plan: _Plan, show: Any, test: Any) -> Discovery:
    nodes = tuple(sorted(test.nodes, key=sort_key(test.nodes)))
    if not nodes:
        raise InputError("the source has no variables.")
    limits = Limits.none(len(nodes)) if plan.knowledge is None else plan.knowledge.limits(nodes)
    again = partial(_search, plan, None)
    # Where the answers are exact, all separating sets say the same.
    is_exact = getattr(test, "is_exact", False)
    is_bounded = plan.max_given is not None
    engine: Engine
    rule = "first" if is_exact or plan.method == "ic" else plan.collider_rule
    if plan.method == "fci":
        is_exact = is_exact or not hasattr(test, "test")
        engine = engine_of(test, nodes, is_bounded=is_bounded)
        found = find_marks(engine, limits, nodes, rule, plan.max_given, is_exact, show)
        return _result(plan, test, nodes, found.skeleton, found.judged, found, again)
    plain = PlainEngine(test, nodes, is_bounded=is_bounded)
    engine = plain if plan.method == "ic" else engine_of(test, nodes, is_bounded=is_bounded)
    if plan.method == "ic":
        skeleton = find_screens(plain, limits, nodes, plan.max_given)
    else:
        rate = engine.rules[0] if plan.fdr else None
        skeleton = find_skeleton(engine, limits, max_given=plan.max_given, fdr=rate, progress=show)
    remove_implied(skeleton, engine, limits.required | limits.required.T)
    separate_forbidden(skeleton, engine, limits, plan.max_given)
    judged = judge_triples(engine, skeleton, limits, rule, plan.max_given)
    return _result(plan, test, nodes, skeleton, judged, orient(skeleton.adjacent, judged, limits, nodes), again)


def _result(
    plan: _Plan,
    test: Any,
    nodes: Sequence[Node],
    skeleton: Skeleton,
    judged: Sequence[Judged],
    found: Oriented | Marked,
    again: Callable[[Any], Discovery],
) -> Discovery:
    measure = getattr(test, "name", "independence")
    power = float(getattr(test, "rules", (0.5, 0.0, False))[1])
    return Discovery(
        graph=_graph(found, nodes, test.nodes),
        method=plan.method,
        test=test,
        colliders=tuple(_collider(nodes, one) for one in found.colliders),
        conflicts=tuple(Conflict(_named(nodes, one), reason) for one, reason in found.conflicts),
        trail=partial(_trail, nodes, skeleton, measure, power),
        ambiguous=tuple((nodes[t.x], nodes[t.z], nodes[t.y]) for t in judged if t.is_collider is None),
        tests=skeleton.tests,
        unsure=skeleton.unsure,
        too_large=skeleton.too_large,
        depth=max((step.size for step in skeleton.steps), default=0),
        reasons={(nodes[a], nodes[b]): why for (a, b), why in found.reasons.items()},
        again=again,
    )


def _graph(oriented: Oriented | Marked, nodes: Sequence[Node], wanted: Sequence[Node]) -> PDAG | PAG:
    """The graph with its nodes in the order wanted."""
    if isinstance(oriented, Marked):
        return PAG(oriented.graph.edges, wanted)
    index = {node: i for i, node in enumerate(wanted)}
    move = [index[node] for node in nodes]
    kind = CPDAG if oriented.is_class else PDAG
    found = PDAG._made(nodes, oriented.parents, oriented.neighbours)
    matrix = found.adjacency()
    out = np.zeros_like(matrix)
    out[np.ix_(move, move)] = matrix
    ordered = PDAG.from_adjacency(out, wanted)
    return kind._made(wanted, ordered._parent_masks, ordered._neighbour_masks)


def _trail(nodes: Sequence[Node], skeleton: Skeleton, measure: str, power: float) -> tuple[TestResult, ...]:
    out = {pair: _removed(nodes, pair, found, measure, power) for pair, found in skeleton.removed.items()}
    out |= {pair: _implied(nodes, pair, found, measure) for pair, found in skeleton.implied.items()}
    return tuple(found for _, found in sorted(out.items()))


def _removed(nodes: Sequence[Node], pair: tuple[int, int], found: Found, measure: str, power: float) -> TestResult:
    given = tuple(nodes[z] for z in found.given)
    statistic, df, rows, p = found.values
    # Too few rows, or nothing left to test: the rule for such tests removed the edge, not the data.
    is_sure = rows >= power * df and (df > 0 or not given)
    verdict: Verdict = "independent" if is_sure else "none"
    return TestResult(nodes[pair[0]], nodes[pair[1]], given, statistic, df, rows, p, verdict, measure)


def _implied(nodes: Sequence[Node], pair: tuple[int, int], found: Implied, measure: str) -> TestResult:
    given, determined = tuple(nodes[z] for z in found.given), (nodes[found.node],)
    return TestResult(nodes[pair[0]], nodes[pair[1]], given, 0.0, 0.0, 0.0, 1.0, "none", measure, determined)


def _collider(nodes: Sequence[Node], one: Judged) -> Collider:
    return Collider(nodes[one.x], nodes[one.z], nodes[one.y], *one.evidence, one.strength)


def _named(nodes: Sequence[Node], one: Judged | None) -> tuple[Node, Node, Node] | None:
    return None if one is None else (nodes[one.x], nodes[one.z], nodes[one.y])


TestName = Literal["auto", "g2", "x2", "fisher_z"]

TESTS: dict[str, Callable[[], IndependenceTest]] = {"g2": GSquared, "x2": ChiSquared, "fisher_z": FisherZ}
"""The tests that ``discover`` finds by name: name → a function that makes the test."""

AUTO = {"categories": "g2", "numbers": "fisher_z"}
"""The test that "auto" stands for, by what the columns hold."""


def read_test(test: Any) -> IndependenceTest | None:
    """A test by its name, or as it is; None for "auto"."""
    if isinstance(test, str):
        check_choice("test", test, ("auto", *TESTS), other=", or a test such as GSquared()")
        return None if test == "auto" else TESTS[test]()
    test = test() if isinstance(test, type) else test
    if not isinstance(test, IndependenceTest):
        raise ParameterError(
            f"test is one of {', '.join(map(repr, ('auto', *TESTS)))}, or an object with the attribute reads and the "
            f"method on(data, alpha=…), such as GSquared(); not {test!r}."
        )
    return test
