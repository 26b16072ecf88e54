"""The confusion matrix of the certificate: every integrator of the adversary, verdict against truth.

python scripts/confusion.py [--suite FILE ...] [--only TEXT] [--part 1/2] [--json FILE] [--no-drift] [--sum FILE ...]

A suite of one's own is a Python file with a sequence CASES, of what has the fields of `Case` in the adversary's suite:
name, method, truth, and named, what a diagnosis must mention.
"""

import argparse
import collections
import json
import pathlib
import runpy
import signal
import statistics
import sys
import time
import warnings

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import polhode as ph
from tests.testbench.certificate.adversary.suite import score, suite

LONGEST = 180  # seconds of computing for one certificate; one that takes longer counts as none


class TooLong(BaseException):
    """A certificate that takes too long."""


def stopped(*_):
    raise TooLong


def measured(case, drift):
    """What one certificate says, scored, with the seconds of computing, and all that helps to see why."""
    clock = time.process_time()
    signal.signal(signal.SIGPROF, stopped)
    signal.setitimer(signal.ITIMER_PROF, LONGEST)
    try:
        certificate, why = ph.certify(case.method, drift=drift), ""
    except (Exception, TooLong) as error:
        certificate, why = None, f"{type(error).__name__}: {error}"
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    seconds = time.process_time() - clock
    if certificate is None:
        found = dict.fromkeys(case.truth, "none")
        return {"found": found, "seconds": seconds, "told": why, "form": "", "bound": None, "how": {}}
    found = score(case, certificate)
    told = " ".join(certificate.diagnosis)
    if case.named:
        found["named"] = "right" if case.named in told else "not named"
    seen = certificate.properties.get("drift")
    bound = seen.bound if seen and seen.verdict != "yes" else None
    how = {
        key: certificate[key].to_dict()
        for key, word in found.items()
        if word != "right" and key in certificate.properties
    }
    return {"found": found, "seconds": seconds, "told": told, "form": certificate.form, "bound": bound, "how": how}


def cases_of(files):
    """The cases of these files, or those of our own suite."""
    for name in files:
        folder = pathlib.Path(name).resolve().parent
        sys.path[:0] = [str(folder), str(folder.parent)]
    return [case for name in files for case in runpy.run_path(name)["CASES"]] if files else suite()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--suite", nargs="+", default=[], help="files with CASES; without any, the adversary's suite")
    parser.add_argument("--only", default="", help="cases whose name has this text")
    parser.add_argument("--part", default="1/1", help="of the cases, every so many from this one: 1/2 and 2/2 are all")
    parser.add_argument("--json", help="write what was found to this file")
    parser.add_argument("--sum", nargs="+", help="run nothing: sum up what such files have")
    parser.add_argument("--no-drift", action="store_true")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    if given.sum:
        parts = (json.loads(pathlib.Path(name).read_text()) for name in given.sum)
        return summed_up({case: one for part in parts for case, one in part.items()})
    everything = {}
    part, parts = (int(x) for x in given.part.split("/"))
    for case in [case for case in cases_of(given.suite) if given.only in case.name][part - 1 :: parts]:
        one = everything[case.name] = measured(case, not given.no_drift)
        wrong = {k: v for k, v in one["found"].items() if v != "right"}
        print(f"{case.name:28} {one['seconds']:6.1f} s  {wrong or 'right'}", flush=True)
        if given.json:
            pathlib.Path(given.json).write_text(json.dumps(everything, indent=1))
    summed_up(everything)


def summed_up(everything):
    """Print the matrix; by form of the integrator the seconds, and the bound on a drift that was not seen."""
    total, drift = collections.Counter(), collections.Counter()
    for one in everything.values():
        for key, word in one["found"].items():
            (drift if key == "drift" else total)[word] += 1
    print("without drift:", dict(total))
    print("drift:        ", dict(drift))
    for form in ("kernel", "function", "black box"):
        of = [one for one in everything.values() if one.get("form") == form]
        bounds = [one["bound"] for one in of if one["bound"] is not None]
        seconds = [one["seconds"] for one in of]
        if of:
            told = f"; no drift above {statistics.median(bounds):.0e} (median of {len(bounds)})" if bounds else ""
            print(f"{form:14} {statistics.median(seconds):.0f} s, at most {max(seconds):.0f} s{told}")


if __name__ == "__main__":
    main()
