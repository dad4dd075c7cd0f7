// Items of a read as a file: DynamoDB JSON and plain JSON by lines, and CSV.

import type { Read } from '../grid/rows.svelte';
import type { Table } from '../wire/tables';
import { isSet, typeOf } from '../wire/values';
import { call, type Item, type Scope, type Value } from '../wire/wire';
import { Columns } from './csv';

export const FORMATS = {
  'dynamodb-json': { title: 'DynamoDB JSON, a line for each item', file: 'jsonl' },
  json: { title: 'plain JSON, a line for each item', file: 'jsonl' },
  csv: { title: 'CSV', file: 'csv' },
} as const;
export type Format = keyof typeof FORMATS;

/** What a browser can build before it hands it over. */
export const FILE_MAX_BYTES = 512_000_000;

interface Losses {
  sets: number;
  binaries: number;
}

/** JSON text of a value; numbers keep their digits. */
function plainText(value: Value, losses: Losses): string {
  const type = typeOf(value);
  if (type === 'N') return jsonNumber(String(value.N));
  if (type === 'NULL') return 'null';
  if (type === 'M') return plainItemText(value.M as Item, losses);
  if (type === 'L') return `[${(value.L as Value[]).map((each) => plainText(each, losses)).join(',')}]`;
  if (type === 'B') losses.binaries++;
  if (!isSet(type)) return JSON.stringify(value[type]);
  losses.sets++;
  return type === 'NS' ? `[${(value.NS as string[]).map(jsonNumber).join(',')}]` : JSON.stringify(value[type]);
}

/** The service writes numbers as JSON does. */
function jsonNumber(text: string): string {
  return /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(text) ? text : JSON.stringify(text);
}

function plainItemText(item: Item, losses: Losses): string {
  return `{${Object.entries(item).map(([name, each]) => `${JSON.stringify(name)}:${plainText(each, losses)}`).join(',')}}`;
}

export interface Export {
  parts: BlobPart[];
  items: number;
  bytes: number;
  /** What the format cannot hold. */
  note?: string;
}

function counted(number: number, noun: string): string {
  return `${number.toLocaleString('en-US')} ${noun}${number === 1 ? '' : 's'}`;
}

/**
 * Reads page by page until the end or `signal`. Each page becomes a Blob, which a browser may move to its disk.
 * Throws above FILE_MAX_BYTES.
 */
export async function exportItems(
  scope: Scope,
  table: Table,
  read: Read,
  options: { format: Format; isSafe: boolean; signal: AbortSignal; report: (items: number, bytes: number) => void },
): Promise<Export> {
  const losses: Losses = { sets: 0, binaries: 0 };
  const columns = new Columns(table.paths[0].key);
  const parts: Blob[] = [];
  let [items, bytes] = [0, 0];
  let start: Item | undefined;
  const lineOf = (item: Item): string => {
    if (options.format === 'json') return plainItemText(item, losses);
    if (options.format === 'csv') columns.note(item);
    return options.format === 'csv' ? JSON.stringify(item) : JSON.stringify({ Item: item });
  };
  do {
    const request = { ...read.body, ...(start ? { ExclusiveStartKey: start } : {}) };
    const { body } = await call(scope, read.operation, request, { signal: options.signal });
    const lines = (body.Items as Item[]).map((each) => `${lineOf(each)}\n`);
    const part = new Blob(lines);
    if (lines.length) parts.push(part);
    items += lines.length;
    bytes += part.size;
    if (bytes > FILE_MAX_BYTES) {
      throw new Error(`The file is larger than 512 MB. Use: stator export ${table.name} ${table.name}.${FORMATS[options.format].file}`);
    }
    options.report(items, bytes);
    start = body.LastEvaluatedKey;
  } while (start);
  if (options.format === 'csv') return { parts: await rowsOf(parts, columns, options.isSafe, options.signal), items, bytes };
  const note =
    losses.sets + losses.binaries
      ? `${counted(losses.sets, 'set')} became arrays and ${counted(losses.binaries, 'binary value')} strings of Base64: plain JSON has neither.`
      : undefined;
  return { parts, items, bytes, note };
}

/** The columns are known only after the last item. */
async function rowsOf(parts: Blob[], columns: Columns, isSafe: boolean, signal: AbortSignal): Promise<Blob[]> {
  const rows: Blob[] = [new Blob([`${columns.head()}\n`])];
  for (const part of parts) {
    signal.throwIfAborted();
    const lines = (await part.text()).trimEnd().split('\n');
    rows.push(new Blob(lines.map((each) => `${columns.row(JSON.parse(each), isSafe)}\n`)));
  }
  return rows;
}
