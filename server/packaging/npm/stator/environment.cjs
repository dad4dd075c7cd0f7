// SPDX-License-Identifier: Apache-2.0
// The variables by which the SDK's clients find their server, for applications that make clients of their own.
'use strict';

// What would lead a client past the others, or is the user's own.
const UNSET = ['AWS_PROFILE', 'AWS_DEFAULT_PROFILE', 'AWS_SESSION_TOKEN', 'AWS_SECURITY_TOKEN', 'AWS_ACCOUNT_ID',
  'AWS_ACCOUNT_ID_ENDPOINT_MODE', 'AWS_IGNORE_CONFIGURED_ENDPOINT_URLS', 'AWS_USE_FIPS_ENDPOINT',
  'AWS_USE_DUALSTACK_ENDPOINT'];

/** Makes these settings, as database() returns them, those of each client that is given none. */
function setEnvironment({ endpoint, region, credentials }) {
  for (const name of UNSET) delete process.env[name];
  Object.assign(process.env, {
    AWS_ENDPOINT_URL_DYNAMODB: endpoint,
    AWS_ENDPOINT_URL_DYNAMODB_STREAMS: endpoint,
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    AWS_REGION: region,
    AWS_DEFAULT_REGION: region,
  });
}

module.exports = { setEnvironment };
