"""A graph that was learned from rows, as ``discover`` and ``search`` show it: edges, a picture, a page, or a net."""

from __future__ import annotations

import csv
import json
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

import typer

from deciban.cli import inputs, outputs
from deciban.cli.command import command, note
from deciban.cli.commands.nets import is_net_file, write_net_file
from deciban.errors import FileError, ParameterError

if TYPE_CHECKING:
    from deciban.engines.files.source import FileSource
    from deciban.nets import DAG, BayesNet, Confidence, Discovery, Knowledge, SearchResult

__all__ = ["discover", "search"]


GraphFormat = Literal["table", "json", "csv", "dot", "svg", "html", "bif", "result"]
"""The form of a graph."""


GraphFormatOption = Annotated[
    GraphFormat | None,
    typer.Option(
        "--format",
        help="The form of the graph; by default as the file's name says, or table. bif: a net with fitted tables; "
        "result: the graph, tests and notes for db.load and inspect.",
    ),
]
BootstrapOption = Annotated[
    int, typer.Option(min=0, help="Find each edge and its direction again in so many bootstrap samples.")
]


def graph_format(form: GraphFormat | None, output: Path | None) -> GraphFormat:
    """The format that was chosen, else that of the file's name, else a table for reading."""
    if form is not None or output is None:
        return form or "table"
    if is_net_file(output):
        return "bif"
    suffix = output.suffix.lower().removeprefix(".")
    return next((known for known in get_args(GraphFormat) if known == suffix), "table")


def edge_row(edge: tuple[object, str, object], shares: Confidence | None) -> dict[str, object]:
    """An edge, and the shares of bootstrap samples in which the nodes are adjacent, and joined by each arrow."""
    a, kind, b = edge
    row: dict[str, object] = {"from": str(a), "edge": kind, "to": str(b)}
    if shares is None:
        return row
    return {**row, "adjacent": shares.edge(a, b), "forward": shares.arrow(a, b), "backward": shares.arrow(b, a)}


@dataclass(frozen=True)
class LearnedFrom:
    """The rows that a graph was learned from, as "categories" or "numbers"; tables are counted from them, too."""

    source: FileSource
    reads: str
    missing: str = "error"
    weight: str | None = None

    def fit(self, dag: DAG) -> BayesNet:
        """The net of a DAG, with tables counted from the rows (Laplace smoothing), or with regressions of numbers."""
        from deciban.nets import BayesNet, GaussianNet

        if self.missing == "state":
            raise ParameterError("tables cannot be fitted with --missing state: pass error, skip or drop.")
        kind = GaussianNet if self.reads == "numbers" else BayesNet
        missing: Literal["error", "skip"] = "error" if self.missing == "error" else "skip"
        return kind(dag).fit_files(self.source, missing=missing, sample_weight=self.weight)


@dataclass(frozen=True)
class LearnedGraph:
    """What there is to show of a graph that was found.

    `dag` gives one of the DAGs of the graph, for a net with tables; `evidence` are sentences about the edges and about
    those that are not there, `notes` what to know before reading the graph, `details` what JSON shows beside the edges,
    and `draws` is the number of bootstrap samples of a page.
    """

    found: Discovery | SearchResult
    edges: list[dict[str, object]]
    rows: LearnedFrom
    dag: Callable[[], DAG]
    evidence: list[str] = field(default_factory=list)
    notes: tuple[str, ...] = ()
    details: dict[str, object] = field(default_factory=dict)
    draws: int = 0

    def write(self, form: GraphFormat | None, output: Path | None, *, quiet: bool = False) -> None:
        """Write the graph in a format; its summary and the notes go to the standard error."""
        for text in [] if quiet else [self.found.summary, *(f"Note: {one}." for one in self.notes)]:
            note(text)
        chosen = graph_format(form, output)
        if chosen == "bif":
            self._write_net(output, quiet)
        elif chosen == "result":
            self._save(output)
        elif chosen == "csv":
            outputs.write_records(self.edges, output, "csv")
        elif chosen == "json":
            outputs.write_json(self._document(), output)
        else:
            outputs.write_text(self._text(chosen), output)

    def _text(self, form: GraphFormat) -> str:
        if form == "dot":
            return self.found.graph.to_dot()
        if form == "svg":
            return self.found.graph.to_svg()
        return self._page() if form == "html" else self._table()

    def _table(self) -> str:
        edges = outputs.aligned(list(self.edges[0]), self.edges) if self.edges else "The graph has no edges."
        joined = {name for edge in self.edges for name in (edge["from"], edge["to"])}
        alone = [str(node) for node in self.found.graph.nodes if str(node) not in joined]
        without = [f"Without an edge: {', '.join(alone)}"] if alone and self.edges else []
        return "\n\n".join([edges, *without, *(["\n".join(self.evidence)] if self.evidence else [])])

    def _document(self) -> dict[str, object]:
        evidence = {"evidence": self.evidence} if self.evidence else {}
        nodes = [str(node) for node in self.found.graph.nodes]
        return {**self.details, "nodes": nodes, "edges": self.edges, "notes": list(self.notes), **evidence}

    def _page(self) -> str:
        from deciban import report

        return report(self.found, bootstrap=self.draws).html

    def _save(self, output: Path | None) -> None:
        from deciban import save

        if output is None:
            raise ParameterError("a result is a file: give its name, -o found.deciban.")
        save(self.found, output)

    def _write_net(self, output: Path | None, quiet: bool) -> None:
        net = self.rows.fit(self.dag())
        if output is not None and (is_net_file(output) or output.suffix.lower() == ".json"):
            write_net_file(net, output, quiet=quiet)
            return
        from deciban.nets import Network
        from deciban.nets.io.bif import write_bif

        if not isinstance(net.network, Network):
            raise ParameterError("BIF holds tables, and these columns are numbers: write the net with -o NAME.deciban.")
        outputs.write_text(write_bif(net.network), output)


