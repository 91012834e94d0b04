"""The result of `db.report`: a page that can be saved, and is shown by a notebook."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from deciban.files import as_path, write_whole

__all__ = ["HtmlReport"]


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
        write_whole(target, self.html.encode("utf-8", "backslashreplace"))
        return target

    def __repr__(self) -> str:
        return f"HtmlReport({self.title!r}, {len(self.html.encode('utf-8', 'replace')) / 1024:,.0f} KiB)"

    def _repr_html_(self) -> str:
        """The page in a frame of its own, so that its styles do not reach the notebook."""
        frame = 'style="width:100%;height:40em;border:1px solid #8888" sandbox="allow-scripts"'
        return f'<iframe title="{escape(self.title)}" {frame} srcdoc="{escape(self.html)}"></iframe>'
