// SPDX-License-Identifier: Apache-2.0
// A server whose client may do what a policy allows: a run that needs more fails, and tells all that is missing.
'use strict';

const { randomUUID } = require('node:crypto');
const { mkdtempSync, rmSync, writeFileSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');

const { admin } = require('./admin.cjs');
const { start } = require('./server.cjs');

const ACCOUNT = '000000000000';
const PRINCIPAL = `arn:aws:iam::${ACCOUNT}:user/limited`;

/**
 * Starts a server. `database` are the settings of a client with this policy, a document or a list of them, and `owner`
 * those of one that may do everything, to make tables for instance. Both see the same tables. What the policy does not
 * allow is done all the same, so that a run shows everything that it needs; with { enforce: true } it is denied as in
 * the cloud. stop() rejects when more was needed, unless with that.
 */
async function limitedTo(policies, { enforce = false } = {}) {
  const [limited, owner] = [1, 2].map(() => ({ id: randomUUID(), secret: randomUUID() }));
  const documents = [policies].flat().map((one) => (typeof one === 'string' ? JSON.parse(one) : one));
  const content = {
    version: 1,
    account: ACCOUNT,
    principals: [
      { arn: PRINCIPAL, keys: [limited], policies: documents },
      { arn: `arn:aws:iam::${ACCOUNT}:root`, keys: [owner] },
    ],
  };
  const token = randomUUID();
  const folder = mkdtempSync(join(tmpdir(), 'stator-')); // its owner alone may read it
  let server;
  try {
    const file = join(folder, 'access.json');
    writeFileSync(file, JSON.stringify(content), { mode: 0o600 });
    server = await start('--auth', enforce ? 'iam' : 'audit', '--access-file', file, '--console-token', token,
      '--isolate', 'region');
  } finally {
    rmSync(folder, { recursive: true });
  }
  const { endpoint } = server;
  const settings = ({ id, secret }) => (
    { endpoint, region: 'us-east-1', credentials: { accessKeyId: id, secretAccessKey: secret } });

  /** What was needed and not allowed so far, 'dynamodb:Scan on arn:…'. */
  async function missing() {
    const told = await admin(endpoint, `access/report?only=denied&principal=${PRINCIPAL}`, undefined, token);
    return told.principals.flatMap(({ uses }) => uses.map(({ action, resource }) => `${action} on ${resource}`));
  }

  /** Ends the server; rejects when more was needed than the policy allows. */
  async function stop() {
    let lacks = [];
    try {
      if (!enforce) lacks = await missing();
    } finally {
      await server.stop();
    }
    if (lacks.length > 0) throw new Error(`the policy lacks what this run needed:\n  ${lacks.join('\n  ')}`);
  }
  return { endpoint, database: settings(limited), owner: settings(owner), missing, stop };
}

module.exports = { limitedTo };
