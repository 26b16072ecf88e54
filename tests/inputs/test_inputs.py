"""The error table: what is given wrong, and that the sentence names it, says what is allowed and what to do."""

import inspect
import math
import warnings

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import polhode as ph
from tests.support.bad_calls import Spiteful, calls, faults, line_faults, outcome

FREE = dict(inertia=(1, 2, 2.5), Omega0=(0.1, 1, 0))
nan = float("nan")


def norm_potential(Q):
    return np.linalg.norm(Q - np.eye(3))


def math_potential(Q):
    return math.sqrt(3.5 - Q[0, 0] - Q[1, 1] - Q[2, 2])


MISUSES = {
    "inertia NaN": (lambda: ph.Problem(inertia=(1, nan, 2), Omega0=(0, 0, 1)), "inertia is .*nan.*finite"),
    "inertia infinite": (lambda: ph.Problem(inertia=(1, math.inf, 2), Omega0=(0, 0, 1)), "inertia is .*inf.*finite"),
    "inertia zero": (lambda: ph.Problem(inertia=(1, 0, 1), Omega0=(0, 0, 1)), "moments are .*must be positive"),
    "inertia not symmetric": (
        lambda: ph.Problem(inertia=[[1, 0.1, 0], [0, 1, 0], [0, 0, 1]], Omega0=(0, 0, 1)),
        r"not symmetric.*differ by 0.1.*\(J \+ J.T\)/2",
    ),
    "inertia indefinite": (
        lambda: ph.Problem(inertia=[[1, 2, 0], [2, 1, 0], [0, 0, 1]], Omega0=(0, 0, 1)),
        "moments are .*must be positive",
    ),
    "inertia of wrong shape": (lambda: ph.Problem(inertia=(1, 2), Omega0=(0, 0, 1)), r"shape \(2,\).*three principal"),
    "inertia text": (lambda: ph.Problem(inertia="heavy", Omega0=(0, 0, 1)), "'heavy'.*three principal moments"),
    "Q0 not orthogonal": (lambda: ph.Problem(**FREE, Q0=np.eye(3) + 1e-3), "not a rotation.*0.00.*1e-08.*nearest"),
    "Q0 a reflection": (lambda: ph.Problem(**FREE, Q0=-np.eye(3)), "not a rotation.*determinant is -1"),
    "Q0 a quaternion": (lambda: ph.Problem(**FREE, Q0=(1, 0, 0, 0)), r"shape \(4,\).*from_quat"),
    "Q0 three Rotations": (
        lambda: ph.Problem(**FREE, Q0=Rotation.identity(3)),
        r"Q0 is a Rotation of 3; one is needed",
    ),
    "Q0 NaN": (lambda: ph.Problem(**FREE, Q0=(0, nan, 0)), "Q0 is .*nan.*finite"),
    "Omega0 missing": (lambda: ph.Problem(inertia=(1, 2, 2)), "Give Omega0 or Pi0, one of them; neither"),
    "Omega0 and Pi0": (lambda: ph.Problem(**FREE, Pi0=(1, 0, 0)), "Give Omega0 or Pi0, one of them; both"),
    "Omega0 of wrong shape": (lambda: ph.Problem(inertia=(1, 2, 2), Omega0=(1, 2)), r"Omega0 has shape \(2,\).*three"),
    "Omega0 infinite": (lambda: ph.Problem(inertia=(1, 2, 2), Omega0=(1, 2, math.inf)), "Omega0 is .*inf.*finite"),
    "two torques": (
        lambda: ph.Problem(**FREE, torque=lambda t, Q: (0, 0, 0), torque_space=lambda t, Q: (0, 0, 0)),
        "torque .*or torque_space.*not both",
    ),
    "torque not a function": (lambda: ph.Problem(**FREE, torque=(0, 0, 1)), "must be a function"),
    "torque of wrong shape": (lambda: ph.Problem(**FREE, torque=lambda t, Q: (0, 0)), r"shape \(2,\).*three numbers"),
    "torque of text": (lambda: ph.Problem(**FREE, torque=lambda t, Q: ("1", 0, 0)), "returned .*three numbers"),
    "torque of complex numbers": (
        lambda: ph.Problem(**FREE, torque=lambda t, Q: np.array([1j, 0, 0])),
        "returned .*three numbers",
    ),
    "step of complex numbers": (
        lambda: ph.solve("free-body", lambda p, Q, Omega, h, t: (Q, (1 + 1j) * Omega), h=0.1, n_steps=2),
        "returned .*real numbers",
    ),
    "torque returns nothing": (lambda: ph.Problem(**FREE, torque=lambda t, Q: None), "returned nothing.*three numbers"),
    "torque NaN at the start": (lambda: ph.Problem(**FREE, torque=lambda t, Q: (nan, 0, 0)), "nan.*at the start"),
    "torque fails": (lambda: ph.Problem(**FREE, torque=lambda t, Q: Q[7]), "failed at the start.*IndexError"),
    "torque with wrong arguments": (
        lambda: ph.Problem(**FREE, torque=lambda Q: (0, 0, 0)),
        "takes 1 argument; it is called as torque\\(t, Q\\)",
    ),
    "torque against potential": (
        lambda: ph.Problem(**FREE, torque=lambda t, Q: (-Q[2, 1], Q[2, 0], 0), potential=lambda Q: Q[2, 2]),
        "not minus the gradient of the potential: at Q = .*the torque is .*minus the gradient is",
    ),
    "potential not analytic": (lambda: ph.Problem(**FREE, Q0=(0, 1, 0), potential=norm_potential), r"np.sqrt\(x @ x\)"),
    "potential with math": (lambda: ph.Problem(**FREE, potential=math_potential), "np.sqrt, not math.sqrt"),
    "potential singular": (
        lambda: ph.Problem(**FREE, potential=lambda Q: 1 / (Q[0, 0] - 1)),
        "singular at the start|failed",
    ),
    "potential of wrong shape": (lambda: ph.Problem(**FREE, potential=lambda Q: Q), "must be one number"),
    "h zero": (lambda: ph.solve("stress", "VLV", h=0, t_end=1), "h is 0.*positive.*negative"),
    "h NaN": (lambda: ph.solve("stress", "VLV", h=nan, t_end=1), "h is nan"),
    "h text": (lambda: ph.solve("stress", "VLV", h="small", t_end=1), "h is 'small'.*number"),
    "h a number as text": (lambda: ph.solve("stress", "VLV", h="0.01", t_end=1), "h is '0.01'; it must be a number"),
    "inertia as texts": (lambda: ph.Problem(inertia=("1", "2", "2"), Omega0=(0, 0, 1)), "'1', '2'.*three principal"),
    "not a whole number of steps": (
        lambda: ph.solve("stress", "VLV", h=0.3, t_end=1, strict=True),
        "3.33333333333 steps.*whole number. h = 0.333333333333333.* gives 3 steps",
    ),
    "wrong direction": (lambda: ph.solve("stress", "VLV", h=-0.1, t_end=1), "change the sign of h"),
    "t_end too near": (
        lambda: ph.solve("stress", "VLV", h=10, t_end=1, strict=True),
        "0.1 steps.*h = 1.0 gives 1 steps",
    ),
    "t_end at t0": (lambda: ph.solve("stress", "VLV", h=0.1, t_end=0), "is t0: there is nothing to integrate"),
    "t_eval outside": (
        lambda: ph.solve("stress", "VLV", h=0.1, t_end=1, t_eval=[2]),
        "t = 2, which is outside.*0 to 1",
    ),
    "t_eval falling": (lambda: ph.solve("stress", "VLV", h=0.1, t_end=1, t_eval=[0.5, 0.2]), "0.2 after 0.5.*rise"),
    "t_eval and out": (lambda: ph.solve("stress", "VLV", h=0.1, t_eval=[1], out="a.nc"), "do not go with out"),
    "event no function": (lambda: ph.solve("stress", "VLV", h=0.1, t_end=1, events={"a": 1}), "'a'. is 1.*function"),
    "event no number": (
        lambda: ph.solve("stress", "VLV", h=0.1, t_end=1, events={"a": lambda t, Q, Omega: Q}),
        "The event 'a' is array.*one number",
    ),
    "terminal unknown": (
        lambda: ph.solve("stress", "VLV", h=0.1, t_end=1, events={"a": lambda t, Q, Omega: t}, terminal="b"),
        "terminal has 'b'; it may have a",
    ),
    "direction alone": (lambda: ph.solve("stress", "VLV", h=0.1, t_end=1, direction={"a": 1}), "none were given"),
    "direction wrong": (
        lambda: ph.solve("stress", "VLV", h=0.1, t_end=1, events={"a": lambda t, Q, Omega: t}, direction={"a": 2}),
        "direction of 'a' is 2.*rising",
    ),
    "on_failure": (lambda: ph.solve("stress", "VLV", h=0.1, t_end=1, on_failure="stop"), "'stop'.*warn, raise, return"),
    "Integrator behind": (lambda: ph.Integrator("stress", "VLV", h=0.1).advance_to(-1), "t = -1 is behind t = 0"),
    "Integrator set Q0": (lambda: ph.Integrator("stress", "VLV", h=0.1).set(Q0=(0, 0, 1)), "use reset"),
    "Integrator n": (lambda: ph.Integrator("stress", "VLV", h=0.1).step(0.5), "n is 0.5.*whole number"),
    "t_end and n_steps": (lambda: ph.solve("stress", "VLV", h=0.1, t_end=1, n_steps=10), "t_end or n_steps, not both"),
    "no t_end": (lambda: ph.solve(ph.Problem(**FREE), "VLV", h=0.1), "Give t_end or n_steps"),
    "no h": (lambda: ph.solve(ph.Problem(**FREE), "VLV", t_end=1), "Give h"),
    "step over a jump": (
        lambda: ph.solve("book-toss", "VLV", h=0.03, n_steps=100),
        "jumps at t = 2.*a step must begin there",
    ),
    "save_every zero": (lambda: ph.solve("stress", "VLV", h=0.1, t_end=1, save_every=0), "save_every is 0.*at least 1"),
    "unknown method": (lambda: ph.solve("stress", "VVL", h=0.1, t_end=1), "no method 'VVL'. Did you mean 'VLV'.*ELN"),
    "unknown problem": (lambda: ph.solve("stres", "VLV", h=0.1, t_end=1), "no problem 'stres'. Did you mean 'stress'"),
    "unknown parameter": (lambda: ph.problem("stress", beta=1), "takes no 'beta'; it takes alpha"),
    "no energy": (lambda: ph.solve("forced", "VLV", h=0.1, t_end=1).energy, "has no potential, so it has no energy"),
    "no such invariant": (
        lambda: ph.solve("heavy-top", "VLV", h=0.1, t_end=1).invariant("x"),
        "lists no invariant 'x'",
    ),
    "step with bad Q": (
        lambda: ph.step(ph.problem("stress"), "VLV", np.ones((3, 3)), (0, 0, 1), 0.1),
        "not a rotation",
    ),
    "step that does not solve": (
        lambda: ph.step(ph.problem("free-body"), "RATTLE", np.eye(3), (40, 50, 60), 0.5),
        "RATTLE did not solve its equations at step 0.*Reduce h",
    ),
    "n_steps text": (lambda: ph.solve("stress", "VLV", n_steps="x"), "n_steps is 'x'.*whole number, at least 1"),
    "n_steps too many": (lambda: ph.solve("stress", "VLV", n_steps=2**63), r"n_steps is 9223.*at most 2\^53"),
    "save_every None": (lambda: ph.solve("stress", "VLV", n_steps=2, save_every=None), "save_every is None.*whole"),
    "compiled text": (
        lambda: ph.solve("stress", "VLV", n_steps=2, compiled="x"),
        "compiled is 'x'.*True, False or None",
    ),
    "out a folder": (lambda: ph.solve("stress", "VLV", n_steps=2, out="/tmp"), "out is '/tmp', a folder.*file in it"),
    "out a device": (lambda: ph.solve("stress", "VLV", n_steps=2, out="/dev/null"), "'/dev/null', a device.*file"),
    "out with a zero character": (lambda: ph.solve("stress", "VLV", n_steps=2, out="a\0b"), "zero character"),
    "out too long": (lambda: ph.solve("stress", "VLV", n_steps=2, out="x" * 5000), "File name too long. Choose"),
    "breaks a number": (lambda: ph.Problem(**FREE, breaks=3), "breaks is 3; it must be a sequence of times"),
    "invariants a number": (
        lambda: ph.Problem(**FREE, invariants=3),
        r"invariants is 3.*\{name: function\}",
    ),
    "scheme a number": (lambda: ph.compose("VLV", 3), "scheme is 3; it must be one of S4.*or weights"),
    "keep a number": (lambda: ph.recommend(keep=3), "keep is 3; it must be some of momentum"),
    "tableau of text": (lambda: ph.Tableau("t", "x", (1,)), "A of the tableau 't' is 'x'; it must be rows of numbers"),
    "tableau with a word": (lambda: ph.Tableau("t", (("x",),), (1,)), "a row of A of the tableau 't' has 'x'; give"),
    "tableau of numbers": (lambda: ph.Tableau("t", 3, 4), "A of the tableau 't' is 3; it must be rows"),
    "parameters text": (
        lambda: ph.solve_ensemble("stress", "VLV", parameters="x", n_steps=1),
        r"parameters is 'x'; give \(N, k\) numbers, k at most 16",
    ),
    "too many parameters": (
        lambda: ph.Problem.from_kernels(
            **FREE, torque=lambda t, Q, par: (0, 0, 0), potential=None, name="n", parameters=range(17)
        ),
        r"parameters has shape \(17,\); there is room for 16",
    ),
    "stress without an end": (lambda: ph.stress("VLV", t_end=None), "t_end is None; it must be a number"),
    "too many random problems": (lambda: ph.stress("VLV", random=2**63), "random is 9223.*at most 10000"),
    "too large an ensemble": (lambda: ph.stress("VLV", ensemble=10**9), "ensemble = 1000000000 would take .* GB"),
    "Q0 of several": (
        lambda: ph.Problem(**FREE, Q0=Rotation.random(3)),
        r"Q0 is a Rotation of 3; one is needed: give Q0\[0\], or all of them to solve_ensemble",
    ),
    "problem and method swapped": (lambda: ph.solve("VLV", "stress"), "changed places: the problem comes first"),
    "Problem and Method swapped": (
        lambda: ph.step(ph.method("VLV"), ph.problem("stress"), None, (0, 0, 1), 0.1),
        "changed places",
    ),
    "ensemble swapped": (lambda: ph.solve_ensemble("VLV", ph.problem("stress"), n_steps=1), "changed places"),
    "tableau without a name": (lambda: ph.Tableau(A=((0,),), b=(1,)), "Tableau: .*'name'.*It takes name, A, b, c"),
    "tableau, small a": (lambda: ph.Tableau("Euler", a=((0,),), b=(1,)), "Tableau takes no 'a'. Did you mean A"),
    "method without a step": (lambda: ph.Method(name="mine"), "Method: .*'step'.*needed are"),
    "wheel without inertia": (lambda: ph.Wheel(axis=(0, 0, 1)), "Wheel: .*'inertia'.*needed are axis, inertia"),
    "controller without period": (lambda: ph.Sampled(lambda t, Q, Omega: Omega), "Sampled: .*'period'"),
    "black box of steps": (lambda: ph.BlackBox("mine", steps=print), "BlackBox takes no 'steps'"),
    "omega0 for Omega0": (
        lambda: ph.Problem(inertia=(1, 2, 2), omega0=(0, 0, 1)),
        "Problem takes no 'omega0'. Did you mean Omega0",
    ),
    "steps for n_steps": (lambda: ph.solve("stress", "VLV", steps=3), "solve takes no 'steps'. Did you mean n_steps"),
    "argument missing": (lambda: ph.solve("stress"), "Give a method and h, or accuracy"),
    "first argument missing": (lambda: ph.solve(), "solve: missing a required argument: 'problem'.*It takes problem"),
    "complex inertia": (lambda: ph.Problem(inertia=np.ones(3) + 1j, Omega0=(0, 0, 1)), "inertia is .*give three"),
    "h lost in t0": (
        lambda: ph.solve(ph.Problem(**FREE, t0=1e20), "VLV", h=0.1, n_steps=3),
        "h = 0.1 is lost in the rounding of times",
    ),
    "start where the torque is singular": (
        lambda: ph.step("stress", "VLV", np.eye(3), (0, 0, 1), 0.1),
        "VLV cannot start at t = 0 of stress: ZeroDivisionError.*start elsewhere",
    ),
    "plain method, wrong result": (
        lambda: ph.solve("stress", lambda p, Q, O, h, t: Q, h=0.1, t_end=1),
        r"must return \(Q1, Omega1\)|shapes",
    ),
}


