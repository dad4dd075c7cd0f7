"""Runs workers (src/main/java/…/Worker.java) as processes and reads what they print."""

import subprocess
import tempfile
import threading
from collections import namedtuple
from pathlib import Path

HERE = Path(__file__).resolve().parent
Event = namedtuple("Event", "time_ns worker what shard more")
END_DEADLINE_S = 60


def command(*arguments):
    path = (HERE / "target" / "classpath").read_text().strip()
    # Few threads and no second compiler: the machines that run this are small.
    return ["java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx256m",
            "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn", "-cp", f"{HERE / 'target' / 'classes'}:{path}",
            "stator.conformance.Worker", *arguments]


class Worker:
    def __init__(self, endpoint, arn, application, name, position="TRIM_HORIZON"):
        self.name, self.events, self.killed = name, [], False
        self._log = tempfile.TemporaryFile()
        self.process = subprocess.Popen(command(endpoint, arn, application, name, position), text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._log)
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self):
        for line in self.process.stdout:
            time_ns, worker, what, shard, *more = line.split()
            self.events.append(Event(int(time_ns), worker, what, shard, more))

    def log(self):
        self._log.seek(0)
        return self._log.read().decode(errors="replace")

    def kill(self):
        """SIGKILL; all it printed has been read afterwards."""
        self.killed = True
        self.process.kill()
        self.process.wait()
        self._reader.join()

    def stop(self):
        """Lets it finish what it does and leave; its exit status."""
        self.process.stdin.close()
        status = self.process.wait(END_DEADLINE_S)
        self._reader.join()
        return status
