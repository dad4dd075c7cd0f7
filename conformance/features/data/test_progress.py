"""What a command shows meanwhile: on a terminal a bar with rate and time left, elsewhere plain lines. It is slowed down
by --rate, so that there is something to show."""

import os
import pty
import re
import select
import signal
import subprocess
import time

from server_process import STOP_DEADLINE_S, binary, clean_environment, wait_until
from test_copy import copy, ends, many_items  # noqa: F401

BAR = re.compile(r"\r\x1b\[KMany: \[([#.]{20})\] (\d+)%, ([\d,]+) items?, ([\d,]+)/s, (\d+):(\d\d) left")
LINE = re.compile(r"Many: (\d+)%, ([\d,]+) items, ([\d,]+)/s, (\d+):(\d\d) left")


class OnTerminal:
    """A command whose stderr is a terminal."""

    def __init__(self, folder, *words):
        self.controller, terminal = pty.openpty()
        self.process = subprocess.Popen([binary(), *words], cwd=folder, env=clean_environment(),
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=terminal, text=True)
        os.close(terminal)
        self.text = ""

    def read(self):
        """What is there now; False at the end."""
        if not select.select([self.controller], [], [], 0)[0]:
            return True
        try:
            self.text += os.read(self.controller, 65536).decode()
            return True
        except OSError:  # nobody has the terminal any more
            return False

    def wait_for_bars(self, number):
        def shown():
            assert self.read(), f"it ended: {self.text!r}"
            return len(BAR.findall(self.text)) >= number

        wait_until(shown, what=f"{number} bars")

    def wait(self):
        """Its stdout."""
        wait_until(lambda: not self.read(), what="the end")
        told = self.process.communicate(timeout=STOP_DEADLINE_S)[0]
        os.close(self.controller)
        return told


def bars(text):
    return [(bar.count("#"), int(percent), int(items.replace(",", "")), int(rate.replace(",", "")),
             60 * int(minutes) + int(seconds)) for bar, percent, items, rate, minutes, seconds in BAR.findall(text)]


def test_a_bar_on_a_terminal(ends):  # noqa: F811
    """It grows; rate and time left fit what is there to do; the bar goes before the last line is said."""
    source, _, program = ends
    many_items(program, source, 2_000)
    running = OnTerminal(program.folder, *copy(ends, "--rate", "2000"))
    told = running.wait()
    assert running.process.returncode == 0 and told.startswith("Many: 2,000 items in ")
    seen = bars(running.text)
    assert len(seen) > 1 and seen == sorted(seen, key=lambda bar: bar[2])
    for cells, percent, items, rate, left in seen:
        assert (cells, percent) == (items * 20 // 2_000, items * 100 // 2_000)
        assert rate > 0 and abs(left - (2_000 - items) / rate) <= 1.5
    assert running.text.endswith("\r\x1b[K")


def test_a_copy_that_goes_on(ends):  # noqa: F811
    """What came before counts in the items and the bar, not in rate and time left."""
    source, _, program = ends
    many_items(program, source, 15_000)  # at that rate many seconds beside those until a page is copied
    first = OnTerminal(program.folder, *copy(ends, "--rate", "2000"))
    state = program.folder / "stator-copy.json"
    wait_until(lambda: state.exists() and '{"pk"' in state.read_text(), what="a page is copied")
    first.wait_for_bars(5)
    first.process.send_signal(signal.SIGINT)
    first.wait()
    second = OnTerminal(program.folder, *copy(ends, "--rate", "500"))
    second.wait_for_bars(3)
    seen = bars(second.text)  # what ends is no longer slow
    second.process.send_signal(signal.SIGTERM)
    second.wait()
    assert "continues the copy recorded in stator-copy.json" in second.text
    assert seen[0][2] > 400
    for cells, percent, items, rate, left in seen:
        assert (cells, percent) == (items * 20 // 15_000, items * 100 // 15_000)
        assert rate < 1_000 and abs(left - (15_000 - items) / rate) <= left / 50 + 1


def test_words_over_the_bar(ends):  # noqa: F811
    """A wrong line is said in a line of its own."""
    source, _, program = ends
    source.create_table("Many")
    program.write("items", "".join(f'{{"pk":"p{i}"}}\n' for i in range(1_000)) + '{"n":1}\n'
                  + "".join(f'{{"pk":"q{i}"}}\n' for i in range(1_000)))
    running = OnTerminal(program.folder, "import", "Many", "items", "--rate", "2000", "--keep-going",
                         "--endpoint-url", source.server.endpoint)
    running.wait()
    assert running.process.returncode == 1 and bars(running.text)
    assert "\r\x1b[Kstator: items line 1001: the key attribute 'pk' is missing\r\n" in running.text


def test_plain_lines_elsewhere(ends):  # noqa: F811
    """One every five seconds at most."""
    source, _, program = ends
    many_items(program, source, 1_500, size=100)
    begun = time.monotonic()
    running = subprocess.Popen([binary(), *copy(ends, "--rate", "200")], cwd=program.folder, env=clean_environment(),
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    told = running.communicate(timeout=STOP_DEADLINE_S)[1]
    assert running.returncode == 0
    lines = told.splitlines()
    assert lines == [line for line in lines if LINE.fullmatch(line)]
    assert 1 <= len(lines) <= (time.monotonic() - begun) / 5
    for line in lines:
        percent, items = LINE.fullmatch(line).groups()[:2]
        assert int(percent) == int(items.replace(",", "")) * 100 // 1_500
