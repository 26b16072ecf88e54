"""`certify`: a certificate for any integrator, shipped or the user's own."""

import time

from polhode.inputs import checked_call, flag
from polhode.integrators.lookup import integrator, methods, name_of
from polhode.integrators.method import BlackBox, Method
from polhode.integrators.properties import PROPERTIES, claims_of, measured_by
from polhode.runs.turns import on_purpose
from polhode.testbench.certificate.certificate import Certificate, Property
from polhode.testbench.certificate.diagnosis import diagnosis as diagnosed
from polhode.testbench.certificate.summary import summary


@checked_call
@on_purpose()
def certify(method, *, drift=True, progress=False):
    """Measure the properties of an integrator and return its Certificate.

    method    a name, a Method, a plain function step(problem, Q, Omega, h, t) -> (Q1, Omega1), or a BlackBox; a name
              may also be that of another package's integrator, "mujoco:rk4", or "module:attribute"
    drift     also run the stress test, over a shorter span than `polhode stress` does
    progress  show what is being measured
    """
    clock = time.perf_counter()
    drift, progress = flag("drift", drift), flag("progress", progress)
    method = integrator(method)
    name = name_of(method)
    with display(progress) as tick:
        if not isinstance(method, Method):
            from polhode.testbench.certificate import outside

            form = "black box" if isinstance(method, BlackBox) else "function"
            properties, diagnosis = outside.measured(method, tick)
            claims = {}
        else:
            from polhode.testbench.certificate import kernel

            form = "kernel"
            properties, claims = kernel.measured(method, tick), claims_of(method)
            diagnosis = () if methods().get(name) is method else diagnosed(properties, kernel.clues(method))
        if drift and not getattr(method, "free_only", False):
            for key in measured_by("drift"):
                tick(key)
                properties[key] = _drift(method, form)
    properties = {row.key: properties[row.key] for row in PROPERTIES if row.key in properties}
    return Certificate(
        method=name,
        form=form,
        properties=properties,
        summary=summary(name, properties),
        diagnosis=tuple(diagnosis),
        seconds=time.perf_counter() - clock,
        claims=claims,
    )


def _drift(method, form):
    """From the stress test, over a span that takes about a second: interpreted code gets a shorter one."""
    from polhode.testbench.drift.stress import stress

    t_end, starts = (2000.0, 4) if form == "kernel" else (500.0, 2)
    h = (0.125, 0.25)
    row = stress([method], h=h, t_end=t_end, ensemble=starts).rows[0]
    evidence = row.evidence[0]
    verdict = {"drifts": "yes", "no drift seen": "no"}.get(row.verdict, "undecided")
    how = f"energy on the stress test over [0, {t_end:g}], {starts} starts, h = {h[0]:g}, {h[1]:g}: {row.words}"
    return Property(evidence.rate, 5 * evidence.error, verdict, how)


class display:
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
