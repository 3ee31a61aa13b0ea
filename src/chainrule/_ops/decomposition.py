"""Factorizations of matrices and what is computed from them."""


class LinAlgError(RuntimeError):
    """A matrix that an operation of linear algebra cannot take: singular, or without a convergent factorization."""


LinAlgError.__module__ = "chainrule.linalg"
