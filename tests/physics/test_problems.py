"""Every shipped problem and builder: its torque, its invariants (and what is none), its text, its errors."""

import inspect
import itertools
import re

import mpmath
import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import polhode as ph
from polhode.errors import InputError
from polhode.inputs import inertia_tensor
from polhode.physics import build, inertia

NAMES = list(ph.problems())
RANDOM = np.random.default_rng(7)
ATTITUDES = Rotation.random(5, rng=RANDOM).as_matrix()


def built():
    """One problem of every builder, with inertia tensors that are not diagonal."""
    solid = inertia.box(mass=2.0, lengths_body=(1.0, 0.5, 0.2)).turned((0.3, 0.4, -0.2)).moved((0.1, 0.2, 0.5))
    J = solid.inertia_about((0, 0, 0))
    start = {"Q0": (0.4, 0.2, -0.5), "Omega0": (0.7, -0.4, 1.1), "h": 0.02, "t_end": 10.0}
    return {
        "heavy-body": build.heavy_body(
            mass=solid.mass,
            centre_of_mass_body=solid.centre_of_mass_body,
            inertia_pivot_body=J,
            up_space=(0.1, -0.2, 1.0),
            **start,
        ),
        "magnetic-dipole": build.magnetic_dipole(
            inertia_body=J, moment_body=(0.3, -0.2, 0.5), field_space=(0.4, 1.0, -0.3), **start
        ),
        "satellite": build.satellite(
            inertia_body=J, orbit_rate=0.8, position_space=(1, 1, 0), orbit_normal_space=(1, -1, 1), **start
        ),
        "wall": build.wall(
            inertia_body=J, point_body=(0.2, 0.1, 0.9), distance=1.2, attraction=0.4, repulsion=0.02, **start
        ),
        "soft-wall as printed": ph.problem("soft-wall", printed_sign=True),
    }


BUILT = built()
ALL = {**{name: ph.problem(name) for name in NAMES}, **BUILT}


def reference(problem, times):
    """(Q, Omega) at the times, by DOP853 on the nine entries of Q and on Omega; stops at the jumps of the torque."""
    J = problem.tensor
    inverse = np.linalg.inv(J)
    y = np.concatenate([problem.Q0.ravel(), problem.Omega0])
    rows = [y]
    stops = sorted({*times, *(t for t in problem.breaks if times[0] < t < times[-1])})
    for a, b in itertools.pairwise(stops):
        edge = 1e-3 * (b - a) if problem.breaks else 0.0  # a torque that jumps is constant in between

        def slope(t, y, first=a + edge, last=b - edge):
            Q, Omega = y[:9].reshape(3, 3), y[9:]
            p, q, r = Omega
            hat = np.array([[0, -r, q], [r, 0, -p], [-q, p, 0]])
            tau = problem.torque(min(max(t, first), last), Q, Omega)
            return np.concatenate([(Q @ hat).ravel(), inverse @ (np.cross(J @ Omega, Omega) + tau)])

        y = solve_ivp(slope, (a, b), y, method="DOP853", rtol=3e-14, atol=1e-15).y[:, -1]
        if b in times:
            rows.append(y)
    rows = np.array(rows)
    return rows[:, :9].reshape(-1, 3, 3), rows[:, 9:]


@pytest.fixture(scope="module", params=list(ALL))
def run(request):
    problem = ALL[request.param]
    times = np.linspace(problem.t0, min(problem.t_end, 10.0), 26)
    return problem, *reference(problem, times)


class Pulled(ph.Problem):
    def torque(self, t, Q, Omega=None):
        return np.array([1.0, 0.0, 0.0])


class Built(ph.Problem):
    def __init__(self, k):
        super().__init__(inertia=(1, 2, 2.5), Omega0=(0, 0, 1), torque=lambda t, Q: (k, 0.0, 0.0))


def test_a_method_that_no_run_would_call_is_refused():
    """Runs take the function given as torque=; a subclass that overrides the method would move as a free body."""
    with pytest.raises(ph.InputError, match=r"Pulled has a method torque.*__init__\(torque=\.\.\.\)"):
        Pulled(inertia=(1, 2, 2.5), Omega0=(0, 0, 1))
    assert ph.solve(Built(0.5), "VLV", h=0.1, n_steps=2).Omega[-1, 0] != 0


