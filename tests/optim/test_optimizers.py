"""Each optimizer against PyTorch's stored trajectories, and its two routes against each other."""

import json
import math
from pathlib import Path

import pytest

import chainrule
from chainrule import nn, optim

STORED = json.loads((Path(__file__).parents[1] / "reference" / "optim.json").read_text())
TOLERANCE = {"float64": 1e-12, "float32": 2e-6, "complex128": 1e-12}
ALL = "SGD Adam AdamW NAdam RAdam Adamax Adadelta Adagrad RMSprop Rprop ASGD".split()


def flat(tensor):
    if tensor.is_complex():
        tensor = chainrule.view_as_real(tensor)
    return tensor.detach().reshape(-1).tolist()


def start(kind):
    shapes = [(2, 3), ()]
    dtype = getattr(chainrule, kind)
    values = []
    for numbers, shape in zip(STORED["start"][kind], shapes, strict=True):
        if dtype.is_complex:
            pairs = chainrule.tensor(numbers, dtype=chainrule.float64).reshape(*shape, 2)
            values.append(chainrule.view_as_complex(pairs).clone())
        else:
            values.append(chainrule.tensor(numbers, dtype=dtype).reshape(shape))
    return [nn.Parameter(value) for value in values]


def make(expression, params, **options):
    extra = "".join(f", {key}={value!r}" for key, value in options.items())
    return eval(expression[:-1] + extra + ")", {**vars(optim), "params": params})


def set_gradients(params, step):
    """The gradient of the stored trajectories: linear in the parameter, its slope changing with the step."""
    for param in params:
        param.grad = param.detach() * (0.3 if step % 3 else -0.2) + 0.1 * (step - 4)


def run(optimizer, params, steps=STORED["steps"]):
    for step in range(steps):
        set_gradients(params, step)
        optimizer.step()
    return [flat(param) for param in params]


def close(got, want, tolerance):
    assert len(got) == len(want)
    for a, b in zip(got, want, strict=True):
        assert a == pytest.approx(b, rel=tolerance, abs=tolerance * 1e-1)


@pytest.mark.parametrize(
    "case",
    STORED["optimizers"],
    ids=lambda case: f"{case['expression']}-{case['kind']}" + "-maximize" * case["maximize"],
)
def test_trajectory_and_state_are_pytorchs(case):
    params = start(case["kind"])
    optimizer = make(case["expression"], params, maximize=case["maximize"])
    tolerance = TOLERANCE[case["kind"]]
    close(run(optimizer, params), case["params"], tolerance)
    state = optimizer.state_dict()["state"]
    for i, want in enumerate(case["state"]):
        got = state.get(i, {})
        assert list(got) == list(want)
        for key in want:
            close([flat(got[key])], [want[key]], tolerance)


@pytest.mark.parametrize("expression", [case["expression"] for case in STORED["optimizers"][::6]])
def test_one_step_at_a_time_in_tensor_operations_gives_the_same(expression):
    plain, tensors = start("float64"), start("float64")
    by_arrays, by_tensors = make(expression, plain), make(expression, tensors)
    by_tensors._update_arrays = lambda group, params: False
    close(run(by_arrays, plain), run(by_tensors, tensors), 1e-13)


@pytest.mark.parametrize("name", ["float16", "bfloat16"])
def test_sixteen_bit_parameters_are_updated_too(name):
    param = nn.Parameter(chainrule.ones(3, dtype=getattr(chainrule, name)))
    param.grad = chainrule.ones_like(param)
    optimizer = optim.Adam([param], lr=0.5)
    optimizer.step()
    assert param.dtype == getattr(chainrule, name)
    assert param.tolist() == pytest.approx([0.5] * 3, abs=1e-2)
    assert optimizer.state[param]["step"].dtype == chainrule.float32


@pytest.mark.parametrize("name", ALL)
def test_lr_as_a_tensor(name):
    numbers, tensors = start("float64"), start("float64")
    one = getattr(optim, name)(numbers, lr=0.25)
    other = getattr(optim, name)(tensors, lr=chainrule.tensor(0.25, dtype=chainrule.float64))
    assert run(one, numbers) == run(other, tensors)
    with pytest.raises(ValueError, match="Tensor lr must be 1-element"):
        getattr(optim, name)(numbers, lr=chainrule.tensor([0.1, 0.2]))


@pytest.mark.parametrize("name", ALL)
def test_an_update_counts_as_a_change_of_the_parameter(name):
    param = nn.Parameter(chainrule.ones(2))
    before = param._version
    param.grad = chainrule.ones(2)
    getattr(optim, name)([param]).step()
    assert param._version > before


