"""t"""
from polhode.body import start_plain
from polhode.exact.free_flow import free_flow
from polhode.methods.kicked import kicked
from polhode.model import Method, Order
from polhode.scalar import kernel
from polhode.so3.rotations import compose
from polhode.solver import NO_SOLVE
@kernel
def exact(h, q, p, memory, body):
    F, p = free_flow(h, p, body[0])
    return compose(q, F), p, memory, NO_SOLVE
EXACT=Method(name="EXACT",step=kicked(exact))
