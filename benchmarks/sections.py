"""The sections of docs/benchmarks.md, in their order: name, title, and the function that measures and renders it.

A section is one file with ``run(options)``, which returns its Markdown text, and one line here. ``--only`` takes the
names; a section may have parts, which ``--only`` takes as well. A section of which only parts were run returns None
and is not written.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from benchmarks.accuracy import classifiers, naive_bayes
from benchmarks.commands import section as commands
from benchmarks.engines import section as engines
from benchmarks.graphs import accuracy as graph_accuracy
from benchmarks.graphs import discovery, missing, numbers, search
from benchmarks.graphs import mixed as mixed_graphs
from benchmarks.harness.options import Options
from benchmarks.inference import exact, files, mixed, mixed_fit, posteriors, sampling
from benchmarks.rivals import section as rivals
from benchmarks.service import section as service
from benchmarks.speed import section as speed
from benchmarks.tables import section as tables
from benchmarks.text import accuracy as text_accuracy
from benchmarks.text import speed as text

__all__ = ["SECTIONS", "Section"]


class Section(NamedTuple):
    """A section of the page."""

    name: str
    title: str
    run: Callable[[Options], str | None]
    parts: tuple[str, ...] = ()


SECTIONS = (
    Section("speed", "Speed and memory against scikit-learn", speed.run, speed.PARTS),
    Section("tables", "Speed and memory of `NaiveBayes` on real tables", tables.run),
    Section("accuracy", "Accuracy against scikit-learn's best naive Bayes", naive_bayes.run, naive_bayes.PARTS),
    Section("nets-classifiers", "Beyond the naive assumption", classifiers.run, classifiers.PARTS),
    Section("rivals", "Boosting, forests and linear models on other tables", rivals.run, rivals.PARTS),
    Section("text", "Speed and memory of text", text.run),
    Section("text-accuracy", "Accuracy of text models", text_accuracy.run, text_accuracy.PARTS),
    Section("graphs", "Speed and memory of `db.discover`", discovery.run),
    Section("normal-graphs", "Graphs of thousands of normal variables", numbers.run),
    Section("structures", "Speed and memory of `db.search`", search.run),
    Section("graph-accuracy", "Accuracy of graphs", graph_accuracy.run),
    Section("missing-values", "Accuracy of graphs from incomplete tables", missing.run),
    Section("mixed-graphs", "Graphs from categories and numbers", mixed_graphs.run),
    Section("inference", "Exact inference against pyAgrum", exact.run),
    Section("mixed-nets", "Nets of categories and numbers fitted", mixed_fit.run),
    Section("mixed-inference", "Exact inference over categories and numbers", mixed.run),
    Section("posteriors", "Posteriors of a class in a Bayes net", posteriors.run),
    Section("sampling", "Rows drawn from a Bayes net", sampling.run),
    Section("net-files", "Files of Bayes nets", files.run),
    Section("engines", "Files, databases and clusters", engines.run, engines.PARTS),
    Section("commands", "The command `deciban`", commands.run),
    Section("service", "The HTTP service under load", service.run),
    Section("engines-large", "Files of several gigabytes", engines.run_large),
)
