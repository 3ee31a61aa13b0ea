from chainrule._engine.node cimport Node

cpdef mark(Node node)
