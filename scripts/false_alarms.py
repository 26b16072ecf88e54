"""How often a symplectic method is said to drift: random stress problems, by the evidence of `polhode stress`.

    python scripts/false_alarms.py [--problems 150] [--t-end 500] [--ensemble 2] [--methods VLV,RATTLE,...]

Every "drifts" it prints is false: the methods are symplectic by theorem. Printed too: how many slopes of the single
step sizes are beyond two, three and five standard errors.
"""

import argparse

import numpy as np

from polhode.testbench.drift.family import random_problems
from polhode.testbench.drift.stress import stress

SYMPLECTIC = ("VLV", "RATTLE", "HP-EXP", "SR2", "LP2", "MLEOK", "SR4")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--problems", type=int, default=150)
    parser.add_argument("--t-end", type=float, default=500.0)
    parser.add_argument("--ensemble", type=int, default=2)
    parser.add_argument("--methods", default=",".join(SYMPLECTIC))
    given = parser.parse_args()
    verdicts, drifts, proven, z = 0, 0, 0, []
    for p in random_problems(given.problems):
        for row in stress(given.methods.split(","), t_end=given.t_end, ensemble=given.ensemble, problem=p).rows:
            verdicts += 1
            drifts += row.verdict == "drifts"
            proven += row.neither
            z += [abs(e.rate / e.error) for e in row.evidence if e.stable]
            if row.verdict != "no drift seen":
                told = ", ".join(f"{e.rate:+.1e} +- {e.error:.0e} at h = {e.h:g}" for e in row.evidence)
                print(f"{p.name}, {row.method}: {row.verdict}, {told}", flush=True)
        if verdicts % 70 < len(given.methods.split(",")):
            print(f"{verdicts} verdicts, {drifts} drifts, {proven} proven", flush=True)
    beyond = ", ".join(f"{(np.array(z) > k).mean():.2%} beyond {k}" for k in (2, 3, 5))
    print(f"{verdicts} verdicts on symplectic methods: {drifts} drifts, {proven} of them proven; slopes: {beyond}")


if __name__ == "__main__":
    main()
