"""What the commands for Bayes nets read and write: network files, and nets that deciban has saved."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from deciban.cli.command import note

if TYPE_CHECKING:
    from deciban.nets import BayesNet, GaussianNet

__all__ = [
    "FORMATS",
    "GivenOption",
    "NetArgument",
    "is_net_file",
    "read_evidence",
    "read_net_file",
    "write_net_file",
]

FORMATS = {
    "bif": (".bif", "BIF, of most collections of nets"),
    "xmlbif": (".xmlbif .xml", "XMLBIF, of Weka, JavaBayes and SamIam"),
    "net": (".net", "Hugin"),
    "uai": (".uai", "the UAI inference competitions; deciban keeps the names in a comment"),
    "xdsl": (".xdsl", "GeNIe and SMILE"),
    "json": (".json", "JSON of deciban; keeps the types of names"),
    "deciban": (".deciban", "deciban's own; keeps the counts, so that the net can go on learning"),
}
"""The suffixes of each format, and what it is."""

_SAVED = "deciban"

NetArgument = Annotated[
    str,
    typer.Argument(metavar="NET", help="A Bayes net: .bif, .xdsl, .net, .uai, .xml, .json (also .gz), or .deciban."),
]
GivenOption = Annotated[
    str | None,
    typer.Option("--given", metavar="STATES", help="Observed states, such as 'xray=yes, smoke=no'."),
]


def is_net_file(output: Path) -> bool:
    """Whether the name of a file is that of a net; .json is not, as results are JSON too."""
    return _suffix(output) in _SUFFIXES and _suffix(output) != ".json"


def read_net_file(name: str, form: str | None = None) -> BayesNet | GaussianNet:
    """The net of a file."""
    _check_suffix(name, form)
    if not _is_saved(name, form):
        from deciban.nets import read_net

        return read_net(name, format=form)  # type: ignore[arg-type]
    from deciban.errors import FileError
    from deciban.models.storage.file import load
    from deciban.nets import BayesNet, GaussianNet

    net = load(name)
    if isinstance(net, BayesNet | GaussianNet):
        return net
    raise FileError(f"{name} holds a {type(net).__name__}, not a Bayes net.")


def write_net_file(net: BayesNet | GaussianNet, output: Path, form: str | None = None, *, quiet: bool = False) -> None:
    """Write a net to a file, in the format that its name says."""
    _check_suffix(output, form)
    _write(net, output, form)
    if not quiet:
        note(f"Wrote {output}: {net!r}")


def _write(net: BayesNet | GaussianNet, output: Path, form: str | None) -> None:
    if _is_saved(output, form):
        from deciban.models.storage.file import save

        save(net, output)
        return
    from deciban.errors import ParameterError
    from deciban.nets import GaussianNet

    if isinstance(net, GaussianNet):
        raise ParameterError(f"network files hold tables, and this net is Gaussian: write it to a {_SUFFIX} file.")
    net.write(output, format=form)  # type: ignore[arg-type]


def read_evidence(net: Any, text: str | None) -> dict[Any, Any]:
    """The states of a net that a text such as ``xray=yes, smoke=no`` gives."""
    from deciban.nets.inference.ask.answer import read_assignments

    return read_assignments(net, text) if text else {}


_SUFFIX = f".{_SAVED}"
_SUFFIXES = [suffix for own, _ in FORMATS.values() for suffix in own.split()]


def _suffix(name: str | Path) -> str:
    """The suffix that gives the format: of a compressed file the one before .gz."""
    path = Path(name)
    return (path.with_suffix("") if path.suffix.lower() == ".gz" else path).suffix.lower()


def _check_suffix(name: str | Path, form: str | None) -> None:
    if form is not None or _suffix(name) in _SUFFIXES:
        return
    from deciban.errors import FileError
    from deciban.suggest import closest

    known = ", ".join(_SUFFIXES)
    meant = closest(_suffix(name), _SUFFIXES)
    raise FileError(f"{name} is not the name of a network file: it ends in none of {known} (or these with .gz).{meant}")


def _is_saved(name: str | Path, form: str | None) -> bool:
    return form == _SAVED or (form is None and Path(name).suffix.lower() == _SUFFIX)
