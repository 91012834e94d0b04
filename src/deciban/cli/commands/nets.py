"""What the commands for Bayes nets read and write: network files, and nets that deciban has saved."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from deciban.cli import outputs
from deciban.cli.command import command, note
from deciban.errors import FileError, ImpossibleEvidenceError, ParameterError

if TYPE_CHECKING:
    from deciban.nets import BayesNet
    from deciban.nets.graphs.graph import Node
    from deciban.nets.inference.ask import Question

__all__ = ["convert", "do", "query", "sample"]


FORMATS = {
    "bif": (".bif", "BIF, of most collections of nets"),
    "xmlbif": (".xmlbif .xml", "XMLBIF, of Weka, JavaBayes and SamIam"),
    "net": (".net", "Hugin"),
    "uai": (".uai", "the UAI inference competitions; deciban keeps the names in a comment"),
    "xdsl": (".xdsl", "GeNIe and SMILE"),
    "json": (".json", "JSON of deciban; keeps the types of names"),
    "deciban": (".deciban", "deciban's own; keeps the counts, so that the net can go on learning"),
}
"""The suffixes of each format, and what it is."""

_SAVED = "deciban"

NetArgument = Annotated[
    str,
    typer.Argument(metavar="NET", help="A Bayes net: .bif, .xdsl, .net, .uai, .xml, .json (also .gz), or .deciban."),
]
GivenOption = Annotated[
    str | None,
    typer.Option("--given", metavar="STATES", help="Observed states, such as 'xray=yes, smoke=no'."),
]


def is_net_file(output: Path) -> bool:
    """Whether the name of a file is that of a net; .json is not, as results are JSON too."""
    return _suffix(output) in _SUFFIXES and _suffix(output) != ".json"


def read_net_file(name: str, form: str | None = None) -> BayesNet:
    """The net of a file."""
    _check_suffix(name, form)
    if not _is_saved(name, form):
        from deciban.nets import read_net

        return read_net(name, format=form)  # type: ignore[arg-type]
    from deciban.nets import BayesNet
    from deciban.storage.model_files import load

    net = load(name)
    if isinstance(net, BayesNet):
        return net
    raise FileError(f"{name} holds a {type(net).__name__}, not a Bayes net.")


def write_net_file(net: BayesNet, output: Path, form: str | None = None, *, quiet: bool = False) -> None:
    """Write a net to a file, in the format of the file's suffix."""
    _check_suffix(output, form)
    _write(net, output, form)
    if not quiet:
        note(f"Wrote {output}: {net!r}")


def _write(net: BayesNet, output: Path, form: str | None) -> None:
    if _is_saved(output, form):
        from deciban.storage.model_files import save

        save(net, output)
        return
    from deciban.nets import GaussianNet

    if isinstance(net, GaussianNet) and _suffix(output) != ".json" and form != "json":
        raise ParameterError(f"network files hold tables, and this net is Gaussian: write it to a {_SUFFIX} file.")
    net.write(output, format=form)  # type: ignore[arg-type]


def read_evidence(net: BayesNet, text: str | None) -> dict[Node, Any]:
    """The states of a net that a text such as ``xray=yes, smoke=no`` gives."""
    from deciban.nets.inference.ask import read_assignments

    return read_assignments(net, text) if text else {}


_SUFFIX = f".{_SAVED}"
_SUFFIXES = [suffix for own, _ in FORMATS.values() for suffix in own.split()]


def _suffix(name: str | Path) -> str:
    """The suffix that gives the format: of a compressed file the one before .gz."""
    path = Path(name)
    return (path.with_suffix("") if path.suffix.lower() == ".gz" else path).suffix.lower()


def _check_suffix(name: str | Path, form: str | None) -> None:
    if form is not None or _suffix(name) in _SUFFIXES:
        return
    from deciban.choices import closest

    known = ", ".join(_SUFFIXES)
    meant = closest(_suffix(name), _SUFFIXES)
    raise FileError(f"{name} is not the name of a network file: it ends in none of {known} (or these with .gz).{meant}")


def _is_saved(name: str | Path, form: str | None) -> bool:
    return form == _SAVED or (form is None and Path(name).suffix.lower() == _SUFFIX)


_Answered = list[tuple["Question", list[dict[str, object]]]]


@command(
    "Bayes nets",
    example="deciban query garden.bif 'P(rain | wet=yes)' 'P(rain | wet=yes, do(sprinkler=yes))'",
)
def query(
    net: NetArgument,
    questions: Annotated[
        list[str],
        typer.Argument(
            metavar="QUESTION",
            help="Such as 'P(lung | xray=yes, do(smoke=no))', 'P(lung=yes)', 'argmax P(* | xray=yes)', 'a _||_ b | c'.",
        ),
    ],
    form: outputs.FormatOption = None,
    output: outputs.OutputOption = None,
) -> None:
    """Answer questions to a Bayes net: probabilities, interventions, most probable states, independences."""
    from deciban.nets.inference.ask import answer_rows, parse_question

    parsed = [parse_question(text) for text in questions]
    opened = read_net_file(net)
    answers: _Answered = [(question, answer_rows(question, opened.ask(question))) for question in parsed]
    form = outputs.chosen_format(form, output)
    if form == "table":
        outputs.write_text("\n\n".join(_shown(question, rows) for question, rows in answers), output)
    elif form == "json":
        outputs.write_json([{"question": str(question), "answer": rows} for question, rows in answers], output)
    else:
        outputs.write_records(_records(answers), output, form)


