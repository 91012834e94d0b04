"""A real PostgreSQL server for the tests: started in a temporary folder on a free port, and ended by its process id."""

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

USER = "postgres"
_PATIENCE = 60
"""Seconds that the server has to start or to end."""


class ServerError(RuntimeError):
    """The server did not start."""


@dataclass(frozen=True)
class Server:
    """A running server, which lets everyone in who reaches it on this machine."""

    process: subprocess.Popen
    port: int

    @property
    def uri(self) -> str:
        return f"postgresql://{USER}@127.0.0.1:{self.port}/postgres"

    def connect(self):
        """A connection of psycopg."""
        import psycopg  # noqa: PLC0415  only `make test-engines` installs it

        return psycopg.connect(self.uri)

    def crash(self) -> None:
        """End the server at once, in the middle of whatever it does."""
        self.process.send_signal(signal.SIGQUIT)
        self.process.wait(_PATIENCE)


def binaries() -> Path | None:
    """The folder that has `initdb` and `postgres`: from PATH, pg_config, or where Debian installs them."""
    folders = []
    if found := shutil.which("postgres"):
        folders.append(Path(found).resolve().parent)
    if config := shutil.which("pg_config"):
        folders.append(Path(subprocess.check_output([config, "--bindir"], text=True).strip()))
    folders += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((folder for folder in folders if (folder / "initdb").exists() and (folder / "postgres").exists()), None)


@contextmanager
def running_server():
    """Start a server; it ends with the block."""
    folder = binaries()
    if folder is None:
        raise ServerError("PostgreSQL is not installed. Run: python -m tests.servers.setup")
    data = Path(tempfile.mkdtemp(prefix="deciban-postgres-"))
    account = _account()
    if account:
        os.chown(data, account["user"], account["group"])
    try:
        _initialize(folder, data, account)
        server = _start(folder, data, account)
        try:
            yield server
        finally:
            _end(server.process)
    finally:
        shutil.rmtree(data, ignore_errors=True)


def _account() -> dict:
    """Whom the server runs as: root may not run it."""
    if os.geteuid() != 0:
        return {}
    try:
        entry = pwd.getpwnam(USER)
    except KeyError:
        entry = pwd.getpwnam("nobody")
    return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}


def _initialize(folder: Path, data: Path, account: dict) -> None:
    command = [
        folder / "initdb",
        "-D",
        data / "db",
        "-U",
        USER,
        "--auth=trust",
        "--no-locale",
        "-E",
        "UTF8",
        "--no-sync",
    ]
    done = subprocess.run(command, check=False, capture_output=True, text=True, cwd=data, **account)
    if done.returncode:
        raise ServerError(f"initdb failed: {done.stderr.strip()}")


def _start(folder: Path, data: Path, account: dict) -> Server:
    port = _free_port()
    settings = ["fsync=off", f"unix_socket_directories={data}", "listen_addresses=127.0.0.1", f"port={port}"]
    command = [folder / "postgres", "-D", data / "db", *(part for setting in settings for part in ("-c", setting))]
    with (data / "log").open("w") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, cwd=data, **account)
    until = time.monotonic() + _PATIENCE
    is_ready = [folder / "pg_isready", "-q", "-h", "127.0.0.1", "-p", str(port)]
    while subprocess.run(is_ready, check=False).returncode:
        if process.poll() is not None or time.monotonic() > until:
            _end(process)
            raise ServerError(f"PostgreSQL did not start: {(data / 'log').read_text().strip()}")
        time.sleep(0.05)
    return Server(process, port)


def _end(process: subprocess.Popen) -> None:
    if process.poll() is None:
        process.send_signal(signal.SIGINT)  # closes the connections
        process.wait(_PATIENCE)


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]
