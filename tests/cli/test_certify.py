"""`polhode certify`: what it reads, what it prints and in what case it fails; a function that prints; Ctrl-C."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

import polhode as ph
from polhode.cli.main import main
from polhode.testbench.certificate.certificate import Certificate, Property
from polhode.testbench.certificate.certificates import Certificates

MINE = """
import os, signal, sys, time

def still(problem, Q, Omega, h, t):
    return Q, Omega

def lie_verlet(problem, Q, Omega, h, t):
    print("I print,", "and so does C", flush=True)
    os.write(1, b"or so")
    return Q, Omega

def fails(problem, Q, Omega, h, t):
    raise ValueError("my solver failed")

def interrupts(problem, Q, Omega, h, t):
    signal.raise_signal(signal.SIGINT)
    return Q, Omega

def sleeps(problem, Q, Omega, h, t):
    open("asleep", "w").close()
    time.sleep(60)
    return Q, Omega
"""
YES, NO = Property(1e-15, 2e-13, "yes", "a"), Property(0.1, 2e-13, "no", "a")


@pytest.fixture
def here(tmp_path, monkeypatch):
    (tmp_path / "mine_of_certify.py").write_text(MINE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delitem(sys.modules, "mine_of_certify", raising=False)
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


@pytest.fixture
def interruptible():
    """A background job, and those that it starts, begin with SIGINT ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def command(*arguments, **options):
    names = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen([sys.executable, "-m", "polhode", "certify", *arguments], **(names | options))


def test_one_that_does_not_run_fails_alone_or_among_others_with_its_line(here, capsys):
    assert main(["certify", "mine_of_certify:fails"]) == 1
    failed = "fails failed in its first step: ValueError: my solver failed (mine_of_certify.py, line 13)."
    assert failed in capsys.readouterr().err
    assert main(["certify", "mine_of_certify.py:fails", "scipy:no_such"]) == 2
    given = [getattr(__import__("mine_of_certify"), name) for name in ("fails",)]
    (one,) = ph.certify(given, drift=False)
    assert failed in one.summary and not one.properties


@pytest.mark.parametrize("claimed, code", [(True, 1), (False, 0)])
def test_a_contradicted_claim_fails_and_is_told_of_several(monkeypatch, capsys, claimed, code):
    claims = {"symmetric": claimed}
    a = Certificate("A", "kernel", {"symmetric": NO}, "A is A.", claims=claims, kin="This is B.")
    b = Certificate("B", "function", {"symmetric": YES, "on_group": YES}, "B is B.", diagnosis=("It is loose.",))
    monkeypatch.setattr("polhode.testbench.certificate.certify.certify", lambda names, **_: Certificates((a, b)))
    assert main(["certify", "A", "B"]) == code
    out = capsys.readouterr().out
    places = [out.index(words) for words in ("Blank: not measured", "A is A.", "This is B.", "B is B.", "It is loose.")]
    assert places == sorted(places) and ("Claimed otherwise: symmetric (True)." in out) == bool(code)
    assert main(["certify", "A", "B", "--how"]) == code and "how it was measured" in capsys.readouterr().out


def test_a_name_that_is_read_as_one_of_the_catalogue_is_told(here, monkeypatch, capsys):
    c = Certificate("VLV", "kernel", {"symmetric": YES}, "VLV is VLV.")
    monkeypatch.setattr("polhode.testbench.certificate.certify.certify", lambda name, **_: c)
    told = {"lie_verlet": "lie_verlet is read as VLV of the catalogue; yours would be mine_of_certify:lie_verlet."}
    told |= {"velocity Lie-Verlet": "velocity Lie-Verlet is read as VLV of the catalogue.", "vlv": "", "VLV": ""}
    for name, sentence in told.items():
        assert main(["certify", name]) == 0
        assert capsys.readouterr().err == (f"polhode certify: {sentence}\n" if sentence else "")


def test_an_unwritable_page_is_refused_at_once_and_the_file_of_one_is_left_as_it_was(here, monkeypatch, capsys):
    def certify(*_, **__):
        raise AssertionError("measured")

    monkeypatch.setattr("polhode.testbench.certificate.certify.certify", certify)
    (here / "there.html").write_text("mine")
    for name in ("no/x.html", "/proc/x.html", "there.html/x.html"):
        assert main(["certify", "VLV", "--html", name]) == 2
        assert "written" in capsys.readouterr().err
    with pytest.raises(AssertionError):
        main(["certify", "VLV", "--html", "there.html"])
    assert (here / "there.html").read_text() == "mine"


@pytest.mark.skipif(os.name != "posix", reason="the output of the system, by its number")
@pytest.mark.parametrize("workers", [(), ("--workers", "2")], ids=["here", "workers"])
def test_json_is_alone_on_standard_output_though_the_function_prints(here, workers):
    given = ("mine_of_certify:lie_verlet", "mine_of_certify:fails", "--no-drift", "--seconds", "2", "--json")
    process = command(*given, *workers)
    out, err = process.communicate(timeout=300)
    assert [c["method"] for c in json.loads(out)["certificates"]] == ["lie_verlet", "fails"]
    assert "I print, and so does C" in err and "or so" in err
    assert err.count("standard output is for the JSON") == (0 if workers else 1)


def test_what_was_finished_before_an_interruption_is_there(here, interruptible, capsys):
    mine = __import__("mine_of_certify")
    with pytest.warns(ph.RunWarning, match=r"Interrupted: 1 of 3 certificates .* not measured: interrupts, still\."):
        found = ph.certify([mine.fails, mine.interrupts, mine.still], drift=False)
    assert "my solver failed" in found["fails"].summary and found["still"].summary == "Not measured: interrupted."
    assert found.interrupted == ("interrupts", "still") and found.to_dict()["interrupted"] == ["interrupts", "still"]
    with pytest.raises(KeyboardInterrupt):
        ph.certify([mine.interrupts, mine.still], drift=False)
    assert main(["certify", "mine_of_certify:fails", "mine_of_certify:interrupts", "--no-drift"]) == 1
    told = capsys.readouterr()
    assert told.err == "polhode certify: interrupted; not measured: interrupts.\n"
    out = " ".join(told.out.split())  # a narrow terminal breaks lines
    assert "my solver failed" in out and "interrupts: Not measured: interrupted." in out


@pytest.mark.skipif(os.name != "posix", reason="a signal to a group of processes")
def test_an_interruption_of_all_processes_is_told_once(here, interruptible):
    """As a terminal sends it: to the workers as well, which are in the middle of a step."""
    process = command("mine_of_certify:sleeps", "mine_of_certify:still", "--workers", "2", start_new_session=True)
    deadline = time.monotonic() + 120
    while not (here / "asleep").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=30)  # which also tells that no worker goes on: each has these pipes
    assert process.returncode == 1 and err.count("interrupted") == 1 and "Traceback" not in err
    assert err.startswith("polhode certify: interrupted")
