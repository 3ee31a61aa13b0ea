"""Op: one entry of the op table, and what a call of it does.

An entry gives a signature, a kind and the derivative rules; from their parameter names follows what is saved. Calls of
one or two plain tensors whose dtypes agree take the short way (`call1`, `call2`); everything else goes through `call`.
"""

import re

from numpy import asanyarray

from chainrule._core import dtype as _dtype
from chainrule._engine.missing import MISSING
from chainrule._engine.node import Extra, Function, Node
from chainrule._engine.record import DTYPE, OUTPUT, RESIDUAL, SHAPE, Plan, record, record1, record2
from chainrule._engine.refusal import faces, guarded, refusal, takes_guard
from chainrule._engine.saved import SavedList, unpack
from chainrule._engine.signature import Signature, make_function
from chainrule._engine.tensor import (
    AutogradMeta,
    Meta,
    Slots,
    Tensor,
    bump_version,
    get_slots,
    make_meta,
    wrap,
    wrap_like,
)  # fmt: skip
from chainrule._engine.thread_state import State, current
from chainrule._kernels.loops import Ufunc, alike, scalar, wrapping_scalar

slots = get_slots()
registry = {}
composites = {}


class RuleError(TypeError):
    """A derivative rule of the op table that does not fit its entry; raised at import."""


class Grads:
    """One rule for several inputs at once: `fn(g, …, wants)` gives a tuple with None where nothing is wanted."""

    def __init__(self, names, fn):
        self.names = tuple(names.split())
        self.fn = fn


class NotDifferentiable:
    """Says of an input or an op that it has no derivative, so that nothing is omitted silently."""


NONE = NotDifferentiable()


def node_name(name):
    """The name PyTorch gives the node of an op: mul -> MulBackward0."""
    words = [w for w in re.split("_", name) if w]
    return "".join(w[0].upper() + w[1:] for w in words) + "Backward0"


def number_like(value, like):
    """A Python number as a weak 0-d tensor of `like`'s dtype; None if the number is of a higher kind."""
    d = like.meta.dtype
    if type(value) is float:
        if d.category < 2:
            return None
    elif type(value) is int:
        if d.category < 1:
            return None
    elif type(value) is complex:
        if d.category < 3:
            return None
    elif type(value) is not bool:
        return None
    if d.is_half:
        return None
    t = wrap(scalar(value, d.np) if d.category >= 2 else wrapping_scalar(value, d.np))
    t.weak = True
    return t


def wants_grad(t):
    """Whether a gradient is wanted for t: its own flag, or for a view that of its base, which may have changed."""
    if t.needs_grad:
        return 1
    a = t.autograd
    if a is None or a.base is None:
        return 0
    base = a.base
    if base.needs_grad and t.meta.dtype.category >= 2:
        t.needs_grad = 1
        return 1
    return 0


