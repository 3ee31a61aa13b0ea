"""Fourier transforms: dtypes, and arguments that do not fit."""

import pytest

import chainrule as torch


@pytest.mark.parametrize(
    ("given", "kept"),
    [(torch.float32, torch.complex64), (torch.float64, torch.complex128), (torch.complex64, torch.complex64),
     (torch.int64, torch.complex64), (torch.bool, torch.complex64)],
)  # fmt: skip
def test_precision_is_kept(given, kept):
    x = torch.ones(4).to(given)
    assert torch.fft.fft(x).dtype is kept and torch.fft.ifft(x).dtype is kept
    assert torch.fft.irfft(x).dtype is kept.to_real()


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: torch.fft.rfft(torch.ones(3, dtype=torch.complex64)), RuntimeError, "rfft expects a real input"),
        (lambda: torch.fft.fft(torch.ones(3), n=0), RuntimeError, r"Invalid number of data points \(0\) specified"),
        (lambda: torch.fft.irfft(torch.ones(1)), RuntimeError, r"Invalid number of data points \(0\) specified"),
        (lambda: torch.fft.fft(torch.ones(3), norm="x"), RuntimeError, 'Invalid normalization mode: "x"'),
        (lambda: torch.fft.fft(torch.ones(3), dim=1), IndexError, "Dimension out of range"),
        (lambda: torch.fft.fftn(torch.ones(3, 3), dim=(0, -2)), RuntimeError, "FFT dims must be unique"),
        (lambda: torch.fft.fftn(torch.ones(3), s=(2, 2)), RuntimeError, "only has 1 dimensions"),
        (lambda: torch.fft.fft(torch.ones(4, dtype=torch.float16)), RuntimeError, "Unsupported dtype Half"),
        (lambda: torch.fft.fftfreq(4, dtype=torch.int64), RuntimeError, "must be floating point"),
    ],
)
def test_arguments_that_do_not_fit(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_nodes_are_named_as_in_pytorch():
    x = torch.ones(4, requires_grad=True)
    assert torch.fft.fft(x).grad_fn.name() == "FftR2CBackward0"
    assert torch.fft.ifft(torch.fft.fft(x)).grad_fn.name() == "FftC2CBackward0"
    assert torch.fft.irfft(torch.fft.rfft(x)).grad_fn.name() == "FftC2RBackward0"


def test_a_transform_of_no_rows():
    assert torch.fft.rfft(torch.ones(0, 4)).shape == (0, 3)
