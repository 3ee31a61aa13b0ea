"""torch.storage: the memory behind tensors."""

from chainrule._tensor.storage import TypedStorage, UntypedStorage

__all__ = ["TypedStorage", "UntypedStorage"]
