"""How a net was made: the settings, the versions, and the code that makes the page again."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any

from deciban.choices import counted
from deciban.nets.bayesnet import BayesNet
from deciban.nets.discovery.result import Discovery
from deciban.nets.gaussian_net import GaussianNet
from deciban.nets.graphs.graph import DAG
from deciban.nets.scores.registry import SCORES
from deciban.nets.search.result import SearchResult
from deciban.reports.markup import code, note, text
from deciban.reports.nets.overview import Fact
from deciban.reports.page import Section

__all__ = ["discovery_making", "net_making", "search_making"]

_ARROWS = 40
_IMPORT = "import deciban as db"
_TO_PAGE = " --format html -o report.html"
_OTHER = (
    "Background knowledge, sample weights and other options are not recorded in the result: add them where they were "
    "used."
)


def net_making(net: BayesNet | GaussianNet, *, has_data: bool, evidence: Mapping[Any, Any] | None) -> Section:
    """Of a net: the settings of its fit, where it was fitted."""
    given = f", evidence={dict(evidence)!r}" if evidence else ""
    report = f"db.report(net{', data' if has_data else ''}{given}).save('report.html')"
    name = type(net).__name__
    settings = net.settings_ if isinstance(net, BayesNet) and net._fit is not None else None
    if isinstance(net, BayesNet) and settings is None:
        return _section([("tables", "given")], [_IMPORT, "net = db.read_net('net.bif')", report])
    fit = "" if settings is None else f", smoothing={_rule(settings.smoothing)}, missing={settings.missing!r}"
    facts = [("model", name)]
    if settings is not None:
        facts += [
            ("smoothing", repr(settings.smoothing)),
            ("missing values", settings.missing),
            ("parents without rows", settings.unseen_parents),
        ]
    return _section(facts, [_IMPORT, f"net = db.{name}({_arrows(net.dag)}).fit(data{fit})", report])


def discovery_making(found: Discovery, samples: int) -> Section:
    """Of a discovery: the test and its level; `samples` is the number of bootstrap samples."""
    alpha = getattr(found.test, "alpha", None)
    name = getattr(found.test, "name", type(found.test).__name__)
    facts = [("method", found.method), ("test", str(name))]
    facts += [] if alpha is None else [("alpha", f"{alpha:g}")]
    facts.append(("largest conditioning set", f"{found.depth:,}"))
    if getattr(found.test, "sample", None) is None:
        return _section(facts, _lines("found", f"db.discover(db.Oracle(dag), {found.method!r})"), "", _OTHER)
    level = ("", "") if alpha is None else (f", alpha={alpha:g}", f" --alpha {alpha:g}")
    command = f"deciban discover data.csv --method {found.method}{level[1]} --bootstrap {samples}{_TO_PAGE}"
    return _section(facts, _lines("found", f"db.discover(data, {found.method!r}{level[0]})"), command, _OTHER)


def search_making(result: SearchResult, samples: int) -> Section:
    """Of a search: the score and the method; `samples` is the number of bootstrap samples."""
    facts = [("method", result.method), ("score", result.criterion)]
    if result.sample is None:
        return _section(facts, _lines("result", "db.search(db.Oracle(dag))"), "", _OTHER)
    is_named = result.criterion in SCORES
    score = repr(result.criterion) if is_named else f"db.{result.criterion}"
    lines = _lines("result", f"db.search(data, {score}, method={result.method!r})")
    options = f"--score {result.criterion} --method {result.method} --bootstrap {samples}"
    return _section(facts, lines, f"deciban search data.csv {options}{_TO_PAGE}" if is_named else "", _OTHER)


def _lines(name: str, call: str) -> list[str]:
    return [_IMPORT, f"{name} = {call}", f"db.report({name}).save('report.html')"]


def _section(settings: Sequence[Fact], python: Sequence[str], command: str = "", remark: str = "") -> Section:
    versions = [("deciban", version("deciban")), ("NumPy", version("numpy")), ("Python", platform.python_version())]
    facts = "".join(f"<dt>{text(name)}</dt><dd>{text(value, 400)}</dd>" for name, value in [*settings, *versions])
    shell = f"<h3>On the command line</h3>{code(command)}" if command else ""
    lines = f"<h3>In Python</h3>{code(chr(10).join(python))}"
    lead = "What is needed to make this page again."
    return Section(
        "How it was made", f"<dl>{facts}</dl>{lines}{shell}{note(remark) if remark else ''}", lead=lead, key="making"
    )


def _rule(smoothing: Any) -> str:
    """A smoothing, or one for each node, as Python code."""
    if isinstance(smoothing, Mapping):
        return f"{{{', '.join(f'{node!r}: {_rule(rule)}' for node, rule in smoothing.items())}}}"
    return f"db.{smoothing!r}"


def _arrows(dag: DAG) -> str:
    """The arrows of a graph as Python code; a long list is named only."""
    arrows = [f"({parent!r}, {child!r})" for parent, child in dag.directed_edges]
    return f"[{', '.join(arrows)}]" if len(arrows) <= _ARROWS else f"arrows  # {counted(len(arrows), 'pair')}\n"
