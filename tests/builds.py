"""Run the tests of kernels, models and nets on another build of the core: ``python -m tests.builds clang``.

A build is made in a folder of its own in build/, apart from the usual one. `plain-loops` is the path of compilers that
have no vector types, such as MSVC, taken with the usual compiler. `tests.sanitize` has further builds.

As a plugin of pytest (``-p tests.builds``) this module makes sure that the other build is the one that is tested.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
BUILD = ROOT / "build"
SUITES = [
    "tests/test_core.py",
    "tests/properties",
    "tests/models",
    "tests/nets",
    "tests/textbook",
    "tests/text",
    "tests/parity",
]
OTHERS = "not ctrl_c and not predicted"
"""All tests but those that start the usual build in a process of its own."""

OPTIONS = {
    "clang": ["-DCMAKE_CXX_COMPILER=clang++"],
    "plain-loops": ["-DDECIBAN_PLAIN_LOOPS=ON"],
}
_VARIABLE = "DECIBAN_TESTED_BUILD"


def run(*command, env=None):
    print("$", " ".join(command), flush=True)
    subprocess.run(command, check=True, cwd=ROOT, env=os.environ | (env or {}))


def build(folder, *options):
    """Configure and compile in a folder, with warnings as errors."""
    run("cmake", "-G", "Ninja", "-S", str(ROOT), "-B", str(folder), "-DDECIBAN_DEVELOPER=ON", *options)
    run("cmake", "--build", str(folder), "--parallel", "2")


def build_package(folder, *options):
    """A copy of the package with a core of its own; returns the folder to put on the path."""
    nanobind = subprocess.check_output([sys.executable, "-m", "nanobind", "--cmake_dir"], text=True).strip()
    build(folder, f"-Dnanobind_DIR={nanobind}", f"-DPython_EXECUTABLE={sys.executable}", *options)
    package = folder / "package" / "deciban"
    shutil.copytree(ROOT / "src" / "deciban", package, dirs_exist_ok=True)
    for library in folder.glob("_native*.so"):
        shutil.copy(library, package / "_core")
    return package.parent


def check(package, *arguments, env=None):
    """Run pytest on a package that `build_package` made."""
    own = {"PYTHONPATH": str(package), _VARIABLE: str(package)}
    run(sys.executable, "-m", "pytest", "-p", "tests.builds", *arguments, env=own | (env or {}))


def use_other_build(package):
    """Take the import hook of the usual build away, which would go before PYTHONPATH."""
    sys.meta_path[:] = [finder for finder in sys.meta_path if "editable" not in type(finder).__module__.lower()]
    import deciban._core._native as native  # noqa: PLC0415

    if not native.__file__.startswith(package):
        raise SystemExit(f"{native.__file__} would be tested, not {package}")


if _VARIABLE in os.environ:
    use_other_build(os.environ[_VARIABLE])

if __name__ == "__main__":
    os.environ["PATH"] = str(Path(sys.executable).parent) + os.pathsep + os.environ["PATH"]
    for name in sys.argv[1:] or OPTIONS:
        check(build_package(BUILD / name, "-DCMAKE_BUILD_TYPE=Release", *OPTIONS[name]), *SUITES, "-k", OTHERS)
