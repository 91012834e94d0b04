"""Run the tests under sanitizers: ``python -m tests.sanitize``.

The core is built twice more, apart from the usual build: with the address and undefined-behaviour sanitizers and
checked containers, for all tests of kernels and models; and with the thread sanitizer, for the pool's own test.
"""

import os
import subprocess
import sys
from pathlib import Path

from tests.builds import BUILD, OTHERS, build, build_package, check, run

SUITES = [
    "tests/properties",
    "tests/models",
    "tests/nets",
    "tests/textbook",
    "tests/text",
    "tests/parity/test_peers_failures.py",
]
WITH_LINES = "-DCMAKE_BUILD_TYPE=RelWithDebInfo"


def check_pool() -> None:
    folder = BUILD / "thread-sanitizer"
    build(folder, WITH_LINES, "-DDECIBAN_SANITIZE=thread", "-DDECIBAN_CORE_TESTS=ON")
    run(str(folder / "pool_test"), "no-fork")


def check_kernels() -> None:
    package = build_package(BUILD / "address-sanitizer", WITH_LINES, "-DDECIBAN_SANITIZE=address,undefined")
    compiler = os.environ.get("CXX", "g++")
    preload = [
        subprocess.check_output([compiler, f"-print-file-name={name}"], text=True).strip()
        for name in ("libasan.so", "libubsan.so", "libstdc++.so")
    ]
    check(
        package, "-x", "-n", "0", *SUITES, "-k", OTHERS,
        env={
            "LD_PRELOAD": " ".join(preload),
            # Python never frees some of its memory; the leaks of the core would still be seen in its own tests.
            "ASAN_OPTIONS": "detect_leaks=0:abort_on_error=1",
            "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1",
        },
    )  # fmt: skip


if __name__ == "__main__":
    os.environ["PATH"] = str(Path(sys.executable).parent) + os.pathsep + os.environ["PATH"]
    check_pool()
    check_kernels()