def test_listed_invariants_are_constant_to_12_digits(run):
    problem, Q, Omega = run
    listed = dict(problem.invariants)
    if problem.has_potential and problem.forces.keep_energy:
        listed["energy"] = problem.energy
    size = np.abs(Omega @ problem.tensor).max()  # a component of a momentum is measured by the whole of it
    for name, f in listed.items():
        values = np.array([f(a, b) for a, b in zip(Q, Omega)])
        assert np.ptp(values) <= 1e-12 * max(1, np.abs(values).max(), size if "momentum" in name else 0), name


def test_what_is_not_listed_moves(run):
    problem, Q, Omega = run
    pi = np.einsum("nij,jk,nk->ni", Q, problem.tensor, Omega)
    listed = {f"spatial momentum {x}" for x in "xyz"} & set(problem.invariants)
    for i, x in enumerate("xyz"):
        moves = np.ptp(pi[:, i]) > 1e-3
        kept = f"spatial momentum {x}" in listed or (x == "z" and "vertical momentum" in problem.invariants)
        if problem.name == "heavy-body":  # its vertical is no axis of space
            kept = False
        assert moves != kept, x
    if not problem.has_potential or not problem.forces.keep_energy:
        kinetic = np.einsum("ni,ij,nj->n", Omega, problem.tensor, Omega) / 2
        assert np.ptp(kinetic) > 1e-3
    if "momentum about the axis of the top" not in problem.invariants:
        assert (np.ptp(Omega @ problem.tensor, axis=0) > 1e-3).all()


def test_jacobi_integral_of_the_satellite():
    problem = BUILT["satellite"]
    t = np.linspace(0, 10, 41)
    Q, Omega = reference(problem, t)
    values = np.array([problem.jacobi(*state) for state in zip(t, Q, Omega)])
    assert np.ptp(values) < 1e-12
    frozen = np.array([problem.jacobi(0.0, *state) for state in zip(Q, Omega)])
    assert np.ptp(frozen) > 1e-3


@pytest.mark.parametrize("name", [n for n, p in ALL.items() if p.has_potential and p.has_torque and not p.forces.any])
def test_torque_is_minus_the_gradient_of_the_potential(name):
    problem = ALL[name]
    e = 1e-30
    for Q in ATTITUDES:
        gradient = []
        for k in np.eye(3):
            x, y, z = problem.axes.T @ k  # a turn about the body axis k, in principal axes
            turn = np.eye(3) + 1j * e * np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
            Qp = tuple((Q @ problem.axes @ turn).ravel().tolist())
            gradient.append(problem.potential_kernel(Qp, problem.parameters).imag / e)
        assert problem.torque(0.3, Q) == pytest.approx(-np.array(gradient), rel=1e-12, abs=1e-13)


@pytest.mark.parametrize("name", list(ALL))
def test_kernels_agree_with_50_digits(name):
    problem = ALL[name]
    with mpmath.workdps(50):
        for Q in ATTITUDES:
            for t in (0.3, 2.01, 7.7):
                exact = [mpmath.mpf(x) for x in (Q @ problem.axes).ravel()]
                par = tuple(mpmath.mpf(x) for x in problem.parameters)
                given = (mpmath.mpf(t), tuple(exact))
                if problem.forces.any:
                    velocity = tuple(mpmath.mpf(x) for x in (problem.Omega0 @ problem.axes).tolist())
                    tau = problem.moving_kernels["all"](*given, velocity, par)
                else:
                    tau = problem.torque_kernel(*given, par)
                tau = [float(x) for x in tau]
                expected = pytest.approx(problem.axes @ tau, rel=1e-11, abs=1e-14 * (1 + np.abs(tau).max()))
                assert problem.torque(t, Q, problem.Omega0) == expected


@pytest.mark.parametrize("name", list(ALL))
def test_compiled_is_interpreted(name):
    problem = ALL[name]
    a = ph.solve(problem, "VLV", n_steps=60, compiled=True)
    b = ph.solve(problem, "VLV", n_steps=60, compiled=False)
    assert a.success and np.array_equal(a.Q, b.Q) and np.array_equal(a.Omega, b.Omega)


