"""The drift verdicts: the published ones, and that the statistics neither miss a drift nor invent one."""

import json
import re
from dataclasses import dataclass

import numpy as np
import pytest

import polhode as ph
from polhode.errors import FileError, InputError
from polhode.testbench.drift import evidence as judging
from polhode.testbench.drift.evidence import Evidence
from polhode.testbench.drift.slopes import line, pooled, power
from polhode.testbench.drift.starts import Starts
from polhode.testbench.drift.stress import stress
from polhode.testbench.drift.study import ORTOLAN_SACCON
from polhode.views.stress import stress_page


@pytest.fixture(scope="module")
def paper():
    return stress()


# ---- the published experiment ------------------------------------------------------------------------


def test_the_methods_are_those_of_the_paper_in_its_order(paper):
    assert tuple(row.method for row in paper.rows) == ORTOLAN_SACCON.methods
    assert paper.h == (0.125, 0.25)
    assert paper.t_end == 10_000


def test_three_lose_energy_three_gain_it_and_one_does_neither(paper):
    words = {row.method: row.words for row in paper.rows}
    assert [m for m, w in words.items() if w == "loses energy"] == ["ELN", "TLN", "PRK"]
    assert [m for m, w in words.items() if w == "gains energy"] == ["MCG", "NEW3", "LIEMID[EA]"]
    assert words["VLV"] == "no drift seen"
    assert not any(row.marks for row in paper.rows)


def test_verdicts_agree_with_the_claims(paper):
    for row in paper.rows:
        assert row.sign == ph.method(row.method).drift, row.method


@pytest.mark.parametrize(
    "method, change",
    [
        ("ELN", -1.02e-2),
        ("TLN", -1.77e-2),
        ("PRK", -1.76e-2),
        ("MCG", 5.7e-3),
        ("NEW3", 4.9e-3),
        ("LIEMID[EA]", 5.7e-4),
    ],
)
def test_the_energy_at_the_end_is_that_of_an_independent_implementation(paper, method, change):
    assert paper[method].evidence[0].energy_error[0][-1] == pytest.approx(change, rel=0.01)


def test_the_slope_quadruples_when_h_doubles(paper):
    for method in ("ELN", "PRK", "MCG", "NEW3", "LIEMID[EA]"):
        row = paper[method]
        assert row.exponent == pytest.approx(2, abs=0.1), method
        assert row.exponent_error < 0.05
        assert row.evidence[1].slope / row.evidence[0].slope == pytest.approx(4, rel=0.06)


def test_where_the_drift_is_not_linear_no_slope_is_given(paper):
    row = paper["TLN"]
    assert [e.linear for e in row.evidence] == [True, False]
    assert row.exponent is None
    assert "leaves the linear regime at h = 0.25" in row.notes[0]
    assert all(e.linear for other in paper.rows if other is not row for e in other.evidence)


@pytest.mark.parametrize("ensemble", [1, 2, 3])
def test_a_bend_is_seen_by_few_runs_too(ensemble):
    row = stress("TLN", ensemble=ensemble).rows[0]
    assert [e.linear for e in row.evidence] == [True, False]


def test_conjugate_methods_drift_alike_and_half_steps_a_quarter_as_fast(paper):
    for k in range(2):
        a, b, c = (paper[m].evidence[k] for m in ("MCG", "NEW3", "LIEMID[EA]"))
        assert abs(a.slope - b.slope) < 4 * np.hypot(a.error, b.error)
        assert c.slope == pytest.approx(a.slope / 4, rel=0.01)


def test_no_drift_comes_with_a_bound_far_below_the_drifts(paper):
    bound = paper["VLV"].evidence[0].bound
    assert 0 < bound < 2e-9
    assert bound < min(abs(row.evidence[0].slope) for row in paper.rows[:-1]) / 50


