"""Samples of random draws, each from a seed of its own."""

import numpy as np
from casebook import case, const, positive, real

shares = const(np.array([0.1, 0.5, 0.9]))
weights = const(np.array([0.2, 0.5, 0.3]))


def drawn(name, call, *inputs, **options):
    """A case whose draw starts from a fixed seed. A draw has no derivative that differences would show."""

    def seeded(T, *tensors):
        T.manual_seed(11)
        return call(T, *tensors)

    case(name, seeded, *inputs, smooth=False, **options)


drawn("rand", lambda T: T.rand(3, dtype=T.float64))
drawn("randn", lambda T: T.randn(17, dtype=T.float64))
drawn("randint", lambda T: T.randint(-5, 9, (4,)))
drawn("randperm", lambda T: T.randperm(7))
drawn("rand_like", lambda T, x: T.rand_like(x.contiguous()), real(2, 3))
drawn("randn_like", lambda T, x: T.randn_like(x.contiguous()), real(2, 3))
drawn("randint_like", lambda T, x: T.randint_like(x.contiguous(), 3, 9), real(2, 3))
drawn("normal", lambda T: T.normal(1.0, 2.0, (4,), dtype=T.float64))
drawn("normal mean", lambda T, m: T.normal(m, 2.0), real(3))
drawn("normal std", lambda T, s: T.normal(1.0, s), positive(3))
drawn("normal both", lambda T, m, s: T.normal(m, s), real(3), positive(3))
drawn("bernoulli", lambda T, p: T.bernoulli(p), shares)
drawn("bernoulli p", lambda T, x: T.bernoulli(x, 0.4), const(np.zeros(4)))
drawn("multinomial", lambda T, w: T.multinomial(w, 2), weights)
drawn("multinomial replacement", lambda T, w: T.multinomial(w, 6, replacement=True), weights)
drawn("poisson", lambda T, r: T.poisson(r), positive(4))
drawn("binomial", lambda T, n, p: T.binomial(n, p), const(np.array([3.0, 50.0, 7.0])), shares)
drawn("_standard_gamma", lambda T, a: T._standard_gamma(a), positive(4))
drawn("_sample_dirichlet", lambda T, a: T._sample_dirichlet(a), const(np.array([0.5, 2.0, 1.0])))
drawn("uniform_", lambda T, x: x.contiguous().clone().uniform_(-1, 2), real(2, 3))
drawn("normal_", lambda T, x: x.contiguous().clone().normal_(1, 2), real(2, 3))
drawn("random_", lambda T, x: x.contiguous().clone().random_(2, 9), real(2, 3))
drawn("random_ to", lambda T, x: x.contiguous().clone().random_(9), real(2, 3))
drawn("random_ any", lambda T, x: x.contiguous().clone().random_(), real(2, 3))
drawn("exponential_", lambda T, x: x.contiguous().clone().exponential_(2), real(2, 3))
drawn("geometric_", lambda T, x: x.contiguous().clone().geometric_(0.3), real(2, 3))
drawn("cauchy_", lambda T, x: x.contiguous().clone().cauchy_(), real(2, 3))
drawn("log_normal_", lambda T, x: x.contiguous().clone().log_normal_(), real(2, 3))
drawn("bernoulli_", lambda T, x: x.contiguous().clone().bernoulli_(0.4), real(2, 3))
drawn("bernoulli_ tensor", lambda T, x, p: x.contiguous().clone().bernoulli_(p), real(3), shares)
case(
    "_standard_gamma_grad",
    lambda T, a, x: T._standard_gamma_grad(a, x),
    positive(4),
    positive(4),
    smooth=False,
    reference=False,
)
