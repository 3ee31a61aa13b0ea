"""torch.utils.dlpack: tensors to and from DLPack capsules."""

from chainrule._tensor.interchange import from_dlpack, to_dlpack

__all__ = ["from_dlpack", "to_dlpack"]
