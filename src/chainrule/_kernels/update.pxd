cpdef int sgd(object param, object grad, object momentum_buffer, bint first_step, double lr,
        double momentum, double dampening, double weight_decay, bint nesterov, bint maximize) except -1
cpdef int sgd_list(list params, list grads, list momentum_buffers, list first_steps, double lr,
        double momentum, double dampening, double weight_decay, bint nesterov, bint maximize) except -1
cpdef int adam(object param, object grad, object exp_avg, object exp_avg_sq, object max_exp_avg_sq,
        double step, double lr, double beta1, double beta2, double eps, double weight_decay, bint maximize,
        bint decoupled) except -1
cpdef int adam_list(list params, list grads, list exp_avgs, list exp_avg_sqs, list max_exp_avg_sqs,
        list steps, double lr, double beta1, double beta2, double eps, double weight_decay, bint maximize,
        bint decoupled) except -1
cpdef int rmsprop(object param, object grad, object square_avg, object grad_avg, object momentum_buffer,
        double lr, double alpha, double eps, double weight_decay, double momentum, bint maximize) except -1
cpdef int rmsprop_list(list params, list grads, list square_avgs, list grad_avgs, list momentum_buffers,
        list steps, double lr, double alpha, double eps, double weight_decay, double momentum,
        bint maximize) except -1
cpdef int adagrad(object param, object grad, object state_sum, double step, double lr, double lr_decay,
        double weight_decay, double eps, bint maximize) except -1
cpdef int adagrad_list(list params, list grads, list state_sums, list steps, double lr, double lr_decay,
        double weight_decay, double eps, bint maximize) except -1