@pytest.mark.parametrize("case", MISUSES)
def test_misuse_gets_a_sentence(case):
    misuse, sentence = MISUSES[case]
    with pytest.raises(ph.InputError, match=sentence) as caught, np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        misuse()
    text = str(caught.value)
    assert "\n" not in text.strip() and len(text) < 900


def test_violated_triangle_inequality_is_a_warning_and_equality_is_fine():
    with pytest.warns(UserWarning, match="No body in space has principal moments"):
        ph.Problem(inertia=(5, 10, 1), Omega0=(0, 0, 1))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ph.Problem(inertia=(2, 2, 4), Omega0=(0, 0, 1))


def test_a_file_that_cannot_be_written_loses_nothing(tmp_path):
    s = ph.solve("stress", "VLV", h=0.125, n_steps=4)
    with pytest.raises(ph.FileError, match=r"cannot be written.*still in memory"):
        s.save(tmp_path / "no" / "such" / "folder" / "run.nc")
    assert len(s.t) == 5


def test_files_that_are_not_ours(tmp_path):
    with pytest.raises(ph.FileError, match="There is no file"):
        ph.load(tmp_path / "absent.nc")
    text = tmp_path / "text.nc"
    text.write_text("not netCDF at all")
    with pytest.raises(ph.FileError, match="is not a trajectory"):
        ph.load(text)
    import xarray

    other = tmp_path / "other.nc"
    xarray.Dataset({"x": ("t", [1.0, 2.0])}).to_netcdf(other, engine="netcdf4")
    with pytest.raises(ph.FileError, match="not a trajectory written by polhode"):
        ph.load(other)


