// Random policies, principals and requests; the same seed makes the same ones.

export const ACCOUNT = '111122223333';
const TABLES = ['App', 'Apx', 'ann', 'Other'];
const TENANTS = ['t1', 't10', 't2', '*'];

// A small generator with a good enough spread (mulberry32).
export function dice(seed) {
  let state = seed >>> 0;
  const draw = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  const below = (limit) => draw() % limit;
  const pick = (list) => list[below(list.length)];
  return {
    below,
    pick,
    oneIn: (times) => below(times) === 0,
    some: (list, most) => Array.from({ length: 1 + below(most) }, () => pick(list)),
  };
}

export const tableArn = (name) => `arn:aws:dynamodb:us-east-1:${ACCOUNT}:table/${name}`;

const ACTIONS = ['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem', 'dynamodb:DeleteItem'];
const ACTION_PATTERNS = [...ACTIONS, 'dynamodb:*', 'dynamodb:*Item', 'dynamodb:Get*', 'DynamoDB:?etitem', '*', 's3:*'];
const RESOURCE_PATTERNS = ['*', tableArn('App'), tableArn('*'), tableArn('A?p'), tableArn('${aws:username}'),
  tableArn('${aws:PrincipalTag/tenant}*'), tableArn("${aws:PrincipalTag/none, 'App'}"),
  'arn:aws:dynamodb:*:*:table/A*', `arn:aws:dynamodb:eu-*:${ACCOUNT}:table/App`, 'arn:aws:s3:::bucket/*'];

const STRINGS = ['t1', 't1#a', 't1*', '*#a', 't?', '${aws:PrincipalTag/tenant}#*', '${aws:PrincipalTag/tenant}', 'pk',
  'sk', 'a', 'NONE', 'ALL_OLD', 'SPECIFIC_ATTRIBUTES', 'ann', '${aws:username}', 'T1#A'];
// No block 0.0.0.0/0, which the evaluator takes for none of the addresses.
const FAMILIES = [
  ['String', ['Equals', 'NotEquals', 'EqualsIgnoreCase', 'NotEqualsIgnoreCase', 'Like', 'NotLike'], STRINGS,
    ['dynamodb:LeadingKeys', 'dynamodb:Attributes', 'dynamodb:Select', 'dynamodb:ReturnValues', 'aws:username',
      'aws:PrincipalTag/tenant']],
  ['', ['IpAddress', 'NotIpAddress'], ['10.0.0.0/8', '10.1.2.3/32', '192.168.0.0/16', '203.0.113.0/25'], ['aws:SourceIp']],
  ['Date', ['Equals', 'NotEquals', 'LessThan', 'LessThanEquals', 'GreaterThan', 'GreaterThanEquals'],
    ['2026-01-01T00:00:00Z', '2026-06-01T12:00:00Z', '2027-01-01T00:00:00Z'], ['aws:CurrentTime']],
  ['', ['Bool'], ['true', 'false'], ['aws:SecureTransport']],
  ['Arn', ['Equals', 'NotEquals', 'Like', 'NotLike'],
    [`arn:aws:iam::${ACCOUNT}:user/*`, `arn:aws:iam::${ACCOUNT}:user/u1?`, `arn:aws:iam::*:role/app`],
    ['aws:PrincipalArn']],
];
const LISTS = new Set(['dynamodb:LeadingKeys', 'dynamodb:Attributes']);

// For opposites: a variable without a value matches nothing here, so that its opposite holds; there the statement fails.
const fixed = (texts) => texts.filter((text) => !text.includes('${'));

function condition(rng) {
  if (rng.oneIn(6)) {
    return ['Null', rng.pick(['dynamodb:LeadingKeys', 'aws:username', 'aws:SourceIp', 'dynamodb:Select']), [rng.pick(['true', 'false'])]];
  }
  const [family, names, values, keys] = rng.pick(FAMILIES);
  const key = rng.pick(keys);
  const set = LISTS.has(key) && !rng.oneIn(5) ? rng.pick(['ForAllValues:', 'ForAnyValue:']) : '';
  const suffix = rng.oneIn(4) ? 'IfExists' : '';
  const name = rng.pick(names);
  return [set + family + name + suffix, key, rng.some(name.includes('Not') ? fixed(values) : values, 3)];
}

