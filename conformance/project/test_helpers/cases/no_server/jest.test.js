// Without the preset. ../../test_where.py reads what it says.
const { database, rollingBack } = require('stator');

test('no settings of a client', () => { database(); });
test('none of an endpoint that is missing', () => { database(undefined); });
test('none of null', () => { database(null); });
test('none before the hooks have run', () => { rollingBack(() => {}, { hooks: { beforeAll() {}, beforeEach() {}, afterAll() {} } })(); });
