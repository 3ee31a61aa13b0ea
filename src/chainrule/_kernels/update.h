/* The loops of update.pyx, for float and double. */
#ifndef CHAINRULE_UPDATE_H
#define CHAINRULE_UPDATE_H

#include "vecmath.h"

#define BLOCK 512

#define REAL float
#define NAME(name) name##_float
#define SQRT sqrtf
#include "update_loops.h"
#undef REAL
#undef NAME
#undef SQRT

#define REAL double
#define NAME(name) name##_double
#define SQRT sqrt
#include "update_loops.h"
#undef REAL
#undef NAME
#undef SQRT

#undef BLOCK
#endif
