"""Network files: the format is found by the suffix, compressed or not.

==========  ==================  ==================================================================
format      suffix              of
==========  ==================  ==================================================================
``bif``     .bif                most collections of nets
``xmlbif``  .xmlbif, .xml       Weka, JavaBayes, SamIam
``net``     .net                Hugin
``uai``     .uai                the UAI inference competitions
``xdsl``    .xdsl               GeNIe and SMILE
``json``    .json               deciban; keeps the types of names, and holds numbers, too
==========  ==================  ==================================================================

Each may be compressed, with the suffix .gz. Doubles are written with as many digits as are needed to read back the same
numbers. A new format is one file with a reader and a writer, and a line in ``FORMATS``.
"""

from __future__ import annotations

import codecs
import gzip
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, NamedTuple

from deciban.choices import closest, did_you_mean
from deciban.errors import ParameterError, TooLargeError
from deciban.files import as_path, read_text, write_whole
from deciban.limits import check_memory
from deciban.nets.io.bif import read_bif, write_bif
from deciban.nets.io.hugin import read_hugin, write_hugin
from deciban.nets.io.json_net import read_json, write_json
from deciban.nets.io.uai import read_uai, write_uai
from deciban.nets.io.xml_formats import read_xdsl, read_xmlbif, write_xdsl, write_xmlbif
from deciban.nets.mixed_network import MixedNetwork
from deciban.nets.network import Network

__all__ = ["FORMATS", "Format", "FormatName", "check_text", "is_network", "read_network", "write_network"]

_PER_ENTRY = 80
"""The bytes per table entry while writing: a Python number, and up to 24 characters, twice."""

Path_ = str | os.PathLike[str]
FormatName = Literal["bif", "xmlbif", "net", "uai", "xdsl", "json"]


class Format(NamedTuple):
    """A file format of nets: a reader, a writer and its suffixes.

    Attributes
    ----------
    read : function
        (content of the file, its name) → ``Network``.
    write : function
        ``Network`` → text.
    suffixes : tuple of str
        Such as ``(".bif",)``.
    holds_numbers : bool
        Whether it can describe nets with numbers, which ``write`` then takes, too.

    See Also
    --------
    Draft : Helps a reader.

    Examples
    --------
    >>> from deciban.nets.io.formats import FORMATS
    >>> FORMATS["bif"].suffixes
    ('.bif',)
    """

    read: Callable[[bytes, str], Network | MixedNetwork]
    write: Callable[[Any], str]
    suffixes: tuple[str, ...]
    holds_numbers: bool = False


FORMATS: dict[str, Format] = {
    "bif": Format(read_bif, write_bif, (".bif",)),
    "xmlbif": Format(read_xmlbif, write_xmlbif, (".xmlbif", ".xml")),
    "net": Format(read_hugin, write_hugin, (".net",)),
    "uai": Format(read_uai, write_uai, (".uai",)),
    "xdsl": Format(read_xdsl, write_xdsl, (".xdsl",)),
    "json": Format(read_json, write_json, (".json",), holds_numbers=True),
}
"""The formats that ``read_net`` and ``BayesNet.write`` find by name or suffix."""


def is_network(path: Path) -> bool:
    """Whether the suffix of a file is that of a network."""
    return _suffix(path) in _by_suffix()


def read_network(path: Path_, format: FormatName | None = None) -> Network | MixedNetwork:  # noqa: A002
    """Read the net of a file."""
    where = as_path(path)
    read = _format_of(where, format).read
    raw = read_text(where).removeprefix(codecs.BOM_UTF8)  # which editors of Windows write
    try:
        return read(raw, str(where))
    except TooLargeError as error:
        raise TooLargeError(f"{where}: {error}") from None


def write_network(network: Network | MixedNetwork, path: Path_, format: FormatName | None = None) -> None:  # noqa: A002
    """Write a net, atomically."""
    where = as_path(path)
    format_ = _format_of(where, format)
    if isinstance(network, MixedNetwork) and not format_.holds_numbers:
        able = ", ".join(suffix for each in FORMATS.values() if each.holds_numbers for suffix in each.suffixes)
        raise ParameterError(
            f"this format holds tables only, and the net has numbers, such as {network.numbers[0]!r}. Write it to a "
            f"file with the suffix {able}, or save it with deciban.save."
        )
    check_text(network)
    content = format_.write(network).encode()
    # Without the time of writing: the same net gives the same bytes.
    write_whole(where, gzip.compress(content, mtime=0) if where.suffix.lower() == ".gz" else content)


def check_text(network: Network | MixedNetwork) -> None:
    """Raise an error if the text of the net would take more than the memory limit."""
    entries = sum(table.size for table in network.tables.values())
    check_memory("the text of the net's table entries", entries, itemsize=_PER_ENTRY)


def _format_of(path: Path, named: str | None) -> Format:
    if named is not None:
        if named not in FORMATS:
            raise ParameterError(f"format is one of {', '.join(FORMATS)}, not {named!r}.{did_you_mean(named, FORMATS)}")
        return FORMATS[named]
    suffix, known = _suffix(path), _by_suffix()
    if suffix in known:
        return known[suffix]
    close = closest(suffix, known) if suffix else ""
    raise ParameterError(
        f"the suffix of {str(path)!r} is not that of a known format: use {', '.join(known)}, or pass format=.{close}"
    )


def _suffix(path: Path) -> str:
    """The suffix of a file, without that of compression; empty where there is none."""
    return next((suffix.lower() for suffix in reversed(path.suffixes) if suffix.lower() != ".gz"), "")


def _by_suffix() -> dict[str, Format]:
    return {suffix: format_ for format_ in FORMATS.values() for suffix in format_.suffixes}
