"""``python -m odt`` is the ``odt`` command."""

import sys

from odt.cli import main

sys.exit(main())
