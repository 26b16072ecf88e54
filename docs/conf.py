"""The documentation as a site: `make site` writes the generated pages and builds all of it, to be opened offline."""

import pathlib
import sys

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE / "extensions"))

import cells  # noqa: E402, in extensions/, beside this file, as the next
import pages  # noqa: E402

import polhode  # noqa: E402

pages.main(str(HERE / "made"))

project = "polhode"
author = "The authors of polhode"
release = version = polhode.__version__
extensions = ["myst_nb", "sphinx_design", "mathml"]
exclude_patterns = ["extensions", "examples", "measured", "_build", "**/.ipynb_checkpoints"]
root_doc = "index"
language = "en"

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 4
myst_dmath_double_inline = True
nb_execution_mode = "cache"
nb_execution_cache_path = str(HERE / "_build" / "notebooks")
nb_execution_raise_on_error = True
nb_execution_timeout = 900  # seconds a cell: one takes 10^9 steps
nb_execution_show_tb = True
nb_merge_streams = True
nb_ipywidgets_js = {}  # nothing is fetched
html_math_renderer = "mathml"
html_theme = "pydata_sphinx_theme"
html_title = "polhode"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_js_files = ["scroll.js"]
html_extra_path = ["made/lab", "measured"]  # the lab; pages that commands have written
html_context = {"default_mode": "auto"}
html_sidebars = {"the-lab": [], "made/gallery": [], "made/gallery/*": []}
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {
    "show_prev_next": False,
    "secondary_sidebar_items": ["page-toc"],
    "navbar_end": ["theme-switcher"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "navigation_with_keys": False,
    "header_links_before_dropdown": 7,
}
copyright = "the authors of polhode, BSD 3-clause"
suppress_warnings = ["mystnb.unknown_mime_type"]


def setup(app):
    """Some pages are told otherwise here than in the repository; numbers and short cells of tables stay on one line."""
    app.connect("source-read", pages.retold)
    app.connect("doctree-read", cells.short)
    app.connect("doctree-read", cells.whole)