DiscoveryMethod = Literal["pc", "ic", "fci", "rfci"]
"""How the graph is found."""


Test = Literal["auto", "g2", "x2", "cmh", "fisher_z", "cg", "dg", "mixed_cmi"]
"""The independence test."""


ColliderRule = Literal["opening", "max_p", "majority", "conservative", "first"]
"""How separating sets are compared."""


DiscoveryMissing = Literal["error", "skip", "drop", "state"]
"""What is done with missing values."""


@command(
    "Bayes nets",
    example="deciban discover garden.csv --tier season --tier 'sprinkler, rain'\n"
    "deciban discover garden.csv --why sprinkler rain",
)
def discover(
    data: inputs.TableArgument,
    method: Annotated[
        DiscoveryMethod,
        typer.Option(help="pc; ic, slow and readable; fci, which allows hidden common causes; rfci, its fast form."),
    ] = "pc",
    test: Annotated[
        Test,
        typer.Option(
            help="g2 and x2 for categories, cmh for ordered ones, fisher_z for numbers, cg and dg for both, mixed_cmi "
            "for dependences of any form in up to 5,000 rows, auto for what the columns hold."
        ),
    ] = "auto",
    alpha: Annotated[float, typer.Option(help="Pairs with p > alpha are treated as independent.")] = 0.01,
    max_given: Annotated[int | None, typer.Option(help="The largest number of columns to condition on.")] = None,
    collider_rule: Annotated[
        ColliderRule, typer.Option(help="How separating sets are compared to find common effects.")
    ] = "opening",
    fdr: Annotated[bool, typer.Option("--fdr", help="Hold the expected share of false edges at alpha.")] = False,
    require: RequireOption = None,
    forbid: ForbidOption = None,
    tier: TierOption = None,
    knowledge: KnowledgeOption = None,
    exclude: inputs.ExcludeOption = None,
    weight: inputs.WeightOption = None,
    missing: Annotated[
        DiscoveryMissing, typer.Option(help="Missing values: an error, left out of a test, of all tests, or a state.")
    ] = "error",
    evidence: Annotated[
        bool, typer.Option("--evidence", help="Say why each edge is there, and each other is not.")
    ] = False,
    why: Annotated[
        tuple[str, str] | None, typer.Option(metavar="A B", help="Say only why A and B are adjacent or not.")
    ] = None,
    bootstrap: BootstrapOption = 0,
    seed: Annotated[int, typer.Option(min=0, help="The seed of the bootstrap samples.")] = 0,
    form: GraphFormatOption = None,
    output: outputs.OutputOption = None,
    on_bad_row: inputs.OnBadRowOption = "error",
    encoding: inputs.EncodingOption = None,
    sheet: inputs.SheetOption = None,
    decimal: inputs.DecimalOption = None,
    quiet: inputs.QuietOption = False,
) -> None:
    """Find the class of causal graphs that explains the independences in a table.

    With --format bif, or -o and the name of a network file, the result is a net: one DAG of the class (a consistent
    extension of the graph), with tables counted from the same rows.
    """
    from deciban.nets import discover as find

    known = read_knowledge(require, forbid, tier, knowledge)
    reading = inputs.reading_options(quiet, on_bad_row, encoding, sheet, decimal)
    with inputs.open_rows(data, exclude, **reading) as source:
        found = find(
            source,
            method=method,
            test=test,
            alpha=alpha,
            knowledge=known,
            max_given=max_given,
            collider_rule=collider_rule,
            fdr=fdr,
            sample_weight=weight,
            missing=missing,
            progress=sys.stderr.isatty() and not quiet,
        )
        if why is not None:
            outputs.write_text(found.explain(*why), output)
            return
        shares = found.bootstrap(bootstrap, random_state=seed) if bootstrap else None
        learned = LearnedGraph(
            found,
            [edge_row(edge, shares) for edge in found.graph.edges],
            LearnedFrom(source, found.test.sample.reads, missing, weight),
            dag=lambda: _one_dag(found),
            evidence=_evidence(found) if evidence else [],
            notes=_notes(found, evidence),
            details={"method": found.method, "alpha": alpha, "tests": found.tests},
            draws=bootstrap,
        )
        learned.write(form, output, quiet=quiet)


