"""deciban: Bayesian classifiers and Bayes nets, by counting.

read ──► tally ──► estimate ──► model ──► decide ──► explain
table    counts    log-probs    scores    labels     decibans

The public names are listed in ``__init__.pyi``; each is imported when it is first used.
"""

import lazy_loader

_import_name, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


def __getattr__(name: str) -> object:
    """Import a public name, or read the version, which takes longer than all the rest of this module."""
    if name != "__version__":
        return _import_name(name)
    from importlib.metadata import version  # noqa: PLC0415

    return version("deciban")
