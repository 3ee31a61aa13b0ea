/* Elementary functions written so that a loop over them becomes vector code: no branch, no table, no call.

   The polynomials are Chebyshev fits of the functions named beside them, made in 50 digits.
   A name ending in f takes float. NaN goes through every function; nothing here sets errno.
   CLONES makes the compiler emit a loop for AVX-512, for AVX2 with FMA and for the base instruction set, and pick at load
   time; building with -DCLONES= leaves the last one. */
#ifndef CHAINRULE_VECMATH_H
#define CHAINRULE_VECMATH_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(CLONES)
#elif defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 12 && defined(__x86_64__) && defined(__GLIBC__)
#define CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define CLONES
#endif

#if defined(__GNUC__) || defined(__clang__)
#define INLINE static inline __attribute__((always_inline))
#define RESTRICT __restrict__
#elif defined(_MSC_VER)
#define INLINE static __forceinline
#define RESTRICT __restrict
#else
#define INLINE static inline
#define RESTRICT
#endif

INLINE float float_of_bits(uint32_t bits) { float x; memcpy(&x, &bits, 4); return x; }
INLINE uint32_t bits_of_float(float x) { uint32_t bits; memcpy(&bits, &x, 4); return bits; }
INLINE double double_of_bits(uint64_t bits) { double x; memcpy(&x, &bits, 8); return x; }
INLINE uint64_t bits_of_double(double x) { uint64_t bits; memcpy(&bits, &x, 8); return bits; }

/* x and low add up to the argument: low carries what rounding took from x. Adding 1.5 * 2**23 (2**52) rounds to an integer
   and leaves it in the low bits. The power of two is applied in two halves, so that results near the ends of the range,
   subnormal ones included, come out right. */
INLINE float exp_parts_f(float x, float low, float *half, float *other) {
    const float magic = 12582912.f;
    x = x < -104.f ? -104.f : x;
    x = x > 89.f ? 89.f : x;
    float shifted = x * 1.44269504f + magic;
    float n = shifted - magic;
    float r = x - n * 0.693359375f;
    r = r - n * -2.12194440e-4f;
    r = r + low;
    float q = 0.00139264844f;
    q = q * r + 0.00836341921f;
    q = q * r + 0.0416665524f;
    q = q * r + 0.166665763f;
    q = q * r + 0.5f;
    int32_t power = (int32_t)bits_of_float(shifted) - 0x4B400000;
    int32_t first = power >> 1;
    *half = float_of_bits((uint32_t)(first + 127) << 23);
    *other = float_of_bits((uint32_t)(power - first + 127) << 23);
    return r + r * r * q;
}

INLINE double exp_parts(double x, double low, double *half, double *other) {
    const double magic = 6755399441055744.0;
    x = x < -746.0 ? -746.0 : x;
    x = x > 710.0 ? 710.0 : x;
    double n = (x * 1.4426950408889634 + magic) - magic;
    double r = x - n * 0.6931471675634384;
    r = r - n * 1.2996506893889889e-08;
    r = r + low;
    double q = 2.510077433671713e-08;
    q = q * r + 2.76205940841413e-07;
    q = q * r + 2.7557267639224082e-06;
    q = q * r + 2.4801520228646452e-05;
    q = q * r + 0.00019841269863583974;
    q = q * r + 0.0013888888917903373;
    q = q * r + 0.008333333333329956;
    q = q * r + 0.04166666666662274;
    q = q * r + 0.16666666666666669;
    q = q * r + 0.5;
    double first = n * 0.5 + magic;
    double second = n - (first - magic) + magic;
    *half = double_of_bits((bits_of_double(first) << 52) + ((uint64_t)1023 << 52));
    *other = double_of_bits((bits_of_double(second) << 52) + ((uint64_t)1023 << 52));
    return r + r * r * q;
}

INLINE float vexpf(float x) {
    float half, other, p = exp_parts_f(x, 0.f, &half, &other);
    return (1.f + p) * half * other;
}

