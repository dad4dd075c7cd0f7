// Tables as the pages need them, from DescribeTable.

import { call, verb, type Body, type Item, type Scope, type Type } from './wire';

export interface Path {
  /** Empty for the table itself. */
  index: string;
  kind: 'table' | 'global' | 'local';
  /** Partition key first, then the sort key, if there is one. */
  key: { name: string; type: Type }[];
  projection: string;
  status: string;
  items: number;
  bytes: number;
}

export interface Table {
  name: string;
  status: string;
  items: number;
  bytes: number;
  billing: string;
  streamArn?: string;
  streamView?: string;
  isProtected: boolean;
  paths: Path[];
  /** DescribeTable's answer, whole. */
  description: Body;
}

/** One page of names after `start`, in the order of the service. */
export async function listTables(scope: Scope, start?: string): Promise<{ names: string[]; next?: string }> {
  const { body } = await call(scope, 'ListTables', start ? { ExclusiveStartTableName: start } : {});
  return { names: body.TableNames as string[], next: body.LastEvaluatedTableName as string | undefined };
}

export async function describe(scope: Scope, name: string, signal?: AbortSignal): Promise<Table> {
  const { body } = await call(scope, 'DescribeTable', { TableName: name }, { signal });
  return tableFrom(body.Table);
}

function tableFrom(description: Body): Table {
  const types = new Map<string, Type>(
    description.AttributeDefinitions.map((each: Body) => [each.AttributeName, each.AttributeType]),
  );
  const path = (kind: Path['kind'], from: Body): Path => ({
    index: from.IndexName ?? '',
    kind,
    key: [...from.KeySchema]
      .sort((a: Body) => (a.KeyType === 'HASH' ? -1 : 1))
      .map((each: Body) => ({ name: each.AttributeName, type: types.get(each.AttributeName) ?? 'S' })),
    projection: projectionText(from.Projection),
    status: from.IndexStatus ?? description.TableStatus,
    items: from.ItemCount ?? from.IndexItemCount ?? 0,
    bytes: from.TableSizeBytes ?? from.IndexSizeBytes ?? 0,
  });
  return {
    name: description.TableName,
    status: description.TableStatus,
    items: description.ItemCount ?? 0,
    bytes: description.TableSizeBytes ?? 0,
    billing: description.BillingModeSummary?.BillingMode ?? 'PROVISIONED',
    streamArn: description.StreamSpecification?.StreamEnabled ? description.LatestStreamArn : undefined,
    streamView: description.StreamSpecification?.StreamViewType,
    isProtected: description.DeletionProtectionEnabled === true,
    paths: [
      path('table', description),
      ...(description.GlobalSecondaryIndexes ?? []).map((each: Body) => path('global', each)),
      ...(description.LocalSecondaryIndexes ?? []).map((each: Body) => path('local', each)),
    ],
    description,
  };
}

export const ALL_ATTRIBUTES = 'all attributes';

function projectionText(projection?: Body): string {
  if (!projection || projection.ProjectionType === 'ALL') return ALL_ATTRIBUTES;
  if (projection.ProjectionType === 'KEYS_ONLY') return 'keys only';
  return `keys and ${(projection.NonKeyAttributes ?? []).join(', ')}`;
}

/** A row of the list of tables. */
export interface Summary {
  name: string;
  /** Undefined for the Region and access key of the page. */
  elsewhere?: { region: string; accessKey?: string };
  status: string;
  key: string;
  items: number;
  bytes: number;
  billing: string;
  indexes: string[];
  stream: string;
  /** Requests that were throttled, or would have been. */
  throttled: number;
}

export function summaryOf(table: Table): Summary {
  return {
    name: table.name,
    status: table.status,
    key: keyText(table.paths[0].key),
    items: table.items,
    bytes: table.bytes,
    billing: table.billing,
    indexes: table.paths.slice(1).map((each) => each.index),
    stream: table.streamView ?? '',
    throttled: 0,
  };
}

/** The tables of other Regions and access keys, counted. */
export interface Elsewhere {
  region: string;
  accessKey?: string;
  count: number;
}

