"""The program does not load what its commands do not use, and loads it when it is used after all."""

from __future__ import annotations

import subprocess
import sys

import pytest

from deciban.cli.demonstration import write_examples

CODE = """
import sys
from deciban.cli import defer_imports
defer_imports()
import sklearn.base
assert "scipy.stats._stats_py" not in sys.modules, "loaded"
import scipy.stats
from scipy.stats import norm
assert scipy.stats.norm is norm and sys.modules["scipy.stats"].norm is norm
import scipy.stats.qmc
print("fine")
"""


def test_modules_are_deferred_until_they_are_used():
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=False)
    assert done.stdout == "fine\n", done.stderr


@pytest.fixture(scope="module")
def examples(tmp_path_factory):
    """The files of `deciban demo --files`."""
    folder = tmp_path_factory.mktemp("examples")
    write_examples(folder)
    return folder


def loaded(names, arguments, folder):
    """Which of these modules a command loads."""
    code = (
        f"import sys, atexit; from deciban.cli import run; sys.argv = ['deciban', *{arguments}];"
        f"atexit.register(lambda: print([name for name in {names} if name in sys.modules])); run()"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()[-1]


def test_a_prediction_of_one_row_loads_no_nets_and_little_of_scipy(examples):
    # scikit-learn imports pandas where it is installed, and pandas imports Arrow
    names = ("scipy.optimize", "scipy.stats._stats_py", "deciban.nets.bayesnet", "sklearn.preprocessing")
    assert loaded(names, ["predict", "tennis.deciban", "day.json"], examples) == "[]"


def test_a_prediction_of_one_row_loads_no_arrow_where_pandas_is_absent(examples):
    code = (
        "import sys; sys.modules['pandas'] = None; from deciban.cli import run;"
        "import atexit; atexit.register(lambda: print('pyarrow' in sys.modules));"
        "sys.argv = ['deciban', 'predict', 'tennis.deciban', 'day.json']; run()"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=examples, capture_output=True, text=True, check=False)
    assert done.stdout.splitlines()[-1] == "False", done.stdout + done.stderr


@pytest.mark.parametrize(
    "command",
    [
        ["query", "garden.bif", "P(rain | wet=yes)"],
        ["do", "garden.bif", "sprinkler=yes"],
        ["sample", "garden.bif", "-n", "3"],
        ["convert", "garden.bif", "garden.net"],
        ["discover", "tennis.csv"],
        ["search", "tennis.csv"],
    ],
    ids=lambda command: command[0],
)
def test_commands_of_nets_and_graphs_load_no_scikit_learn(examples, command):
    assert loaded(("sklearn", "scipy.stats._stats_py", "deciban.models"), command, examples) == "[]"
