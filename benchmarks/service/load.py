"""Services in processes of their own, and load from wrk."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from urllib.request import Request, urlopen

from benchmarks.harness.paths import ROOT

__all__ = ["Load", "ask", "measure_load", "running", "write_script"]

_SCRIPT = """
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
local bodies = {{{bodies}}}
local next_body = 0
request = function()
  next_body = next_body % #bodies + 1
  return wrk.format(nil, nil, nil, bodies[next_body])
end
"""
_UNITS = {"us": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0}
_PATIENCE = 60


class Load(NamedTuple):
    """What a run under load has found."""

    per_second: float
    p99: float


@contextmanager
def running(arguments: Sequence[str]) -> Iterator[int]:
    """Start a service; its port."""
    command = [sys.executable, *arguments]
    with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, encoding="utf-8") as process:
        try:
            yield _port_of(process)
        finally:
            process.terminate()
            process.communicate(timeout=_PATIENCE)


def ask(port: int, row: Mapping[str, Any]) -> dict[str, Any]:
    """The prediction of one row."""
    body = json.dumps(row).encode()
    request = Request(f"http://127.0.0.1:{port}/predict", body, {"Content-Type": "application/json"})
    with urlopen(request, timeout=_PATIENCE) as answer:  # noqa: S310  the address is that of this machine
        return dict(json.load(answer))


def write_script(path: Path, rows: Sequence[Mapping[str, Any]]) -> Path:
    """A script for wrk that sends one body after the other."""
    path.write_text(_SCRIPT.format(bodies=", ".join(f"[==[{json.dumps(row)}]==]" for row in rows)), encoding="utf-8")
    return path


def measure_load(port: int, script: Path, seconds: int, connections: int, route: str = "predict") -> Load:
    """Send the bodies of a script over some connections for some seconds."""
    given = ["-t1", f"-c{connections}", f"-d{seconds}", "--latency", "-s", str(script)]
    text = subprocess.check_output(["wrk", *given, f"http://127.0.0.1:{port}/{route}"], text=True)  # noqa: S607
    failed = re.search(r"Non-2xx or 3xx responses: (\d+)|Socket errors: .*", text)
    if failed:
        raise RuntimeError(f"the service did not answer every request: {failed[0]}")
    return Load(float(_found(r"Requests/sec:\s+([\d.]+)", text)[1]), _seconds(_found(r"99%\s+([\d.]+)(\w+)", text)))


def _port_of(process: subprocess.Popen[str]) -> int:
    lines = []
    for line in process.stderr or ():
        lines.append(line)
        found = re.search(r"running on http://127\.0\.0\.1:(\d+)", line)
        if found:
            return int(found[1])
    raise RuntimeError(f"the service did not start: {''.join(lines)}")


def _found(pattern: str, text: str) -> re.Match[str]:
    found = re.search(pattern, text)
    if found is None:
        raise RuntimeError(f"wrk printed something else: {text}")
    return found


def _seconds(found: re.Match[str]) -> float:
    return float(found[1]) * _UNITS[found[2]]
