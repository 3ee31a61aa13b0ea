from chainrule._kernels.elementwise cimport steady_product, steady_quotient