INLINE double vexp(double x) {
    double half, other, p = exp_parts(x, 0.0, &half, &other);
    return (1.0 + p) * half * other;
}

/* expm1 for x <= 0, relatively accurate near 0. */
INLINE float vexpm1_negative_f(float x) {
    float half, other, p = exp_parts_f(x, 0.f, &half, &other), scale = half * other;
    return scale * p + (scale - 1.f);
}

INLINE double vexpm1_negative(double x) {
    double half, other, p = exp_parts(x, 0.0, &half, &other), scale = half * other;
    return scale * p + (scale - 1.0);
}

/* log1p for 0 <= x <= 1: twice the area tangent of x / (2 + x). */
INLINE float vlog1p_unit_f(float x) {
    float s = x / (2.f + x), z = s * s;
    float p = 0.232243299f;
    p = p * z + 0.217065752f;
    p = p * z + 0.28592357f;
    p = p * z + 0.399997056f;
    p = p * z + 0.666666687f;
    return s * (p * z) + 2.f * s;
}

INLINE double vlog1p_unit(double x) {
    double s = x / (2.0 + x), z = s * s;
    double p = 0.1563057780092285;
    p = p * z + 0.07492143795550767;
    p = p * z + 0.10845178394880015;
    p = p * z + 0.11734279061303197;
    p = p * z + 0.13335178631449257;
    p = p * z + 0.1538454396486055;
    p = p * z + 0.18181819897962714;
    p = p * z + 0.2222222219823677;
    p = p * z + 0.285714285716001;
    p = p * z + 0.39999999999999525;
    p = p * z + 0.6666666666666666;
    return s * (p * z) + 2.0 * s;
}

/* exp(a*a) * erfc(a) for a >= 0, as t * P(t) with t = 3.25 / (a + 3.25). */
INLINE float verfcx_f(float a) {
    float t = 3.25f / (a + 3.25f), u = t * 2.5909091f - 1.5909091f;
    float p = 6.79793629e-06f;
    p = p * u + -4.52119821e-05f;
    p = p * u + -0.000229647514f;
    p = p * u + 0.000279208005f;
    p = p * u + 0.00562691176f;
    p = p * u + 0.0265543256f;
    p = p * u + 0.0797666162f;
    p = p * u + 0.176596805f;
    p = p * u + 0.302844942f;
    p = p * u + 0.408599228f;
    return t * p;
}

INLINE double verfcx(double a) {
    double t = 3.25 / (a + 3.25), u = t * 2.2241379310344827 - 1.2241379310344827;
    double p = 3.594905999469425e-11;
    p = p * u + -2.9828763792406513e-10;
    p = p * u + -1.6150713183300378e-10;
    p = p * u + 3.706004853877295e-09;
    p = p * u + -1.4097947805044074e-09;
    p = p * u + -2.9869220513205065e-08;
    p = p * u + 2.751260838169956e-08;
    p = p * u + 2.2830525045469114e-07;
    p = p * u + -2.744606555173147e-07;
    p = p * u + -1.9517789694900055e-06;
    p = p * u + 1.8786909617338385e-06;
    p = p * u + 1.9479290185058458e-05;
    p = p * u + 1.1168562787955906e-06;
    p = p * u + -0.00020502366774649582;
    p = p * u + -0.00044553455015245325;
    p = p * u + 0.0012722930413430651;
    p = p * u + 0.011209925433403352;
    p = p * u + 0.04062658925037378;
    p = p * u + 0.10077720844940333;
    p = p * u + 0.19163473148148183;
    p = p * u + 0.2919871349861688;
    p = p * u + 0.3631221991569215;
    return t * p;
}

/* exp(-scale * a * a) for a >= 0 and a scale that is a power of two: the square is exact in its first part. */
INLINE float vgauss_f(float a, float scale) {
    float top = float_of_bits(bits_of_float(a) & 0xFFFFF000u);
    float half, other, p = exp_parts_f(-scale * top * top, -scale * ((a - top) * (a + top)), &half, &other);
    return (1.f + p) * half * other;
}

