"""`python -m bench.locality [--out FILE]`."""

import sys

from bench.locality.measure import main

sys.exit(main(sys.argv[1:]))
