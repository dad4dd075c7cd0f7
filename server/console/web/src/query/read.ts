// A Query or Scan as the builder edits it and as it stands in the address, and the request that it means.

import type { Path, Table } from '../wire/tables';
import type { Body } from '../wire/wire';
import type { Read } from '../grid/rows.svelte';
import { packed, unpacked } from '../wire/values';
import { Placeholders, renderGroup, renderRule, type Group, type Rule } from './expression';

export interface Settings {
  index: string;
  isScan: boolean;
  partition: string;
  sort: Rule;
  filter: Group;
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
  const placeholders = new Placeholders();
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
  const filter = renderGroup(settings.filter, placeholders);
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
