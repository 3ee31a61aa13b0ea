/* Random words to variates, in the order of operations of PyTorch's x86 build: a product that feeds a sum is fused.

   The single-precision logarithm, sine and cosine are those of the Cephes library, evaluated without branches,
   because PyTorch's vector code uses them; the double-precision ones are the C library's. */
#ifndef CHAINRULE_VARIATES_H
#define CHAINRULE_VARIATES_H

#include "vecmath.h"

#define LANES 8
#define TWO_PI 6.283185307179586

/* The low 24 bits of a word, or 53 of two words (the first on top), as a fraction of one; exact. */
INLINE float fraction_f(uint32_t word) { return (float)(int32_t)(word & 0xFFFFFFu) * 0x1p-24f; }

INLINE double fraction(const uint32_t *words) {
    uint64_t bits = ((uint64_t)words[0] << 32 | words[1]) & 0x1FFFFFFFFFFFFFull;
    return (double)(int64_t)bits * 0x1p-53;
}

/* ln x for 0 < x <= 1, normal: x is m * 2**e with sqrt(1/2) <= m < sqrt(2). */
INLINE float cephes_log(float x) {
    uint32_t bits = bits_of_float(x);
    float e = (float)((int32_t)(bits >> 23) - 126);
    float m = float_of_bits((bits & 0x807FFFFFu) | 0x3F000000u);
    int low = m < 0.707106781186547524f;
    e = low ? e - 1.f : e;
    float r = (m - 1.f) + (low ? m : 0.f);
    float q = 7.0376836292E-2f;
    q = fmaf(q, r, -1.1514610310E-1f);
    q = fmaf(q, r, 1.1676998740E-1f);
    q = fmaf(q, r, -1.2420140846E-1f);
    q = fmaf(q, r, 1.4249322787E-1f);
    q = fmaf(q, r, -1.6668057665E-1f);
    q = fmaf(q, r, 2.0000714765E-1f);
    q = fmaf(q, r, -2.4999993993E-1f);
    q = fmaf(q, r, 3.3333331174E-1f);
    float square = r * r;
    float tail = fmaf(q * r, square, e * -2.12194440e-4f);
    tail = fmaf(-square, 0.5f, tail);
    return fmaf(e, 0.693359375f, r + tail);
}

/* sin x and cos x for 0 <= x <= 2 pi: the octant's distance is taken off in three parts of pi/4. */
INLINE void cephes_sincos(float x, float *sine, float *cosine) {
    int32_t octant = ((int32_t)(x * 1.27323954473516f) + 1) & ~1;
    float n = (float)octant;
    float r = fmaf(n, -0.78515625f, x);
    r = fmaf(n, -2.4187564849853515625e-4f, r);
    r = fmaf(n, -3.77489497744594108e-8f, r);
    float square = r * r;
    float c = fmaf(2.443315711809948E-005f, square, -1.388731625493765E-003f);
    c = fmaf(c, square, 4.166664568298827E-002f);
    c = fmaf(c * square, square, -(square * 0.5f)) + 1.f;
    float s = fmaf(-1.9515295891E-4f, square, 8.3321608736E-3f);
    s = fmaf(s, square, -1.6666654611E-1f);
    s = fmaf(s * square, r, r);
    int swapped = (octant & 2) != 0;
    uint32_t sine_sign = (uint32_t)(octant & 4) << 29;
    uint32_t cosine_sign = (uint32_t)(~(octant - 2) & 4) << 29;
    *sine = float_of_bits(bits_of_float(swapped ? c : s) ^ sine_sign);
    *cosine = float_of_bits(bits_of_float(swapped ? s : c) ^ cosine_sign);
}

CLONES static void uniform_float_loop(
        const uint32_t *RESTRICT words, float *RESTRICT out, ptrdiff_t n, float low, float high) {
    float width = high - low;
    for (ptrdiff_t i = 0; i < n; i++) {
        float value = fmaf(fraction_f(words[i]), width, low);
        out[i] = value == high ? low : value;
    }
}

