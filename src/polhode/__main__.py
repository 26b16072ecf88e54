"""python -m polhode"""

import sys

from polhode.cli import main

sys.exit(main())
