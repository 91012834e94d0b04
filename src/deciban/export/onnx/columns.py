"""The columns of a model as inputs of a graph, and log P(value | class) of their values from the formulas.

A column of a frame is an input of its own, with one value a row; a matrix is one input, ``X``. Numbers are doubles;
labels are strings, whole numbers or booleans, as they were in fit. ONNX has no nulls:

- NaN is a missing number; so is an infinite one, for which `predict` raises an error;
- the empty string is a missing label, unless it is a label of the column;
- whole numbers and booleans cannot be missing: a column of them that had missing values in fit is passed as doubles;
- what `na_values` lists is missing, too.

Columns of one kind are computed together, so that the nodes are few: all labels and bins are looked up in one table,
and curves with the same domain are one set of products with the tensor of their numbers. A term that is the same in
all classes, such as the −log x! of a Poisson distribution, cancels in the posterior and is left out of the formulas. A
value that a distribution cannot produce makes every class impossible.

ONNX has neither log Γ nor log1p, so they are built here.

    log Γ(z) = (s − ½)·log s − s + ½·log 2π + 1/12s − 1/360s³ + … − log z(z + 1)…(z + 7),   s = z + 8

for z below 8, and with s = z and without the product above (Stirling's series, here to 10⁻¹⁴).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
import scipy

from deciban.errors import ParameterError
from deciban.estimate.closed_form import ClosedForm, NamedFormula
from deciban.estimate.likelihood import Bins, Curve, Formula, Labels, Presence, StateLogs
from deciban.export.onnx.graph import Graph, Kind, sum_rows
from deciban.read import EXACT
from deciban.types import AnyArray, Floats, Ints

__all__ = ["Columns", "Numbers", "add_columns", "add_rising", "add_states", "kind_of_labels", "log_gamma"]


_LARGEST = float(np.finfo(np.float64).max)
_LARGEST_INT = int(np.iinfo(np.int64).max)
_MATRIX = "X"


class Numbers(NamedTuple):
    """The numbers of some columns, rows × columns, 0 where they are missing; and which of them are known."""

    values: str
    known: str


class Columns:
    """The inputs of a graph, by the indices of the formulas; several formulas may read one input."""

    def __init__(self, graph: Graph, form: ClosedForm) -> None:
        if not form.columns:
            raise ParameterError("the model uses no column: its posterior is the prior, and there is no graph to make.")
        self.graph = graph
        self.formulas: list[Formula] = [column.formula for column in form.columns]
        self._names, matrix = [column.name for column in form.columns], form.matrix
        are_doubles = matrix is not None and matrix.are_doubles
        self._kinds = [_kind_of(column, are_doubles=are_doubles) for column in form.columns]
        common = None if matrix is None else _common_kind(set(self._kinds))
        self._width, self._places = 0, [0] * len(form.columns)
        if matrix is not None and common is not None:
            place_of = {name: place for place, name in enumerate(matrix.names)}
            self._width, self._places = len(matrix.names), [place_of[name] for name in self._names]
            self._kinds = [common] * len(self._kinds)
            graph.input(_MATRIX, common, self._width)
        else:
            for name, kind in dict(zip(self._names, self._kinds, strict=True)).items():
                graph.input(name, kind, 1)
        markers = frozenset().union(*(column.markers for column in form.columns))
        self._texts = [marker for marker in markers if isinstance(marker, str)]
        self._numbers = sorted(float(m) for m in markers if isinstance(m, Real) and not isinstance(m, bool))
        # Several formulas may read one input, as where a column is cut in several ways: its nodes are made once.
        self._read: dict[tuple[str, ...], Numbers] = {}

    def name(self, i: int) -> str:
        """The name of the input of the i-th formula."""
        return self._names[i]

    def numbers(self, indices: Sequence[int]) -> Numbers:
        """The numbers of some columns, which have different inputs."""
        key = tuple(self._names[i] for i in indices)
        if key not in self._read:
            graph, x = self.graph, self._tensor(indices)
            # NaN and both infinities fail this one comparison.
            known = graph.add("LessOrEqual", graph.add("Abs", x), _LARGEST)
            for marker in self._numbers:
                known = graph.add("And", known, graph.add("Not", graph.add("Equal", x, marker)))
            self._read[key] = Numbers(graph.add("Where", known, x, 0.0), known)
        return self._read[key]

    def rows_of_labels(self, i: int, rows: Mapping[Any, int], *, unseen: int, missing: int) -> str:
        """The row of a table that belongs to each label of a column: rows × 1."""
        graph, kind = self.graph, self._kinds[i]
        if kind == "double":
            x = self.numbers([i])
            return graph.add("Where", x.known, graph.encode(x.values, kind, dict(rows), unseen), missing)
        if kind == "string":
            # The labels last: a marker of missing values that is a label of this column is that label.
            marked = dict.fromkeys(["", *self._texts], missing)
            return graph.encode(self._tensor([i]), kind, marked | dict(rows), unseen)
        keys = {int(marker): missing for marker in self._numbers if marker.is_integer()}
        keys |= {int(label): row for label, row in rows.items()}
        return graph.encode(graph.as_integers(self._tensor([i])), "int64", keys, unseen)

    def _tensor(self, indices: Sequence[int]) -> str:
        """Some columns in one tensor: rows × columns."""
        if not self._width:
            return self.graph.beside([self._names[i] for i in indices])
        places = [self._places[i] for i in indices]
        if places == list(range(self._width)):
            return _MATRIX
        return self.graph.add("Gather", _MATRIX, np.array(places), axis=1)


def kind_of_labels(name: str, states: Labels) -> Kind:
    """The type of an input with these labels.

    >>> kind_of_labels("sky", Labels(["sun", "rain"])), kind_of_labels("doors", Labels([2, 4]))
    ('string', 'int64')
    """
    known = list(states.known())
    if all(isinstance(label, str) for label in known):
        return "string"
    if all(isinstance(label, bool) for label in known):
        return "double" if states.has_missing else "bool"
    if not all(isinstance(label, int | float) and not isinstance(label, bool) for label in known):
        kinds = ", ".join(sorted({type(label).__name__ for label in known}))
        raise ParameterError(
            f"column {name!r} has labels of type {kinds}: ONNX has strings, numbers and booleans, one type a column. "
            "Convert them to strings before fit."
        )
    # Whole numbers that are missing somewhere are doubles, since only these have NaN, where doubles hold them exactly.
    largest = max(abs(label) for label in known)
    if any(isinstance(label, float) for label in known) or (states.has_missing and largest <= EXACT):
        return "double"
    if states.has_missing or largest > _LARGEST_INT:
        raise ParameterError(f"column {name!r} has the label {largest}, which is too large for ONNX.")
    return "int64"


def _kind_of(column: NamedFormula, *, are_doubles: bool) -> Kind:
    states = column.formula.states if isinstance(column.formula, StateLogs) else None
    if not isinstance(states, Labels) or states.is_dense:
        return "double"
    kind = kind_of_labels(column.name, states)
    is_exact = kind == "int64" and max(map(abs, states.known())) <= EXACT
    return "double" if are_doubles and (is_exact or kind == "bool") else kind


def _common_kind(kinds: set[Kind]) -> Kind | None:
    """The type of a matrix with columns of these types: doubles for numbers of several types; None if there is none."""
    if len(kinds) == 1:
        return next(iter(kinds))
    return "double" if "string" not in kinds else None


# Likelihoods -------------------------------------------------------------------------------------------------------


def add_columns(columns: Columns) -> str:
    """Add log P(row | class), the sum over all columns: rows × classes."""
    tables: dict[int, StateLogs] = {}
    presences: dict[int, StateLogs] = {}
    curves: dict[Domain, dict[int, Curve]] = {}
    for i, formula in enumerate(columns.formulas):
        if isinstance(formula, Curve):
            curves.setdefault(_domain(formula), {})[i] = formula
        elif isinstance(formula.states, Presence):
            presences[i] = formula
        else:
            tables[i] = formula
    # One group for each domain, since the tests of what is possible differ between them.
    logs = [_add_curves(columns, group) for group in curves.values()]
    if tables:
        heights = [len(formula.table) for formula in tables.values()]
        states, _ = add_states(columns, tables, np.cumsum([0, *heights[:-1]]))
        logs.append(sum_rows(columns.graph, np.concatenate([each.table for each in tables.values()]), states))
    if presences:
        logs.append(_add_presences(columns, presences))
    return columns.graph.total(logs)


_FEW_CUTS = 16
"""So many cuts are all compared with each number; more of them are searched by halves, which has more nodes."""


def add_states(columns: Columns, formulas: Mapping[int, StateLogs], starts: Ints) -> tuple[str, list[int]]:
    """Add the states of some columns: rows × columns, and the index of the column at each place.

    A state is its code, or that of an unseen label or of a missing value, plus the start of its column: the row of a
    table in which those of the columns follow one another.
    """
    tensors: list[str] = []
    order: list[int] = []
    codes, presences, bins = _States(), _States(), _States()
    for (i, formula), start in zip(formulas.items(), starts.tolist(), strict=True):
        states, unseen, missing = formula.states, start + formula.code_of_unseen, start + formula.code_of_missing
        if isinstance(states, Bins):
            bins.put(i, np.asarray(states.cuts, dtype=np.float64), start, unseen, missing)
        elif isinstance(states, Presence):
            presences.put(i, np.array([states.threshold]), start, unseen, missing)
        elif states.is_dense:
            codes.put(i, np.array([float(len(states.labels))]), start, unseen, missing)
        else:
            rows = {label: start + code for label, code in states.known().items()}
            tensors.append(columns.rows_of_labels(i, rows, unseen=unseen, missing=missing))
            order.append(i)
    for group, add in ((codes, _rows_of_codes), (presences, _rows_of_presences), (bins, _rows_of_bins)):
        if group.indices:
            tensors.append(add(columns, group))
            order += group.indices
    return columns.graph.beside(tensors), order


class _States:
    """Columns whose states follow from numbers in one way, by their bounds, and their rows of the table."""

    def __init__(self) -> None:
        self.indices: list[int] = []
        self.bounds: list[Floats] = []
        self._rows: list[tuple[int, int, int]] = []

    def put(self, i: int, bounds: Floats, start: int, unseen: int, missing: int) -> None:
        self.indices.append(i)
        self.bounds.append(bounds)
        self._rows.append((start, unseen, missing))

    @property
    def rows(self) -> Ints:
        """The row of the first state of each column, that of unseen labels and that of missing values."""
        return np.array(self._rows, dtype=np.int64).T


def _rows_of_codes(columns: Columns, states: _States) -> str:
    """Whole numbers are their own codes; a number that is no code of its column is unseen."""
    # Rows as doubles: Where takes branches of one type, and x is a double.
    graph, x, (starts, unseen, missing) = columns.graph, columns.numbers(states.indices), 1.0 * states.rows
    is_whole = graph.add("Equal", x.values, graph.add("Floor", x.values))
    is_below = graph.add("Less", x.values, np.concatenate(states.bounds))
    is_code = graph.all_of([graph.add("GreaterOrEqual", x.values, 0.0), is_below, is_whole])
    rows = graph.add("Where", is_code, graph.add("Add", x.values, starts), unseen)
    return graph.as_integers(graph.add("Where", x.known, rows, missing))


def _rows_of_presences(columns: Columns, states: _States) -> str:
    graph, x, (starts, _, missing) = columns.graph, columns.numbers(states.indices), states.rows
    present = graph.as_integers(graph.add("Greater", x.values, np.concatenate(states.bounds)))
    return graph.add("Where", x.known, graph.add("Add", present, starts), missing)


def _rows_of_bins(columns: Columns, states: _States) -> str:
    """The bin of a number is how many cuts lie below it. The cuts of one input are looked up together."""
    graph, cuts, (starts, _, missing) = columns.graph, states.bounds, states.rows
    inputs: dict[str, list[int]] = {}  # of an input: its columns, by their places among these
    for place, i in enumerate(states.indices):
        inputs.setdefault(columns.name(i), []).append(place)
    x = columns.numbers([states.indices[places[0]] for places in inputs.values()])
    ends = [np.unique(np.concatenate([cuts[place] for place in places])) for places in inputs.values()]
    found = _count_below(graph, x.values, ends)
    if len(inputs) == len(cuts):
        return graph.add("Where", x.known, graph.add("Add", found, starts), missing)
    # a column is cut in several ways: from the bin among all cuts of its input to that among its own
    input_of = np.empty(len(cuts), dtype=np.int64)
    for k, places in enumerate(inputs.values()):
        input_of[places] = k
    bins = [np.append(np.searchsorted(own, ends[k]), len(own)) for own, k in zip(cuts, input_of, strict=True)]
    at = graph.add("Add", graph.add("Gather", found, input_of, axis=1), np.cumsum([0, *map(len, bins[:-1])]))
    rows = graph.add("Add", graph.add("Gather", graph.constant(np.concatenate(bins)), at), starts)
    return graph.add("Where", graph.add("Gather", x.known, input_of, axis=1), rows, missing)


def _count_below(graph: Graph, x: str, ends: Sequence[Floats]) -> str:
    """How many of the sorted ends of each column lie below its numbers."""
    most = max(1, *map(len, ends))
    if most <= _FEW_CUTS:
        above = graph.add("Greater", graph.add("Unsqueeze", x, np.array([2])), _filled(ends, most))
        return graph.add("ReduceSum", graph.as_integers(above), np.array([2]), keepdims=0)
    # log₂ n gathers instead of n comparisons with every number, whose tensor would be rows × columns × cuts.
    steps = 1 << np.arange(most.bit_length())[::-1]
    width = int(2 * steps[0])
    table = graph.constant(_filled(ends, width).ravel())
    below = graph.constant(width * np.arange(len(ends))[None])
    for step in steps.tolist():  # the ends before `below` are below; is the end `step` further on below, too?
        probe = graph.add("Gather", table, graph.add("Add", below, step - 1))
        is_below = graph.as_integers(graph.add("Greater", x, probe))
        below = graph.add("Add", below, is_below if step == 1 else graph.add("Mul", is_below, step))
    return graph.add("Sub", below, width * np.arange(len(ends)))


def _filled(ends: Sequence[Floats], width: int) -> Floats:
    """Ends in rows of one width; those that are filled in lie above all numbers."""
    out = np.full((len(ends), width), np.inf)
    for row, of_column in zip(out, ends, strict=True):
        row[: len(of_column)] = of_column
    return out


def _add_presences(columns: Columns, formulas: dict[int, StateLogs]) -> str:
    """Present or absent: 1 or 0 in a line, which takes one product instead of a lookup for each column."""
    graph, x = columns.graph, columns.numbers(list(formulas))
    states = (formula.states for formula in formulas.values())
    thresholds = np.array([each.threshold for each in states if isinstance(each, Presence)], dtype=np.float64)
    above = graph.add("Greater", x.values, thresholds)
    amount, known = graph.as_doubles(graph.add("And", x.known, above)), graph.as_doubles(x.known)
    tables = [formula.table for formula in formulas.values()]
    absent, present, missing = (np.stack([table[k] for table in tables]) for k in (0, 1, -1))
    logs = [_product(graph, amount, present), _product(graph, graph.add("Sub", known, amount), absent)]
    return graph.total([*logs, *_of_missing(graph, x.known, missing)])


_LARGEST_COUNT = 1e300
"""Larger counts are scored as this one: the logarithm of the factorial of a larger one is out of range."""
_LEAST_ABSENCE = 1e-9
"""As in `BernoulliNB`: an amount of presence that is this much below 1 is an absence."""

Domain = tuple[bool, float, float, bool, bool]
"""Whether t is log x, the lowest and the highest x, whether the lowest is excluded, and whether x is whole."""


def _domain(curve: Curve) -> Domain:
    """What the curves have in common that are computed together: how t follows from x, and which x are possible.

    A graph cannot raise errors: where an impossible number is one, it is scored like any other.
    """
    if curve.is_strict:
        return (curve.of_log, -np.inf, np.inf, False, False)
    highest = curve.highest if curve.highest < _LARGEST else np.inf
    return (curve.of_log, curve.lowest, highest, curve.is_open, curve.is_whole)


def _add_curves(columns: Columns, formulas: dict[int, Curve]) -> str:
    """Add the sum of the curves of columns with one domain."""
    graph, curves = columns.graph, list(formulas.values())
    x = columns.numbers(list(formulas))
    possible = _possible(graph, x, curves[0])
    used = x.known if possible is None else graph.add("And", x.known, possible)
    values = x.values
    if curves[0].of_log:
        values = graph.add("Log", graph.add("Where", used, values, 1.0))
    elif possible is not None:
        values = graph.add("Where", used, values, 0.0)
    constant, logs = _parameters(curves, "constant"), _terms(graph, curves, Numbers(values, used))
    if constant.any() or not logs:
        logs.append(_product(graph, graph.as_doubles(x.known), constant))
    total = graph.total([*logs, *_of_missing(graph, x.known, _parameters(curves, "missing"))])
    if possible is None:
        return total
    # −∞ once, at the end: a NaN or an infinity inside the products above would reach other columns of the row.
    wrong = graph.as_integers(graph.add("And", x.known, graph.add("Not", possible)))
    count = graph.add("ReduceSum", wrong, np.array([1]), keepdims=1)
    return graph.add("Where", graph.add("Greater", count, 0), -np.inf, total)


def _terms(graph: Graph, curves: Sequence[Curve], t: Numbers) -> list[str]:
    """What depends on the numbers."""
    slope, complement, mean, half = (_parameters(curves, term) for term in ("slope", "complement", "mean", "half"))
    is_gamma = np.array([curve.size is not None for curve in curves])
    if is_gamma.any():
        t = t._replace(values=graph.add("Min", t.values, np.where(is_gamma, _LARGEST_COUNT, _LARGEST)))
    logs = []
    if slope.any():
        logs.append(_product(graph, t.values, slope))
    if complement.any():
        rest = graph.add("Sub", graph.as_doubles(t.known), t.values)
        logs.append(_product(graph, rest, complement, _LEAST_ABSENCE))
    if half.any():
        logs.append(_minus_squares(graph, t, mean, half))
    if is_gamma.any():
        at = np.flatnonzero(is_gamma)
        counts = graph.add("Unsqueeze", _some_columns(graph, t.values, at, len(curves)), np.array([1]))
        weights = np.array([curves[i].weight for i in at.tolist()])
        rising = graph.add("Mul", add_rising(graph, counts, _parameters(curves, "size")[at].T), weights)
        of_known = _where_known(graph, _some_columns(graph, t.known, at, len(curves)), rising)
        logs.append(graph.add("ReduceSum", of_known, np.array([2]), keepdims=0))
    return logs


def _parameters(curves: Sequence[Curve], term: str) -> Floats:
    """A coefficient of each column and class, 0 for columns without the term: columns × classes."""
    nothing = np.zeros(len(curves[0].constant))
    values = [getattr(curve, term) for curve in curves]
    return np.stack([nothing if value is None else value for value in values])


def _possible(graph: Graph, x: Numbers, curve: Curve) -> str | None:
    """Which numbers are possible; None where all are."""
    _, lowest, highest, is_open, is_whole = _domain(curve)
    tests = []
    if lowest != -np.inf:
        tests.append(graph.add("Greater" if is_open else "GreaterOrEqual", x.values, lowest))
    if highest != np.inf:
        tests.append(graph.add("LessOrEqual", x.values, highest))
    if is_whole:
        tests.append(graph.add("Equal", x.values, graph.add("Floor", x.values)))
    return graph.all_of(tests) if tests else None


def _product(graph: Graph, x: str, weight: Floats, least: float = 0.0) -> str:
    """x·weight, columns × classes, where 0·(±∞) is 0; an x of at most `least` counts as 0 there."""
    # Infinite weights apart from the product: 0·∞ is NaN, and one NaN would spoil the sum over all columns.
    product = graph.add("MatMul", x, np.where(np.isfinite(weight), weight, 0.0))
    for infinity in (-np.inf, np.inf):
        if (weight == infinity).any():
            is_there = graph.as_doubles(graph.add("Greater", graph.add("Abs", x), least))
            hits = graph.add("MatMul", is_there, (weight == infinity).astype(np.float64))
            product = graph.add("Where", graph.add("Greater", hits, 0.0), infinity, product)
    return product


def _of_missing(graph: Graph, known: str, missing: Floats) -> list[str]:
    """The evidence of missing values, where it is any."""
    return [_product(graph, graph.as_doubles(graph.add("Not", known)), missing)] if missing.any() else []


def _minus_squares(graph: Graph, x: Numbers, mean: Floats, half: Floats) -> str:
    """−Σ half·(x − mean)² over the known numbers of each row; parameters are columns × classes."""
    used = np.flatnonzero(half.any(axis=1))  # of columns with weight 0, squares of huge numbers would be 0·∞
    values, known = (_some_columns(graph, tensor, used, len(half)) for tensor in x)
    deviation = graph.add("Sub", graph.add("Unsqueeze", values, np.array([1])), mean[used].T)
    squares = graph.add("Mul", graph.add("Mul", deviation, deviation), -half[used].T)
    return graph.add("ReduceSum", _where_known(graph, known, squares), np.array([2]), keepdims=0)


def _where_known(graph: Graph, known: str, logs: str) -> str:
    """Logs, rows × classes × columns, and 0 for missing values."""
    return graph.add("Where", graph.add("Unsqueeze", known, np.array([1])), logs, 0.0)


def _some_columns(graph: Graph, tensor: str, indices: AnyArray, columns: int) -> str:
    return tensor if len(indices) == columns else graph.add("Gather", tensor, indices, axis=1)


# B₂ₖ/(2k·(2k − 1)). The first term that is left out, 1/(156·z¹³), is 1.2e-14 at z = 8.
_STIRLING = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360)
_SHIFT = 8
# log Γ(100) is 359, and its rounding 6e-14: what the difference of two of them loses up to here.
_LARGE = 100.0
"""Sizes from here on are scored by a series in which nothing cancels, as in the model."""


def add_rising(graph: Graph, x: str, sizes: Floats) -> str:
    """log Γ(x + r) − log Γ(r) of counts, rows × 1 × columns, for sizes r, classes × columns; 0 where r is infinite."""
    # Both branches of a Where are computed: sizes that the other one is for are replaced by harmless ones.
    small = np.where(sizes <= _LARGE, sizes, 1.0)
    rising = graph.add("Sub", log_gamma(graph, graph.add("Add", x, small)), scipy.special.gammaln(small))
    is_large = (sizes > _LARGE) & np.isfinite(sizes)
    if is_large.any():
        rising = graph.add("Where", is_large, _rising_of_large(graph, x, np.where(is_large, sizes, _LARGE)), rising)
    return graph.add("Where", np.isfinite(sizes), rising, 0.0)


def log_gamma(graph: Graph, z: str) -> str:
    """log Γ(z), of numbers above 0."""
    is_small = graph.add("Less", z, float(_SHIFT))
    # 1 where z is large: the product below would overflow, and its logarithm is not used there.
    low = graph.add("Where", is_small, z, 1.0)
    product = low
    for step in range(1, _SHIFT):
        product = graph.add("Mul", product, graph.add("Add", low, float(step)))
    taken = graph.add("Where", is_small, graph.add("Log", product), 0.0)
    s = graph.add("Where", is_small, graph.add("Add", low, float(_SHIFT)), z)
    main = graph.add("Sub", graph.add("Mul", graph.add("Sub", s, 0.5), graph.add("Log", s)), s)
    inverse = graph.add("Div", 1.0, s)
    square, series = graph.add("Mul", inverse, inverse), graph.constant(_STIRLING[-1])
    for coefficient in reversed(_STIRLING[:-1]):
        series = graph.add("Add", graph.add("Mul", series, square), coefficient)
    constant = graph.add("Add", graph.add("Mul", series, inverse), 0.5 * float(np.log(2.0 * np.pi)))
    return graph.add("Sub", graph.add("Add", main, constant), taken)


def _rising_of_large(graph: Graph, x: str, sizes: Floats) -> str:
    """(r − ½)·log1p(x/r) + x·(log (x + r) − 1) + …, the difference of two of Stirling's series."""
    whole = graph.add("Add", x, sizes)
    first = graph.add("Mul", sizes - 0.5, _log1p(graph, graph.add("Div", x, sizes)))
    second = graph.add("Mul", x, graph.add("Sub", graph.add("Log", whole), 1.0))
    third = graph.add("Div", graph.add("Sub", graph.add("Div", 1.0, whole), 1.0 / sizes), 12.0)
    fourth = graph.add("Div", graph.add("Sub", graph.add("Pow", whole, -3.0), sizes**-3.0), 360.0)
    return graph.add("Sub", graph.total([first, second, third]), fourth)


def _log1p(graph: Graph, u: str) -> str:
    """log (1 + u) without loss for small u: log(w)·u / (w − 1) with w the rounded 1 + u (Kahan)."""
    w = graph.add("Add", u, 1.0)
    ratio = graph.add("Div", graph.add("Mul", graph.add("Log", w), u), graph.add("Sub", w, 1.0))
    return graph.add("Where", graph.add("Equal", w, 1.0), u, ratio)
