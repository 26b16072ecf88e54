"""The catalogue of methods: one list. To add a method, add its name here."""

import functools

from polhode.errors import InputError, one_line
from polhode.inputs import spelled
from polhode.integrators import names
from polhode.integrators.adams import ADAMS8
from polhode.integrators.compensated import VLV_KAHAN
from polhode.integrators.crouch_grossman import CG3, CG4, CG_RK4
from polhode.integrators.elliptic import EXACT
from polhode.integrators.energy_momentum import AKW, LS
from polhode.integrators.gauss import GAUSS8, GAUSS16
from polhode.integrators.hulbert import HSTAGM
from polhode.integrators.koziara_bicanic import NEW1, NEW2, NEW3
from polhode.integrators.lie_newmark import ELN, NMB, NMS, TLN, TLN_EXP
from polhode.integrators.magnus import JEM2, JEM4, JEM6
from polhode.integrators.method import Method
from polhode.integrators.midpoint_implicit import IMID, IMIDM
from polhode.integrators.midpoint_lie import LIEMID, LIEMID_E1, LIEMID_E2, LIEMID_EA, LIEMID_EB
from polhode.integrators.modified_midpoint import IMR2, IMR4, IMR6
from polhode.integrators.moser_veselov import MLEOK, RATTLE
from polhode.integrators.munthe_kaas import RKMK2, RKMK3, RKMK4
from polhode.integrators.newmark import ALGO_0
from polhode.integrators.nukala_shelton import MCG, PRK
from polhode.integrators.nystrom import RKN6, RKN8
from polhode.integrators.partitioned import PRK4
from polhode.integrators.preprocessed import DMV4, DMV6, DMV8, DMV10, DMV12
from polhode.integrators.simo_wong import ALGO_C1, SW, SW1
from polhode.integrators.splitting import LP2, SR2, SR4, SR6
from polhode.integrators.svanberg import SVANBERG
from polhode.integrators.time_transformed import DMV_TT4, DMV_TT6
from polhode.integrators.trapezoidal import RKMK_TRAP, RKMK_TRAPWD, TRAP, TRAPM
from polhode.integrators.variational import HP_EXP, SACCON, VLV
from polhode.pickling import named

METHODS = (
    *(ELN, NMB, NMS, TLN, TLN_EXP, ALGO_0),
    *(LIEMID, LIEMID_E1, LIEMID_E2, LIEMID_EA, LIEMID_EB),
    *(IMIDM, IMID, TRAP, TRAPM, RKMK_TRAP, RKMK_TRAPWD),
    *(ALGO_C1, SW, SW1),
    *(AKW, LS),
    *(HSTAGM,),
    *(SVANBERG,),
    *(PRK, MCG),
    *(NEW1, NEW2, NEW3),
    *(VLV, VLV_KAHAN, HP_EXP, SACCON),
    *(RATTLE, MLEOK),
    *(DMV4, DMV6, DMV8, DMV10, DMV12),
    *(DMV_TT4, DMV_TT6),
    *(IMR2, IMR4, IMR6),
    *(SR2, SR4, SR6, LP2),
    *(RKMK2, RKMK3, RKMK4, PRK4),
    *(CG3, CG4, CG_RK4),
    *(EXACT, JEM2, JEM4, JEM6),
    *(RKN6, RKN8),
    *(ADAMS8,),
    *(GAUSS8, GAUSS16),
)


def methods() -> dict[str, Method]:
    """The catalogue: every method by its name."""
    return {m.name: m for m in METHODS}


@functools.cache
def _by_spelling() -> dict[str, Method]:
    """Every method by all that it is called."""
    return names.spellings(METHODS)


def listed(name: str) -> Method | None:
    """The method of the catalogue that is called so, if there is one."""
    return _by_spelling().get(spelled(name))


def method(name: str) -> Method:
    """Look a method up by what it is called; "VLV/KL8" is a composition. A Method is returned as it is.

    The rules are in `polhode.integrators.names`: names, aliases and titles however spelled, and names with numbers.
    """
    if isinstance(name, Method):
        return name
    if not isinstance(name, str):
        raise InputError(f"method is {one_line(name)}; give a name, such as 'VLV', or a Method.")
    found = listed(name) or names.from_numbers(name)
    if found is not None:
        return found
    base, _, scheme = name.rpartition("/")
    if base and len(name) < names.MOST_CHARACTERS:
        from polhode.integrators.composition import compose

        return compose(base, scheme)
    raise names.not_found(name, _by_spelling())


named(method, methods())
