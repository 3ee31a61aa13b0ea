/* The loops of softmax.pyx for one real type, over arrays of shape (outer, n, inner) with n the axis. Included twice by softmax.h.

   With inner = 1 whole rows are taken together up to BLOCK elements, so that short rows fill the exponential's vectors too.
   Otherwise WIDTH columns go down the axis together. A row's maximum is subtracted first; logsumexp alone replaces an infinite
   one by 0, which makes its result that infinity. */

CLONES static void NAME(exp_block)(REAL *x, ptrdiff_t n) {
    for (ptrdiff_t i = 0; i < n; i++) x[i] = VEXP(x[i]);
}

/* The sum of exp(x - shift) over one row of any length. */
CLONES static double NAME(exp_sum)(const REAL *RESTRICT x, REAL shift, ptrdiff_t n) {
    REAL part[BLOCK];
    double total = 0;
    for (ptrdiff_t start = 0; start < n; start += BLOCK) {
        ptrdiff_t m = n - start < BLOCK ? n - start : BLOCK;
        for (ptrdiff_t i = 0; i < m; i++) part[i] = VEXP(x[start + i] - shift);
        total += NAME(row_sum)(part, m);
    }
    return total;
}

CLONES static void NAME(softmax_rows)(const REAL *RESTRICT x, REAL *RESTRICT out, ptrdiff_t outer, ptrdiff_t n) {
    ptrdiff_t together = n < BLOCK ? BLOCK / n : 1;
    for (ptrdiff_t start = 0; start < outer; start += together) {
        ptrdiff_t rows = outer - start < together ? outer - start : together;
        const REAL *from = x + start * n;
        REAL *to = out + start * n;
        for (ptrdiff_t r = 0; r < rows; r++) {
            const REAL *row = from + r * n;
            REAL top = NAME(row_max)(row, n), *result = to + r * n;
            for (ptrdiff_t i = 0; i < n; i++) result[i] = row[i] - top;
        }
        NAME(exp_block)(to, rows * n);
        for (ptrdiff_t r = 0; r < rows; r++) {
            REAL *result = to + r * n;
            double total = 0;
            for (ptrdiff_t i = 0; i < n; i += BLOCK) total += NAME(row_sum)(result + i, n - i < BLOCK ? n - i : BLOCK);
            REAL scale = (REAL)(1 / total);
            for (ptrdiff_t i = 0; i < n; i++) result[i] *= scale;
        }
    }
}

/* The logarithm of each row's sum of exponentials in sums, and with out the row less it. With tops the two parts of the
   logarithm are kept apart: the row's maximum there, the rest in sums. */
CLONES static void NAME(log_rows)(const REAL *RESTRICT x, REAL *RESTRICT out, REAL *RESTRICT tops, REAL *RESTRICT sums,
                                  ptrdiff_t outer, ptrdiff_t n) {
    REAL part[BLOCK], highest[BLOCK];
    ptrdiff_t together = n < BLOCK ? BLOCK / n : 1;
    for (ptrdiff_t start = 0; start < outer; start += together) {
        ptrdiff_t rows = outer - start < together ? outer - start : together;
        for (ptrdiff_t r = 0; r < rows; r++) {
            const REAL *row = x + (start + r) * n;
            REAL top = NAME(row_max)(row, n);
            if (!out && !tops && isinf(top)) top = 0;
            highest[r] = top;
            if (n < BLOCK)
                for (ptrdiff_t i = 0; i < n; i++) part[r * n + i] = row[i] - top;
        }
        if (n < BLOCK) NAME(exp_block)(part, rows * n);
        for (ptrdiff_t r = 0; r < rows; r++) {
            const REAL *row = x + (start + r) * n;
            REAL top = highest[r];
            REAL rest = (REAL)log(n < BLOCK ? (double)NAME(row_sum)(part + r * n, n) : NAME(exp_sum)(row, top, n));
            if (tops) tops[start + r] = top;
            if (sums) sums[start + r] = tops ? rest : top + rest;
            if (out) {
                REAL *result = out + (start + r) * n;
                for (ptrdiff_t i = 0; i < n; i++) result[i] = (row[i] - top) - rest;
            }
        }
    }
}

