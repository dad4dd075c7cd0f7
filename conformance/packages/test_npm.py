"""The npm packages in an empty project. The folder above it has the SDK, Jest and Vitest, and not Stator."""

import json
import shutil

import pytest

from conftest import HELPERS, SUITE, only

USE = """
const assert = require('node:assert');
const { CreateTableCommand, DynamoDBClient, PutItemCommand, ScanCommand } = require('@aws-sdk/client-dynamodb');
const { startStator, database } = require('stator');

async function use() {
  const server = await startStator('--clock', '2027-01-01T00:00:00Z');
  const client = new DynamoDBClient(database(server.endpoint));
  await client.send(new CreateTableCommand({
    TableName: 'Albums', BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [{ AttributeName: 'Title', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'Title', KeyType: 'HASH' }],
  }));
  await client.send(new PutItemCommand({ TableName: 'Albums', Item: { Title: { S: 'Blue' } } }));
  const { Items } = await client.send(new ScanCommand({ TableName: 'Albums' }));
  assert.deepStrictEqual(Items, [{ Title: { S: 'Blue' } }]);
  assert.strictEqual((await server.clock({ advance: '1h' })).time, '2027-01-01T01:00:00.000Z');
  assert.strictEqual(await server.reset(), 1);
  await server.stop();
  await assert.rejects(startStator('--no-such-flag'), /--no-such-flag/);
  console.log('used');
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


@pytest.fixture
def installed(project, run):
    (project.parent / "node_modules").symlink_to(SUITE / "node_modules")
    (project / "package.json").write_text('{"name": "empty", "version": "1.0.0", "jest": {"preset": "stator"}}')
    run("npm", "install", "--offline", "--no-audit", "--no-fund", only("npm/stator-[0-9]*.tgz"),
        only("npm/stator-db-linux-x64-*.tgz"))
    names = sorted(str(path.parent.relative_to(project / "node_modules"))
                   for path in project.glob("node_modules/**/package.json"))
    assert names == ["@stator-db/linux-x64", "stator"]
    return project


def test_program_and_api(installed, run):
    assert "\nStator " in "\n" + run("npx", "--offline", "stator", "version")
    (installed / "use.cjs").write_text(USE)
    assert run("node", "use.cjs").endswith("used\n")


def test_jest(installed, run):
    for name in ("albums", "flags", "time"):
        shutil.copy(HELPERS / "jest" / f"{name}.test.js", installed)
    told = run("node", "../node_modules/jest/bin/jest.js", "--cacheDirectory=.cache")
    assert "Test Suites: 3 passed, 3 total" in told


def test_vitest(installed, run):
    (installed / "albums.test.mjs").write_text(VITEST)
    (installed / "again.test.mjs").write_text(VITEST)
    (installed / "vitest.config.mjs").write_text("export default { test: { globalSetup: 'stator/vitest' } };\n")
    told = run("node", "../node_modules/vitest/vitest.mjs", "run", "--reporter=json", "--outputFile=told.json")
    counts = json.loads((installed / "told.json").read_text())
    assert (counts["numPassedTests"], counts["numTotalTests"]) == (4, 4), told


def test_a_platform_without_a_program_is_told(project, run):
    run("npm", "install", "--offline", "--omit=optional", "--no-audit", "--no-fund", only("npm/stator-[0-9]*.tgz"))
    told = run("sh", "-c", "! npx --offline stator version")
    assert "there is no program for linux-x64" in told
