"""What the reference shows of a class, and where a name in a docstring leads.

A class has deciban's own methods and properties. Methods that come from scikit-learn (`get_params`, `set_fit_request`,
…) and plain values, such as the defaults of dataclasses, are left out; parameters and fitted attributes are described
in the docstring of the class.

A docstring names a class as a user does, `NaiveBayes` or `db.tally`, in whatever module it stands: such a name leads to
the entry of `deciban.NaiveBayes`. Other names in backquotes that are no entry, such as parameters, are code.

A long name continues, on a narrow screen, after a dot or a slash, and not within a word.

The overviews of the reference list names in tables: each is a link to its entry.

Sphinx generates a page for each entry from the pages that it knew in the last build. So new pages are looked for first,
and generated pages whose entry is gone are removed.
"""

from __future__ import annotations

import inspect
import re
from functools import cached_property
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

__all__ = ["is_shown", "setup"]

_OF_CLASSES = {"class", "method", "attribute", "property"}
_PIPELINE_ONLY = {"set_output", "set_params"}
_LONG_NAME = re.compile(r'(?<=<span class="pre">)[^<\s]{24,}(?=</span>)')
_OVERVIEWS = {"reference/index", "reference/nets"}
_PACKAGES = (
    "deciban",
    *(f"deciban.{name}" for name in ("decide", "errors", "estimate", "explain", "models", "nets", "reports")),
)


def is_shown(name: str, member: Any) -> bool:
    """True for a public method or property that deciban defines."""
    if name.startswith("_") or name in _PIPELINE_ONLY:
        return False
    if name.endswith("_") and "\n" not in (inspect.getdoc(member) or ""):
        return False  # a fitted attribute of which the class says as much
    if isinstance(member, property):
        member = member.fget
    elif isinstance(member, cached_property):
        member = member.func
    elif not inspect.isroutine(member):
        return False
    return str(getattr(inspect.unwrap(member), "__module__", "")).startswith("deciban")


def _skip(app: Sphinx, what: str, name: str, member: Any, skip: bool, options: Any) -> bool | None:  # noqa: ARG001
    """Leave a member of a class out, or leave the decision to Sphinx."""
    return True if what in _OF_CLASSES and not is_shown(name, member) else None


def _find(
    app: Sphinx, env: BuildEnvironment, node: addnodes.pending_xref, content: nodes.Element
) -> nodes.reference | None:
    """The entry of a name that is written without its package; None where there is none."""
    if node.get("refdomain") != "py":
        return None
    domain = env.domains["py"]
    name = node["reftarget"].removeprefix("db.").removesuffix("()")
    full = next((f"{package}.{name}" for package in _PACKAGES if f"{package}.{name}" in domain.data["objects"]), None)
    if full is None:
        return None
    return domain.resolve_xref(env, node["refdoc"], app.builder, "obj", full, node, content)


def _link(app: Sphinx, doctree: nodes.document) -> None:
    """Make the names in the tables of an overview links."""
    if app.env.docname not in _OVERVIEWS:
        return
    names = [name for table in doctree.findall(nodes.table) for name in table.findall(nodes.literal)]
    for name in names:
        if name.astext().isidentifier():
            link = addnodes.pending_xref(
                "", refdoc=app.env.docname, refdomain="py", reftype="obj", reftarget=name.astext(), refexplicit=False
            )
            name.replace_self(link)
            link += name


def _continue(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:  # noqa: ARG001
    """Let long names continue on the next line after a dot or a slash."""
    if "body" in context:
        context["body"] = _LONG_NAME.sub(
            lambda found: re.sub(r"(?<=\w)([./])(?=\w)", r"\1<wbr>", found[0]), context["body"]
        )


def _renew(app: Sphinx) -> None:
    """Find new pages, and remove the generated pages of names that no page lists."""
    app.env.find_files(app.config, app.builder)
    folder = Path(app.srcdir) / "reference"
    listed = {line.strip() for page in folder.glob("*.md") for line in page.read_text(encoding="utf-8").splitlines()}
    renamed = app.config.autosummary_filename_map
    for generated in (folder / "generated").glob("*.rst"):
        name = generated.stem
        if name not in renamed.values() and (name in renamed or name.rpartition(".")[2] not in listed):
            generated.unlink()


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect to Sphinx."""
    app.connect("builder-inited", _renew, priority=400)  # before autosummary
    app.connect("autodoc-skip-member", _skip)
    app.connect("missing-reference", _find)
    app.connect("doctree-read", _link)
    app.connect("html-page-context", _continue)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
