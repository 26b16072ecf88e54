"""The catalogue of methods: one list. To add a method, add its name here."""

from polhode.methods.koziara_bicanic import NEW3
from polhode.methods.lie_newmark import ELN, NMB, TLN, TLN_EXP
from polhode.methods.midpoint_lie import LIEMID_EA
from polhode.methods.moser_veselov import RATTLE
from polhode.methods.munthe_kaas import RKMK4
from polhode.methods.nukala_shelton import MCG, PRK
from polhode.methods.variational import VLV

METHODS = (
    *(ELN, NMB, TLN, TLN_EXP),
    *(LIEMID_EA,),
    *(PRK, MCG),
    *(NEW3,),
    *(VLV,),
    *(RATTLE,),
    *(RKMK4,),
)
