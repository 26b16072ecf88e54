"""Draw the pictures of docs/architecture.md: rows of boxes, and the arrows between them.

python scripts/draw_architecture.py [FOLDER]
"""

import pathlib
import sys
from xml.sax.saxutils import escape

FOLDER = pathlib.Path(__file__).parent.parent / "docs" / "pictures"
WIDTH, ROW, BOX, GAP, MARGIN = 860, 104, 62, 24, 16
STYLE = """
  .box { fill: #f4f6fa; stroke: #43597f; stroke-width: 1.4 } .mine { fill: #fdf3dd; stroke: #a87a18 }
  .code { fill: #e7f3ea; stroke: #3a7d4f } text { font: 14px system-ui, sans-serif; fill: #1c2430; text-anchor: middle }
  .small { font-size: 12px; fill: #4c5868 } path { stroke: #43597f; stroke-width: 1.4; fill: none }
  @media (prefers-color-scheme: dark) {
    .box { fill: #1f2733; stroke: #8fa6cc } .mine { fill: #3a2f16; stroke: #d9ab4a }
    .code { fill: #1b3324; stroke: #79c08f }
    text { fill: #e8edf5 } .small { fill: #b4c0d0 } path { stroke: #8fa6cc } marker path { fill: #8fa6cc } }
"""

SOLVE = (
    [
        ("your torque(t, Q) or potential(Q)", "ordinary Python on a 3x3 array", "mine"),
        ("a method", "a name, Method, function", "mine"),
    ],
    [
        ("inputs/, physics/problem.py", "checked; a kernel on tuples; principal axes"),
        ("integrators/lookup.py", "the one look-up"),
    ],
    [("runs/solve.py, runs/equal_steps.py", "h, t_end, save_every; picks a Runner (runs/runners/runner.py)")],
    [
        ("machine/compile.py", "torque by address, one loop a method; disk cache", "code"),
        ("kernels/loop.py", "the same loop as plain Python"),
    ],
    [("runs/drive.py", "pieces of 0.2 s: progress, Ctrl-C, checkpoints, files")],
    [("Trajectory", "t, Q, Omega in your axes; energy, momentum, save, plot", "mine")],
)
ENSEMBLE = (
    [
        ("one problem or N of the same functions", "Q0, Omega0, inertia, parameters: one or N", "mine"),
        ("a method", "as for solve", "mine"),
    ],
    [("runs/ensemble/starts.py", "Bodies: what each has for itself, what all share")],
    [("runs/ensemble/way.py", "the fastest way there is, and the reason if it is not lanes")],
    [
        ("all in lanes", "torque compiled into the loop", "code"),
        ("torque body by body", "method in lanes", "code"),
        ("body by body", "machine code or Python", "code"),
    ],
    [("threads over blocks of bodies", "each body gets the bits that solve gives it alone")],
    [("Ensemble", "t, Q (n, N, 3, 3), Omega; failures stay with their body", "mine")],
)
CERTIFICATE = (
    [("your step(problem, Q, Omega, h, t)", "or a Method, a name, another package's", "mine")],
    [("integrators/properties.py", "the table: a row a property, its case and its measure")],
    [
        ("testbench/certificate/kernel/measurements.py", "a kernel: 50 digits, complex steps, theorems", "code"),
        ("testbench/certificate/outside/measurements.py", "what can only be run: errors, defects of a step", "code"),
    ],
    [("reference/, testbench/drift/", "answers that share nothing with the methods; slopes with uncertainty")],
    [("Certificate", "value, threshold, verdict and how, each; claims compared; a diagnosis", "mine")],
)


def picture(rows):
    """One picture as SVG: a box points to the one below where rows are equally long, otherwise to all of the next."""
    height = 2 * MARGIN + ROW * (len(rows) - 1) + BOX
    parts = []
    for k, row in enumerate(rows):
        y = MARGIN + k * ROW
        for (x, width), (title, words, *kind) in zip(places(row), row):
            middle = x + width / 2
            parts.append(
                f'<rect class="box {" ".join(kind)}" x="{x:g}" y="{y}" width="{width:g}" height="{BOX}" rx="7"/>'
                f'<text x="{middle:g}" y="{y + 26}">{escape(title)}</text>'
                f'<text class="small" x="{middle:g}" y="{y + 46}">{escape(words)}</text>'
            )
            if k + 1 < len(rows):
                below = places(rows[k + 1])
                for to, wide in [(x, width)] if len(below) == len(row) else below:
                    end = to + wide / 2 + (middle - WIDTH / 2) * 0.25 * (len(rows[k + 1]) == 1)
                    bend = y + (ROW + BOX) / 2
                    parts.append(
                        f'<path d="M{middle:g} {y + BOX} C{middle:g} {bend:g} {end:g} {bend:g} {end:g} {y + ROW - 3}" '
                        'marker-end="url(#tip)"/>'
                    )
    tip = '<marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img"><style>{STYLE}</style>'
        f'<defs>{tip}<path d="M0 0 L8 4 L0 8 z" style="fill: #43597f; stroke: none"/></marker></defs>'
        + "\n".join(parts)
        + "</svg>\n"
    )


def places(row):
    """(x, width) of the boxes of a row."""
    width = min(520.0, (WIDTH - 2 * MARGIN - GAP * (len(row) - 1)) / len(row))
    left = (WIDTH - len(row) * width - GAP * (len(row) - 1)) / 2
    return [(left + i * (width + GAP), width) for i in range(len(row))]


def pictures():
    """The pictures by file name."""
    return {
        "way-solve.svg": picture(SOLVE),
        "way-ensemble.svg": picture(ENSEMBLE),
        "way-certificate.svg": picture(CERTIFICATE),
    }


def main(folder=FOLDER):
    """Write them."""
    for name, text in pictures().items():
        (pathlib.Path(folder) / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
