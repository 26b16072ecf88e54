"""Certificates: right integrators pass, and the usual mistakes are caught and named."""

import json

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import polhode as ph
from polhode.integrators.properties import BY_KEY, PROPERTIES
from polhode.testbench.certificate.certificate import Certificate, Property
from tests.testbench.certificate.adversary.steps import cay, cross, hat, solved

# ---- a variational Lie-Verlet in NumPy, and the same with one mistake each ----------------------------


def lie_verlet(problem, Q, Omega, h, t, rotation=cay, tolerance=0.0, late=None, torque=None, half=False, lopsided=0.0):
    J = problem.tensor
    torque = torque or problem.torque
    w = solved(J, J @ Omega + h / 2 * torque(t, Q), h, Omega, tolerance)
    Q1 = Q @ rotation(h * w)
    m = J @ w
    end = t + h if late is None else t + late * h
    Pi = m + h / 2 * cross(m, w) + h * h / 4 * (1 + lopsided) * (w @ m) * w + h / 2 * torque(end, Q1)
    return Q1, w if half else np.linalg.solve(J, Pi)


def mistaken(**mistake):
    def step(problem, Q, Omega, h, t):
        return lie_verlet(problem, Q, Omega, h, t, **mistake)

    return step


def wrong_frame(problem, Q, Omega, h, t):
    return lie_verlet(problem, Q, Omega, h, t, torque=lambda t, Q: Q @ problem.torque(t, Q))


def unnormalised(problem, Q, Omega, h, t):
    """The rotation from a quaternion of length 1 + |x|^2/8 that is taken for one of length one."""

    def rotation(x):
        w, v = 1.0, x / 2
        return (w * w - v @ v) * np.eye(3) + 2 * np.outer(v, v) + 2 * w * hat(v)

    return lie_verlet(problem, Q, Omega, h, t, rotation=rotation)


BUGS = {
    "wrong Cayley factor": (
        mistaken(
            rotation=lambda x: (
                np.eye(3) + 4 / (4 + np.sqrt(x @ x)) * hat(x) + 2 / (4 + np.sqrt(x @ x)) * hat(x) @ hat(x)
            )
        ),
        "on_group",
        "wrong factor",
    ),
    "half-step velocity returned": (mistaken(half=True), "order_potential_Omega", "half step is returned"),
    "torque in the wrong frame": (wrong_frame, "order_potential_Omega", "wrong frame"),
    "wrong stage time": (mistaken(late=0.0), "order_forced_Omega", "stage time"),
    "non-symmetric update": (mistaken(lopsided=1.0), "symmetric", "adjoint"),
    "loose tolerance": (mistaken(tolerance=1e-6), "symmetric", "too loosely"),
    "unnormalised quaternion": (unnormalised, "on_group", "quaternion is not normalised"),
    "exp for cay": (mistaken(rotation=lambda x: Rotation.from_rotvec(x).as_matrix()), "symplectic_free", "exp with"),
}


@pytest.mark.parametrize("bug", BUGS)
def test_a_plausible_mistake_is_caught_and_named(bug):
    step, caught_by, named = BUGS[bug]
    c = ph.certify(step, drift=False)
    good = certificate_of_the_right_one()
    if caught_by.startswith("order"):
        assert c[caught_by].value < good[caught_by].value - 0.5
    else:
        assert c[caught_by].verdict == "no" and good[caught_by].verdict == "yes"
    assert any(part in " ".join(c.diagnosis) for part in named.split("|")), c.diagnosis


_good = []


def certificate_of_the_right_one():
    if not _good:
        _good.append(ph.certify(lie_verlet, drift=False))
    return _good[0]


def test_the_right_one_gets_a_clean_certificate():
    c = certificate_of_the_right_one()
    yes = {k for k, p in c.properties.items() if p.verdict == "yes"}
    assert {
        "symmetric",
        "symplectic_free",
        "symplectic_potential",
        "poisson_free",
        "momentum_free",
        "momentum_top",
    } <= yes
    assert c["energy_free"].verdict == "no" and c["energy_top"].verdict == "no"
    assert c["torque_evaluations"].value == 2
    assert c.diagnosis == () and c.form == "function"
    moving = [row.key for row in PROPERTIES if row.needs_velocity]  # it asks for the torque at an attitude only
    assert set(c.not_measured) == {"drift", "iterations", *moving}  # by choice, and what a function does not show


