/* The loops of loss.pyx for one real type, over scores of shape (outer, classes, inner) and targets of shape (outer, inner).
   Included twice by loss.h. A weight that is NULL counts as one for every class. */

/* The losses of all targets, in double; total receives the weights of those not ignored. The result is the position of the first
   target that is no class, or -1. */
CLONES static ptrdiff_t NAME(cross_entropy)(const REAL *RESTRICT x, const REAL *RESTRICT tops, const REAL *RESTRICT rests,
                                            const int64_t *RESTRICT target, const REAL *RESTRICT w,
        double *RESTRICT losses,
                                            double *total, ptrdiff_t outer, ptrdiff_t classes, ptrdiff_t inner, int64_t ignore,
                                            double smoothing) {
    double weights = 0, sum = 0;
    for (ptrdiff_t c = 0; c < classes; c++) weights += w ? w[c] : 1;
    for (ptrdiff_t o = 0; o < outer; o++)
        for (ptrdiff_t i = 0; i < inner; i++) {
            const ptrdiff_t at = o * inner + i;
            const int64_t t = target[at];
            losses[at] = 0;
            if (t == ignore) continue;
            if (t < 0 || t >= classes) return at;
            const REAL *scores = x + o * classes * inner + i;
            const double weight = w ? w[t] : 1;
            sum += weight;
            losses[at] = weight * -(double)((scores[t * inner] - tops[at]) - rests[at]);
            if (smoothing > 0) {
                double spread = 0;
                for (ptrdiff_t c = 0; c < classes; c++)
                    spread -= (w ? w[c] : 1) * (double)((scores[c * inner] - tops[at]) - rests[at]);
                losses[at] = (1 - smoothing) * losses[at] + smoothing / classes * spread;
            }
        }
    *total = sum;
    return -1;
}

/* g holds one cotangent, or one a target if every is set; scale multiplies it. */
CLONES static void NAME(cross_entropy_grad)(const REAL *RESTRICT g, int every, double scale, const REAL *RESTRICT x,
                                            const REAL *RESTRICT tops, const REAL *RESTRICT rests,
        const int64_t *RESTRICT target,
                                            const REAL *RESTRICT w, REAL *RESTRICT gx, ptrdiff_t outer, ptrdiff_t classes,
                                            ptrdiff_t inner, int64_t ignore, double smoothing) {
    double weights = 0;
    for (ptrdiff_t c = 0; c < classes; c++) weights += w ? w[c] : 1;
    const double share = smoothing / classes;
    REAL factor[WIDTH], drop[WIDTH], hit[WIDTH];
    for (ptrdiff_t o = 0; o < outer; o++)
        for (ptrdiff_t start = 0; start < inner; start += WIDTH) {
            const ptrdiff_t m = inner - start < WIDTH ? inner - start : WIDTH, at = o * inner + start;
            const REAL *from = x + o * classes * inner + start;
            REAL *to = gx + o * classes * inner + start;
            for (ptrdiff_t i = 0; i < m; i++) {
                const int64_t t = target[at + i];
                const double cotangent = t == ignore ? 0 : g[every ? at + i : 0] * scale;
                const double own = cotangent * (1 - smoothing) * (w && t != ignore ? w[t] : 1);
                hit[i] = (REAL)own;
                factor[i] = (REAL)(own + cotangent * share * weights);
                drop[i] = (REAL)(cotangent * share);
            }
            if (inner == 1) {
                for (ptrdiff_t c = 0; c < classes; c++) to[c] = VEXP((from[c] - tops[o]) - rests[o]) * factor[0];
                if (smoothing > 0)
                    for (ptrdiff_t c = 0; c < classes; c++) to[c] -= w ? drop[0] * w[c] : drop[0];
            } else
                for (ptrdiff_t c = 0; c < classes; c++) {
                    const REAL push = smoothing > 0 ? (w ? w[c] : 1) : 0;
                    for (ptrdiff_t i = 0; i < m; i++)
                        to[c * inner + i] =
                            VEXP((from[c * inner + i] - tops[at + i]) - rests[at + i]) * factor[i] - drop[i] * push;
                }
            for (ptrdiff_t i = 0; i < m; i++) {
                if (target[at + i] != ignore)
                    to[target[at + i] * inner + i] -= hit[i];
                else
                    for (ptrdiff_t c = 0; c < classes; c++) to[c * inner + i] = 0;
            }
        }
}

static ptrdiff_t NAME(nll)(const REAL *RESTRICT x, const int64_t *RESTRICT target, const REAL *RESTRICT w,
        double *RESTRICT losses,
                           double *total, ptrdiff_t outer, ptrdiff_t classes, ptrdiff_t inner, int64_t ignore) {
    double sum = 0;
    for (ptrdiff_t o = 0; o < outer; o++)
        for (ptrdiff_t i = 0; i < inner; i++) {
            const ptrdiff_t at = o * inner + i;
            const int64_t t = target[at];
            losses[at] = 0;
            if (t == ignore) continue;
            if (t < 0 || t >= classes) return at;
            const double weight = w ? w[t] : 1;
            sum += weight;
            losses[at] = -weight * x[(o * classes + t) * inner + i];
        }
    *total = sum;
    return -1;
}

/* gx comes zeroed. */
static void NAME(nll_grad)(const REAL *RESTRICT g, int every, double scale, const int64_t *RESTRICT target,
        const REAL *RESTRICT w,
                           REAL *RESTRICT gx, ptrdiff_t outer, ptrdiff_t classes, ptrdiff_t inner, int64_t ignore) {
    for (ptrdiff_t o = 0; o < outer; o++)
        for (ptrdiff_t i = 0; i < inner; i++) {
            const ptrdiff_t at = o * inner + i;
            const int64_t t = target[at];
            if (t != ignore) gx[(o * classes + t) * inner + i] = (REAL)(-(double)g[every ? at : 0] * scale * (w ? w[t] : 1));
        }
}

/* (1 - y) x + l (max(-x, 0) + log1p(exp(-|x|))) with l = 1 + (p - 1) y. */
CLONES static void NAME(logits)(const REAL *RESTRICT x, const REAL *RESTRICT y, const REAL *RESTRICT p,
        REAL *RESTRICT out, ptrdiff_t n) {
    if (p)
        for (ptrdiff_t i = 0; i < n; i++) {
            const REAL cost = VLOG1P_UNIT(VEXP(-FABS(x[i]))) + (x[i] < 0 ? -x[i] : 0);
            out[i] = (1 - y[i]) * x[i] + (1 + (p[i] - 1) * y[i]) * cost;
        }
    else
        for (ptrdiff_t i = 0; i < n; i++)
            out[i] = (1 - y[i]) * x[i] + (VLOG1P_UNIT(VEXP(-FABS(x[i]))) + (x[i] < 0 ? -x[i] : 0));
}

CLONES static void NAME(logits_grad)(const REAL *RESTRICT g, const REAL *RESTRICT x, const REAL *RESTRICT y,
        const REAL *RESTRICT p,
                                     REAL *RESTRICT gx, ptrdiff_t n) {
    if (p)
        for (ptrdiff_t i = 0; i < n; i++) gx[i] = g[i] * ((1 - y[i]) - (1 + (p[i] - 1) * y[i]) / (1 + VEXP(x[i])));
    else
        for (ptrdiff_t i = 0; i < n; i++) gx[i] = g[i] * (1 / (1 + VEXP(-x[i])) - y[i]);
}
