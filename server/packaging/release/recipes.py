"""What others' tools build or run Stator by: a formula, an action with the program in it, a component."""

import hashlib

from architectures import X86_64
from archives import program, read_tree, tar_gz, under


def make(release, tarball, folder):
    recipes = release.packaging / "recipes"
    values = {"@URL@": release.url, "@VERSION@": release.version, "@TARBALL@": tarball.name,
              "@SHA256@": hashlib.sha256(tarball.read_bytes()).hexdigest()}

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
    action = {**read_tree(recipes / "action"), "stator": program(release.programs[X86_64]),
              "LICENSE": release.licence, **under("licenses", release.licences)}
    tar_gz(folder / "github" / f"stator-action-{release.version}.tar.gz", action, release.epoch_s)
