"""`python -m antecede` is the command line."""

import sys

from antecede.cli import main

sys.exit(main())
