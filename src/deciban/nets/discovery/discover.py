"""``discover``: from a table, or from an oracle, to the class of graphs that it comes from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal, get_args

from deciban.choices import check_choice
from deciban.errors import InputError, ParameterError
from deciban.nets.data.binning import BinRule, binned, check_bins
from deciban.nets.data.node_rows import ColumnRole
from deciban.nets.data.samples import CodedSample, NetSample, RowOptions, read_variables
from deciban.nets.discovery.fci import find_marks
from deciban.nets.discovery.knowledge import Knowledge, Limits
from deciban.nets.discovery.orient import COLLIDER_RULES, ColliderRule, Judged, judge_triples, orient
from deciban.nets.discovery.result import Collider, Conflict, Discovery
from deciban.nets.discovery.rfci import find_marks_locally
from deciban.nets.discovery.skeleton import (
    PlainEngine,
    Progress,
    Step,
    engine_of,
    find_screens,
    find_skeleton,
    remove_implied,
    separate_forbidden,
)
from deciban.nets.graphs.graph import Node, sort_key
from deciban.nets.independence.contingency import ChiSquared, GSquared
from deciban.nets.independence.fisher_z import FisherZ
from deciban.nets.independence.independence_test import ADVICE, Independence, IndependenceTest, SourceFacts
from deciban.nets.independence.mixed import ConditionalGaussian, DegenerateGaussian
from deciban.nets.independence.mixed_cmi import MixedCMI
from deciban.nets.independence.ordered import MantelHaenszel

__all__ = ["TESTS", "TestName", "discover", "read_test"]


Method = Literal["pc", "ic", "fci", "rfci"]
Missing = Literal["error", "skip", "drop", "state"]


@dataclass(frozen=True)
class _Plan:
    """How to search, apart from the source of independences."""

    method: Method
    knowledge: Knowledge | None
    max_given: int | None
    collider_rule: ColliderRule
    fdr: bool

    def run(self, source: Independence, progress: Progress | None = None) -> Discovery:
        """Search, with the variables in the order of their names."""
        facts = SourceFacts.of(source)
        nodes = tuple(sorted(facts.nodes, key=sort_key(facts.nodes)))
        if not nodes:
            raise InputError("the source has no variables.")
        limits = Limits.none(len(nodes)) if self.knowledge is None else self.knowledge.limits(nodes)
        # Where the answers are exact, all separating sets say the same; IC looks at no others than the first.
        rule = "first" if facts.is_exact or self.method == "ic" else self.collider_rule
        is_bounded = self.max_given is not None
        engine = engine_of(facts, nodes, is_bounded=is_bounded)
        if self.method == "fci":
            # A source without p-values is taken at its word, as an oracle is: no cap on sets, no check of the class.
            is_exact = facts.is_exact or facts.test is None
            skeleton, judged, oriented = find_marks(engine, limits, nodes, rule, self.max_given, is_exact, progress)
        elif self.method == "rfci":
            skeleton, judged, oriented = find_marks_locally(engine, limits, nodes, rule, self.max_given, progress)
        else:
            if self.method == "ic":
                engine = plain = PlainEngine(facts, nodes, is_bounded)
                skeleton = find_screens(plain, limits, len(nodes), self.max_given)
            else:
                rate = engine.rules.alpha if self.fdr else None
                skeleton = find_skeleton(engine, limits, max_given=self.max_given, fdr=rate, progress=progress)
            # In this order: an implied edge is no neighbour, so it gives no set to separate what knowledge forbids, and
            # only the final adjacencies say which triples are unshielded.
            skeleton = remove_implied(skeleton, engine, limits.required | limits.required.T)
            skeleton = separate_forbidden(skeleton, engine, limits, self.max_given)
            judged = judge_triples(engine, skeleton, limits, rule, self.max_given)
            oriented = orient(skeleton.adjacent, judged, limits, nodes)
        # Back in the order of the table; the search itself is in that of the names, which settles every tie.
        return Discovery(
            graph=oriented.graph._reordered(facts.nodes),
            method=self.method,
            test=source,
            colliders=tuple(
                Collider(nodes[one.x], nodes[one.z], nodes[one.y], *one.evidence, one.strength)
                for one in oriented.colliders
            ),
            conflicts=tuple(
                Conflict(None if one is None else _named(nodes, one), reason) for one, reason in oriented.conflicts
            ),
            ambiguous=tuple(_named(nodes, one) for one in judged if one.is_collider is None),
            tests=skeleton.tests,
            unsure=skeleton.unsure,
            too_large=skeleton.too_large,
            depth=max((step.size for step in skeleton.steps), default=0),
            reasons={(nodes[a], nodes[b]): why for (a, b), why in oriented.reasons.items()},
            skeleton=skeleton,
            again=self.run,
        )


def _named(nodes: Sequence[Node], one: Judged) -> tuple[Node, Node, Node]:
    return nodes[one.x], nodes[one.z], nodes[one.y]


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
    columns: Mapping[Any, ColumnRole] | None = None,
    bins: int | BinRule | None = None,
    sample_weight: Any = None,
    missing: Missing = "error",
    progress: bool | Progress = False,
) -> Discovery:
    """Find the class of causal graphs that explains the independences in a table.

    Parameters
    ----------
    source : table, files or source of independences
        A frame, an array, a mapping of columns or a list of records; rows in files: a name, a glob, a folder or a list
        of these, which are read once into memory-mapped temporary files; an ``Oracle``, or any object with ``nodes``
        and ``independent(x, y, given)``.
    method : {"pc", "ic", "fci", "rfci"}
        "pc": PC-stable, on all cores. "ic": the three steps of the IC algorithm over all sets; slow and readable. Both
        assume that there are no hidden common causes. "fci" does not: its graph is a ``PAG``. "rfci" is its form for
        more than some fifty variables: what it says of causes is as right, but it looks for no distant separating sets,
        so that some edges may be left that "fci" removes.
    test : {"auto", "g2", "x2", "cmh", "fisher_z", "cg", "dg", "mixed_cmi"} or test
        "auto": "fisher_z" where every column holds numbers of many different values, "g2" where every column holds
        categories, or "cmh" if some of these are ordered, "cg" where there are both; ``notes`` of the result say which
        is which. "g2" and "x2" count the different values of each column, whole numbers too; "cmh" also looks for
        trends of ordered columns (``MantelHaenszel``). "fisher_z" is for numbers that are jointly normal, "cg" for
        numbers that are so in each cell of the categories (``ConditionalGaussian``); "dg" is its faster form, without
        differences between cells (``DegenerateGaussian``). "mixed_cmi" finds dependences of any form in up to 5,000
        rows, and is slow (``MixedCMI``). Or a test such as ``GSquared(df="full")``, or your own: an object with the
        attributes of ``deciban.nets.IndependenceTest``.
    alpha : float
        Pairs with p > alpha are treated as independent.
    knowledge : Knowledge, optional
        Required and forbidden arrows, and tiers. To "fci" and "rfci" a forbidden arrow a → b says that a is no cause
        of b.
    max_given : int, optional
        The largest number of variables to condition on. Without it, sets are tested while there are enough rows: not
        those whose full table would have too few for its degrees of freedom (``GSquared(rows_per_df=…)``), and by
        "fci", in a sample, no sets beyond the neighbours where there are thousands of a size.
    collider_rule : {"opening", "max_p", "majority", "conservative", "first"}
        How separating sets are compared to decide whether a triple is a collider.
    fdr : bool
        Whether to remove edges until the expected share of false ones among the rest is alpha. For "pc" only.
    columns : mapping, optional
        The kinds of columns that are not as wanted, such as ``{"zip": "category", "age": "number"}``. A category whose
        states have an order is "ordered" where this is that of its values, or a list of the states from the least to
        the greatest, ``{"size": ["S", "M", "L"]}``. Ordered categoricals of pandas, enums of polars and ordered
        dictionaries of Arrow, all in memory, need no such entry.
    bins : int or {"quantile", "mdl"}, optional
        Cut numbers into bins, and count all columns: into so many bins of about as many rows, or four of them with
        "quantile"; with "mdl" where the cuts tell the states of a category apart, by minimum description length.
    sample_weight : array or column name, optional
        How many rows each row stands for; of rows in files, the name of a column.
    missing : {"error", "skip", "drop", "state"}
        "error" refuses a missing value, "skip" leaves its row out of each test that needs it, "drop" leaves its row out
        of all tests, "state" makes it a state of its own.
    progress : bool or function
        True shows a bar for each size of sets on the standard error; a function is called after each size with an
        object that has the ``size``, the number of ``tests`` and of ``edges`` left.

    Returns
    -------
    Discovery
        The graph and the tests that led to it. Neither the order of columns and rows nor the number of threads changes
        it.

    Raises
    ------
    InputError
        If a column is not of a kind that the test reads.
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
        if bins is not None or columns is not None:
            raise ParameterError("a source of independences has no columns to read: leave out bins and columns.")
    else:
        source = _test_on(source, test, alpha, columns, bins, sample_weight, missing)
    with _reporting(progress) as report:
        return _Plan(method, knowledge, max_given, collider_rule, fdr).run(source, report)


