"""A process that measures and draws what it is told on standard input, a job a line: see `views.gallery`."""

import sys
import warnings

from polhode.views.gallery import do


def main() -> None:
    """Do jobs until there are no more; answer "done", or "failed" and what was raised on standard error."""
    warnings.simplefilter("ignore")
    answers, sys.stdout = sys.stdout, sys.stderr  # whatever is printed meanwhile is no answer
    for line in sys.stdin:
        try:
            do(line.rstrip("\n"))
        except Exception as error:  # told as "failed": the job is done again where it can be seen
            print(f"{type(error).__name__}: {error}", file=sys.stderr)
            answers.write("failed\n")
        else:
            answers.write("done\n")
        answers.flush()


if __name__ == "__main__":
    main()
