// Starts the image by testcontainers for Node.js, as a project's own tests do. They name the image that
// ours takes the place of: ../run_testcontainers gives ours that name.
import assert from "node:assert/strict";
import net from "node:net";
import { test } from "node:test";
import {
  CreateTableCommand, DynamoDBClient, GetItemCommand, ListTablesCommand, PutItemCommand,
} from "@aws-sdk/client-dynamodb";
import { GenericContainer, Wait } from "testcontainers";

const IMAGE = "amazon/dynamodb-local:latest";
const SHARED = ["-jar", "DynamoDBLocal.jar", "-sharedDb", "-inMemory"];
const PORT = 8000;
const TABLE = "Music";
const ITEM = { artist: { S: "Nina" }, albums: { N: "15" } };

const image = () => new GenericContainer(IMAGE).withExposedPorts(PORT);

// Starts a container that is gone after the test.
async function start(t, container) {
  const started = await container.start();
  t.after(() => started.stop());
  return started;
}

function client(t, container, accessKeyId = "one") {
  const made = new DynamoDBClient({
    endpoint: `http://${container.getHost()}:${container.getMappedPort(PORT)}`,
    region: "us-east-1",
    credentials: { accessKeyId, secretAccessKey: "secret" },
  });
  t.after(() => made.destroy());
  return made;
}

async function works(dynamodb) {
  await dynamodb.send(new CreateTableCommand({
    TableName: TABLE,
    BillingMode: "PAY_PER_REQUEST",
    AttributeDefinitions: [{ AttributeName: "artist", AttributeType: "S" }],
    KeySchema: [{ AttributeName: "artist", KeyType: "HASH" }],
  }));
  await dynamodb.send(new PutItemCommand({ TableName: TABLE, Item: ITEM }));
  const { Item } = await dynamodb.send(
    new GetItemCommand({ TableName: TABLE, Key: { artist: { S: "Nina" } } }));
  assert.deepEqual(Item, ITEM);
}

const tables = async (dynamodb) => (await dynamodb.send(new ListTablesCommand({}))).TableNames;

test("its own command", async (t) => {
  const container = await start(t, image());
  await works(client(t, container));
  assert.deepEqual(await tables(client(t, container, "another")), []);
});

test("a shared database", async (t) => {
  const container = await start(t, image().withCommand(SHARED));
  await works(client(t, container));
  assert.deepEqual(await tables(client(t, container, "another")), [TABLE]);
});

// Beside the library's own, which waits for the port.
const strategies = {
  "the status of GET /": Wait.forHttp("/", PORT).forStatusCode(400),
  "the image's health check": Wait.forHealthCheck(),
  "its log": Wait.forLogMessage("Initializing DynamoDB Local"),
  "a program in it": Wait.forSuccessfulCommand("curl -s http://localhost:8000"),
};
for (const [name, strategy] of Object.entries(strategies)) {
  test(`waiting for ${name}`, async (t) => {
    const container = await start(t, image().withCommand(SHARED).withWaitStrategy(strategy));
    await works(client(t, container));
  });
}

test("waiting for a health check of the project's own", async (t) => {
  const container = await start(t, image().withCommand(SHARED).withHealthCheck({
    test: ["CMD-SHELL", "curl -s http://localhost:8000 || exit 1"],
    interval: 1000, timeout: 3000, retries: 60, startPeriod: 1000,
  }).withWaitStrategy(Wait.forHealthCheck()));
  await works(client(t, container));
});

test("stop", async (t) => {
  const container = await image().start();
  const address = { host: container.getHost(), port: container.getMappedPort(PORT) };
  await works(client(t, container));
  await container.stop();
  await assert.rejects(new Promise((resolve, reject) => {
    net.connect(address).once("connect", resolve).once("error", reject);
  }));
});