def _test_on(
    data: Any,
    test: TestName | IndependenceTest,
    alpha: float,
    columns: Mapping[Any, ColumnRole] | None,
    bins: int | BinRule | None,
    sample_weight: Any,
    missing: Missing,
) -> Independence:
    """The test on the rows of a table."""
    chosen = read_test(test)
    options = RowOptions(sample_weight=sample_weight, missing=missing, choices=get_args(Missing))
    reads = None if chosen is None else chosen.reads
    if bins is not None:
        check_bins(bins)
        if reads not in (None, "categories"):
            raise ParameterError('bins are categories: pass test="g2", or leave out bins.')
        mixed = read_variables(data, "mixed", ADVICE, columns=columns, **options)
        # Bins have an order, too, but nobody has asked to use it.
        sample: NetSample = binned(mixed, bins)
        is_ordered = bool(mixed.categories.ordered)
    else:
        sample = read_variables(data, reads, ADVICE, columns=columns, **options)
        is_ordered = isinstance(sample, CodedSample) and bool(sample.ordered)
    if chosen is None:
        chosen = TESTS["cmh" if is_ordered else AUTO[sample.reads]]()
    return chosen.on(sample, alpha=alpha)


@contextmanager
def _reporting(progress: bool | Progress) -> Iterator[Progress | None]:
    """What the search calls with each step."""
    if callable(progress):
        yield lambda step: progress(step) if step.share == 1 else None
    elif progress:
        with _bars() as show:
            yield show
    else:
        yield None


