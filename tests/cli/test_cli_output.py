"""The command line where output cannot go, and where it is interrupted: a sentence and an exit code, no traceback."""

import os
import pathlib
import signal
import subprocess
import sys
import time

import pytest

import polhode

COMMAND = [sys.executable, "-c", "import sys; from polhode.cli.main import main; sys.exit(main())"]
posix = pytest.mark.skipif(os.name != "posix", reason="devices and signals of POSIX")


CLOSED = ("sh", "-c", 'exec "$@" >&-', "sh")  # by a shell: Python would have to fork beside the threads of others


def run(*arguments, through=(), **options):
    """A command line in a process of its own."""
    return subprocess.run([*through, *COMMAND, *arguments], stderr=subprocess.PIPE, text=True, timeout=120, **options)


@posix
@pytest.mark.parametrize("arguments", [("list",), ("cite", "VLV"), ("recommend", "--json")], ids=" ".join)
def test_a_full_disk_is_a_sentence(arguments):
    if not pathlib.Path("/dev/full").exists():
        pytest.skip("there is no /dev/full")
    with open("/dev/full", "w") as full:
        done = run(*arguments, stdout=full)
    sentence = f"polhode {arguments[0]}: the output cannot be written: No space left on device.\n"
    assert (done.returncode, done.stderr) == (1, sentence)


@posix
@pytest.mark.parametrize("arguments", [("list",), ("cite", "VLV", "--json")], ids=" ".join)
def test_a_closed_output_is_no_fault(arguments):
    done = run(*arguments, through=CLOSED)
    assert (done.returncode, done.stderr) == (0, "")


@posix
@pytest.mark.parametrize(
    "option, value, sentence",
    [
        ("--out", "/dev/null", "a device or pipe"),
        ("--out", ".", "give the name of a file"),
        ("--out", "", "a path is neither empty"),
        ("--plot", "a.xyz", "give a name that ends in .png, .svg or .pdf"),
        ("--plot", "/dev/full", "a device or pipe"),
        ("--checkpoint", "x" * 5000, "File name too long"),
    ],
)
def test_files_that_cannot_be_are_refused_before_work_begins(option, value, sentence, capsys):
    from polhode.cli.main import main

    code = main(["run", "VLV", "stress", "--n-steps", "4", option, value])
    shown = capsys.readouterr().err
    assert code == 2 and sentence in shown and len(shown) < 400


@posix
def test_a_folder_with_too_long_a_name_is_a_sentence(capsys):
    from polhode.cli.main import main

    assert main(["stress", "--methods", "VLV", "--out", "x" * 5000]) == 2
    assert "File name too long" in capsys.readouterr().err


INTERRUPTED = """
import signal, sys

signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job begins with it ignored

class Interrupts:
    def find_spec(self, name, path=None, target=None):
        if name == "numpy":
            signal.raise_signal(signal.SIGINT)

sys.meta_path.insert(0, Interrupts())
"""


@posix
@pytest.mark.parametrize("program", [("-m", "polhode", "list"), ("-c", "import polhode")], ids=["verb", "import"])
def test_an_interrupt_while_a_verb_is_loaded_is_a_sentence(program, tmp_path):
    """Of a program that only imports the package it is the program's own."""
    (tmp_path / "sitecustomize.py").write_text(INTERRUPTED)
    sources = pathlib.Path(polhode.__file__).parents[1]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path), str(sources)])}
    done = subprocess.run([sys.executable, *program], env=environment, capture_output=True, text=True, timeout=120)
    if program[0] == "-m":
        assert (done.returncode, done.stderr) == (1, "polhode: interrupted.\n")
    else:
        assert done.stderr.endswith("KeyboardInterrupt\n")


@posix
def test_two_interrupts_end_the_compilation_between_two_kernels(tmp_path):
    process = subprocess.Popen(
        [*COMMAND, "warm-cache", "--methods", "VLV"],
        env=os.environ | {"POLHODE_CACHE": str(tmp_path)},
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 60
    while not any(tmp_path.rglob("*")) and time.monotonic() < deadline:  # compiling has begun
        time.sleep(0.05)
    for _ in range(2):
        process.send_signal(signal.SIGINT)
        time.sleep(0.2)
    _, told = process.communicate(timeout=60)
    assert (process.returncode, told) == (1, "polhode warm-cache: interrupted.\n")


@posix
def test_an_interrupt_in_the_last_piece_of_a_run_is_not_lost():
    import polhode as ph

    def step(problem, Q, Omega, h, t):
        if t > 0:
            signal.raise_signal(signal.SIGINT)
        return Q, Omega

    s = ph.solve("stress", step, h=0.125, n_steps=2)
    assert s.success and len(s.t) == 3 and s.stats["interrupted"]
    with pytest.raises(KeyboardInterrupt):
        ph.stress(once_interrupted(), h=0.5, t_end=100, ensemble=2)


def once_interrupted():
    """A method that does nothing, with one Ctrl-C in the last step of its first run."""
    left = [200]

    def still(problem, Q, Omega, h, t):
        left[0] -= 1
        if left[0] == 0:
            signal.raise_signal(signal.SIGINT)
        return Q, Omega

    return still
