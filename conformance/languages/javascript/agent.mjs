// Lets scenarios/ call the server through the AWS SDK for JavaScript v3: one call per line of standard input,
// one answer per line of standard output (scenarios/sdk.py says what they hold). With the argument `document`
// what concerns items goes through the document client of lib-dynamodb.

import { createInterface } from 'node:readline';

import * as sdk from '@aws-sdk/client-dynamodb';
import * as streams from '@aws-sdk/client-dynamodb-streams';

import { documentCall, fromNative } from './document_calls.mjs';
import { newClient } from './helpers.mjs';

const options = { connections: 70 };
const client = newClient(options);
const { endpoint, region, credentials, requestHandler } = client.config;
const reader = new streams.DynamoDBStreamsClient({ endpoint, region, credentials, requestHandler });
const isBinary = (name, value) => (name === 'B' && typeof value === 'string') || (name === 'BS' && Array.isArray(value));
const bytes = (text) => new Uint8Array(Buffer.from(text, 'base64'));

// JSON with binary values in base64 as the SDK takes it.
function toSdk(value) {
  if (Array.isArray(value)) return value.map(toSdk);
  if (value === null || typeof value !== 'object') return value;
  const member = ([name, v]) => [name, isBinary(name, v) ? (name === 'B' ? bytes(v) : v.map(bytes)) : toSdk(v)];
  return Object.fromEntries(Object.entries(value).map(member));
}

function fromSdk(value) {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (value instanceof Date) return { $date: value.getTime() / 1000 };
  if (Array.isArray(value)) return value.map(fromSdk);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, v]) => [name, fromSdk(v)]));
}

const throughDocuments = process.argv[2] === 'document' ? documentCall(newClient(options)) : () => undefined;

async function send({ call, input }) {
  const asked = toSdk(input);
  const documents = throughDocuments(call, asked);
  if (documents) return fromNative(await documents);
  const ofStreams = streams[`${call}Command`];
  return ofStreams ? reader.send(new ofStreams(asked)) : client.send(new sdk[`${call}Command`](asked));
}

const bases = [sdk.DynamoDBServiceException, streams.DynamoDBStreamsServiceException];

async function answer(request) {
  try {
    const { $metadata, ...output } = await send(request);
    return { output: fromSdk(output), status: $metadata.httpStatusCode, requestId: $metadata.requestId };
  } catch (error) {
    const base = bases.find((one) => error instanceof one);
    if (!base) return { broken: error.stack };
    const { name, message, $metadata, CancellationReasons: reasons } = error;
    const typed = error.constructor !== base && error.constructor.name === name;
    return { error: name, message, reasons: fromSdk(reasons), typed, status: $metadata.httpStatusCode, requestId: $metadata.requestId };
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, ...request } = JSON.parse(line);
  answer(request).then((result) => process.stdout.write(`${JSON.stringify({ id, ...result })}\n`));
}
