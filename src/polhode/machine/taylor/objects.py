"""The machine code of Taylor series in this process and on disk, by what it was made from."""

import functools
import hashlib
import pathlib
from typing import Any

import llvmlite
import llvmlite.binding as llvm

from polhode.integrators.taylor import recurrences, steps
from polhode.integrators.taylor.recurrences import Recurrences
from polhode.machine.cache import cache_base, folder
from polhode.machine.taylor.code import Jet

_ENGINES: dict[str, tuple[Any, ...]] = {}
"""The machine code of this process, and the addresses of its functions, by what it was made from."""


FUNCTIONS = ("jet", "value", "reach", "move")


def addresses(r: Recurrences) -> tuple[int, ...]:
    """Where the machine code of each of FUNCTIONS begins."""
    text = repr((_made_by(), r.structure))
    key = hashlib.sha256(text.encode()).hexdigest()[:32]
    if key not in _ENGINES:
        store = folder(cache_base() / "taylor")
        code = store.read(key)
        if code is None:
            code = _object(str(Jet(r).module))
            store.write(key, code)
        engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _target())
        engine.add_object_file(llvm.ObjectFileRef.from_data(code))
        engine.finalize_object()
        _ENGINES[key] = engine, tuple(map(engine.get_function_address, FUNCTIONS))
    return _ENGINES[key][1]


@functools.cache
def _made_by() -> str:
    """The processor, the compiler, and the sources."""
    ours = sorted(pathlib.Path(__file__).parent.glob("*.py"))
    files = [*ours, *(pathlib.Path(str(m.__file__)) for m in (recurrences, steps))]
    sources = hashlib.sha256(b"".join(f.read_bytes() for f in files)).hexdigest()
    return repr((llvmlite.__version__, llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten(), sources))


def _target() -> llvm.TargetMachine:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    features = llvm.get_host_cpu_features().flatten()
    return llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=features, opt=2, reloc="pic", codemodel="small"
    )


def _object(text: str) -> bytes:
    module, target = llvm.parse_assembly(text), _target()
    module.verify()
    builder = llvm.create_pass_builder(target, llvm.create_pipeline_tuning_options(speed_level=2))
    builder.getModulePassManager().run(module, builder)
    return target.emit_object(module)
