cdef class dtype:
    cdef readonly str name, tensor_type
    cdef readonly object np
    cdef readonly int num, category
    cdef readonly Py_ssize_t itemsize
    cdef readonly bint is_floating_point, is_complex, is_signed, is_half

cdef list _by_num

cpdef dtype of_array(object array)
