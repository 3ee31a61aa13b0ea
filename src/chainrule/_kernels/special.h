/* The loops of special.pyx, for float and double. */
#ifndef CHAINRULE_SPECIAL_H
#define CHAINRULE_SPECIAL_H

#include "vecmath.h"

/* The logarithm of a positive normal number to 1e-4, which is all that a first guess needs. */
INLINE double rough_log(double x) {
    uint64_t bits = bits_of_double(x);
    double power = double_of_bits((bits >> 52) | ((uint64_t)0x433 << 52)) - 4503599627371519.0;
    double m = double_of_bits((bits & (((uint64_t)1 << 52) - 1)) | ((uint64_t)1023 << 52));
    double s = (m - 1.4142135623730951) / (m + 1.4142135623730951), z = s * s;
    return (power + 0.5) * 0.6931471805599453 + s * (2.0 + z * (2.0 / 3.0 + z * 0.4));
}

/* A first guess good to 0.2 % (the series below 0.5, Winitzki's closed form above), then Halley steps, each of which cubes
   the relative error: two for double, one for float. From 0.5 on the residual is taken in erfc, which loses no digits there. */
INLINE double erfinv_step(double a, double y) {
    double inner = verf_central(y) - a, outer = (1.0 - a) - verfc_abs(y);
    double d = (a < 0.5 ? inner : outer) / (1.1283791670955126 * vgauss(y, 1.0));
    return y - d / (1.0 + y * d);
}

INLINE double erfinv_one(double x, int steps) {
    double a = fabs(x), z = a * a;
    double near = a * (0.8862269254527580 + z * (0.2320136665346544 + z * (0.1275561753055979 + z * 0.0865521292415475)));
    double l = rough_log(a < 1.0 ? (1.0 - a) * (1.0 + a) : 0.5), c = 4.330746750799873 + 0.5 * l;
    double far = sqrt(sqrt(c * c - l * 6.802721088435374) - c);
    double y = erfinv_step(a, a < 0.5 ? near : far);
    if (steps == 2) y = erfinv_step(a, y);
    y = a < 1.0 ? y : (double)NAN;
    y = a == 1.0 ? (double)INFINITY : y;
    return copysign(y, x);
}

/* Recurrence up to 10, then the asymptotic series; reflection for negative arguments. */
static double digamma_one(double x) {
    double shift = 0.0;
    if (x == 0.0) return copysign(INFINITY, -x);
    if (x < 0.0) {
        double offset = x - rint(x);
        if (offset == 0.0) return NAN;
        shift = -3.141592653589793 / tan(3.141592653589793 * offset);
        x = 1.0 - x;
    }
    while (x < 10.0) { shift -= 1.0 / x; x += 1.0; }
    double z = 1.0 / (x * x);
    double p = 1.0 / 12.0;
    p = p * z - 691.0 / 32760.0;
    p = p * z + 1.0 / 132.0;
    p = p * z - 1.0 / 240.0;
    p = p * z + 1.0 / 252.0;
    p = p * z - 1.0 / 120.0;
    p = p * z + 1.0 / 12.0;
    return shift + log(x) - 0.5 / x - z * p;
}

#define REAL float
#define NAME(name) name##_float
#define FABS fabsf
#define VEXP vexpf
#define VEXPM1_NEGATIVE vexpm1_negative_f
#define VLOG1P_UNIT vlog1p_unit_f
#define VERF verff
#define VERFC verfcf
#define VBELL vbell_f
#define VNORMAL vnormal_f
#define VSIGMOID vsigmoidf
#define HALLEY_STEPS 1
#include "special_loops.h"
#undef REAL
#undef NAME
#undef FABS
#undef VEXP
#undef VEXPM1_NEGATIVE
#undef VLOG1P_UNIT
#undef VERF
#undef VERFC
#undef VBELL
#undef VNORMAL
#undef VSIGMOID
#undef HALLEY_STEPS

#define REAL double
#define NAME(name) name##_double
#define FABS fabs
#define VEXP vexp
#define VEXPM1_NEGATIVE vexpm1_negative
#define VLOG1P_UNIT vlog1p_unit
#define VERF verf
#define VERFC verfc
#define VBELL vbell
#define VNORMAL vnormal
#define VSIGMOID vsigmoid
#define HALLEY_STEPS 2
#include "special_loops.h"
#undef REAL
#undef NAME
#undef FABS
#undef VEXP
#undef VEXPM1_NEGATIVE
#undef VLOG1P_UNIT
#undef VERF
#undef VERFC
#undef VBELL
#undef VNORMAL
#undef VSIGMOID
#undef HALLEY_STEPS

#endif