@pytest.mark.parametrize("name", ["heavy-body", "magnetic-dipole", "satellite", "wall"])
def test_builders_agree_with_plain_functions(name):
    """The kernels in principal axes against the formula in the user's axes."""
    problem = BUILT[name]
    J = inertia_tensor("inertia", problem.inertia)
    formula = {
        "heavy-body": lambda t, Q: _cross_body(Q, (0.1, -0.2, 1.0), 2 * 9.81 * np.array([0.1, 0.2, 0.5])),
        "magnetic-dipole": lambda t, Q: np.cross((0.3, -0.2, 0.5), Q.T @ (0.4, 1.0, -0.3)),
        "satellite": lambda t, Q: _gradient_torque(t, Q, J, 0.8, np.array([1, 1, 0.0]), np.array([1, -1, 1.0])),
        "wall": lambda t, Q: _wall_torque(Q, np.array([0.2, 0.1, 0.9]), 1.2, 0.4, 0.02),
    }[name]
    for Q in ATTITUDES:
        assert problem.torque(1.3, Q) == pytest.approx(formula(1.3, Q), rel=1e-12, abs=1e-12)


def _cross_body(Q, up, weight):
    return -np.cross(weight, Q.T @ (np.array(up) / np.linalg.norm(up)))


def _gradient_torque(t, Q, J, n, r, c):
    r = Rotation.from_rotvec(n * t * c / np.linalg.norm(c)).apply(r / np.linalg.norm(r))
    return 3 * n**2 * np.cross(Q.T @ r, J @ Q.T @ r)


def _wall_torque(Q, p, d, A, B):
    x = d + Q[2] @ p
    return -(6 * A / x**7 - 12 * B / x**13) * np.cross(p, Q[2])


def test_benchmark_of_bruls_and_cardona():
    """The heavy top of the multibody community: spatial omega_y after 2 s, to nine digits."""
    problem = build.heavy_body(
        mass=15.0,
        centre_of_mass_body=(0.0, 1.0, 0.0),
        inertia_centre_body=(0.234375, 0.46875, 0.234375),
        gravity=9.81,
        Omega0=(0.0, 150.0, -4.61538),
    )
    assert np.diag(problem.tensor) == pytest.approx([15.234375, 0.46875, 15.234375])
    Q, Omega = reference(problem, np.array([0.0, 2.0]))
    assert (Q[-1] @ Omega[-1])[1] == pytest.approx(-106.163804143, abs=2e-9)


def test_book_toss_gives_exactly_its_impulses():
    problem = ph.problem("book-toss")
    Q, Omega = reference(problem, np.array([0.0, 2.0, 2.05, 5.0]))
    pi = np.einsum("nij,jk,nk->ni", Q, problem.tensor, Omega)
    assert pi[1] == pytest.approx([40, 0, 0], abs=1e-11)
    assert pi[2:] == pytest.approx(np.array([[40, 0.2, 0], [40, 0.2, 0]]), abs=1e-10)
    for h in (0.05, 0.025, 0.01):  # whole parts of dt: the same problem; the trapezoid of the torque is exact
        s = ph.solve(problem, "VLV", h=h)
        assert s.momentum[-1] == pytest.approx([40, 0.2, 0], abs=1e-12)


def test_book_toss_depends_on_dt_in_the_open():
    a, b = ph.problem("book-toss"), ph.problem("book-toss", dt=0.001)
    assert (a.h, b.h) == (0.05, 0.001)
    assert a.breaks == (2.0, 2.05) and b.breaks == (2.0, 2.001)
    assert a.torque(2.02, np.eye(3)) == pytest.approx([0, 4, 0])
    assert b.torque(2.0005, np.eye(3)) == pytest.approx([0, 200, 0])
    assert a.torque(1.9, np.eye(3)).tolist() == [20, 0, 0]
    assert a.torque(2.0, np.eye(3)) == pytest.approx([10, 2, 0])  # at a jump, the mean
    assert a.torque(2.06, np.eye(3)).tolist() == [0, 0, 0]


