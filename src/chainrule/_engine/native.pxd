cpdef tuple without_saved(tuple links, int n_edges)
cpdef bint sole_reference(object tensor, object array)
cpdef check_signals()
cpdef untrack(tuple links)
