/* The loops of normalization.pyx for one real type. Included twice by normalization.h, after reduce.h.

   Moments take two passes, the mean first, in sums of sixteen lanes over CHUNK elements that are added up in double.
   A weight or bias that is NULL counts as one or zero. Sums for weights and biases are doubles. */

INLINE double NAME(mean_of)(const REAL *x, ptrdiff_t n) {
    double total = 0;
    for (ptrdiff_t i = 0; i < n; i += CHUNK) total += NAME(row_sum)(x + i, n - i < CHUNK ? n - i : CHUNK);
    return total / n;
}

INLINE REAL NAME(chunk_square)(const REAL *x, REAL mean, ptrdiff_t n) {
    REAL total = 0;
    ptrdiff_t i = 0;
    if (n >= LANES) {
        REAL lane[LANES] = {0};
        for (; i + LANES <= n; i += LANES)
            for (int j = 0; j < LANES; j++) {
                REAL d = x[i + j] - mean;
                lane[j] += d * d;
            }
        total = NAME(fold)(lane);
    }
    for (; i < n; i++) total += (x[i] - mean) * (x[i] - mean);
    return total;
}

INLINE double NAME(square_of)(const REAL *x, REAL mean, ptrdiff_t n) {
    double total = 0;
    for (ptrdiff_t i = 0; i < n; i += CHUNK) total += NAME(chunk_square)(x + i, mean, n - i < CHUNK ? n - i : CHUNK);
    return total;
}

INLINE REAL NAME(chunk_slope)(const REAL *g, const REAL *x, REAL mean, ptrdiff_t n) {
    REAL total = 0;
    ptrdiff_t i = 0;
    if (n >= LANES) {
        REAL lane[LANES] = {0};
        for (; i + LANES <= n; i += LANES)
            for (int j = 0; j < LANES; j++) lane[j] += g[i + j] * (x[i + j] - mean);
        total = NAME(fold)(lane);
    }
    for (; i < n; i++) total += g[i] * (x[i] - mean);
    return total;
}

/* Sums of g and of g * (x - mean) over a row; with a weight, g stands for w * g. */
INLINE void NAME(slope_sums)(const REAL *g, const REAL *x, const REAL *w, REAL mean, ptrdiff_t n, double *sum,
        double *product) {
    REAL weighted[CHUNK];
    double s = 0, p = 0;
    for (ptrdiff_t i = 0; i < n; i += CHUNK) {
        const ptrdiff_t m = n - i < CHUNK ? n - i : CHUNK;
        const REAL *from = g + i;
        if (w) {
            for (ptrdiff_t j = 0; j < m; j++) weighted[j] = g[i + j] * w[i + j];
            from = weighted;
        }
        s += NAME(row_sum)(from, m);
        p += NAME(chunk_slope)(from, x + i, mean, m);
    }
    *sum = s;
    *product = p;
}

/* Rows of n. mean is NULL for the root-mean-square form, which subtracts nothing. */
CLONES static void NAME(layer_norm)(const REAL *RESTRICT x, REAL *RESTRICT out, REAL *RESTRICT mean, REAL *RESTRICT rstd,
                                    const REAL *RESTRICT w, const REAL *RESTRICT b, ptrdiff_t rows, ptrdiff_t n,
        double eps) {
    for (ptrdiff_t r = 0; r < rows; r++) {
        const REAL *row = x + r * n;
        REAL *to = out + r * n;
        const REAL m = mean ? (REAL)NAME(mean_of)(row, n) : 0;
        const REAL s = (REAL)(1 / sqrt(NAME(square_of)(row, m, n) / n + eps));
        if (mean) mean[r] = m;
        rstd[r] = s;
        if (w && b)
            for (ptrdiff_t i = 0; i < n; i++) to[i] = (row[i] - m) * s * w[i] + b[i];
        else if (w)
            for (ptrdiff_t i = 0; i < n; i++) to[i] = (row[i] - m) * s * w[i];
        else if (b)
            for (ptrdiff_t i = 0; i < n; i++) to[i] = (row[i] - m) * s + b[i];
        else
            for (ptrdiff_t i = 0; i < n; i++) to[i] = (row[i] - m) * s;
    }
}

