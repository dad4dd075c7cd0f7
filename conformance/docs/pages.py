"""The blocks of code in the pages for users, and who tries them."""

import re
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)

# In test_pages.py, each in its turn.
PLAYED = ("README.md", "docs/capacity.md", "docs/data.md", "docs/explain.md", "docs/rollback.md", "docs/sdks.md",
          "docs/time.md")
LANGUAGES = ("sh", "python")  # of what is played

# What is left out, by the beginning of its text, and why.
LEFT_OUT = {
    "./dev ": "builds the program that is tried here",
    "systemctl ": "needs systemd",
    "STATOR_PORT=8001": "a file for systemd, no command",
    "stator health  ": "conformance/raw_http has the commands",
    "install -m 644 /srv/stator/": "conformance/packages signs such a repository, and apt takes the package from it",
    "docker ": "conformance/container builds and runs the image",
    "stator --port 0 > address": "conformance/lib starts every server so",
    "server.clock(advance": "a piece of a test with the helper, conformance/test_helpers runs it",
    "def test_put(dynamodb)": "a piece of a test with the helper, conformance/test_helpers runs it",
}
# Programs in other languages are pieces of those in the suites of these languages and of the test helpers.


class Block(NamedTuple):
    page: str
    language: str
    text: str


def blocks(page):
    return [Block(page, *found) for found in BLOCK.findall((ROOT / page).read_text())]


def reason_left_out(block):
    """Why nobody plays it; None: somebody must."""
    if block.language not in LANGUAGES:
        return "another language"
    for beginning, reason in LEFT_OUT.items():
        if block.text.startswith(beginning):
            return reason
    return None


def all_pages():
    return ["README.md", *sorted(str(page.relative_to(ROOT)) for page in (ROOT / "docs").glob("*.md"))]


def played(page):
    """The blocks of a page that are to be played, in their order."""
    return [block for block in blocks(page) if reason_left_out(block) is None]
