"""What stands around a block of code that is a piece of a program, so that it runs as it stands in its page.

By the language, the page and the block's place among those of its language there. BLOCK is the block.
"""

import textwrap

MARK = "BLOCK"
HELPERS = "conformance/project/test_helpers/README.md"
NPM = "server/packaging/npm/stator/README.md"
PYPI = "server/packaging/pypi/README.md"

OWN_SERVER = "'--clock', 'manual', '--control-plane-delay', '3600'"

JS_TESTS = """
const { DynamoDBClient, ListTablesCommand } = require('@aws-sdk/client-dynamodb');
const { startStator: startForAll } = require('stator');
const tests = [];
const test = (name, body) => tests.push(body);
const hooks = { beforeAll: [], beforeEach: [], afterAll: [] };
for (const [name, all] of Object.entries(hooks)) globalThis[name] = (body) => all.push(body);
const run = async (bodies) => { for (const body of bodies) await body(); };
%s
(async () => {
  const forAll = await startForAll();
  process.env.STATOR_ENDPOINT = process.env.STATOR_RUN_ENDPOINT = forAll.endpoint;
  await run(hooks.beforeAll);
  for (const body of tests) await run([...hooks.beforeEach, body]);
  await run(hooks.afterAll);
  await forAll.stop();
  console.log(`${tests.length} ran`);
})().catch((error) => { console.error(error); process.exit(1); });
"""

GO_FILE = """package pages

import (
	"context"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"example.com/albums/statortest"
)

var _, _, _ = context.Background, time.Hour, aws.String
var _ = dynamodb.NewFromConfig
var _ = statortest.Client

%s
"""

JAVA_FILE = """package example;

import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import stator.junit.Stator;
import stator.junit.StatorExtension;

%s
"""


def js_test(around=MARK):
    return JS_TESTS % ("test('page', async () => {\n" + around + "\n});")


def go_test(around):
    return GO_FILE % ("func TestPage(t *testing.T) {\n" + around + "\n}")


def java_test(around):
    return JAVA_FILE % ("class AlbumsTest {\n  @Test\n  void page() {\n" + around + "\n  }\n}")


FRAMES = {
    "python": {
        ("README.md", 0): "def test_page(start_stator):\n    BLOCK",
        ("docs/time.md", 0): "def test_page(start_stator):\n"
                             "    server = start_stator('--clock', 'manual', '--control-plane-delay', '3600')\n"
                             "    BLOCK",
        ("docs/testing.md", 0): "BLOCK",
        (HELPERS, 0): "BLOCK",
        (HELPERS, 1): "import pytest\n\nBLOCK",
        (PYPI, 0): "def test_page():\n    BLOCK",
        (PYPI, 1): "BLOCK",
    },
    "js": {
        ("docs/time.md", 0): js_test(f"const server = await startForAll({OWN_SERVER});\nBLOCK\nawait server.stop();"),
        ("docs/sdks.md", 0): "import { ListTablesCommand } from '@aws-sdk/client-dynamodb';\nBLOCK\n"
                             "await dynamodb.send(new ListTablesCommand({}));\nconsole.log('1 ran');",
        ("docs/testing.md", 0): JS_TESTS % ("const { deepStrictEqual: same } = require('node:assert');\n"
                                            "const expect = (found) => ({ toEqual: (wanted) => same(found, wanted) });\n"
                                            "{\nBLOCK\n}"),
        (HELPERS, 0): JS_TESTS % "BLOCK",
        (HELPERS, 1): JS_TESTS % "BLOCK",
        (NPM, 0): js_test(),
    },
    "go": {
        ("docs/time.md", 0): go_test('server := statortest.Start(t, "--clock", "manual", "--control-plane-delay", "3600")'
                                  "\nBLOCK"),
        ("docs/sdks.md", 0): go_test("""cfg := aws.Config{Region: "us-east-1", Credentials: aws.CredentialsProviderFunc(
		func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "local", SecretAccessKey: "local"}, nil
		})}
BLOCK
if _, err := client.ListTables(context.Background(), nil); err != nil {
	t.Fatal(err)
}"""),
        ("docs/testing.md", 0): "BLOCK",
        (HELPERS, 0): GO_FILE % "BLOCK",
        (HELPERS, 1): GO_FILE % "BLOCK",
    },
    "java": {
        ("docs/time.md", 0): java_test('try (var server = Stator.start("--clock", "manual", "--control-plane-delay", '
                                    '"3600")) {\nBLOCK\n}'),
        ("docs/sdks.md", 0): java_test("BLOCK\nclient.listTables();"),
        ("docs/testing.md", 0): "BLOCK",
        ("docs/testing.md", 1): "BLOCK",
        (HELPERS, 0): JAVA_FILE % "BLOCK",
    },
}

# Pieces of programs that want an engine of containers, or a library that no other page has: what they call is called by
# the programs named here, in other suites.
CALLED = {
    ("go", "docs/containers-and-ci.md", 0): "project/container/testcontainers_go/*.go",
    ("java", "docs/containers-and-ci.md", 0): "project/container/testcontainers_java/src/**/*.java",
    ("java", "docs/containers-and-ci.md", 1): "project/packages/test_maven.py",
    ("java", "docs/sdks.md", 1): "programs/kcl/src/**/*.java",
}


def framed(frame, text):
    """The block with what stands around it, indented as its place in the frame is."""
    before, _, after = frame.partition(MARK)
    indent = before[len(before.rstrip(" ")):]
    return before[:len(before) - len(indent)] + textwrap.indent(text.rstrip("\n"), indent) + after
