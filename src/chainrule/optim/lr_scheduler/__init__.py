"""torch.optim.lr_scheduler: schedules of the learning rate."""

from chainrule.optim.lr_scheduler.composite import ChainedScheduler, SequentialLR
from chainrule.optim.lr_scheduler.cosine import CosineAnnealingLR, CosineAnnealingWarmRestarts
from chainrule.optim.lr_scheduler.cyclic import CyclicLR, OneCycleLR
from chainrule.optim.lr_scheduler.decay import (
    ConstantLR,
    ExponentialLR,
    LambdaLR,
    LinearLR,
    MultiplicativeLR,
    MultiStepLR,
    PolynomialLR,
    StepLR,
)
from chainrule.optim.lr_scheduler.plateau import ReduceLROnPlateau
from chainrule.optim.lr_scheduler.schedule import LRScheduler

# The base class had this name in earlier PyTorch, and programs still derive from it.
_LRScheduler = LRScheduler

__all__ = [
    "ChainedScheduler",
    "ConstantLR",
    "CosineAnnealingLR",
    "CosineAnnealingWarmRestarts",
    "CyclicLR",
    "ExponentialLR",
    "LRScheduler",
    "LambdaLR",
    "LinearLR",
    "MultiStepLR",
    "MultiplicativeLR",
    "OneCycleLR",
    "PolynomialLR",
    "ReduceLROnPlateau",
    "SequentialLR",
    "StepLR",
]
