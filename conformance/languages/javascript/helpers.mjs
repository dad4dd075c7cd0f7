// What the test files share: clients aimed at the server under test, tables that live for one test,
// exact expectations of errors, and a proxy that spoils the first answer.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';

import {
  CreateTableCommand,
  DeleteTableCommand,
  DynamoDBClient,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import { NodeHttpHandler } from '@smithy/node-http-handler';

const endpoint = process.env.STATOR_ENDPOINT;
export const tlsEndpoint = process.env.STATOR_TLS_ENDPOINT;
assert.ok(endpoint, 'STATOR_ENDPOINT is not set: start the tests with ./run');

export const requestIdPattern = /^[0-9A-Z]{52}$/;

export function newClient(options = {}) {
  const agent = { keepAlive: true, maxSockets: options.connections ?? 8 };
  return new DynamoDBClient({
    region: 'us-east-1',
    endpoint,
    credentials: { accessKeyId: 'conformance', secretAccessKey: 'conformance' },
    requestHandler: new NodeHttpHandler({
      httpAgent: new http.Agent(agent),
      httpsAgent: new https.Agent({ ...agent, rejectUnauthorized: false }),
    }),
    ...options,
  });
}

// Counts the attempts of each operation, retries included: countAttempts(client).get('DescribeTable').
export function countAttempts(client) {
  const counts = new Map();
  client.middlewareStack.add(
    (next, context) => (args) => {
      const operation = context.commandName.replace(/Command$/, '');
      counts.set(operation, (counts.get(operation) ?? 0) + 1);
      return next(args);
    },
    { step: 'deserialize', name: 'countAttempts' },
  );
  return counts;
}

export const uniqueName = (prefix = 'js') => `${prefix}-${randomBytes(6).toString('hex')}`;

const attribute = (name, type = 'S') => ({ AttributeName: name, AttributeType: type });
const hash = (name) => ({ AttributeName: name, KeyType: 'HASH' });
const range = (name) => ({ AttributeName: name, KeyType: 'RANGE' });

export const onDemand = (keys = { pk: 'S' }) => ({
  AttributeDefinitions: Object.entries(keys).map(([name, type]) => attribute(name, type)),
  KeySchema: Object.keys(keys).map((name, i) => (i === 0 ? hash(name) : range(name))),
  BillingMode: 'PAY_PER_REQUEST',
});

// Creates a table, hands its name to `body` and deletes it again.
export async function withTable(client, definition, body) {
  const TableName = uniqueName();
  await client.send(new CreateTableCommand({ TableName, ...definition }));
  await waitUntilTableExists({ client, maxWaitTime: 120 }, { TableName });
  try {
    return await body(TableName);
  } finally {
    await client.send(new DeleteTableCommand({ TableName }));
  }
}

export async function rejects(promise, name, message, status = 400) {
  const error = await promise.then(
    () => assert.fail(`expected ${name}: ${message}`),
    (reason) => reason,
  );
  assert.deepEqual({ name: error.name, message: error.message }, { name, message });
  assert.equal(error.$metadata.httpStatusCode, status);
  assert.match(error.$metadata.requestId, requestIdPattern);
  return error;
}

export const rejectsValidation = (promise, message) => rejects(promise, 'ValidationException', message);

// An HTTP proxy in front of the server whose first request is answered by `spoil(request, response)`.
export async function spoilingProxy(spoil) {
  const target = new URL(endpoint);
  const proxy = { requests: 0 };
  const server = http.createServer((request, response) => {
    proxy.requests += 1;
    if (proxy.requests === 1) {
      request.resume().on('end', () => spoil(request, response));
      return;
    }
    const forward = http.request(
      { host: target.hostname, port: target.port, method: request.method, path: request.url, headers: request.headers },
      (answer) => {
        response.writeHead(answer.statusCode, answer.headers);
        answer.pipe(response);
      },
    );
    request.pipe(forward);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  proxy.endpoint = `http://127.0.0.1:${server.address().port}`;
  proxy.close = () => {
    server.close();
    server.closeAllConnections();
  };
  return proxy;
}
