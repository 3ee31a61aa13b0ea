"""Anomaly mode: backward stops at the first gradient that has a nan, and names the forward line it comes from."""

import warnings

from chainrule._engine.backward import anomaly

__all__ = ["detect_anomaly", "set_detect_anomaly"]


class set_detect_anomaly:
    """Switch anomaly mode on or off at once, for all threads; as a context manager, put it back after."""

    def __init__(self, mode, check_nan=True):
        self.before = anomaly.enabled, anomaly.check_nan
        anomaly.enabled, anomaly.check_nan = mode, check_nan

    def __enter__(self):
        pass

    def __exit__(self, *exc):
        anomaly.enabled, anomaly.check_nan = self.before


class detect_anomaly:
    """Anomaly mode inside: each gradient of the backward walk is looked through for nan (unless check_nan=False).

    Errors of the walk name the forward line also without it."""

    def __init__(self, check_nan=True):
        self.check_nan = check_nan
        warnings.warn(
            "Anomaly Detection has been enabled. This mode will increase the runtime and should only be enabled for "
            "debugging.",
            stacklevel=2,
        )

    def __enter__(self):
        self.before = anomaly.enabled, anomaly.check_nan
        anomaly.enabled, anomaly.check_nan = True, self.check_nan

    def __exit__(self, *exc):
        anomaly.enabled, anomaly.check_nan = self.before


def is_anomaly_enabled():
    """Whether anomaly mode is on."""
    return anomaly.enabled


def is_anomaly_check_nan_enabled():
    """Whether anomaly mode looks for nan."""
    return anomaly.check_nan
