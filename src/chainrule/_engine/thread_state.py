"""What each thread has of its own: grad mode, the special bits, the sequence counter. The plain twin."""

import threading


class State(threading.local):
    """The state of one thread: every attribute is that thread's own."""

    def __init__(self):
        self.grad_enabled = True
        self.special = process.special
        self.sequence = 0
        self.depth = 0


class Process:
    """Special bits that hold for every thread, those that start later included."""

    special = 0


process = Process()
_state = State()


def current():
    """This thread's state."""
    return _state
