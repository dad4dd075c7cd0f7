// Event source mappings through the client of Lambda, at the endpoint of DynamoDB.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import {
  CreateEventSourceMappingCommand,
  DeleteEventSourceMappingCommand,
  GetEventSourceMappingCommand,
  LambdaClient,
  ListEventSourceMappingsCommand,
  ListTagsCommand,
  TagResourceCommand,
  UntagResourceCommand,
  UpdateEventSourceMappingCommand,
} from '@aws-sdk/client-lambda';

import { newClient, onDemand, rejects, withTable } from './helpers.mjs';

const client = newClient();
const { region, credentials } = client.config;
const STREAM = { StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_IMAGE' } };

for (const slash of ['', '/']) {
  test(`a mapping from its creation to its end, at an endpoint that ends in "${slash}"`, async () => {
    const endpoint = process.env.STATOR_ENDPOINT.replace(/\/$/, '') + slash;
    const lambda = new LambdaClient({ endpoint, region, credentials });
    await withTable(client, { ...onDemand(), ...STREAM }, async (TableName) => {
      const { Table } = await client.send(new DescribeTableCommand({ TableName }));
      const created = await lambda.send(new CreateEventSourceMappingCommand({
        FunctionName: 'of-javascript', EventSourceArn: Table.LatestStreamArn, StartingPosition: 'LATEST', BatchSize: 5,
      }));
      const { UUID, EventSourceMappingArn } = created;
      assert.equal(created.State, 'Creating');
      const found = await lambda.send(new GetEventSourceMappingCommand({ UUID }));
      assert.deepEqual([found.State, found.BatchSize], ['Enabled', 5]);
      assert.ok(found.LastModified instanceof Date);
      const listed = await lambda.send(new ListEventSourceMappingsCommand({ EventSourceArn: Table.LatestStreamArn }));
      assert.deepEqual(listed.EventSourceMappings.map((mapping) => mapping.UUID), [UUID]);

      await lambda.send(new UpdateEventSourceMappingCommand({ UUID, BatchSize: 7, Enabled: false }));
      const updated = await lambda.send(new GetEventSourceMappingCommand({ UUID }));
      assert.deepEqual([updated.State, updated.BatchSize], ['Disabled', 7]);

      await lambda.send(new TagResourceCommand({ Resource: EventSourceMappingArn, Tags: { team: 'music', stage: 'test' } }));
      await lambda.send(new UntagResourceCommand({ Resource: EventSourceMappingArn, TagKeys: ['stage'] }));
      const { Tags } = await lambda.send(new ListTagsCommand({ Resource: EventSourceMappingArn }));
      assert.deepEqual(Tags, { team: 'music' });

      assert.equal((await lambda.send(new DeleteEventSourceMappingCommand({ UUID }))).State, 'Deleting');
      await rejects(lambda.send(new GetEventSourceMappingCommand({ UUID })), 'ResourceNotFoundException',
        'The resource you requested does not exist.', 404);
    });
  });
}
