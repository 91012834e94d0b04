"""A Bayes net from a file."""

from __future__ import annotations

import os

from deciban.nets.bayesnet import BayesNet
from deciban.nets.io.formats import read_network

__all__ = ["read_net"]


def read_net(path: str | os.PathLike[str], *, format: str | None = None) -> BayesNet:  # noqa: A002
    """Read a Bayes net.

    Parameters
    ----------
    path
        The file: .bif, .xmlbif or .xml, .net (Hugin), .uai, .xdsl (GeNIe) or .json; also with .gz at the end.
    format
        ``"bif"``, ``"xmlbif"``, ``"net"``, ``"uai"``, ``"xdsl"`` or ``"json"`` where the suffix does not say it.

    Returns
    -------
    BayesNet
        The tables are the doubles of the file. Nodes and states are strings, but for JSON, which keeps their types.
        A file that is wrong is a ``FileError`` that names the line, what was expected and what was found.
    """
    return BayesNet.of(read_network(path, format))
