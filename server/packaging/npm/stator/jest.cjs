// SPDX-License-Identifier: Apache-2.0
// Jest calls this before the first test (globalSetup) and after the last one (globalTeardown).
'use strict';

module.exports = require('./server.cjs').startOrStop;