class Op(Function):
    """A built-in operation."""

    def __init__(self, text, kind, rules, options):
        signature = Signature(text)
        self.signature = signature
        self.kind = kind
        self.name = options.node or node_name(signature.name)
        self.public_name = options.public or signature.name
        self.namespace = options.namespace
        self.alias_names = tuple(options.aliases)
        self.doc = options.doc
        self.n_outputs = kind.n_outputs
        self.is_view = kind.is_view
        self.outputs = options.outputs
        self.smooth_outputs = options.smooth_outputs
        self.residual_names = tuple(kind.residuals.split())
        self.places = tuple(i for i, name in enumerate(signature.names) if name in rules)
        self.rules = tuple(rules[signature.names[i]] for i in self.places)
        self.list_place = signature.names.index(options.lists) if options.lists else -1
        self.joint = next((r for r in self.rules if type(r) is Grads), None)
        self.differentiable = any(r is not NONE for r in self.rules)
        names = [name for name in signature.names if name in rules and rules[name] is not NONE] or [None]
        unknown = [name for name in rules if name not in signature.names]
        if unknown:
            raise RuleError(f"{text}: rules for {unknown}, which the signature does not have")
        self.fast = options.fast if isinstance(options.fast, dict) else {names[0]: options.fast}
        self.ufunc = kind.ufunc
        n = signature.n_positional
        self.direct = getattr(kind, "direct", kind.ufunc) if self.places in ((), tuple(range(n))) else None
        self.direct_from = kind.direct_from
        self.direct_below = getattr(kind, "direct_below", 4)
        operands = 0 if self.direct is None else kind.tensors if kind.ufunc is None else kind.ufunc.nin
        self.arity = n if n == len(signature.names) and n == operands and n <= 2 else 0
        self.with_inplace = kind.with_inplace if options.inplace is None else options.inplace
        self.with_out = kind.with_out
        self.plans = {}
        self.small_plans = []
        everything = (1 << len(self.rules)) - 1
        if self.differentiable:
            self.plan_for(everything)
        if len(self.rules) <= 2:
            self.small_plans = [self.plan_for(m) for m in range(everything + 1)]
        name, module = self.public_name, MODULES.get(options.namespace, f"chainrule.{options.namespace}")
        self.function = make_function(
            self, signature, name, module, self.doc, "out" if self.with_out else "plain", self.arity
        )
        self.inplace_function = None
        if self.with_inplace:
            doc = f"In-place form of `{name}`: changes and returns the tensor it is called on."
            self.inplace_function = make_function(self, signature, name + "_", module, doc, "inplace", self.arity)

    def call1(self, x):
        s = current()
        if s.special or not isinstance(x, Tensor) or self.direct is None:
            return self.call((x,))
        a = x
        d = a.meta.dtype
        if a.override or a.on_meta or not self.direct_from <= d.category < self.direct_below or d.is_half:
            return self.call((x,))
        out = wrap_like(self.direct(a.array) if self.ufunc is None else self.ufunc.call1(a.array), a)
        if self.differentiable and s.grad_enabled and (a.needs_grad or (a.autograd is not None and wants_grad(a))):
            record1(self, self.small_plans[1], out, a, s)
        return out

    def call2(self, x, y):
        s = current()
        if s.special or not isinstance(x, Tensor) or self.direct is None:
            return self.call((x, y))
        a = x
        if a.override or a.on_meta:
            return self.call((x, y))
        if isinstance(y, Tensor):
            b = y
            if b.override or b.on_meta:
                return self.call((x, y))
        else:
            b = number_like(y, a)
            if b is None:
                return self.call((x, y))
        d = a.meta.dtype
        if d is not b.meta.dtype or not self.direct_from <= d.category < self.direct_below or d.is_half:
            # the number as it was given: beside what is computed in another dtype it must not have wrapped
            return self.call((x, y))
        array = self.direct(a.array, b.array) if self.ufunc is None else self.ufunc.call2(a.array, b.array)
        out = wrap_like(array, b if a.weak else a)
        if self.differentiable and s.grad_enabled:
            mask = 1 if a.needs_grad else 0 if a.autograd is None else wants_grad(a)
            if b.needs_grad or (b.autograd is not None and wants_grad(b)):
                mask |= 2
            if mask:
                record2(self, self.small_plans[mask], out, a, b, s)
        return out

    def rcall2(self, x, y):
        """y op x for a number (or anything else that is no tensor) y."""
        b = number_like(y, x) if x.meta.dtype.category >= self.direct_from else None
        return self.call((y, x)) if b is None else self.call2(b, x)

    def inplace2(self, x, y):
        """x op= y. The short way for tensors outside any graph; the rest is `call_inplace`."""
        s = current()
        if s.special or not isinstance(x, Tensor) or self.ufunc is None:
            return self.call_inplace((x, y))
        a = x
        if a.override or a.on_meta or (s.grad_enabled and wants_grad(a)):
            return self.call_inplace((x, y))
        if isinstance(y, Tensor):
            b = y
            if b.override or b.on_meta or (s.grad_enabled and wants_grad(b)):
                return self.call_inplace((x, y))
        else:
            b = number_like(y, a)
            if b is None:
                return self.call_inplace((x, y))
        d = a.meta.dtype
        if d is not b.meta.dtype or not self.direct_from <= d.category < self.direct_below or d.is_half:
            return self.call_inplace((x, y))
        if a.autograd is not None:
            return self.call_inplace((x, y))
        slots.check_overlap(self.name, a.array, b.array)
        try:
            self.ufunc.into2(a.array, a.array, b.array)
        except ValueError as error:
            raise self.refused((x, y), error) from None
        bump_version(a)
        return a

    def call(self, args):
        """Any call: special modes and overrides first, then the kind's forward, then recording."""
        if current().special or _overridden(args):
            return slots.special(self, args)
        return self.run(args)

    def run(self, args):
        """The kind's forward, wrapped and recorded."""
        s = current()
        values = list(args)
        try:
            result = self.kind.forward(self, values)
        except Exception as error:
            raise self.refused(args, error) from None
        residuals = ()
        if self.residual_names:
            residuals = result[self.n_outputs :]
            result = result[0] if self.n_outputs == 1 else result[: self.n_outputs]
        several = isinstance(result, (tuple, list))
        outs = [wrap(asanyarray(array)) for array in result] if several else [wrap(asanyarray(result))]
        if _any_on_meta(values):
            for t in outs:
                slots.to_meta(t)
        if self.is_view:
            slots.view_made(self, values, outs, several)
        if self.differentiable and s.grad_enabled:
            mask = self.wanted_mask(values)
            if mask and outs:
                record(self, self.plan_for(mask), self.places, values, outs, residuals, s)
        if several:
            return tuple(outs) if self.outputs is None else self.outputs(outs)
        return outs[0]

    def call_inplace(self, args):
        """The in-place form: compute, write into the first argument, move its history to the new node."""
        if current().special or _overridden(args):
            return slots.special(self, args, "inplace")
        s = current()
        args = list(args)
        target = args[0]
        mask = self.wanted_mask(args) if s.grad_enabled and self.differentiable else 0
        plan = self.plan_for(mask) if mask else None
        slots.check_inplace(self, target, plan is not None)
        kept = slots.keep_overwritten(target, args, plan.sources) if plan is not None else {}
        given = tuple(args)
        try:
            residuals = self.kind.write(self, args, target)
        except Exception as error:
            raise self.refused(given, error) from None
        bump_version(target)
        if plan is not None:
            for place, copy in kept.items():
                args[place] = copy
            slots.rebase(self, plan, args, target, residuals, s)
        return target

    def refused(self, args, error):
        """What a call raises whose work raised `error`: told in terms of its arguments."""
        return refusal(self.public_name, self.signature.names, args, error)

    def renamed(self, place, own, other):
        """An argument given under NumPy's name; TypeError if it was given under its own too."""
        before = place - self.signature.n_positional
        default = self.signature.defaults[before] if -before <= len(self.signature.defaults) else MISSING
        if own is not default and (type(own) is not type(default) or own != default):
            raise TypeError(f"{self.public_name}() got two values for argument '{self.signature.names[place]}'")
        return other

    def call_without(self, place):
        """A call without an argument that has no default."""
        raise TypeError(
            f"{self.public_name}() missing 1 required positional argument: '{self.signature.names[place]}'"
        )

    def refuse_count(self, given):
        """TypeError for a call with too many arguments by position."""
        n = self.signature.n_positional
        raise TypeError(
            f"{self.public_name}() takes {n} positional argument{'s' if n > 1 else ''} but {given} were given"
        )

    def call_out(self, args, out):
        """The `out=` form: compute, then write into `out`, resized if it does not fit."""
        return slots.write_out(self, args, out)

    def wanted_mask(self, args):
        """Which differentiable arguments want a gradient, as bits."""
        mask = 0
        bit = 1
        for place in self.places:
            value = args[place]
            if isinstance(value, Tensor):
                t = value
                if t.needs_grad or (t.autograd is not None and wants_grad(t)):
                    mask |= bit
            elif isinstance(value, (list, tuple)):
                for item in value:
                    if isinstance(item, Tensor) and wants_grad(item):
                        mask |= bit
                        break
            bit <<= 1
        return mask

    def plan_for(self, mask):
        plan = self.plans.get(mask)
        if plan is None:
            plan = self.plans[mask] = self.make_plan(mask)
        return plan

    def make_plan(self, mask):
        """What is saved when the inputs in `mask` want a gradient: what their rules' parameters name, once each.

        A rule's positions say where each parameter comes from: a place among the saved values, -1 - k for the
        gradient of output k, ALL_GRADIENTS for the list of all of them."""
        sources, rules = [], []
        for i, rule in enumerate(self.rules):
            if not mask >> i & 1 or rule is NONE:
                rules.append(None)
                continue
            positions = []
            for name in parameters(rule):
                if name == "wants":
                    continue
                if name == "g":
                    positions.append(-1 if self.n_outputs == 1 else ALL_GRADIENTS)
                elif re.fullmatch(r"g\d+", name):
                    positions.append(-1 - int(name[1:]))
                else:
                    source = self.source_of(name)
                    if source not in sources:
                        sources.append(source)
                    positions.append(sources.index(source))
            name = self.signature.names[self.places[i]]
            rules.append((rule, tuple(positions), self.fast.get(name)))
        plan = Plan.__new__(Plan)
        plan.sources = tuple(sources)
        plan.n_saved = len(sources)
        plan.rules = tuple(rules)
        return plan

    def source_of(self, name):
        """The source a rule's parameter names; RuleError for a name that is nothing of this entry."""
        names = self.signature.names
        if name in names:
            return names.index(name)
        if name in self.residual_names:
            return RESIDUAL + self.residual_names.index(name)
        if name == "out":
            return OUTPUT
        if re.fullmatch(r"out\d+", name):
            return OUTPUT + int(name[3:])
        for suffix, mark in (("_shape", SHAPE), ("_dtype", DTYPE)):
            if name.endswith(suffix) and name[: -len(suffix)] in names:
                return mark + names.index(name[: -len(suffix)])
        raise RuleError(f"{self.signature.text}: a rule asks for '{name}', which is no argument, output or residual")

    def differentiable_output(self, k):
        return self.smooth_outputs is None or self.smooth_outputs[k]

    def saved_names(self, node):
        """The names of a node's saved values as PyTorch spells them, in their order: `self`, `other`, `result`, …"""
        mask = 0
        for i in range(len(self.rules)):
            mask |= (node.links[i] is not None) << i if node.n_edges == len(self.rules) else 1 << i
        return [self.saved_name(source) for source in self.plan_for(mask).sources]

    def saved_name(self, source):
        if source >= RESIDUAL:
            return self.residual_names[source - RESIDUAL]
        if OUTPUT <= source < SHAPE:
            return "result" if self.n_outputs == 1 else f"result{source - OUTPUT}"
        place = source if source < OUTPUT else source - (SHAPE if source < DTYPE else DTYPE)
        name = self.signature.names[place]
        name = "self" if name == "input" else name
        return name if source < OUTPUT else f"{name}_shape" if source < DTYPE else f"{name}_dtype"

    def saved_value(self, node, name):
        """A saved value under its name; RuntimeError once it was freed or changed in place."""
        names = self.saved_names(node)
        if name not in names:
            raise AttributeError(f"'{node.name()}' object has no attribute '_saved_{name}'")
        return unpack(node.links[node.n_edges + names.index(name)], node)

    def backward(self, node, g, wanted):
        n = node.n_edges
        if g is None:
            return None if n == 1 else (None,) * n
        if self.list_place >= 0:
            return self.list_backward(node, g, wanted)
        if n == 1 and self.joint is None:
            plan = self.small_plans[1]
            rule, positions, fast = plan.rules[0]
            return self.apply_rule(rule, positions, fast, node, g)
        mask = 0
        for i in range(n):
            if node.links[i] is not None:
                mask |= 1 << i
        plan = self.small_plans[mask] if n <= 2 else self.plan_for(mask)
        if self.joint is not None:
            return self.joint_backward(node, g, wanted, mask, plan)
        if n == 2 and mask < 3:
            rule, positions, fast = plan.rules[mask - 1]
            g = self.apply_rule(rule, positions, fast, node, g)
            return (g, None) if mask == 1 else (None, g)
        grads = [None] * n
        for i in range(n):
            e = node.links[i]
            if e is not None and (wanted is None or e in wanted):
                rule, positions, fast = plan.rules[i]
                grads[i] = self.apply_rule(rule, positions, fast, node, g)
        return grads

    def apply_rule(self, rule, positions, fast, node, g):
        """The gradient one rule gives: by its fast kernel where nothing is recorded, by its text otherwise."""
        n = len(positions)
        if fast is not None and self.n_outputs == 1 and not current().grad_enabled:
            t = g
            if t.meta.dtype.category < 3 and not t.meta.dtype.is_half:
                if n == 2 and positions[0] == -1:
                    p = positions[1]
                    saved = unpack(node.links[node.n_edges + p], node)
                    if isinstance(saved, Tensor):
                        b = saved
                        if b.meta.dtype is t.meta.dtype and (alike(t.array, b.array) or not b.meta.shape):
                            if isinstance(fast, Ufunc):
                                u = fast
                                return wrap_like(u.call2(t.array, b.array), t)
                            if b.meta.shape or not t.meta.shape:
                                return wrap_like(fast(t.array, b.array), t)
                if not isinstance(fast, Ufunc):
                    return self.apply_fast(fast, rule, positions, node, g)
        if self.n_outputs != 1:
            return rule(*self.rule_arguments(positions, node, g))
        if n == 1:
            return rule(g)
        p = positions[0]
        if p == -1 and n == 2:
            p = positions[1]
            return rule(g, unpack(node.links[node.n_edges + p], node))
        if p == -1 and n == 3:
            p = positions[1]
            q = positions[2]
            return rule(g, unpack(node.links[node.n_edges + p], node), unpack(node.links[node.n_edges + q], node))
        return rule(*self.rule_arguments(positions, node, g))

    def rule_arguments(self, positions, node, g):
        """The values of a rule's parameters, from its positions (see make_plan)."""
        out = []
        several = self.n_outputs != 1
        for p in positions:
            if p < 0:
                out.append(g[-1 - p] if several else g)
            elif p >= ALL_GRADIENTS:
                out.append(g)
            else:
                out.append(unpack(node.links[node.n_edges + p], node))
        return out

    def apply_fast(self, kernel, rule, positions, node, g):
        arguments = self.rule_arguments(positions, node, g)
        if _half(arguments):
            return rule(*arguments)
        return wrap(kernel(*[v.array if isinstance(v, Tensor) else v for v in arguments]))

    def joint_backward(self, node, g, wanted, mask, plan):
        """One rule for all inputs: told which are wanted, it answers with one gradient (or None) for each."""
        wants = []
        for i in range(len(self.rules)):
            e = node.links[i]
            wants.append(e is not None and (wanted is None or e in wanted))
        rule, positions, fast = [r for r in plan.rules if r is not None][0]
        arguments = self.rule_arguments(positions, node, g)
        if "wants" in parameters(rule):
            arguments.insert(parameters(rule).index("wants"), tuple(wants))
        if fast is not None and not current().grad_enabled and not _half(arguments):
            values = [v.array if isinstance(v, Tensor) else v for v in arguments]
            grads = [None if x is None else wrap(x) for x in fast(*values)]
        else:
            fn = rule.fn
            grads = [x if w else None for x, w in zip(fn(*arguments), wants, strict=True)]
        return grads[0] if len(grads) == 1 else grads

    def list_backward(self, node, g, wanted):
        """An op with a list argument: the list's rule answers with a list, one gradient for each of its tensors."""
        length = node.n_edges - len(self.places) + 1
        mask, at, groups = 0, 0, []
        for i, place in enumerate(self.places):
            end = at + (length if place == self.list_place else 1)
            group = node.links[at:end]
            for e in group:
                if e is not None:
                    mask |= 1 << i
            groups.append(group)
            at = end
        plan = self.plan_for(mask)
        grads = []
        for entry, group in zip(plan.rules, groups, strict=True):
            needed = [e is not None and (wanted is None or e in wanted) for e in group]
            if entry is None or True not in needed:
                grads.extend([None] * len(group))
                continue
            rule, positions, _ = entry
            given = rule(*self.rule_arguments(positions, node, g))
            given = list(given) if isinstance(given, (list, tuple)) else [given]
            grads.extend([x if need else None for x, need in zip(given, needed, strict=True)])
        return grads[0] if len(grads) == 1 else grads

    def __repr__(self):
        return f"<op {self.signature.text}>"


