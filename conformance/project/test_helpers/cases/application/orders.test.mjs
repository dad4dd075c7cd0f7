// Copied as two files, which run in one worker or in two: neither sees the other's table. ../../test_application.py runs it.
import { expect, test } from 'vitest';

import orders from './orders.cjs';

test('the application calls Stator', async () => {
  expect(process.env.AWS_PROFILE).toBeUndefined();
  expect(process.env.AWS_SESSION_TOKEN).toBeUndefined();
  await orders.createTable();
  await orders.place('one');
  expect(await orders.count()).toBe(1);
});
