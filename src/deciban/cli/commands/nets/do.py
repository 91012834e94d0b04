"""``deciban do``: interventions in a Bayes net."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import typer

from deciban.cli.command import command, note
from deciban.cli.net_files import GivenOption, NetArgument, is_net_file, read_evidence, read_net_file, write_net_file
from deciban.cli.outputs import FormatOption, OutputOption, write_records

__all__ = ["do"]


@command(
    "Bayes nets",
    example="deciban do garden.bif sprinkler=yes --on rain\ndeciban do garden.bif sprinkler=yes -o watered.bif",
)
def do(
    net: NetArgument,
    actions: Annotated[list[str], typer.Argument(metavar="STATES", help="The states that are set, such as smoke=no.")],
    on: Annotated[
        str | None, typer.Option("--on", metavar="NODES", help="The nodes to compare, such as lung or 'lung, dysp'.")
    ] = None,
    given: GivenOption = None,
    form: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Compare setting nodes to states with observing the same states, or write the net after the intervention.

    The table has, for each state of a node, its probability before, after the states are observed, and after they are
    set. Without --on it has all nodes that the intervention can change. With -o and the name of a network file (.bif,
    .xdsl, .deciban, …) the net is written, in which the nodes that are set have no parents any more.
    """
    opened = read_net_file(net)
    states = read_evidence(opened, ", ".join(actions))
    if output is not None and is_net_file(output):
        if on or given:
            raise typer.BadParameter(f"{output} is a network file: leave out --on and --given.", param_hint="--output")
        write_net_file(opened.do(states), output)
        return
    nodes = _compared(opened, on, states)
    write_records(list(_rows(opened, states, read_evidence(opened, given), nodes)), output, form)


def _compared(net: Any, on: str | None, states: dict[Any, Any]) -> list[Any]:
    from deciban.errors import ParameterError
    from deciban.nets.inference.ask.answer import read_nodes

    if on is not None:
        return read_nodes(net, on)
    changed = net.dag.descendants(list(states))
    nodes = [node for node in net.nodes if node in changed and node not in states]
    if not nodes:
        shown = ", ".join(map(str, states))
        raise ParameterError(f"no node depends on {shown}, so that setting it changes nothing. Name nodes with --on.")
    return nodes


def _rows(net: Any, states: dict[Any, Any], given: dict[Any, Any], nodes: list[Any]) -> Iterator[dict[str, Any]]:
    """For each state of each node its probability before, observed and done; of a number its mean and its sd."""
    from deciban.errors import ImpossibleEvidenceError

    after = net.do(states)
    for node in nodes:
        before, done = net.query(node, given), after.query(node, given)
        try:
            observed = net.query(node, {**given, **states})
        except ImpossibleEvidenceError as error:
            note(f"Note: the states cannot be observed. {error}")
            observed = None
        for name in before if hasattr(before, "states") else ("mean", "sd"):
            values = (None if found is None else _value(found, name) for found in (before, observed, done))
            yield {
                "node": str(node),
                "state": str(name),
                **dict(zip(("before", "observed", "do"), values, strict=True)),
            }


def _value(found: Any, name: Any) -> float:
    return found[name] if hasattr(found, "states") else getattr(found, name)
