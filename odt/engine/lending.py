"""Tuples of arrays that an entry lends to its inner kernels, as one pointer.

Numba passes a tuple of arrays to a function as some ten numbers an array, takes it apart at each
call and counts the references of each array on both sides. Most of the LLVM code of kernels that
hand on such a tuple is that. What `lend` returns has the same attributes::

    @entry
    def search(data, size):          # a NamedTuple from Python
        return expand(lend(data), size)

Only an argument of an entry may be lent: the caller keeps its arrays alive. A variable of the
kernel itself would be freed at its last use, while others still read it through the loan.
"""

from __future__ import annotations

import hashlib
from typing import Any, TypeVar

from numba import types
from numba.core import cgutils
from numba.core.imputils import impl_ret_borrowed
from numba.core.typing.templates import AttributeTemplate
from numba.extending import (
    infer_getattr,
    lower_builtin,
    lower_getattr_generic,
    models,
    register_model,
    type_callable,
)

Tuple = TypeVar("Tuple", bound=tuple[Any, ...])


def lend(arrays: Tuple) -> Tuple:
    """Return a view of the same attributes; in Python, the tuple itself."""
    return arrays


class Lent(types.Type):  # type: ignore[misc]
    """A pointer to a NamedTuple of the entry."""

    def __init__(self, owner: types.NamedTuple) -> None:
        self.owner = owner
        digest = hashlib.sha256(str(owner).encode()).hexdigest()[:16]  # names become symbols
        super().__init__(f"Lent({owner.instance_class.__name__}, {digest})")


@register_model(Lent)
class _Pointer(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, lent: Lent) -> None:
        owner = manager.lookup(lent.owner)
        super().__init__(manager, lent, owner.get_value_type().as_pointer())


@type_callable(lend)  # type: ignore[untyped-decorator]
def _type_lend(context: Any) -> Any:
    def typer(arrays: Any) -> Lent | None:
        return Lent(arrays) if isinstance(arrays, types.NamedTuple) else None

    return typer


@lower_builtin(lend, types.NamedTuple)  # type: ignore[untyped-decorator]
def _lend(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    return cgutils.alloca_once_value(builder, args[0])


@infer_getattr
class _Attributes(AttributeTemplate):  # type: ignore[misc]
    key = Lent

    def generic_resolve(self, lent: Lent, name: str) -> Any:
        """Return the type of an attribute; None if there is none of that name."""
        fields = lent.owner.fields
        return lent.owner.types[fields.index(name)] if name in fields else None


@lower_getattr_generic(Lent)  # type: ignore[untyped-decorator]
def _attribute(context: Any, builder: Any, lent: Lent, pointer: Any, name: str) -> Any:
    at = lent.owner.fields.index(name)
    item = builder.load(cgutils.gep_inbounds(builder, pointer, 0, at))
    return impl_ret_borrowed(context, builder, lent.owner.types[at], item)
