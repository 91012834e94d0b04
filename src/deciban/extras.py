"""Optional packages: imported when they are first needed, with an error that names the extra."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from deciban.errors import MissingExtraError

__all__ = ["need"]


def need(module: str, extra: str, purpose: str) -> Any:  # a module that mypy does not know
    """Import a module of an optional package, which an extra installs; `purpose`, what needs it, begins the error."""
    try:
        return import_module(module)
    except ImportError:
        package = module.partition(".")[0]
        raise MissingExtraError(f"{purpose} needs {package}: pip install 'deciban[{extra}]'.") from None
