"""python -m polhode"""

import sys

from polhode.cli.main import main

sys.exit(main())
