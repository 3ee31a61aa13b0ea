"""What PyTorch prints for each module and the weights it draws under seed 0 (tests/reference/make_nn.py)."""

import json
import warnings
from pathlib import Path

import numpy as np
import pytest

import chainrule
from chainrule import nn

REFERENCE = json.loads((Path(__file__).parents[1] / "reference" / "nn.json").read_text())


def evaluate(line):
    chainrule.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return eval(line, {"nn": nn, "torch": chainrule})


@pytest.mark.parametrize("line", REFERENCE["modules"])
def test_printed(line):
    assert repr(evaluate(line)) == REFERENCE["modules"][line]["repr"]


@pytest.mark.parametrize("line", [line for line, was in REFERENCE["modules"].items() if was.get("state")])
def test_drawn_weights(line):
    state = evaluate(line).state_dict()
    wanted = REFERENCE["modules"][line]["state"]
    assert list(state) == list(wanted)
    for name, values in wanted.items():
        np.testing.assert_array_equal(state[name].numpy(), np.array(values, state[name].numpy().dtype))


@pytest.mark.parametrize("line", REFERENCE["fills"])
def test_fills(line):
    got = evaluate(line).detach().numpy()
    # Norms, QR and erfinv may round differently; the draws behind them are the same.
    np.testing.assert_allclose(got, np.array(REFERENCE["fills"][line], got.dtype), rtol=1e-4, atol=2e-6)


@pytest.mark.parametrize(
    "line",
    [line for line in REFERENCE["fills"] if "uniform" in line or "xavier" in line or "kaiming" in line],
)
def test_fills_to_the_bit(line):
    got = evaluate(line).detach().numpy()
    np.testing.assert_array_equal(got, np.array(REFERENCE["fills"][line], got.dtype))
