"""What the cyclic collector sees of a node. Uncompiled, it sees everything by itself."""


def show_links():
    """Nothing to do: see the compiled form."""
