"""torch.backends.cuda: not built; its switches are kept and have no effect."""

from chainrule.compat.missing import names_of

__getattr__ = names_of(__name__)


class _Matmul:
    """The switches of matrix multiplication on CUDA."""

    def __init__(self):
        self.allow_tf32 = False
        self.allow_fp16_reduced_precision_reduction = True
        self.allow_bf16_reduced_precision_reduction = True
        self.allow_fp16_accumulation = False


matmul = _Matmul()
_attention = {"flash": True, "mem_efficient": True, "math": True, "cudnn": True}


def is_built():
    """False."""
    return False


def flash_sdp_enabled():
    """What `enable_flash_sdp` last said; no attention here looks at it."""
    return _attention["flash"]


def enable_flash_sdp(enabled):
    """Kept for `flash_sdp_enabled`."""
    _attention["flash"] = bool(enabled)


def mem_efficient_sdp_enabled():
    """What `enable_mem_efficient_sdp` last said; no attention here looks at it."""
    return _attention["mem_efficient"]


def enable_mem_efficient_sdp(enabled):
    """Kept for `mem_efficient_sdp_enabled`."""
    _attention["mem_efficient"] = bool(enabled)


def math_sdp_enabled():
    """What `enable_math_sdp` last said; attention here is always the plain formula."""
    return _attention["math"]


def enable_math_sdp(enabled):
    """Kept for `math_sdp_enabled`."""
    _attention["math"] = bool(enabled)


def cudnn_sdp_enabled():
    """What `enable_cudnn_sdp` last said; no attention here looks at it."""
    return _attention["cudnn"]


def enable_cudnn_sdp(enabled):
    """Kept for `cudnn_sdp_enabled`."""
    _attention["cudnn"] = bool(enabled)
