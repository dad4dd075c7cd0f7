// A test that uses the servers and then, with EXTRA_HELD=FILE, writes FILE and waits to be killed; without,
// it fails. ../test_helpers.py looks what is left of them.
const { writeFileSync } = require('node:fs');
const { DynamoDBClient, ListTablesCommand } = require('@aws-sdk/client-dynamodb');

const { database, startStator } = require('stator');

test('held or failed', async () => {
  const own = await startStator('--gsi-delay', '1');
  for (const settings of [database(), database(own.endpoint)]) {
    await new DynamoDBClient(settings).send(new ListTablesCommand({}));
  }
  if (!process.env.EXTRA_HELD) throw new Error('failed on purpose');
  writeFileSync(process.env.EXTRA_HELD, 'held');
  await new Promise((resolve) => { setTimeout(resolve, 600_000); });
}, 600_000);
