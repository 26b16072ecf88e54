"""The command line: what it prints where, its exit codes, and that misuse gets a sentence."""

import inspect
import json
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import polhode as ph
from polhode.bibliography import bibtex, entries, fields
from polhode.cli.main import VERBS, main
from polhode.integrators.lookup import methods
from polhode.testbench.drift.study import ORTOLAN_SACCON


def called(capsys, *arguments):
    """(exit code, standard output, standard error)"""
    try:
        code = main(list(arguments))
    except SystemExit as stop:  # argparse: help and misuse
        code = stop.code
    return code, *capsys.readouterr()


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_help_with_an_example_and_speaks_json(capsys, monkeypatch, verb):
    monkeypatch.setenv("COLUMNS", "80")
    code, out, _ = called(capsys, verb, "--help")
    assert code == 0 and max(map(len, out.splitlines())) <= 80
    assert f"example:\n  polhode {verb}" in out
    assert "--json" in out


def test_help_is_light():
    """No compiler, no Matplotlib, no SciPy before there is work for them."""
    heavy = "numba|matplotlib|scipy|xarray|mpmath|rich"
    code = (
        "import sys, re\n"
        "from polhode.cli.main import main\n"
        "try:\n    main(['--help'])\nexcept SystemExit:\n    pass\n"
        f"print([m for m in sys.modules if re.fullmatch('{heavy}', m)], file=sys.stderr)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"
    assert all(verb in done.stdout for verb in VERBS)


def test_stress_prints_a_table_and_writes_the_files(capsys, tmp_path):
    small = ("--methods", "ELN", "VLV", "--t-end", "2000", "--ensemble", "2")
    code, out, err = called(capsys, "stress", *small, "--out", str(tmp_path / "new"))
    assert code == 0
    assert err == ""
    for text in (
        "slope at h = 0.125",
        "slope at h = 0.25",
        "exponent",
        "loses energy",
        "no drift seen",
        "stress.html",
    ):
        assert text in out
    assert {p.name for p in (tmp_path / "new").iterdir()} == {"stress.html", "stress.png", "stress.svg", "stress.json"}


def test_stress_as_json_prints_json_alone_and_writes_nothing(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, err = called(capsys, "stress", "--methods", "MCG", "--h", "0.25", "--t-end", "500", "--json")
    data = json.loads(out)
    assert (code, err) == (0, "")
    assert data["methods"][0]["words"] == "gains energy"
    assert data["methods"][0]["marks"] == ["one step size only"]
    assert list(tmp_path.iterdir()) == []


def test_the_default_methods_are_those_of_the_study(capsys):
    out = called(capsys, "stress", "--help")[1].replace("\n", " ")
    assert " ".join(ORTOLAN_SACCON.methods) in " ".join(out.split())


@pytest.mark.parametrize("width", [80, 160])
@pytest.mark.parametrize("command", [("list",), ("recommend",), ("engines", "--list")], ids=" ".join)
def test_tables_fit_the_terminal_and_nothing_is_cut(capsys, monkeypatch, command, width):
    monkeypatch.setenv("COLUMNS", str(width))
    code, out, _ = called(capsys, *command)
    assert code == 0 and max(map(len, out.splitlines())) <= width
    assert "…" not in out
    if command == ("list",) and width == 80:  # beside the claims there is no room for a title
        words = " ".join(out.split())
        assert all(m.name in out and m.title in words for m in methods().values())
        assert "TAYLOR and RKMK54 choose their own steps" in words


def test_every_problem_takes_a_body_and_a_start():
    for make in ph.problems().values():
        given = set(inspect.signature(make).parameters)
        assert {"inertia", "Q0"} <= given and given & {"Omega0", "Pi0"}


def test_list_is_the_catalogue(capsys):
    code, out, _ = called(capsys, "list", "--json")
    data = json.loads(out)
    assert code == 0
    assert [m["name"] for m in data["methods"]] == list(methods())
    assert [p["name"] for p in data["problems"]] == list(ph.problems())
    own = list(ph.methods(own_steps=True))[len(methods()) :]
    assert [m["name"] for m in data["own_steps"]] == own == ["TAYLOR", "RKMK54"]
    vlv = next(m for m in data["methods"] if m["name"] == "VLV")
    assert vlv["symplectic"] is True
    assert vlv["order"] == {"free": [2, 2], "torque": [2, 2]}
    code, out, _ = called(capsys, "list", "problems")
    assert code == 0
    assert "heavy-top" in out
    assert "LIEMID" not in out
    assert "LIEMID[EA]" in called(capsys, "list", "methods")[1]


def test_run_prints_a_summary_and_saves(capsys, tmp_path):
    file, plot = tmp_path / "deep" / "run.nc", tmp_path / "run.svg"
    arguments = ("run", "vlv", "stress", "--t-end", "100", "--save-every", "8", "--out", str(file), "--plot", str(plot))
    code, out, err = called(capsys, *arguments)
    assert (code, err) == (0, "")
    assert "800" in out
    assert len(ph.load(file).t) == 101
    assert plot.read_text(encoding="utf-8").startswith("<?xml")
    code, out, _ = called(capsys, "run", "RKMK4", "forced", "--t-end", "1", "--json")
    data = json.loads(out)
    assert (code, data["n_steps"], data["n_torque"]) == (0, 20, 81)
    assert "energy_error_end" not in data


@pytest.mark.filterwarnings("ignore::polhode.LargeStepWarning")
def test_a_run_that_fails_says_why_and_exits_with_one(capsys, tmp_path):
    file = tmp_path / "run.nc"
    code, out, _ = called(capsys, "run", "TLN", "stress", "--h", "4", "--t-end", "2000", "--out", str(file))
    assert code == 1
    assert "did not solve its equations" in " ".join(out.split())
    assert len(ph.load(file).t) > 1
    code, out, _ = called(capsys, "run", "TLN", "stress", "--h", "4", "--t-end", "2000", "--json")
    assert code == 1
    assert json.loads(out)["success"] is False


def test_run_reduces(capsys):
    arguments = ("run", "VLV", "stress", "--n-steps", "1e3", "--reduce", "energy", "momentum_z", "--reduce-every", "4")
    code, out, err = called(capsys, *arguments)
    assert (code, err) == (0, "")
    assert "every 4 steps" in out and "momentum_z" in out and "momentum_x" not in out
    data = json.loads(called(capsys, *arguments, "--json")[1])
    wanted = ph.solve("stress", "VLV", n_steps=1000, reduce=("energy", "momentum_z"), reduce_every=4).reductions
    for name, r in wanted.items():
        found = data["reductions"][name]
        for key in ("first", "count", "min", "max", "mean", "slope", "slope_error"):
            assert found[key] == getattr(r, key), key
        assert found["means"] == r.means.tolist()
    assert list(data["reductions"]) == list(wanted)


def test_the_summary_is_the_same_whatever_is_looked_at_together(capsys, monkeypatch):
    arguments = ("run", "VLV", "stress", "--n-steps", "1000", "--json")
    whole = json.loads(called(capsys, *arguments)[1])
    monkeypatch.setattr("polhode.cli.verbs.run.ROWS_AT_ONCE", 7)
    parts = json.loads(called(capsys, *arguments)[1])
    s = ph.solve("stress", "VLV", n_steps=1000)
    for data in (whole, parts):
        assert data["energy_error_end"] == s.energy_error[-1]
        assert data["energy_error_largest"] == abs(s.energy_error).max()
        assert data["orthogonality_largest"] == s.orthogonality.max()


LONG = (
    "run",
    "VLV",
    "stress",
    "--n-steps",
    "5000000",
    "--save-every",
    "500",
    "--reduce",
    "energy",
    "momentum",
    "--json",
)


def stopped_after_a_checkpoint(folder, how, *arguments):
    """Begin a run in a process of its own, send it a signal when there is a checkpoint; its exit code and output."""
    command = [sys.executable, "-m", "polhode", *LONG, *arguments, "--checkpoint-every", "0"]
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while process.poll() is None and not (folder / "run.ckpt").exists():
        time.sleep(0.001)
    process.send_signal(how)
    out, err = process.communicate()
    return process.returncode, out, err


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="kills processes")
@pytest.mark.parametrize("how", ["SIGKILL", "SIGINT"])
def test_a_command_that_was_stopped_goes_on_and_ends_with_the_same_file(capsys, tmp_path, monkeypatch, how):
    monkeypatch.chdir(tmp_path)
    alone = json.loads(called(capsys, *LONG, "--out", "alone.nc")[1])
    files = ("--out", "run.nc", "--checkpoint", "run.ckpt")
    code, out, err = stopped_after_a_checkpoint(tmp_path, getattr(signal, how), *files)
    if how == "SIGKILL":
        assert (code, out, err) == (-signal.SIGKILL, "", "")
    else:
        left = json.loads(out)
        assert (code, err, left["success"], left["interrupted"]) == (1, "", False, True)
        assert left["message"].endswith("Run the same again to go on from there.")
        assert len(ph.load("run.nc").t) == left["states"] < alone["states"]
    code, out, _ = called(capsys, *LONG, *files)
    data = json.loads(out)
    assert code == 0 and 0 < data.pop("resumed_at") < 5_000_000
    mine = ("wall_time", "file", "files")
    assert {k: v for k, v in data.items() if k not in mine} == {k: v for k, v in alone.items() if k not in mine}
    one, other = ph.load("alone.nc"), ph.load("run.nc")
    assert all(np.array_equal(getattr(one, k), getattr(other, k)) for k in ("t", "Q", "Omega", "energy", "momentum"))
    rows = 10_001 * 17 * 8  # what follows the header: t, Q, Omega, energy, momentum
    assert (tmp_path / "alone.nc").read_bytes()[-rows:] == (tmp_path / "run.nc").read_bytes()[-rows:]


def test_an_interrupted_run_without_a_checkpoint_says_what_would_have_helped(capsys, monkeypatch):
    monkeypatch.setattr("polhode.runs.interrupt.Interrupt.seen", True, raising=False)
    monkeypatch.setattr("polhode.runs.interrupt.Interrupt.__init__", lambda self, *_: setattr(self, "_leave", False))
    code, out, err = called(capsys, "run", "VLV", "stress")
    assert (code, err) == (1, "")
    assert "Interrupted at step 4096 of 80000" in out and "With --checkpoint FILE the same command" in out


@pytest.mark.parametrize(
    "arguments, sentence",
    [
        ([], "required: VERB"),
        (["stres"], "invalid choice: 'stres'"),
        (["stress", "--method", "ELN"], "unrecognized arguments: --method"),
        (["stress", "--method", "ELN"], "Did you mean --methods? See polhode stress --help."),
        (["certify", "VLV", "--htm", "x.html"], "Did you mean --html? See polhode certify --help."),
        (["certify", "VLV", "--html", "new/x.html"], "new/x.html cannot be written: No such file or directory"),
        (["certify", "VLV", "ELN", "--html", "/proc/x"], "Nothing can be written to the folder /proc/x"),
        (["certify", "mine.py:f"], "cannot be used: there is no file"),
        (["stress", "--methods", "ELM"], "Did you mean 'ELN'?"),
        (["stress", "--problem", "strss"], "Did you mean 'stress'?"),
        (["stress", "--problem", "forced"], "has no potential"),
        (["stress", "--h", "fast"], "'fast' is not a finite number"),
        (["stress", "--h", "nan"], "'nan' is not a finite number"),
        (["stress", "--h", "0"], "give one or more positive step sizes"),
        (["stress", "--h", "0.3"], "must be a whole number"),
        (["stress", "--t-end", "10"], "a drift needs at least 200"),
        (["stress", "--ensemble", "0"], "'0' is not a whole number, at least 1"),
        (["stress", "--out", "/dev/null/x"], "Nothing can be written to the folder /dev/null/x"),
        (["run", "VLV"], "required: PROBLEM"),
        (["run", "VLV", "heavy-tpo"], "Did you mean 'heavy-top'?"),
        (["run", "stress", "VLV", "--h", "0.1"], "VLV is a method, and a problem belongs here"),
        (["run", "VLV", "stress", "--h", "0"], "h is 0"),
        (["run", "VLV", "stress", "--save-every", "1.5"], "'1.5' is not a whole number"),
        (["run", "VLV", "stress", "--n-steps", "1e3", "--t-end", "9"], "not allowed with argument"),
        (["run", "VLV", "stress", "--n-steps", "inf"], "'inf' is not a whole number"),
        (["run", "VLV", "stress", "--n-steps", "1e12"], "Or write them to a file as they come: out=."),
        (["run", "VLV", "stress", "--n-steps", "90", "--reduce", "enrgy"], "reduce has 'enrgy'; it may have energy"),
        (["run", "VLV", "stress", "--n-steps", "9", "--checkpoint", "/dev/null/x"], "Nothing can be written to"),
        (["run", "VLW", "stress", "--n-steps", "9", "--out", "new/run.nc"], "Did you mean 'VLV'?"),
        (["run", "VLV", "stress", "--t-end", "1", "--out", "/dev/null/x.nc"], "Nothing can be written to the folder"),
        (["run", "VLV", "stress", "--n-steps", "9", "--plot", "run.xyz"], "ends in .png, .svg or .pdf"),
        (["run", "VLV", "stress", "--n-steps", "9", "--plot", "new/run"], "ends in .png, .svg or .pdf"),
        (["list", "everything"], "invalid choice: 'everything'"),
        (["cite", "NEWTON"], "There is no method or problem 'NEWTON'"),
    ],
)
def test_misuse_gets_a_sentence_and_exit_code_two(capsys, tmp_path, monkeypatch, arguments, sentence):
    monkeypatch.chdir(tmp_path)
    code, out, err = called(capsys, *arguments)
    assert (code, out) == (2, "")
    assert sentence in err
    assert err.count("\n") == 1
    assert err.startswith("polhode")
    assert list(tmp_path.iterdir()) == []


def test_an_interruption_exits_with_one(capsys, monkeypatch):
    def interrupt(arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr("polhode.cli.verbs.list.run", interrupt)
    code, out, err = called(capsys, "list")
    assert (code, out, err) == (1, "", "polhode list: interrupted.\n")


def test_a_reader_that_has_seen_enough_is_no_error():
    command = (
        f"{sys.executable} -c 'import sys; from polhode.cli.main import main; sys.exit(main([\"list\"]))' | head -n 1"
    )
    done = subprocess.run(command, shell=True, capture_output=True, text=True)
    assert done.stderr == ""


# ---- sources -----------------------------------------------------------------------------------------


def test_cite_prints_bibtex(capsys):
    code, out, _ = called(capsys, "cite", "NEW3", "stress")
    assert code == 0
    assert "@article{koziara-bicanic-2010," in out
    assert out.count("{ortolan-saccon-2012,") == 1
    code, out, _ = called(capsys, "cite", "NEW3", "--json")
    data = json.loads(out)
    assert set(data["bibtex"]) == set(data["sources"]["NEW3"]) == set(ph.method("NEW3").sources)


def test_every_source_of_every_method_and_problem_resolves():
    keys = {key for m in methods().values() for key in m.sources}
    keys |= {key for make in ph.problems().values() for key in make().sources}
    assert sorted(keys - set(entries())) == []
    assert all(m.sources for m in methods().values())
    assert all({"title", "year"} <= set(fields(key)) for key in entries())


def test_an_entry_is_read_to_its_last_brace(monkeypatch):
    author = "Bi{\\'c}ani{\\'c}, N. and Eng{\\o}, K."
    text = (
        f'@article{{a,\n  author = {{{author}}},\n  title = {{On {{SO}}(3) --- Newton--Euler}},\n  year = "2010",\n}}'
    )
    monkeypatch.setattr("polhode.bibliography.entries", lambda: {"a": text})
    assert bibtex(["a"]) == text
    title = "On SO(3) \N{EM DASH} Newton\N{EN DASH}Euler"
    assert fields("a") == {"author": "Bićanić, N. and Engø, K.", "title": title, "year": "2010"}