function statement(rng) {
  const made = { Effect: rng.oneIn(4) ? 'Deny' : 'Allow' };
  made[rng.oneIn(8) ? 'NotAction' : 'Action'] = rng.some(ACTION_PATTERNS, 2);
  if (rng.oneIn(8)) made.NotResource = rng.some(fixed(RESOURCE_PATTERNS), 2);
  else made.Resource = rng.some(RESOURCE_PATTERNS, 2);
  for (let i = rng.below(3); i > 0; i -= 1) {
    const [operator, key, values] = condition(rng);
    made.Condition = { ...made.Condition, [operator]: { ...made.Condition?.[operator], [key]: values } };
  }
  return made;
}

export const policy = (rng) => ({
  Version: '2012-10-17',
  Statement: Array.from({ length: 1 + rng.below(3) }, () => statement(rng)),
});

// A user, or a session of a role, as in an access file; with its ARN, its keys and its policies.
export function principal(rng, number) {
  const tags = rng.oneIn(4) ? {} : { tenant: rng.pick(TENANTS) };
  const policies = rng.oneIn(8) ? [] : [policy(rng)];
  const boundary = rng.oneIn(4) ? policy(rng) : undefined;
  const keys = Object.fromEntries(Object.entries(tags).map(([name, value]) => [`aws:PrincipalTag/${name}`, value]));
  if (!rng.oneIn(3)) {
    const name = rng.oneIn(3) ? `ann${number}` : `u${number}`;
    const arn = `arn:aws:iam::${ACCOUNT}:user/${name}`;
    return { arn, policies, boundary, keys: { ...keys, 'aws:username': name, 'aws:PrincipalArn': arn },
      entry: { arn, tags, policies, boundary } };
  }
  const role = `arn:aws:iam::${ACCOUNT}:role/r${number}`;
  const session = rng.oneIn(2) ? policy(rng) : undefined;
  const secrets = { id: `ASIA${number}`, secret: 's'.repeat(40), token: 't'.repeat(200) };
  return { arn: `arn:aws:sts::${ACCOUNT}:assumed-role/r${number}/ci`, policies, boundary, session,
    keys: { ...keys, 'aws:PrincipalArn': role },
    entry: { arn: role, tags, policies, boundary, sessions: [{ name: 'ci', ...secrets, policy: session }] } };
}

// What is asked, and the condition keys of the request beside those of the principal.
export function request(rng) {
  const keys = {
    'aws:CurrentTime': rng.pick(['2025-12-31T23:59:59Z', '2026-01-01T00:00:00Z', '2026-08-01T00:00:00Z']),
  };
  if (!rng.oneIn(5)) keys['dynamodb:LeadingKeys'] = rng.some(['t1#a', 't10#a', 't2#b', 't1', '*#a', 'ann'], 3);
  if (!rng.oneIn(4)) keys['dynamodb:Attributes'] = rng.some(['pk', 'sk', 'a', 'secret'], 3);
  if (!rng.oneIn(3)) keys['aws:SourceIp'] = rng.pick(['10.1.2.3', '10.9.9.9', '192.168.1.1', '203.0.113.9']);
  if (!rng.oneIn(3)) keys['aws:SecureTransport'] = rng.pick(['true', 'false']);
  const action = rng.pick(ACTIONS);
  const answer = action === 'dynamodb:GetItem' ? 'dynamodb:Select' : 'dynamodb:ReturnValues';
  if (!rng.oneIn(3)) keys[answer] = rng.pick(['NONE', 'ALL_OLD', 'SPECIFIC_ATTRIBUTES']);
  return { action, resource: tableArn(rng.pick(TABLES)), keys };
}
