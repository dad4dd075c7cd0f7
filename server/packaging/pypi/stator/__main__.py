# SPDX-License-Identifier: Apache-2.0
"""`python -m stator ARGUMENTS` becomes the program."""

import os
import sys

from stator.server import program

os.execvp(program(), ["stator", *sys.argv[1:]])
