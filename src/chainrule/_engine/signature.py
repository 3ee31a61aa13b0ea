"""Signatures as the op table writes them, and real Python functions made from them."""

import ast
import types

from chainrule._engine import functions


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


def _template(n_positional, keywords, form, arity):
    """A function of this shape; its code is renamed for each op, which is far cheaper than compiling again."""
    key = (n_positional, keywords, form, arity)
    if key not in _templates:
        positional = [f"_{i}" for i in range(n_positional)]
        named = list(keywords) + (["out"] if form == "out" else [])
        header = ", ".join(positional + (["*"] + named if named else []))
        packed = f"({', '.join(positional + list(keywords))},)"
        if form == "inplace":
            call = f"inplace2({', '.join(positional)})" if arity == 2 else f"call_inplace({packed})"
        else:
            call = f"call{arity}({', '.join(positional)})" if arity else f"call({packed})"
        body = f"  return op.{call}\n"
        if form == "out":
            body = f"  if out is not None:\n   return op.call_out({packed}, out)\n{body}"
        namespace = {}
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
    keywords = signature.names[signature.n_positional :]
    code = _template(signature.n_positional, keywords, form, arity)
    renamed = signature.names + code.co_varnames[len(signature.names) :]
    code = code.replace(co_filename=__file__, co_name=name, co_qualname=name, co_varnames=renamed)
    function = types.FunctionType(code, {"__name__": module}, name, signature.defaults or None, (types.CellType(op),))
    defaults = dict(signature.keyword_defaults)
    if form == "out":
        defaults["out"] = None
    function.__kwdefaults__ = defaults or None
    function.__doc__ = doc
    function.__module__ = module
    return function
