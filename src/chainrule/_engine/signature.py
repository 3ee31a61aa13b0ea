"""Signatures as the op table writes them, and real Python functions made from them."""

import ast
import types

from chainrule._engine import functions
from chainrule._engine.missing import MISSING


class Signature:
    """The parameters of one entry: names in order, defaults, and how many may be given by position."""

    def __init__(self, text):
        self.text = text
        tree = ast.parse(f"def {text}: pass").body[0]
        self.name = tree.name
        positional = [a.arg for a in tree.args.posonlyargs + tree.args.args]
        keyword = [a.arg for a in tree.args.kwonlyargs]
        self.variadic = tree.args.vararg.arg if tree.args.vararg else None
        self.names = tuple(positional + keyword)
        self.n_positional = len(positional)
        self.defaults = tuple(ast.literal_eval(d) for d in tree.args.defaults)
        self.keyword_defaults = {
            a.arg: ast.literal_eval(d) for a, d in zip(tree.args.kwonlyargs, tree.args.kw_defaults, strict=True) if d
        }


_templates = {}

# NumPy's names of two parameters, which PyTorch takes as its own where a call is parsed by its compiled side.
NUMPY_NAMES = (("axis", "dim"), ("keepdims", "keepdim"))
NUMPY_SPEAKING = ("torch", "Tensor", "linalg", "special")


def _template(n_positional, keywords, form, arity, others, needed):
    """A function of this shape; its code is renamed for each op, which is far cheaper than compiling again.

    `others` are pairs of NumPy's name for a parameter and its place; `needed` says that the first of these parameters
    has no default of its own and must be given under one of its names."""
    key = (n_positional, keywords, form, arity, others, needed)
    if key not in _templates:
        positional = [f"_{i}" for i in range(n_positional)]
        named = list(keywords) + (["out"] if form == "out" else []) + [name for name, _ in others]
        header = ", ".join(positional + (["*"] + named if named else []))
        packed = f"({', '.join(positional + list(keywords))},)"
        if form == "inplace":
            call = f"inplace2({', '.join(positional)})" if arity == 2 else f"call_inplace({packed})"
        else:
            call = f"call{arity}({', '.join(positional)})" if arity else f"call({packed})"
        body = f"  return op.{call}\n"
        if form == "out":
            body = f"  if out is not None:\n   return op.call_out({packed}, out)\n{body}"
        if needed:
            body = f"  if _{others[0][1]} is MISSING:\n   op.call_without({others[0][1]})\n{body}"
        for other, place in reversed(others):
            body = f"  if {other} is not None:\n   _{place} = op.renamed({place}, _{place}, {other})\n{body}"
        namespace = {"MISSING": MISSING}
        exec(f"def make(op):\n def function({header}):\n{body} return function", namespace)
        _templates[key] = namespace["make"](None).__code__
    return _templates[key]


def make_function(op, signature, name, module, doc, form, arity):
    """A public function of an op: real, named, with its own parameter names, defaults and docstring.

    `form` is "plain", "out" (takes `out=` too) or "inplace"; `arity` 1 or 2 selects the short way for an op of one or
    two tensors and nothing else."""
    if form != "inplace" and arity and signature.names == ("input", "other")[:arity] and not signature.defaults:
        function = (functions.unary if arity == 1 else functions.binary)(op, form == "out")
        function.__name__ = function.__qualname__ = name
        function.__doc__ = doc
        function.__module__ = module
        return function
    n = signature.n_positional
    keywords = signature.names[n:]
    others, needed = (), False
    given = signature.defaults
    if form != "inplace" and op.namespace in NUMPY_SPEAKING:
        others = tuple([(o, signature.names.index(p)) for o, p in NUMPY_NAMES if p in signature.names[:n]])
        if others and others[0][1] == n - len(given) - 1:
            needed = True
            given = (MISSING, *given)
    code = _template(n, keywords, form, arity, others, needed)
    renamed = signature.names + code.co_varnames[len(signature.names) :]
    code = code.replace(co_filename=__file__, co_name=name, co_qualname=name, co_varnames=renamed)
    space = {"__name__": module, "MISSING": MISSING}
    function = types.FunctionType(code, space, name, given or None, (types.CellType(op),))
    defaults = dict(signature.keyword_defaults)
    if form == "out":
        defaults["out"] = None
    defaults.update({other: None for other, _ in others})
    function.__kwdefaults__ = defaults or None
    function.__doc__ = doc
    function.__module__ = module
    return function