ALL_GRADIENTS = 10_000
MODULES = {"torch": "chainrule", "Tensor": "chainrule"}


def parameters(rule):
    """The names of a rule's parameters, without the cost of inspect.signature."""
    fn = rule.fn if isinstance(rule, Grads) else rule
    code = fn.__code__
    return code.co_varnames[: code.co_argcount]


def _half(values):
    return any(isinstance(v, Tensor) and v.meta.dtype.is_half for v in values)


def _overridden(args):
    for a in args:
        if isinstance(a, Tensor):
            t = a
            if t.override:
                return True
        elif isinstance(a, (list, tuple)):
            for item in a:
                if isinstance(item, Tensor) and item.override:
                    return True
    return False


def _any_on_meta(args):
    for a in args:
        if isinstance(a, Tensor):
            t = a
            if t.on_meta:
                return True
        elif isinstance(a, (list, tuple)):
            for item in a:
                if isinstance(item, Tensor) and item.on_meta:
                    return True
    return False


class Options:
    """What an entry may say beside signature, kind and rules."""

    def __init__(self, aliases=(), doc="", node=None, public=None, namespace="torch", outputs=None,
                 smooth_outputs=None, lists=None, fast=None, inplace=None, method=True):  # fmt: skip
        self.aliases = aliases
        self.doc = doc
        self.node = node
        self.public = public
        self.namespace = namespace
        self.outputs = outputs
        self.smooth_outputs = smooth_outputs
        self.lists = lists
        self.fast = fast
        self.inplace = inplace
        self.method = method