def test_the_same_call_gives_the_same_numbers():
    a, b = (stress(["ELN", "VLV"], t_end=250, ensemble=3).to_dict()["methods"] for _ in range(2))
    assert a == b


def test_a_fourth_order_method_has_the_exponent_of_its_order_and_round_off_is_no_drift():
    result = stress(["RKMK4", "RATTLE"], problem="free-body", t_end=500, ensemble=4)
    assert result["RKMK4"].exponent == pytest.approx(5, abs=0.1)
    assert result["RATTLE"].verdict == "no drift seen"


# ---- statistics --------------------------------------------------------------------------------------


def test_a_line_is_found_exactly():
    t = np.linspace(3, 11, 1001)
    slopes, errors, between, within = line(t, np.array([2 - 0.5 * t, 0.25 * t]), 20)
    assert slopes == pytest.approx([-0.5, 0.25])
    assert (errors < 1e-14).all()
    assert (between < 1e-13).all()
    assert (within < 1e-13).all()


@pytest.mark.parametrize("memory", [0.0, 0.9, 0.97])
def test_block_errors_are_honest_for_correlated_noise(memory, rng):
    """The scatter of fitted slopes is what their errors say, also for noise that remembers a tenth of a block."""
    t = np.arange(4000.0)
    noise = rng.standard_normal((400, len(t)))
    e = np.zeros_like(noise)
    for k in range(1, len(t)):
        e[:, k] = memory * e[:, k - 1] + noise[:, k]
    slopes, errors, _, _ = line(t, e, 20)
    assert slopes.std() / np.sqrt((errors**2).mean()) == pytest.approx(1, abs=0.25)


def test_copies_of_one_run_do_not_make_it_more_certain():
    one = pooled(np.array([1.0]), np.array([0.1]), 1)
    many = pooled(np.full(8, 1.0), np.full(8, 0.1), 5)
    assert many == pytest.approx(one)
    assert pooled(np.array([0.0, 2.0]), np.zeros(2), 2)[1] == pytest.approx(1.0)


def test_a_power_law_is_found_with_its_error():
    h = np.array([0.1, 0.2, 0.4])
    p, error = power(h, -3 * h**2, 0.01 * h**2)
    assert p == pytest.approx(2)
    assert 0 < error < 0.01
    scattered = power(h, -3 * h**2 * [1.0, 1.2, 1.0], 0.01 * h**2)
    assert scattered[1] > 10 * error  # points off the law beyond their errors
    two = power(h[:2], 3 * h[:2] ** 2, 0.03 * h[:2] ** 2)
    assert two == pytest.approx((2.0, np.hypot(0.01, 0.01) / np.log(2)))


# ---- judging -----------------------------------------------------------------------------------------

T = np.linspace(0, 1000, 5001)


def evidence(*energies, h=0.1, message=""):
    """Evidence from energies made by hand."""
    e = np.array(energies)
    rest = dict(n_steps=10_000, runs=len(e), round_off=1e-15, largest=np.abs(e).max(), left_at=None, gone=False)
    return Evidence(h=h, message=message, t=T, energy_error=e, **rest, **judging.fitted(T, e, len(e), 1e-15))


def oscillation(size=1e-3, phase=0.0):
    return size * (np.sin(1.7 * T + phase) + np.sin(0.31 * T + 2 * phase) + np.cos(0.043 * T))


def judged(*pieces):
    return judging.judged(ph.method("ELN"), list(pieces))


def test_an_oscillation_is_no_drift():
    row = judged(evidence(oscillation(), oscillation(phase=1.0)), evidence(oscillation(4e-3), h=0.2))
    assert (row.verdict, row.sign, row.exponent) == ("no drift seen", "none", None)


@pytest.mark.parametrize("sign, slope", [("+", 1e-5), ("-", -1e-5)])
def test_a_slope_at_two_step_sizes_is_a_drift(sign, slope):
    row = judged(evidence(slope * T + oscillation()), evidence(4 * slope * T + oscillation(4e-3), h=0.2))
    assert (row.verdict, row.sign) == ("drifts", sign)
    assert row.exponent == pytest.approx(2, abs=0.05)


