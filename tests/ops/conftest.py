"""Puts the casebook and its samples on the path; collects every sample file once."""

import importlib.util
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

for _path in sorted((HERE / "samples").glob("*.py")):
    _name = f"samples_{_path.stem}"
    if _name not in sys.modules:
        _spec = importlib.util.spec_from_file_location(_name, _path)
        _module = importlib.util.module_from_spec(_spec)
        sys.modules[_name] = _module
        _spec.loader.exec_module(_module)
