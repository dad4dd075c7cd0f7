"""A Terraform project in a folder of its own, and what the server has after each of its stages."""

import os
import re
import shutil
import signal
import subprocess
from contextlib import contextmanager
from pathlib import Path

from client import Client
from server_process import Server, clean_environment

STAGES = Path(__file__).parent / "stages"
INSTALLED = Path(os.environ["TERRAFORM_FOLDER"])
COMMAND_DEADLINE_S = 300
SETTINGS = f"""
provider_installation {{
  filesystem_mirror {{
    path = "{INSTALLED / 'providers'}"
  }}
}}
"""
REQUEST = re.compile(r" debug (\w+) .*?status=(\d+)(?: error=(\w+))?")


class Project:
    """The project, which one server after another serves from the same data folder."""

    def __init__(self, folder):
        self.folder = folder
        self.server = None
        self.client = None
        self.logs = []
        settings = folder / "terraformrc"
        settings.write_text(SETTINGS)
        shutil.copy(STAGES / "provider.tf", folder)
        self.environment = clean_environment({
            "TF_CLI_CONFIG_FILE": str(settings),
            "TF_IN_AUTOMATION": "1",
            "CHECKPOINT_DISABLE": "1",  # it would look for newer versions in the network
            "PYTHONPATH": "",
        })

    @contextmanager
    def served(self, *flags):
        """Starts a server for the commands inside, on the data of the server before it."""
        with Server("--log-level", "debug", "--db-path", self.folder / "data", *flags) as self.server:
            self.environment["TF_VAR_endpoint"] = self.server.endpoint
            self.client = Client(self.server)
            yield
            self.client.close()
        self.logs.append(self.server.log())

    def terraform(self, *arguments):
        """Runs a command, which must succeed; returns its output."""
        command = [INSTALLED / "python/bin/python", Path(__file__).with_name("command.py"), *arguments]
        with subprocess.Popen(command, cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True) as process:
            try:
                output, _ = process.communicate(timeout=COMMAND_DEADLINE_S)
            except BaseException:
                os.killpg(process.pid, signal.SIGKILL)  # the provider is a child of the command
                raise
        log = self.server.log()[-6000:] if self.server else ""
        assert process.returncode == 0, f"terraform {arguments}: {process.returncode}\n{output}\n{log}"
        return output

    def init(self):
        return self.terraform("init", "-input=false", "-no-color")

    def apply(self, stage, folder=STAGES):
        """Makes everything as FOLDER/STAGE.tf says."""
        shutil.copy(folder / f"{stage}.tf", self.folder / "tables.tf")
        return self.terraform("apply", "-auto-approve", "-input=false", "-no-color")

    def plan_without_a_change(self, *arguments):
        """The exit status of -detailed-exitcode is 2 if the plan has a change."""
        return self.terraform("plan", "-detailed-exitcode", "-input=false", "-no-color", *arguments)

    def destroy(self):
        return self.terraform("destroy", "-auto-approve", "-input=false", "-no-color")

    def requests(self):
        """(operation, status, name of the error or None) of each request in the logs."""
        found = [request for log in self.logs for request in REQUEST.findall(log)]
        return [(name, int(status), error or None) for name, status, error in found]

    def state(self, table):
        """All that the server reports of a table, by plain requests."""
        described = self.client.describe(table)
        tags = self.client.ok("ListTagsOfResource", ResourceArn=described["TableArn"])["Tags"]
        backups = self.client.ok("DescribeContinuousBackups", TableName=table)["ContinuousBackupsDescription"]
        return {
            "table": described,
            "tags": {tag["Key"]: tag["Value"] for tag in tags},
            "ttl": self.client.ok("DescribeTimeToLive", TableName=table)["TimeToLiveDescription"],
            "recovery": backups["PointInTimeRecoveryDescription"]["PointInTimeRecoveryStatus"],
            "items": self.client.ok("Scan", TableName=table, ConsistentRead=True)["Items"],
        }