def _evidence(found: Discovery) -> list[str]:
    """A sentence for each edge, then for each pair that some set separates."""
    return [
        *(f"{a} {kind} {b}: {found.explain(a, b)}" for a, kind, b in found.graph.edges),
        *(f"{one.x}, {one.y}: {found.explain(one.x, one.y)}" for one in found.removed),
        *(f"Conflict: {one}." for one in found.conflicts),
        *(f"Undecided: whether {z} is a common effect of {x} and {y}." for x, z, y in found.ambiguous),
    ]


def _notes(found: Discovery, evidence: bool) -> tuple[str, ...]:
    """Notes on the graph, with the options of the command in place of the parameters."""
    notes = [text.replace("max_given", "--max-given") for text in found.notes]
    if found.conflicts and not evidence:
        notes.append("some findings contradict stronger ones, which were kept; --evidence shows them")
    return tuple(notes)


def _one_dag(found: Discovery) -> DAG:
    from deciban.nets import PAG

    if isinstance(found.graph, PAG):
        raise ParameterError("a graph with hidden common causes (--method fci) has no DAG to fit tables to: use pc.")
    return found.graph.extension()


Score = Literal["auto", "bic", "bdeu", "k2", "gaussian_bic", "cg_bic", "dg_bic"]
"""The score of a graph."""


SearchMethod = Literal["auto", "boss", "ges", "hc", "tabu", "exact", "chow_liu"]
"""How the graph is searched for."""


SearchMissing = Literal["error", "drop", "skip", "em", "state"]
"""What is done with missing values."""


@command(
    "Bayes nets", example="deciban search garden.csv --method hc --tier season --tier 'sprinkler, rain' -o learned.bif"
)
def search(
    data: inputs.TableArgument,
    score: Annotated[
        Score,
        typer.Option(
            help="bic, bdeu and k2 for categories, gaussian_bic for numbers, cg_bic and dg_bic for both, auto for what "
            "there is."
        ),
    ] = "auto",
    method: Annotated[
        SearchMethod,
        typer.Option(
            help="auto: ges, then boss; boss: best order score search; ges: greedy equivalence search; hc: hill "
            "climbing; tabu; exact: all graphs, up to about 20 columns; chow_liu: the best tree."
        ),
    ] = "auto",
    max_parents: Annotated[int | None, typer.Option(help="The largest number of parents of a column.")] = None,
    penalty: Annotated[
        float | None,
        typer.Option(
            min=0, help="Multiplies the penalty of the scores named bic: 2 of gaussian_bic, else 1, unless given."
        ),
    ] = None,
    restarts: Annotated[
        int | None,
        typer.Option(
            min=0,
            help="How often hc and tabu perturb the graph, or auto and boss the order, and search again. Unless given, "
            "5 of auto with up to 100 columns of one kind, else 0.",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="The seed of the restarts and of the bootstrap samples.")] = 0,
    require: RequireOption = None,
    forbid: ForbidOption = None,
    tier: TierOption = None,
    knowledge: KnowledgeOption = None,
    exclude: inputs.ExcludeOption = None,
    weight: inputs.WeightOption = None,
    missing: Annotated[
        SearchMissing,
        typer.Option(
            help="Missing values: an error; their row is left out; left out of the steps that need them; summed out by "
            "structural EM; or a state."
        ),
    ] = "error",
    evidence: Annotated[bool, typer.Option("--evidence", help="Show each step, and what the score gained.")] = False,
    bootstrap: BootstrapOption = 0,
    form: GraphFormatOption = None,
    output: outputs.OutputOption = None,
    on_bad_row: inputs.OnBadRowOption = "error",
    encoding: inputs.EncodingOption = None,
    sheet: inputs.SheetOption = None,
    decimal: inputs.DecimalOption = None,
    quiet: inputs.QuietOption = False,
) -> None:
    """Search for the graph with the best score.

    With --format bif, or -o and the name of a network file, the result is a net: the graph, or one DAG of its class (a
    consistent extension), with tables counted from the same rows.
    """
    from deciban.nets.search.search import search as find

    known = read_knowledge(require, forbid, tier, knowledge)
    reading = inputs.reading_options(quiet, on_bad_row, encoding, sheet, decimal)
    with inputs.open_rows(data, exclude, **reading) as source:
        found = find(
            source,
            score=score,
            method=method,
            max_parents=max_parents,
            penalty=penalty,
            knowledge=known,
            restarts=restarts,
            random_state=seed,
            sample_weight=weight,
            missing=missing,
            progress=sys.stderr.isatty() and not quiet,
        )
        reads = "numbers" if found.criterion == "gaussian_bic" else "categories"
        shares = found.bootstrap(bootstrap, random_state=seed) if bootstrap else None
        learned = LearnedGraph(
            found,
            _edges(found, shares),
            LearnedFrom(source, reads, missing, weight),
            dag=lambda: found.dag,
            evidence=[str(move) for move in found.moves] if evidence else [],
            details={"method": found.method, "criterion": found.criterion, "score": found.score},
            draws=bootstrap,
        )
        learned.write(form, output, quiet=quiet)


