"""python -m chainrule: the command line."""

import sys

from chainrule.cli import main

sys.exit(main())
