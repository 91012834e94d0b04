"""What must work wherever a wheel of deciban is installed: ``python -I smoke.py``, outside the sources.

`make wheel` runs this in a clean virtual environment, so it uses nothing but deciban and its runtime dependencies.
"""

import importlib.util
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from importlib.metadata import distribution
from pathlib import Path

import deciban as db
from deciban._core import _native
from deciban.errors import MissingExtraError

COMPILERS = ("cc", "gcc", "g++", "c++", "clang", "clang++", "cl", "cmake", "ninja", "make")

DAYS = {
    "sky": ["grey", "grey", "blue", "grey", "blue", "blue", "grey", "blue"],
    "pressure": ["falling", "falling", "falling", "rising", "rising", "rising", "rising", "rising"],
}
WEATHER = ["rain", "rain", "dry", "dry", "dry", "dry", "rain", "dry"]


def check(holds, what):
    if not holds:
        raise SystemExit(f"  FAILED: {what}")
    print(f"  {what}")


def check_installation(compiler_allowed):
    home = Path(sysconfig.get_path("platlib")).resolve()
    for file in (db.__file__, _native.__file__):
        check(Path(file).resolve().is_relative_to(home), f"{Path(file).name} is in site-packages")
    found = [name for name in COMPILERS if shutil.which(name)]
    check(compiler_allowed or not found, f"no compiler on the path {found or ''}")
    files = {file.as_posix() for file in distribution("deciban").files or ()}
    check("deciban/py.typed" in files, "the types are installed")
    check(any(file.endswith("licenses/LICENSE") for file in files), "the licence is installed")
    outside = {file for file in files if not file.startswith(("deciban/", "deciban-", ".."))}
    check(all(file.startswith("deciban.libs/") for file in outside), f"nothing else is {sorted(outside) or ''}")


def check_classifiers(folder):
    model = db.CategoricalNB().fit(DAYS, WEATHER)
    morning = {"sky": "grey", "pressure": "falling"}
    check(model.predict_one(morning) == "rain", "a classifier fits and predicts")
    check("P(rain) = 0.779" in str(model.explain(morning)), "a prediction is explained")
    db.save(model, folder / "weather.deciban")
    again = db.load(folder / "weather.deciban")
    check((again.predict_proba(DAYS) == model.predict_proba(DAYS)).all(), "a model is saved and loaded")
    text = db.TextNB().fit(["cheap pills now", "lunch at noon?", "cheap watches", "see you at noon"], [1, 0, 1, 0])
    check(text.predict(["cheap lunch pills"])[0] == 1, "text is classified")
    return model


def check_nets(folder):
    truth = db.BayesNet.from_tables(
        db.DAG([("rain", "wet"), ("sprinkler", "wet")]),
        dict.fromkeys(["rain", "sprinkler", "wet"], ("no", "yes")),
        {
            "rain": [0.7, 0.3],
            "sprinkler": [0.6, 0.4],
            "wet": [[[0.98, 0.02], [0.1, 0.9]], [[0.1, 0.9], [0.01, 0.99]]],
        },
    )
    rows = truth.sample(2000, random_state=0)
    graph = db.discover(rows).graph
    check(set(graph.directed_edges) == {("rain", "wet"), ("sprinkler", "wet")}, "a graph is learned")
    net = db.BayesNet(truth.dag).fit(rows)
    check(
        abs(net.query("rain", {"wet": "yes"})["yes"] - truth.query("rain", {"wet": "yes"})["yes"]) < 0.05,
        "a net answers",
    )
    net.write(folder / "net.bif")
    check(db.read_net(folder / "net.bif").dag == net.dag, "a net is written and read")


def check_extras(model):
    """The error of a function that needs an extra names the extra."""
    numbers = db.GaussianNB().fit([[0.0], [1.0]], [0, 1])
    morning = {"sky": "grey", "pressure": "falling"}
    uses = [
        ("sqlglot", "sql", model.to_sql),
        ("onnx", "onnx", numbers.to_onnx),
        ("networkx", "nets", db.DAG([("a", "b")]).to_networkx),
        ("matplotlib", "plot", model.explain(morning).plot),
    ]
    for package, extra, use in uses:
        if importlib.util.find_spec(package):
            continue
        try:
            use()
        except MissingExtraError as error:
            check(f"deciban[{extra}]" in str(error), f"without {package}: {error}")
        else:
            check(holds=False, what=f"{package} is not installed, but the function that needs it works")


def check_command():
    command = shutil.which("deciban", path=sysconfig.get_path("scripts"))
    shown = subprocess.run([command, "demo"], capture_output=True, encoding="utf-8", check=False)
    check(shown.returncode == 0 and "sprinkler" in shown.stdout, f"`deciban demo` runs {shown.stderr}")


def main(compiler_allowed):
    print(f"  Python {sys.version.split()[0]}")
    check_installation(compiler_allowed)
    with tempfile.TemporaryDirectory() as name:
        model = check_classifiers(Path(name))
        check_nets(Path(name))
    check_extras(model)
    check_command()


if __name__ == "__main__":
    main(compiler_allowed="--compiler-allowed" in sys.argv)