@contextmanager
def _bars() -> Iterator[Progress]:
    """A bar for each size of conditioning sets."""
    # rich takes long to import, and most calls show no bar
    from rich.console import Console  # noqa: PLC0415
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn  # noqa: PLC0415
    from rich.progress import Progress as Bars  # noqa: PLC0415

    tests = TextColumn("{task.fields[tests]:,} tests, {task.fields[edges]:,} edges left")
    columns = TextColumn("given {task.fields[size]}"), BarColumn(), tests, TimeElapsedColumn()
    with Bars(*columns, console=Console(stderr=True)) as bars:
        task = None

        def show(step: Step) -> None:
            nonlocal task
            if task is None:
                task = bars.add_task("", total=1.0, size=step.size, tests=0, edges=0)
            bars.update(task, completed=step.share, tests=step.tests, edges=step.edges)
            if step.share == 1:
                task = None  # the next step is of the next size

        yield show


def _check(method: str, alpha: float, max_given: int | None, collider_rule: str) -> None:
    check_choice("method", method, get_args(Method))
    if not 0 < alpha < 1:
        raise ParameterError(f"alpha lies between 0 and 1; it is {alpha!r}.")
    if max_given is not None and max_given < 0:
        raise ParameterError(f"max_given is a number of variables, not {max_given!r}.")
    check_choice("collider_rule", collider_rule, tuple(COLLIDER_RULES))


TestName = Literal["auto", "g2", "x2", "cmh", "fisher_z", "cg", "dg", "mixed_cmi"]

TESTS: dict[str, Callable[[], IndependenceTest]] = {
    "g2": GSquared,
    "x2": ChiSquared,
    "cmh": MantelHaenszel,
    "fisher_z": FisherZ,
    "cg": ConditionalGaussian,
    "dg": DegenerateGaussian,
    "mixed_cmi": MixedCMI,
}
"""The tests that ``discover`` finds by name: name → a function that makes the test."""

AUTO = {"categories": "g2", "numbers": "fisher_z", "mixed": "cg"}
"""The test that "auto" stands for, by what the columns hold; it is "cmh" of categories with declared orders."""


def read_test(test: object) -> IndependenceTest | None:
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
