"""A Bayes net in pyAgrum, built from deciban's numbers: pyAgrum's own reader of BIF files keeps float32."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deciban.nets import Network

__all__ = ["Agrum", "Cases"]

Cases = NDArray[np.int32]
"""Codes of states, one row for each case and one column for each node; −1 where nothing is observed."""


class Agrum:
    """The same net in pyAgrum, with its lazy propagation."""

    def __init__(self, network: Network) -> None:
        gum = import_module("pyagrum")
        self._net = gum.BayesNet()
        for index, card in enumerate(network.cards):
            self._net.add(gum.LabelizedVariable(f"n{index}", f"n{index}", [str(code) for code in range(card)]))
        for family in network.families:
            for parent in family[:-1]:
                self._net.addArc(f"n{parent}", f"n{family[-1]}")
        for family, factor in zip(network.families, network.factors, strict=True):
            table = self._net.cpt(f"n{family[-1]}")
            axes = [family.index(int(name[1:])) for name in reversed(table.names)]
            table.fillWith(np.transpose(factor, axes).ravel().tolist())
        self._engine = gum.LazyPropagation(self._net)
        self._names = [f"n{index}" for index in range(len(network.nodes))]

    def posteriors(self, case: Cases) -> list[Any]:
        """The posteriors of all nodes after fresh evidence."""
        self._engine.setEvidence({f"n{index}": int(code) for index, code in enumerate(case) if code >= 0})
        self._engine.makeInference()
        return [self._engine.posterior(name) for name in self._names]