def test_a_step_takes_the_name_of_a_problem_as_solve_does():
    Q, Omega = ph.step("stress", "VLV", (0, 0.7227, 0), (0, 0, 0.625), 0.125)
    end = ph.solve("stress", "VLV", h=0.125, n_steps=1, compiled=False)
    assert np.array_equal(Q, end.Q[-1]) and np.array_equal(Omega, end.Omega[-1])


def test_a_wrong_keyword_is_also_a_type_error():
    with pytest.raises(TypeError, match="Did you mean Omega0"):
        ph.Problem(inertia=(1, 2, 2), omega0=(0, 0, 1))


PUBLIC = [name for name in ph.__all__ if inspect.isfunction(getattr(ph, name))]


@pytest.mark.parametrize("name", PUBLIC)
def test_a_keyword_that_no_public_function_takes_is_named(name):
    takes_any = any(p.kind is p.VAR_KEYWORD for p in inspect.signature(getattr(ph, name)).parameters.values())
    with pytest.raises(ph.InputError, match="missing" if takes_any else f"{name} takes no 'no_keyword'.*It takes"):
        getattr(ph, name)(no_keyword=1)


def test_the_nearest_keyword_is_offered():
    with pytest.raises(ph.InputError, match=r"method takes no 'nam'. Did you mean name"):
        ph.method(nam="VLV")
    with pytest.raises(ph.InputError, match=r"takes no 'alhpa'; it takes alpha, .*Did you mean alpha"):
        ph.problem("stress", alhpa=1)


