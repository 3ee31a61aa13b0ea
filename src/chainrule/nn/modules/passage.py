"""Passage: how backward hooks get to see the gradients that enter and leave a module."""

import warnings
from collections.abc import Callable
from typing import Any

import chainrule
from chainrule import Tensor
from chainrule.autograd import Function


class ModuleGate(Function):
    """The identity with a node of its own, for hooks to hang on."""

    @staticmethod
    def forward(ctx: Any, *tensors: Tensor) -> tuple:
        return tuple(tensor.view_as(tensor) for tensor in tensors)

    @staticmethod
    def backward(ctx: Any, *g: Tensor) -> tuple:
        return g


class Passage:
    """One call's way through backward: gates at the output and at the inputs, where the hooks are run.

    The output gate runs the pre-hooks and remembers grad_output; the input gate hands both to the hooks. When
    no input wants a gradient, the hooks run at the output gate, with None for each input.
    """

    def __init__(self, module: Any, before: list[Callable], after: list[Callable]) -> None:
        self.module = module
        self.before = before
        self.after = after
        self.grad_output: tuple | None = None
        self.inputs: list[int] = []
        self.n_inputs = 0
        self.outputs: list[int] = []
        self.n_outputs = 0

    def enter(self, args: tuple) -> tuple:
        self.n_inputs = len(args)
        self.inputs, args, node = self._through_gate(args)
        if node is not None:
            node.register_hook(self._at_inputs)
        return args

    def leave(self, result: Any) -> Any:
        alone = not isinstance(result, tuple)
        outputs = (result,) if alone else result
        self.n_outputs = len(outputs)
        self.outputs, outputs, node = self._through_gate(outputs)
        if node is None:
            return result
        node.register_prehook(self._at_outputs)
        if alone:
            return outputs[0]
        # A named tuple comes back as one.
        return type(result)(*outputs) if hasattr(result, "_fields") else outputs

    @staticmethod
    def _through_gate(values: tuple) -> tuple[list[int], tuple, Any]:
        """Which values want a gradient, the values with those replaced by gated ones, and the gate's node."""
        wanting = [i for i, value in enumerate(values) if isinstance(value, Tensor) and value.requires_grad]
        if not wanting or not chainrule.is_grad_enabled():
            return [], values, None
        gated = ModuleGate.apply(*[values[i] for i in wanting])
        replaced = list(values)
        for i, tensor in zip(wanting, gated, strict=True):
            replaced[i] = tensor
        return wanting, tuple(replaced), gated[0].grad_fn

    def _at_outputs(self, grads: tuple) -> tuple:
        grad_output = _spread(self.outputs, grads, self.n_outputs)
        for hook in self.before:
            replaced = hook(self.module, grad_output)
            if replaced is None:
                continue
            replaced = replaced if isinstance(replaced, tuple) else (replaced,)
            if len(replaced) != self.n_outputs:
                raise RuntimeError(
                    "Backward pre hook returned an invalid number of grad_output, "
                    f"got {len(replaced)}, but expected {self.n_outputs}"
                )
            grad_output = replaced
        if self.inputs:
            self.grad_output = grad_output
        else:
            self._run_without_inputs(grad_output)
        return tuple(grad_output[i] for i in self.outputs)

    def _run_without_inputs(self, grad_output: tuple) -> None:
        if self.after:
            warnings.warn(
                "Full backward hook is firing when gradients are computed with respect to module outputs "
                "since no inputs require gradients. See the documentation of "
                "Module.register_full_backward_hook for more details.",
                stacklevel=4,
            )
        grad_input = (None,) * self.n_inputs
        for hook in self.after:
            replaced = hook(self.module, grad_input, grad_output)
            if replaced is not None and not (
                isinstance(replaced, tuple) and all(grad is None for grad in replaced)
            ):
                raise RuntimeError(
                    "Backward hook for Modules where no input requires gradient should always return None "
                    "or None for all gradients."
                )

    def _at_inputs(self, grads: tuple, _: tuple) -> tuple | None:
        if self.grad_output is None:
            # The gradient reached the inputs without passing the output, as a double backward may.
            return None
        grad_input = _spread(self.inputs, grads, self.n_inputs)
        for hook in self.after:
            replaced = hook(self.module, grad_input, self.grad_output)
            if replaced is None:
                continue
            replaced = replaced if isinstance(replaced, tuple) else (replaced,)
            if len(replaced) != self.n_inputs:
                raise RuntimeError(
                    "Backward hook returned an invalid number of grad_input, "
                    f"got {len(replaced)}, but expected {self.n_inputs}"
                )
            grad_input = replaced
        self.grad_output = None
        return tuple(grad_input[i] for i in self.inputs)


def _spread(places: list[int], values: tuple, n: int) -> tuple:
    """``values`` at their ``places`` in a tuple of ``n``, None elsewhere."""
    spread: list[Any] = [None] * n
    for place, value in zip(places, values, strict=True):
        spread[place] = value
    return tuple(spread)
