/* bfloat16 is the upper half of a float32: widening appends zeros, narrowing rounds to nearest, ties to even. */
#ifndef CHAINRULE_BFLOAT16_H
#define CHAINRULE_BFLOAT16_H

#include "vecmath.h"

CLONES static void widen_loop(const uint16_t *RESTRICT in, float *RESTRICT out, ptrdiff_t n) {
    for (ptrdiff_t i = 0; i < n; i++) out[i] = float_of_bits((uint32_t)in[i] << 16);
}

/* A NaN becomes the quiet NaN of its sign and upper bits: rounding could carry it into infinity. */
INLINE uint16_t narrowed(uint32_t bits) {
    uint32_t rounded = (bits + 0x7FFFu + ((bits >> 16) & 1u)) >> 16, quiet = (bits >> 16) | 0x40u;
    return (uint16_t)((bits & 0x7FFFFFFFu) > 0x7F800000u ? quiet : rounded);
}

CLONES static void narrow_float_loop(const float *RESTRICT in, uint16_t *RESTRICT out, ptrdiff_t n) {
    for (ptrdiff_t i = 0; i < n; i++) out[i] = narrowed(bits_of_float(in[i]));
}

/* A double goes through float32, as it does when its tensor is converted in two steps. */
CLONES static void narrow_double_loop(const double *RESTRICT in, uint16_t *RESTRICT out, ptrdiff_t n) {
    for (ptrdiff_t i = 0; i < n; i++) out[i] = narrowed(bits_of_float((float)in[i]));
}

#endif
