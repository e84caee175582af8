"""A short way through Numba's compiler for kernels.

Numba optimises each function and translates it to machine code, and then links its LLVM code into
every caller, where it is optimised again. For a chain of kernels most of that work is thrown away.
Here an inner function ends as LLVM code, linked with what it calls; the entry above optimises it
all at once, which also lets LLVM see the whole search.

Kernels have no closures, no ``with``, no array expressions and no branches on literals, so the
passes for those are left out. And what a built-in function returns for some types of arguments is
found once: Numba tries a dozen templates for every sum and every index.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from numba import types
from numba.core import typed_passes, untyped_passes
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import PassManager, register_pass

_LEFT_OUT = {
    untyped_passes.DeadBranchPrune,
    untyped_passes.FindLiterallyCalls,
    untyped_passes.InlineClosureLikes,
    untyped_passes.LiteralPropagationSubPipelinePass,
    untyped_passes.LiteralUnroll,
    untyped_passes.MakeFunctionToJitFunction,
    untyped_passes.RewriteDynamicRaises,
    untyped_passes.WithLifting,
    typed_passes.InlineOverloads,
    typed_passes.NopythonRewrites,
}


_resolve = types.Function.get_call_type
_resolved: dict[tuple[Any, ...], Any] = {}


def _recall(function: types.Function, context: Any, args: Any, kws: Any) -> Any:
    """Return the signature of a call of a built-in function, found once for all kernels."""
    if not all(kind.is_precise() for kind in args):
        return _resolve(function, context, args, kws)
    call = (function, args, tuple(kws.items()))
    if call not in _resolved:
        _resolved[call] = _resolve(function, context, args, kws)
    return _resolved[call]


@contextmanager
def _recalling() -> Iterator[None]:
    """Use `_recall` in the meantime; the lock of Numba's compiler keeps other threads out."""
    before = types.Function.get_call_type
    types.Function.get_call_type = _recall
    try:
        yield
    finally:
        types.Function.get_call_type = before


class EntryCompiler(CompilerBase):  # type: ignore[misc]
    """Numba's compiler without the passes that kernels do not need."""

    last = typed_passes.NativeLowering

    def compile_extra(self, func: Any) -> Any:
        """Compile a function."""
        with _recalling():
            return super().compile_extra(func)

    def define_pipelines(self) -> list[Any]:
        """Return the passes."""
        usual = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes = PassManager("odt")
        for step, text in usual.passes:
            if step not in _LEFT_OUT:
                passes.add_pass(self.last if step is typed_passes.NativeLowering else step, text)
        passes.finalize()
        return [passes]


@register_pass(mutates_CFG=True, analysis_only=False)
class InnerLowering(typed_passes.NativeLowering):  # type: ignore[misc]
    """Numba's last pass without optimisation and machine code."""

    _name = "odt_inner_lowering"

    def run_pass(self, state: Any) -> bool:
        """Write LLVM code into a library that callers can link."""
        library = state.targetctx.codegen().create_library(state.func_id.func_qualname)
        library.finalize = _linker(library)
        state.library, state.flags.no_compile = library, True
        super().run_pass(state)
        # Numba knows a callee by a built-in function, and runs that when Python calls the kernel;
        # this one refuses the tuple of arguments.
        state["cr"] = state.cr._replace(cfunc=object().__format__)
        state.targetctx.insert_user_function(state.cr.cfunc, state.cr.fndesc, [library])
        return True


def _linker(library: Any) -> Callable[[], None]:
    def link() -> None:
        for callee in dict.fromkeys(library._linking_libraries):
            library._final_module.link_in(callee._get_module_for_linking(), preserve=True)
        library._finalized = True

    return link


class InnerCompiler(EntryCompiler):
    """The same with `InnerLowering` as its last pass."""

    last = InnerLowering
