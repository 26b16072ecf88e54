"""Every name of the papers and of the notes on them finds its method; what is no name finds none."""

import json
import pickle
from fractions import Fraction

import numpy as np
import pytest

import polhode as ph
from polhode.cli.main import main
from polhode.inputs import spelled
from polhode.integrators.catalogue import METHODS
from polhode.integrators.names import STANDS_FOR, WITH_NUMBERS
from polhode.testbench.certificate.kernel import theorems
from polhode.testbench.certificate.states import cases

SAID = {
    "Ortolan & Saccon, Table I": {
        "Lie-Newmark": "ELN",
        "Algo_1": "IMID",
        "Algo_C1": "ALGO_C1",
        "Austin et al.": "AKW",
        "Lewis & Simo": "LS",
        "RATTLE": "RATTLE",
        "Variational": "VLV",
        "LIEMID(EA)": "LIEMID[EA]",
        "PRK": "PRK",
        "MCG": "MCG",
        "NEW3": "NEW3",
    },
    "Ortolan & Saccon, headings of section 5": {
        "Explicit Lie-Newmark method": "ELN",
        "Trapezoidal Lie\N{EN DASH}Newmark method": "TLN",
        "Explicit Lie-midpoint algorithm": "LIEMID[EA]",
        "Modified Crouch\N{EN DASH}Grossman": "MCG",
        "Koziara\N{EN DASH}Bi\u0107ani\u0107 algorithm": "NEW3",
        "Variational Lie-Verlet method": "VLV",
    },
    "Bou-Rabee, Ortolan & Saccon": {
        "semi-explicit Lie-Newmark": "ELN",
        "velocity Lie-Verlet": "VLV",
        "LIEMID[EA]": "LIEMID[EA]",
    },
    "Krysl & Endres": {
        "NMB": "NMB",
        "NMS": "NMS",
        "SW": "SW",
        "HSTAGM": "HSTAGM",
        "AKW": "AKW",
        "IMR": "AKW",
        "LS": "LS",
        "LP2": "LP2",
        "DMV": "RATTLE",
    },
    "the notes of a software": {
        "bb_rkmk_trap": "RKMK-TRAP",
        "bb_rkmk_trap_wdexp": "RKMK-TRAPWD",
        "dyneq_imid": "IMID",
        "dyneq_imidm": "IMIDM",
        "dyneq_trap": "TRAP",
        "dyneq_trapm": "TRAPM",
        "dyneq_trapm_zeta": "TRAPM",
        "IncrSO3_AKW": "AKW",
        "LIEMIDEA": "LIEMID[EA]",
        "liemid_Newmark": "LIEMID[EA]",
        "mleok": "MLEOK",
        "rotint_nmb": "NMB",
        "simo_wong_algo_c1": "ALGO_C1",
        "simo_wong_algo_c2": "SW",
        "SVQ": "ELN",
        "VLV": "VLV",
        "SQ-M": "ALGO_0",
        "ALGO_0": "ALGO_0",
        "SW-M": "IMID",
        "SW-C": "ALGO_C1",
        "ALCO_C1": "ALGO_C1",
        "SVQ-VLN": "ELN",
        "SVQ-TLN": "TLN",
        "RKMK": "RKMK4",
        "LIEMIDE": "LIEMID[E1]",
        "LIEMID[I]": "IMIDM",
        "RKMK-TRAP": "RKMK-TRAP",
    },
    "Hairer & Vilmart": {
        "discrete Moser\N{EN DASH}Veselov": "RATTLE",
        **{f"{family}{2 * r}": f"{family}{2 * r}" for family in ("DMV", "IMR", "JEM", "SR") for r in (1, 2, 3, 4)},
    },
    "with numbers": {
        "DMV14": "DMV14",
        "dmv8 * 10": "DMV8*10",
        "JEM6": "JEM6",
        "SR8": "SR8",
        "GAUSS12": "GAUSS12",
        "ALGO_0(0.25, 0.6)": "ALGO_0(1/4, 3/5)",
        "TRAPM(0.3)": "TRAPM(3/10)",
        "dyneq_trapm_zeta(1/3)": "TRAPM(1/3)",
        "DMV-TT8+Q": "DMV-TT8+Q",
        "SR8/S4": "SR8/S4",
        "ALGO_0(1/6, 1/2)/KL8": "ALGO_0(1/6, 1/2)/KL8",
    },
}
NAMES = [pytest.param(n, m, id=n) for names in SAID.values() for n, m in names.items()]


@pytest.mark.parametrize("name, method", NAMES)
def test_names_of_the_papers(name, method):
    assert ph.method(name).name == method


@pytest.mark.parametrize("method", METHODS, ids=lambda m: m.name)
def test_names_aliases_and_titles_find_their_method(method):
    for name in (method.name, *method.aliases, method.name.lower(), method.name.replace("-", "\N{EN DASH}")):
        assert ph.method(name) is method
    assert ph.method(method.title).title == method.title


