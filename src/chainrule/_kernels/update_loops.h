/* The loops of update.pyx for one real type. Included twice by update.h.

   Every operation that an optimizer written op by op would round is rounded here too: a product that must not be fused with
   the sum after it is stored in a loop of its own, over BLOCK elements that stay in cache. A sum of a product within one
   expression is fused where the processor can, as vectorised tensor libraries do. */

/* grad in the direction of descent and with the penalty's slope, in part; or grad itself if it is that already. */
#define DESCENT(weight_decay) \
    const REAL *d = grad + start; \
    if (maximize) { \
        for (ptrdiff_t i = 0; i < m; i++) part[i] = -d[i]; \
        d = part; \
    } \
    if ((weight_decay) != 0) { \
        for (ptrdiff_t i = 0; i < m; i++) part[i] = d[i] + (REAL)(weight_decay) * p[i]; \
        d = part; \
    }

CLONES static void NAME(sgd)(REAL *RESTRICT param, const REAL *RESTRICT grad, REAL *RESTRICT buffer, ptrdiff_t n,
        int first, double lr,
                             double momentum, double dampening, double weight_decay, int nesterov, int maximize) {
    REAL part[BLOCK];
    const REAL rate = (REAL)-lr, keep = (REAL)momentum, add = (REAL)(1 - dampening);
    for (ptrdiff_t start = 0; start < n; start += BLOCK) {
        const ptrdiff_t m = n - start < BLOCK ? n - start : BLOCK;
        REAL *RESTRICT p = param + start;
        DESCENT(weight_decay)
        if (buffer) {
            REAL *RESTRICT b = buffer + start;
            if (first)
                for (ptrdiff_t i = 0; i < m; i++) b[i] = d[i];
            else {
                for (ptrdiff_t i = 0; i < m; i++) b[i] = b[i] * keep;
                for (ptrdiff_t i = 0; i < m; i++) b[i] = b[i] + add * d[i];
            }
            if (nesterov) {
                for (ptrdiff_t i = 0; i < m; i++) part[i] = d[i] + keep * b[i];
                d = part;
            } else
                d = b;
        }
        for (ptrdiff_t i = 0; i < m; i++) p[i] = p[i] + rate * d[i];
    }
}

/* The mean moves towards d by weight; from a half on, counted back from d. */
INLINE void NAME(lerp)(REAL *RESTRICT mean, const REAL *d, REAL weight, ptrdiff_t m) {
    if (weight < (REAL)0.5)
        for (ptrdiff_t i = 0; i < m; i++) mean[i] = mean[i] + weight * (d[i] - mean[i]);
    else {
        const REAL rest = 1 - weight;
        for (ptrdiff_t i = 0; i < m; i++) mean[i] = d[i] - (d[i] - mean[i]) * rest;
    }
}

CLONES static void NAME(adam)(REAL *RESTRICT param, const REAL *RESTRICT grad, REAL *RESTRICT mean, REAL *RESTRICT square,
                              REAL *RESTRICT highest, ptrdiff_t n, double correction1, double correction2_root, double lr, double beta1,
                              double beta2, double eps, double weight_decay, int maximize, int decoupled) {
    REAL part[BLOCK];
    const REAL rate = (REAL)-(lr / correction1), keep = (REAL)beta2, add = (REAL)(1 - beta2), towards = (REAL)(1 - beta1);
    const REAL root = (REAL)correction2_root, small = (REAL)eps, shrink = (REAL)(1 - lr * weight_decay);
    for (ptrdiff_t start = 0; start < n; start += BLOCK) {
        const ptrdiff_t m = n - start < BLOCK ? n - start : BLOCK;
        REAL *RESTRICT p = param + start, *RESTRICT a = mean + start, *RESTRICT v = square + start;
        if (decoupled && weight_decay != 0)
            for (ptrdiff_t i = 0; i < m; i++) p[i] = p[i] * shrink;
        DESCENT(decoupled ? 0 : weight_decay)
        NAME(lerp)(a, d, towards, m);
        for (ptrdiff_t i = 0; i < m; i++) v[i] = v[i] * keep;
        if (highest) {
            REAL *RESTRICT h = highest + start;
            for (ptrdiff_t i = 0; i < m; i++) {
                v[i] = v[i] + add * d[i] * d[i];
                h[i] = v[i] > h[i] || v[i] != v[i] ? v[i] : h[i];
                p[i] = p[i] + rate * a[i] / (SQRT(h[i]) / root + small);
            }
        } else
            for (ptrdiff_t i = 0; i < m; i++) {
                v[i] = v[i] + add * d[i] * d[i];
                p[i] = p[i] + rate * a[i] / (SQRT(v[i]) / root + small);
            }
    }
}

CLONES static void NAME(rmsprop)(REAL *RESTRICT param, const REAL *RESTRICT grad, REAL *RESTRICT square,
        REAL *RESTRICT mean,
                                 REAL *RESTRICT buffer, ptrdiff_t n, double lr, double alpha, double eps, double weight_decay,
                                 double momentum, int maximize) {
    REAL part[BLOCK], deviation[BLOCK];
    const REAL rate = (REAL)-lr, keep = (REAL)alpha, add = (REAL)(1 - alpha), small = (REAL)eps, hold = (REAL)momentum;
    for (ptrdiff_t start = 0; start < n; start += BLOCK) {
        const ptrdiff_t m = n - start < BLOCK ? n - start : BLOCK;
        REAL *RESTRICT p = param + start, *RESTRICT v = square + start;
        DESCENT(weight_decay)
        for (ptrdiff_t i = 0; i < m; i++) v[i] = v[i] * keep;
        for (ptrdiff_t i = 0; i < m; i++) v[i] = v[i] + add * d[i] * d[i];
        if (mean) {
            REAL *RESTRICT a = mean + start;
            NAME(lerp)(a, d, add, m);
            for (ptrdiff_t i = 0; i < m; i++) deviation[i] = SQRT(v[i] - a[i] * a[i]) + small;
        } else
            for (ptrdiff_t i = 0; i < m; i++) deviation[i] = SQRT(v[i]) + small;
        if (buffer) {
            REAL *RESTRICT b = buffer + start;
            for (ptrdiff_t i = 0; i < m; i++) b[i] = b[i] * hold;
            for (ptrdiff_t i = 0; i < m; i++) b[i] = b[i] + d[i] / deviation[i];
            for (ptrdiff_t i = 0; i < m; i++) p[i] = p[i] + rate * b[i];
        } else
            for (ptrdiff_t i = 0; i < m; i++) p[i] = p[i] + rate * d[i] / deviation[i];
    }
}

CLONES static void NAME(adagrad)(REAL *RESTRICT param, const REAL *RESTRICT grad, REAL *RESTRICT total, ptrdiff_t n,
        double rate_,
                                 double weight_decay, double eps, int maximize) {
    REAL part[BLOCK];
    const REAL rate = (REAL)-rate_, small = (REAL)eps;
    for (ptrdiff_t start = 0; start < n; start += BLOCK) {
        const ptrdiff_t m = n - start < BLOCK ? n - start : BLOCK;
        REAL *RESTRICT p = param + start, *RESTRICT v = total + start;
        DESCENT(weight_decay)
        for (ptrdiff_t i = 0; i < m; i++) {
            v[i] = v[i] + d[i] * d[i];
            p[i] = p[i] + rate * d[i] / (SQRT(v[i]) + small);
        }
    }
}

#undef DESCENT
