"""Samples of the losses of class scores."""

import numpy as np
from casebook import case, const, ints, positive, real

_CLASSES = np.array([0, -100, 4, 1])


def _nn(name, **options):
    return lambda T, *tensors: getattr(T.nn.functional, name)(*tensors, **options)


for _reduction in ("mean", "sum", "none"):
    for _smoothing in (0.0, 0.2):

        def _add(label, *inputs, r=_reduction, e=_smoothing, **options):
            case(f"cross_entropy {label} {r} {e}", _nn("cross_entropy", reduction=r, label_smoothing=e, **options),
                 *inputs)  # fmt: skip

        _add("classes", real(4, 5), _CLASSES)
        _add("weighted", real(4, 5), _CLASSES, const(positive(5)))
        _add("ignoring", real(4, 5), ints(4, low=0, high=5), ignore_index=2)
        _add("images", real(2, 3, 2, 2), ints(2, 2, 2, low=0, high=3), const(positive(3)))
        _add("probabilities", real(4, 5), positive(4, 5), const(positive(5)))
        _add("single", real(5), np.array(3))
    case(f"cross_entropy images of probabilities {_reduction}", _nn("cross_entropy", reduction=_reduction),
         real(2, 3, 4), positive(2, 3, 4))  # fmt: skip
    case(f"nll_loss classes {_reduction}", _nn("nll_loss", reduction=_reduction), real(4, 5), _CLASSES)
    case(f"nll_loss weighted {_reduction}", _nn("nll_loss", reduction=_reduction), real(4, 5), _CLASSES,
         const(positive(5)))  # fmt: skip
    case(f"nll_loss images {_reduction}", _nn("nll_loss", reduction=_reduction), real(2, 3, 2, 2),
         ints(2, 2, 2, low=0, high=3))  # fmt: skip
    case(f"nll_loss single {_reduction}", _nn("nll_loss", reduction=_reduction), real(5), np.array(3))
