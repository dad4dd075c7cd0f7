"""How to run the function in each language."""

import os
import sys
from collections import namedtuple
from pathlib import Path

import pytest

from own_servers import start  # noqa: F401

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]

# `error` and `message`: how the client calls what its handler throws. `missing` runs a handler that is not there, and
# `unloadable` is the error that it reports; None: such a program does not compile. `folder` is where it runs.
# `prefix`: what a program that runs by itself needs before the server's address, to use a path; None: it refuses paths.
# `mute`: what such a program says that, with a path, cannot report an error of its start.
Language = namedtuple("Language", "name command error message missing unloadable folder prefix mute",
                      defaults=[HERE, "", None])


def python(handler):
    return [sys.executable, "-m", "awslambdaric", handler]


def node(handler):
    return ["node", str(HERE / "node" / "node_modules" / "aws-lambda-ric" / "index.mjs"), handler]


def java(handler):
    built = HERE / "java" / "target"
    path = f"{built / 'classes'}:{(built / 'classpath').read_text().strip()}" if built.is_dir() else ""
    return ["java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx256m", "-cp", path,
            "com.amazonaws.services.lambda.runtime.api.client.AWSLambda", handler]


LANGUAGES = {
    "python": Language("python", python("app.handler"), "ValueError", "no", python("nowhere.handler"),
                       "Runtime.ImportModuleError", HERE / "python", mute="nonnumeric port"),
    "go": Language("go", [str(ROOT / "build" / "conformance" / "go_function")], "errorString", "no", None, None),
    "java": Language("java", java("stator.conformance.App::handle"), "java.lang.IllegalArgumentException", "no",
                     java("stator.conformance.Nowhere::handle"), "java.lang.ClassNotFoundException"),
    "node": Language("node", node("app.handler"), "Error", "no", node("nowhere.handler"), "Runtime.ImportModuleError",
                     HERE / "node", None, "Invalid hostnamePort"),
    "rust": Language("rust", [str(ROOT / "build" / "conformance" / "rust" / "debug" / "rust_function")], "Refused", "no",
                     None, None, HERE, "http://"),
}


@pytest.fixture(params=list(LANGUAGES))
def language(request):
    if request.param not in os.environ["STATOR_RUNTIMES"].split():
        missing = f"no tools for {request.param}"
        pytest.fail(missing) if os.environ.get("STATOR_ALL") == "1" else pytest.skip(missing)
    return LANGUAGES[request.param]
