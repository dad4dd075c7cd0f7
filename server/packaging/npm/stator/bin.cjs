#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// `npx stator`: the program, with the arguments, signals and status handed on.
'use strict';

const { spawn } = require('node:child_process');
const { constants } = require('node:os');

const { noProgram, program } = require('./program.cjs');

// npx runs this itself as `stator` on PATH; that must not start itself for ever.
if (program() === 'stator') {
  console.error(`stator: ${noProgram()}`);
  process.exit(1);
}
const server = spawn(program(), process.argv.slice(2), { stdio: 'inherit' });
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => server.kill(signal));
server.once('error', (error) => {
  console.error(`stator: ${error.message}`);
  process.exit(1);
});
server.once('close', (status, signal) => process.exit(status ?? 128 + constants.signals[signal]));
