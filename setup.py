"""Which modules are compiled: those with a .pxd beside them, and nothing else says so.

A module's source is its .pyx where there is one, its .py otherwise. Extensions are optional: without Cython,
NumPy's headers or a C compiler the same tree is installed uncompiled, unless CHAINRULE_REQUIRE_COMPILED=1.
"""

import os
import sys
from pathlib import Path

from setuptools import Extension, setup

ROOT = Path(__file__).parent
SOURCES = ROOT / "src"
REQUIRED = os.environ.get("CHAINRULE_REQUIRE_COMPILED") == "1"
JOBS = os.cpu_count() or 1
DIRECTIVES = {"language_level": 3, "annotation_typing": False, "initializedcheck": False}
# A .py must do compiled what it does uncompiled, negative indices and IndexError included; native loops know their
# bounds.
NATIVE = {**DIRECTIVES, "boundscheck": False, "wraparound": False, "cdivision": True}


def compile_flags():
    if sys.platform == "win32":
        return ["/O2"], []
    link = ["-Wl,--strip-all"] if sys.platform.startswith("linux") else []
    quiet = ["-Wno-unused-function", "-Wno-unreachable-code", "-Wno-tautological-compare"]
    return ["-O3", "-g0", "-fno-math-errno", *quiet], link


def extensions():
    if os.environ.get("CHAINRULE_PURE") == "1":
        return []
    try:
        import numpy
        from Cython.Build import cythonize
    except ImportError:
        if REQUIRED:
            raise
        print("chainrule: Cython or NumPy is missing at build time; installing uncompiled")
        return []
    compile_args, link_args = compile_flags()
    options = {
        "include_path": [str(SOURCES)],
        "build_dir": str(ROOT / "build" / "cython"),
        "quiet": True,
        # elsewhere a worker would have to import this file anew
        "nthreads": JOBS if sys.platform.startswith("linux") else 0,
    }
    plain, native_ones = [], []
    for declaration in sorted((SOURCES / "chainrule").rglob("*.pxd")):
        native = declaration.with_suffix(".pyx")
        source = native if native.exists() else declaration.with_suffix(".py")
        if not source.exists():
            continue
        name = ".".join(declaration.relative_to(SOURCES).with_suffix("").parts)
        (native_ones if source == native else plain).append(
            Extension(
                name,
                [str(source.relative_to(ROOT))],
                include_dirs=[numpy.get_include(), str(source.parent)],
                define_macros=[("NPY_NO_DEPRECATED_API", "NPY_2_0_API_VERSION")],
                extra_compile_args=compile_args,
                extra_link_args=link_args,
                depends=[str(h.relative_to(ROOT)) for h in source.parent.glob("*.h")],
            )
        )
    found = [
        *cythonize(plain, compiler_directives=DIRECTIVES, **options),
        *cythonize(native_ones, compiler_directives=NATIVE, **options),
    ]
    for extension in found:
        # Cython makes extensions anew and forgets this
        extension.optional = not REQUIRED
    return found


setup(ext_modules=extensions(), options={"build_ext": {"parallel": JOBS}})
