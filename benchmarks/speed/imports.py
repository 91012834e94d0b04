"""The time of importing ``GaussianNB`` from deciban and from scikit-learn, in fresh interpreters.

``import deciban`` alone loads nothing until a name is used, so a name is imported from both.

scikit-learn imports pandas, and with it pyarrow, where they are installed. Neither library requires pandas, so the
import is timed without it too.
"""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec

from benchmarks.harness.timing import OURS, PEER, Clock, alternate

__all__ = ["import_clock", "pandas_cases", "time_imports"]

_ROUNDS = 11


def pandas_cases() -> tuple[bool, ...]:
    """With and without pandas, or only without it where it is not installed."""
    return (True, False) if find_spec("pandas") else (False,)


def time_imports(*, has_pandas: bool) -> dict[str, float]:
    """The seconds of both imports, without the interpreter's own start."""
    modules = {PEER: "sklearn.naive_bayes", OURS: "deciban"}
    return alternate({name: import_clock(module, has_pandas=has_pandas) for name, module in modules.items()}, _ROUNDS)


def import_clock(module: str, *, has_pandas: bool) -> Clock:
    """A clock that imports `GaussianNB` from a module in a fresh interpreter."""
    hide = "" if has_pandas else "import sys; sys.modules['pandas'] = None; "  # as if it were not installed
    code = (
        f"import time; start = time.perf_counter(); from {module} import GaussianNB; print(time.perf_counter() - start)"
    )
    command = [sys.executable, "-c", hide + code]
    # An installed package has its bytecode beside it; one that is used in place writes it at the first import.
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return lambda: [float(subprocess.run(command, check=True, capture_output=True, text=True, env=env).stdout)]