/** The rows of all tables of the server, 1,000 of them in one answer. Throws NotOffered where the server lacks the verb. */
async function everyTable(): Promise<Body[]> {
  const all: Body[] = [];
  let next: string | undefined;
  do {
    const page = await verb(`tables${next ? `?after=${encodeURIComponent(next)}` : ''}`);
    all.push(...page.tables);
    next = page.next;
  } while (next);
  return all;
}

/** All tables, by name, and how many other Regions and access keys have. */
export async function allTables(scope: Scope): Promise<{ all: Summary[]; elsewhere: Elsewhere[] }> {
  const all: Summary[] = [];
  const elsewhere = new Map<string, Elsewhere>();
  const [info, tables] = await Promise.all([verb('info'), everyTable()]);
  const isShared = info.isolation === 'none';
  for (const each of tables) {
    const { region, access_key: accessKey } = each;
    const isHere = isShared || (region === scope.region && (!accessKey || accessKey === scope.accessKey));
    all.push({
      name: each.table,
      elsewhere: isHere ? undefined : { region, accessKey },
      status: each.status,
      key: each.key.map(([name, type]: string[]) => `${name} (${type})`).join(', '),
      items: each.items,
      bytes: each.bytes,
      billing: each.billing_mode,
      indexes: each.indexes.map((index: Body) => index.index),
      stream: each.stream?.view ?? '',
      throttled: each.throttled ?? 0,
    });
    if (isHere) continue;
    const id = `${region} ${accessKey ?? ''}`;
    const group = elsewhere.get(id) ?? { region, accessKey, count: 0 };
    group.count++;
    elsewhere.set(id, group);
  }
  return { all: all.sort((a, b) => (a.name < b.name ? -1 : 1)), elsewhere: [...elsewhere.values()] };
}

/** What an index lacks of its table. */
export interface Progress {
  index: string;
  backfill?: { done: number; total: number };
  /** What happens next: it begins to be filled, or changes reach it (--gsi-delay). */
  waiting?: { time: string; what: string };
}

/** Of each global index of the table. */
export async function progressOf(scope: Scope, table: string): Promise<Progress[]> {
  const named = (await everyTable()).filter((each) => each.table === table);
  // Where all Regions share their tables (--isolate none), only one has the name.
  const found = named.find((each) => each.region === scope.region && (!each.access_key || each.access_key === scope.accessKey)) ?? named[0];
  if (!found) return [];
  const { due } = await verb('due');
  return found.indexes.map(({ index, backfill }: Body) => ({
    index,
    backfill,
    waiting: (due as Body[]).find(
      (each) => each.kind === 'index' && each.index === index && ['table', 'region', 'access_key'].every((name) => each[name] === found[name]),
    ),
  }));
}

export function keyOf(table: Table, item: Item): Item {
  return Object.fromEntries(table.paths[0].key.map(({ name }) => [name, item[name]]));
}

export function keyText(key: Path['key']): string {
  return key.map(({ name, type }) => `${name} (${type})`).join(', ');
}

/** Deletes all items, page by page. Calls `report` with the number so far; stops when `signal` says so. */
export async function purge(
  scope: Scope,
  table: Table,
  report: (deleted: number) => void,
  signal: AbortSignal,
): Promise<number> {
  const names = Object.fromEntries(table.paths[0].key.map(({ name }, index) => [`#k${index}`, name]));
  let start: Item | undefined;
  let deleted = 0;
  do {
    const { body } = await call(
      scope,
      'Scan',
      {
        TableName: table.name,
        ProjectionExpression: Object.keys(names).join(', '),
        ExpressionAttributeNames: names,
        Limit: 1000,
        ...(start ? { ExclusiveStartKey: start } : {}),
      },
      { signal },
    );
    const keys = body.Items as Item[];
    for (let from = 0; from < keys.length; from += 25) {
      let wanted: Body = {
        [table.name]: keys.slice(from, from + 25).map((Key) => ({ DeleteRequest: { Key } })),
      };
      while (Object.keys(wanted).length > 0) {
        const before = wanted[table.name].length;
        wanted = (await call(scope, 'BatchWriteItem', { RequestItems: wanted }, { signal })).body.UnprocessedItems;
        deleted += before - (wanted[table.name]?.length ?? 0);
        report(deleted);
      }
    }
    start = body.LastEvaluatedKey;
  } while (start);
  return deleted;
}
