"""Write dist/deciban-VERSION.cdx.json, a CycloneDX bill of materials: ``python -m tests.packaging.sbom``.

A wheel of dist/ is installed into a clean virtual environment, and cyclonedx-py lists what that installs: deciban and
its runtime dependencies. What is compiled into the core has no installed package and is added here: nanobind, whose
version the core holds, and robin-map, which nanobind bundles.
"""

import json
import re
import subprocess
import sys
import tempfile
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from tests.packaging.wheels import DIST, ROOT

COMPILED_IN = "from deciban._core import _native; print(*_native._nanobind_version, sep='.')"


def wheel_here():
    """The wheel of dist/ that this Python can install."""
    tag = f"cp{sys.version_info[0]}{sys.version_info[1]}-" if sys.version_info < (3, 12) else "abi3"
    for wheel in sorted(DIST.glob("*.whl")):
        if tag in wheel.name:
            return wheel
    raise SystemExit(f"dist/ has no wheel for Python {sys.version_info[0]}.{sys.version_info[1]}: run make wheel.")


def run(*command):
    return subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True).stdout


def installed(wheel, folder):
    """The interpreter of a virtual environment that holds the wheel and what it needs, and nothing else."""
    run(sys.executable, "-m", "venv", "--without-pip", folder)
    python = Path(folder) / "bin" / "python"
    run(sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--only-binary", ":all:", wheel)
    return python


def robin_map_version(nanobind):
    """The version of the robin-map that a version of nanobind bundles, from its headers."""
    if version("nanobind") != nanobind:
        raise SystemExit(f"The wheel was built with nanobind {nanobind}: pip install nanobind=={nanobind} first.")
    home = Path(find_spec("nanobind").origin).parent
    header = (home / "ext/robin_map/include/tsl/robin_growth_policy.h").read_text(encoding="utf-8")
    return ".".join(re.search(rf"TSL_RH_VERSION_{part} (\d+)", header)[1] for part in ("MAJOR", "MINOR", "PATCH"))


def component(name, number, licence, purl):
    return {
        "type": "library",
        "bom-ref": purl,
        "name": name,
        "version": number,
        "licenses": [{"license": {"id": licence}}],
        "purl": purl,
        "scope": "required",
        "properties": [{"name": "deciban:linkage", "value": "compiled into deciban/_core/_native"}],
    }


def with_compiled_in(bom, nanobind, robin_map):
    """The bill with the libraries that are compiled in: parts of deciban, and robin-map a part of nanobind."""
    parts = [
        component("nanobind", nanobind, "BSD-3-Clause", f"pkg:pypi/nanobind@{nanobind}"),
        component("robin-map", robin_map, "MIT", f"pkg:github/Tessil/robin-map@v{robin_map}"),
    ]
    whole = next(part for part in bom["components"] if part["name"] == "deciban")
    refs = [part["bom-ref"] for part in parts]
    others = [entry for entry in bom["dependencies"] if entry["ref"] != whole["bom-ref"]]
    own = next(entry for entry in bom["dependencies"] if entry["ref"] == whole["bom-ref"])
    own = {**own, "dependsOn": sorted([*own.get("dependsOn", []), refs[0]])}
    bundled = [{"ref": refs[0], "dependsOn": [refs[1]]}, {"ref": refs[1]}]
    return {**bom, "components": [*bom["components"], *parts], "dependencies": [*others, own, *bundled]}


def without_paths(bom):
    """The bill with the names of local files, not the paths that they have on this machine."""
    for part in bom["components"]:
        for reference in part.get("externalReferences", []):
            if reference["url"].startswith("file:"):
                reference["url"] = reference["url"].rpartition("/")[2]
    return bom


def main():
    wheel = wheel_here()
    with tempfile.TemporaryDirectory() as folder:
        python = installed(wheel, folder)
        nanobind = run(python, "-I", "-c", COMPILED_IN).strip()
        bom = json.loads(run(sys.executable, "-m", "cyclonedx_py", "environment", "--output-reproducible", python))
    full = with_compiled_in(without_paths(bom), nanobind, robin_map_version(nanobind))
    path = DIST / f"{'-'.join(wheel.name.split('-')[:2])}.cdx.json"
    path.write_text(json.dumps(full, indent=2) + "\n", encoding="utf-8")
    print(f"{path.relative_to(ROOT)}: {len(full['components'])} components")
    for part in sorted(full["components"], key=lambda part: part["name"].lower()):
        print(f"  {part['name']} {part['version']}")


if __name__ == "__main__":
    main()
