"""deciban: Bayesian classifiers and Bayes nets, by counting.

read ──► tally ──► estimate ──► model ──► decide ──► explain
table    counts    log-probs    scores    labels     decibans

The public names are listed in ``__init__.pyi``; each is imported when it is first used.
"""

from importlib.metadata import version

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

__version__ = version("deciban")