def test_soft_wall_signs():
    """As described it attracts from afar and repels at the wall; the printed torque is the opposite."""
    described, printed = ph.problem("soft-wall"), ph.problem("soft-wall", printed_sign=True)
    assert (described.torque(0, ATTITUDES[0]) == -printed.torque(0, ATTITUDES[0])).all()
    for Q in ATTITUDES:
        x = 1.1 + Q[2, 2]
        space = (-(x**-2) + 0.01 * x**-11) * np.array([-Q[1, 2], Q[0, 2], 0])  # Krysl & Endres, section 3.6
        assert Q @ printed.torque(0, Q) == pytest.approx(space, rel=1e-9)
    U = [described.potential(Rotation.from_rotvec((angle, 0, 0)).as_matrix()) for angle in (0, 2.0, np.pi)]
    assert U[1] < U[0] < U[2] and U[2] > 1e6


def test_data_of_the_papers():
    stress = ph.problem("stress")
    Qm = Rotation.from_rotvec(np.array([2.5, 0, 2.5]) / np.sqrt(2)).as_matrix()

    def dist(A, B):
        return np.sqrt(2 * np.trace(np.eye(3) - A.T @ B))

    for Q in ATTITUDES:
        assert stress.potential(Q) == pytest.approx((dist(Q, np.eye(3)) - 1) ** 2 - 0.3 / dist(Q, Qm))
    for name, Q0, spin in (("fast-top", 0.3, 50), ("slow-top", 0.05, 5)):
        top = ph.problem(name)
        assert Rotation.from_matrix(top.Q0).as_rotvec() == pytest.approx([Q0, 0, 0])
        assert top.Omega0.tolist() == [0, 0, spin] and top.inertia.tolist() == [5, 5, 1]
        for Q in ATTITUDES:
            assert Q @ top.torque(0, Q) == pytest.approx(-20 * np.cross(Q[:, 2], [0, 0, 1]))
    assert ph.problem("lagrange-top").potential(np.eye(3)) == pytest.approx(np.sqrt(3) / 2 * 9.81)
    for name, J in (("asymmetric", [0.6, 0.8, 1]), ("water", [0.345, 0.653, 1])):
        body = ph.problem(name)
        assert body.inertia.tolist() == J and body.inertia * body.Omega0 == pytest.approx([1.8, 0.4, -0.9])
    body = ph.problem("free-body")
    assert body.inertia.tolist() == [0.9144, 1.098, 1.66] and body.Omega0.tolist() == [0.45549, 0.82623, 0.03476]


@pytest.mark.parametrize("name", NAMES)
def test_text_says_what_the_problem_is(name):
    maker, problem = ph.problems()[name], ph.problem(name)
    text = inspect.getdoc(maker)
    for label in ("Source", "Conserved", "Default:", "Reveals:", "Not printed"):
        assert label in text
    h, end = re.search(r"h = ([\d.]+) on \[0, (\d+)\]", text).groups()
    assert (float(h), float(end)) == (problem.h, problem.t_end)
    assert problem.name == name
    assert all(re.fullmatch(r"[a-z]+(-[a-z]+)*-\d{4}", key) for key in problem.sources)
    assert problem.sources or "our choice" in text
    keeps = problem.has_potential and problem.forces.keep_energy
    assert ("energy" in text.split("Conserved")[1].split("Default")[0]) or not keeps


@pytest.mark.parametrize("name", NAMES)
def test_every_parameter_is_a_keyword_that_matters(name):
    """Parameters written out with their defaults give the same problem."""
    defaults = {k: v.default for k, v in inspect.signature(ph.problems()[name]).parameters.items()}
    a, b = ph.problem(name), ph.problem(name, **defaults)
    assert a.parameters == b.parameters and (a.Q0 == b.Q0).all() and (a.Omega0 == b.Omega0).all()


