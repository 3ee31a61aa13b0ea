"""The work that is timed. Each function takes the library as T, sets up, and returns one step to repeat.

The text is the same for chainrule and PyTorch: what differs in the table is the library alone.
"""

OPS = 100


def multiplications(T):
    """OPS multiplications of 16 floats by a constant, their sum, forward and backward."""
    start = T.ones(16, requires_grad=True)
    constant = T.full((16,), 1.001)

    def step():
        start.grad = None
        x = start
        for _ in range(OPS):
            x = x * constant
        x.sum().backward()

    return step


def rounds(T):
    """20 rounds of a mixed expression on 16×16 numbers, then the mean square, forward and backward."""
    T.manual_seed(0)
    w = (T.randn(16, 16) / 4).requires_grad_()
    start = T.randn(16, 16, requires_grad=True)

    def step():
        w.grad = start.grad = None
        x = start
        for _ in range(20):
            x = T.tanh(w @ x + 0.5) + T.log(T.exp(x)) * 0.5 - x / (1 + x * x)
        (x**2).mean().backward()

    return step


def tiny_mlp(T):
    """One Adam step of an 8-16-1 network with tanh, batch 32."""
    T.manual_seed(0)
    model = T.nn.Sequential(T.nn.Linear(8, 16), T.nn.Tanh(), T.nn.Linear(16, 1))
    optimizer = T.optim.Adam(model.parameters(), lr=1e-3)
    x, y = T.randn(32, 8), T.randn(32, 1)

    def step():
        optimizer.zero_grad()
        T.nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()

    return step


def mnist_mlp(T):
    """One step of SGD with momentum of a 784-128-10 network with ReLU, batch 32."""
    T.manual_seed(0)
    model = T.nn.Sequential(T.nn.Linear(784, 128), T.nn.ReLU(), T.nn.Linear(128, 10))
    optimizer = T.optim.SGD(model.parameters(), lr=1e-3, momentum=0.9)
    x, y = T.randn(32, 784), T.randint(0, 10, (32,))

    def step():
        optimizer.zero_grad()
        T.nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()

    return step


def pinn(T):
    """One Adam step on the residual of Burgers' equation: a 2-50-50-1 network with tanh, 256 points."""
    T.manual_seed(0)
    linear, tanh = T.nn.Linear, T.nn.Tanh
    model = T.nn.Sequential(linear(2, 50), tanh(), linear(50, 50), tanh(), linear(50, 1))
    optimizer = T.optim.Adam(model.parameters(), lr=1e-3)
    points = T.rand(256, 2).requires_grad_()

    def slopes(u):
        return T.autograd.grad(u.sum(), points, create_graph=True)[0].unbind(1)

    def step():
        optimizer.zero_grad()
        u = model(points)[:, 0]
        u_x, u_t = slopes(u)
        u_xx, _ = slopes(u_x)
        (u_t + u * u_x - 0.01 * u_xx).square().mean().backward()
        optimizer.step()

    return step
