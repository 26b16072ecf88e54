"""A map of a sweep: one number of each body over two axes."""

from typing import Any

from polhode.errors import InputError


def sweep_map(dataset: Any, name: str, places: dict[str, Any]) -> Any:
    """The figure: colours by the number, white in the middle where it changes sign; grey where a body failed."""
    import numpy as np

    from polhode.views.figures.style import new_figure

    values = dataset[name]
    for axis, place in places.items():
        if axis not in values.dims:
            raise InputError(f"{name} has no axis {axis}; it has {', '.join(values.dims)}.")
        values = values.sel({axis: place}) if axis == "method" else values.sel({axis: place}, method="nearest")
    axes = [dim for dim in dataset["status"].dims if dim in values.dims]
    if len(axes) < 2 or len(values.dims) > len(axes):
        raise InputError(
            f"A map needs one number of each body over two axes; {name} has {', '.join(values.dims) or 'none'}."
        )
    values = values.mean(axes[:-2]) if len(axes) > 2 else values
    values = values.transpose(*axes[-2:]).compute()
    figure = new_figure(figsize=(6.4, 4.6), layout="constrained")
    panel = figure.add_subplot()
    numbers = np.ma.masked_invalid(values.values.astype(float))
    signed = numbers.count() and numbers.min() < 0 < numbers.max()
    bound = float(np.abs(numbers).max())
    colours = {"cmap": "RdBu_r", "vmin": -bound, "vmax": bound} if signed else {"cmap": "viridis"}
    x, y = _places(dataset, axes[-1], values.shape[1]), _places(dataset, axes[-2], values.shape[0])
    drawn = panel.pcolormesh(x, y, numbers, shading="nearest", **colours)
    panel.set_facecolor("0.8")
    panel.set(
        xlabel=axes[-1], ylabel=axes[-2], title=f"{name}: {dataset.attrs['problem']} by {dataset.attrs['method']}"
    )
    figure.colorbar(drawn, ax=panel, label=name)
    return figure


def _places(dataset: Any, axis: str, n: int) -> Any:
    import numpy as np

    at = dataset[axis].values if axis in dataset.coords else None
    return at if at is not None and at.dtype.kind in "fi" else np.arange(n)
