"""How Sphinx builds the site: `make docs`."""

from __future__ import annotations

import sys
from importlib.metadata import version as installed_version
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_extensions"))

project = "deciban"
author = "the deciban developers"
copyright = "the deciban developers"  # noqa: A001 (Sphinx's name)
release = version = installed_version("deciban")

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "sphinx_copybutton",
    "sphinx_design",
    "live",
    "mathml",
    "pictures",
    "reference",
]
exclude_patterns = ["_build", "_extensions", "snippets", "data", "notebooks"]
templates_path = ["_templates"]
nitpicky = False

# Pages ---------------------------------------------------------------------------------------------------------------

myst_enable_extensions = ["attrs_inline", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
html_math_renderer = "mathml"
myst_update_mathjax = False
smartquotes = False  # quotes and dashes are often code: method="pc", --
suppress_warnings = ["misc.highlighting_failure"]
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

# The reference -------------------------------------------------------------------------------------------------------

autosummary_generate = True
autosummary_filename_map = {  # file systems of macOS and Windows do not distinguish Effect and effect
    f"deciban.{name}": f"deciban.{name}_function" for name in ("effect", "report", "tally")
}
autodoc_typehints = "none"  # the docstrings name the types, in words
default_role = "py:obj"  # a name in backquotes is a link where the reference has it, else code
toc_object_entries_show_parents = "hide"
numpydoc_show_class_members = False  # _templates/autosummary/class.rst lists them

# The theme -----------------------------------------------------------------------------------------------------------

html_theme = "pydata_sphinx_theme"
html_title = "deciban"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = ["formulas.js"]
html_show_sourcelink = False
html_copy_source = False
html_context = {"default_mode": "auto"}
html_theme_options = {
    "logo": {"text": "deciban"},
    "navbar_align": "left",
    "header_links_before_dropdown": 8,
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": ["theme-version"],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
html_sidebars = {
    "index": [],
    "which-model": [],
    "install": [],
    "notes": [],
    "examples/index": [],
    "benchmarks": [],
    "known-limits": [],
}