def test_stale_saved_parameters_are_noticed():
    weight = nn.Parameter(chainrule.ones(2))
    product = weight * weight
    weight.grad = chainrule.ones(2)
    optim.SGD([weight], lr=0.1).step()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        product.sum().backward()


def test_parameters_without_a_gradient_stay():
    with_grad, without = nn.Parameter(chainrule.ones(1)), nn.Parameter(chainrule.ones(1))
    with_grad.grad = chainrule.ones(1)
    optimizer = optim.Adam([with_grad, without], weight_decay=0.5)
    optimizer.step()
    assert without.tolist() == [1.0] and with_grad.tolist() != [1.0]
    assert without not in optimizer.state


def test_strided_parameters_are_updated_in_place():
    memory = chainrule.ones(3, 4)
    param = memory.t()[::2].requires_grad_()
    param.grad = chainrule.full(param.shape, 2.0)
    optim.SGD([param], lr=0.25).step()
    assert memory.tolist() == [[0.5, 1.0, 0.5, 1.0]] * 3


def test_coupled_and_decoupled_weight_decay():
    def one(cls, gradient, **options):
        param = nn.Parameter(chainrule.ones(1, dtype=chainrule.float64))
        param.grad = chainrule.full((1,), gradient, dtype=chainrule.float64)
        cls([param], lr=0.1, weight_decay=0.5, **options).step()
        return param.item()

    assert one(optim.AdamW, 1e-3, eps=1e-2) == pytest.approx(0.95 - 0.1 * 1e-3 / (1e-3 + 1e-2), abs=1e-12)
    assert one(optim.SGD, 0.0) == pytest.approx(0.95, abs=1e-12)
    assert one(optim.Adam, 0.0, eps=1e-2) == pytest.approx(1 - 0.1 * 0.5 / 0.51, abs=1e-12)


@pytest.mark.parametrize(
    "options", [{"momentum": 0.9}, {"momentum": 0.9, "nesterov": True, "weight_decay": 0.1}, {}]
)
def test_differentiable_sgd_by_finite_differences(options):
    check_gradient_through_training(optim.SGD, {"lr": 0.1, **options})


@pytest.mark.parametrize("name", ALL[1:])
def test_gradient_through_training_by_finite_differences(name):
    options = {"ASGD": {"lr": 0.1}, "Rprop": {"lr": 0.1}}.get(name, {"lr": 0.1, "weight_decay": 0.1})
    check_gradient_through_training(getattr(optim, name), options)


def check_gradient_through_training(cls, options):
    target = chainrule.tensor([0.3, -0.7], dtype=chainrule.float64)

    def trained(origin, differentiable):
        param = origin * 1
        optimizer = cls([param], differentiable=differentiable, **options)
        for _ in range(4):
            param.grad = param.clone() ** 3 - target
            optimizer.step()
        return (param * param).sum()

    values = [1.0, 0.5]
    origin = chainrule.tensor(values, dtype=chainrule.float64, requires_grad=True)
    (gradient,) = chainrule.autograd.grad(trained(origin, True), origin)
    for i in range(2):
        ends = []
        for shift in (1e-6, -1e-6):
            moved = chainrule.tensor(
                [v + shift * (k == i) for k, v in enumerate(values)], dtype=chainrule.float64
            )
            ends.append(trained(moved, False).item())
        assert gradient[i].item() == pytest.approx((ends[0] - ends[1]) / 2e-6, rel=1e-5, abs=1e-7)


@pytest.mark.parametrize("cls", [optim.SGD, optim.Adam, optim.RMSprop, optim.NAdam])
def test_gradient_of_the_learning_rate(cls):
    def trained(lr):
        param = chainrule.ones(1, dtype=chainrule.float64, requires_grad=True) * 1
        optimizer = cls([param], lr=lr, differentiable=True)
        for step in range(2):
            param.grad = chainrule.full((1,), 1.0 + step, dtype=chainrule.float64)
            optimizer.step()
        return param.sum()

    lr = chainrule.tensor(0.1, dtype=chainrule.float64, requires_grad=True)
    (gradient,) = chainrule.autograd.grad(trained(lr), lr)
    slope = (trained(0.1 + 1e-6) - trained(0.1 - 1e-6)).item() / 2e-6
    assert gradient.item() == pytest.approx(slope, rel=1e-6)


@pytest.mark.parametrize("name", ["Adam", "AdamW", "NAdam", "RMSprop", "ASGD"])
def test_capturable_is_refused_at_the_step(name):
    param = nn.Parameter(chainrule.ones(1))
    param.grad = chainrule.ones(1)
    optimizer = getattr(optim, name)([param], capturable=True)
    with pytest.raises(AssertionError, match="If capturable=True"):
        optimizer.step()
    assert param.tolist() == [1.0]