/* part holds 2n zeros: sums for weight and bias in REAL over FLUSH rows, then moved to the doubles gw and gb. */
CLONES static void NAME(layer_norm_grad)(const REAL *RESTRICT g, const REAL *RESTRICT x, const REAL *RESTRICT mean,
                                         const REAL *RESTRICT rstd, const REAL *RESTRICT w, REAL *RESTRICT gx,
        double *RESTRICT gw,
                                         double *RESTRICT gb, REAL *RESTRICT part, ptrdiff_t rows, ptrdiff_t n) {
    REAL *RESTRICT part_w = part, *RESTRICT part_b = part + n;
    for (ptrdiff_t r = 0; r < rows; r++) {
        const REAL *RESTRICT row = x + r * n, *RESTRICT cotangent = g + r * n;
        const REAL m = mean ? mean[r] : 0, s = rstd[r];
        if (gx) {
            REAL *RESTRICT to = gx + r * n;
            double sum, product;
            NAME(slope_sums)(cotangent, row, w, m, n, &sum, &product);
            const REAL shift = mean ? (REAL)(sum * s / n) : 0, pull = (REAL)(product * s * s * s / n);
            if (w)
                for (ptrdiff_t i = 0; i < n; i++) to[i] = cotangent[i] * w[i] * s - (row[i] - m) * pull - shift;
            else
                for (ptrdiff_t i = 0; i < n; i++) to[i] = cotangent[i] * s - (row[i] - m) * pull - shift;
        }
        if (gw && gb)
            for (ptrdiff_t i = 0; i < n; i++) {
                part_w[i] += cotangent[i] * ((row[i] - m) * s);
                part_b[i] += cotangent[i];
            }
        else if (gw)
            for (ptrdiff_t i = 0; i < n; i++) part_w[i] += cotangent[i] * ((row[i] - m) * s);
        else if (gb)
            for (ptrdiff_t i = 0; i < n; i++) part_b[i] += cotangent[i];
        if (r % FLUSH == FLUSH - 1 || r == rows - 1) {
            if (gw)
                for (ptrdiff_t i = 0; i < n; i++) { gw[i] += part_w[i]; part_w[i] = 0; }
            if (gb)
                for (ptrdiff_t i = 0; i < n; i++) { gb[i] += part_b[i]; part_b[i] = 0; }
        }
    }
}

/* Channels: x is (batch, channels, inner); with inner = 1 the loops run across the channels. The outputs are doubles:
   sums first, then in the second pass sums of squares about mean. */
CLONES static void NAME(channel_sums)(const REAL *RESTRICT x, double *RESTRICT total, ptrdiff_t batch, ptrdiff_t channels,
                                      ptrdiff_t inner) {
    for (ptrdiff_t k = 0; k < batch; k++) {
        const REAL *from = x + k * channels * inner;
        if (inner == 1)
            for (ptrdiff_t c = 0; c < channels; c++) total[c] += from[c];
        else
            for (ptrdiff_t c = 0; c < channels; c++) total[c] += NAME(mean_of)(from + c * inner, inner) * inner;
    }
}

CLONES static void NAME(channel_squares)(const REAL *RESTRICT x, const REAL *RESTRICT mean, double *RESTRICT total,
        ptrdiff_t batch,
                                         ptrdiff_t channels, ptrdiff_t inner) {
    for (ptrdiff_t k = 0; k < batch; k++) {
        const REAL *from = x + k * channels * inner;
        if (inner == 1)
            for (ptrdiff_t c = 0; c < channels; c++) {
                double d = (double)from[c] - mean[c];
                total[c] += d * d;
            }
        else
            for (ptrdiff_t c = 0; c < channels; c++) total[c] += NAME(square_of)(from + c * inner, mean[c], inner);
    }
}

CLONES static void NAME(channel_apply)(const REAL *RESTRICT x, REAL *RESTRICT out, const REAL *RESTRICT mean,
                                       const REAL *RESTRICT scale, const REAL *RESTRICT shift, ptrdiff_t batch,
        ptrdiff_t channels,
                                       ptrdiff_t inner) {
    for (ptrdiff_t k = 0; k < batch; k++) {
        const REAL *from = x + k * channels * inner;
        REAL *to = out + k * channels * inner;
        if (inner == 1)
            for (ptrdiff_t c = 0; c < channels; c++) to[c] = (from[c] - mean[c]) * scale[c] + shift[c];
        else
            for (ptrdiff_t c = 0; c < channels; c++) {
                const REAL m = mean[c], s = scale[c], b = shift[c];
                for (ptrdiff_t i = c * inner; i < (c + 1) * inner; i++) to[i] = (from[i] - m) * s + b;
            }
    }
}

