"""Configuration of the documentation; `make docs` builds it into docs/_build."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

import odt

project = "odt"
author = "the odt contributors"
release = odt.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["_build"]
html_theme = "furo"
autodoc_typehints = "none"
autodoc_member_order = "bysource"
napoleon_google_docstring = False
napoleon_use_ivar = True
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3
suppress_warnings = ["ref.python"]