@pytest.mark.parametrize(
    ("expression", "kind", "message"),
    [
        ("SGD(params, lr=-1)", ValueError, "Invalid learning rate: -1"),
        ("SGD(params, lr=float('nan'))", ValueError, "Invalid learning rate: nan"),
        ("SGD(params, momentum=-1)", ValueError, "Invalid momentum value: -1"),
        (
            "SGD(params, nesterov=True)",
            ValueError,
            "Nesterov momentum requires a momentum and zero dampening",
        ),
        (
            "SGD(params, fused=True, foreach=True)",
            RuntimeError,
            "`fused` and `foreach` cannot be `True` together",
        ),
        (
            "Adam(params, fused=True, differentiable=True)",
            RuntimeError,
            "`fused` does not support `differentiable`",
        ),
        ("Adam(params, betas=(1.0, 0.9))", ValueError, "Invalid beta parameter at index 0: 1.0"),
        ("Adam(params, betas=(0, 0.9))", ValueError, "betas must be either both floats or both Tensors"),
        ("Adam(params, eps=-1.0)", ValueError, "Invalid epsilon value: -1.0"),
        ("Adam(params, weight_decay=-1)", ValueError, "Invalid weight_decay value: -1"),
        ("Adadelta(params, rho=2)", ValueError, "Invalid rho value: 2"),
        ("Adagrad(params, lr_decay=-1)", ValueError, "Invalid lr_decay value: -1"),
        ("Rprop(params, etas=(1.0, 1.2))", ValueError, "Invalid eta values: 1.0, 1.2"),
        ("NAdam(params, momentum_decay=-1)", ValueError, "Invalid momentum_decay value: -1"),
        ("LBFGS([{'params': params[:1]}, {'params': params[1:]}])", ValueError, "per-parameter options"),
    ],
)
def test_bad_options(expression, kind, message):
    with pytest.raises(kind, match=message):
        eval(expression, {**vars(optim), "params": start("float64")})


def rosenbrock(x):
    return (100 * (x[1:] - x[:-1] * x[:-1]) ** 2 + (1 - x[:-1]) ** 2).sum()


@pytest.mark.parametrize("case", STORED["lbfgs"], ids=lambda case: case["expression"])
def test_lbfgs_evaluates_the_same_points(case):
    x = nn.Parameter(chainrule.tensor([-1.5, 2.0, 0.5, 1.0], dtype=chainrule.float64))
    optimizer = eval(case["expression"], {"LBFGS": optim.LBFGS, "x": x})
    seen = []

    def closure():
        optimizer.zero_grad()
        loss = rosenbrock(x)
        loss.backward()
        seen.append(loss.item())
        return loss

    for _ in range(4):
        optimizer.step(closure)
    assert len(seen) == len(case["losses"])
    assert seen == pytest.approx(case["losses"], rel=1e-6)
    assert x.tolist() == pytest.approx(case["x"], rel=1e-6)


def test_lbfgs_minimises_several_parameters_and_stops_at_the_minimum():
    a, b = nn.Parameter(chainrule.ones(2)), nn.Parameter(chainrule.zeros(1))
    unused = nn.Parameter(chainrule.ones(3))
    optimizer = optim.LBFGS([a, b, unused], line_search_fn="strong_wolfe")
    calls = []

    def closure():
        calls.append(1)
        optimizer.zero_grad()
        loss = ((a - 3) ** 2).sum() + ((b + 1) ** 4).sum()
        loss.backward()
        return loss

    optimizer.step(closure)
    assert a.tolist() == pytest.approx([3.0, 3.0], abs=1e-2) and b.tolist() == pytest.approx([-1.0], abs=0.1)
    assert unused.tolist() == [1.0] * 3
    a.data.fill_(3.0)
    b.data.fill_(-1.0)
    before = len(calls)
    assert optimizer.step(closure).item() == 0.0
    assert len(calls) == before + 1


def test_lbfgs_refuses_an_unknown_line_search():
    x = nn.Parameter(chainrule.ones(1))
    optimizer = optim.LBFGS([x], line_search_fn="armijo")
    with pytest.raises(RuntimeError, match="only 'strong_wolfe' is supported"):
        optimizer.step(lambda: (x * x).sum())


def test_adam_reaches_a_minimum():
    x = nn.Parameter(chainrule.tensor([2.0, -3.0]))
    optimizer = optim.Adam([x], lr=0.1)
    for _ in range(300):
        optimizer.zero_grad()
        ((x - 1) ** 2).sum().backward()
        optimizer.step()
    assert x.tolist() == pytest.approx([1.0, 1.0], abs=1e-2)
    assert optimizer.state[x]["step"].item() == 300 and math.isfinite(x.sum().item())