def _edges(found: SearchResult, shares: Confidence | None) -> list[dict[str, object]]:
    """The edges; of a DAG, whether the data decide the direction of the arrow."""
    if found.method in ("auto", "boss", "ges"):
        return [edge_row(edge, shares) for edge in found.graph.edges]
    decided = set(found.cpdag.directed_edges)
    return [
        {**edge_row((a, kind, b), shares), "decided": "yes" if (a, b) in decided else "no"}
        for a, kind, b in found.graph.edges
    ]


RequireOption = Annotated[
    list[str] | None,
    typer.Option("--require", metavar="ARROW", help="An arrow that must be in the graph, 'smoke -> lung'; repeatable."),
]
ForbidOption = Annotated[
    list[str] | None,
    typer.Option("--forbid", metavar="ARROW", help="An arrow that must not be in the graph; repeatable."),
]
TierOption = Annotated[
    list[str] | None,
    typer.Option(
        "--tier",
        metavar="COLUMNS",
        help="Columns such as 'age, sex' that no column of a later --tier causes; given twice or more, earliest first.",
    ),
]
KnowledgeOption = Annotated[
    Path | None,
    typer.Option(
        "--knowledge",
        metavar="FILE",
        help='The same in JSON: {"required": [["a", "b"]], "forbidden": [], "tiers": []}.',
    ),
]
_KEYS = ("required", "forbidden", "tiers")


def read_knowledge(
    require: list[str] | None, forbid: list[str] | None, tier: list[str] | None, file: Path | None
) -> Knowledge | None:
    """The knowledge of the options and of the file together; None where there is none."""
    options: dict[str, list[Any]] = {
        "required": [_arrow(text, "--require") for text in require or ()],
        "forbidden": [_arrow(text, "--forbid") for text in forbid or ()],
        "tiers": [split_names(text) for text in tier or ()],
    }
    if len(tier or ()) == 1 and file is None:
        raise typer.BadParameter("one tier has no effect: give the later ones, too.", param_hint="--tier")
    if file is not None:
        known = _read(file)
        options = {key: [*known.get(key, ()), *more] for key, more in options.items()}
    if not any(options.values()):
        return None
    from deciban.nets import Knowledge

    return Knowledge(**options)


def split_names(text: str) -> list[str]:
    """The names of columns in a text.

    >>> split_names('age, marital status, "born, where"')
    ['age', 'marital status', 'born, where']
    """
    return [name.strip() for name in next(csv.reader([text], skipinitialspace=True), [])]


def _arrow(text: str, option: str) -> tuple[str, str]:
    ends = [end.strip() for end in re.split("->|→", text)]
    if len(ends) != 2 or not all(ends):
        raise typer.BadParameter(f"{text!r} is not an arrow such as 'smoke -> lung'.", param_hint=option)
    return ends[0], ends[1]


def _read(file: Path) -> dict[str, list[Any]]:
    from deciban.choices import did_you_mean
    from deciban.files import read_text

    content = read_text(file)
    try:
        knowledge = json.loads(content)
    except ValueError as error:
        raise FileError(f"{file} is not JSON: {error}") from None
    if not isinstance(knowledge, dict) or not all(isinstance(value, list) for value in knowledge.values()):
        raise FileError(f'{file} holds no knowledge: write {{"required": [["a", "b"]], "forbidden": [], "tiers": []}}.')
    for key in knowledge:
        if key not in _KEYS:
            raise FileError(f"{file} has {key!r}, which is not part of knowledge.{did_you_mean(key, _KEYS)}")
    return knowledge
