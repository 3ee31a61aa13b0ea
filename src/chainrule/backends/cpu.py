"""torch.backends.cpu: the widest vector instructions that NumPy's loops may use here."""

import numpy as np

from chainrule.compat.missing import names_of

__all__ = ["get_cpu_capability"]
__getattr__ = names_of(__name__)

# NumPy's feature names, widest first, against the words PyTorch has for them.
WORDS = {"AVX512_SKX": "AVX512", "AVX2": "AVX2", "SVE": "SVE256", "VSX": "VSX", "VXE": "Z VECTOR"}


def get_cpu_capability():
    """One of "AVX512", "AVX2", "SVE256", "VSX" and "Z VECTOR", or "DEFAULT" (ARM's NEON included)."""
    features = np._core._multiarray_umath.__cpu_features__
    return next((word for name, word in WORDS.items() if features.get(name)), "DEFAULT")