def test_a_slope_at_one_of_two_step_sizes_is_not_a_drift_but_is_told():
    row = judged(evidence(oscillation()), evidence(4e-5 * T + oscillation(4e-3), h=0.2))
    assert row.verdict == "no drift seen"
    assert "at h = 0.2 alone" in row.notes[0]


def test_a_slope_at_the_only_step_size_is_a_weaker_verdict():
    row = judged(evidence(1e-5 * T + oscillation(), 1e-5 * T + oscillation(phase=1)))
    assert row.verdict == "drifts"
    assert row.marks == ("one step size only",)
    assert judged(evidence(1e-5 * T + oscillation())).marks == ("one step size only", "one run only")


@pytest.mark.parametrize(
    "shape",
    [
        1e-4 * np.minimum(T, 300),  # stops
        1e-4 * np.minimum(T, 900 - T),  # turns
        1e-7 * T**2,  # speeds up
    ],
    ids=["stops", "turns", "speeds up"],
)
def test_a_bend_is_seen(shape):
    assert not evidence(shape + oscillation()).linear


def test_an_oscillation_as_slow_as_the_blocks_is_not_a_bend():
    assert evidence(1e-3 * np.sin(0.05 * T)).linear
    assert evidence(1e-3 * np.sin(0.013 * T)).linear


def test_a_mild_curvature_is_still_a_line():
    assert evidence(1e-4 * T - 2e-8 * T**2 + oscillation()).linear


def test_a_bent_run_counts_by_its_first_quarter():
    bent = evidence(-4e-4 * np.minimum(T, 900 - T) + oscillation(4e-3), h=0.2)
    row = judged(evidence(-1e-4 * T + oscillation()), bent)
    assert (row.verdict, row.sign, row.exponent) == ("drifts", "-", None)
    assert row.notes


def test_bends_everywhere_are_a_drift_at_no_constant_rate():
    row = judged(evidence(-1e-4 * np.minimum(T, 300)), evidence(-4e-4 * np.minimum(T, 300), h=0.2))
    assert row.verdict == "drifts"
    assert row.marks == ("at no constant rate", "one run only")


def test_a_body_that_comes_to_rest_at_once_loses_energy():
    def braked(problem, Q, Omega, h, t):  # a step on which nothing is left of the energy long before the end
        Q1, Omega1 = ph.step(problem, "VLV", Q, Omega, h, t)
        return Q1, Omega1 * np.exp(-h * h)

    row = stress(braked, t_end=200, ensemble=2).rows[0]
    assert (row.verdict, row.sign, row.exponent) == ("drifts", "-", None)
    assert "at no constant rate" in row.marks and all(e.gone for e in row.evidence)


def test_other_signs_at_other_steps_are_told():
    row = judged(evidence(1e-4 * T + oscillation()), evidence(-4e-4 * T + oscillation(4e-3), h=0.2))
    assert row.sign == "+"
    assert "the other way" in row.notes[-1]


def test_round_off_of_one_sign_is_no_drift():
    row = judged(evidence(1e-16 * T), evidence(4e-16 * T, h=0.2))
    assert row.verdict == "no drift seen"


# ---- instability -------------------------------------------------------------------------------------


def euler(problem, Q, Omega, h, t):
    """Explicit Euler: gains energy without bound."""
    from scipy.spatial.transform import Rotation

    J = problem.tensor
    rate = np.linalg.solve(J, np.cross(J @ Omega, Omega) + problem.torque(t, Q))
    return Q @ Rotation.from_rotvec(h * Omega).as_matrix(), Omega + h * rate


