// What the programs share: the server under test and unique table names.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';

import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

export const endpoint = process.env.STATOR_ENDPOINT;
assert.ok(endpoint, 'STATOR_ENDPOINT is not set: start the tests with ./run');

export const clientOptions = {
  endpoint,
  region: 'us-east-1',
  credentials: { accessKeyId: 'conformance', secretAccessKey: 'conformance' },
};
export const newClient = () => new DynamoDBClient(clientOptions);
export const newDocumentClient = () =>
  DynamoDBDocumentClient.from(newClient(), { marshallOptions: { removeUndefinedValues: true } });

export const uniqueName = (prefix) => `${prefix}-${randomBytes(6).toString('hex')}`;

// A condition that did not hold, as the service names it; libraries wrap it in errors of their own.
export async function rejectsCondition(promise) {
  const error = await promise.then(
    () => assert.fail('expected a failed condition'),
    (reason) => reason,
  );
  const causes = [];
  for (let cause = error; cause; cause = cause.cause ?? cause.context) causes.push(cause);
  assert.ok(
    causes.some((cause) => /ConditionalCheckFailed|The conditional request failed/.test(`${cause.name} ${cause.code} ${cause.message}`)),
    `another error: ${error.stack}`,
  );
}
