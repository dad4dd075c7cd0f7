"""Signatures by a GnuPG key of the caller's keyring. They hold the time of signing, so they differ each time."""

import subprocess
import sys


def check(key):
    """Ends the program when the keyring cannot sign by this key."""
    try:
        known = subprocess.run(["gpg", "--batch", "--list-secret-keys", key], capture_output=True).returncode == 0
    except FileNotFoundError:
        sys.exit("a signed release needs gpg (Debian package gnupg), which is not on PATH")
    if not known:
        sys.exit(f"gpg has no secret key {key}: see gpg --list-secret-keys; GNUPGHOME says where it looks")


def sign_repository(key, folder):
    """What apt looks for beside Release, and the public key for its signed-by."""
    gpg(key, "--clearsign", "--output", folder / "InRelease", folder / "Release")
    gpg(key, "--armor", "--detach-sign", "--output", folder / "Release.gpg", folder / "Release")
    gpg(key, "--export", "--output", folder / "stator.gpg", key)


def sign_sums(key, path):
    gpg(key, "--armor", "--detach-sign", "--output", f"{path}.asc", path)


def gpg(key, *arguments):
    done = subprocess.run(["gpg", "--batch", "--local-user", key, "--digest-algo", "SHA512", *map(str, arguments)],
                          stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"gpg could not sign:\n{done.stderr}")
