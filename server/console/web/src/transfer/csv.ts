// CSV as `stator import` and `stator export` have it: a column is an attribute, `name` for strings and keys,
// `name:TYPE` for other types. An empty cell is no attribute, `""` an empty string.

import { isSet, TYPES, typeOf } from '../wire/values';
import type { Item, Type, Value } from '../wire/wire';

/** The type that a header names after its last colon. */
export function typeInHeader(header: string): Type | undefined {
  const colon = header.lastIndexOf(':');
  return colon > 0 ? TYPES.find((each) => each === header.slice(colon + 1)) : undefined;
}

export function quoted(text: string): string {
  const isPlain = text !== '' && text[0] > ' ' && !'{['.includes(text[0]) && !/[",\r\n]/.test(text);
  return isPlain ? text : `"${text.replaceAll('"', '""')}"`;
}

export function cellOf(value: Value): string {
  const type = typeOf(value);
  return type === 'S' || type === 'N' || type === 'B' ? String(value[type]) : JSON.stringify(value[type]);
}

/** Throws an Error for a cell that is not of the type. */
export function valueOfCell(type: Type, text: string): Value {
  if (type === 'S' || type === 'N' || type === 'B') return { [type]: text };
  const inner: unknown = JSON.parse(text);
  const isFitting =
    type === 'BOOL' || type === 'NULL'
      ? typeof inner === 'boolean'
      : isSet(type) || type === 'L'
        ? Array.isArray(inner)
        : typeof inner === 'object' && inner !== null && !Array.isArray(inner);
  if (!isFitting) throw new Error(`“${text.slice(0, 40)}” is no ${type}`);
  return { [type]: inner };
}

/** The columns of items, in the order in which they appear; the keys first. */
export class Columns {
  readonly headers: string[] = [];
  private readonly places = new Map<string, number>();

  constructor(private readonly keys: { name: string; type: Type }[]) {
    for (const { name, type } of keys) this.placeOf(name, type);
  }

  placeOf(name: string, type: Type): number {
    const id = `${type}:${name}`;
    const found = this.places.get(id);
    if (found !== undefined) return found;
    const isBare = this.headers.length < this.keys.length || (type === 'S' && !typeInHeader(name));
    this.places.set(id, this.headers.length);
    return this.headers.push(isBare ? name : `${name}:${type}`) - 1;
  }

  note(item: Item): void {
    for (const [name, value] of Object.entries(item)) this.placeOf(name, typeOf(value));
  }

  /** With `isSafe`, a spreadsheet takes no string for a formula: it begins with an apostrophe then. */
  row(item: Item, isSafe: boolean): string {
    const cells = new Array<string>(this.headers.length).fill('');
    for (const [name, value] of Object.entries(item)) {
      const type = typeOf(value);
      const text = cellOf(value);
      cells[this.placeOf(name, type)] = quoted(isSafe && type === 'S' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text);
    }
    return cells.join(',');
  }

  head(): string {
    return this.headers.map(quoted).join(',');
  }
}

export interface Cell {
  text: string;
  isQuoted: boolean;
}

export interface Line {
  /** Where it begins, from 1. */
  line: number;
  raw: string;
  cells: Cell[];
  problem?: string;
}

/** Splits text that comes in pieces into lines of cells; a quoted cell may have line breaks. */
export class Splitter {
  private raw = '';
  private cells: Cell[] = [{ text: '', isQuoted: false }];
  private isInside = false;
  private wasQuote = false; // a quotation mark inside quotes, which the next character explains
  private begin = 1;
  private line = 1;

  *add(piece: string): Generator<Line> {
    for (const char of piece) {
      if (char === '\n') this.line++;
      if (this.wasQuote) {
        this.wasQuote = false;
        if (char === '"') {
          this.put(char);
          continue;
        }
        this.isInside = false;
      }
      const cell = this.cells[this.cells.length - 1];
      if (char === '\n' && !this.isInside) {
        const done = this.take();
        if (done) yield done;
        continue;
      }
      if (char === '"' && this.isInside) {
        this.wasQuote = true;
        this.raw += char;
      } else if (char === '"' && cell.text === '') {
        this.isInside = cell.isQuoted = true;
        this.raw += char;
      } else if (char === ',' && !this.isInside) {
        this.cells.push({ text: '', isQuoted: false });
        this.raw += char;
      } else this.put(char);
    }
  }

  *end(): Generator<Line> {
    if (this.wasQuote) this.isInside = false;
    const problem = this.isInside ? 'a quotation mark is never closed' : undefined;
    const last = this.take();
    if (last) yield { ...last, problem };
  }

  private put(char: string) {
    this.cells[this.cells.length - 1].text += char;
    this.raw += char;
  }

  private take(): Line | undefined {
    const last = this.cells[this.cells.length - 1];
    if (this.raw.endsWith('\r')) {
      this.raw = this.raw.slice(0, -1);
      if (last.text.endsWith('\r')) last.text = last.text.slice(0, -1);
    }
    const found = this.raw ? { line: this.begin, raw: this.raw, cells: this.cells } : undefined;
    this.raw = '';
    this.cells = [{ text: '', isQuoted: false }];
    this.begin = this.line;
    return found;
  }
}
