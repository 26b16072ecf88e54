"""`certify`: a certificate for any integrator, shipped or the user's own."""

import time

from polhode.certify.certificate import KEYS, Certificate, Property
from polhode.certify.summary import summary
from polhode.model import CLAIMS, Method
from polhode.solve import method as found


def certify(method, *, drift=True, progress=False):
    """Measure the properties of an integrator and return its Certificate.

    method    a name, a Method, or a plain function step(problem, Q, Omega, h, t) -> (Q1, Omega1)
    drift     also run the stress test, over a shorter span than `polhode stress` does
    progress  show what is being measured
    """
    clock = time.perf_counter()
    with _display(progress) as tick:
        if callable(method) and not isinstance(method, Method):
            from polhode.certify import outside

            name, form = getattr(method, "__name__", "your method"), "function"
            properties, diagnosis, claims = *outside.measured(method, tick), {}
        else:
            from polhode.certify import kernel

            method = found(method)
            name, form = method.name, "kernel"
            properties, diagnosis, claims = kernel.measured(method, tick), (), _claims(method)
        if drift and not getattr(method, "free_only", False):
            tick("drift")
            properties["drift"] = _drift(method)
    properties = {key: properties[key] for key in KEYS if key in properties}
    return Certificate(
        method=name,
        form=form,
        properties=properties,
        summary=summary(name, properties),
        diagnosis=tuple(diagnosis),
        seconds=time.perf_counter() - clock,
        claims=claims,
    )


def _claims(method):
    """What a method claims, by the keys of the certificate."""
    claims = {("symplectic_potential" if c == "symplectic" else c): getattr(method, c) for c in CLAIMS}
    orders = method.orders
    for case, values in (("free", orders.free), ("potential", orders.torque), ("forced", orders.torque)):
        claims[f"order_{case}_Q"], claims[f"order_{case}_Omega"] = values
    if method.drift is not None:
        claims["drift"] = method.drift != "none"
    return {k: v for k, v in claims.items() if v is not None and v == v}


def _drift(method, h=(0.125, 0.25), t_end=2000.0):
    from polhode.certify.drift import stress

    row = stress([method], h=h, t_end=t_end, ensemble=4).rows[0]
    evidence = row.evidence[0]
    verdict = {"drifts": "yes", "no drift seen": "no"}.get(row.verdict, "undecided")
    how = f"slope of the energy on the stress test over [0, {t_end:g}], four starts, h = {h[0]:g} and {h[1]:g}: {row.words}"
    return Property(evidence.rate, 5 * evidence.error, verdict, how)


class _display:
    def __init__(self, progress):
        self.progress = progress

    def __enter__(self):
        if not self.progress:
            return lambda key: None
        from rich.console import Console

        self.status = Console(stderr=True).status("measuring")
        self.status.start()
        return lambda key: self.status.update(f"measuring: {key}")

    def __exit__(self, *exception):
        if self.progress:
            self.status.stop()
        return False