CLONES static void uniform_double_loop(
        const uint32_t *RESTRICT words, double *RESTRICT out, ptrdiff_t n, double low, double high) {
    double width = high - low;
    for (ptrdiff_t i = 0; i < n; i++) {
        double value = fma(fraction(words + 2 * i), width, low);
        out[i] = value == high ? low : value;
    }
}

/* Box and Muller on groups of 16: the first eight words give the radii, the last eight the angles. */
CLONES static void normal_float_loop(
        const uint32_t *RESTRICT words, float *RESTRICT out, ptrdiff_t n, float mean, float std) {
    for (ptrdiff_t i = 0; i < n; i += 2 * LANES) {
        const uint32_t *w = words + i;
        float *o = out + i;
        for (int j = 0; j < LANES; j++) {
            float radius = sqrtf(-2.f * cephes_log(1.f - fraction_f(w[j])));
            float sine, cosine;
            cephes_sincos((float)TWO_PI * fraction_f(w[j + LANES]), &sine, &cosine);
            o[j] = fmaf(radius * cosine, std, mean);
            o[j + LANES] = fmaf(radius * sine, std, mean);
        }
    }
}

CLONES static void normal_double_loop(const uint32_t *words, double *out, ptrdiff_t n, double mean, double std) {
    for (ptrdiff_t i = 0; i < n; i += 2 * LANES) {
        const uint32_t *w = words + 2 * i;
        double *o = out + i;
        for (int j = 0; j < LANES; j++) {
            double radius = sqrt(-2. * log(1. - fraction(w + 2 * j)));
            double theta = TWO_PI * fraction(w + 2 * (j + LANES));
            o[j] = fma(radius * cos(theta), std, mean);
            o[j + LANES] = fma(radius * sin(theta), std, mean);
        }
    }
}

/* Pairs of standard normals, n even: of the four words of a pair, the angle's come first. */
static void normal_pairs_loop(const uint32_t *words, double *out, ptrdiff_t n) {
    for (ptrdiff_t i = 0; i < n; i += 2) {
        double radius = sqrt(-2. * log1p(-fraction(words + 2 * i + 2)));
        double theta = TWO_PI * fraction(words + 2 * i);
        out[i] = radius * cos(theta);
        out[i + 1] = radius * sin(theta);
    }
}

static void scale_loop(double *values, ptrdiff_t n, double mean, double std) {
    for (ptrdiff_t i = 0; i < n; i++) values[i] = fma(values[i], std, mean);
}

static void exp_loop(double *values, ptrdiff_t n) {
    for (ptrdiff_t i = 0; i < n; i++) values[i] = exp(values[i]);
}

CLONES static void single_loop(const double *RESTRICT values, float *RESTRICT out, ptrdiff_t n) {
    for (ptrdiff_t i = 0; i < n; i++) out[i] = (float)values[i];
}

/* The loops below share a signature, so that one driver runs them; some leave the second parameter unread. */
static void exponential_loop(const uint32_t *words, double *out, ptrdiff_t n, double rate, double unread) {
    (void)unread;
    for (ptrdiff_t i = 0; i < n; i++) out[i] = -1. / rate * log1p(-fraction(words + 2 * i));
}

static void geometric_loop(const uint32_t *words, double *out, ptrdiff_t n, double p, double unread) {
    (void)unread;
    double scale = log1p(-p);
    for (ptrdiff_t i = 0; i < n; i++) out[i] = ceil(log(fraction(words + 2 * i)) / scale);
}

static void cauchy_loop(const uint32_t *words, double *out, ptrdiff_t n, double median, double sigma) {
    const double pi = 3.141592653589793;
    for (ptrdiff_t i = 0; i < n; i++) out[i] = fma(sigma, tan(pi * (fraction(words + 2 * i) - 0.5)), median);
}

/* Fisher and Yates from the front. */
static void shuffle_loop(const uint32_t *words, int64_t *out, ptrdiff_t n) {
    for (ptrdiff_t i = 0; i < n; i++) out[i] = i;
    for (ptrdiff_t i = 0; i < n - 1; i++) {
        ptrdiff_t other = i + (ptrdiff_t)((int64_t)words[i] % (n - i));
        int64_t held = out[i];
        out[i] = out[other];
        out[other] = held;
    }
}

#endif
