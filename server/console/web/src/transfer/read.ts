// Records of a file, by its content: DynamoDB JSON, the output of a Scan, plain JSON, CSV; each also as gzip.

import type { Table } from '../wire/tables';
import { canonicalNumber, TYPES, typeOf } from '../wire/values';
import type { Item, Type, Value } from '../wire/wire';
import { Splitter, typeInHeader, valueOfCell, type Line } from './csv';

export const READ_FORMATS = { 'dynamodb-json': 'DynamoDB JSON', json: 'plain JSON', csv: 'CSV' } as const;
export type ReadFormat = keyof typeof READ_FORMATS;

/** A file that is one JSON value is read whole. */
const WHOLE_MAX_BYTES = 64_000_000;
const RECORD_MAX = 16_000_000;
const HEAD_CHARACTERS = 1_000_000;

export interface Record {
  line: number;
  /** As the file has it, for the file of refused lines. */
  raw: string;
  item?: Item;
  problem?: string;
}

export interface Look {
  format: ReadFormat;
  isGzip: boolean;
  /** The file is an array or one object over several lines, not a line for each record. */
  isWhole: boolean;
}

async function headOf(file: Blob): Promise<{ text: string; isGzip: boolean }> {
  const bytes = new Uint8Array(await file.slice(0, 4).arrayBuffer());
  if (bytes[0] === 0x28 && bytes[1] === 0xb5 && bytes[2] === 0x2f) throw new Error('The file is zstd, which a browser does not unpack. Use stator import.');
  const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b;
  let text = '';
  for await (const piece of pieces(file, isGzip)) {
    text += piece;
    if (text.length >= HEAD_CHARACTERS) break;
  }
  return { text, isGzip };
}

async function* pieces(file: Blob, isGzip: boolean): AsyncGenerator<string> {
  let stream: ReadableStream<Uint8Array<ArrayBuffer>> = file.stream();
  if (isGzip) stream = stream.pipeThrough(new DecompressionStream('gzip'));
  const decoder = new TextDecoder('utf-8', { fatal: true }); // leaves out a byte order mark
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      const text = decoder.decode(value, { stream: true });
      if (text) yield text;
    }
    decoder.decode();
  } catch (reason) {
    throw new Error(isGzip ? `The gzip data is damaged, or not text: ${(reason as Error).message}` : 'The file is not text in UTF-8.');
  } finally {
    void reader.cancel().catch(() => {});
  }
}

