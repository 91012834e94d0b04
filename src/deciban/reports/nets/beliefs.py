"""The section with the probabilities of each node: a bar for each state, before and after evidence."""

from __future__ import annotations

from collections.abc import Mapping

from deciban.choices import counted
from deciban.nets.graphs.base import Node
from deciban.nets.inference.belief_drawing import shown_states
from deciban.nets.inference.beliefs import Beliefs
from deciban.nets.inference.normal import Normal
from deciban.reports.charts import belief_bar
from deciban.reports.markup import Cell, note, number, table, text
from deciban.reports.page import Section
from deciban.ties import largest_first

__all__ = ["belief_section", "normal_section", "too_large_section"]

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
    for node, own in list(marginals.items())[:_NODES]:
        shown = [own, *([prior[node]] if evidence else [])]
        rows.append([str(node), *(number(f"{x:.6g}") for one in shown for x in (one.mean, one.sd))])
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
        chosen = set(ranked[:_NODES])
        return [node for node in order if node in chosen]
    return order[:_NODES]


def _card(beliefs: Beliefs, node: Node, *, has_evidence: bool) -> str:
    now, before = beliefs[node], beliefs.prior[node]
    is_observed = node in beliefs.evidence
    rows = []
    for index in shown_states(now, _STATES):
        p, q = float(now.as_array()[index]), float(before.as_array()[index])
        bar = belief_bar(p, q if has_evidence else None, is_observed=is_observed)
        rows.append(
            f'<tr><th scope="row">{text(now.states[index], 24)}</th><td class="bars">{bar}</td>'
            f'<td class="number">{p:.3f}</td></tr>'
        )
    left = len(now) - len(rows)
    if left > 0:
        rows.append(f'<tr><td colspan="3">… and {counted(left, "less probable state")}</td></tr>')
    kind = ' class="observed"' if is_observed else ""
    observed = " (observed)" if is_observed else ""
    return f"<table{kind}><caption>{text(node, 40)}{observed}</caption><tbody>{''.join(rows)}</tbody></table>"