def test_a_kernel_a_function_and_a_black_box_get_the_same_verdicts():
    def advance(problem, Q, Omega, h, n, t):
        s = ph.solve(problem.replaced(Q0=Q, Omega0=Omega, t0=t), "VLV", h=h, n_steps=n, save_every=n)
        return s.Q[-1], s.Omega[-1]

    kernel = ph.certify("VLV", drift=False)
    box = ph.certify(ph.BlackBox("VLV from outside", advance), drift=False)
    function = certificate_of_the_right_one()
    assert (kernel.form, function.form, box.form) == ("kernel", "function", "black box")
    for key in box.properties:
        if key not in ("torque_evaluations", "largest_step"):
            assert len({c[key].verdict for c in (kernel, function, box) if key in c.properties}) == 1, key
    assert set(box.properties) - set(function.properties) == {row.key for row in PROPERTIES if row.needs_velocity}


@pytest.mark.parametrize("name", ["VLV", "ELN", "RKMK4", "LIEMID"])
def test_certificate_of_a_shipped_method(name):
    c = ph.certify(name)
    assert c.contradictions == {}
    assert set(c.properties) <= set(BY_KEY)
    if not ph.method(name).free_only:
        assert set(c.properties) == {row.key for row in PROPERTIES if row.is_of(ph.method(name))}
    data = c.to_dict()
    assert json.loads(json.dumps(data))["properties"].keys() == c.properties.keys()
    assert set(data["properties"]["symmetric"]) >= {"value", "threshold", "verdict", "how", "bound", "coverage"}
    assert name in c.summary and c._repr_html_().count("<tr>") == len(c.properties) + 1


def test_a_wrong_claim_is_contradicted():
    import dataclasses

    boastful = dataclasses.replace(ph.method("ELN"), name="BOAST", symplectic=True, order=4)
    c = ph.certify(boastful, drift=False)
    assert "symplectic_potential" in c.contradictions and "order_free_Q" in c.contradictions
    assert "symmetric" not in c.contradictions


def test_a_drift_of_fourth_order_is_resolved():
    c = ph.certify("DMV4")
    assert ph.method("DMV4").drift == "+" and c["drift"].verdict == "yes" and c["drift"].value > 0


def test_the_page_is_one_file(tmp_path):
    from polhode.views.certificate import certificate_page

    html = certificate_page(ph.certify("VLV", drift=False))
    assert html.startswith("<!doctype html>") and "http" not in html.replace("http://www.w3.org", "")


def test_an_order_that_could_not_be_measured_leaves_the_others():
    """Of an integrator whose Q fails at some steps while its Omega does not."""
    from polhode.testbench.certificate.certificate import Property
    from polhode.testbench.certificate.diagnosis.mistakes import diagnosis
    from polhode.testbench.certificate.summary import summary

    found = {"order_free_Q": Property(None, 0.1, "undecided", ""), "order_free_Omega": Property(0.2, 0.1, "yes", "")}
    assert diagnosis(found, {})[0].startswith("Even the free body converges with order 0.2:")
    found |= {"order_free_Omega": Property(4.0, 0.1, "yes", ""), "order_potential_Q": Property(2.0, 0.1, "yes", "")}
    assert summary("mine", found).startswith("mine is of order 2 (4 for a free body)")


def test_the_summary_says_of_which_properties_a_restriction_is():
    from polhode.testbench.certificate.certificate import Property
    from polhode.testbench.certificate.summary import summary

    up_to, down_to = "up to 0.93 rad a step", "down to an error of 1e-09"
    found = {key: Property(2.0, 0.15, "yes", "", qualifier=down_to) for key in ("order_free_Q",)}
    found |= {key: Property(0.0, 1e-13, "yes", "", qualifier=up_to) for key in ("symmetric", "momentum_free")}
    end = f". Restrictions: {down_to} (order of Q, free body); {up_to} (symmetric, and 1 more)."
    assert summary("mine", found).endswith(end)


def test_a_certificate_is_written_as_a_page_or_as_data(tmp_path):
    found = {"symmetric": Property(1e-15, 2e-13, "yes", "a step of h and one of -h")}
    c = Certificate(method="MINE", form="function", properties=found, summary="MINE is symmetric.")
    assert "MINE is symmetric." in c.save(tmp_path / "c.html").read_text(encoding="utf-8")
    data = json.loads(c.save(tmp_path / "c.json").read_text(encoding="utf-8"))
    assert data["properties"]["symmetric"]["verdict"] == "yes"
    with pytest.raises(ph.FileError, match=r"ends in \.html or in \.json"):
        c.save(tmp_path / "c.pdf")
