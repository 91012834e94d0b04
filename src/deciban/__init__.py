"""deciban: Bayesian classifiers and Bayes nets, by counting.

read ──► tally ──► estimate ──► model ──► decide ──► explain
table    counts    log-probs    scores    labels     decibans

The public names are listed in ``__init__.pyi``; each is imported when it is first used.
"""

import lazy_loader

_import_name, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

# Results that functions return, and what experts call, are imported from their packages: the top level is what most
# users type.
_MOVED = {
    name: f"deciban.{package}"
    for package, names in {
        "decide": "Report",
        "explain": "DocumentExplanation Evidence Explanation",
        "nets": "BIC Beliefs ChiSquared Discovery Distribution Effect Estimand FisherZ GSquared GaussianBIC "
        "Identification JointDistribution JointTable K2 MAG PossibleEffects SearchResult d_connected_nodes "
        "independencies is_compatible is_minimal is_stable m_separated meek_closure minimal_separator",
        "reports": "HtmlReport",
    }.items()
    for name in names.split()
}


def __getattr__(name: str) -> object:
    """Import a public name, or read the version, which takes longer than all the rest of this module."""
    if name in _MOVED:
        package = _MOVED[name]
        raise AttributeError(f"deciban.{name} is now {package}.{name}: from {package} import {name}")
    if name != "__version__":
        return _import_name(name)
    from importlib.metadata import version  # noqa: PLC0415

    return version("deciban")
