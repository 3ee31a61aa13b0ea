"""Arrays in, arrays out: NumPy's inner loops, strided views, and the few native loops NumPy lacks.

Nothing here knows of tensors or graphs. A native module (.pyx) has a plain twin (.py) of the same name with the same
functions; which of the two is imported is decided by the build and by CHAINRULE_PURE."""
