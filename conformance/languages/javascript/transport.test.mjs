// What happens around a call: checksums, retries, reused connections, TLS, several clients.

import assert from 'node:assert/strict';
import http from 'node:http';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';

import { DescribeTableCommand, GetItemCommand, ListTablesCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { NodeHttpHandler } from '@smithy/node-http-handler';

import {
  newClient,
  onDemand,
  rejects,
  requestIdPattern,
  spoilingProxy,
  tlsEndpoint,
  uniqueName,
  withTable,
} from './helpers.mjs';

// A request handler that keeps each answer, with the bytes of its body as they were on the wire.
class RecordingHandler extends NodeHttpHandler {
  answers = [];

  async handle(request, options) {
    const { response } = await super.handle(request, options);
    const chunks = [];
    for await (const chunk of response.body) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    this.answers.push({ status: response.statusCode, headers: response.headers, body });
    response.body = Readable.from(chunks);
    return { response };
  }
}

test('every answer carries the checksum, length and type of its body and a request id of its own', async () => {
  const requestHandler = new RecordingHandler({});
  const client = newClient({ requestHandler });
  await withTable(client, onDemand(), async (TableName) => {
    const Item = { pk: { S: 'snow ☃' }, text: { S: 'ü'.repeat(50_000) } };
    await client.send(new PutItemCommand({ TableName, Item }));
    await client.send(new GetItemCommand({ TableName, Key: { pk: Item.pk } }));
    const absent = uniqueName();
    await rejects(
      client.send(new DescribeTableCommand({ TableName: absent })),
      'ResourceNotFoundException',
      `Requested resource not found: Table: ${absent} not found`,
    );
    await client.send(new ListTablesCommand({}));
  });
  const ids = new Set();
  for (const { headers, body } of requestHandler.answers) {
    assert.equal(headers['x-amz-crc32'], String(crc32(body)));
    assert.equal(headers['content-length'], String(body.length));
    assert.equal(headers['content-type'], 'application/x-amz-json-1.0');
    assert.match(headers['x-amzn-requestid'], requestIdPattern);
    ids.add(headers['x-amzn-requestid']);
  }
  assert.equal(ids.size, requestHandler.answers.length);
  assert.ok(requestHandler.answers.some(({ status }) => status === 400));
  assert.ok(requestHandler.answers.some(({ body }) => body.length > 100_000));
});

const spoilers = {
  'an internal error': (request, response) => {
    response.writeHead(500, { 'content-type': 'application/x-amz-json-1.0' });
    response.end('{"__type":"com.amazonaws.dynamodb.v20120810#InternalServerError","message":"spoiled"}');
  },
  'a throttled request': (request, response) => {
    response.writeHead(400, { 'content-type': 'application/x-amz-json-1.0' });
    response.end(
      '{"__type":"com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException","message":"spoiled"}',
    );
  },
  'a broken connection': (request) => request.socket.destroy(),
};

for (const [name, spoil] of Object.entries(spoilers)) {
  test(`the client tries again after ${name}`, async () => {
    await withTable(newClient(), onDemand(), async (TableName) => {
      const proxy = await spoilingProxy(spoil);
      const client = newClient({ endpoint: proxy.endpoint });
      try {
        const written = await client.send(new PutItemCommand({ TableName, Item: { pk: { S: 'again' } } }));
        assert.equal(written.$metadata.attempts, 2);
        assert.equal(proxy.requests, 2);
      } finally {
        client.destroy();
        proxy.close();
      }
      const read = await newClient().send(new GetItemCommand({ TableName, Key: { pk: { S: 'again' } } }));
      assert.deepEqual(read.Item, { pk: { S: 'again' } });
    });
  });
}

test('one connection serves many calls, errors among them', async () => {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  let connections = 0;
  const createConnection = agent.createConnection;
  agent.createConnection = (...args) => {
    connections += 1;
    return createConnection.apply(agent, args);
  };
  const client = newClient({ requestHandler: new NodeHttpHandler({ httpAgent: agent }) });
  await withTable(client, onDemand(), async (TableName) => {
    for (let i = 0; i < 20; i++) {
      await client.send(new PutItemCommand({ TableName, Item: { pk: { S: `${i}` } } }));
      await assert.rejects(client.send(new PutItemCommand({ TableName, Item: { pk: { N: '1' } } })));
      await client.send(new GetItemCommand({ TableName, Key: { pk: { S: `${i}` } } }));
    }
  });
  assert.equal(connections, 1);
});

test('TLS with a self-signed certificate', { skip: tlsEndpoint ? false : 'no STATOR_TLS_ENDPOINT' }, async () => {
  assert.match(tlsEndpoint, /^https:/);
  const client = newClient({ endpoint: tlsEndpoint });
  await withTable(client, onDemand(), async (TableName) => {
    const Item = { pk: { S: 'secret' }, data: { B: new Uint8Array(300_000).fill(200) } };
    await client.send(new PutItemCommand({ TableName, Item }));
    const read = await client.send(new GetItemCommand({ TableName, Key: { pk: Item.pk } }));
    assert.deepEqual(read.Item, Item);
  });

  const suspicious = newClient({ endpoint: tlsEndpoint, requestHandler: new NodeHttpHandler({}), maxAttempts: 1 });
  await assert.rejects(suspicious.send(new ListTablesCommand({})), /certificate|self-signed/);
});