BAD = [
    (lambda: ph.problem("book-tos"), "Did you mean 'book-toss'"),
    (lambda: ph.problem("stress", beta=1), "takes no 'beta'; it takes alpha"),
    (lambda: ph.problem("stress", alpha="much"), "alpha is 'much'; it must be a number"),
    (lambda: ph.problem("stress", Qm=(0, 0)), "Qm has shape"),
    (lambda: ph.problem("stress", Q0=(2.5 / 2**0.5, 0, 2.5 / 2**0.5)), "singular at the start"),
    (lambda: ph.problem("stress", Q0=(0, 0, 0)), "singular at the start"),
    (lambda: ph.problem("stress", inertia=(1, 2, -1)), "must be positive"),
    (lambda: ph.problem("free-body", inertia="heavy"), "give three principal moments"),
    (lambda: ph.problem("water", inertia=3), "inertia has shape ()"),
    (lambda: ph.problem("water", Q0=(1, 2)), "Q0 has shape (2,)"),
    (lambda: ph.problem(ph.problem("stress"), alpha=1), "made already"),
    (lambda: ph.problem("book-toss", dt=0), "dt is 0; it must be above zero"),
    (lambda: ph.problem("book-toss", dt=0.03), "must be a whole number"),
    (lambda: ph.problem("book-toss", t_d=-1), "t_d is -1"),
    (lambda: ph.problem("fast-top", inertia=(5, 4, 1)), "the first two moments of a symmetric top are equal"),
    (lambda: ph.problem("soft-wall", distance=0.9), "it would pass the wall"),
    (lambda: ph.problem("soft-wall", attraction=-1), "attraction is -1; it must be above zero"),
    (lambda: ph.problem("forced", frequency=np.inf), "frequency is inf; it must be finite"),
    (lambda: ph.problem("heavy-top", weight=3), "weight has shape"),
    (lambda: build.heavy_body(mass=0, centre_of_mass_body=(0, 0, 1), inertia_pivot_body=(1, 1, 1)), "mass is 0"),
    (lambda: build.heavy_body(mass=1, centre_of_mass_body=(0, 0, 1), Omega0=(0, 0, 1)), "neither was given"),
    (
        lambda: build.satellite(inertia_body=(1, 2, 2), orbit_rate=1, position_space=(0, 0, 1), Omega0=(0, 0, 1)),
        "right angles",
    ),
    (
        lambda: build.magnetic_dipole(
            inertia_body=(1, 2, 2), moment_body=(0, 0, 1), field_space=(0, 0, 0), Omega0=(0, 0, 1)
        ),
        "field_space is zero",
    ),
    (
        lambda: build.wall(
            inertia_body=(1, 2, 2),
            point_body=(0, 0, 1),
            distance=2,
            attraction=1,
            repulsion=1,
            powers=(12, 6),
            Omega0=(0, 0, 1),
        ),
        "whole numbers a < b",
    ),
]


@pytest.mark.parametrize("call, words", BAD, ids=[words for _, words in BAD])
def test_misuse_gets_a_sentence(call, words):
    with pytest.raises(InputError, match=re.escape(words)):
        call()


@pytest.mark.parametrize("more", [{}, {"args": (2.0,)}])
@pytest.mark.parametrize(
    "what, words",
    [
        ({"rotor": (1, 2, 3)}, "was made without rotor"),
        ({"damping": 0.1}, "was made without damping"),
        ({"name": "other"}, "rotor, args and its parameters can be replaced; for anything else"),
    ],
)
def test_what_cannot_be_replaced_is_said(what, words, more):
    p = ph.Problem(inertia=(1, 2, 2.5), Omega0=(1, 0, 0.1), torque=lambda t, Q, a: (a, 0.0, 0.0), args=(1.0,))
    with pytest.raises(ph.InputError, match=words):
        p.replaced(**what, **more)


@pytest.mark.parametrize(
    "given, sentence",
    [
        ({"potential": lambda Q: 10**400}, "it must be one number"),
        ({"torque": lambda t, Q: (10**400, 0, 0)}, "it must return three numbers"),
    ],
    ids=["potential", "torque"],
)
def test_a_whole_number_that_no_float_holds_is_no_value(given, sentence):
    with pytest.raises(InputError, match=sentence):
        ph.Problem(inertia=(1, 2, 3), Omega0=(0, 0, 1), **given)


def test_attitudes_where_a_potential_is_beyond_floats_are_not_compared():
    U = lambda Q: 10**400 if abs(Q[2, 2] - 1) > 0.01 else 1.0
    assert ph.Problem(inertia=(1, 2, 3), Omega0=(0, 0, 1), potential=U).potential(np.eye(3)) == 1.0
