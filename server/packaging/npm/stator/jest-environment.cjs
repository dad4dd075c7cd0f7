// SPDX-License-Identifier: Apache-2.0
// Jest calls this before each test file and before its setupFilesAfterEnv, one of which may load the application.
'use strict';

require('./server.cjs').nameOwnDatabase();
