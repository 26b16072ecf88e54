"""Every published figure is measured and drawn, and shows what it must: slopes, signs, extremes, which curve is above.

Errors are ranked from the least to the greatest at one step; a wrong sign in a method or a swapped curve changes them.
"""

from dataclasses import replace

import numpy as np
import pytest

import polhode as ph
from polhode.testbench.papers import scalar_functions
from polhode.testbench.papers.ball import euler_characteristic
from polhode.testbench.papers.catalogue import REPRODUCTIONS, reproduction
from polhode.testbench.papers.convergence import attitude_error
from polhode.views.figures.published import drift_figure, history_figure, work_precision_figure

from .results import measured


def ke(number):
    return measured(f"krysl-endres-2005-figure-{number}")


def ranked(result, what, problem=None, k=-1):
    """The methods by their errors at the k-th step, the most accurate first."""
    problem = problem or result.series[0].problem
    found = [s for s in result.series if s.problem == problem]
    return " ".join(s.method for s in sorted(found, key=lambda s: s.error(what)[k]))


# ---- energy errors -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name, slopes",
    [
        (
            "ortolan-saccon-2012-figure-1",
            {
                "ELN": -1.06e-6,
                "TLN": -1.59e-6,
                "PRK": -1.69e-6,
                "MCG": 5.69e-7,
                "NEW3": 5.68e-7,
                "LIEMID[EA]": 1.42e-7,
                "VLV": 0,
            },
        ),
        ("bou-rabee-ortolan-saccon-2010-figure-1", {"ELN": -1.04e-6, "VLV": 0}),
        ("bou-rabee-ortolan-saccon-2010-figure-4", {"LIEMID[EA]": 1.42e-7, "VLV": 0}),
    ],
)
def test_energy_errors(name, slopes):
    result = measured(name)
    assert [row.method for row in result.rows] == list(slopes)
    for row in result.rows:
        e = row.evidence[0]
        assert e.h == 0.125 and e.slope == pytest.approx(slopes[row.method], rel=0.03, abs=1e-9)
        assert row.sign == ("none" if slopes[row.method] == 0 else "-" if slopes[row.method] < 0 else "+")


def test_energy_errors_of_two_methods_share_their_panels():
    result = measured("bou-rabee-ortolan-saccon-2010-figure-1")
    axes = drift_figure(result).axes
    assert [a.get_title(loc="left") for a in axes] == ["(a)  $h$ = 0.125", "(b)  $h$ = 0.25"]
    for a in axes:
        lines = {line.get_label(): line.get_ydata() for line in a.lines}
        assert lines["ELN (NMB)"][-1] < -0.01 < lines["VLV"][-1]  # the paper's name is said
    assert len(drift_figure(measured("ortolan-saccon-2012-figure-1")).axes) == 14


def test_the_path_in_the_ball():
    f = measured("bou-rabee-ortolan-saccon-2010-figure-2").facts
    assert (f["least angle"], f["greatest angle"]) == pytest.approx((0.453, 1.369), abs=0.01)
    assert f["energy at the start"] == pytest.approx(0.6702, abs=1e-3)
    assert f["change of energy"] == pytest.approx(-0.06, abs=0.005)
    assert f["pass to the identity"] == pytest.approx(0.888, abs=0.01) and f["pass to Qm"] > 1.5
    assert f["Euler characteristic"] == 2 and f["nearest to Qm"] > 1.4
    assert f["greatest U"] < f["energy at the start"]


def test_the_euler_characteristic_tells_ball_shell_and_ring():
    cells = np.zeros((5, 5, 5), dtype=bool)
    cells[1:4, 1:4, 1:4] = True
    assert euler_characteristic(cells) == 1
    cells[2, 2, 2] = False
    assert euler_characteristic(cells) == 2
    cells[2, 2, :] = False
    assert euler_characteristic(cells) == 0


# ---- convergence -------------------------------------------------------------------------------------

