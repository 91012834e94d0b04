"""Fitting a net to any table: what each node is, and the fit of the kind of net that this makes.

all categories      counts, and tables from these (``TableFit``)
all numbers         moments, and regressions from these (``GaussianFit``)
both                counts and moments, in each configuration of categorical parents (``MixedFit``)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from deciban.choices import check_choice, closest
from deciban.errors import InputError, ParameterError
from deciban.nets.data.node_rows import NodeKind, read_kinds, read_states
from deciban.nets.data.samples import CodedSample, MixedSample, NetSample, NumberSample, read_net_sample
from deciban.nets.graphs.dag import DAG
from deciban.nets.graphs.graph import Node
from deciban.nets.learning.em import fit_incomplete_numbers, fit_incomplete_tables
from deciban.nets.learning.families import check_cells, tally_families
from deciban.nets.learning.fit import EM, FitSettings, FixedStates, GaussianFit, MixedFit, NetFit, TableFit
from deciban.nets.learning.linear_gaussian import GaussianTally
from deciban.nets.learning.mixed import Cuts, check_mixed_cells, find_cuts, tally_mixed
from deciban.nets.learning.mixed_em import fit_incomplete_mixed
from deciban.types import Floats

__all__ = ["CutRule", "GivenCuts", "NodeKinds", "choose_cuts", "fit_sample", "fit_table", "read_cuts"]

CutRule = Literal["bins", "error"]
"""What is done with the numeric parents of a category: cut them into bins, or refuse them."""

GivenCuts = Mapping[Any, Mapping[Any, Any]]
"""Category → numeric parent → the ends of its bins."""

NodeKinds = Mapping[Any, Any]
"""Node → "category" or "number"."""


def fit_table(
    dag: DAG,
    data: Any,
    settings: FitSettings,
    em: EM,
    *,
    states: FixedStates | None = None,
    columns: NodeKinds | None = None,
    cuts: GivenCuts | None = None,
    cut: CutRule = "bins",
    sample_weight: ArrayLike | None = None,
    interventions: Any = None,
) -> NetFit:
    """Fit the families of a graph to the rows of a table: see ``BayesNet.fit``."""
    check_choice("cut", cut, get_args(CutRule))
    fixed, kinds = read_states(dag.nodes, states), read_kinds(dag.nodes, columns)
    numbers = [node for node in fixed if kinds.get(node) == "number"]
    if numbers:
        raise ParameterError(f"{numbers[0]!r} is a number in columns, and has states: leave out one of the two.")
    sample, chosen = read_net_sample(
        data,
        dag.nodes,
        kinds=kinds,
        fixed=fixed,
        sample_weight=sample_weight,
        missing=settings.missing,
        interventions=interventions,
    )
    return fit_sample(dag, sample, chosen, settings, em, cuts, cut)


def fit_sample(
    dag: DAG,
    sample: NetSample,
    chosen: Mapping[Node, tuple[NodeKind, str]],
    settings: FitSettings,
    em: EM,
    cuts: GivenCuts | None,
    cut: CutRule,
) -> NetFit:
    """The fit of rows that were read."""
    # Read for every net, as cuts for a net without numbers are a mistake.
    read_cuts(dag, cuts, {node for node, (kind, _) in chosen.items() if kind == "number"})
    if isinstance(sample, CodedSample):
        check_cells(dag, sample.states, settings.limit)
        if settings.missing == "em":
            return fit_incomplete_tables(dag, sample, settings, em)
        return TableFit(tally_families(dag, sample), settings)
    if isinstance(sample, NumberSample):
        if settings.missing == "em":
            return fit_incomplete_numbers(dag, sample, "ml", em)
        tally = GaussianTally.of(dag, sample.values, sample.sample_weight, sample.interventions)
        return GaussianFit(tally, "ml", settings.missing)
    found = choose_cuts(dag, sample, cuts, cut)
    check_mixed_cells(dag, sample.categories.states, found, settings.limit)
    reasons = {node: reason for node, (_, reason) in chosen.items()}
    if settings.missing == "em":
        return fit_incomplete_mixed(dag, sample, found, settings, em, reasons)
    return MixedFit(tally_mixed(dag, sample, found, settings.limit), settings, reasons)


def choose_cuts(dag: DAG, sample: MixedSample, cuts: GivenCuts | None, cut: CutRule) -> Cuts:
    """The cuts that a user gives, and those that rows decide."""
    given = read_cuts(dag, cuts, set(sample.numbers.names))
    if cut == "error":
        _check_cut(dag, sample.numbers.names, given)
    return find_cuts(dag, sample, given)


def _check_cut(dag: DAG, numbers: Sequence[Node], given: Cuts) -> None:
    for node in dag.nodes:
        above = [up for up in numbers if up in dag.parents(node) and up not in given.get(node, {})]
        if node not in numbers and above:
            raise InputError(
                f"{node!r} is a category, and its parent {above[0]!r} is a number, which a table needs in bins. Pass "
                'cut="bins" for bins that separate the states, or the ends of the bins in cuts.'
            )


def read_cuts(dag: DAG, cuts: GivenCuts | None, numbers: set[Node]) -> Cuts:
    """The cuts that a user gives, as arrays.

    >>> read_cuts(DAG([("age", "ill")]), {"ill": {"age": [40, 65]}}, {"age"})
    {'ill': {'age': array([40., 65.])}}
    """
    example = 'a mapping such as {"ill": {"age": [40, 65]}}'
    if cuts is None:
        return {}
    if not isinstance(cuts, Mapping):
        raise ParameterError(f"cuts is {example}, not {cuts!r}")
    out: dict[Node, dict[Node, Floats]] = {}
    for node, of_node in cuts.items():
        if node not in dag.nodes:
            raise ParameterError(f"cuts names {node!r}, which is not a node of the graph.{closest(node, dag.nodes)}")
        if not isinstance(of_node, Mapping):
            raise ParameterError(f"cuts is {example}; for {node!r} it has {of_node!r}")
        if node in numbers and of_node:
            raise ParameterError(f"cuts are of the numeric parents of categories, and {node!r} is a number")
        for up, ends in of_node.items():
            if up not in dag.parents(node) or up not in numbers:
                raise ParameterError(f"cuts has {up!r} for {node!r}, which is not a parent of it that is a number")
            out.setdefault(node, {})[up] = _read_ends(node, up, ends)
    return out


def _read_ends(node: Node, up: Node, ends: Any) -> Floats:
    try:
        read = np.array(ends, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        read = np.array([np.nan])
    if read.ndim != 1 or not np.isfinite(read).all() or (np.diff(read) <= 0).any():
        raise ParameterError(f"the cuts of {up!r} for {node!r} are finite numbers that rise, not {ends!r}")
    return read
