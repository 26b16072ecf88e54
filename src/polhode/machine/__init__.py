"""Kernels to machine code: the only package that knows Numba.

What the rest of the package uses of it is `FACE`, below, a line each; the modules behind it are its own affair, which
an import contract checks. A name is looked up when it is imported, so that Numba is not imported before something is
compiled.
"""

import importlib
from typing import Any

FACE = {
    # ---- machine code of one function, which loops call by its address
    "torque_code": "compile:torque",  # of a torque of type TORQUE or MOMENT
    "potential_code": "compile:potential",  # of a potential
    "event_code": "watching:event",  # of a function that a run watches, or that sets its steps
    "law_code": "holding:law",  # of the law of a controller or of motors
    "stages_torque": "lanes.quadrature:torque_for",  # the torque of a method whose stages are the lanes, and its type
    # ---- loops: one for each method, whatever the torque
    "steps_loop": "compile:loop",  # many steps, states kept every so often
    "survey_loop": "compile:survey",  # the same, with sums of energy and momentum on the way
    "watching_loop": "watching:loop",  # the same, and it stops before a step in which a watched function changes sign
    "held_loop": "holding:loop",  # the same under a controller, whose law is machine code, too
    "reversible_loop": "pacing:reversible",  # steps that follow the motion, and could be taken back
    "controlled_loop": "pacing:controlled",  # steps by a controller
    "series_loop": "taylor.loop:taylor_loop",  # Taylor's method
    "blocks_loop": "lanes.ensemble_loop:loop",  # blocks of bodies in lanes
    "watching_blocks_loop": "lanes.ensemble_watching:loop",  # the same, with watched functions
    # ---- smaller pieces
    "energies": "compile:energies",  # a potential at every row of quaternions
    "probe": "compile:probe",  # a torque or potential once, by its address
    "event_probe": "watching:look",  # a watched function once, by its address
    "ask_law": "holding:ask",  # a law once, by its address
    "inside_blocks": "lanes.ensemble_watching:inside",  # watched functions at a fraction of a step of some bodies
    "first_node": "lanes.quadrature:first_node",  # for `probe`: a torque in lanes, at one attitude
    "series_once": "taylor.loop:jet_once",  # the series of a motion at one state
    "series_addresses": "taylor.objects:addresses",  # where the recurrences of a torque begin
    "series_width": "taylor.places:width",  # numbers that they need for an order
    "entry_of": "pointers:entry_of",  # a loop, to be called with arguments that are known to be of its types
    "held_call": "held_calls:held_call",  # a loop with arguments that stay where they are, called without any
    "held_but_for_two": "held_calls:held_but_for_two",  # likewise, called with two whole numbers
    # ---- types of functions, and of lanes
    "TORQUE": "compile:TORQUE",
    "MOMENT": "compile:MOMENT",  # a torque that depends on the velocity
    "POTENTIAL": "compile:POTENTIAL",
    "WIDTH": "lanes.ensemble_loop:WIDTH",  # bodies in a block
    "HALF": "lanes.ensemble_loop:HALF",  # bodies in half of one
    # ---- does machine code agree with the function that it was made from?
    "check": "guard:check",
    "check_function": "guard:check_function",
    "agrees_again": "guard:agrees_again",  # the same at another place, with what the function has said there
    "floats_or_none": "guard:floats_or_none",  # a result as floats; None if it raised
    "nearby": "guard:nearby",  # a place changed in the last digits
    "TURN": "guard:TURN",  # from one attitude of the comparison to the next
    # ---- what could not be compiled, and what is kept between processes
    "CannotCompile": "kept_code:CannotCompile",
    "COMPILED": "kept_code:COMPILED",  # everything compiled in this process
    "cache_folder": "kept_code:cache_folder",  # where machine code is kept
    "cache_base": "cache:cache_base",  # where everything is kept, as POLHODE_CACHE says
    "folder": "cache:folder",  # a folder in there: private, checked, bounded
    "Folder": "cache:Folder",
}
"""Names of this package, and where they are: module:attribute."""


def __getattr__(name: str) -> Any:
    if name not in FACE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, attribute = FACE[name].split(":")
    value = getattr(importlib.import_module(f"{__name__}.{module}"), attribute)
    globals()[name] = value  # the next time no look-up is needed
    return value


def __dir__() -> list[str]:
    return sorted(FACE)
