"""Starting the service: settings, one process or several, and a clean end.

SIGTERM and SIGINT stop accepting connections; requests in flight are answered, then the model is closed.
"""

from __future__ import annotations

import math
import os
import re
import tempfile
import warnings
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path

import orjson
from fastapi import APIRouter

from deciban.errors import DecibanWarning, ParameterError
from deciban.extras import need
from deciban.nets import read_net
from deciban.nets.io.formats import FORMATS
from deciban.serve.app import Shell, make_app
from deciban.serve.holder import FixedModel, Holder
from deciban.serve.learning.live_model import Folding, LiveModel
from deciban.serve.learning.routes import learning_routes
from deciban.serve.limits import Limits
from deciban.serve.metrics import SHARED_FOLDER
from deciban.serve.tokens import VARIABLES, Tokens, is_loopback, read_tokens

__all__ = ["Settings", "app_of", "app_of_worker", "routes_of", "serve"]

_VARIABLE = "DECIBAN_SERVE_SETTINGS"
"""How the settings reach the workers, which are processes of their own."""


@dataclass(frozen=True)
class Settings:
    """What to serve, and how.

    Parameters
    ----------
    path : str
        The file of the model.
    name : str
        The name of the model in the routes of the Open Inference Protocol.
    tokens : str, optional
        A file of tokens; they may also be in environment variables.
    limits : Limits
        What a request may ask for.
    folding : Folding
        When learned rows are written to the file of the model.

    See Also
    --------
    serve : Takes it.

    Examples
    --------
    >>> from pathlib import Path
    >>> from deciban.serve.server import Settings
    >>> Settings.of(Path("garden.bif")).name
    'garden'
    """

    path: str
    name: str
    tokens: str | None = None
    limits: Limits = field(default_factory=Limits)
    folding: Folding = field(default_factory=Folding)

    @classmethod
    def of(
        cls,
        path: Path,
        *,
        name: str | None = None,
        tokens: Path | None = None,
        limits: Limits | None = None,
        folding: Folding | None = None,
    ) -> Settings:
        """The settings of a file.

        Parameters
        ----------
        path : path
            The file of the model.
        name : str, optional
            The name of the model; by default that of the file.
        tokens : path, optional
            A file of tokens.
        limits : Limits, optional
            What a request may ask for.
        folding : Folding, optional
            When learned rows are written to the file of the model.

        Returns
        -------
        Settings

        Raises
        ------
        ParameterError
            If the name has characters that a URL cannot have.
        """
        given = path.name.partition(".")[0] if name is None else name
        if not re.fullmatch(r"[\w.\-]+", given):
            raise ParameterError(
                f"the name {given!r} of the model has characters that a URL cannot have: pass another."
            )
        file = None if tokens is None else str(tokens)
        return cls(str(path), given, file, limits=limits or Limits(), folding=folding or Folding())

    def to_json(self) -> str:
        """The settings as JSON.

        Returns
        -------
        str
        """
        return orjson.dumps(asdict(self)).decode()

    @classmethod
    def of_json(cls, text: str) -> Settings:
        """The settings that ``to_json`` has written.

        Parameters
        ----------
        text : str
            The JSON document.

        Returns
        -------
        Settings
        """
        values = orjson.loads(text)
        return cls(**{**values, "limits": Limits(**values["limits"]), "folding": Folding(**values["folding"])})

    def read_tokens(self) -> Tokens:
        """The tokens of the file and of the environment.

        Returns
        -------
        Tokens
        """
        return read_tokens(None if self.tokens is None else Path(self.tokens))


