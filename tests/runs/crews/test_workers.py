"""Whoever works: the same results, in order; what a task raises or warns of is told where it was asked for."""

import concurrent.futures
import inspect
import multiprocessing
import os
import signal
import warnings

import pytest

import polhode as ph
from polhode.runs.crews.crew import WorkersLost
from polhode.runs.crews.workers import crew, mapped
from polhode.views.files import as_json


def shouted(word, loud):
    if loud:
        warnings.warn(f"{word} is loud", UserWarning, stacklevel=1)
    if not word:
        raise ph.InputError("nothing to shout")
    return word.upper()


def without_times(found):  # how many states the battery covers depends on the time there is
    if isinstance(found, dict):
        return {k: without_times(v) for k, v in found.items() if k not in ("seconds", "wall_time", "coverage")}
    return [without_times(x) for x in found] if isinstance(found, list | tuple) else found


def same(a, b):
    return as_json(without_times(a.to_dict())) == as_json(without_times(b.to_dict()))


def executor():
    return concurrent.futures.ThreadPoolExecutor(2)


@pytest.mark.parametrize("workers", [None, 2, executor], ids=["here", "processes", "threads"])
def test_results_errors_and_warnings(workers):
    workers = workers() if callable(workers) else workers
    told = []
    with pytest.warns(UserWarning, match="b is loud"):
        found = mapped(workers, shouted, [("a", False), ("b", True)], lambda k, r: told.append((k, r)))
    assert found == ["A", "B"] and sorted(told) == [(0, "A"), (1, "B")]
    with pytest.raises(ph.InputError, match="nothing to shout"):
        mapped(workers, shouted, [("", False), ("b", False)])


def test_closures_travel_and_deaths_are_told():
    offset = 3
    assert mapped(2, lambda x: x + offset, [(1,), (2,)]) == [4, 5]
    with pytest.raises(WorkersLost, match="killed 3 workers"):
        mapped(1, lambda: os._exit(1), [()])


def torn():
    """A worker killed in the middle of its result, of which its pool awaits the rest."""
    frame = inspect.currentframe()
    while frame.f_code.co_name != "_process_worker":
        frame = frame.f_back
    os.write(frame.f_locals["result_queue"]._writer.fileno(), b"\0\0")  # half of a number of bytes
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="there is no SIGKILL on this system")
def test_a_death_that_the_pool_does_not_notice_is_noticed(monkeypatch):
    monkeypatch.setattr("polhode.runs.crews.processes.MOST_TRIES", 1)
    monkeypatch.setattr("polhode.runs.crews.processes.LOOK_EVERY", 0.5)
    with pytest.raises(WorkersLost, match=r"killed \d workers"):
        mapped(1, torn, [()])


@pytest.mark.parametrize("workers", ["spark", True, [], 0, 1.5, object()])
def test_what_no_worker_is_gets_a_sentence(workers):
    with pytest.raises(ph.InputError, match="workers"):
        crew(workers)


def mine(problem, Q, Omega, h, t):
    """A step of the user's own."""
    return ph.step(problem, "VLV", Q, Omega, h, t)


@pytest.fixture(scope="module")
def pool():
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as made:
        yield made


def test_studies_are_the_same_whoever_works(pool):
    given = {"t_end": 200, "ensemble": 2, "h": (0.25, 0.5)}
    assert same(ph.stress(["ELN", "VLV"], **given), ph.stress(["ELN", "VLV"], **given, workers=pool))
    study = {"methods": ["VLV", mine], "t_end": 1, "steps": (8, 16, 32, 64)}
    assert same(ph.converge("heavy-top", **study), ph.converge("heavy-top", **study, workers=pool))


def test_certificates_of_many(pool):
    alone = [ph.certify(m, drift=False) for m in ("ELN", "VLV")]
    both = ph.certify(["ELN", "VLV"], drift=False, workers=pool)
    assert len(both) == 2 and both["VLV"]["symmetric"].verdict == "yes"
    assert all(same(a, b) for a, b in zip(alone, both))
    assert "VLV" in both._repr_html_() and len(both.to_dict()["certificates"]) == 2
    with pytest.raises(ph.InputError, match="one name"):
        ph.certify(["ELN", "ELN"])
    with pytest.raises(ph.InputError, match="There is no 'RATTLE'"):
        both["RATTLE"]


class Idle(concurrent.futures.Executor):
    """An executor that takes tasks and begins none until it is told to."""

    def __init__(self):
        self.taken = []

    def submit(self, function, *arguments):
        self.taken.append((concurrent.futures.Future(), function, arguments))
        return self.taken[-1][0]

    def begin(self, *_):
        for future, function, arguments in self.taken:
            future.set_result(function(*arguments))


def test_an_executor_that_begins_nothing_is_told_of_and_waited_for(monkeypatch):
    idle, told = Idle(), []
    monkeypatch.setattr("polhode.runs.crews.crew.LOOK_EVERY", 0.01)
    monkeypatch.setattr("polhode.runs.crews.crew.SECONDS_ALONE", 0.05)
    monkeypatch.setattr("polhode.inputs.warn", lambda text: told.append(text) or idle.begin())
    assert [o.result for o in crew(idle).each(abs, [(-1,), (-2,)])] == [1, 2]
    assert len(told) == 1 and "begun none of 2 tasks" in told[0]
