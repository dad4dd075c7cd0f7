"""The npm packages in an empty project. The folder above it has the SDK, Jest and Vitest, and not Stator."""

import json
import shutil
import time

import pytest

from conftest import HELPERS, RELEASE, SUITE, inside, only, told_figures

FILES = ("npm/stator-[0-9]*.tgz", "npm/stator-db-linux-x64-*.tgz")

USE = """
const assert = require('node:assert');
const { CreateTableCommand, DynamoDBClient, PutItemCommand, ScanCommand } = require('@aws-sdk/client-dynamodb');
const { startStator, database } = require('stator');

async function use() {
  const began = performance.now();
  const server = await startStator('--clock', '2027-01-01T00:00:00Z');
  const started = performance.now();
  const client = new DynamoDBClient(database(server.endpoint));
  await client.send(new CreateTableCommand({
    TableName: 'Albums', BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [{ AttributeName: 'Title', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'Title', KeyType: 'HASH' }],
  }));
  await client.send(new PutItemCommand({ TableName: 'Albums', Item: { Title: { S: 'Blue' } } }));
  const { Items } = await client.send(new ScanCommand({ TableName: 'Albums' }));
  assert.deepStrictEqual(Items, [{ Title: { S: 'Blue' } }]);
  const used = performance.now();
  assert.strictEqual((await server.clock({ advance: '1h' })).time, '2027-01-01T01:00:00.000Z');
  assert.strictEqual(await server.reset(), 1);
  const stopping = performance.now();
  await server.stop();
  const stopped = performance.now();
  await assert.rejects(startStator('--no-such-flag'), /--no-such-flag/);
  console.log('figures:', (started - began) / 1e3, (used - started) / 1e3, (stopped - stopping) / 1e3);
}
use().catch((error) => { console.error(error); process.exit(1); });
"""

VITEST = """
import { CreateTableCommand, DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { database } from 'stator';
import { expect, test } from 'vitest';

test.concurrent.each(['one', 'two'])('database %s is empty', async () => {
  const client = new DynamoDBClient(database());
  expect((await client.send(new ListTablesCommand({}))).TableNames).toEqual([]);
  await client.send(new CreateTableCommand({
    TableName: 'Albums', BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [{ AttributeName: 'Title', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'Title', KeyType: 'HASH' }],
  }));
  expect((await client.send(new ListTablesCommand({}))).TableNames).toEqual(['Albums']);
});
"""

VITEST_ROLLBACK = """
import { CreateTableCommand, DynamoDBClient, PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { rollingBack } from 'stator';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';

const seeded = rollingBack(async (settings) => {
  const client = new DynamoDBClient(settings);
  await client.send(new CreateTableCommand({
    TableName: 'Albums', BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [{ AttributeName: 'Title', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'Title', KeyType: 'HASH' }],
  }));
}, { hooks: { beforeAll, beforeEach, afterAll } });

test.each(['one', 'two'])('an item of test %s alone', async (title) => {
  const client = new DynamoDBClient(seeded());
  await client.send(new PutItemCommand({ TableName: 'Albums', Item: { Title: { S: title } } }));
  expect((await client.send(new ScanCommand({ TableName: 'Albums' }))).Items).toEqual([{ Title: { S: title } }]);
});
"""


@pytest.fixture
def npm(box):
    """A box with the package installed, and how long that took."""
    made = box("--volume", f"{SUITE / 'node_modules'}:/node_modules:ro", tools=True)
    (made.project / "package.json").write_text('{"name": "empty", "version": "1.0.0", "jest": {"preset": "stator"}}')
    began = time.monotonic()
    made.run("npm", "install", "--offline", "--no-audit", "--no-fund", *map(inside, FILES))
    made.installed_s = time.monotonic() - began
    names = sorted(str(path.parent.relative_to(made.project / "node_modules"))
                   for path in made.project.glob("node_modules/**/package.json"))
    assert names == ["@stator-db/linux-x64", "stator"]
    return made


def test_program_and_api(npm):
    assert "\nStator " in "\n" + npm.run("npx", "--offline", "stator", "version")
    (npm.project / "use.cjs").write_text(USE)
    told_figures("npm: chooser and linux-x64, by their API and the SDK", map(only, FILES), npm.installed_s,
                 npm.run("node", "use.cjs"))


def test_jest(npm):
    tests = list((HELPERS / "jest").glob("*.test.js"))
    assert {"albums.test.js", "flags.test.js", "rollback.test.js", "time.test.js"} <= {path.name for path in tests}
    for path in tests:
        shutil.copy(path, npm.project)
    told = npm.run("node", "/node_modules/jest/bin/jest.js", "--cacheDirectory=.cache")
    assert f"Test Suites: {len(tests)} passed, {len(tests)} total" in told


def test_vitest(npm):
    (npm.project / "albums.test.mjs").write_text(VITEST)
    (npm.project / "again.test.mjs").write_text(VITEST)
    (npm.project / "rollback.test.mjs").write_text(VITEST_ROLLBACK)
    (npm.project / "vitest.config.mjs").write_text(
        "export default { cacheDir: '.cache', test: { globalSetup: 'stator/vitest', setupFiles: 'stator/vitest-setup' } };\n")
    told = npm.run("node", "/node_modules/vitest/vitest.mjs", "run", "--reporter=json", "--outputFile=told.json")
    counts = json.loads((npm.project / "told.json").read_text())
    assert (counts["numPassedTests"], counts["numTotalTests"]) == (6, 6), told


def test_a_platform_without_a_program_is_told(box):
    made = box(tools=True)
    made.run("npm", "install", "--offline", "--omit=optional", "--no-audit", "--no-fund", inside(FILES[0]))
    told = made.run("sh", "-c", "! npx --offline stator version")
    platforms = "linux-x64 and linux-arm64" if list(RELEASE.glob("npm/*arm64*")) else "linux-x64"
    assert f"there is no program for linux-x64, only for {platforms}. " in told
