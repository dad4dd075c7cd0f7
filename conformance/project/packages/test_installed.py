"""What holds the program and nothing of a language, each on a bare Debian: installed, started, written to and read, stopped."""

import hashlib
import re
import time

import pytest

import yaml

from box import podman, write_and_read
from conftest import ROWS, Row, inside, load_image, only, walk

TARBALL = "stator-*-linux-x86_64.tar.gz"
DEBIAN = "debian/*_amd64.deb"
# Where a formula's words put what they name, below a prefix.
KEG = {"bin": "bin", "man1": "share/man/man1", "bash_completion": "etc/bash_completion.d",
       "zsh_completion": "share/zsh/site-functions", "fish_completion": "share/fish/vendor_completions.d"}


def test_tarball(box):
    walk("tarball", [only(TARBALL)], box(), f"tar -xzf {inside(TARBALL)} --strip-components=1 -C /usr/local", "stator")


def test_debian_package(box):
    made = box()
    walk("Debian package", [only(DEBIAN)], made, f"apt-get install -y {inside(DEBIAN)}", "stator")
    listed = made.run("dpkg", "--listfiles", "stator").splitlines()
    for path in ("/usr/bin/stator", "/usr/share/man/man1/stator.1.gz", "/usr/share/doc/stator/copyright",
                 "/lib/systemd/system/stator.service"):
        assert path in listed
    made.run("dpkg", "--verify", "stator")
    made.run("apt-get", "remove", "-y", "stator")
    assert made.run("sh", "-c", "! command -v stator") == ""


def test_formula(box):
    """No Homebrew is here: this takes the archive that the formula names, and its words for what they do."""
    formula = only("homebrew/stator.rb").read_text()
    assert "@" not in formula
    named = re.findall(r'on_(\w+) do\n    url ".*/(.*)"\n    sha256 "(\w+)"\n  end', formula)
    archives = {tarball: hashlib.sha256(only(tarball).read_bytes()).hexdigest() for _, tarball, _ in named}
    assert {tarball: told for _, tarball, told in named} == archives
    assert {processor: tarball.rsplit("-", 1)[1] for processor, tarball, _ in named}.items() <= {
        "intel": "x86_64.tar.gz", "arm": "aarch64.tar.gz"}.items()
    assert (len(named) == 1) == ("depends_on arch: :x86_64" in formula)
    intel, = (tarball for processor, tarball, _ in named if processor == "intel")
    steps = [f"mkdir /keg && tar -xzf /release/{intel} --strip-components=1"]
    for word, path in re.findall(r'^    (\w+)\.install "(.*)"$', formula, re.M):
        steps.append(f"install -D -t /keg/{KEG[word]} {path}")
    assert len(steps) == 1 + len(KEG)
    walk("Homebrew formula, its steps by hand", [only("homebrew/stator.rb"), only(TARBALL)], box(), "\n".join(steps),
         "/keg/bin/stator")


def action_in(made, machine, **environment):
    """The steps of action.yml as a runner takes them; its outputs, environment and additions to PATH."""
    action = yaml.safe_load((made.project / "action.yml").read_text())
    step, = action["runs"]["steps"]
    assert action["runs"]["using"] == "composite" and step["shell"] == "bash"
    names = ("GITHUB_ENV", "GITHUB_OUTPUT", "GITHUB_PATH")
    for name in names:
        (made.project / name).write_text("")
    made.run("bash", "-e", "-c", step["run"], FLAGS="--isolate region", GITHUB_ACTION_PATH="/project", RUNNER_TEMP="/tmp",
             **{name: f"/project/{name}" for name in names}, **environment)
    output, environment, path = ((made.project / name).read_text() for name in ("GITHUB_OUTPUT", names[0], names[2]))
    told = dict(line.split("=", 1) for line in environment.splitlines())
    assert output == f"endpoint={told['AWS_ENDPOINT_URL_DYNAMODB']}\n"
    assert path == f"/project/linux-{machine}\n"
    return told