def test_an_energy_out_of_bounds_is_unstable_and_a_plain_function_will_do():
    row = stress(euler, t_end=50, ensemble=2).rows[0]
    assert (row.method, row.verdict, row.sign) == ("euler", "unstable", "unstable")
    assert all("energy error exceeds" in note for note in row.notes)


def test_an_energy_that_leaves_is_told_from_a_run_that_stops():
    def ends(problem, Q, Omega, h, t):
        if t > 20:
            raise ValueError("the table of torques ends at t = 20")
        return ph.step(problem, "VLV", Q, Omega, h, t)

    blown, ended = stress([euler, ends], t_end=50, ensemble=1).rows
    assert all(0 < e.left_at < 50 for e in blown.evidence)
    assert all(e.left_at is None and "the table of torques ends" in e.message for e in ended.evidence)


def test_a_method_that_cannot_be_hashed_is_measured_and_one_that_is_given_twice_once():
    @dataclass
    class Splitting:  # compares its fields, so Python gives it no hash
        parts: list

        def __call__(self, problem, Q, Omega, h, t):
            return ph.step(problem, "VLV", Q, Omega, h, t)

    once, other = Splitting([1]), Splitting([2])
    rows = stress([once, "VLV", other, once, "vlv"], t_end=50, ensemble=1).rows
    assert len(rows) == 3 and {row.verdict for row in rows} == {"no drift seen"}


def test_a_failed_solve_is_unstable():
    row = stress("TLN", h=4.0, t_end=2000).rows[0]
    assert row.verdict == "unstable"
    assert "did not solve its equations" in row.notes[0]


def test_instability_at_a_larger_step_is_told_beside_the_verdict():
    row = stress("ELN", h=(0.25, 2.0), t_end=2000, ensemble=2).rows[0]
    assert (row.verdict, row.sign) == ("drifts", "-")
    assert row.marks == ("unstable at h = 2", "one step size only")


def test_a_function_that_does_not_run_is_not_called_unstable():
    def broken(problem, Q, Omega, h, t):
        raise TypeError("no such thing")

    with pytest.raises(InputError, match="no such thing"):
        stress(broken, t_end=100)


def test_an_interruption_ends_it():
    def interrupted(problem, Q, Omega, h, t):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stress(interrupted, t_end=100)


# ---- problems and arguments --------------------------------------------------------------------------


def test_any_problem_with_a_potential_also_at_rest():
    still = ph.problem("free-body", Omega0=(0, 0, 0))
    row = stress("VLV", problem=still, t_end=50).rows[0]
    assert row.verdict == "no drift seen"
    pendulum = ph.Problem(inertia=(1, 2, 2.5), potential=lambda Q: Q[0, 0], Omega0=(0, 0, 0), name="pendulum")
    starts = Starts(pendulum, 3, (0.1, 0.2))
    own, other, _ = starts.of(0.1)
    assert np.array_equal(own.Omega0, [0, 0, 0]) and 1e-4 < np.linalg.norm(other.Omega0) < 1e-2
    assert [p.Omega0.tolist() for p in starts.of(0.1)] == [p.Omega0.tolist() for p in starts.of(0.1)]


def test_every_step_size_has_starts_of_its_own_on_the_motion():
    p = ph.problem("stress")
    starts = Starts(p, 3, (0.125, 0.25))
    here, there = (list(starts.of(h)) for h in starts.h)
    assert here[0] is there[0] is p and not np.array_equal(here[1].Q0, there[1].Q0)
    E = p.energy(p.Q0, p.Omega0)
    assert all(abs(q.energy(q.Q0, q.Omega0) - E) < 0.01 for q in (*here, *there))