/* Per channel: sums of g, and of g * (x - mean). */
CLONES static void NAME(channel_slopes)(const REAL *RESTRICT g, const REAL *RESTRICT x, const REAL *RESTRICT mean,
                                        double *RESTRICT sums, double *RESTRICT products, ptrdiff_t batch, ptrdiff_t channels,
                                        ptrdiff_t inner) {
    for (ptrdiff_t k = 0; k < batch; k++) {
        const REAL *cotangent = g + k * channels * inner, *from = x + k * channels * inner;
        if (inner == 1)
            for (ptrdiff_t c = 0; c < channels; c++) {
                sums[c] += cotangent[c];
                products[c] += (double)cotangent[c] * ((double)from[c] - mean[c]);
            }
        else
            for (ptrdiff_t c = 0; c < channels; c++) {
                double s, p;
                NAME(slope_sums)(cotangent + c * inner, from + c * inner, NULL, mean[c], inner, &s, &p);
                sums[c] += s;
                products[c] += p;
            }
    }
}

/* gx = g * scale - (x - mean) * pull - shift, each constant per channel. */
CLONES static void NAME(channel_grad)(const REAL *RESTRICT g, const REAL *RESTRICT x, REAL *RESTRICT gx,
        const REAL *RESTRICT mean,
                                      const REAL *RESTRICT scale, const REAL *RESTRICT pull, const REAL *RESTRICT shift,
                                      ptrdiff_t batch, ptrdiff_t channels, ptrdiff_t inner) {
    for (ptrdiff_t k = 0; k < batch; k++) {
        const REAL *cotangent = g + k * channels * inner, *from = x + k * channels * inner;
        REAL *to = gx + k * channels * inner;
        if (inner == 1)
            for (ptrdiff_t c = 0; c < channels; c++) to[c] = cotangent[c] * scale[c] - (from[c] - mean[c]) * pull[c] - shift[c];
        else
            for (ptrdiff_t c = 0; c < channels; c++) {
                const REAL m = mean[c], s = scale[c], p = pull[c], b = shift[c];
                for (ptrdiff_t i = c * inner; i < (c + 1) * inner; i++) to[i] = cotangent[i] * s - (from[i] - m) * p - b;
            }
    }
}

/* Groups: x is (batch, groups, depth, inner) with depth channels to a group and moments per group. */
CLONES static void NAME(group_norm)(const REAL *RESTRICT x, REAL *RESTRICT out, REAL *RESTRICT mean, REAL *RESTRICT rstd,
                                    const REAL *RESTRICT w, const REAL *RESTRICT b, ptrdiff_t batch,
        ptrdiff_t groups, ptrdiff_t depth,
                                    ptrdiff_t inner, double eps) {
    const ptrdiff_t n = depth * inner;
    for (ptrdiff_t k = 0; k < batch * groups; k++) {
        const REAL *from = x + k * n;
        REAL *to = out + k * n;
        const REAL m = (REAL)NAME(mean_of)(from, n);
        const REAL s = (REAL)(1 / sqrt(NAME(square_of)(from, m, n) / n + eps));
        mean[k] = m;
        rstd[k] = s;
        for (ptrdiff_t d = 0; d < depth; d++) {
            const ptrdiff_t c = k % groups * depth + d;
            const REAL scale = w ? s * w[c] : s, shift = b ? b[c] : 0;
            for (ptrdiff_t i = d * inner; i < (d + 1) * inner; i++) to[i] = (from[i] - m) * scale + shift;
        }
    }
}

CLONES static void NAME(group_norm_grad)(const REAL *RESTRICT g, const REAL *RESTRICT x, const REAL *RESTRICT mean,
                                         const REAL *RESTRICT rstd, const REAL *RESTRICT w, REAL *RESTRICT gx,
        double *RESTRICT gw,
                                         double *RESTRICT gb, ptrdiff_t batch, ptrdiff_t groups, ptrdiff_t depth, ptrdiff_t inner) {
    const ptrdiff_t n = depth * inner;
    for (ptrdiff_t k = 0; k < batch * groups; k++) {
        const REAL *cotangent = g + k * n, *from = x + k * n;
        const REAL m = mean[k], s = rstd[k];
        double sum = 0, product = 0;
        for (ptrdiff_t d = 0; d < depth; d++) {
            const ptrdiff_t c = k % groups * depth + d;
            double part, slope;
            NAME(slope_sums)(cotangent + d * inner, from + d * inner, NULL, m, inner, &part, &slope);
            gw[c] += slope * s;
            gb[c] += part;
            sum += w ? part * w[c] : part;
            product += w ? slope * w[c] : slope;
        }
        if (!gx) continue;
        const REAL shift = (REAL)(sum * s / n), pull = (REAL)(product * s * s * s / n);
        REAL *to = gx + k * n;
        for (ptrdiff_t d = 0; d < depth; d++) {
            const REAL scale = w ? s * w[k % groups * depth + d] : s;
            for (ptrdiff_t i = d * inner; i < (d + 1) * inner; i++) to[i] = cotangent[i] * scale - (from[i] - m) * pull - shift;
        }
    }
}
