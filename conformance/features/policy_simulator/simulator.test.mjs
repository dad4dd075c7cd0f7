// A server and a public evaluator decide alike: allowed, denied by a statement, or by none that allows.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';

import { runSimulation } from '@cloud-copilot/iam-simulate';

import { ACCOUNT, dice, principal, request } from './policies.mjs';

const PAIRS = Number(process.env.STATOR_POLICY_PAIRS ?? 5000);
const SEED = Number(process.env.STATOR_SEED ?? Math.floor(Math.random() * 2 ** 31));
const PRINCIPALS = 400;
const TOKEN = 'token-of-the-simulator';
const AT_ONCE = 8;
const agent = new http.Agent({ keepAlive: true, maxSockets: AT_ONCE });
const rng = dice(SEED);
const principals = Array.from({ length: PRINCIPALS }, (_, number) => principal(rng, number));

const options = { skip: !process.env.STATOR_OWN_SERVER && 'needs a server started by the test' };
const folder = mkdtempSync(join(tmpdir(), 'stator-policies-'));
let server;
let port;

before(async () => {
  if (options.skip) return;
  const file = join(folder, 'access.json');
  const content = { version: 1, account: ACCOUNT, principals: principals.map((one) => one.entry) };
  writeFileSync(file, JSON.stringify(content), { mode: 0o600 });
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('STATOR_')));
  const flags = ['--port', '0', '--auth', 'iam', '--access-file', file, '--console-token', TOKEN];
  server = spawn(process.env.STATOR_BINARY, flags, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const line of createInterface({ input: server.stdout })) {
    port = /listening on https?:\/\/[^\s]*:(\d+)/.exec(line)?.[1];
    if (port) break;
  }
  assert.ok(port, 'the server listens');
  server.stdout.resume();
});

after(() => {
  agent.destroy();
  server?.kill();
  rmSync(folder, { recursive: true });
});

function ask(body) {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'x-stator-token': TOKEN };
    const sent = http.request(
      { agent, port, host: 'localhost', method: 'POST', path: '/_stator/access/simulate', headers },
      (answer) => {
        const parts = [];
        answer.on('data', (part) => parts.push(part));
        answer.on('end', () => resolve(JSON.parse(Buffer.concat(parts).toString())));
      });
    sent.on('error', reject);
    sent.end(JSON.stringify(body));
  });
}

async function decisionHere({ arn }, { action, resource, keys }) {
  const told = await ask({ principal: arn, action, resource, context: keys });
  assert.ok(told.decision, JSON.stringify(told));
  if (told.decision === 'allowed') return 'Allowed';
  return told.reason.endsWith('denies the action') ? 'ExplicitlyDenied' : 'ImplicitlyDenied';
}

async function decisionThere({ arn, policies, boundary, session, keys: own }, { action, resource, keys }) {
  const told = await runSimulation({
    request: { principal: arn, action, resource: { resource, accountId: ACCOUNT }, contextVariables: { ...own, ...keys } },
    sessionPolicy: session,
    identityPolicies: policies.map((policy, number) => ({ name: `p${number}`, policy })),
    permissionBoundaryPolicies: boundary && [{ name: 'boundary', policy: boundary }],
    serviceControlPolicies: [],
    resourceControlPolicies: [],
  }, {});
  assert.equal(told.resultType, 'single', JSON.stringify(told.errors));
  return told.overallResult;
}

test(`${PAIRS} random pairs, seed ${SEED}`, options, async () => {
  const counts = {};
  const compare = async (who, what) => {
    const [here, there] = await Promise.all([decisionHere(who, what), decisionThere(who, what)]);
    counts[there] = (counts[there] ?? 0) + 1;
    assert.equal(here, there, JSON.stringify({ who, what }, null, 1));
  };
  for (let done = 0; done < PAIRS; done += AT_ONCE) {
    const some = Array.from({ length: AT_ONCE }, () => [rng.pick(principals), request(rng)]);
    await Promise.all(some.map(([who, what]) => compare(who, what)));
  }
  console.log(counts);
  for (const kind of ['Allowed', 'ExplicitlyDenied', 'ImplicitlyDenied']) assert.ok(counts[kind] > PAIRS / 50, kind);
});
