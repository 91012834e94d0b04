"""One self-contained HTML page: no request, no script from elsewhere, readable with scripts off, light and dark.

A page is a title and sections. Each section has a heading, one plain sentence that says how to read it, and its HTML.
The page makes no request: styles and scripts are inside it, and its Content-Security-Policy forbids all others. Scripts
are allowed by their hash alone, so text from the data can never be run.

    page("Play tennis", [Section("Scores", table(...), lead="How often the model is right.")])
"""

from __future__ import annotations

import base64
import hashlib
import json
import platform
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any

from deciban.files import as_path, write_whole
from deciban.reports.markup import code, note, text

__all__ = ["HtmlReport", "Section", "asset", "making_section", "page"]


_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src {scripts}; img-src data:; base-uri 'none'; "
    "form-action 'none'"
)
_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="deciban">
<link rel="icon" href="data:,">
<title>{title}</title>
<style>
{style}
</style>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header>
<h1>{title}</h1>
{subtitle}
</header>
<nav aria-labelledby="contents">
<h2 id="contents">Contents</h2>
<ol>
{contents}
</ol>
</nav>
<main id="content">
{sections}
</main>
<footer><p>{footer}</p></footer>
{scripts}
</body>
</html>
"""


@dataclass(frozen=True)
class Section:
    """A part of the page.

    Attributes
    ----------
    title : the heading, as plain text
    html : the content; what is not HTML in it must be escaped already
    lead : one plain sentence above the content, as HTML, which says what it shows and how to read it
    key : the id of the section in the page; made from the title where it is empty
    """

    title: str
    html: str
    lead: str = ""
    key: str = ""

    @property
    def id(self) -> str:
        """The id of the section: lower-case letters, digits and hyphens."""
        return self.key or re.sub(r"[^a-z0-9]+", "-", self.title.lower()).strip("-") or "section"


def page(
    title: str,
    sections: Sequence[Section],
    *,
    subtitle: str = "",
    footer: str = "Made by deciban.",
    data: Mapping[str, object] | None = None,
    scripts: Sequence[str] = (),
    modules: Sequence[str] = (),
) -> str:
    """The page as text.

    Parameters
    ----------
    title : plain text
    sections : in the order of the table of contents; their ids must differ
    subtitle, footer : HTML below the title, and at the end
    data : JSON documents for the scripts, each in an element with this id
    scripts : names of files in `deciban.reports.assets`, which run at the end of the page
    modules : the texts of further scripts, which are modules
    """
    ids = [section.id for section in sections]
    # the table of contents and `aria-labelledby` find a section by its id
    if len(set(ids)) != len(ids):
        raise ValueError(f"sections must have different ids: {', '.join(ids)}")
    sources = [asset(name) for name in scripts]
    # the policy allows a script by the hash of its exact text, so not even a space may be added to it
    hashes = [
        f"'sha256-{base64.b64encode(hashlib.sha256(s.encode()).digest()).decode()}'" for s in [*sources, *modules]
    ]
    documents = [_document(key, content) for key, content in (data or {}).items()]
    return _PAGE.format(
        policy=_POLICY.format(scripts=" ".join(hashes) or "'none'"),
        title=escape(title),
        style=asset("style.css"),
        subtitle=f'<p class="subtitle">{subtitle}</p>' if subtitle else "",
        contents="\n".join(f'<li><a href="#{s.id}">{escape(s.title)}</a></li>' for s in sections),
        sections="\n".join(map(_section, sections)),
        footer=footer,
        scripts="\n".join(
            [
                *documents,
                *(f"<script>{source}</script>" for source in sources),
                *(f'<script type="module">{source}</script>' for source in modules),
            ]
        ),
    )


@cache
def asset(name: str) -> str:
    """The text of a file of `deciban.reports.assets`."""
    return (files("deciban.reports") / "assets" / name).read_text(encoding="utf-8")


def making_section(
    settings: Sequence[tuple[str, str]], python: Sequence[str], command: Sequence[str] = (), remark: str = ""
) -> Section:
    """How it was made: names and values of settings, the versions, and the lines that make the page again."""
    versions = [("deciban", version("deciban")), ("NumPy", version("numpy")), ("Python", platform.python_version())]
    facts = "".join(f"<dt>{text(name)}</dt><dd>{text(value, 400)}</dd>" for name, value in [*settings, *versions])
    html = f"<dl>{facts}</dl><h3>In Python</h3>" + code("\n".join(python))
    if command:
        html += "<h3>On the command line</h3>" + code("\n".join(command))
    if remark:
        html += note(remark)
    return Section("How it was made", html, lead="What is needed to make this page again.", key="making")


def _section(section: Section) -> str:
    lead = f'<p class="lead">{section.lead}</p>\n' if section.lead else ""
    name = f"{section.id}-title"
    heading = f'<h2 id="{name}">{escape(section.title)}</h2>'
    return f'<section id="{section.id}" aria-labelledby="{name}">\n{heading}\n{lead}{section.html}\n</section>'


def _document(key: str, content: object) -> str:
    """A JSON document that no script tag in the data can end; numbers that JSON has not are refused."""
    text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    # "</script>" would end the element; U+2028 and U+2029 end a line in older JavaScript, within a string, too
    text = text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    return f'<script type="application/json" id="{key}">{text}</script>'


@dataclass(frozen=True)
class HtmlReport:
    """A self-contained HTML page, which a notebook shows.

    Attributes
    ----------
    title : str
        The heading of the page.
    html : str
        The page itself.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> page = HtmlReport("Days", "<!DOCTYPE html><p>sun</p>")
    >>> with TemporaryDirectory() as folder:
    ...     page.save(f"{folder}/days.html").name
    'days.html'
    """

    title: str
    html: str

    def save(self, path: Any) -> Path:
        """Write the page to a file, at once or not at all.

        Parameters
        ----------
        path : str or path
            The file.

        Returns
        -------
        path : Path
            The path of the file.
        """
        target = as_path(path)
        # a lone surrogate in the data is written as an escape: it must not prevent the page
        write_whole(target, self.html.encode("utf-8", "backslashreplace"))
        return target

    def __repr__(self) -> str:
        return f"HtmlReport({self.title!r}, {len(self.html.encode('utf-8', 'replace')) / 1024:,.0f} KiB)"

    def _repr_html_(self) -> str:
        """The page in a frame of its own, so that its styles do not reach the notebook."""
        # scripts run, but without "allow-same-origin" they cannot reach the notebook
        frame = 'style="width:100%;height:40em;border:1px solid #8888" sandbox="allow-scripts"'
        return f'<iframe title="{escape(self.title)}" {frame} srcdoc="{escape(self.html)}"></iframe>'
