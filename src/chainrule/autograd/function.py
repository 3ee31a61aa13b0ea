"""Function: an operation of the user's own, with a forward and a backward method. What of it the engine sees is a node.

Each Function class has a node class of its own (`MyFnBackward`); a call makes one node and one context, which the
methods get as `ctx`. The node shows the context's attributes as its own.
"""

import functools
import inspect
import warnings
import weakref

from chainrule._engine import views
from chainrule._engine.accumulate import gradient_edge
from chainrule._engine.dispatch import Special, recorded
from chainrule._engine.location import mark
from chainrule._engine.native import untrack
from chainrule._engine.node import Function as EngineFunction
from chainrule._engine.node import Node
from chainrule._engine.op import wants_grad
from chainrule._engine.record import make_node, number
from chainrule._engine.saved import save_input, save_output, unpack
from chainrule._engine.tensor import Tensor, bump_version, wrap
from chainrule._engine.thread_state import current
from chainrule.autograd.zeros import zeros_of

__all__ = ["Function", "FunctionCtx", "InplaceFunction", "once_differentiable"]


class FunctionCtx:
    """What forward leaves for backward: saved tensors, marks on outputs, and the user's own attributes."""

    to_save = None
    saved_for_forward = None
    non_differentiable = ()
    dirty_tensors = ()
    materialize_grads = True
    needs_input_grad = ()
    _node = None
    _kept = 0

    def save_for_backward(self, *tensors):
        """Keep tensors (inputs, outputs, others, None) for `saved_tensors` in backward. Call it once, in forward."""
        self.to_save = tensors

    def save_for_forward(self, *tensors):
        """Keep tensors for `jvp`, which finds them in `saved_tensors`."""
        self.saved_for_forward = tensors

    def mark_dirty(self, *args):
        """Say which inputs forward changed in place; each must be among the outputs."""
        self.dirty_tensors = args

    def mark_non_differentiable(self, *args):
        """Say which outputs have no derivative; they do not require a gradient."""
        self.non_differentiable = args

    def set_materialize_grads(self, value):
        """Whether backward gets zeros (the default) or None for outputs that got no gradient."""
        self.materialize_grads = value

    @property
    def saved_tensors(self):
        """What `save_for_backward` kept, checked for in-place changes; RuntimeError once the graph was freed."""
        node = self._node() if self._node is not None else None
        if node is None:
            return tuple(self.to_save or ())
        return tuple(unpack(node.links[node.n_edges + k], node) for k in range(self._kept))

    def __getattr__(self, name):
        node = self.__dict__["_node"]() if "_node" in self.__dict__ else None
        if node is not None and name in _NODE_NAMES:
            return getattr(node, name)
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")


_NODE_NAMES = frozenset(("name", "next_functions", "metadata", "register_hook", "register_prehook"))
_CTX_NAMES = ("saved_tensors", "needs_input_grad", "materialize_grads", "to_save", "dirty_tensors",
              "non_differentiable")  # fmt: skip


class BackwardCFunction(Node):
    """The node of a call of a user's Function; its subclasses are made with the Function classes."""

    _forward_cls = None

    def __getattr__(self, name):
        ctx = self.__dict__.get("_ctx")
        if ctx is not None and (name in vars(ctx) or name in _CTX_NAMES):
            return getattr(ctx, name)
        return super().__getattr__(name)

    def __dir__(self):
        ctx = vars(self).get("_ctx")
        return [*super().__dir__(), *_CTX_NAMES, *(vars(ctx) if ctx is not None else ())]


