"""What a wheel must be: under 5 MB, with NumPy as its only requirement, and with everything in it that is no test.

    python .ci/check_wheel.py WHEEL
"""

import re
import sys
import zipfile
from pathlib import Path

LIMIT = 5_000_000
SOURCES = Path(__file__).parent.parent / "src"
KEPT = (".py", ".pyx", ".pxd", ".pyi", ".h", ".typed")


def faults(wheel):
    """What is wrong with it, one line each."""
    size = wheel.stat().st_size
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        metadata = archive.read(next(n for n in names if n.endswith(".dist-info/METADATA"))).decode()
    if size > LIMIT:
        yield f"{size:,} bytes, more than {LIMIT:,}"
    needed = [line for line in re.findall(r"^Requires-Dist: (.*)$", metadata, re.M) if "extra ==" not in line]
    if [re.split(r"[<>=!~ ]", line)[0] for line in needed] != ["numpy"]:
        yield f"requires {needed}, expected NumPy only"
    package = SOURCES / "chainrule"
    for path in sorted(package.rglob("*")):
        inside = path.relative_to(SOURCES).as_posix()
        if path.suffix in KEPT or (path.is_file() and path.parent.name == "_data"):
            if "__pycache__" not in inside and inside not in names:
                yield f"{inside} is missing"
    compiled = {n.split(".")[0] for n in names if n.endswith((".so", ".pyd"))}
    declared = {p.relative_to(SOURCES).with_suffix("").as_posix() for p in package.rglob("*.pxd")}
    if compiled and declared - compiled:
        yield f"not compiled: {', '.join(sorted(declared - compiled))}"
    for name in sorted(names):
        stem = name.split(".")[0] if name.endswith((".so", ".pyd")) else None
        known = stem in declared if stem else (SOURCES / name).exists()
        if not known and not name.startswith("chainrule-"):
            yield f"{name} does not belong in it"


def main():
    wheel = Path(sys.argv[1])
    found = list(faults(wheel))
    print(f"{wheel.name}: {wheel.stat().st_size:,} bytes", *found, sep="\n  ")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
