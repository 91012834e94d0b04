"""``deciban query``: questions to a Bayes net."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from deciban.cli.command import command
from deciban.cli.net_files import NetArgument, read_net_file
from deciban.cli.outputs import (
    Format,
    FormatOption,
    OutputOption,
    chosen_format,
    write_json,
    write_records,
    write_text,
)

if TYPE_CHECKING:
    from deciban.nets.inference.ask.question import Question

__all__ = ["query"]

_Answered = list[tuple["Question", list[dict[str, Any]]]]


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
    form: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Answer questions to a Bayes net: probabilities, interventions, most probable states, independences."""
    from deciban.nets.inference.ask.parser import parse_question
    from deciban.nets.inference.ask.rows import answer_rows

    parsed = [parse_question(text) for text in questions]
    opened = read_net_file(net)
    answers: _Answered = [(question, answer_rows(question, opened.ask(question))) for question in parsed]
    form = chosen_format(form, output)
    if form is Format.TABLE:
        write_text("\n\n".join(_shown(question, rows) for question, rows in answers), output)
    elif form is Format.JSON:
        write_json([{"question": str(question), "answer": rows} for question, rows in answers], output)
    else:
        write_records(_records(answers), output, form)


def _records(answers: _Answered) -> list[dict[str, Any]]:
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


def _shown(question: Question, rows: list[dict[str, Any]]) -> str:
    """The question and its answer: on one line where that is one value."""
    from deciban.cli.text_tables import aligned

    if len(rows) == 1 and len(rows[0]) == 1:
        (value,) = rows[0].values()
        if isinstance(value, bool):
            return f"{question}: {'yes' if value else 'no'}"
        return f"{question} = {value:.6g}"
    if question.kind == "argmax":  # one row, of as many nodes as the net may have
        *states, (name, value) = rows[0].items()
        by_node = [{"node": node, "state": state} for node, state in states]
        return f"{question}\n{aligned(['node', 'state'], by_node)}\n{name} {value:.6g}"
    return f"{question}\n{aligned(list(rows[0]), rows)}"
