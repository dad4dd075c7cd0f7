"""Keeps pytest out of the examples: test_helpers.py runs them as their users would."""

collect_ignore = ["pytest", "extra", "go", "jest", "junit"]
