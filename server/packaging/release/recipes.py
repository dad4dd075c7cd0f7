"""What others' tools build or run Stator by: a formula, an action with the programs in it, a component."""

import hashlib

from architectures import AARCH64, X86_64
from archives import program, read_tree, tar_gz, under

HOMEBREW = {X86_64: "intel", AARCH64: "arm"}  # what it calls them


def make(release, tarballs, folder):
    recipes = release.packaging / "recipes"
    values = {"@URL@": release.url, "@VERSION@": release.version, "@DOWNLOADS@\n": downloads(release, tarballs)}

    def filled(path):
        text = path.read_text()
        for name, value in values.items():
            text = text.replace(name, value)
        return text

    (folder / "homebrew").mkdir()
    (folder / "homebrew" / "stator.rb").write_text(filled(recipes / "stator.rb"))
    (folder / "gitlab").mkdir()
    (folder / "gitlab" / "stator.yml").write_text(filled(recipes / "gitlab" / "stator.yml"))
    (folder / "github").mkdir()
    programs = {f"linux-{made_for.machine}/stator": program(linked) for made_for, linked in release.programs.items()}
    action = {**read_tree(recipes / "action"), **programs, "LICENSE": release.licence, **under("licenses", release.licences)}
    tar_gz(folder / "github" / f"stator-action-{release.version}.tar.gz", action, release.epoch_s)


def downloads(release, tarballs):
    """What of the formula depends on the processor."""
    lines = [f"  depends_on arch: :{made_for.machine}" for made_for in tarballs if len(tarballs) == 1]
    for made_for, tarball in tarballs.items():
        lines += [f"  on_{HOMEBREW[made_for]} do", f'    url "{release.url}/{tarball.name}"',
                  f'    sha256 "{hashlib.sha256(tarball.read_bytes()).hexdigest()}"', "  end"]
    return "\n".join(lines) + "\n"
