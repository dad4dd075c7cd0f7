"""A disk of a size that a test chooses."""

import subprocess

from server_process import STOP_DEADLINE_S


class SmallDisk:
    """A tmpfs of `size` bytes on `folder`, seen only inside a mount namespace of its own."""

    def __init__(self, folder, size):
        self.folder = folder
        script = f'mount -t tmpfs -o size={size} none "{folder}" && echo ready && exec cat'
        self.holder = subprocess.Popen(
            ["unshare", "-m", "sh", "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE)
        self.usable = self.holder.stdout.readline() == b"ready\n"

    def prefix(self):
        """Command words that run a program inside the namespace."""
        return ["nsenter", "-t", str(self.holder.pid), "-m"]

    def resize(self, size):
        subprocess.run([*self.prefix(), "mount", "-o", f"remount,size={size}", str(self.folder)], check=True)

    def close(self):
        self.holder.stdin.close()
        self.holder.wait(STOP_DEADLINE_S)
