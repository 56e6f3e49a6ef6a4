"""`python -m bench.check [--scale 0.01] [--old TREE] ...`."""

import sys

from bench.check.measure import main

sys.exit(main(sys.argv[1:]))
