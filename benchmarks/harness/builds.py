"""What a stored result depends on besides the data: the versions of the peers, and this build of deciban."""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

import deciban
from deciban._core import _native

__all__ = ["own_build", "peer_versions"]


@cache
def own_build() -> str:
    """The version of deciban and a hash of its sources and its compiled core, because a version has many states."""
    package = Path(deciban.__file__).parent
    digest = sha256(Path(_native.__file__).read_bytes())
    for path in sorted(package.rglob("*.py")):
        digest.update(f"{path.relative_to(package)}\n".encode() + path.read_bytes())
    return f"deciban {version('deciban')}, {digest.hexdigest()[:16]}"


@cache
def peer_versions() -> str:
    """The versions of the packages that scikit-learn's results depend on."""
    return ", ".join(f"{name} {version(name)}" for name in ("scikit-learn", "numpy", "scipy"))
