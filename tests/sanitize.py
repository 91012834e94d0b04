"""Run the tests under sanitizers: ``python -m tests.sanitize``.

The core is built twice more, apart from the usual build: with the address and undefined-behaviour sanitizers and
checked containers, for all tests of kernels and models; and with the thread sanitizer, for the pool's own test.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
BUILD = ROOT / "build"
SUITES = [
    "tests/properties",
    "tests/models",
    "tests/nets",
    "tests/textbook",
    "tests/text",
    "tests/parity/test_peers_failures.py",
]

OTHERS = "not ctrl_c and not predicted"
"""All tests but those that start the usual build in a process of its own."""

# The usual build is installed in place by an import hook, which would go before PYTHONPATH.
PYTEST_ON_PATH = """
import os, sys
sys.meta_path[:] = [f for f in sys.meta_path if "editable" not in type(f).__module__.lower()]
import deciban._core._native as native, pytest
assert native.__file__.startswith(os.environ["PYTHONPATH"]), native.__file__
sys.exit(pytest.main(sys.argv[1:]))
"""


def run(*command: str, env: dict[str, str] | None = None) -> None:
    print("$", " ".join(command), flush=True)
    subprocess.run(command, check=True, cwd=ROOT, env=os.environ | (env or {}))


def build(folder: Path, *options: str) -> None:
    run("cmake", "-S", str(ROOT), "-B", str(folder), "-DCMAKE_BUILD_TYPE=RelWithDebInfo", *options)
    run("cmake", "--build", str(folder), "--parallel", "2")


def check_pool() -> None:
    folder = BUILD / "thread-sanitizer"
    build(folder, "-DDECIBAN_SANITIZE=thread", "-DDECIBAN_CORE_TESTS=ON")
    run(str(folder / "pool_test"), "no-fork")


def check_kernels() -> None:
    folder = BUILD / "address-sanitizer"
    nanobind = subprocess.check_output([sys.executable, "-m", "nanobind", "--cmake_dir"], text=True).strip()
    python = f"-DPython_EXECUTABLE={sys.executable}"
    build(folder, "-DDECIBAN_SANITIZE=address,undefined", f"-Dnanobind_DIR={nanobind}", python)
    package = folder / "package" / "deciban"
    shutil.copytree(ROOT / "src" / "deciban", package, dirs_exist_ok=True)
    for library in folder.glob("_native*.so"):
        shutil.copy(library, package / "_core")
    compiler = os.environ.get("CXX", "g++")
    preload = [
        subprocess.check_output([compiler, f"-print-file-name={name}"], text=True).strip()
        for name in ("libasan.so", "libubsan.so", "libstdc++.so")
    ]
    run(
        sys.executable, "-c", PYTEST_ON_PATH, "-x", "-n", "0", *SUITES, "-k", OTHERS,
        env={
            "LD_PRELOAD": " ".join(preload),
            "PYTHONPATH": str(package.parent),
            # Python never frees some of its memory; the leaks of the core would still be seen in its own tests.
            "ASAN_OPTIONS": "detect_leaks=0:abort_on_error=1",
            "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1",
        },
    )  # fmt: skip


if __name__ == "__main__":
    os.environ["PATH"] = str(Path(sys.executable).parent) + os.pathsep + os.environ["PATH"]
    check_pool()
    check_kernels()
