"""`certify`: a certificate for any integrator, shipped or the user's own."""

import datetime
import sys
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, overload

import numpy as np
from threadpoolctl import threadpool_limits

from polhode.errors import InputError, RunWarning, one_line
from polhode.inputs import checked_call, flag, items, positive, warn
from polhode.integrators.lookup import Integrator, integrator, methods, name_of
from polhode.integrators.method import BlackBox, Method
from polhode.integrators.properties import PROPERTIES, claims_of, groups, measured_by, title_of
from polhode.runs.crews.workers import mapped
from polhode.runs.progress import bar
from polhode.runs.turns import on_purpose
from polhode.testbench.certificate.certificate import Certificate
from polhode.testbench.certificate.certificates import Certificates
from polhode.testbench.certificate.running.look import Look, box
from polhode.testbench.certificate.running.pace import SECONDS
from polhode.testbench.certificate.summary import summary

MEASUREMENTS = len(groups())
MEASURING = threading.RLock()
"""Held by the certificate that is being measured. Warnings, the digits of mpmath, the threads of BLAS and the time of
the processor are those of the whole process: two certificates at once, in threads, would spoil each other."""


@overload
def certify(
    method: str | Integrator,
    *,
    drift: bool = True,
    progress: bool = False,
    workers: Any = None,
    seconds: float = SECONDS,
) -> Certificate: ...


@overload
def certify(
    method: list[Any] | tuple[Any, ...],
    *,
    drift: bool = True,
    progress: bool = False,
    workers: Any = None,
    seconds: float = SECONDS,
) -> Certificates: ...


@checked_call
@on_purpose()
def certify(
    method: Any,
    *,
    drift: bool = True,
    progress: bool = False,
    workers: Any = None,
    seconds: float = SECONDS,
) -> Any:
    """Measure the properties of an integrator and return its Certificate; of a sequence of them, Certificates.

    Parameters
    ----------
    method : str, Method, callable or BlackBox
        a name, a Method, a plain function step(problem, Q, Omega, h, t) -> (Q1, Omega1), or a BlackBox; a name may also
        be that of another package's integrator, "mujoco:rk4", or "module:attribute"
    drift : bool
        also run the stress test, over a shorter span than `polhode stress` does
    progress : bool
        show what is being measured
    workers : None, int, executor, Dask client or "dask"
        who measures, as for `sweep`: of several methods, each is a task
    seconds : float
        about how long the certificate of one function or black box may take; what does not fit is undecided, and says
        how long it would take

    Returns
    -------
    Certificate
        Every property with value, threshold, verdict and coverage; `print` it, or write it by `save`. Of a sequence
        that Ctrl-C ends, those that were finished, and a warning that names the others.

    Examples
    --------
    >>> import polhode as ph
    >>> c = ph.certify("VLV", drift=False)
    >>> c.properties["symmetric"].verdict, round(c.properties["order_free_Q"].value, 1)
    ('yes', 2.0)
    """
    drift, progress, seconds = flag("drift", drift), flag("progress", progress), positive("seconds", seconds)
    if are_several(method) or workers is not None:
        several = method if are_several(method) else [method]
        certificates = certified(several, drift, progress, workers, seconds)
        return certificates if are_several(method) else certificates[0]
    with MEASURING:
        return _measured(integrator(method), drift, progress, seconds)


def _measured(method: Integrator, drift: bool, progress: bool, seconds: float) -> Certificate:
    """The certificate of one integrator."""
    clock, name = time.perf_counter(), name_of(method)
    form, look, pictures = form_of(method), Look(box(method), seconds), {}
    look.pace.is_with_drift = drift
    # what the caller has set is not for our references; and matrices of three rows gain nothing from threads
    with display(progress) as tick, np.errstate(all="ignore"), threadpool_limits(1, "blas"):
        if isinstance(method, Method):
            from polhode.testbench.certificate.kernel import measurements as kernel

            claims = claims_of(method)
            properties = kernel.measured(method, tick, look)
            shipped = methods().get(name) is method
            diagnosis = () if shipped else kernel.diagnosed(method, properties, look)
        else:
            from polhode.testbench.certificate.outside import measurements as outside

            claims = {}
            properties, diagnosis = outside.measured(method, tick, look)
        if drift and not getattr(method, "free_only", False):
            from polhode.testbench.certificate.drift import drift_of

            for key in measured_by("drift"):
                tick(key)
                properties[key], pictures["drift"] = drift_of(method, form, properties, look)
    properties = {row.key: properties[row.key] for row in PROPERTIES if row.key in properties}
    if look.convergence:
        pictures["convergence"] = look.convergence
    return Certificate(
        method=name,
        form=form,
        properties=properties,
        summary=summary(name, properties),
        diagnosis=tuple(diagnosis),
        seconds=time.perf_counter() - clock,
        claims=claims,
        kin=look.kin,
        version=sys.modules["polhode"].__version__,  # polhode imports this module, not the other way round
        date=datetime.date.today().isoformat(),
        pictures=pictures,
    )


