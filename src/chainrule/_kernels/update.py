"""Optimizer steps in NumPy, in place: the plain twin of update.pyx, each line one rounded operation of it.

Where the native loop fuses a product with the sum that follows, results may differ by the last digit."""

import math

import numpy as np

from chainrule._kernels.dense import floating


def checked(who, param, grad, **states):
    """The gradient as given, after the checks of the native kernel."""
    floating(param, who)
    for what, a in (("param", param), ("grad", grad), *states.items()):
        if a is None:
            continue
        floating(a, who)
        if a.dtype != param.dtype or a.shape != param.shape:
            raise ValueError(
                f"{who}: expected {what} like param, {param.dtype}{param.shape}, got {a.dtype}{a.shape}"
            )
        if what != "grad" and not a.flags.writeable:
            raise ValueError(f"{who}: expected {what} to be writeable")


def same_length(who, params, **others):
    for what, other in others.items():
        if other is not None and len(other) != len(params):
            raise ValueError(f"{who}: expected {len(params)} {what}, one a parameter, got {len(other)}")


def descent(param, grad, weight_decay, maximize):
    """grad in the direction of descent and with the penalty's slope."""
    if maximize:
        grad = -grad
    if weight_decay:
        grad = grad + weight_decay * param
    return grad


def lerp(mean, d, weight):
    """The mean moves towards d by weight; from a half on, counted back from d."""
    if mean.dtype.type(weight) < 0.5:
        mean += weight * (d - mean)
    else:
        mean[...] = d - (d - mean) * (1 - mean.dtype.type(weight))


def sgd(param, grad, momentum_buffer, first_step, lr, momentum, dampening, weight_decay, nesterov, maximize):
    """Stochastic gradient descent. The first step sets momentum_buffer to the gradient, without dampening."""
    checked("sgd", param, grad, momentum_buffer=momentum_buffer)
    with np.errstate(all="ignore"):
        d = descent(param, grad, weight_decay, maximize)
        if momentum_buffer is not None:
            if first_step:
                momentum_buffer[...] = d
            else:
                momentum_buffer *= momentum
                momentum_buffer += (1 - dampening) * d
            d = d + momentum * momentum_buffer if nesterov else momentum_buffer
        param += -lr * d
    return 0


def sgd_list(
    params, grads, momentum_buffers, first_steps, lr, momentum, dampening, weight_decay, nesterov, maximize
):
    """sgd for each parameter; with a list of momentum_buffers, first_steps says for which it is the first."""
    same_length("sgd_list", params, grads=grads, momentum_buffers=momentum_buffers, first_steps=first_steps)
    for i, (param, grad) in enumerate(zip(params, grads, strict=True)):
        buffer = None if momentum_buffers is None else momentum_buffers[i]
        first = buffer is not None and first_steps[i]
        sgd(param, grad, buffer, first, lr, momentum, dampening, weight_decay, nesterov, maximize)
    return 0


def adam(
    param,
    grad,
    exp_avg,
    exp_avg_sq,
    max_exp_avg_sq,
    step,
    lr,
    beta1,
    beta2,
    eps,
    weight_decay,
    maximize,
    decoupled,
):
    """Adam (Kingma and Ba 2014), the step-th step, counted from 1; decoupled decays weights as AdamW does."""
    checked("adam", param, grad, exp_avg=exp_avg, exp_avg_sq=exp_avg_sq, max_exp_avg_sq=max_exp_avg_sq)
    with np.errstate(all="ignore"):
        if decoupled and weight_decay:
            param *= 1 - lr * weight_decay
        d = descent(param, grad, 0.0 if decoupled else weight_decay, maximize)
        lerp(exp_avg, d, 1 - beta1)
        exp_avg_sq *= beta2
        exp_avg_sq += (1 - beta2) * d * d
        square = exp_avg_sq
        if max_exp_avg_sq is not None:
            square = np.maximum(max_exp_avg_sq, exp_avg_sq, out=max_exp_avg_sq)
        denominator = np.sqrt(square) / math.sqrt(1 - beta2**step) + eps
        param += -(lr / (1 - beta1**step)) * exp_avg / denominator
    return 0


