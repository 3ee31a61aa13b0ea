"""The ground: dtypes, promotion, devices, sizes, storage, configuration, random state. Imports nothing above it."""
