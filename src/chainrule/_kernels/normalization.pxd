cpdef tuple layer_norm(object x, int normalized_ndim, object weight, object bias, double eps)
cpdef tuple layer_norm_grad(object g, object x, object mean, object rstd, object weight,
        int normalized_ndim, tuple wants)
cpdef tuple rms_norm(object x, int normalized_ndim, object weight, double eps)
cpdef tuple rms_norm_grad(object g, object x, object rstd, object weight, int normalized_ndim, tuple wants)
cpdef tuple batch_norm(object x, object weight, object bias, object running_mean, object running_var,
        bint training, double momentum, double eps)
cpdef tuple batch_norm_grad(object g, object x, object weight, object save_mean, object save_rstd,
        bint training, tuple wants)
cpdef tuple group_norm(object x, Py_ssize_t num_groups, object weight, object bias, double eps)
cpdef tuple group_norm_grad(object g, object x, object mean, object rstd, object weight,
        Py_ssize_t num_groups, tuple wants)