def _records(answers: _Answered) -> list[dict[str, object]]:
    """All rows, with the same columns: the question, the nodes, and the values, each of which is last in its row."""
    rows = [row for _, rows in answers for row in rows]
    values = {list(row)[-1] for row in rows}
    names = dict.fromkeys(name for row in rows for name in row)
    ordered = sorted(names, key=lambda name: name in values)
    return [
        {"question": str(question), **{name: row.get(name) for name in ordered}}
        for question, rows in answers
        for row in rows
    ]


def _shown(question: Question, rows: list[dict[str, object]]) -> str:
    """The question and its answer: on one line where that is one value."""
    if len(rows) == 1 and len(rows[0]) == 1:
        (value,) = rows[0].values()
        if isinstance(value, bool):
            return f"{question}: {'yes' if value else 'no'}"
        return f"{question} = {value:.6g}"
    if question.kind == "argmax":  # one row, of as many nodes as the net may have
        *states, (name, value) = rows[0].items()
        by_node = [{"node": node, "state": state} for node, state in states]
        return f"{question}\n{outputs.aligned(['node', 'state'], by_node)}\n{name} {value:.6g}"
    return f"{question}\n{outputs.aligned(list(rows[0]), rows)}"


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
    form: outputs.FormatOption = None,
    output: outputs.OutputOption = None,
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
    outputs.write_records(list(_rows(opened, states, read_evidence(opened, given), nodes)), output, form)


def _compared(net: BayesNet, on: str | None, states: dict[Node, Any]) -> list[Node]:
    from deciban.nets.inference.ask import read_nodes

    if on is not None:
        return read_nodes(net, on)
    changed = net.dag.descendants(list(states))
    nodes = [node for node in net.nodes if node in changed and node not in states]
    if not nodes:
        shown = ", ".join(map(str, states))
        raise ParameterError(f"no node depends on {shown}, so that setting it changes nothing. Name nodes with --on.")
    return nodes


def _rows(
    net: BayesNet, states: dict[Node, Any], given: dict[Node, Any], nodes: list[Node]
) -> Iterator[dict[str, object]]:
    """For each state of each node its probability before, observed and done; of a number its mean and its sd."""
    after = net.do(states)
    for node in nodes:
        before, done = _values(net.query(node, given)), _values(after.query(node, given))
        observed: Mapping[object, float] = {}
        try:
            observed = _values(net.query(node, {**given, **states}))
        except ImpossibleEvidenceError as error:  # what cannot be observed can still be done
            note(f"Note: the states cannot be observed. {error}")
        for name, value in before.items():
            compared = {"before": value, "observed": observed.get(name), "do": done[name]}
            yield {"node": str(node), "state": str(name), **compared}


def _values(distribution: Any) -> Mapping[Any, float]:
    """The probability of each state; of a number its mean and its standard deviation."""
    if hasattr(distribution, "states"):
        return dict(distribution.items())
    return {"mean": distribution.mean, "sd": distribution.sd}


@command("Bayes nets", example="deciban sample garden.bif -n 1000 --seed 1 --given wet=yes -o rows.csv")
def sample(
    net: NetArgument,
    n: Annotated[int, typer.Option("--rows", "-n", min=0, help="The number of rows.")] = 100,
    seed: Annotated[int | None, typer.Option(min=0, help="The same seed gives the same rows.")] = None,
    given: GivenOption = None,
    actions: Annotated[
        str | None, typer.Option("--do", metavar="STATES", help="States that are set by an intervention first.")
    ] = None,
    form: outputs.FormatOption = None,
    output: outputs.OutputOption = None,
) -> None:
    """Draw rows from a Bayes net, exactly, also given observed states.

    They are CSV, unless --format or the name of the file says otherwise.
    """
    opened = read_net_file(net)
    if actions:
        opened = opened.do(read_evidence(opened, actions))
    rows = opened.sample(n, random_state=seed, evidence=read_evidence(opened, given) or None)
    if isinstance(rows, dict):
        from deciban.read.frame import make_frame

        rows = make_frame({str(node): drawn for node, drawn in rows.items()}, "pyarrow")
    if form is None and outputs.chosen_format(form, output) == "table":
        form = "csv"
    outputs.write_table(rows, output, form)
    if output is not None:
        note(f"Wrote {output}: {len(rows):,} rows")


NetFormat = Literal["bif", "xmlbif", "net", "uai", "xdsl", "json", "deciban"]
"""The formats of ``FORMATS``."""


def _list_formats(requested: bool) -> None:
    if requested:
        outputs.write_records([{"format": name, "suffixes": own, "of": what} for name, (own, what) in FORMATS.items()])
        raise typer.Exit


@command("Bayes nets", example="deciban convert garden.bif garden.xdsl\ndeciban convert --list")
def convert(
    source: Annotated[str, typer.Argument(metavar="NET", help="The net to read.")],
    target: Annotated[Path, typer.Argument(metavar="FILE", help="The file to write; .gz at its end compresses it.")],
    read_as: Annotated[
        NetFormat | None, typer.Option("--from", help="The format of the net, if its suffix does not show it.")
    ] = None,
    write_as: Annotated[
        NetFormat | None, typer.Option("--to", help="The format of the file, if its suffix does not show it.")
    ] = None,
    _list: Annotated[
        bool, typer.Option("--list", callback=_list_formats, is_eager=True, help="List the formats and exit.")
    ] = False,
) -> None:
    """Write a Bayes net in another format, with the same tables to the last digit."""
    write_net_file(read_net_file(source, read_as), target, write_as)
