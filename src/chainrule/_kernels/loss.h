/* The loops of loss.pyx, for float and double: those of softmax.h and the losses on top of them. */
#ifndef CHAINRULE_LOSS_H
#define CHAINRULE_LOSS_H

#include "softmax.h"

#define REAL float
#define NAME(name) name##_float
#define FABS fabsf
#define VEXP vexpf
#define VLOG1P_UNIT vlog1p_unit_f
#include "loss_loops.h"
#undef REAL
#undef NAME
#undef FABS
#undef VEXP
#undef VLOG1P_UNIT

#define REAL double
#define NAME(name) name##_double
#define FABS fabs
#define VEXP vexp
#define VLOG1P_UNIT vlog1p_unit
#include "loss_loops.h"
#undef REAL
#undef NAME
#undef FABS
#undef VEXP
#undef VLOG1P_UNIT

#endif