RANKINGS = {
    "ortolan-saccon-2012-figure-2": {
        "Q": "PRK ELN MCG LIEMID[EA] NEW3 VLV TLN",
        "Omega": "MCG LIEMID[EA] PRK ELN NEW3 VLV TLN",
    },
    "bou-rabee-ortolan-saccon-2010-figure-3": {"Q": "ELN VLV", "Omega": "ELN VLV"},
    "bou-rabee-ortolan-saccon-2010-figure-5": {"Q": "ELN LIEMID[EA] VLV", "Omega": "LIEMID[EA] ELN VLV"},
    "krysl-endres-2005-figure-4": {"Q": "NMB SW AKW LS"},
    "krysl-endres-2005-figure-10": {"Pi": "HSTAGM SW NMB AKW", "Q": "HSTAGM SW NMB AKW"},
    "krysl-endres-2005-figure-11": {"Pi": "HSTAGM SW NMB AKW", "Q": "HSTAGM NMB SW AKW"},
    "krysl-endres-2005-figure-13": {"Pi": "NMB AKW HSTAGM SW", "Q": "NMB HSTAGM SW AKW"},
}


@pytest.mark.parametrize("name", RANKINGS)
def test_convergence(name):
    result = measured(name)
    assert result.study.drawn == tuple(RANKINGS[name])  # the order of the panels is the paper's
    for what, ranking in RANKINGS[name].items():
        assert ranked(result, what) == ranking
    for s in result.series:
        assert s.order_Q == pytest.approx(2, abs=0.05) and s.order_Omega == pytest.approx(2, abs=0.15)
    figure = result.figure()
    for k, what in enumerate(result.study.drawn):
        lines = {line.get_label(): line.get_ydata() for line in figure.axes[k].lines}
        for s in (s for s in result.series if s.problem == result.series[0].problem):
            e = s.error(what)
            assert np.array_equal(lines[s.method], e[np.isfinite(e) & (e > 0)])
    assert (result.study.norm == "2-norm") is name.startswith("krysl")


def test_the_sign_at_the_wall_turns_the_ranking():
    assert ranked(ke(13), "Pi", "soft-wall") == "SW HSTAGM AKW NMB"
    assert ranked(ke(13), "Q", "soft-wall") == "SW HSTAGM AKW NMB"


def test_the_momentum_of_eight_methods():
    result = ke(5)
    assert ranked(result, "Pi").split()[:4] == ["DMV-TT6", "DMV-TT4", "AKW", "NMB"]
    assert {s.method: round(s.order_Omega) for s in result.series} == dict.fromkeys(
        ("NMB", "SW", "LS", "LP2", "AKW", "RATTLE"), 2
    ) | {"DMV-TT4": 4, "DMV-TT6": 6}
    labels = [text.get_text() for text in result.figure().legends[0].get_texts()]
    assert {"AKW (IMR)", "RATTLE (DMV)", "DMV-TT4 (DMV4)", "DMV-TT6 (DMV6)"} <= set(labels)


@pytest.mark.parametrize("angle", [1e-6, 0.3, 3.0])
def test_the_norms_of_the_papers(angle):
    from scipy.spatial.transform import Rotation

    rng = np.random.default_rng(3)
    axis = rng.normal(size=3)
    A = Rotation.random(rng=rng)
    B = A * Rotation.from_rotvec(angle * axis / np.linalg.norm(axis))
    p, q = A.as_quat(), B.as_quat()
    quaternion = min(np.linalg.norm(p - q), np.linalg.norm(p + q))
    A, B = A.as_matrix(), B.as_matrix()
    assert attitude_error(A, B, "quaternion") == pytest.approx(quaternion, rel=1e-6)
    assert attitude_error(A, B, "2-norm") == pytest.approx(2 * np.sin(angle / 2), rel=1e-6)
    assert attitude_error(A, B, "Frobenius") == pytest.approx(np.sqrt(2) * attitude_error(A, B, "2-norm"), rel=1e-6)


# ---- curves against time -----------------------------------------------------------------------------


