"""The blocks of code in the pages for users, and who tries them."""

import re
from typing import NamedTuple

from checkout import ROOT
from frames import CALLED, FRAMES

BLOCK = re.compile(r"^```([^\n`]*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
RECIPES = "docs/recipes.md"
HEADING = re.compile(r"^## (.+)$", re.MULTILINE)

# In test_pages.py, each in its turn.
PLAYED = ("README.md", "docs/access.md", "docs/capacity.md", "docs/containers-and-ci.md", "docs/data.md",
          "docs/explain.md", "docs/faults.md", "docs/install.md", "docs/recipes.md", "docs/rollback.md", "docs/sdks.md",
          "docs/backups/exports.md", "docs/backups/recovery.md", "docs/coming-from/templates.md",
          "docs/coming-from/lambda-triggers.md", "docs/testing.md", "docs/time.md",
          "server/packaging/npm/stator/README.md", "server/packaging/pypi/README.md")
PLAYED_LANGUAGES = ("sh", "python")
# In test_languages.py, as what they are.
READ_LANGUAGES = ("json", "xml", "yaml")
SHOWN = ("", "text")  # what is printed, no code

# What is left out, by the beginning of its text, and why.
LEFT_OUT = {
    "./dev ": "builds the program that is tried here; its commands and flags are looked for in ./dev --help",
    "systemctl ": "needs systemd",
    "stator --function orders,timeout=3s": "needs a client of Lambda's; conformance/features/runtimes runs such programs",
    "install -m 644 /srv/stator/": "conformance/project/packages signs such a repository, and apt takes the package from it",
    "docker ": "conformance/project/container builds and runs the image",
    "stator --clock manual --throttling enforce": "conformance/features/capacity runs these programs so",
}

# The recipes that are played. The tools of the others are tried by hand, with the versions that their sections name.
PLAYED_RECIPES = ("Variables for every tool", "A profile (`AWS_PROFILE`)", "Python: boto3")


class Block(NamedTuple):
    page: str
    language: str
    text: str
    place: int  # among those of its language in the page, from 0
    section: str  # the last heading of the second level before it, or empty

    @property
    def frame(self):
        return FRAMES.get(self.language, {}).get((self.page, self.place))


def blocks(page):
    found, places = [], {}
    whole = (ROOT / page).read_text()
    for match in BLOCK.finditer(whole):
        language, text = match.groups()
        places[language] = places.get(language, -1) + 1
        section = (HEADING.findall(whole[:match.start()]) or [""])[-1]
        found.append(Block(page, language, text, places[language], section))
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
    if block.page == RECIPES and block.section not in PLAYED_RECIPES:
        return "its section says with which versions it was tried"
    for beginning, reason in LEFT_OUT.items():
        if block.text.startswith(beginning):
            return reason
    return None


def all_pages():
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md"), *(ROOT / "docs/backups").glob("*.md"),
             ROOT / "docs/coming-from/templates.md", ROOT / "docs/coming-from/lambda-triggers.md", ROOT / "docker/README.md",
             ROOT / "conformance/project/test_helpers/README.md", *(ROOT / "server/packaging").rglob("README.md")]
    return sorted(str(page.relative_to(ROOT)) for page in pages if "node_modules" not in page.parts)


def played(page):
    """The blocks of a page that are to be played, in their order."""
    return [block for block in blocks(page) if reason_left_out(block) is None]
