"""Live pictures as widgets of a notebook: Jupyter, VS Code and marimo, by anywidget."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import anywidget
import traitlets

from deciban.models.base import BayesClassifier
from deciban.nets import BayesNet
from deciban.widget.answers import LiveNet
from deciban.widget.rows import LiveRow
from deciban.widget.scene import net_scene

__all__ = ["NetWidget", "RowWidget"]


_MODULE = Path(__file__).parent / "assets" / "live.js"


class NetWidget(anywidget.AnyWidget):
    """The live picture of a net: click a state, and see every bar move.

    Parameters
    ----------
    net : BayesNet
        The net.
    evidence : mapping, optional
        Node → observed state or value.
    likelihoods : mapping, optional
        Node → {state: P(observation | state)}.
    interventions : mapping, optional
        Node → the state or value that it is set to.

    Attributes
    ----------
    evidence, likelihoods, interventions : dict
        The findings, by name: a click changes them, and to assign one changes the picture.
    beliefs : mapping
        The distribution of each node given the findings; the last possible ones where they contradict each other.
    graph : DAG
        The graph of the net, after the interventions.

    See Also
    --------
    BayesNet.widget : Returns it.
    """

    _esm: ClassVar[Path] = _MODULE

    scene = traitlets.Dict().tag(sync=True)
    answer = traitlets.Dict().tag(sync=True)
    told = traitlets.Dict(allow_none=True, default_value=None).tag(sync=True)
    findings = traitlets.Dict().tag(sync=True)
    centre = traitlets.Int(allow_none=True, default_value=None).tag(sync=True)
    asked = traitlets.Int(allow_none=True, default_value=None).tag(sync=True)

    evidence = traitlets.Dict()
    likelihoods = traitlets.Dict()
    interventions = traitlets.Dict()
    beliefs = traitlets.Any()
    graph = traitlets.Any()

    def __init__(
        self,
        net: BayesNet,
        evidence: Mapping[Any, Any] | None = None,
        *,
        likelihoods: Mapping[Any, Any] | None = None,
        interventions: Mapping[Any, Any] | None = None,
    ) -> None:
        self._live = LiveNet(net)
        self._names = {
            "evidence": dict(evidence or {}),
            "likelihoods": dict(likelihoods or {}),
            "interventions": dict(interventions or {}),
        }
        findings = {**self._live.indexed(**self._names), "turn": 0}
        super().__init__(scene=net_scene(net), findings=findings, answer=self._live.answer(findings), **self._names)
        self._show_beliefs()

    @traitlets.observe("findings")
    def _answer(self, change: Any) -> None:
        """Findings of the picture: answer them, and tell them to the other cells by name."""
        self.answer = self._live.answer(change.new)
        if "error" not in self.answer:
            self._names = self._live.named(change.new)
            with self.hold_trait_notifications():
                for name, value in self._names.items():
                    setattr(self, name, value)
            self._show_beliefs()

    @traitlets.observe("evidence", "likelihoods", "interventions")
    def _adopt(self, change: Any) -> None:
        """Findings of a cell: they go to the picture."""
        if change.new == self._names[change.name]:
            return
        names = {**self._names, change.name: dict(change.new)}
        try:
            found = self._live.indexed(**names)
        except Exception:
            setattr(self, change.name, self._names[change.name])  # as it was: the picture must not say otherwise
            raise
        self.findings = {**found, "turn": int(self.findings.get("turn", 0)) + 1}

    @traitlets.observe("centre")
    def _move(self, change: Any) -> None:
        if change.new is not None:
            self.scene = net_scene(self._live.net, change.new)

    @traitlets.observe("asked")
    def _tell(self, change: Any) -> None:
        if change.new is not None:
            self.told = {"edge": change.new, "text": self._live.reason(change.new)}

    def _show_beliefs(self) -> None:
        self.beliefs, self.graph = self._live.now, self._live.after.dag


class RowWidget(anywidget.AnyWidget):
    """The live picture of a row: change a value, and see the evidence and the posterior move.

    Parameters
    ----------
    model : classifier
        A fitted classifier of tables.
    row : mapping, array or list
        The values to begin with.
    X : table, optional
        Rows, from which sliders get their ranges.

    Attributes
    ----------
    row : dict
        The values that are shown, by the names of the columns; to assign it changes the picture.
    posterior : dict
        Class → probability.

    See Also
    --------
    NaiveBayes.widget : Returns it.
    """

    _esm: ClassVar[Path] = _MODULE

    scene = traitlets.Dict().tag(sync=True)
    answer = traitlets.Dict().tag(sync=True)
    findings = traitlets.Dict().tag(sync=True)

    row = traitlets.Dict()
    posterior = traitlets.Dict()

    def __init__(self, model: BayesClassifier, row: Any, X: Any = None) -> None:
        self._live = LiveRow(model, row, X)
        scene = self._live.scene()
        findings = {"values": scene["values"], "turn": 0}
        super().__init__(scene=scene, findings=findings, answer=self._live.answer(findings))
        self._tell()

    @traitlets.observe("findings")
    def _answer(self, change: Any) -> None:
        self.answer = self._live.answer(change.new)
        if "error" not in self.answer:
            self._tell()

    @traitlets.observe("row")
    def _adopt(self, change: Any) -> None:
        """A row of a cell: it goes to the picture."""
        if change.new != self._live.row:
            turn = int(self.findings.get("turn", 0)) + 1
            self.findings = {**self.findings, "values": self._live.coded(change.new), "turn": turn}

    def _tell(self) -> None:
        self.row = self._live.row
        self.posterior = dict(zip(self._live.model.classes_.tolist(), self.answer["posterior"], strict=True))
