// A Query or Scan as the builder edits it and as it stands in the address, and the request that it means.

import type { Path, Table } from '../wire/tables';
import type { Body, Item } from '../wire/wire';
import type { Read } from '../grid/rows.svelte';
import { packed, unpacked } from '../wire/values';
import { isGroup, pathOf, Placeholders, renderGroup, renderRule, SORT_KEY_OPERATORS, type Group, type Rule } from './expression';
import { groupFrom, pathFrom } from './parse';

/** A filter that no rows say. */
export interface FilterText {
  expression: string;
  names: Record<string, string>;
  values: Item;
}

export interface Settings {
  index: string;
  isScan: boolean;
  partition: string;
  sort: Rule;
  filter: Group;
  /** Stands in place of the rows of `filter`. */
  text?: FilterText;
  /** Names of attributes, with commas; empty for all. */
  projection: string;
  isBackwards: boolean;
  isConsistent: boolean;
  limit: string;
  asClient: boolean;
}

export function initialSettings(): Settings {
  return {
    index: '',
    isScan: true,
    partition: '',
    sort: { path: '', operator: '=', type: 'S', values: [] },
    filter: { join: 'AND', isNegated: false, rules: [] },
    projection: '',
    isBackwards: false,
    isConsistent: false,
    limit: '',
    asClient: false,
  };
}

export function settingsFrom(text: string | null): Settings {
  return { ...initialSettings(), ...unpacked<Partial<Settings>>(text) };
}

/** Only what differs from a plain Scan; undefined if nothing does. */
export function settingsText(settings: Settings): string | undefined {
  const initial = initialSettings() as unknown as Body;
  const differing = Object.entries(settings).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(initial[name]),
  );
  return differing.length ? packed(Object.fromEntries(differing)) : undefined;
}

export function pathOfIndex(table: Table, index: string): Path {
  return table.paths.find((each) => each.index === index) ?? table.paths[0];
}

/** Throws an Error in plain words for a value that has no meaning. */
export function readOf(table: Table, settings: Settings): Read {
  const path = pathOfIndex(table, settings.index);
  const { text } = settings;
  const placeholders = new Placeholders('', { ...text?.names }, { ...text?.values });
  const body: Body = { TableName: table.name };
  if (path.index) body.IndexName = path.index;
  if (!settings.isScan) {
    const [hash, range] = path.key;
    const parts = [
      renderRule({ path: `\`${hash.name}\``, operator: '=', type: hash.type, values: [settings.partition] }, placeholders),
    ];
    if (range && settings.sort.values.some((each) => each !== '')) {
      parts.push(renderRule({ ...settings.sort, path: `\`${range.name}\``, type: range.type }, placeholders));
    }
    body.KeyConditionExpression = parts.join(' AND ');
    if (settings.isBackwards) body.ScanIndexForward = false;
  }
  const filter = text?.expression ?? renderGroup(settings.filter, placeholders);
  if (filter) body.FilterExpression = filter;
  const projected = settings.projection.split(',').map((each) => each.trim()).filter(Boolean);
  if (projected.length) {
    // The keys too, by which the page opens and deletes items.
    const keys = table.paths[0].key.map((each) => each.name).filter((each) => !projected.includes(each));
    const names = keys.map((each) => placeholders.name(each));
    body.ProjectionExpression = [...names, ...projected.map((each) => placeholders.path(each))].join(', ');
  }
  if (settings.isConsistent && path.kind !== 'global') body.ConsistentRead = true;
  if (settings.limit) body.Limit = Number(settings.limit);
  if (Object.keys(placeholders.names).length) body.ExpressionAttributeNames = placeholders.names;
  if (Object.keys(placeholders.values).length) body.ExpressionAttributeValues = placeholders.values;
  const isWhole = settings.isScan && !filter && !settings.limit;
  return {
    operation: settings.isScan ? 'Scan' : 'Query',
    body,
    expected: isWhole ? { items: path.items, bytes: path.bytes } : undefined,
  };
}

/** Members that have no field, because the page sets them itself. */
const PASSED = ['TableName', 'ReturnConsumedCapacity', 'ExclusiveStartKey'];
const TAKEN = [
  'IndexName', 'KeyConditionExpression', 'FilterExpression', 'ProjectionExpression', 'ExpressionAttributeNames',
  'ExpressionAttributeValues', 'ScanIndexForward', 'ConsistentRead', 'Limit',
];

/** The settings that mean this request. Throws an Error in plain words for one that they cannot say. */
export function settingsOf(table: Table, body: Body): Settings {
  const stranger = Object.keys(body).find((each) => !PASSED.includes(each) && !TAKEN.includes(each));
  if (stranger) throw new Error(`${stranger} has no field here; the page Request sends any request`);
  if (body.TableName && ![table.name, table.description.TableArn].includes(body.TableName)) throw new Error(`the request is for the table ${body.TableName}`);
  const index = body.IndexName ?? '';
  if (!table.paths.some((each) => each.index === index)) throw new Error(`the table has no index ${index}`);
  const names = body.ExpressionAttributeNames ?? {};
  const values = body.ExpressionAttributeValues ?? {};
  return {
    ...initialSettings(),
    index,
    ...(body.KeyConditionExpression ? keyOf(pathOfIndex(table, index), groupFrom(body.KeyConditionExpression, names, values)) : {}),
    ...(body.FilterExpression ? filterOf(body.FilterExpression, names, values) : {}),
    projection: (body.ProjectionExpression?.split(',') ?? []).map((each: string) => pathFrom(each, names)).join(', '),
    isBackwards: body.ScanIndexForward === false,
    isConsistent: body.ConsistentRead === true,
    limit: body.Limit === undefined ? '' : String(body.Limit),
  };
}

function keyOf(path: Path, { join, isNegated, rules }: Group): Partial<Settings> {
  const [hash, range] = path.key;
  const of = (key?: Path['key'][0]) =>
    rules.find((each): each is Rule => key !== undefined && !isGroup(each) && each.path === pathOf(key.name) && each.type === key.type && !each.values.includes(''));
  const [partition, sort] = [of(hash), of(range)];
  const isWhole = rules.length === (sort ? 2 : 1) && join === 'AND' && !isNegated;
  if (!isWhole || partition?.operator !== '=' || (sort && !SORT_KEY_OPERATORS.includes(sort.operator))) {
    throw new Error(`the key condition is not one of ${path.key.map((each) => each.name).join(' and ')}`);
  }
  return { isScan: false, partition: partition.values[0], ...(sort ? { sort: { ...sort, path: '' } } : {}) };
}

/** As rows, or as the text with the placeholders that it uses. */
function filterOf(expression: string, names: Record<string, string>, values: Item): Partial<Settings> {
  try {
    return { filter: groupFrom(expression, names, values) };
  } catch {
    const used = new Set(expression.match(/[#:]\w+/g));
    const only = <T>(all: Record<string, T>) => Object.fromEntries(Object.entries(all).filter(([name]) => used.has(name)));
    return { text: { expression, names: only(names), values: only(values) } };
  }
}
