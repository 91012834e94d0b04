"""What a user gets who installs deciban: a wheel without developer flags, an sdist that can be built, known versions.

`make wheel`, `make test-lowest` and `make sbom` try these for real. They take minutes; here is what can be checked in
seconds.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.tags import cpython_tags
from packaging.utils import parse_wheel_filename
from scikit_build_core.build import build_sdist

from tests.packaging import install, lowest, sbom, wheels

ROOT = Path(__file__).parents[2]
PYPROJECT = lowest.read()
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    """The names of the files in the sdist."""
    folder, before = tmp_path_factory.mktemp("sdist"), Path.cwd()
    os.chdir(ROOT)
    try:
        name = build_sdist(str(folder))
    finally:
        os.chdir(before)
    with tarfile.open(folder / name) as archive:
        return {member.partition("/")[2] for member in archive.getnames()}


def test_the_sdist_has_what_a_wheel_is_built_from(sources):
    listed = re.findall(r"core/[\w/]+\.(?:cpp|py)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))
    needed = {file for file in listed if not file.startswith("core/tests/")}
    needed |= {
        "CMakeLists.txt",
        "pyproject.toml",
        "README.md",
        "LICENSE",
        "src/deciban/__init__.py",
        "src/deciban/py.typed",
    }
    needed |= {path.relative_to(ROOT).as_posix() for path in (ROOT / "core").rglob("*.hpp")}
    assert needed <= sources


def test_the_sdist_has_nothing_else(sources):
    folders = {file.partition("/")[0] for file in sources if "/" in file}
    assert folders == {"LICENSES", "core", "src"}
    assert not [file for file in sources if file.endswith((".so", ".pyc", ".o"))]


def test_a_wheel_carries_the_licences_of_what_is_compiled_in(sources):
    assert PYPROJECT["project"]["license-files"] == ["LICENSE", "LICENSES/*.txt"]
    assert {"LICENSES/nanobind.txt", "LICENSES/robin-map.txt"} <= sources


def test_a_plain_build_has_no_developer_flags(tmp_path):
    cmake = shutil.which("cmake", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    options = ["-DDECIBAN_CORE_TESTS=ON", "-DCMAKE_BUILD_TYPE=Release", f"-DPython_EXECUTABLE={sys.executable}"]
    subprocess.run([cmake, "-S", ROOT, "-B", tmp_path, *options], check=True, capture_output=True)
    commands = [entry["command"] for entry in json.loads((tmp_path / "compile_commands.json").read_text())]
    assert commands
    assert not any(flag in command for command in commands for flag in ("-Werror", "-Wall", "-march", "-fsanitize"))
    assert all("-O3" in command for command in commands)


def test_the_builds_of_developers_have_warnings_as_errors():
    assert "--editable" in install.EDITABLE
    assert "--config-settings=cmake.define.DECIBAN_DEVELOPER=ON" in install.EDITABLE
    assert "--editable" not in MAKEFILE
    assert "DECIBAN_DEVELOPER" not in (ROOT / "pyproject.toml").read_text(encoding="utf-8")


def test_one_wheel_serves_python_3_12_and_later():
    assert PYPROJECT["tool"]["scikit-build"]["wheel"]["py-api"] == "cp312"
    assert "STABLE_ABI" in (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    found = dict.fromkeys(["3.11", "3.12", "3.13", "3.14"], "python")
    assert wheels.targets(found) == [("3.11", ["3.11"]), ("3.12", ["3.12", "3.13", "3.14"])]


def test_an_interpreter_that_does_not_start_is_an_error():
    assert wheels.version_of(sys.executable) == f"{sys.version_info[0]}.{sys.version_info[1]}"
    assert wheels.version_of("no-such-python") is None
    with pytest.raises(SystemExit, match="no-such-python is no Python that starts"):
        wheels.interpreters(["no-such-python"])


def test_every_dependency_has_a_lower_bound_which_the_tests_do_not_raise():
    users, tests = lowest.declared(PYPROJECT)
    assert len(lowest.lowest(PYPROJECT)) == len({Requirement(text).name for text in users + tests})
    assert lowest.lowest_of(Requirement("a[b]>=1.2")) == "a[b]==1.2"
    with pytest.raises(SystemExit, match="no lower bound"):
        lowest.lowest_of(Requirement("a"))
    both = {
        "project": {"dependencies": ["a>=1"], "optional-dependencies": {}},
        "dependency-groups": {"test": ["a>=2"]},
    }
    with pytest.raises(SystemExit, match="promises a>=1, but the tests need a>=2"):
        lowest.lowest(both)


def test_the_pages_install_with_the_line_that_is_tried():
    """One line for all versions of Python; `make wheel` tries it on each."""
    line = f"pip install {' '.join(wheels.INSTALL)}"
    pages = [(ROOT / page).read_text(encoding="utf-8") for page in ("README.md", "docs/index.md", "docs/install.md")]
    assert all(line in page for page in pages)
    assert not any(re.search(r"pip install \S*dist/\S*\.whl", page) for page in pages)


def test_pip_picks_the_wheel_of_its_python():
    names = [f"deciban-0.1.0-{tags}-manylinux_2_35_x86_64.whl" for tags in ("cp311-cp311", "cp312-abi3")]
    picked = {}
    for version in ("3.11", "3.12", "3.13"):
        own = set(cpython_tags(tuple(map(int, version.split("."))), platforms=["manylinux_2_35_x86_64"]))
        picked[version] = [name for name in names if parse_wheel_filename(name)[3] & own]
    assert picked == {"3.11": names[:1], "3.12": names[1:], "3.13": names[1:]}


def test_the_pages_name_the_same_first_model():
    pages = [
        (ROOT / page).read_text(encoding="utf-8") for page in ("README.md", "docs/index.md", "docs/which-model.md")
    ]
    story = re.search(r"Begin with `db\.\w+\(\)`.*?better\s+probabilities\.", pages[0], re.DOTALL)[0]
    assert all(story in page for page in pages)
    assert all(len(re.findall(r"[Bb]egin with `db\.(?!TextNB)", page)) == 1 for page in pages)


def test_the_landing_page_begins_with_the_installation_and_an_example():
    first = (ROOT / "docs" / "index.md").read_text(encoding="utf-8").split("![")[0]
    assert "pip install" in first and "```python" in first


def test_the_bill_of_materials_names_what_is_compiled_in():
    bom = {
        "components": [{"name": "deciban", "bom-ref": "deciban==1"}],
        "dependencies": [{"ref": "deciban==1", "dependsOn": ["numpy==2"]}],
    }
    full = sbom.with_compiled_in(bom, "3.1.0", "1.4.0")
    assert [part["name"] for part in full["components"]] == ["deciban", "nanobind", "robin-map"]
    edges = {entry["ref"]: entry.get("dependsOn", []) for entry in full["dependencies"]}
    assert edges["deciban==1"] == ["numpy==2", "pkg:pypi/nanobind@3.1.0"]
    assert edges["pkg:pypi/nanobind@3.1.0"] == ["pkg:github/Tessil/robin-map@v1.4.0"]


def test_the_bill_of_materials_has_no_paths_of_the_machine():
    url = "file:///home/me/dist/deciban-1.whl"
    bom = sbom.without_paths({"components": [{"externalReferences": [{"url": url}]}, {"name": "numpy"}]})
    assert bom["components"][0]["externalReferences"] == [{"url": "deciban-1.whl"}]


def test_the_workflow_is_valid_and_says_that_it_has_not_been_run():
    text = (ROOT / ".github" / "workflows" / "wheels.yml").read_text(encoding="utf-8")
    assert "has not been run" in text.split("name:")[0]
    jobs = yaml.safe_load(text)["jobs"]
    systems = jobs["wheels"]["strategy"]["matrix"]["os"]
    assert {name.split("-")[0] for name in systems} == {"ubuntu", "macos", "windows"}
    steps = [step.get("uses", step.get("run")) for step in jobs["wheels"]["steps"]]
    assert any(step.startswith("pypa/cibuildwheel@") for step in steps)


def test_the_workflow_of_the_tests_runs_what_decides_about_a_change():
    text = (ROOT / ".github" / "workflows" / "tests.yml").read_text(encoding="utf-8")
    assert "has not been run" in text.split("name:")[0]
    jobs = yaml.safe_load(text)["jobs"]
    runs = {step["run"] for job in jobs.values() for step in job["steps"] if "run" in step}
    decides = re.findall(r"^make .*", (ROOT / ".ci" / "run").read_text(encoding="utf-8"), re.MULTILINE)
    assert runs == set(decides)
    pythons = jobs["tests"]["strategy"]["matrix"]["python"]
    listed = re.findall(r"Python :: (3\.\d+)", " ".join(PYPROJECT["project"]["classifiers"]))
    assert pythons == listed
    assert ".ci/run" in (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


def test_the_forms_for_issues_are_valid_and_ask_for_a_program_and_versions():
    forms = {path.stem: yaml.safe_load(path.read_text(encoding="utf-8")) for path in (ROOT / ".github").rglob("*.yml")}
    assert {"bug", "idea", "config"} <= set(forms)
    for name in ("bug", "idea"):
        assert {"name", "description", "body"} <= set(forms[name])
    required = {part["id"] for part in forms["bug"]["body"] if part.get("validations", {}).get("required")}
    assert required == {"program", "seen", "versions"}


def test_the_status_is_declared_and_no_address_that_does_not_exist():
    project = PYPROJECT["project"]
    assert [name for name in project["classifiers"] if name.startswith("Development Status")]
    assert "urls" not in project, "name an address here when the project has one that works"


def test_the_source_of_every_data_file_is_told():
    folder = ROOT / "docs" / "data"
    told = (folder / "README.md").read_text(encoding="utf-8")
    files = {path.name for path in folder.iterdir() if path.suffix in {".csv", ".bif"}}
    assert {name for name in files if f"| `{name}` |" in told} == files


def test_the_wheels_of_the_workflow_run_the_smoke_test():
    settings = PYPROJECT["tool"]["cibuildwheel"]
    assert settings["build"] == ["cp311-*", "cp312-*", "cp313-*"]
    script = re.search(r"\{project\}/(\S+)", settings["test-command"])[1]
    assert (ROOT / script).is_file()


def test_every_target_of_make_is_listed():
    targets = set(re.search(r"\.PHONY: ((?:.*\\\n)*.*)", MAKEFILE)[1].replace("\\\n", " ").split())
    listed = set(re.findall(r'@echo "make ([\w-]+)', MAKEFILE))
    assert listed == targets - {"help", "setup", "format", "clean"}


def test_the_demo_installs_the_package_alone():
    """From nothing, `make demo` makes three things: the environment, the tools of the build, and the package."""
    shown = subprocess.run(
        [shutil.which("make"), "--dry-run", "--always-make", "demo"],
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
        check=True,
    ).stdout
    assert "--group build" in shown
    assert "deciban demo" in shown
    assert not [word for word in ("--group test", "--extras", "--group lint", "pytest") if word in shown]


def test_the_tests_do_not_compile_the_core_again_after_the_demo():
    """The core has one rule, with the same options for both; what the tests need beside is installed without it."""
    assert len(re.findall(r"^\S*/\.built:", MAKEFILE, re.MULTILINE)) == 2  # and that of the lowest versions
    assert re.search(r"^\$\(VENV\)/\.tools: pyproject\.toml \| \$\(VENV\)/\.built$", MAKEFILE, re.MULTILINE)
    extras = re.search(r"^EXTRAS := (.*)$", MAKEFILE, re.MULTILINE)[1].split()
    assert set(extras) == {*PYPROJECT["project"]["optional-dependencies"]} - lowest.UNTESTED
    assert not any("deciban" in requirement for requirement in install.requirements(extras))


def test_an_installation_says_how_far_it_is():
    shown = """Collecting numpy>=2.0 (from deciban==0.1.0)
  Downloading numpy-2.4.6-cp311-cp311-manylinux_2_28_x86_64.whl (16.9 MB)
  Downloading rich-15.0.0-py3-none-any.whl (310 kB)
Building wheels for collected packages: deciban
  [1/4] Building CXX object a.cpp.o
  [2/4] Building CXX object b.cpp.o
  [3/4] Building CXX object c.cpp.o
  [4/4] Linking CXX shared module _native.so
Installing collected packages: numpy, rich, deciban
"""
    assert list(install.progress(shown.splitlines())) == [
        "downloading numpy (16.9 MB)",
        "compiling the C++ core, on all processors",
        "compiled 1 of 4 files",
        "compiled 2 of 4 files",
        "compiled 3 of 4 files",
        "compiled 4 of 4 files",
        "installing 3 packages",
    ]
    many = [f"  [{done}/100] Building CXX object {done}.cpp.o" for done in range(1, 101)]
    assert len(list(install.progress(many))) == install.PARTS


def test_an_installation_that_fails_shows_everything(capfd):
    failing = [sys.executable, "-c", "import sys; print('x.cpp: error: a reason'); sys.exit(3)"]
    assert install.run(failing) == 3
    shown = capfd.readouterr()
    assert "x.cpp: error: a reason" in shown.err
    assert "deciban needs a compiler for C++20" in shown.err
    assert install.run([sys.executable, "-c", "print('fine')"]) == 0
    assert capfd.readouterr() == ("", "")
