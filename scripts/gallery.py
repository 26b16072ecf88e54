"""Thumbnails of the published figures that are measured again, for the gallery: python scripts/gallery.py [NAME ...]"""

import io
import pathlib
import sys

from PIL import Image

from polhode.testbench.papers.catalogue import REPRODUCTIONS
from polhode.views.figures.style import write

FOLDER = pathlib.Path(__file__).parents[1] / "docs" / "gallery"
WIDTH = 480


def main(names: list[str]) -> None:
    """Measure, draw, make small."""
    FOLDER.mkdir(exist_ok=True)
    for r in REPRODUCTIONS:
        if names and r.name not in names:
            continue
        figure = r.run().figure()
        if figure is None:
            continue  # a table
        buffer = io.BytesIO()
        write(figure, buffer, format="png", dpi=110)
        picture = Image.open(buffer).convert("RGB")
        picture.thumbnail((WIDTH, 4 * WIDTH), Image.Resampling.LANCZOS)
        picture.quantize(64).save(FOLDER / f"{r.name}.png", optimize=True)
        print(r.name, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
