// Billed bytes and write units before an item is stored, by the rules of conformance/observed/capacity.md, 1 and 3.

import type { Table } from '../wire/tables';
import { attribute, canonicalNumber, isSet, typeOf } from '../wire/values';
import type { Body, Item, Value } from '../wire/wire';

/** The limit of an item. */
export const ITEM_MAX_BYTES = 409_600;
const UNIT_BYTES = 1024;
const encoder = new TextEncoder();

function textBytes(text: string): number {
  return encoder.encode(text).length;
}

/** Digits in pairs from the decimal point, zeros at both ends dropped; NaN for what is no number. */
export function numberBytes(text: string): number {
  const canonical = canonicalNumber(text);
  if (canonical === undefined) return NaN;
  if (canonical === '0') return 1;
  const isNegative = canonical.startsWith('-');
  const [digits, exponent] = canonical.slice(isNegative ? 1 : 0).split('e');
  const aligned = digits.length + (Number(exponent) % 2 === 0 ? 0 : 1);
  return 1 + Math.ceil(aligned / 2) + (isNegative ? 1 : 0);
}

function binaryBytes(base64: string): number {
  return (base64.length / 4) * 3 - (base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0);
}

export function valueBytes(value: Value): number {
  const type = typeOf(value);
  if (type === 'BOOL' || type === 'NULL') return 1;
  if (type === 'L') return (value.L as Value[]).reduce((sum, each) => sum + 1 + valueBytes(each), 3);
  if (type === 'M') return Object.entries(value.M as Item).reduce((sum, [name, each]) => sum + textBytes(name) + 1 + valueBytes(each), 3);
  const one = type.startsWith('N') ? numberBytes : type.startsWith('B') ? binaryBytes : textBytes;
  return isSet(type) ? (value[type] as string[]).reduce((sum, each) => sum + one(each), 0) : one(String(value[type]));
}

export function itemBytes(item: Item): number {
  return Object.entries(item).reduce((sum, [name, value]) => sum + textBytes(name) + valueBytes(value), 0);
}

function units(...sizes: number[]): number {
  return Math.max(1, Math.ceil(Math.max(...sizes) / UNIT_BYTES));
}

/** A text that equal values share: sets without order, numbers by value. */
function canonical(value: Value): unknown {
  const type = typeOf(value);
  if (type === 'L') return { L: (value.L as Value[]).map(canonical) };
  if (type === 'M') return { M: Object.entries(value.M as Item).sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, each]) => [name, canonical(each)]) };
  const one = (text: string) => (type.startsWith('N') ? (canonicalNumber(text) ?? text) : text);
  if (isSet(type)) return { [type]: (value[type] as string[]).map(one).sort() };
  return type === 'N' ? { N: one(String(value.N)) } : value;
}

function textOfMembers(item: Item, names: string[]): string {
  return JSON.stringify(names.map((name) => [name, attribute(item, name) && canonical(item[name])]));
}

/** The entry of an index for an item; undefined without one. */
function entryOf(item: Item | undefined, keys: string[], tableKeys: string[], projection: Body): Item | undefined {
  if (!item || keys.some((name) => attribute(item, name) === undefined)) return undefined;
  if (projection.ProjectionType === 'ALL') return item;
  const wanted = new Set([...keys, ...tableKeys, ...((projection.NonKeyAttributes as string[] | undefined) ?? [])]);
  return Object.fromEntries(Object.entries(item).filter(([name]) => wanted.has(name)));
}

function entryUnits(was: Item | undefined, is: Item | undefined, keys: string[]): number {
  if (!was && !is) return 0;
  if (!was || !is) return units(itemBytes((was ?? is)!));
  const names = [...new Set([...Object.keys(was), ...Object.keys(is)])].sort();
  if (textOfMembers(was, names) === textOfMembers(is, names)) return 0;
  if (textOfMembers(was, keys) === textOfMembers(is, keys)) return units(itemBytes(was), itemBytes(is));
  return units(itemBytes(was)) + units(itemBytes(is));
}

export interface Price {
  /** By the index's name; empty for the table. Only what costs something. */
  parts: { index: string; units: number }[];
  total: number;
}

/** Write units of storing `is` for `was`; another key is a delete and a put in a transaction, which cost the table twice. */
export function priceOf(table: Table, was: Item | undefined, is: Item): Price {
  const tableKeys = table.paths[0].key.map((each) => each.name);
  const isMoved = was !== undefined && textOfMembers(was, tableKeys) !== textOfMembers(is, tableKeys);
  const parts = isMoved
    ? [...writeParts(table, tableKeys, was, undefined), ...writeParts(table, tableKeys, undefined, is)]
    : writeParts(table, tableKeys, was, is);
  const sums = new Map<string, number>();
  for (const { index, units } of parts) sums.set(index, (sums.get(index) ?? 0) + units * (isMoved && !index ? 2 : 1));
  const found = [...sums].map(([index, units]) => ({ index, units })).filter((each) => each.units > 0);
  return { parts: found, total: found.reduce((sum, each) => sum + each.units, 0) };
}

function writeParts(table: Table, tableKeys: string[], was: Item | undefined, is: Item | undefined): Price['parts'] {
  const parts = [{ index: '', units: units(was ? itemBytes(was) : 0, is ? itemBytes(is) : 0) }];
  const { GlobalSecondaryIndexes = [], LocalSecondaryIndexes = [] } = table.description;
  for (const index of [...GlobalSecondaryIndexes, ...LocalSecondaryIndexes] as Body[]) {
    const keys = (index.KeySchema as Body[]).map((each) => each.AttributeName as string);
    const [before, after] = [was, is].map((each) => entryOf(each, keys, tableKeys, index.Projection));
    parts.push({ index: index.IndexName, units: entryUnits(before, after, keys) });
  }
  return parts;
}
