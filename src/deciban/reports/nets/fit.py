"""The section that compares a net with rows: how probable they are, and where frequencies and probabilities differ."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from deciban.errors import UnseenStateError
from deciban.nets.graphs.base import Node
from deciban.nets.inference.assessment import Assessment, assess
from deciban.nets.inference.distribution import Distribution
from deciban.nets.network import Network
from deciban.reports.markup import Cell, note, number, signed, table, text
from deciban.reports.page import Section

__all__ = ["fit_section"]

_MOST = 20


def fit_section(network: Network, data: Any, marginals: Mapping[Node, Distribution]) -> Section:
    """The log-likelihood of the rows beside that of a net without arrows, and the marginals beside the frequencies."""
    lead = (
        "How well the net describes the rows: the information that a row needs in bits (fewer is better), beside a net "
        "without arrows; and the frequency of each state beside its probability."
    )
    try:
        held = assess(network, data, marginals)
    except UnseenStateError as error:
        return Section("Fit to the data", note(text(error, 600), "warning"), lead=lead, key="fit")
    return Section("Fit to the data", _scores(held) + _frequencies(held), lead=lead, key="fit")


def _scores(held: Assessment) -> str:
    rows: list[list[Cell]] = [["this net", held.bits], ["a net without arrows, fitted to these rows", held.bits_alone]]
    scores = table(
        ["net", number("bits for each row")],
        rows,
        caption=f"{held.rows:,.6g} rows, {held.missing:.1%} of values missing",
    )
    if held.impossible:
        scores += note(
            f"{held.impossible:,} rows are impossible under this net and are left out of its mean.", "warning"
        )
    return scores


def _frequencies(held: Assessment) -> str:
    rows: list[list[Cell]] = [
        [f"{one.node} = {one.state}", one.frequency, one.probability, number(signed(one.difference, 4))]
        for one in held.differences[:_MOST]
    ]
    caption = "States whose frequency differs most from their probability"
    return table(["state", number("frequency"), number("probability"), number("difference")], rows, caption=caption)
