"""Thumbnails of the published figures for the gallery of the site: python scripts/gallery.py [NAME ...]

Drawn from what `polhode reproduce all` has kept; what is not kept is measured, which takes a minute or two.
"""

import io
import pathlib
import sys

from PIL import Image

from polhode.testbench.papers import store
from polhode.testbench.papers.catalogue import REPRODUCTIONS
from polhode.views.figures.style import write

FOLDER = pathlib.Path(__file__).parents[1] / "docs" / "gallery"
WIDTH = 640


def main(names: list[str]) -> None:
    """Take or measure, draw, make small."""
    FOLDER.mkdir(exist_ok=True)
    for r in REPRODUCTIONS:
        if names and r.name not in names:
            continue
        figure = store.measured(r).figure()
        if figure is None:
            continue  # a table
        buffer = io.BytesIO()
        write(figure, buffer, format="png", dpi=140)
        picture = Image.open(buffer).convert("RGB")
        picture.thumbnail((WIDTH, 4 * WIDTH), Image.Resampling.LANCZOS)
        picture.quantize(64).save(FOLDER / f"{r.name}.png", optimize=True)
        print(r.name, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
