from numpy cimport ndarray

cpdef tuple cross_entropy(object x, object target, object weight, long long ignore_index, str reduction,
        double label_smoothing)
cpdef ndarray cross_entropy_grad(object g, object x, object normalizer, object target, object weight,
        long long ignore_index, str reduction, double label_smoothing, object total_weight)
cpdef tuple nll_loss(object x, object target, object weight, long long ignore_index, str reduction)
cpdef ndarray nll_loss_grad(object g, object x, object target, object weight, long long ignore_index,
        str reduction, object total_weight)
cpdef ndarray binary_cross_entropy_with_logits(object x, object target, object pos_weight)
cpdef ndarray binary_cross_entropy_with_logits_grad(object g, object x, object target, object pos_weight)
