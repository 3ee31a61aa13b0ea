# compiled: see setup.py
