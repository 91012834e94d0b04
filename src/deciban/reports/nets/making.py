"""How a net was made: the settings, the versions, and the code that makes the page again."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib.metadata import version
from typing import Any

from deciban.choices import counted
from deciban.nets.bayesnet import BayesNet
from deciban.nets.discovery.result import Discovery
from deciban.nets.gaussian_net import GaussianNet
from deciban.nets.graphs.graph import DAG
from deciban.nets.search.result import SearchResult
from deciban.reports.markup import code, text
from deciban.reports.nets.overview import Fact
from deciban.reports.page import Section

__all__ = ["discovery_making", "net_making", "search_making"]

_ARROWS = 40
_IMPORT = "import deciban as db"


def net_making(net: BayesNet | GaussianNet, *, has_data: bool, evidence: Mapping[Any, Any] | None) -> Section:
    """Of a net: the settings of its fit, where it was fitted."""
    given = f", evidence={dict(evidence)!r}" if evidence else ""
    report = f"db.report(net{', data' if has_data else ''}{given}).save('report.html')"
    name = type(net).__name__
    settings = net.settings_ if isinstance(net, BayesNet) and net._fit is not None else None
    if isinstance(net, BayesNet) and settings is None:
        lines = [_IMPORT, "net = db.read_net('net.bif')", report]
        command = f"deciban report net.bif{' data.csv' if has_data else ''} -o report.html"
        return _section([("tables", "given")], lines, command)
    fit = "" if settings is None else f", smoothing={_rule(settings.smoothing)}, missing={settings.missing!r}"
    facts = [("model", name)]
    if settings is not None:
        facts += [
            ("smoothing", repr(settings.smoothing)),
            ("missing values", settings.missing),
            ("parents without rows", settings.unseen_parents),
        ]
    return _section(facts, [_IMPORT, f"net = db.{name}({_arrows(net.dag)}).fit(data{fit})", report])


def discovery_making(found: Discovery) -> Section:
    """Of a discovery: the test and its level."""
    alpha = getattr(found.test, "alpha", None)
    name = getattr(found.test, "name", type(found.test).__name__)
    facts = [("method", found.method), ("test", str(name))]
    facts += [] if alpha is None else [("alpha", f"{alpha:g}")]
    facts.append(("largest conditioning set", f"{found.depth:,}"))
    level = "" if alpha is None else f", alpha={alpha:g}"
    lines = [_IMPORT, f"found = db.discover(data, {found.method!r}{level})", "db.report(found).save('report.html')"]
    return _section(facts, lines)


def search_making(result: SearchResult) -> Section:
    """Of a search: the score and the method."""
    facts = [("method", result.method), ("score", result.criterion)]
    line = f"result = db.search(data, {result.criterion!r}, method={result.method!r})"
    return _section(facts, [_IMPORT, line, "db.report(result).save('report.html')"])


def _section(settings: Sequence[Fact], python: Sequence[str], command: str = "") -> Section:
    versions = [("deciban", version("deciban")), ("NumPy", version("numpy")), ("Python", platform.python_version())]
    facts = "".join(f"<dt>{text(name)}</dt><dd>{text(value, 400)}</dd>" for name, value in [*settings, *versions])
    shell = f"<h3>On the command line</h3>{code(command)}" if command else ""
    lines = f"<h3>In Python</h3>{code(chr(10).join(python))}"
    lead = "What is needed to make this page again."
    return Section("How it was made", f"<dl>{facts}</dl>{lines}{shell}", lead=lead, key="making")


def _rule(smoothing: Any) -> str:
    """A smoothing, or one for each node, as Python code."""
    if isinstance(smoothing, Mapping):
        return f"{{{', '.join(f'{node!r}: {_rule(rule)}' for node, rule in smoothing.items())}}}"
    name = type(smoothing).__name__
    with suppress(TypeError):  # a rule that needs an argument
        if type(smoothing)() == smoothing:
            return f"db.{name}()"
    return f"db.{smoothing!r}"


def _arrows(dag: DAG) -> str:
    """The arrows of a graph as Python code; a long list is named only."""
    arrows = [f"({parent!r}, {child!r})" for parent, child in dag.directed_edges]
    return f"[{', '.join(arrows)}]" if len(arrows) <= _ARROWS else f"arrows  # {counted(len(arrows), 'pair')}\n"