class UserFunction(EngineFunction):
    """What the nodes of one Function class run: its backward method, with checks on what it returns."""

    def __init__(self, cls):
        self.name = cls.__name__ + "Backward"
        self.owner = weakref.ref(cls)

    def differentiable_output(self, k):
        return True

    def backward(self, node, g, wanted):
        ctx = node._ctx
        metas = node.meta if type(node.meta) is tuple else (node.meta,)
        grads = (None,) * len(metas) if g is None else tuple(g) if type(node.meta) is tuple else (g,)
        if ctx.materialize_grads:
            grads = [zeros_of(m) if x is None and m is not None else x for x, m in zip(grads, metas, strict=True)]
        found = self.rule()(ctx, *grads)
        found = found if isinstance(found, tuple) else (found,)
        given = node._is_tensor
        n = len(given)
        if len(found) > n and all(x is None for x in found[n:]):
            found = found[:n]
        if len(found) != n:
            raise RuntimeError(
                f"function {self.name} returned an incorrect number of gradients (expected {n}, got {len(found)})"
            )
        result = []
        for i, (x, is_tensor) in enumerate(zip(found, given, strict=True)):
            if is_tensor:
                if x is not None and not isinstance(x, Tensor):
                    raise RuntimeError(
                        f"function {self.name}: expected Variable or None (got {type(x).__name__}) for gradient {i}"
                    )
                result.append(x)
            elif x is not None:
                raise RuntimeError(
                    f"function {self.name} returned a gradient different than None at position {i + 1}, but the "
                    "corresponding forward input was not a Variable"
                )
        return result[0] if len(result) == 1 else result

    def rule(self):
        """The class's backward, or its vjp: one of the two."""
        cls = self.owner()
        by_backward = cls.backward is not Function.backward
        by_vjp = cls.vjp is not Function.vjp
        if by_backward and by_vjp:
            raise RuntimeError(
                "Implementing both 'backward' and 'vjp' for a custom Function is not allowed. You should only "
                "implement one of them."
            )
        return cls.vjp if by_vjp else cls.backward


class FunctionMeta(type):
    """Gives each Function class its node class, named as PyTorch names it."""

    def __init__(cls, name, bases, attributes):
        super().__init__(name, bases, attributes)
        cls._backward_cls = type(
            name + "Backward", (BackwardCFunction,), {"_forward_cls": cls, "__module__": cls.__module__}
        )
        cls._runner = UserFunction(cls)


class Function(metaclass=FunctionMeta):
    """Base of user-defined operations: give static `forward(ctx, …)` and `backward(ctx, *grads)`, call `apply`.

    Or `forward(…)` without ctx, and `setup_context(ctx, inputs, output)`. `backward` returns one gradient for each
    argument of forward, None where there is none."""

    generate_vmap_rule = False

    def __init__(self, *args, **kwargs):
        warnings.warn(
            f"{type(self)} should not be instantiated. Methods on autograd functions are all static, so you should "
            "invoke them on the class itself.",
            DeprecationWarning,
            stacklevel=2,
        )

    def __call__(self, *args, **kwargs):
        raise RuntimeError(
            "Legacy autograd function with non-static forward method is deprecated. Please use new-style autograd "
            "function with static forward method: `MyFunction.apply(...)`, not `MyFunction()(...)`."
        )

    @staticmethod
    def forward(*args, **kwargs):
        """The operation; gets `ctx` first, unless the class has `setup_context`. Runs without recording."""
        raise NotImplementedError("You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def setup_context(ctx, inputs, output):
        """Fill `ctx` from forward's inputs and output, for a forward that takes no ctx."""
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx, *grad_outputs):
        """The gradients of forward's arguments from those of its outputs."""
        raise NotImplementedError(
            "You must implement either the backward or vjp method for your custom autograd.Function to use it with "
            "backward mode AD."
        )

    @staticmethod
    def vjp(ctx, *grad_outputs):
        """Another name for `backward`; a class gives one of them."""
        raise NotImplementedError("vjp is not implemented.")

    @staticmethod
    def jvp(ctx, *grad_inputs):
        """The tangents of the outputs from those of the arguments, for forward mode."""
        raise NotImplementedError(
            "You must implement the jvp function for custom autograd.Function to use it with forward mode AD."
        )

    @staticmethod
    def vmap(info, in_dims, *args):
        """The operation on a batch, for `vmap`: returns outputs and their batch dimensions."""
        raise NotImplementedError(
            "To use autograd.Function with vmap, override its vmap staticmethod or set generate_vmap_rule=True."
        )

    @classmethod
    def apply(cls, *args, **kwargs):
        """Call the operation and record it if a gradient is wanted."""
        with_setup = cls.setup_context is not Function.setup_context
        if kwargs or with_setup:
            args = _positional(cls, args, kwargs, with_setup)
        state = current()
        if state.special & Special.RECORDING:
            return recorded(cls.__name__, "forward", state, functools.partial(cls._call, args, with_setup, state), args)
        return cls._call(args, with_setup, state)

    @classmethod
    def _call(cls, args, with_setup, state):
        is_tensor = tuple([isinstance(a, Tensor) for a in args])
        needs = tuple([bool(wants_grad(a)) if t else False for a, t in zip(args, is_tensor, strict=True)])
        recorded = state.grad_enabled and True in needs
        inputs = [a for a, t in zip(args, is_tensor, strict=True) if t]
        edges, numbers = (), ()
        if recorded:
            edges = tuple([gradient_edge(t) if wants_grad(t) else None for t in inputs])
            numbers = tuple([t.output_number if e is not None else 0 for t, e in zip(inputs, edges, strict=True)])
        ctx = FunctionCtx()
        ctx.needs_input_grad = needs
        enabled, state.grad_enabled = state.grad_enabled, False
        try:
            if with_setup:
                output = cls.forward(*args)
                cls.setup_context(ctx, args, output)
            else:
                output = cls.forward(ctx, *args)
            outs = output if isinstance(output, tuple) else (output,)
            _check_marks(cls, ctx, inputs, outs)
            for t in ctx.dirty_tensors:
                # forward may have written through an array, which counts nothing
                bump_version(t)
            outs = _unrecorded(ctx, inputs, outs) if not recorded else list(outs)
        finally:
            state.grad_enabled = enabled
        if recorded:
            outs = _recorded(cls, ctx, inputs, is_tensor, edges, numbers, outs, state)
        return tuple(outs) if isinstance(output, tuple) else outs[0]


