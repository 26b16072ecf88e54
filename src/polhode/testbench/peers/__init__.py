"""Other people's integrators, each behind a few lines and looked up as "package:integrator".

A module here has TITLE (what the package is), INSTALL (what pip is asked for), `names()` and `engine(name)`, and
imports the package inside these two: nothing here is a dependency of polhode. SHOWN names those that a table of all
engines shows, where they are many. To add an engine, add its module to ENGINES. An adapter hands the torque over and
takes states back; the stepping is all theirs.
"""

import importlib
from typing import Any

from polhode.errors import InputError, unknown
from polhode.integrators.method import BlackBox

ENGINES = {
    "scipy": "polhode.testbench.peers.scipy",
    "mujoco": "polhode.testbench.peers.mujoco",
    "pybullet": "polhode.testbench.peers.pybullet",
    "jaxmd": "polhode.testbench.peers.jaxmd",
    "sdof": "polhode.testbench.peers.sdof",
    "heyoka": "polhode.testbench.peers.heyoka",
    "drake": "polhode.testbench.peers.drake",
    "exudyn": "polhode.testbench.peers.exudyn",
    "mujoco-warp": "polhode.testbench.peers.mujoco_warp",
    "newton": "polhode.testbench.peers.newton",
    "genesis": "polhode.testbench.peers.genesis",
}


def engine(name: str) -> BlackBox:
    """The integrator "package:integrator" as a BlackBox."""
    package, _, integrator = name.partition(":")
    if package.lower() not in ENGINES:
        raise unknown("engine", package, list(ENGINES))
    own_names = names(package.lower())
    spelled = {k.lower(): k for k in own_names}
    if integrator.lower() not in spelled:
        raise unknown(f"integrator of {package}", integrator, own_names)
    return _adapter(package.lower()).engine(spelled[integrator.lower()])


def names(package: str) -> list[str]:
    """The integrators that an installed package offers; an InputError says how to install one that is absent."""
    adapter = _adapter(package)
    try:
        return list(adapter.names())
    except ImportError as error:
        raise InputError(
            f"{package} ({adapter.TITLE}) is not installed: {error}. Install it with: pip install {adapter.INSTALL}"
        ) from error


def shown(package: str) -> list[str]:
    """The integrators of an installed package that a table of all engines shows."""
    return getattr(_adapter(package), "SHOWN", None) or names(package)


def install_name(package: str) -> str:
    """What pip is asked for."""
    return _adapter(package).INSTALL if package in ENGINES else package


def title(package: str) -> str:
    """What an engine is, in words."""
    return _adapter(package).TITLE


def installed() -> dict[str, list[str] | str]:
    """For every engine its integrators, or the sentence that says why there are none."""
    integrators: dict[str, list[str] | str] = {}
    for package in ENGINES:
        try:
            integrators[package] = names(package)
        except InputError as absent:
            integrators[package] = str(absent)
    return integrators


def _adapter(package: str) -> Any:
    return importlib.import_module(ENGINES[package])
