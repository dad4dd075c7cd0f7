// Without globalSetup. ../../test_where.py reads what it says.
import { database, rollingBack } from 'stator';
import { test } from 'vitest';

test('no settings of a client', () => { database(); });
test('none of an endpoint that is missing', () => { database(undefined); });
test('none of null', () => { database(null); });
test('none without hooks', () => { rollingBack(() => {})(); });