class InplaceFunction(Function):
    """A Function that may work in place; kept for programs that derive from it."""

    def __init__(self, inplace=False):
        super().__init__()
        self.inplace = inplace


def _positional(cls, args, kwargs, with_setup):
    """All arguments by position, defaults filled in."""
    signature = inspect.signature(cls.forward)
    bound = signature.bind(*args, **kwargs) if with_setup else signature.bind(None, *args, **kwargs)
    bound.apply_defaults()
    return bound.args if with_setup else bound.args[1:]


def _check_marks(cls, ctx, inputs, outs):
    """TypeError or RuntimeError for what was marked or saved and cannot be."""
    for t in ctx.dirty_tensors:
        if not isinstance(t, Tensor):
            raise RuntimeError(f"mark_dirty can only accept variables, but got {type(t).__name__}")
        if not any(t is out for out in outs):
            raise RuntimeError(
                "Some elements marked as dirty during the forward method were not returned as output. The inputs that "
                "are modified inplace must all be outputs of the Function."
            )
    for t in ctx.non_differentiable:
        if not isinstance(t, Tensor):
            raise RuntimeError(f"mark_non_differentiable only accepts variable arguments, but got {type(t).__name__}")
    for i, t in enumerate(ctx.to_save or ()):
        if t is not None and not isinstance(t, Tensor):
            raise TypeError(
                f"save_for_backward can only save variables, but argument {i} is of type {type(t).__name__}"
            )


def _among(t, tensors):
    return any(t is other for other in tensors)


def _unrecorded(ctx, inputs, outs):
    """The outputs of a call that is not recorded: an input returned as it is becomes another tensor over its memory."""
    return [
        _alias(o) if isinstance(o, Tensor) and _among(o, inputs) and not _among(o, ctx.dirty_tensors) else o
        for o in outs
    ]


def _alias(t):
    """Another tensor over the same memory, without history."""
    out = wrap(t.array)
    views.share_memory(t, out, with_version=True)
    out.on_meta = t.on_meta
    return out


