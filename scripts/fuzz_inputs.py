"""Make many bad calls of every public function and print those that raise anything but a sentence, or hang.

python scripts/fuzz_inputs.py [count] [seed] [name]
"""

import collections
import pathlib
import sys

import matplotlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from tests.support.bad_calls import faults


def main(count="22000", seed="1", name=None):
    """Print each kind of fault twice, and how many there were."""
    matplotlib.use("Agg")
    seen = collections.Counter()
    for function, given, fault in faults(int(count), seed, name):
        kind = (function, tuple(given), fault[:50])
        seen[kind] += 1
        if seen[kind] <= 2:
            print(function, given, "->", fault, flush=True)
    print(f"{sum(seen.values())} of {count} calls gave neither a result nor a sentence.")
    return 1 if seen else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