def test_kinetic_energy_dips_and_comes_back():
    result = ke(1)
    T = {c.h: c.values for c in result.curves}
    assert {h: v.min() for h, v in T.items()} == pytest.approx(
        {4.0: 0.40717, 2.0: 0.45082, 1.0: 0.46531, 0.5: 0.46928}, abs=1e-4
    )
    for v in T.values():
        assert v[0] == pytest.approx(0.470637, abs=1e-6) and v.max() < v[0] + 6e-4  # it falls, and never rises
    axes = history_figure(result).axes[0]
    assert axes.get_ylim()[0] < 0.40717  # the largest step is seen whole
    assert [line.get_marker() for line in axes.lines] == ["o", "x", "*", "s"]


def test_increments_beyond_half_a_turn_are_not_folded():
    ranges = {c.h: (c.values.min(), c.values.max()) for c in ke(2).curves}
    assert ranges[4.0] == pytest.approx((217.0, 223.0), abs=0.1)
    assert ranges[0.5] == pytest.approx((27.04, 27.74), abs=0.01)


def test_large_steps_lag_behind():
    result = ke(3)
    first = {}
    for h in (5.0, 4.0, 2.0, 0.125):
        c = result.curve(2, "NMB", h)
        sign = np.flatnonzero((c.values[:-1] < 0) & (c.values[1:] >= 0))[1]  # the second time it rises through zero
        first[h] = c.t[sign] + (c.t[sign + 1] - c.t[sign]) * c.values[sign] / (c.values[sign] - c.values[sign + 1])
        assert (result.curve(0, "NMB", h).values > 0.4).all()
    assert first[5.0] > first[4.0] > first[2.0] > first[0.125]
    assert result.curve(0, "NMB", 0.125).values.max() == pytest.approx(0.908, abs=1e-3)
    assert len(history_figure(result).axes) == 3


def test_book_toss():
    velocity, momentum = ke(6), ke(7)
    assert velocity.curve(0, "NMB", 0.05).values[:, 2].min() == pytest.approx(-12.82, abs=0.01)
    assert velocity.curve(1, "SW", 0.05).values[:, 2].min() == pytest.approx(-15.12, abs=0.01)
    for panel, m in enumerate(("NMB", "SW")):
        assert velocity.curve(panel, m, 0.001).values[:, 2].min() == pytest.approx(-13.33, abs=0.02)
        c = momentum.curve(panel, m, 0.05)
        assert c.values[39] == pytest.approx((39, 0, 0), abs=1e-9)  # t = 1.95, still spun up
    c, d = momentum.curve(0, "NMB", 0.05), momentum.curve(1, "SW", 0.05)
    free = c.t > 2.1
    assert d.values[free] == pytest.approx(np.tile((40, 0.2, 0), (free.sum(), 1)), abs=1e-11)
    assert c.values[free, 1].min() == pytest.approx(-5.81, abs=0.01) and c.values[free, 0].max() < 40
    axes = history_figure(velocity).axes
    assert [a.get_title(loc="left") for a in axes] == ["NMB", "SW"] and len(axes[0].lines) == 6


def test_the_hamiltonian_of_the_lagrangian_top():
    c = ke(8).curves[0]
    assert (c.values.min(), c.values.max()) == pytest.approx((-0.0769, 0.0124), abs=1e-4)


def test_re_orthogonalising_the_matrix():
    result = ke(9)
    plain, repaired = (result.curve(0, m).values.max() for m in ("NMB, matrix", "NMB, re-orthogonalised"))
    assert repaired < 1e-14 and 2 * repaired < plain < 1e-12


def test_newmark_on_matrices_is_newmark():
    from polhode.testbench.papers.matrix_newmark import trajectory

    p = ph.problem("heavy-top")
    a, b = trajectory(p, "NMB, matrix", 0.05, 2.0), ph.solve(p, "NMB", h=0.05, t_end=2.0)
    assert np.abs(a.Q - b.Q).max() < 1e-12 and np.abs(a.Omega - b.Omega).max() < 1e-12


