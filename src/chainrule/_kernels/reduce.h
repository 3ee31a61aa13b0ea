/* Sums over a row for one real type: sixteen partial results side by side, so that they are vector code without reordering
   what is written, and their error grows with n/16. Included with REAL and NAME set, after vecmath.h. */

#define LANES 16

INLINE REAL NAME(fold)(const REAL *lane) {
    REAL a = (lane[0] + lane[8]) + (lane[4] + lane[12]), b = (lane[1] + lane[9]) + (lane[5] + lane[13]);
    REAL c = (lane[2] + lane[10]) + (lane[6] + lane[14]), d = (lane[3] + lane[11]) + (lane[7] + lane[15]);
    return (a + c) + (b + d);
}

INLINE REAL NAME(row_max)(const REAL *x, ptrdiff_t n) {
    REAL top = -(REAL)INFINITY;
    ptrdiff_t i = 0;
    if (n >= LANES) {
        REAL lane[LANES];
        for (int j = 0; j < LANES; j++) lane[j] = x[j];
        for (i = LANES; i + LANES <= n; i += LANES)
            for (int j = 0; j < LANES; j++) lane[j] = x[i + j] > lane[j] ? x[i + j] : lane[j];
        for (int j = 0; j < LANES; j++) top = lane[j] > top ? lane[j] : top;
    }
    for (; i < n; i++) top = x[i] > top ? x[i] : top;
    return top;
}

INLINE REAL NAME(row_sum)(const REAL *x, ptrdiff_t n) {
    REAL total = 0;
    ptrdiff_t i = 0;
    if (n >= LANES) {
        REAL lane[LANES] = {0};
        for (; i + LANES <= n; i += LANES)
            for (int j = 0; j < LANES; j++) lane[j] += x[i + j];
        total = NAME(fold)(lane);
    }
    for (; i < n; i++) total += x[i];
    return total;
}

INLINE REAL NAME(row_dot)(const REAL *x, const REAL *y, ptrdiff_t n) {
    REAL total = 0;
    ptrdiff_t i = 0;
    if (n >= LANES) {
        REAL lane[LANES] = {0};
        for (; i + LANES <= n; i += LANES)
            for (int j = 0; j < LANES; j++) lane[j] += x[i + j] * y[i + j];
        total = NAME(fold)(lane);
    }
    for (; i < n; i++) total += x[i] * y[i];
    return total;
}
