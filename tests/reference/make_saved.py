"""Makes saved_by_torch.pt: a file written by PyTorch itself, which torch.load of chainrule must read.

    python tests/reference/make_saved.py
"""

from pathlib import Path

import torch

whole = torch.arange(3.0)
torch.save(
    {
        "linear": {"weight": torch.arange(4.0).reshape(2, 2)},
        "half": torch.ones(2, dtype=torch.bfloat16),
        "whole": whole,
        "part": whole[1:],
        "parameter": torch.nn.Parameter(torch.ones(1)),
    },
    Path(__file__).with_name("saved_by_torch.pt"),
)