INLINE double vgauss(double a, double scale) {
    double top = double_of_bits(bits_of_double(a) & 0xFFFFFFFFF8000000u);
    double half, other, p = exp_parts(-scale * top * top, -scale * ((a - top) * (a + top)), &half, &other);
    return (1.0 + p) * half * other;
}

/* erfc(|x|). */
INLINE float verfc_abs_f(float x) {
    float a = fabsf(x);
    a = a > 10.5f ? 10.5f : a;
    return verfcx_f(a) * vgauss_f(a, 1.f);
}

INLINE double verfc_abs(double x) {
    double a = fabs(x);
    a = a > 28.0 ? 28.0 : a;
    return verfcx(a) * vgauss(a, 1.0);
}

/* erf(x) for |x| <= 1. */
INLINE float verf_central_f(float x) {
    float z = x * x;
    float p = 7.87587487e-05f;
    p = p * z + -0.00080168643f;
    p = p * z + 0.00518908724f;
    p = p * z + -0.0268542115f;
    p = p * z + 0.112835944f;
    p = p * z + -0.37612626f;
    p = p * z + 0.128379166f;
    return p * x + x;
}

INLINE double verf_central(double x) {
    double z = x * x;
    double p = -7.795898827002142e-10;
    p = p * z + 1.3720064546777686e-08;
    p = p * z + -1.6208483801871705e-07;
    p = p * z + 1.6447424703317362e-06;
    p = p * z + -1.492473690741966e-05;
    p = p * z + 0.00012055294904839707;
    p = p * z + -0.0008548325975389692;
    p = p * z + 0.0052239776071164225;
    p = p * z + -0.02686617064323777;
    p = p * z + 0.11283791670945006;
    p = p * z + -0.37612638903183543;
    p = p * z + 0.12837916709551256;
    return p * x + x;
}

INLINE float verff(float x) {
    float tail = copysignf(1.f - verfc_abs_f(x), x), central = verf_central_f(x);
    return fabsf(x) < 1.f ? central : tail;
}

INLINE double verf(double x) {
    double tail = copysign(1.0 - verfc_abs(x), x), central = verf_central(x);
    return fabs(x) < 1.0 ? central : tail;
}

INLINE float verfcf(float x) {
    float q = verfc_abs_f(x), central = 1.f - verf_central_f(x), tail = x < 0.f ? 2.f - q : q;
    return fabsf(x) < 0.5f ? central : tail;
}

INLINE double verfc(double x) {
    double q = verfc_abs(x), central = 1.0 - verf_central(x), tail = x < 0.0 ? 2.0 - q : q;
    return fabs(x) < 0.5 ? central : tail;
}

/* exp(-x*x/2), and from it the normal distribution function of x. */
INLINE float vbell_f(float x) {
    float a = fabsf(x);
    return vgauss_f(a > 15.f ? 15.f : a, 0.5f);
}

INLINE double vbell(double x) {
    double a = fabs(x);
    return vgauss(a > 39.0 ? 39.0 : a, 0.5);
}

INLINE float vnormal_f(float x, float bell) {
    float a = fabsf(x);
    float tail = 0.5f * verfcx_f((a > 15.f ? 15.f : a) * 0.707106781f) * bell;
    return (x < 0.f ? 0.f : 1.f) + (x < 0.f ? tail : -tail);
}

INLINE double vnormal(double x, double bell) {
    double a = fabs(x);
    double tail = 0.5 * verfcx((a > 39.0 ? 39.0 : a) * 0.7071067811865476) * bell;
    return (x < 0.0 ? 0.0 : 1.0) + (x < 0.0 ? tail : -tail);
}

INLINE float vsigmoidf(float x) { return 1.f / (1.f + vexpf(-x)); }
INLINE double vsigmoid(double x) { return 1.0 / (1.0 + vexp(-x)); }

#endif
