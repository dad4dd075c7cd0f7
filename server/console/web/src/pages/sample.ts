// A small shop in one table, for a first look: customers with orders and lines, an index by status, a stream, and carts
// that expire.

import { describe } from '../wire/tables';
import { call, type Body, type Item, type Scope } from '../wire/wire';

export const SAMPLE_TABLE = 'Shop';
const CUSTOMERS = ['Ada', 'Bao', 'Chidi', 'Dana', 'Emeka', 'Freya'];
const STATUSES = ['open', 'paid', 'sent'];
const PRODUCTS = ['lamp', 'chair', 'desk', 'shelf', 'clock'];
const ORDERS_EACH = 4;
const BATCH = 25;
const POLL_MS = 200;

const S = (text: string) => ({ S: text });
const N = (number: number) => ({ N: String(number) });

const REQUEST: Body = {
  TableName: SAMPLE_TABLE,
  AttributeDefinitions: ['pk', 'sk', 'status', 'placed'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
  KeySchema: [
    { AttributeName: 'pk', KeyType: 'HASH' },
    { AttributeName: 'sk', KeyType: 'RANGE' },
  ],
  GlobalSecondaryIndexes: [
    {
      IndexName: 'by-status',
      KeySchema: [
        { AttributeName: 'status', KeyType: 'HASH' },
        { AttributeName: 'placed', KeyType: 'RANGE' },
      ],
      Projection: { ProjectionType: 'ALL' },
    },
  ],
  BillingMode: 'PAY_PER_REQUEST',
  StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
};

function itemsAt(now: number): Item[] {
  return CUSTOMERS.flatMap((name, customer): Item[] => {
    const pk = S(`CUSTOMER#${customer + 1}`);
    const orders = Array.from({ length: ORDERS_EACH }, (_, at): Item[] => {
      const number = 1000 + customer * ORDERS_EACH + at;
      const product = PRODUCTS[number % PRODUCTS.length];
      const placed = S(new Date(now - number * 3_600_000).toISOString());
      return [
        { pk, sk: S(`ORDER#${number}`), status: S(STATUSES[number % STATUSES.length]), placed, total: { N: `${(number * 37) % 500}.5` } },
        { pk: S(`ORDER#${number}`), sk: S('LINE#1'), product: S(product), quantity: N(1 + (number % 3)), tags: { SS: ['new', product] } },
      ];
    }).flat();
    return [
      { pk, sk: S('PROFILE'), name: S(name), mail: S(`${name.toLowerCase()}@shop.example`), address: { M: { city: S('Köln'), zip: S('50667') } } },
      { pk, sk: S('CART'), products: { L: PRODUCTS.slice(0, 1 + (customer % 3)).map(S) }, expires: N(Math.floor(now / 1000) + 3600 * (1 + customer)) },
      ...orders,
    ];
  });
}

/** Makes the table and its items; `now` is the engine's time. */
export async function makeSample(scope: Scope, now: string): Promise<void> {
  await call(scope, 'CreateTable', REQUEST);
  while ((await describe(scope, SAMPLE_TABLE)).status !== 'ACTIVE') await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  await call(scope, 'UpdateTimeToLive', { TableName: SAMPLE_TABLE, TimeToLiveSpecification: { AttributeName: 'expires', Enabled: true } });
  const items = itemsAt(Date.parse(now));
  for (let from = 0; from < items.length; from += BATCH) {
    const requests = items.slice(from, from + BATCH).map((Item) => ({ PutRequest: { Item } }));
    await call(scope, 'BatchWriteItem', { RequestItems: { [SAMPLE_TABLE]: requests } });
  }
}