def form_of(method: Integrator) -> str:
    """What can be looked into."""
    return "kernel" if isinstance(method, Method) else "black box" if isinstance(method, BlackBox) else "function"


def are_several(method: Any) -> bool:
    """Whether these are methods, and not one; an object with a step is one, if not yet one that can be called."""
    is_one = isinstance(method, str | Method | BlackBox) or callable(method)
    return not (is_one or callable(getattr(method, "step", None)))


def certified(methods: Any, drift: bool, progress: bool, workers: Any, seconds: float) -> Certificates:
    """The certificates of several methods; after a Ctrl-C those that were finished, if any, and who was left out."""
    integrators = [integrator(m) for m in items("method", methods, "a method, or a sequence of them")]
    names = [name_of(m) for m in integrators]
    if not integrators:
        raise InputError("No method was given; give at least one.")
    if len(set(names)) < len(names):
        raise InputError(
            f"Two methods have one name: {', '.join(n for n in names if names.count(n) > 1)}. Give each one of its "
            "own: functions by def under other names, objects that are called by a __name__, a Method or a BlackBox "
            "by its name."
        )
    runs_here, found = workers is None, dict[int, Certificate]()
    with bar(progress, len(integrators), _label(names, 0, runs_here), unit="methods") as tick:

        def is_done(k: int, certificate: Certificate) -> None:
            found[k] = certificate
            tick(len(found), _label(names, len(found), runs_here))

        try:
            return Certificates(tuple(mapped(workers, one, [(m, drift, seconds) for m in integrators], is_done)))
        except KeyboardInterrupt:
            if not found:
                raise
    left = tuple(name for k, name in enumerate(names) if k not in found)
    if left:
        there = f"{len(found)} of {len(names)} certificates are there"
        warn(f"Interrupted: {there}; not measured: {', '.join(left)}.", RunWarning)
    ended = [found.get(k) or _nothing(m, "Not measured: interrupted.") for k, m in enumerate(integrators)]
    return Certificates(tuple(ended), interrupted=left)


def _nothing(method: Integrator, why: str) -> Certificate:
    """The certificate of one of which nothing was measured."""
    return Certificate(name_of(method), form_of(method), properties={}, summary=why)


def _label(names: Sequence[str], done: int, runs_here: bool) -> str:
    """What the progress bar says: the one that is being measured, where one is after the other."""
    if done == len(names) or not runs_here:
        return f"certificates, {done} of {len(names)}"
    return f"certificate {done + 1} of {len(names)}: {names[done]}"


def one(method: Any, drift: bool, seconds: float) -> Certificate:
    """A task. One that does not run has no properties, and a summary that says why; the others are not lost."""
    try:
        return certify(method, drift=drift, seconds=seconds)
    except InputError as error:
        why = str(error)
    except Exception as error:  # an integrator may fail in any way it likes, where nobody has thought of it, too
        why = one_line(error)
    return _nothing(method, f"Nothing was measured: {why}")


class display:
    """A progress bar that says what is being measured, or none; gives a function to call with each name."""

    def __init__(self, progress: bool, total: int | None = MEASUREMENTS) -> None:
        self.progress, self.total = progress, total

    def __enter__(self) -> Callable[[str], None]:
        if not self.progress:
            return lambda key: None
        from polhode.runs.progress_bar import Bar

        self.bar, begun = Bar(self.total, "measuring"), -1
        show = self.bar.__enter__()

        def tick(key: str) -> None:
            nonlocal begun
            begun += 1
            show(begun, f"measuring: {title_of(key)}")

        return tick

    def __exit__(self, *exception: Any) -> None:
        if self.progress:
            self.bar.__exit__(*exception)
