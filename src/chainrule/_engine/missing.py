"""What stands for an argument that was not given, in functions that have to say so themselves."""


class Missing:
    """The type of `MISSING`."""

    def __repr__(self):
        return "<required>"


MISSING = Missing()
