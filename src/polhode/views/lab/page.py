"""The page of the lab: one file, nothing fetched."""

import importlib.resources
import json
from pathlib import Path

from polhode.views.files import folder_for_results, written
from polhode.views.lab import contents


def lab_page() -> str:
    """The complete HTML: markup, style, the printed kernels, their numbers, and the scripts."""
    from polhode import __version__

    data = contents.data()
    parts = {
        "/*{style}*/": _file("lab.css"),
        "<!--{version}-->": __version__,
        "<!--{count}-->": str(len(data["methods"])),
        "/*{kernels}*/": contents.kernels(),
        "/*{data}*/null": json.dumps(data, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c"),
        "/*{engine}*/": _file("engine.js"),
        "/*{scene}*/": _file("scene.js"),
        "/*{page}*/": _file("page.js"),
    }
    text = _file("lab.html")
    for place, part in parts.items():
        text = text.replace(place, part)
    return text


def save(folder: str) -> Path:
    """Write lab.html into a folder; returns its path."""
    html = lab_page()
    return written(folder_for_results(folder) / "lab.html", lambda p: p.write_text(html, encoding="utf-8"))


def _file(name: str) -> str:
    return importlib.resources.files("polhode.views.lab").joinpath(name).read_text(encoding="utf-8")
