/* The loops of normalization.pyx, for float and double. */
#ifndef CHAINRULE_NORMALIZATION_H
#define CHAINRULE_NORMALIZATION_H

#include "vecmath.h"

#define CHUNK 1024
#define FLUSH 64

#define REAL float
#define NAME(name) name##_float
#include "reduce.h"
#include "normalization_loops.h"
#undef LANES
#undef REAL
#undef NAME

#define REAL double
#define NAME(name) name##_double
#include "reduce.h"
#include "normalization_loops.h"
#undef LANES
#undef REAL
#undef NAME

#undef CHUNK
#undef FLUSH
#endif