@pytest.mark.parametrize(
    "arguments, sentence",
    [
        (dict(methods=["ELM"]), "There is no method 'ELM'. Did you mean 'ELN'?"),
        (dict(methods=[]), "No method was given"),
        (dict(methods=3), "methods is 3; it must be a method or a sequence of them"),
        (dict(h=()), "give one or more positive step sizes"),
        (dict(h=-0.125), "give one or more positive step sizes"),
        (dict(h="x"), "h is 'x'; it must be a number"),
        (dict(h=(0.125, float("nan"))), "h is nan; it must be finite"),
        (dict(h=0.3), "it must be a whole number"),
        (dict(t_end=10), "a drift needs at least 200"),
        (dict(t_end=float("inf")), "t_end is inf; it must be finite"),
        (dict(ensemble=0), "ensemble is 0; it must be a whole number, at least 1"),
        (dict(problem="forced"), "has no potential"),
        (dict(problem="strss"), "Did you mean 'stress'?"),
    ],
)
def test_bad_input_gets_a_sentence(arguments, sentence):
    with pytest.raises(InputError) as error:
        stress(**arguments)
    assert sentence in str(error.value)


def test_a_row_is_found_by_alias_and_a_missing_one_is_named(paper):
    assert paper["svq-vln"].method == "ELN"
    with pytest.raises(InputError, match="RATTLE was not in this test"):
        paper["RATTLE"]


# ---- what is written ---------------------------------------------------------------------------------


def test_figure_page_and_numbers_are_written(paper, tmp_path):
    paths = paper.save(tmp_path / "a" / "b")
    assert sorted(p.name for p in paths.values()) == ["stress.html", "stress.json", "stress.png", "stress.svg"]
    data = json.loads(paths["json"].read_text(encoding="utf-8"))
    assert [m["method"] for m in data["methods"]] == list(ORTOLAN_SACCON.methods)
    assert data["methods"][0]["evidence"][0]["slope"] == paper["ELN"].evidence[0].slope
    before = paths["svg"].read_bytes()
    assert paper.save(tmp_path)["svg"].read_bytes() == before


def test_the_page_stands_alone(paper, tmp_path):
    html = paper.save(tmp_path)["page"].read_text(encoding="utf-8")
    fetched = re.findall(r"""(?:src|href|url)\s*[=(]\s*["']?([^"'#)\s>]+)""", html)
    assert all(link.startswith("https://doi.org/") for link in fetched)  # to be followed, not fetched
    assert "<link" not in html
    assert "@import" not in html
    for row in paper.rows:
        assert row.method in html
        assert row.words in html
    assert html.count("<svg") == 3  # wide; and stacked, one for each step size
    embedded = re.search(r'<script type="application/json" id="data">(.*?)</script>', html, re.DOTALL)[1]
    assert json.loads(embedded)["problem"] == "stress"


def test_the_page_says_how_to_get_it_again_only_when_that_is_true():
    for problem, told in (("stress", True), (ph.problem("stress", alpha=0.2), False)):
        html = stress_page(stress(["LIEMID[EA]"], problem=problem, h=0.25, t_end=100, ensemble=1))
        command = "polhode stress --methods &#x27;LIEMID[EA]&#x27; --h 0.25 --t-end 100 --ensemble 1"
        assert (command in html) is told
    assert "<b>Conserved:</b>" in html


def test_names_are_escaped(tmp_path):
    def mine(problem, Q, Omega, h, t):
        return Q, Omega

    mine.__name__ = "<b>[bold]"
    result = stress(mine, t_end=100, ensemble=1)
    assert "<b>[bold]" not in result.save(tmp_path)["page"].read_text(encoding="utf-8")
    assert "&lt;b&gt;" in result._repr_html_()


def test_unstable_rows_give_strict_json(tmp_path):
    paths = stress(euler, t_end=50, ensemble=1).save(tmp_path)
    text = paths["json"].read_text(encoding="utf-8")
    assert json.loads(text, parse_constant=lambda name: pytest.fail(name))["methods"][0]["evidence"][0]["slope"] is None


def test_a_folder_that_cannot_be_written_gets_a_sentence(paper, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(FileError, match="Nothing can be written to the folder"):
        paper.save(tmp_path / "file" / "folder")