def app_of(settings: Settings) -> Shell:
    """The application of a model file.

    Parameters
    ----------
    settings : Settings
        The file and its limits.

    Returns
    -------
    Shell
        An ASGI application. A saved model can learn; a net in another format stays as it is.

    See Also
    --------
    deciban.serve.app.make_app : The application of a model in memory.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import deciban as db
    >>> from deciban.serve.server import Settings, app_of
    >>> with TemporaryDirectory() as folder:
    ...     db.BayesNet([("rain", "wet")]).fit({"rain": [0, 1], "wet": [0, 1]}).write(
    ...         Path(folder) / "garden.bif"
    ...     )
    ...     app = app_of(Settings.of(Path(folder) / "garden.bif"))
    >>> sorted(app.api.openapi()["paths"])[:4]
    ['/docs', '/healthz', '/metrics', '/model']
    """
    holder, routers = _holder(settings)
    return make_app(
        holder,
        name=settings.name,
        limits=settings.limits,
        tokens=settings.read_tokens(),
        routers=routers,
    )


def _holder(settings: Settings) -> tuple[Holder, list[APIRouter]]:
    """A saved model, which can learn, and the routes for that; a net in another format stays as it is."""
    path = Path(settings.path)
    if _is_net(path):
        return FixedModel(read_net(path)), []
    live = LiveModel.open(path, settings.folding)
    return live, [learning_routes(live, settings.limits)]


def app_of_worker() -> Shell:
    """The application in a worker; its settings come from the process that started it."""
    return app_of(Settings.of_json(os.environ[_VARIABLE]))


def _is_net(path: Path) -> bool:
    """Whether the name of a file is that of a known format of nets."""
    # all suffixes of the name are compared: `garden.bif.gz` has two
    suffixes = {suffix for format_ in FORMATS.values() for suffix in format_.suffixes}
    return bool(suffixes.intersection(map(str.lower, path.suffixes)))


def routes_of(settings: Settings) -> list[str]:
    """The routes of a model, one a line."""
    app = app_of(settings)
    app.service.holder.close()
    return [f"{method.upper():4} {path}" for path, methods in app.api.openapi()["paths"].items() for method in methods]


def serve(
    settings: Settings, *, host: str = "127.0.0.1", port: int = 8000, workers: int = 1, access_log: bool = False
) -> None:
    """Serve a model file until a signal ends the process.

    Parameters
    ----------
    settings : Settings
        The file and its limits.
    host : str
        The address. One that other machines can reach needs tokens.
    port : int
        The port; 0 takes a free one.
    workers : int
        How many processes.
    access_log : bool
        Whether each request is logged.

    Raises
    ------
    ParameterError
        If the address can be reached from other machines and there are no tokens.

    See Also
    --------
    app_of : The application, for another server.

    Examples
    --------
    >>> from pathlib import Path
    >>> from deciban.serve.server import Settings, serve
    >>> serve(Settings.of(Path("garden.bif")), port=8080)  # doctest: +SKIP
    """
    _check_address(host, settings)
    uvicorn = need("uvicorn", "serve", "the service")
    run = partial(
        uvicorn.run,
        host=host,
        port=port,
        access_log=access_log,
        server_header=False,
        proxy_headers=False,
        ws="none",
        # a second more than a request may take, so that none is cut off
        timeout_graceful_shutdown=math.ceil(settings.limits.seconds) + 1,
    )
    if workers == 1:
        with warnings.catch_warnings():
            warnings.simplefilter("once", DecibanWarning)  # requests repeat them
            run(app_of(settings))
        return
    routes_of(settings)  # an error in the file is one error here, not one in each worker
    with tempfile.TemporaryDirectory(prefix="deciban-serve-") as folder:
        os.environ[_VARIABLE] = settings.to_json()
        os.environ[SHARED_FOLDER] = folder  # set before the workers start: they read it when they import
        run(f"{__name__}:{app_of_worker.__name__}", factory=True, workers=workers)


def _check_address(host: str, settings: Settings) -> None:
    if not is_loopback(host) and not settings.read_tokens():
        raise ParameterError(
            f"{host} can be reached from other machines, so tokens are needed: pass --tokens FILE with lines such as "
            f"`read 3f8e…`, or set {' or '.join(VARIABLES)}. Without tokens only 127.0.0.1 and ::1 are served."
        )
