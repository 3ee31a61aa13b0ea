"""The alias in child processes: installed before the child imports the parent's __main__.

`fork` inherits everything. A child of `spawn` or `forkserver` first unpickles its preparation data and then
imports `__main__`, so an object whose unpickling installs the alias rides along in that data. The fork server
itself may preload `__main__`, before any preparation data; its command line gets the installation in front.
"""

from pathlib import Path

ROOT = str(Path(__file__).parents[2])
# The child has not got the parent's sys.path yet: the directory that holds chainrule is named for this
# import.
BOOTSTRAP = (
    f"import sys; sys.path.insert(0, {ROOT!r}); from chainrule.compat import install; "
    f"sys.path.remove({ROOT!r}); install(); "
)
FORKSERVER = "from multiprocessing.forkserver import"


class InstallsOnUnpickling:
    """Its pickle is a call that installs the alias."""

    def __reduce__(self):
        return exec, (BOOTSTRAP, {})


class Patches:
    """Two functions of multiprocessing, wrapped while the alias is installed."""

    def __init__(self):
        # Here and not above, because `import chainrule` alone must not pay for importing multiprocessing.
        from multiprocessing import spawn, util

        self.spawn, self.util = spawn, util
        self.preparation_data, self.spawnv = spawn.get_preparation_data, util.spawnv_passfds
        spawn.get_preparation_data, util.spawnv_passfds = self.get_preparation_data, self.spawnv_passfds

    def undo(self):
        self.spawn.get_preparation_data, self.util.spawnv_passfds = self.preparation_data, self.spawnv

    def get_preparation_data(self, name):
        data = self.preparation_data(name)
        data["chainrule_alias"] = InstallsOnUnpickling()
        return data

    def spawnv_passfds(self, path, args, passfds):
        *options, command = args
        if isinstance(command, str) and command.startswith(FORKSERVER):
            args = [*options, BOOTSTRAP + command]
        return self.spawnv(path, args, passfds)