def adam_list(
    params,
    grads,
    exp_avgs,
    exp_avg_sqs,
    max_exp_avg_sqs,
    steps,
    lr,
    beta1,
    beta2,
    eps,
    weight_decay,
    maximize,
    decoupled,
):
    """adam for each parameter; max_exp_avg_sqs is None or a list, steps are 0-d arrays."""
    same_length(
        "adam_list", params, grads=grads, exp_avgs=exp_avgs, exp_avg_sqs=exp_avg_sqs,
        max_exp_avg_sqs=max_exp_avg_sqs, steps=steps,
    )  # fmt: skip
    for i, (param, grad) in enumerate(zip(params, grads, strict=True)):
        highest = None if max_exp_avg_sqs is None else max_exp_avg_sqs[i]
        step = float(steps[i]) + 1
        adam(
            param, grad, exp_avgs[i], exp_avg_sqs[i], highest, step, lr, beta1, beta2, eps, weight_decay,
            maximize, decoupled,
        )  # fmt: skip
        steps[i][...] = step
    return 0


def rmsprop(
    param, grad, square_avg, grad_avg, momentum_buffer, lr, alpha, eps, weight_decay, momentum, maximize
):
    """RMSprop (Tieleman and Hinton 2012): the gradient over its running root mean square."""
    checked("rmsprop", param, grad, square_avg=square_avg, grad_avg=grad_avg, momentum_buffer=momentum_buffer)
    with np.errstate(all="ignore"):
        d = descent(param, grad, weight_decay, maximize)
        square_avg *= alpha
        square_avg += (1 - alpha) * d * d
        if grad_avg is not None:
            lerp(grad_avg, d, 1 - alpha)
            deviation = np.sqrt(square_avg - grad_avg * grad_avg) + eps
        else:
            deviation = np.sqrt(square_avg) + eps
        if momentum_buffer is not None:
            momentum_buffer *= momentum
            momentum_buffer += d / deviation
            param += -lr * momentum_buffer
        else:
            param += -lr * d / deviation
    return 0


def rmsprop_list(
    params,
    grads,
    square_avgs,
    grad_avgs,
    momentum_buffers,
    steps,
    lr,
    alpha,
    eps,
    weight_decay,
    momentum,
    maximize,
):
    """rmsprop for each parameter; grad_avgs and momentum_buffers are None or lists."""
    same_length(
        "rmsprop_list", params, grads=grads, square_avgs=square_avgs, grad_avgs=grad_avgs,
        momentum_buffers=momentum_buffers, steps=steps,
    )  # fmt: skip
    for i, (param, grad) in enumerate(zip(params, grads, strict=True)):
        mean = None if grad_avgs is None else grad_avgs[i]
        buffer = None if momentum_buffers is None else momentum_buffers[i]
        rmsprop(param, grad, square_avgs[i], mean, buffer, lr, alpha, eps, weight_decay, momentum, maximize)
        steps[i][...] = float(steps[i]) + 1
    return 0


def adagrad(param, grad, state_sum, step, lr, lr_decay, weight_decay, eps, maximize):
    """Adagrad (Duchi, Hazan and Singer 2011), the step-th step, counted from 1."""
    checked("adagrad", param, grad, state_sum=state_sum)
    with np.errstate(all="ignore"):
        d = descent(param, grad, weight_decay, maximize)
        state_sum += d * d
        param += -(lr / (1 + (step - 1) * lr_decay)) * d / (np.sqrt(state_sum) + eps)
    return 0


def adagrad_list(params, grads, state_sums, steps, lr, lr_decay, weight_decay, eps, maximize):
    """adagrad for each parameter."""
    same_length("adagrad_list", params, grads=grads, state_sums=state_sums, steps=steps)
    for param, grad, total, step in zip(params, grads, state_sums, steps, strict=True):
        made = float(step) + 1
        adagrad(param, grad, total, made, lr, lr_decay, weight_decay, eps, maximize)
        step[...] = made
    return 0
