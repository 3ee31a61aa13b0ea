"""Writes optim.json: where PyTorch's optimizers go, what its schedules give, in what order its loaders visit.

Run with PyTorch installed: ``python tests/reference/make_optim.py``. Expressions are evaluated with the names
that `tests/optim` and `tests/utils` give them too. Gradients are plain arithmetic on the parameters, so that
the optimizers are compared alone.
"""

import json
import warnings
from pathlib import Path

import torch

OPTIMIZERS = """
SGD(params, lr=0.1)
SGD(params, lr=0.1, weight_decay=0.1)
SGD(params, lr=0.1, momentum=0.9)
SGD(params, lr=0.1, momentum=0.9, dampening=0.3, weight_decay=0.05)
SGD(params, lr=0.1, momentum=0.9, nesterov=True, weight_decay=0.01)
Adam(params)
Adam(params, lr=0.1, betas=(0.8, 0.95), eps=1e-3, weight_decay=0.1)
Adam(params, lr=0.05, amsgrad=True)
Adam(params, lr=0.05, amsgrad=True, weight_decay=0.1, decoupled_weight_decay=True)
AdamW(params)
AdamW(params, lr=0.1, betas=(0.7, 0.9), weight_decay=0.2)
AdamW(params, lr=0.1, amsgrad=True)
NAdam(params)
NAdam(params, lr=0.05, weight_decay=0.1, momentum_decay=0.02)
NAdam(params, lr=0.05, weight_decay=0.1, decoupled_weight_decay=True)
RAdam(params)
RAdam(params, lr=0.1, weight_decay=0.1)
RAdam(params, lr=0.1, betas=(0.5, 0.9), weight_decay=0.1, decoupled_weight_decay=True)
Adamax(params)
Adamax(params, lr=0.1, betas=(0.8, 0.9), eps=1e-2, weight_decay=0.1)
Adadelta(params)
Adadelta(params, lr=0.5, rho=0.8, eps=1e-4, weight_decay=0.1)
Adagrad(params)
Adagrad(params, lr=0.1, lr_decay=0.1, weight_decay=0.1, initial_accumulator_value=0.2, eps=1e-4)
RMSprop(params)
RMSprop(params, lr=0.05, alpha=0.9, eps=1e-4, weight_decay=0.1)
RMSprop(params, momentum=0.9)
RMSprop(params, centered=True, weight_decay=0.1)
RMSprop(params, lr=0.005, momentum=0.5, centered=True)
Rprop(params)
Rprop(params, lr=0.1, etas=(0.4, 1.3), step_sizes=(1e-3, 0.5))
ASGD(params)
ASGD(params, lr=0.1, lambd=0.1, alpha=0.5, t0=5, weight_decay=0.1)
"""
KINDS = ["float64", "float32", "complex128"]
STEPS = 12

LBFGS = """
LBFGS([x])
LBFGS([x], lr=0.01, max_iter=7, history_size=3)
LBFGS([x], lr=0.001, max_iter=30, max_eval=9, history_size=2)
LBFGS([x], line_search_fn="strong_wolfe")
LBFGS([x], lr=0.01, max_iter=7, history_size=3, line_search_fn="strong_wolfe")
"""

SCHEDULES = """
LambdaLR(o, lambda epoch: 0.95**epoch)
LambdaLR(o, [lambda epoch: 0.95**epoch, lambda epoch: 1 / (1 + epoch)])
MultiplicativeLR(o, lambda epoch: 0.95)
StepLR(o, 7, 0.5)
MultiStepLR(o, [3, 9, 9, 20], 0.5)
ConstantLR(o, 0.3, 6)
LinearLR(o, 0.2, 0.9, 11)
ExponentialLR(o, 0.97)
PolynomialLR(o, 30, 1.7)
CosineAnnealingLR(o, 17, 0.003)
CosineAnnealingWarmRestarts(o, 5, 2, 0.01)
CosineAnnealingWarmRestarts(o, 5)
CyclicLR(o, 0.01, [0.1, 0.2], 9, 14)
CyclicLR(o, [0.01, 0.02], 0.1, 9, mode="triangular2")
CyclicLR(o, 0.01, 0.1, 9, mode="exp_range", gamma=0.98, cycle_momentum=False)
CyclicLR(o, 0.01, 0.1, 9, scale_fn=lambda x: 0.9**x, scale_mode="iterations")
OneCycleLR(o, 0.3, 60)
OneCycleLR(o, [0.3, 0.1], epochs=10, steps_per_epoch=6, three_phase=True, anneal_strategy="linear")
OneCycleLR(o, 0.3, 60, cycle_momentum=False, pct_start=0.1)
SequentialLR(o, [ConstantLR(o, 0.1, 5), ExponentialLR(o, 0.9), CosineAnnealingLR(o, 20)], [6, 30])
ChainedScheduler([ConstantLR(o, 0.5, 4), ExponentialLR(o, 0.95), CosineAnnealingLR(o, 12)])
SWALR(o, 0.05)
SWALR(o, 0.05, anneal_epochs=7, anneal_strategy="linear")
"""
EPOCHS = 60
CLOSED = """
StepLR(o, 7, 0.5)
MultiStepLR(o, [3, 9, 9, 20], 0.5)
ConstantLR(o, 0.3, 6)
LinearLR(o, 0.2, 0.9, 11)
ExponentialLR(o, 0.97)
PolynomialLR(o, 30, 1.7)
CosineAnnealingLR(o, 17, 0.003)
CosineAnnealingWarmRestarts(o, 5, 2, 0.01)
"""
JUMPS = [0, 3, 11, 8, 40]