def test_action(box):
    made = box()
    install_s = made.timed("tar", "-xzf", inside("github/*.tar.gz"))
    began = time.monotonic()
    told = action_in(made, "x86_64")
    start_s = time.monotonic() - began
    use_s = write_and_read(told["AWS_ENDPOINT_URL_DYNAMODB"])
    assert made.run("/project/linux-x86_64/stator", "version").startswith("Stator ")
    began = time.monotonic()
    # It ends with the machine; what is asked here is whether it would by itself.
    made.run("sh", "-ec", 'for process in /proc/[0-9]*; do [ "$(readlink $process/exe)" != /project/linux-x86_64/stator ] || '
             'kill ${process#/proc/}; done; while pidof stator; do sleep 0.01; done')
    ROWS.append(Row("GitHub action", only("github/*.tar.gz").stat().st_size, install_s, start_s, use_s,
                    time.monotonic() - began))


def rendered(**given):
    """The component's jobs for these inputs, which GitLab puts into their places; ValueError for what it would refuse."""
    spec, jobs = only("gitlab/stator.yml").read_text().split("\n---\n")
    inputs = yaml.safe_load(spec)["spec"]["inputs"]
    values = {name: given.get(name, told.get("default")) for name, told in inputs.items()}
    if not set(given) <= set(inputs) or None in values.values() or any(
            values[name] not in told.get("options", [values[name]]) for name, told in inputs.items()):
        raise ValueError(given)
    jobs = re.sub(r"\$\[\[ inputs\.(\w+) \]\]", lambda found: values[found[1]], jobs)
    assert "$[[" not in jobs
    return yaml.safe_load(jobs)


@pytest.mark.parametrize("inputs", [{}, {"image": "stator", "isolate": "everybody"}])
def test_wrong_inputs_of_the_component_are_refused(inputs):
    with pytest.raises(ValueError):
        rendered(**inputs)


def test_component(box):
    """No GitLab is here: its inputs are filled in, its service is started and a job run beside it by an engine."""
    image, install_s = load_image()
    assert rendered(image=image)[".stator"]["services"][0]["variables"] == {"STATOR_ISOLATE": "region"}
    job = rendered(image=image, isolate="none")[".stator"]
    service, = job["services"]
    assert (service["name"], service["alias"]) == (image, "dynamodb")
    variables = [word for name, value in service["variables"].items() for word in ("--env", f"{name}={value}")]
    began = time.monotonic()
    name = podman("run", "--detach", "--network", "host", *variables, image).split()[-1]
    try:
        made = box("--add-host", f"{service['alias']}:127.0.0.1", tools=True)
        endpoint = job["variables"]["AWS_ENDPOINT_URL_DYNAMODB"]
        asked = f"urllib.request.urlopen('{endpoint}/healthz', timeout=60)"
        made.run("sh", "-ec", f'until python3 -c "import urllib.request; {asked}" 2>/dev/null; do sleep 0.05; done')
        start_s = time.monotonic() - began
        aws = "aws dynamodb --endpoint-url $AWS_ENDPOINT_URL_DYNAMODB"
        use_s = made.timed("sh", "-ec", f"""
            {aws} create-table --table-name Albums --attribute-definitions AttributeName=Title,AttributeType=S \\
              --key-schema AttributeName=Title,KeyType=HASH --billing-mode PAY_PER_REQUEST >created
            {aws} put-item --table-name Albums --item '{{"Title":{{"S":"Blue"}}}}'
            {aws} get-item --region eu-west-1 --table-name Albums --key '{{"Title":{{"S":"Blue"}}}}' >read""", **job["variables"])
        assert '"S": "Blue"' in (made.project / "read").read_text()
        began = time.monotonic()
        podman("stop", "--time", 20, name)
        stop_s = time.monotonic() - began
        assert podman("inspect", "--format", "{{.State.ExitCode}}", name).split() == ["0"]
    finally:
        podman("rm", "--force", "--time", 0, "--volumes", name)
    ROWS.append(Row("GitLab component, its image and job by podman, the AWS CLI", only("stator-image-*-x86_64.tar").stat().st_size,
                    install_s, start_s, use_s, stop_s))