OPTION_NAMES = frozenset(Options.__init__.__code__.co_varnames[1 : Options.__init__.__code__.co_argcount])


def op(text, kind, *joint, **given):
    """Register one entry of the op table and return its public function.

    `text` is the signature in PyTorch's names. A keyword named like a parameter is the rule that gives this input's
    cotangent (or NONE: not differentiable); `grads("a b", rule)` gives several at once. Options: `aliases`, `doc`,
    `node` (node name where it is not made from the op's), `public` (the name under which several signatures appear as
    one), `namespace` ("torch", "nn.functional", "linalg", …), `outputs` (wraps several outputs, such as a named
    tuple), `smooth_outputs` (which outputs are differentiable), `lists` (the parameter that is a list of tensors),
    `fast` (a kernel with the rule's parameters, used on real numbers where nothing is recorded; for several rules a
    dictionary by input; a Ufunc stands for `g op saved`), `inplace`, `method` (install on Tensor).
    """
    options = Options(**{k: v for k, v in given.items() if k in OPTION_NAMES})
    rules = {k: v for k, v in given.items() if k not in OPTION_NAMES}
    for together in joint:
        for name in together.names:
            rules[name] = together
    entry = Op(text, kind, rules, options)
    entry.method = options.method
    registry[entry.namespace, entry.signature.text] = entry
    entry.function.op = entry
    return entry.function


def grads(names, rule):
    """One rule for several inputs: `rule(g, …, wants)` returns a tuple, None where an input is not wanted."""
    return Grads(names, rule)


def composite(namespace="torch", aliases=(), method=None, name=None):
    """Register a plain function over ops under its own name; it needs no rule.

    `method`: also on Tensor (default: those of torch).

    A name registered here goes before an op's entry of that name."""

    def register(function):
        function.__module__ = MODULES.get(namespace, f"chainrule.{namespace}")
        public = name or function.__name__
        function.__name__ = function.__qualname__ = public
        as_method = namespace in ("torch", "Tensor") if method is None else method
        face = faces.get(function)
        if face is None:
            face = faces[function] = guarded(function) if takes_guard(function) else function
        for known in (public, *aliases):
            composites[namespace, known] = (face, as_method)
        return function

    return register
