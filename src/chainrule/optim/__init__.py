"""torch.optim: the optimizers, learning-rate schedules, and weight averaging."""

from chainrule.optim import lr_scheduler as lr_scheduler
from chainrule.optim import swa_utils as swa_utils
from chainrule.optim.adadelta import Adadelta
from chainrule.optim.adagrad import Adagrad
from chainrule.optim.adam import Adam
from chainrule.optim.adamax import Adamax
from chainrule.optim.adamw import AdamW
from chainrule.optim.asgd import ASGD
from chainrule.optim.lbfgs import LBFGS
from chainrule.optim.nadam import NAdam
from chainrule.optim.optimizer import Optimizer
from chainrule.optim.radam import RAdam
from chainrule.optim.rmsprop import RMSprop
from chainrule.optim.rprop import Rprop
from chainrule.optim.sgd import SGD

__all__ = [
    "ASGD",
    "LBFGS",
    "SGD",
    "Adadelta",
    "Adagrad",
    "Adam",
    "AdamW",
    "Adamax",
    "NAdam",
    "Optimizer",
    "RAdam",
    "RMSprop",
    "Rprop",
    "lr_scheduler",
    "swa_utils",
]
