// A game: users found by id, provider and email; inventories with a hierarchical sort key.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { Generator, index, itemsLeast, pad, same, Store, times } from './scenario.mjs';

const providers = ['apple', 'facebook', 'google', 'steam'];
const names = ['Ana', 'Bjørn', 'Chloé', 'Дмитрий', '文子', '🦊'];
let users;
let inventories;

function generateUsers(data) {
  return times(itemsLeast, (number) => ({
    id: `u-${pad(data.below(1e9), 9)}-${number}`,
    provider: data.choice(providers),
    providerUser: `${data.choice('abc')}${pad(number, 5)}`,
    handle: `${data.choice(names)} ${number}`,
    badges: new Set(data.sample(['early', 'gold', 'helper', 'silver'], data.between(1, 4))),
    // Some signed up without an address, some share one.
    ...(data.chance(0.8) && { email: `${data.choice(['mail', 'post'])}${data.below(9000)}@example.com` }),
  }));
}

const kinds = ['armor', 'food', 'potion', 'weapon'];

function generatePlayers(data) {
  const rows = [];
  for (const player of times(200, (n) => `player-${pad(n, 4)}`)) {
    rows.push({ player, sk: 'profile', gold: data.below(10_000) });
    for (const character of ['01', '02', '03']) {
      rows.push({ player, sk: `char#${character}#stats`, strength: data.below(100) });
      for (const kind of kinds) {
        for (const slot of data.sample(times(100, Number), 4)) {
          const rarity = data.choice(['common', 'epic', 'rare']);
          const sk = `char#${character}#inventory#${kind}#${pad(slot, 4)}`;
          rows.push({ player, sk, kind, rarity, amount: data.between(1, 50) });
        }
      }
    }
  }
  return rows;
}

before(async () => {
  users = await Store.create('id:S', {
    byProvider: index('provider:S providerUser:S', { projection: ['handle', 'badges'] }),
    byEmail: index('email:S'),
  });
  await users.load(generateUsers(new Generator('users')));
  inventories = await Store.create('player:S sk:S');
  await inventories.load(generatePlayers(new Generator('players')));
  assert.ok(inventories.rows.size >= itemsLeast);
});
after(() => Promise.all([users.delete(), inventories.delete()]));

test('users by id', async () => {
  const wanted = new Generator('by id').sample(users.all(), 300);
  same(await users.readAll(wanted), wanted);
  assert.equal(await users.get({ id: 'nobody' }), undefined);
});

test('users by provider', async () => {
  const data = new Generator('by provider');
  for (const { provider, providerUser } of data.sample(users.all(), 25)) {
    await users.check(
      'provider = :p AND providerUser = :u',
      { p: provider, u: providerUser },
      (entry) => entry.provider === provider && entry.providerUser === providerUser,
      { index: 'byProvider' },
    );
  }
  for (const provider of providers) {
    await users.check(
      'provider = :p AND begins_with(providerUser, :u)',
      { p: provider, u: 'b0' },
      (entry) => entry.provider === provider && entry.providerUser.startsWith('b0'),
      { index: 'byProvider', descending: data.chance(0.5) },
    );
  }
});

test('users by email', async () => {
  const addresses = [...new Set(users.entries('byEmail').map((entry) => entry.email))];
  for (const email of [...new Generator('by email').sample(addresses, 60), 'nobody@example.com']) {
    await users.check('email = :e', { e: email }, (entry) => entry.email === email, { index: 'byEmail' });
  }
});

test('an entry moves with its address', async () => {
  const data = new Generator('new addresses');
  for (const row of data.sample(users.all(), 100)) {
    if (data.chance(0.3)) {
      delete row.email;
      await users.update(row, 'REMOVE email');
    } else {
      row.email = `new${data.below(30)}@example.com`;
      row.badges.add('moved');
      await users.update(row, 'SET email = :e ADD badges :b', { e: row.email, b: new Set(['moved']) });
    }
  }
  const gone = data.sample(users.all(), 60);
  await users.remove(gone);
  assert.deepEqual(await users.readAll(gone), []);
  for (const email of times(30, (n) => `new${n}@example.com`)) {
    await users.check('email = :e', { e: email }, (entry) => entry.email === email, { index: 'byEmail' });
  }
  await users.checkEverything();
});

for (const prefix of ['char#', 'char#02#', 'char#02#inventory#', 'char#01#inventory#weapon#', 'profile', 'char#04']) {
  test(`inventory: begins_with ${prefix}`, async () => {
    for (const player of new Generator(prefix).sample(times(200, (n) => `player-${pad(n, 4)}`), 7)) {
      for (const descending of [false, true]) {
        await inventories.check(
          'player = :p AND begins_with(sk, :s)',
          { p: player, s: prefix },
          (row) => row.player === player && row.sk.startsWith(prefix),
          { descending },
        );
      }
    }
  });
}

for (const [low, high] of [
  ['char#01#inventory#armor#0003', 'char#01#inventory#armor#0061'],
  ['char#01#', 'char#02#'],
  ['char#02#inventory#food', 'char#03#inventory#food'],
  ['a', 'z'],
  ['profile', 'profile'],
]) {
  test(`inventory: between ${low} and ${high}`, async () => {
    for (const player of new Generator(low + high).sample(times(200, (n) => `player-${pad(n, 4)}`), 7)) {
      await inventories.check(
        'player = :p AND sk BETWEEN :low AND :high',
        { p: player, low, high },
        (row) => row.player === player && row.sk >= low && row.sk <= high,
      );
    }
  });
}

test('inventory: a filter is counted as scanned', async () => {
  const mine = inventories.expected((row) => row.player === 'player-0042' && row.sk.startsWith('char#'));
  for (const rarity of ['common', 'epic', 'rare', 'unknown']) {
    let count = 0;
    let scanned = 0;
    const values = { p: 'player-0042', s: 'char#', r: rarity, least: 20 };
    const options = { FilterExpression: 'rarity = :r AND amount >= :least', Select: 'COUNT', Limit: 7 };
    for await (const page of inventories.pages('player = :p AND begins_with(sk, :s)', values, options)) {
      count += page.Count;
      scanned += page.ScannedCount;
      assert.equal(page.Items, undefined);
    }
    assert.equal(count, mine.filter((row) => row.rarity === rarity && row.amount >= 20).length);
    assert.equal(scanned, mine.length);
  }
});

test('inventory: weapons move from one character to another', async () => {
  const player = 'player-0007';
  const weapons = inventories.expected(
    (row) => row.player === player && row.sk.startsWith('char#01#inventory#weapon#'),
  );
  await inventories.remove(weapons);
  await inventories.load(weapons.map((row) => ({ ...row, sk: `${row.sk.replace('char#01', 'char#03')}#from01` })));
  await inventories.check('player = :p', { p: player }, (row) => row.player === player);
});
