"""The catalogue of methods: one list. To add a method, add its name here."""

from polhode.methods.elliptic import EXACT, JEM2, JEM4
from polhode.methods.energy_momentum import AKW, LS
from polhode.methods.hulbert import HSTAGM
from polhode.methods.koziara_bicanic import NEW1, NEW2, NEW3
from polhode.methods.lie_newmark import ALGO_0, ELN, NMB, NMS, TLN, TLN_EXP
from polhode.methods.midpoint_implicit import IMID, IMIDM
from polhode.methods.midpoint_lie import LIEMID, LIEMID_E1, LIEMID_E2, LIEMID_EA, LIEMID_EB
from polhode.methods.moser_veselov import MLEOK, RATTLE
from polhode.methods.munthe_kaas import RKMK4
from polhode.methods.nukala_shelton import MCG, PRK
from polhode.methods.simo_wong import ALGO_C1, SW
from polhode.methods.trapezoidal import RKMK_TRAP, RKMK_TRAPWD, TRAP, TRAPM
from polhode.methods.variational import HP_EXP, SACCON, VLV

METHODS = (
    *(ELN, NMB, NMS, TLN, TLN_EXP, ALGO_0),
    *(LIEMID, LIEMID_E1, LIEMID_E2, LIEMID_EA, LIEMID_EB),
    *(IMIDM, IMID, TRAP, TRAPM, RKMK_TRAP, RKMK_TRAPWD),
    *(ALGO_C1, SW),
    *(AKW, LS),
    *(HSTAGM,),
    *(PRK, MCG),
    *(NEW1, NEW2, NEW3),
    *(VLV, HP_EXP, SACCON),
    *(RATTLE, MLEOK),
    *(RKMK4,),
    *(EXACT, JEM2, JEM4),
)
