// The client of this project's tests, with the Region and keys that the preset uses by default.

const { DynamoDB } = require('@aws-sdk/client-dynamodb');
const { DynamoDBDocument } = require('@aws-sdk/lib-dynamodb');

const raw = new DynamoDB({
  endpoint: `http://localhost:${process.env.PROJECT_PORT}`,
  region: 'local-env',
  credentials: { accessKeyId: 'fakeMyKeyId', secretAccessKey: 'fakeSecretAccessKey' },
});

module.exports = { raw, database: DynamoDBDocument.from(raw) };
