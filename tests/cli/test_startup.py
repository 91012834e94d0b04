"""The program does not load what its commands do not use, and loads it when it is used after all."""

from __future__ import annotations

import subprocess
import sys

CODE = """
import sys
from deciban.cli.startup import DEFERRED, HIDDEN, defer_imports
defer_imports()
import sklearn.base
assert not any(name in sys.modules for name in ("scipy.stats._stats_py", "pandas.core")), "loaded"
import scipy.stats
from scipy.stats import norm
assert scipy.stats.norm is norm and sys.modules["scipy.stats"].norm is norm
import scipy.stats.qmc
print("fine")
"""


def test_modules_are_deferred_until_they_are_used():
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=False)
    assert done.stdout == "fine\n", done.stderr


def test_a_prediction_of_one_row_loads_no_arrow_and_no_nets(tmp_path):
    code = (
        "from deciban.cli.demonstration import write_examples; from pathlib import Path;"
        f"write_examples(Path({str(tmp_path)!r}))"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    names = ("pyarrow", "scipy.optimize", "scipy.stats._stats_py", "deciban.nets.bayesnet", "sklearn.preprocessing")
    code = (
        "import sys, atexit; from deciban.cli import run;"
        "sys.argv = ['deciban', 'predict', 'tennis.deciban', 'day.json'];"
        f"atexit.register(lambda: print([name for name in {names} if name in sys.modules])); run()"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stdout.splitlines()[-1] == "[]", done.stdout + done.stderr