def test_no_two_methods_share_a_spelling():
    owners: dict[str, str] = {}
    for m in METHODS:
        for name in {spelled(n) for n in (m.name, *m.aliases)}:
            assert owners.setdefault(name, m.name) == m.name
    assert not {spelled(name) for name in STANDS_FOR} & set(owners)


@pytest.mark.parametrize(
    "named, made",
    [
        ("DMV8*10", lambda: ph.dmv(8, substeps=10)),
        ("DMV2", lambda: ph.dmv(2)),
        ("IMR8", lambda: ph.imr(8)),
        ("JEM8", lambda: ph.jem(8)),
        ("SR10", lambda: ph.sr(10)),
        ("GAUSS12", lambda: ph.gauss(12)),
        ("DMV-TT8", lambda: ph.time_transformed(8)),
        ("DMV-TT4+Q", lambda: ph.time_transformed(4, complete=True)),
        ("ALGO_0(1/4, 0.6)", lambda: ph.newmark(0.25, 0.6)),
        ("TRAPM(0.3)", lambda: ph.trapezoidal(Fraction(3, 10))),
    ],
    ids=lambda x: x if isinstance(x, str) else "",
)
def test_by_name_and_by_function(named, made):
    a, b = ph.method(named), made()
    assert (a.name, a.orders, a.step) == (b.name, b.orders, b.step)
    assert ph.method(a.name) == a and pickle.loads(pickle.dumps(a)).step is a.step


def test_every_form_with_numbers_has_an_example_that_it_understands():
    for form in WITH_NUMBERS:
        first = form.example if "(" in form.example else form.example.split(", ")[0]
        assert ph.method(first).name


def test_on_the_command_line(capsys):
    assert main(["run", "TRAPM(0.3)", "book toss", "--h", "0.05", "--n-steps", "4", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["method"], told["problem"]) == ("TRAPM(3/10)", "book-toss")


@pytest.mark.parametrize(
    "name, said",
    [
        ("ALGO_C3", "no method 'ALGO_C3'. Known are\n  Lie-Newmark: ELN, NMB,"),  # no hint: ALGO_C1 is another method
        ("DMV1.2", "no method 'DMV1.2'. Known are\n"),
        ("VLW", "Did you mean 'VLV'?"),
        ("NBM", "Did you mean 'NMS' or 'NMB'? ph.methods() and polhode list methods name all"),
        ("Lewis-Sino", "Did you mean 'LS'?"),
        ("JEM7", "even orders 2 to 16"),
        ("DMV22", "even orders 2 to 20"),
        ("DMV8*0", "from 1 to 1000"),
        ("IMR16", "even orders 2 to 14"),
        ("SR12", "2, 4, 6, 8, 10"),
        ("GAUSS18", "from 2 to 16"),
        ("TRAPM(1)", "less than 1"),
        ("ALGO_0(1/4, 0)", "gamma must be positive"),
        ("ALGO_0(1/0, 1)", "must be a number"),
    ],
)
def test_what_is_no_method_gets_a_sentence(name, said):
    with pytest.raises(ph.InputError) as error:
        ph.method(name)
    assert said in str(error.value)


@pytest.mark.parametrize(
    "name, problem",
    [
        ("book toss", "book-toss"),
        ("stress test", "stress"),
        ("Fast Lagrangian top", "fast-top"),
        ("Slow Lagrangian Top", "slow-top"),
        ("Lagrangian top", "lagrange-top"),
        ("free body", "free-body"),
        ("Freely spinning body", "free-body"),
        ("water molecule", "water"),
        ("Body in Coulombic potential with soft wall contact", "soft-wall"),
    ],
)
def test_problems_by_the_words_of_the_papers(name, problem):
    assert ph.problem(name).name == problem


@pytest.mark.parametrize("order", [6, 8, 12])
def test_orders_of_jem(order):
    Q, Omega = theorems.order(ph.jem(order), cases.free())
    assert order - 0.05 < Q < order + 0.05 and Omega == float("inf")


@pytest.mark.parametrize("order", [8, 10])
def test_orders_of_sr(order):
    assert theorems.order(ph.sr(order), cases.free()) == pytest.approx((order, order), abs=0.05)


def test_the_general_magnus_series_is_jem2_and_jem4_written_out():
    from polhode.integrators.magnus import interpolation, jem_flow
    from polhode.integrators.parts.kicked import kicked
    from polhode.integrators.parts.tableaux import constants

    p = ph.problem("asymmetric")
    for r in (1, 2):
        general = ph.Method(name="general", step=kicked(jem_flow(r)), coefficients=constants(interpolation(r)))
        a, b = (ph.solve(p, m, h=0.2, n_steps=5, compiled=False) for m in (general, f"JEM{2 * r}"))
        assert np.abs(a.Q - b.Q).max() < 1e-14 and np.abs(a.Omega - b.Omega).max() < 1e-14
