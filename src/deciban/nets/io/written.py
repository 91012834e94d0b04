"""Bayes nets as files."""

from __future__ import annotations

import os
from abc import abstractmethod
from typing import Self

from deciban.nets.io.formats import check_text, write_network
from deciban.nets.io.json_net import read_json, write_json
from deciban.nets.network import HoldsNetwork, Network

__all__ = ["Written"]


class Written(HoldsNetwork):
    """A net that can be written."""

    @classmethod
    @abstractmethod
    def of(cls, network: Network) -> Self:
        """A net that answers from a value."""

    def write(self, path: str | os.PathLike[str], *, format: str | None = None) -> None:  # noqa: A002
        """Write the net to a file, at once or not at all; ``db.read_net`` reads the same tables again, bit for bit.

        Parameters
        ----------
        path
            The file: .bif, .xmlbif or .xml, .net (Hugin), .uai, .xdsl (GeNIe) or .json; with .gz at the end it is
            compressed. A file that is there is replaced.
        format
            ``"bif"``, ``"xmlbif"``, ``"net"``, ``"uai"``, ``"xdsl"`` or ``"json"`` where the suffix does not say it.
        """
        write_network(self.network, path, format)

    def to_json(self) -> str:
        """The net as JSON, which keeps the types of nodes and states."""
        check_text(self.network)
        return write_json(self.network)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The net that ``to_json`` has written."""
        return cls.of(read_json(text, "the text"))
