"""The section with the probabilities of each node: a bar for each state, before and after evidence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from deciban.choices import counted
from deciban.errors import UnseenStateError
from deciban.nets import Distribution, LinearGaussian, Mixture, Normal
from deciban.nets.graphs.graph import Node
from deciban.nets.inference.beliefs import Beliefs, shown_states
from deciban.nets.inference.net_queries import Assessment, assess
from deciban.nets.learning.schema import NetSchema
from deciban.nets.network import Network
from deciban.reports.markup import Cell, belief_bar, details, grid, heat, note, number, signed, table, text
from deciban.reports.page import Section
from deciban.ties import largest_first
from deciban.types import Floats

__all__ = [
    "belief_section",
    "fit_section",
    "mixed_section",
    "normal_section",
    "regression_section",
    "schema_section",
    "table_section",
    "too_large_section",
]


_NODES, _STATES = 60, 8


def belief_section(beliefs: Beliefs) -> Section:
    """A small table for each node, causes first; of a large net, the nodes that the evidence changed most."""
    nodes = _chosen(beliefs)
    has_evidence = bool(beliefs.evidence)
    lead = "The probability of each state of each node"
    if has_evidence:
        given = ", ".join(f"{text(node)} = {text(state)}" for node, state in beliefs.evidence.items())
        lead += f", given {given}. Filled bars are probabilities given the evidence, outlines those without it."
    else:
        lead += " when nothing is observed."
    part = ""
    if len(nodes) < len(beliefs):
        which = "those that the evidence changed most" if has_evidence else "the first ones"
        part = note(f"The page shows {len(nodes):,} of {counted(len(beliefs), 'node')}: {which}.")
    cards = "".join(_card(beliefs, node, has_evidence=has_evidence) for node in nodes)
    return Section("Probabilities", f'{part}<div class="beliefs">{cards}</div>', lead=lead, key="beliefs")


def normal_section(
    marginals: Mapping[Node, Normal], prior: Mapping[Node, Normal], evidence: Mapping[Node, float]
) -> Section:
    """The mean and the standard deviation of each node, before and after evidence."""
    names = ["mean", "standard deviation", *(["mean before", "standard deviation before"] if evidence else [])]
    rows: list[list[Cell]] = []
    for node, marginal in list(marginals.items())[:_NODES]:
        normals = [marginal, *([prior[node]] if evidence else [])]
        rows.append([str(node), *(number(f"{x:.6g}") for normal in normals for x in (normal.mean, normal.sd))])
    given = "".join(f", given {text(node)} = {value:g}" for node, value in evidence.items())
    lead = f"The mean and the standard deviation of each node{given}."
    body = table(["node", *map(number, names)], rows, caption="Normal distributions of the nodes")
    if len(rows) < len(marginals):
        body += note(f"The first {len(rows):,} of {counted(len(marginals), 'node')}.")
    return Section("Distributions", body, lead=lead, key="beliefs")


def too_large_section(reason: str) -> Section:
    """Why there are no probabilities."""
    return Section(
        "Probabilities",
        note(text(reason, 400), "warning"),
        lead="The probability of each state of each node.",
        key="beliefs",
    )


def _chosen(beliefs: Beliefs) -> list[Node]:
    order = list(beliefs.dag.topological_order())
    if len(order) <= _NODES:
        return order
    if beliefs.evidence:
        ranked = sorted(largest_first(order, beliefs.change), key=lambda node: node not in beliefs.evidence)
        # the page keeps the order of the graph, causes first
        chosen = set(ranked[:_NODES])
        return [node for node in order if node in chosen]
    return order[:_NODES]


def _card(beliefs: Beliefs, node: Node, *, has_evidence: bool) -> str:
    now, before = beliefs[node], beliefs.prior[node]
    is_observed = node in beliefs.evidence
    if isinstance(now, Distribution) and isinstance(before, Distribution):
        rows = _bars(now, before if has_evidence else None, is_observed=is_observed)
    else:
        rows = [
            f'<tr><th scope="row">{name}</th><td class="number">{getattr(now, name):.4g}</td></tr>'
            for name in ("mean", "sd")
        ]
    kind = ' class="observed"' if is_observed else ""
    observed = " (observed)" if is_observed else ""
    return f"<table{kind}><caption>{text(node, 40)}{observed}</caption><tbody>{''.join(rows)}</tbody></table>"


def _bars(now: Distribution, before: Distribution | None, *, is_observed: bool) -> list[str]:
    """A row for each of the most probable states."""
    rows = []
    for index in shown_states(now, _STATES):
        p = float(now.as_array()[index])
        bar = belief_bar(p, None if before is None else float(before.as_array()[index]), is_observed=is_observed)
        rows.append(
            f'<tr><th scope="row">{text(now.states[index], 24)}</th><td class="bars">{bar}</td>'
            f'<td class="number">{p:.3f}</td></tr>'
        )
    left = len(now) - len(rows)
    if left > 0:
        rows.append(f'<tr><td colspan="3">… and {counted(left, "less probable state")}</td></tr>')
    return rows


_ROWS, _TABLE_STATES, _TABLE_NODES, _OPEN = 24, 10, 80, 100
"""The most rows and states of a table, the most tables, and the most rows in all for which tables need no click."""


def table_section(network: Network, counts: Mapping[Node, Floats] | None = None) -> Section:
    """P(node | parents) of each node; `counts` are the rows of the data in the same cells, where they are known."""
    order = network.dag.topological_order()
    tables = [_Table(network, node, None if counts is None else counts[node]) for node in order[:_TABLE_NODES]]
    is_open = sum(one.configurations for one in tables) <= _OPEN and len(tables) == len(order)
    parts = (
        [grid(*(f"<div>{one.html()}</div>" for one in tables))]
        if is_open
        else [details(one.title, one.html()) for one in tables]
    )
    if len(tables) < len(order):
        parts.insert(0, note(f"The page shows the tables of {len(tables):,} of {counted(len(order), 'node')}."))
    lead = "The probability of each state of a node, for each combination of its parents' states; every row sums to 1."
    return Section("Conditional probability tables", "".join(parts), lead=lead, key="tables")


def regression_section(parameters: Mapping[Node, LinearGaussian]) -> Section:
    """The regression of each node of a Gaussian net on its parents."""
    rows: list[list[Cell]] = [
        [str(node), _formula(regression), f"{regression.sd:.6g}"]
        for node, regression in list(parameters.items())[:_TABLE_NODES]
    ]
    body = table(["node", "mean", "residual standard deviation"], rows, caption="Regressions")
    if len(rows) < len(parameters):
        body += note(f"The first {len(rows):,} of {counted(len(parameters), 'node')}.")
    lead = "The mean of each node is a linear function of its parents; around it lies a normal distribution."
    return Section("Regressions", body, lead=lead, key="tables")


@dataclass(frozen=True)
class _Table:
    """The table of one node, shortened where it is large."""

    network: Network
    node: Node
    counts: Floats | None

    @property
    def configurations(self) -> int:
        """The number of rows."""
        return int(self.flat.shape[0])

    @property
    def flat(self) -> Floats:
        table = self.network.tables[self.node]
        return table.reshape(-1, table.shape[-1])

    @property
    def title(self) -> str:
        given = ", ".join(map(str, self.network.parents[self.node]))
        size = counted(self.configurations, "row")
        return f"P({self.node} | {given}): {size}" if given else f"P({self.node})"

    def html(self) -> str:
        """The table, and a sentence where it is shortened."""
        parents, states = self.network.parents[self.node], self.network.states[self.node]
        columns = self._columns()
        heads: list[Cell] = [*(parents or [""]), *(f"= {states[k]}" for k in columns)]
        rows, frequencies = self._rows(), self._row_counts
        body = [self._row(row, columns) for row in rows]
        if frequencies is not None:
            heads.append(number("rows"))
            for cells, row in zip(body, rows, strict=True):
                cells.append(number(f"{frequencies[row]:,.6g}"))
        return table(heads, body, caption=self.title, kind="matrix tables") + self._shortened(len(rows), len(columns))

    def _row(self, row: int, columns: list[int]) -> list[Cell]:
        cells: list[Cell] = [*(self._configuration(row) or ["probability"])]
        return cells + [heat(_probability(self.flat[row, k]), float(self.flat[row, k])) for k in columns]

    def _columns(self) -> list[int]:
        states = self.network.states[self.node]
        if len(states) <= _TABLE_STATES:
            return list(range(len(states)))
        return shown_states(Distribution(self.node, states, self.flat.mean(axis=0)), _TABLE_STATES)

    def _rows(self) -> list[int]:
        """All rows, the most frequent ones, or the first ones."""
        frequencies = self._row_counts
        if self.configurations <= _ROWS or frequencies is None:
            return list(range(min(self.configurations, _ROWS)))
        # stable: of equally frequent rows the first ones, on every machine
        return sorted(np.argsort(-frequencies, kind="stable")[:_ROWS].tolist())

    @property
    def _row_counts(self) -> Floats | None:
        """How many rows of the data have each configuration."""
        if self.counts is None:
            return None
        return np.asarray(self.counts, dtype=np.float64).reshape(self.flat.shape).sum(axis=1)

    def _configuration(self, row: int) -> list[str]:
        """The states of the parents in a row."""
        parents = self.network.parents[self.node]
        codes = np.unravel_index(row, self.network.tables[self.node].shape[:-1]) if parents else ()
        return [str(self.network.states[p][int(code)]) for p, code in zip(parents, codes, strict=True)]

    def _shortened(self, rows: int, columns: int) -> str:
        """What is left out, and where all of it is."""
        sentences = []
        if rows < self.configurations:
            which = "the first" if self.counts is None else "the most frequent"
            sentences.append(f"The table is shortened: it shows {which} {rows} of {self.configurations:,} rows.")
        states = self.flat.shape[1]
        if columns < states:
            sentences.append(f"It shows the {columns} most probable of {states:,} states.")
        if not sentences:
            return ""
        return note(f"{' '.join(sentences)} All are in <code>net.tables[{text(repr(self.node))}]</code>.")


def _probability(p: float) -> str:
    return f"{p:.3f}" if p == 0 or p >= 0.0005 else f"{p:.0e}"


def _formula(regression: LinearGaussian) -> str:
    slopes = regression.coefficients.items()
    terms = "".join(f" {'−' if b < 0 else '+'} {abs(b):.4g} · {parent}" for parent, b in slopes)
    return f"{regression.intercept:.4g}{terms}"


def schema_section(schema: NetSchema) -> Section:
    """What each node is, its distribution, and why."""
    rows: list[list[Cell]] = [
        [str(plan.node), plan.kind, plan.distribution, plan.reason] for plan in schema.plans[:_TABLE_NODES]
    ]
    body = table(["node", "kind", "distribution", "reason"], rows, caption="Nodes")
    if len(rows) < len(schema):
        body += note(f"The first {len(rows):,} of {counted(len(schema), 'node')}.")
    lead = "Categories have tables, numbers linear regressions; numeric parents of categories are cut into bins."
    return Section("Nodes", body, lead=lead, key="tables")


def mixed_section(
    marginals: Mapping[Node, Distribution | Normal | Mixture],
    prior: Mapping[Node, Distribution | Normal | Mixture],
    evidence: Mapping[Node, Any],
) -> Section:
    """The most probable states of each category, the mean and standard deviation of each number."""
    rows: list[list[Cell]] = [
        [str(node), _in_words(answer), *([_in_words(prior[node])] if evidence else [])]
        for node, answer in list(marginals.items())[:_NODES]
    ]
    body = table(["node", "distribution", *(["without the evidence"] if evidence else [])], rows, caption="Marginals")
    if len(rows) < len(marginals):
        body += note(f"The first {len(rows):,} of {counted(len(marginals), 'node')}.")
    given = ", ".join(f"{text(node)} = {text(value)}" for node, value in evidence.items())
    lead = f"Each node{f', given {given}' if given else ' when nothing is observed'}: the probabilities of states, or "
    return Section("Probabilities", body, lead=f"{lead}the mean and the standard deviation of a number.", key="beliefs")


def _in_words(answer: Distribution | Normal | Mixture) -> str:
    if not isinstance(answer, Distribution):
        return f"{answer.mean:.4g} ± {answer.sd:.3g}"
    shown = [answer.states[k] for k in shown_states(answer, _STATES)]
    return ", ".join(f"{state} {answer[state]:.3f}" for state in shown) + (", …" if len(shown) < len(answer) else "")


_MOST = 20


def fit_section(network: Network, data: Any, marginals: Mapping[Node, Distribution]) -> Section:
    """The log-likelihood of the rows beside that of a net without arrows, and the marginals beside the frequencies."""
    lead = (
        "How well the net describes the rows: the information that a row needs in bits (fewer is better), beside a net "
        "without arrows; and the frequency of each state beside its probability."
    )
    try:
        fit = assess(network, data, marginals)
    except UnseenStateError as error:
        return Section("Fit to the data", note(text(error, 600), "warning"), lead=lead, key="fit")
    return Section("Fit to the data", _scores(fit) + _frequencies(fit), lead=lead, key="fit")


def _scores(fit: Assessment) -> str:
    rows: list[list[Cell]] = [["this net", fit.bits], ["a net without arrows, fitted to these rows", fit.bits_alone]]
    scores = table(
        ["net", number("bits for each row")],
        rows,
        caption=f"{fit.rows:,.6g} rows, {fit.missing:.1%} of values missing",
    )
    if fit.impossible:
        scores += note(
            f"{fit.impossible:,} rows are impossible under this net and are left out of its mean.", "warning"
        )
    return scores


def _frequencies(fit: Assessment) -> str:
    rows: list[list[Cell]] = [
        [f"{one.node} = {one.state}", one.frequency, one.probability, number(signed(one.difference, 4))]
        for one in fit.differences[:_MOST]
    ]
    caption = "States whose frequency differs most from their probability"
    return table(["state", number("frequency"), number("probability"), number("difference")], rows, caption=caption)
