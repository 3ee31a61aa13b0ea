"""Makes factories.json: what PyTorch answers to the expressions of factory_expressions.py, values or errors.

    python tests/reference/make_factories.py

It needs PyTorch and records its version. The tests evaluate the same expressions.
"""

import json
import warnings
from pathlib import Path

import torch
from factory_expressions import EXPRESSIONS, answer

warnings.simplefilter("ignore")
answers = {text: answer(torch, text) for text in EXPRESSIONS}
Path(__file__).with_name("factories.json").write_text(
    json.dumps({"torch": torch.__version__, "answers": answers}, indent=0) + "\n"
)
