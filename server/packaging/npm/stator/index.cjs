// SPDX-License-Identifier: Apache-2.0
// Stator, a local DynamoDB, started and stopped by Node.js:
//
//   const { startStator, database } = require('stator');
//   const server = await startStator('--control-plane-delay', '2');
//   const client = new DynamoDBClient(database(server.endpoint));
//   await server.clock({ advance: '25h' });   // or set: '2027-01-01T00:00:00Z', rate: 60, mode: 'manual'
//   await server.reset();                     // removes all its tables
//   await server.mark('seeded');              // remembers its state, once its tables are filled
//   await server.rollback('seeded');          // goes back to it, before each test for instance
//   await server.stop();
//
// With Jest's `"preset": "stator"` or Vitest's `globalSetup: 'stator/vitest'` one server runs for all tests, and each
// call of database() makes an empty database in it. Tests that begin with filled tables:
//
//   const seeded = rollingBack(async (settings) => { ... }); // filled once, gone back to before each test
//   test('delete', async () => { const client = new DynamoDBClient(seeded()); });
//
// A run that needs more than a policy grants fails, and tells all that is missing:
//
//   const limits = await limitedTo(policy);   // new DynamoDBClient(limits.owner) makes the tables
//   await run(new DynamoDBClient(limits.database));
//   await limits.stop();                      // rejects
'use strict';

const { limitedTo } = require('./limits.cjs');
const { start, database, rollingBack } = require('./server.cjs');

exports.startStator = start;
exports.database = database;
exports.rollingBack = rollingBack;
exports.limitedTo = limitedTo;