CLONES static void NAME(softmax_columns)(const REAL *RESTRICT x, REAL *RESTRICT out, ptrdiff_t outer, ptrdiff_t n,
        ptrdiff_t inner,
                                         int logarithm) {
    REAL top[WIDTH], total[WIDTH];
    for (ptrdiff_t o = 0; o < outer; o++)
        for (ptrdiff_t c = 0; c < inner; c += WIDTH) {
            ptrdiff_t w = inner - c < WIDTH ? inner - c : WIDTH;
            const REAL *from = x + o * n * inner + c;
            REAL *to = out + o * n * inner + c;
            for (ptrdiff_t j = 0; j < w; j++) { top[j] = -(REAL)INFINITY; total[j] = 0; }
            for (ptrdiff_t i = 0; i < n; i++)
                for (ptrdiff_t j = 0; j < w; j++) top[j] = from[i * inner + j] > top[j] ? from[i * inner + j] : top[j];
            if (logarithm) {
                for (ptrdiff_t i = 0; i < n; i++)
                    for (ptrdiff_t j = 0; j < w; j++) total[j] += VEXP(from[i * inner + j] - top[j]);
                for (ptrdiff_t j = 0; j < w; j++) total[j] = (REAL)log((double)total[j]);
                for (ptrdiff_t i = 0; i < n; i++)
                    for (ptrdiff_t j = 0; j < w; j++) to[i * inner + j] = (from[i * inner + j] - top[j]) - total[j];
            } else {
                for (ptrdiff_t i = 0; i < n; i++)
                    for (ptrdiff_t j = 0; j < w; j++) {
                        REAL e = VEXP(from[i * inner + j] - top[j]);
                        to[i * inner + j] = e;
                        total[j] += e;
                    }
                for (ptrdiff_t j = 0; j < w; j++) total[j] = 1 / total[j];
                for (ptrdiff_t i = 0; i < n; i++)
                    for (ptrdiff_t j = 0; j < w; j++) to[i * inner + j] *= total[j];
            }
        }
}

/* As log_rows without out, down columns. */
CLONES static void NAME(log_sum_columns)(const REAL *RESTRICT x, REAL *RESTRICT tops, REAL *RESTRICT sums,
        ptrdiff_t outer,
                                         ptrdiff_t n, ptrdiff_t inner) {
    REAL top[WIDTH], total[WIDTH];
    for (ptrdiff_t o = 0; o < outer; o++)
        for (ptrdiff_t c = 0; c < inner; c += WIDTH) {
            ptrdiff_t w = inner - c < WIDTH ? inner - c : WIDTH;
            const REAL *from = x + o * n * inner + c;
            for (ptrdiff_t j = 0; j < w; j++) { top[j] = -(REAL)INFINITY; total[j] = 0; }
            for (ptrdiff_t i = 0; i < n; i++)
                for (ptrdiff_t j = 0; j < w; j++) top[j] = from[i * inner + j] > top[j] ? from[i * inner + j] : top[j];
            for (ptrdiff_t j = 0; j < w; j++)
                if (!tops && isinf(top[j])) top[j] = 0;
            for (ptrdiff_t i = 0; i < n; i++)
                for (ptrdiff_t j = 0; j < w; j++) total[j] += VEXP(from[i * inner + j] - top[j]);
            for (ptrdiff_t j = 0; j < w; j++) {
                REAL rest = (REAL)log((double)total[j]);
                if (tops) tops[o * inner + c + j] = top[j];
                sums[o * inner + c + j] = tops ? rest : top[j] + rest;
            }
        }
}

CLONES static void NAME(softmax_grad_rows)(const REAL *RESTRICT g, const REAL *RESTRICT out, REAL *RESTRICT gx,
        ptrdiff_t outer,
                                           ptrdiff_t n, int logarithm) {
    for (ptrdiff_t r = 0; r < outer; r++) {
        const REAL *left = g + r * n, *right = out + r * n;
        REAL *to = gx + r * n, total;
        if (logarithm) {
            total = NAME(row_sum)(left, n);
            for (ptrdiff_t i = 0; i < n; i++) to[i] = left[i] - VEXP(right[i]) * total;
        } else {
            total = NAME(row_dot)(left, right, n);
            for (ptrdiff_t i = 0; i < n; i++) to[i] = right[i] * (left[i] - total);
        }
    }
}

CLONES static void NAME(softmax_grad_columns)(const REAL *RESTRICT g, const REAL *RESTRICT out, REAL *RESTRICT gx,
        ptrdiff_t outer,
                                              ptrdiff_t n, ptrdiff_t inner, int logarithm) {
    REAL total[WIDTH];
    for (ptrdiff_t o = 0; o < outer; o++)
        for (ptrdiff_t c = 0; c < inner; c += WIDTH) {
            ptrdiff_t w = inner - c < WIDTH ? inner - c : WIDTH, base = o * n * inner + c;
            const REAL *left = g + base, *right = out + base;
            REAL *to = gx + base;
            for (ptrdiff_t j = 0; j < w; j++) total[j] = 0;
            if (logarithm) {
                for (ptrdiff_t i = 0; i < n; i++)
                    for (ptrdiff_t j = 0; j < w; j++) total[j] += left[i * inner + j];
                for (ptrdiff_t i = 0; i < n; i++)
                    for (ptrdiff_t j = 0; j < w; j++)
                        to[i * inner + j] = left[i * inner + j] - VEXP(right[i * inner + j]) * total[j];
            } else {
                for (ptrdiff_t i = 0; i < n; i++)
                    for (ptrdiff_t j = 0; j < w; j++) total[j] += left[i * inner + j] * right[i * inner + j];
                for (ptrdiff_t i = 0; i < n; i++)
                    for (ptrdiff_t j = 0; j < w; j++)
                        to[i * inner + j] = right[i * inner + j] * (left[i * inner + j] - total[j]);
            }
        }
}