def _recorded(cls, ctx, inputs, is_tensor, edges, numbers, outs, state):
    """Make the call's node and tie its outputs to it."""
    node = cls._backward_cls.__new__(cls._backward_cls)
    node.function = cls._runner
    node.code = None
    node.instruction = 0
    node.claim = None
    node.extra = None
    node.n_edges = len(edges)
    untrack(edges)
    node.links = edges
    number(node, state)
    mark(node)
    if any(numbers):
        node.need_extra().numbers = numbers
    node._ctx = ctx
    node._is_tensor = is_tensor
    node.meta = None
    n_smooth = 0
    for k, o in enumerate(outs):
        if not isinstance(o, Tensor):
            continue
        smooth = o.meta.dtype.category >= 2 and not _among(o, ctx.non_differentiable)
        n_smooth += smooth
        outs[k] = _tie(node, k, o, smooth, _among(o, inputs), _among(o, ctx.dirty_tensors), inputs, state)
    if n_smooth > 1:
        for o in outs:
            if isinstance(o, Tensor) and o.autograd is not None and o.autograd.base is not None:
                if _among(o, ctx.dirty_tensors):
                    raise RuntimeError(
                        "If your Function modifies inplace an input that is a view of another Tensor, your Function "
                        "cannot return more than one Tensor. Clone the input first, or split the Function in two."
                    )
                o.autograd.view_kind = views.MULTI_VIEW
    metas = tuple([o.meta if isinstance(o, Tensor) else None for o in outs])
    node.meta = metas[0] if len(metas) == 1 else metas
    saved = [_saved(t, outs) for t in ctx.to_save or ()]
    links = (*edges, *saved)
    untrack(links)
    node.links = links
    ctx._kept = len(saved)
    ctx.to_save = None
    ctx._node = weakref.ref(node)
    return outs


def _tie(node, k, o, smooth, is_input, is_dirty, inputs, state):
    """Output k as the program gets it."""
    if not smooth:
        if is_input and not is_dirty:
            return _alias(o)
        if o.node is not None:
            o.node = None
            o.needs_grad = False
        return o
    if is_dirty:
        a = o.autograd
        if is_input and o.node is None and o.needs_grad and (a is None or a.base is None):
            raise RuntimeError("a leaf Variable that requires grad has been used in an in-place operation.")
        place = next((i for i, t in enumerate(inputs) if t is o), None)
        views.move_history(o, node, k, place, state)
        return o
    if is_input:
        source, o = o, wrap(o.array)
        views.link_view(source, o, views.CUSTOM_VIEW)
    if o.autograd is not None and o.autograd.base is not None:
        o.autograd.view_kind = views.CUSTOM_VIEW
        o.autograd.view_version = o.counter.n
    o.node = node
    o.output_number = k
    o.needs_grad = True
    return o


def _saved(t, outs):
    """A saved tensor's form in the node; an output of this very call must not own the node."""
    if t is None:
        return None
    for k, o in enumerate(outs):
        if o is t and o.node is not None:
            return save_output(t, k)
    return save_input(t)


class _TwiceFunction(EngineFunction):
    """Raises when a gradient that `once_differentiable` has cut off is differentiated again."""

    def __init__(self):
        self.name = "OnceDifferentiableBackward"

    def backward(self, node, g, wanted):
        raise RuntimeError("trying to differentiate twice a function that was marked with @once_differentiable")


_twice = _TwiceFunction()


def once_differentiable(fn):
    """Decorator of a `backward` whose own operations are not differentiable: a second derivative is a RuntimeError."""

    @functools.wraps(fn)
    def once(ctx, *args):
        state = current()
        enabled = state.grad_enabled
        state.grad_enabled = False
        try:
            outputs = fn(ctx, *args)
        finally:
            state.grad_enabled = enabled
        if not enabled:
            return outputs
        saved = ctx.saved_tensors
        reached = [t for t in (*args, *saved) if isinstance(t, Tensor) and wants_grad(t)]
        if not reached:
            return outputs
        several = isinstance(outputs, tuple)
        outs = [_cut(o, reached, state) for o in (outputs if several else (outputs,))]
        return tuple(outs) if several else outs[0]

    return once


def _cut(o, reached, state):
    """A gradient with a node behind it that leads to all it may depend on, and refuses to run."""
    if not isinstance(o, Tensor):
        return o
    out = _alias(o)
    node = make_node(_twice, tuple([gradient_edge(t) for t in reached]), len(reached), out.meta, state)
    if any(t.output_number for t in reached):
        node.need_extra().numbers = tuple([t.output_number for t in reached])
    out.node = node
    out.needs_grad = True
    return out
