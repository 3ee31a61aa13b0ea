from numpy cimport ndarray

cpdef ndarray uniform_float(ndarray words, double low, double high)
cpdef ndarray uniform_double(ndarray words, double low, double high)
cpdef ndarray normal_float(ndarray words, double mean, double std)
cpdef ndarray normal_double(ndarray words, double mean, double std)
cpdef ndarray normal_pairs(ndarray words)
cpdef ndarray scaled(ndarray values, double mean, double std)
cpdef ndarray exponentiated(ndarray values)
cpdef ndarray single(ndarray values)
cpdef ndarray exponential(ndarray words, double rate)
cpdef ndarray geometric(ndarray words, double p)
cpdef ndarray cauchy(ndarray words, double median, double sigma)
cpdef ndarray shuffle(ndarray words, Py_ssize_t n)
