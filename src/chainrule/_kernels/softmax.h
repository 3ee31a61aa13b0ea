/* The loops of softmax.pyx, for float and double. */
#ifndef CHAINRULE_SOFTMAX_H
#define CHAINRULE_SOFTMAX_H

#include "vecmath.h"

#define BLOCK 1024
#define WIDTH 128

#define REAL float
#define NAME(name) name##_float
#define VEXP vexpf
#include "reduce.h"
#include "softmax_loops.h"
#undef LANES
#undef REAL
#undef NAME
#undef VEXP

#define REAL double
#define NAME(name) name##_double
#define VEXP vexp
#include "reduce.h"
#include "softmax_loops.h"
#undef LANES
#undef REAL
#undef NAME
#undef VEXP

#endif