/** What the content of a file looks like. Throws an Error in plain words for what is no file of items. */
export async function lookAt(file: Blob): Promise<Look> {
  const { text, isGzip } = await headOf(file);
  const start = text.trimStart();
  if (!start) throw new Error('The file is empty.');
  if (/^\$ion_1_0|^\{\s*Item\s*:/.test(start)) throw new Error('The file is Ion. Use stator import.');
  if (/^<(!doctype|html|\?xml)/i.test(start)) throw new Error('The file is HTML or XML.');
  if (start[0] !== '{' && start[0] !== '[') return { format: 'csv', isGzip, isWhole: false };
  const firstLine = start.split('\n', 1)[0];
  const first = roughly(firstLine);
  const isWhole = start[0] === '[' || first === undefined;
  const sample = first ?? (isWhole ? roughly(start) : undefined);
  const one = sample === undefined ? undefined : recordsIn(sample)[0];
  const isTyped = one === undefined ? /\{\s*"(S|N|B|BOOL|NULL|M|L|SS|NS|BS)"\s*:/.test(text) : one.isWrapped || isTypedItem(one.value);
  return { format: isTyped ? 'dynamodb-json' : 'json', isGzip, isWhole };
}

/** JSON whose numbers do not matter. */
function roughly(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

class Digits {
  constructor(readonly text: string) {}

  /** Where a type is named, the service refuses a number that is no text in its own words. */
  toJSON(): number {
    return Number(this.text);
  }
}

/** JSON with the digits of its numbers as they are. */
function parsed(text: string): unknown {
  const reviver = (_: string, value: unknown, context?: { source?: string }) => {
    if (typeof value !== 'number') return value;
    if (context?.source === undefined && String(value).length > 15) throw new RangeError('this browser would change a number of so many digits');
    return new Digits(context?.source ?? String(value));
  };
  try {
    return JSON.parse(text, reviver as (key: string, value: unknown) => unknown);
  } catch (reason) {
    if (reason instanceof RangeError) throw reason;
    return undefined;
  }
}

function isObject(value: unknown): value is { [name: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Digits);
}

function isTypedItem(value: unknown): boolean {
  return (
    isObject(value) &&
    Object.values(value).every((each) => isObject(each) && Object.keys(each).length === 1 && TYPES.includes(Object.keys(each)[0] as Type))
  );
}

/** The items of a JSON value: an array, the output of a Scan, `{"Item": …}`, or one item. */
function recordsIn(value: unknown): { value: unknown; isWrapped: boolean }[] {
  if (Array.isArray(value)) return value.flatMap(recordsIn);
  if (isObject(value) && Array.isArray(value.Items)) return value.Items.map((each) => ({ value: each, isWrapped: true }));
  if (isObject(value) && Object.keys(value).length === 1 && isTypedItem(value.Item)) return [{ value: value.Item, isWrapped: true }];
  return [{ value, isWrapped: false }];
}

function valueFromPlain(plain: unknown): Value {
  if (plain instanceof Digits) return { N: plain.text };
  if (plain === null) return { NULL: true };
  if (typeof plain === 'string') return { S: plain };
  if (typeof plain === 'boolean') return { BOOL: plain };
  if (Array.isArray(plain)) return { L: plain.map(valueFromPlain) };
  return { M: itemFromPlain(plain as { [name: string]: unknown }) };
}

function itemFromPlain(plain: { [name: string]: unknown }): Item {
  return Object.fromEntries(Object.entries(plain).map(([name, each]) => [name, valueFromPlain(each)]));
}

/** What keeps an item out of the table: its keys. */
export function keyProblem(table: Table, item: Item): string | undefined {
  for (const { name, type } of table.paths[0].key) {
    if (!Object.hasOwn(item, name)) return `the key attribute ${name} is missing`;
    const given = typeOf(item[name]);
    if (given !== type) return `the key attribute ${name} is ${given}, the table has ${type}`;
    const text = String(item[name][type]);
    if (type === 'N' && canonicalNumber(text) === undefined) return `the key attribute ${name} is no number: “${text.slice(0, 40)}”`;
    if (!text) return `the key attribute ${name} is empty`;
  }
  return undefined;
}

function recordFrom(table: Table, format: ReadFormat, line: number, value: unknown, raw: string): Record {
  if (!isObject(value)) return { line, raw, problem: 'it is no JSON object' };
  if (format === 'dynamodb-json' && !isTypedItem(value)) return { line, raw, problem: 'an attribute is no value with a type' };
  const item = format === 'json' ? itemFromPlain(value) : (value as Item);
  return { line, raw, item, problem: keyProblem(table, item) };
}

async function* lines(file: Blob, isGzip: boolean): AsyncGenerator<{ line: number; raw: string }> {
  let [rest, line] = ['', 0];
  for await (const piece of pieces(file, isGzip)) {
    const parts = (rest + piece).split('\n');
    rest = parts.pop()!;
    for (const raw of parts) yield { line: ++line, raw: raw.endsWith('\r') ? raw.slice(0, -1) : raw };
    if (rest.length > RECORD_MAX) throw new Error(`Line ${line + 1} is longer than 16 MB.`);
  }
  if (rest) yield { line: line + 1, raw: rest };
}

async function* jsonRecords(file: Blob, look: Look, table: Table): AsyncGenerator<Record> {
  if (look.isWhole) {
    if (file.size > WHOLE_MAX_BYTES) throw new Error('A file that is one JSON value can have 64 MB. Use stator import.');
    let text = '';
    for await (const piece of pieces(file, look.isGzip)) text += piece;
    const value = parsed(text);
    if (value === undefined) throw new Error('The file is no JSON, and no JSON by lines.');
    for (const [at, each] of recordsIn(value).entries()) yield recordFrom(table, look.format, at + 1, each.value, rawOf(each.value));
    return;
  }
  for await (const { line, raw } of lines(file, look.isGzip)) {
    if (!raw.trim()) continue;
    let value: unknown;
    try {
      value = parsed(raw);
    } catch (reason) {
      yield { line, raw, problem: (reason as Error).message };
      continue;
    }
    if (value === undefined) yield { line, raw, problem: 'it is no JSON' };
    else for (const each of recordsIn(value)) yield recordFrom(table, look.format, line, each.value, raw);
  }
}

function rawOf(value: unknown): string {
  if (value instanceof Digits) return value.text;
  if (Array.isArray(value)) return `[${value.map(rawOf).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  return `{${Object.entries(value).map(([name, each]) => `${JSON.stringify(name)}:${rawOf(each)}`).join(',')}}`;
}

export interface Column {
  name: string;
  type: Type;
  /** The file or the table names the type, so the user has no choice. */
  isFixed: boolean;
}

/** Columns of a CSV header; `types` are the choices of the user. */
export function columnsOf(table: Table, headers: string[], types: { [name: string]: Type }): Column[] {
  const keys = new Map(table.paths.flatMap((path) => path.key.map(({ name, type }) => [name, type])));
  return headers.map((header) => {
    const known = keys.get(header);
    if (known) return { name: header, type: known, isFixed: true };
    const named = typeInHeader(header);
    if (named) return { name: header.slice(0, header.lastIndexOf(':')), type: named, isFixed: true };
    return { name: header, type: types[header] ?? 'S', isFixed: false };
  });
}

function recordOfLine(table: Table, columns: Column[], { line, raw, cells, problem }: Line): Record {
  if (problem) return { line, raw, problem };
  if (cells.length !== columns.length) return { line, raw, problem: `it has ${cells.length} cells, the header has ${columns.length}` };
  const item: Item = {};
  for (const [at, cell] of cells.entries()) {
    if (!cell.text && !cell.isQuoted) continue;
    const { name, type } = columns[at];
    if (Object.hasOwn(item, name)) return { line, raw, problem: `two cells are of the attribute ${name}` };
    try {
      const value = valueOfCell(type, cell.text);
      Object.defineProperty(item, name, { value, enumerable: true, configurable: true, writable: true });
    } catch {
      return { line, raw, problem: `${name}: “${cell.text.slice(0, 40)}” is no value of type ${type}` };
    }
  }
  return { line, raw, item, problem: keyProblem(table, item) };
}

export interface Source {
  look: Look;
  /** Of CSV. */
  header?: string;
  columns?: Column[];
  records: AsyncGenerator<Record>;
}

/** Opens a file for one pass. */
export async function open(file: Blob, look: Look, table: Table, types: { [name: string]: Type }): Promise<Source> {
  if (look.format !== 'csv') return { look, records: jsonRecords(file, look, table) };
  const all = csvLines(file, look.isGzip);
  const head = await all.next();
  if (head.done) throw new Error('The file is empty.');
  const headers = head.value.cells.map((each) => each.text);
  if (headers.some((each) => !each)) throw new Error('Line 1: a column has no name.');
  if (new Set(headers).size < headers.length) throw new Error('Line 1: a column is there twice.');
  const columns = columnsOf(table, headers, types);
  const missing = table.paths[0].key.find(({ name }) => !columns.some((each) => each.name === name));
  if (missing) throw new Error(`No column has the name of the key attribute ${missing.name}, so it is no CSV with a header for this table.`);
  const records = async function* () {
    for await (const line of all) yield recordOfLine(table, columns, line);
  };
  return { look, header: head.value.raw, columns, records: records() };
}

async function* csvLines(file: Blob, isGzip: boolean): AsyncGenerator<Line> {
  const splitter = new Splitter();
  for await (const piece of pieces(file, isGzip)) yield* splitter.add(piece);
  yield* splitter.end();
}
