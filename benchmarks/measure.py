"""Clocks: interleaved repeats, medians of ratios, and the machine they were taken on.

Nanoseconds change with the machine, its temperature and its other users; the ratio of two things timed in turn changes
far less. So everything is repeated in turn, and a ratio is the median of the ratios of the repeats.
"""

import os
import pathlib
import platform
import statistics
import subprocess
import time

FINE = time.get_clock_info("process_time").resolution <= 1e-6
CLOCK = time.process_time if FINE else time.perf_counter
"""The processor's time where it is fine enough: what others do on the machine does not count."""


def interleaved(prepared, repeats, wall=()):
    """Seconds of each of `prepared` (name -> function that prepares a run and returns it), repeated in turn.

    Those named in `wall` use several threads, and the clock on the wall counts.
    """
    seconds = {name: [] for name in prepared}
    for i in range(repeats + 1):
        for name, prepare in prepared.items():
            clock = time.perf_counter if name in wall else CLOCK
            run = prepare()
            begin = clock()
            run()
            if i:  # the first round fills caches
                seconds[name].append(clock() - begin)
    return seconds


def ratio(seconds, one, other):
    """How many times longer `one` takes than `other`."""
    return statistics.median(a / b for a, b in zip(seconds[one], seconds[other]))


def fastest(seconds, names):
    """The name with the smallest median."""
    return min(names, key=lambda name: statistics.median(seconds[name]))


def duration(run, at_least=0.05, fewest=3, most=200):
    """The median duration of run(), repeated for at least so many seconds and so many times."""
    run()
    seconds = []
    while (sum(seconds) < at_least or len(seconds) < fewest) and len(seconds) < most:
        begin = CLOCK()
        run()
        seconds.append(CLOCK() - begin)
    return statistics.median(seconds)


def processors():
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def thread_counts():
    """One, two, and as many threads as there are processors."""
    return sorted({1, min(2, processors()), processors()})


def machine():
    """The machine and the versions, for the head of every table."""
    import numba
    import numpy
    import scipy

    import polhode

    return {
        "cpu": _cpu(),
        "cores": processors(),
        "load": f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown",
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "polhode": polhode.__version__,
        "numba": numba.__version__,
        "numpy": numpy.__version__,
        "scipy": scipy.__version__,
        "clock": CLOCK.__name__,
        "commit": commit(),
        "date": time.strftime("%Y-%m-%d"),
    }


def commit():
    """The commit that is measured, marked where files differ from it."""
    command = ["git", "-C", str(pathlib.Path(__file__).parent), "describe", "--always", "--dirty", "--abbrev=7"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def has_instructions(name):
    """Whether the processor says that it has these instructions (avx2, avx512f); no where it says nothing."""
    return name in _cpu_facts().get("flags", "").split()


def _cpu_facts():
    """What Linux says of the last processor, by key."""
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return {}
    pairs = (line.split(":", 1) for line in lines if ":" in line)
    return {key.strip(): value.strip() for key, value in pairs}


def _cpu():
    facts = _cpu_facts()
    name = facts.get("model name") or platform.processor() or platform.machine()
    numbers = [f"{key} {facts[key]}" for key in ("cpu family", "model") if key in facts]
    return f"{name} ({', '.join(numbers)})" if numbers else name
