"""A way through Numba's compiler for kernels that only other kernels call.

Numba optimises each function and translates it to machine code, and then links its LLVM code into
every caller, where it is optimised again. For a chain of kernels most of that work is thrown away.
Here a function ends as LLVM code, linked with what it calls; the entry above optimises it all at
once, which also lets LLVM see the whole search.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import PassManager, register_pass
from numba.core.typed_passes import NativeLowering


@register_pass(mutates_CFG=True, analysis_only=False)
class InnerLowering(NativeLowering):  # type: ignore[misc]
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


class InnerCompiler(CompilerBase):  # type: ignore[misc]
    """Numba's compiler with `InnerLowering` as its last pass."""

    def define_pipelines(self) -> list[Any]:
        """Return the usual passes, the last one replaced."""
        usual = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes = PassManager("odt_inner")
        for step, text in usual.passes:
            passes.add_pass(InnerLowering if step is NativeLowering else step, text)
        passes.finalize()
        return [passes]
