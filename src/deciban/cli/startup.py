"""A quick start of the program: modules that other packages import and the commands do not use are not loaded.

scikit-learn's base class imports `scipy.stats`, `scipy.special` (which rewrites the docstrings of its functions when it
is loaded) and, where it is installed, pandas, for functions that few commands call. That takes longer than all the rest
of `deciban predict`. So in the process of the command, and only there,

- optional packages of other packages are not found: pandas, since the commands read files with Arrow, and two that
  joblib and numpy.f2py try to import;
- `scipy.special` and `scipy.stats` are stand-ins, which load the real modules when one of their names is first used.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import Any

__all__ = ["DEFERRED", "HIDDEN", "defer_imports"]

HIDDEN = ("pandas", "psutil", "charset_normalizer")
DEFERRED = ("scipy.special", "scipy.stats")


def defer_imports() -> None:
    """Hide and defer these modules, unless they are loaded already."""
    sys.meta_path.insert(0, _Hiding())
    for name in DEFERRED:
        if name not in sys.modules:
            sys.modules[name] = _Deferred(name)


class _Hiding:
    """A finder that comes first and finds no spec, except that hidden packages do not exist."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:  # noqa: ARG002
        if name in HIDDEN:
            raise ModuleNotFoundError(f"{name} is not used by the commands", name=name)


class _Deferred(ModuleType):
    """A stand-in for a module: it is replaced by the real one when a name is looked up in it."""

    def __getattr__(self, name: str) -> Any:
        return getattr(self._load(), name)

    def _load(self) -> ModuleType:
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        real = import_module(self.__name__)
        self.__dict__.update(real.__dict__)
        return real