def test_bad_calls_of_every_public_function_give_a_result_or_a_sentence():
    raw = [f"{name} {arguments}: {fault}" for name, arguments, fault in faults(4000, "of the tests")]
    assert not raw, "\n".join(raw)


@pytest.mark.parametrize(
    ("name", "bad"),
    [
        ("dist", {"B": range(10**9)}),  # which took all the memory there is
        ("dist", {"B": Spiteful()}),
        ("load", {"path": Spiteful()}),
        ("recommend", {"horizon": 1e-320}),
        ("converge", {"t_end": 1e300}),
        ("problem, book-toss", {"dt": 1e-320}),
        ("Problem.from_kernels", {"parameters": len}),
    ],
    ids=lambda x: x if isinstance(x, str) else next(iter(x)),
)
def test_bad_calls_that_are_rarely_met_give_a_result_or_a_sentence_too(name, bad, tmp_path):
    function, arguments = calls(str(tmp_path))[name]
    assert outcome(function, arguments | bad, 60) == ""


def test_bad_command_lines_end_with_a_code_and_no_traceback():
    raw = [f"{words}: {fault}" for words, fault in line_faults(300, "of the tests")]
    assert not raw, "\n".join(raw)


def test_memory_is_compared_with_the_limit_of_the_process(monkeypatch):
    resource = pytest.importorskip("resource")
    from polhode.inputs import check_memory, memory_limit

    monkeypatch.setattr(resource, "getrlimit", lambda which: (2**31, 2**31))
    assert memory_limit()[0] < 2**31
    with pytest.raises(ph.InputError, match=r"states of 100 bytes take .* GB, and the limit of this process leaves"):
        check_memory(100, 10**8, 1)


def test_what_is_masked_is_not_given():
    masked = np.ma.array([0.1, 1.0, 0.2], mask=[False, True, False])
    with pytest.raises(ph.InputError, match=r"Omega0 is masked_array.*give three numbers"):
        ph.Problem(inertia=(1, 2, 3), Omega0=masked)
    with pytest.raises(ph.InputError, match="Omega0"):
        ph.solve_ensemble("stress", "VLV", Omega0=np.ma.array(np.ones((2, 3)), mask=np.eye(2, 3)), h=0.1, n_steps=1)
    assert ph.Problem(inertia=(1, 2, 3), Omega0=np.ma.array([0.1, 1.0, 0.2])).Omega0.tolist() == [0.1, 1.0, 0.2]
