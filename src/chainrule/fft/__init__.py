"""torch.fft: discrete Fourier transforms."""

from chainrule._tensor.methods import public

__all__ = sorted(public("fft"))
globals().update(public("fft"))