ORDERS = """
RandomSampler(range(10))
RandomSampler(range(10), num_samples=25)
RandomSampler(range(10), True, 45)
SubsetRandomSampler([3, 5, 6, 11])
WeightedRandomSampler([0.1, 0.5, 0.4], 10)
BatchSampler(RandomSampler(range(7)), 3, False)
DistributedSampler(range(10), 3, 1)
DistributedSampler(range(2), 5, 4, True, 3, False)
DistributedSampler(range(10), 3, 2, True, 0, True)
[subset.indices for subset in random_split(range(10), [3, 7])]
[subset.indices for subset in random_split(range(10), [0.3, 0.3, 0.4])]
[batch.tolist() for batch in DataLoader(range(10), batch_size=3, shuffle=True)]
[batch.tolist() for batch in DataLoader(range(10), batch_size=4, shuffle=True, drop_last=True, num_workers=2)]
"""


def lines(text):
    return text.strip().splitlines()


def flat(tensor):
    if tensor.is_complex():
        tensor = torch.view_as_real(tensor)
    return tensor.reshape(-1).tolist()


def start(kind):
    dtype = getattr(torch, kind)
    rows = [[0.5, -1.0, 2.0], [1.5, 0.1, -0.3]]
    if dtype.is_complex:
        rows = [[complex(x, 1 - x) for x in row] for row in rows]
    return [torch.tensor(rows, dtype=dtype), torch.tensor(rows[0][1], dtype=dtype)]


def trajectory(expression, kind, maximize):
    params = [torch.nn.Parameter(value) for value in start(kind)]
    scope = {**vars(torch.optim), "params": params}
    optimizer = eval(expression[:-1] + f", maximize={maximize})", scope)
    for step in range(STEPS):
        for param in params:
            param.grad = param.detach() * (0.3 if step % 3 else -0.2) + 0.1 * (step - 4)
        optimizer.step()
    state = optimizer.state_dict()["state"]
    return {
        "params": [flat(param.detach()) for param in params],
        "state": [{key: flat(value) for key, value in state.get(i, {}).items()} for i in range(2)],
    }


def rosenbrock(x):
    return (100 * (x[1:] - x[:-1] * x[:-1]) ** 2 + (1 - x[:-1]) ** 2).sum()


def losses(expression):
    x = torch.nn.Parameter(torch.tensor([-1.5, 2.0, 0.5, 1.0], dtype=torch.float64))
    optimizer = eval(expression, {"LBFGS": torch.optim.LBFGS, "x": x})
    seen = []

    def closure():
        optimizer.zero_grad()
        loss = rosenbrock(x)
        loss.backward()
        seen.append(loss.item())
        return loss

    for _ in range(4):
        optimizer.step(closure)
    return {"losses": seen, "x": x.tolist()}


def two_groups():
    params = [torch.nn.Parameter(torch.ones(2)) for _ in range(2)]
    return torch.optim.SGD([{"params": [p], "lr": 0.1 * (i + 1)} for i, p in enumerate(params)], momentum=0.9)


def schedule(expression):
    optimizer = two_groups()
    return optimizer, eval(
        expression,
        {**vars(torch.optim.lr_scheduler), "o": optimizer, "SWALR": torch.optim.swa_utils.SWALR},
    )


def rates(expression):
    optimizer, scheduler = schedule(expression)
    rows = []
    for _ in range(EPOCHS):
        rows.append([[group["lr"], group["momentum"]] for group in optimizer.param_groups])
        optimizer.step()
        scheduler.step()
    return rows


def jumps(expression):
    _, scheduler = schedule(expression)
    rows = []
    for epoch in JUMPS:
        scheduler.step(epoch)
        rows.append(scheduler.get_last_lr())
    return rows


def order(expression):
    torch.manual_seed(5)
    visited = list(eval(expression, vars(torch.utils.data)))
    return [visited, torch.randint(1000, (1,)).item()]


def main():
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    data = {
        "torch": torch.__version__,
        "steps": STEPS,
        "start": {kind: [flat(value) for value in start(kind)] for kind in KINDS},
        "optimizers": [
            {"expression": e, "kind": k, "maximize": m, **trajectory(e, k, m)}
            for e in lines(OPTIMIZERS)
            for k in KINDS
            for m in (False, True)
        ],
        "lbfgs": [{"expression": e, **losses(e)} for e in lines(LBFGS)],
        "schedules": [{"expression": e, "rates": rates(e)} for e in lines(SCHEDULES)],
        "jumps": JUMPS,
        "closed": [{"expression": e, "rates": jumps(e)} for e in lines(CLOSED)],
        "orders": [{"expression": e, "order": order(e)} for e in lines(ORDERS)],
        "reprs": {
            name: repr(getattr(torch.optim, name)([torch.nn.Parameter(torch.ones(1))]))
            for name in "SGD Adam AdamW NAdam RAdam Adamax Adadelta Adagrad RMSprop Rprop ASGD LBFGS".split()
        },
    }
    Path(__file__).with_name("optim.json").write_text(json.dumps(data) + "\n")


if __name__ == "__main__":
    main()
