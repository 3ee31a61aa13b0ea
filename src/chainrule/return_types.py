"""The named tuples that ops with several results return: torch.return_types, made from one list of names.

It imports nothing of ours, so that the op table may stand on it.
"""

import sys
from operator import itemgetter


class ReturnType(tuple):
    """A tuple whose elements have names too; made, like PyTorch's, from one iterable."""

    __slots__ = ()
    names = ()

    def __new__(cls, values):
        self = tuple.__new__(cls, values)
        if len(self) != len(cls.names):
            raise TypeError(
                f"torch.return_types.{cls.__name__}() takes a {len(cls.names)}-sequence ({len(self)}-sequence given)"
            )
        return self

    def __repr__(self):
        fields = ",\n".join(f"{name}={value!r}" for name, value in zip(self.names, self, strict=True))
        return f"torch.return_types.{type(self).__name__}(\n{fields})"

    def __reduce__(self):
        return type(self), (tuple(self),)


VALUES_INDICES = "values indices"
FIELDS = {
    "aminmax": "min max",
    "cummax": VALUES_INDICES,
    "cummin": VALUES_INDICES,
    "frexp": "mantissa exponent",
    "geqrf": "a tau",
    "histogram": "hist bin_edges",
    "histogramdd": "hist bin_edges",
    "kthvalue": VALUES_INDICES,
    "linalg_cholesky_ex": "L info",
    "linalg_eig": "eigenvalues eigenvectors",
    "linalg_eigh": "eigenvalues eigenvectors",
    "linalg_inv_ex": "inverse info",
    "linalg_ldl_factor": "LD pivots",
    "linalg_ldl_factor_ex": "LD pivots info",
    "linalg_lstsq": "solution residuals rank singular_values",
    "linalg_lu": "P L U",
    "linalg_lu_factor": "LU pivots",
    "linalg_lu_factor_ex": "LU pivots info",
    "linalg_qr": "Q R",
    "linalg_slogdet": "sign logabsdet",
    "linalg_solve_ex": "result info",
    "linalg_svd": "U S Vh",
    "lu_unpack": "P L U",
    "max": VALUES_INDICES,
    "median": VALUES_INDICES,
    "min": VALUES_INDICES,
    "mode": VALUES_INDICES,
    "nanmedian": VALUES_INDICES,
    "qr": "Q R",
    "slogdet": "sign logabsdet",
    "sort": VALUES_INDICES,
    "svd": "U S V",
    "topk": VALUES_INDICES,
    "triangular_solve": "solution cloned_coefficient",
    "_unpack_dual": "primal tangent",
}


def made(name, fields):
    """The named tuple class `name`."""
    names = tuple(fields.split())
    members = {field: property(itemgetter(i), doc=f"Element {i}.") for i, field in enumerate(names)}
    size = {"n_fields": len(names), "n_sequence_fields": len(names), "n_unnamed_fields": 0}
    head = {"__slots__": (), "__module__": __name__, "names": names, "__match_args__": names}
    return type(name, (ReturnType,), {**members, **size, **head})


_module = sys.modules[__name__]
for _name, _fields in FIELDS.items():
    setattr(_module, _name, made(_name, _fields))
__all__ = [_name for _name in FIELDS if not _name.startswith("_")]
