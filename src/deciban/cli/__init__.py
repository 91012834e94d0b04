"""The command line: parse arguments, call the library, show the result.

For a quick start, two large modules that scikit-learn imports are loaded only when a command uses them. scikit-learn's
base class imports `scipy.stats`, and `scipy.special` with it, for functions that few commands call. That is a third of
the time of `deciban predict`. Until one of their names is first used, a stand-in takes their place, in the process of
the command and only there.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import Any

from deciban.cli.command import run_program
from deciban.cli.main import app

__all__ = ["app", "run"]

DEFERRED = ("scipy.special", "scipy.stats")


def run() -> None:
    """The program ``deciban``: run the command that the arguments of the process name."""
    defer_imports()
    run_program()


def defer_imports() -> None:
    """Defer these modules, unless they are loaded already."""
    for name in DEFERRED:
        if name not in sys.modules:
            sys.modules[name] = _Deferred(name)


# `importlib.util.LazyLoader` would be the plain way. It looks up an attribute at each `import` statement that names the
# module, and so loads it at the first one, which is the statement in scikit-learn.
class _Deferred(ModuleType):
    """A stand-in for a module: it is replaced by the real one when a name is looked up in it."""

    def __getattr__(self, name: str) -> Any:
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]  # otherwise the import below would find the stand-in
        real = import_module(self.__name__)
        self.__dict__.update(real.__dict__)  # scikit-learn keeps a reference to the stand-in
        return getattr(real, name)
