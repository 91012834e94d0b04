"""Which format a file has, by its name; compressed or not.

==========  ==================  ==================================================================
format      suffix              of
==========  ==================  ==================================================================
``bif``     .bif                most collections of nets
``xmlbif``  .xmlbif, .xml       Weka, JavaBayes, SamIam
``net``     .net                Hugin
``uai``     .uai                the contests in inference
``xdsl``    .xdsl               GeNIe and SMILE
``json``    .json               deciban; keeps the types of names
==========  ==================  ==================================================================

Any of them may be compressed, with the suffix .gz. Each writes doubles with as many digits as it takes to read the same
doubles again.
"""

from __future__ import annotations

import codecs
import gzip
import os
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from deciban.errors import ParameterError, TooLargeError
from deciban.files import as_path, read_text, write_whole
from deciban.limits import check_memory
from deciban.nets.io.bif import read_bif, write_bif
from deciban.nets.io.hugin import read_hugin, write_hugin
from deciban.nets.io.json_net import read_json, write_json
from deciban.nets.io.uai import read_uai, write_uai
from deciban.nets.io.xdsl import read_xdsl, write_xdsl
from deciban.nets.io.xmlbif import read_xmlbif, write_xmlbif
from deciban.nets.network import Network
from deciban.suggest import did_you_mean

__all__ = ["FORMATS", "Format", "check_text", "read_network", "write_network"]

_PER_ENTRY = 80
"""The bytes of an entry of a table while it is written: a number of Python's, and up to 24 characters, twice."""

Path_ = str | os.PathLike[str]


class Format(NamedTuple):
    """How a format is read and written, and which suffixes it has."""

    read: Callable[[bytes, str], Network]
    write: Callable[[Network], str]
    suffixes: tuple[str, ...]


FORMATS = {
    "bif": Format(read_bif, write_bif, (".bif",)),
    "xmlbif": Format(read_xmlbif, write_xmlbif, (".xmlbif", ".xml")),
    "net": Format(read_hugin, write_hugin, (".net",)),
    "uai": Format(read_uai, write_uai, (".uai",)),
    "xdsl": Format(read_xdsl, write_xdsl, (".xdsl",)),
    "json": Format(read_json, write_json, (".json",)),
}


def read_network(path: Path_, format: str | None = None) -> Network:  # noqa: A002
    """The net that a file holds."""
    where = as_path(path)
    read = _format_of(where, format).read
    raw = read_text(where).removeprefix(codecs.BOM_UTF8)
    try:
        return read(raw, str(where))
    except TooLargeError as error:
        raise TooLargeError(f"{where}: {error}") from None


def write_network(network: Network, path: Path_, format: str | None = None) -> None:  # noqa: A002
    """Write a net, at once or not at all."""
    where = as_path(path)
    format_ = _format_of(where, format)
    check_text(network)
    content = format_.write(network).encode()
    write_whole(where.resolve(), gzip.compress(content, mtime=0) if where.suffix.lower() == ".gz" else content)


def check_text(network: Network) -> None:
    """Refuse to write a net whose text would take more than the memory limit."""
    entries = sum(table.size for table in network.tables.values())
    check_memory("the text of the net's table entries", entries, itemsize=_PER_ENTRY)


def _format_of(path: Path, named: str | None) -> Format:
    if named is not None:
        if named not in FORMATS:
            raise ParameterError(f"format={named!r} is none of {', '.join(FORMATS)}.{did_you_mean(named, FORMATS)}")
        return FORMATS[named]
    suffixes = [suffix.lower() for suffix in path.suffixes if suffix.lower() != ".gz"]
    known = {suffix: format_ for format_ in FORMATS.values() for suffix in format_.suffixes}
    if suffixes and suffixes[-1] in known:
        return known[suffixes[-1]]
    close = did_you_mean(suffixes[-1], known) if suffixes else ""
    raise ParameterError(
        f"the name {str(path)!r} does not say which format it has: use {', '.join(known)}, or pass format=.{close}"
    )
