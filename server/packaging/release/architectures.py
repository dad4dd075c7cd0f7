"""The processors that there are programs for, by everyone's name for them."""

import collections

Architecture = collections.namedtuple("Architecture", "machine debian node")
X86_64 = Architecture("x86_64", "amd64", "x64")
AARCH64 = Architecture("aarch64", "arm64", "arm64")