def test_hamiltonians_of_three_methods():
    result = ke(12)
    T = {m: result.curve(0, m).values for m in ("SW", "NMB", "HSTAGM")}
    middle = slice(10, None)
    assert T["NMB"][middle].min() < 0.4695 and T["NMB"].max() < 0.47066  # below its start
    assert T["SW"].max() > 0.4719 and T["HSTAGM"].max() > 0.4712  # above theirs
    assert T["SW"].min() > 0.4705 and T["HSTAGM"].min() > 0.4705
    blown = {m: np.abs(result.curve(1, m).values - 32.475).max() for m in T}
    assert blown["HSTAGM"] > 100 and blown["NMB"] == pytest.approx(0.614, abs=0.01) and blown["SW"] < 0.25
    low, high = history_figure(result).axes[1].get_ylim()
    assert low > 25 and high < 40  # what blows up is cut off


# ---- Hairer & Vilmart --------------------------------------------------------------------------------


def test_table_1_is_exact_and_would_show_a_wrong_sign(monkeypatch):
    result = measured("hairer-vilmart-2006-table-1")
    assert len(result.rows) == 18 and all(row.wrong == 0 for row in result.rows)
    assert result.figure() is None and "18 of 18" in result.page() and result.show()
    broken = scalar_functions.PRINTED | {"d5": scalar_functions.PRINTED["d5"] | {"C^2": "sigma(1) / (60*delta**2)"}}
    monkeypatch.setattr(scalar_functions, "PRINTED", broken)
    rows = replace(reproduction("hairer-vilmart-2006-table-1"), values=3).run().rows
    assert [(r.function, r.monomial) for r in rows if r.wrong] == [("d5", "C^2")]


def test_work_against_precision():
    result = measured("hairer-vilmart-2006-figure-1")
    order = "SR6 DMV8 SR4 DMV6 JEM4 IMR6 SR2 IMR4 DMV4 JEM2 IMR2 RATTLE"
    assert ranked(result, "Q", "asymmetric", 2) == order
    for s in result.series:
        good = np.isfinite(s.time)
        assert good[3:].all() and (s.time[good] > 0).all()
    expected = {"RATTLE": 2, "DMV4": 4, "DMV6": 6, "DMV8": 8, "IMR6": 6, "JEM4": 4, "SR6": 6}
    for m, p in expected.items():
        assert result.one(m).order_Q == pytest.approx(p, rel=0.03)
    axes = work_precision_figure(result).axes
    assert len(axes) == 4 and all(len(a.lines) == 12 for a in axes)
    styles = {line.get_label(): line.get_linestyle() for line in axes[1].lines}
    assert styles["RATTLE (DMV)"] == "-" and len({styles[m] for m in ("DMV8", "IMR2", "JEM2", "SR2")}) == 4
    lines = {line.get_label(): (line.get_xdata(), line.get_ydata()) for line in axes[1].lines}
    s = result.one("SR4")
    assert np.array_equal(lines["SR4"][0], s.time) and np.array_equal(lines["SR4"][1], s.error_Q)


# ---- all of them -------------------------------------------------------------------------------------


def test_captions_and_headings_are_of_the_figure():
    captions = [getattr(r, "caption", None) for r in REPRODUCTIONS if hasattr(r, "caption")]
    assert len(captions) == 22 and len(set(captions)) == 22 and all(len(c) > 60 for c in captions)
    assert ke(7).heading == "Krysl & Endres (2005), Figure 7: spatial angular momenta of the book toss"
    for r in REPRODUCTIONS:
        if r.source.startswith("bou-rabee") and "ELN" in repr(r):
            assert "ELN here" in repr(r) or dict(r.printed) == {"ELN": "NMB"}


def test_a_step_too_large_to_solve_leaves_a_gap():
    study = replace(reproduction("krysl-endres-2005-figure-4"), methods=("LS",), steps=(25, 800, 1600))
    s = study.run().series[0]
    assert np.isnan(s.error_Q[0]) and s.order_Q == pytest.approx(2, abs=0.1)
