"""The look of a picture: a colour for each role, and the width of text.

Shapes name roles, not colours: one picture can then be drawn in the colours of a file, of a plot, or of a page that has
a light and a dark scheme (``var(--…)``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = ["COLOURS", "Look", "Role", "cut", "text_width"]

Role = str

COLOURS: Mapping[Role, str] = {
    "line": "currentColor",
    "paper": "none",
    "frame": "#999",
    "now": "#2b7bba",
    "observed": "#d98c00",
    "before": "#8a8a8a",
    "highlight": "#d98c0033",
    "uncertain": "#d98c0014",
    "text": "currentColor",
}
"""The colours of a picture on its own: text and lines have the colour of the text around it, in light and in dark, and
what lies behind text is transparent."""

# A file has no text around it: then the scheme of the reader decides. In a page the picture is not the root.
_STYLE = "<style>@media (prefers-color-scheme: dark) {svg:root {color: #e6e9ec}}</style>"

_LETTER, _CAPITAL = 6.2, 1.6
_LONGEST = 18


@dataclass(frozen=True)
class Look:
    """Colours by role, and the beginning of the ids in a picture, which must differ within one page."""

    ids: str = "deciban"
    colours: Mapping[Role, str] = field(default_factory=lambda: COLOURS)

    def colour(self, role: Role) -> str:
        """The colour of a role; anything else is a colour itself."""
        return self.colours.get(role, role)

    @property
    def text(self) -> str:
        """The attribute of the picture that gives its text a colour."""
        return f' fill="{self.colours["text"]}"' if "text" in self.colours else ""

    @property
    def style(self) -> list[str]:
        """The element that makes text and lines light where the scheme is dark, if the picture has no other colours."""
        return [_STYLE] if self.colours is COLOURS else []


def text_width(text: str, size: float = 11) -> float:
    """The approximate width of a text in a font without serifs."""
    return sum(_LETTER + _CAPITAL * letter.isupper() for letter in text) * size / 11


def cut(name: object, longest: int = _LONGEST) -> str:
    """A name of at most so many letters.

    >>> cut("a very long name of a node"), cut("rain")
    ('a very long name …', 'rain')
    """
    text = str(name)
    return text if len(text) <= longest else text[: longest - 1] + "…"
