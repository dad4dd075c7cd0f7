"""The blocks of code in the pages for users, and who tries them."""

import re
from pathlib import Path
from typing import NamedTuple

from frames import CALLED, FRAMES

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```([^\n`]*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)

# In test_pages.py, each in its turn.
PLAYED = ("README.md", "docs/capacity.md", "docs/containers-and-ci.md", "docs/data.md", "docs/explain.md",
          "docs/install.md", "docs/rollback.md", "docs/sdks.md", "docs/time.md",
          "server/packaging/npm/stator/README.md", "server/packaging/pypi/README.md")
PLAYED_LANGUAGES = ("sh", "python")
# In test_languages.py, as what they are.
READ_LANGUAGES = ("json", "xml", "yaml")
SHOWN = ("", "text")  # what is printed, no code

# What is left out, by the beginning of its text, and why.
LEFT_OUT = {
    "./dev ": "builds the program that is tried here; its commands and flags are looked for in ./dev --help",
    "systemctl ": "needs systemd",
    "install -m 644 /srv/stator/": "conformance/packages signs such a repository, and apt takes the package from it",
    "docker ": "conformance/container builds and runs the image",
    "stator --clock manual --throttling enforce": "conformance/capacity runs these programs so",
}


class Block(NamedTuple):
    page: str
    language: str
    text: str
    place: int  # among those of its language in the page, from 0

    @property
    def frame(self):
        return FRAMES.get(self.language, {}).get((self.page, self.place))


def blocks(page):
    found, places = [], {}
    for language, text in BLOCK.findall((ROOT / page).read_text()):
        places[language] = places.get(language, -1) + 1
        found.append(Block(page, language, text, places[language]))
    return found


def all_blocks():
    return [block for page in all_pages() for block in blocks(page)]


def reason_left_out(block):
    """Why it is not played; None: it must be."""
    if block.frame is not None or block.language in READ_LANGUAGES:
        return "tried in test_languages.py"
    if (block.language, block.page, block.place) in CALLED:
        return "what it calls is looked for in test_languages.py"
    if block.language in SHOWN:
        return "no code"
    for beginning, reason in LEFT_OUT.items():
        if block.text.startswith(beginning):
            return reason
    return None


def all_pages():
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md"), ROOT / "docker/README.md",
             ROOT / "conformance/test_helpers/README.md", *(ROOT / "server/packaging").rglob("README.md")]
    return sorted(str(page.relative_to(ROOT)) for page in pages if "node_modules" not in page.parts)


def played(page):
    """The blocks of a page that are to be played, in their order."""
    return [block for block in blocks(page) if reason_left_out(block) is None]
