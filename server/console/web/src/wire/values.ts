// What attribute values mean: their types, their text, and the form in plain JSON where it loses nothing.

import type { Item, Type, Value } from './wire';

export const TYPES: Type[] = ['S', 'N', 'B', 'BOOL', 'NULL', 'M', 'L', 'SS', 'NS', 'BS'];
export const TYPE_NAMES: Record<Type, string> = {
  S: 'String',
  N: 'Number',
  B: 'Binary (Base64)',
  BOOL: 'Boolean',
  NULL: 'Null',
  M: 'Map',
  L: 'List',
  SS: 'String set',
  NS: 'Number set',
  BS: 'Binary set',
};

export function typeOf(value: Value): Type {
  return Object.keys(value)[0] as Type;
}

/** An attribute of an item; names such as `constructor` are attributes like any other. */
export function attribute(item: Item | undefined, name: string): Value | undefined {
  return item && Object.hasOwn(item, name) ? item[name] : undefined;
}

export function isSet(type: Type): type is 'SS' | 'NS' | 'BS' {
  return type === 'SS' || type === 'NS' || type === 'BS';
}

/** One line that shows a value, cut after about `limit` characters. */
export function textOf(value: Value | undefined, limit = 200): string {
  if (!value) return '';
  const type = typeOf(value);
  const inner = value[type];
  switch (type) {
    case 'S':
    case 'N':
    case 'B':
      return cut(String(inner), limit);
    case 'BOOL':
      return String(inner);
    case 'NULL':
      return 'null';
    case 'M':
      return cut(`{${inside(Object.entries(inner as Item).map(([name, each]) => [`${name}: `, each]), limit)}}`, limit);
    case 'L':
      return cut(`[${inside((inner as Value[]).map((each) => ['', each]), limit)}]`, limit);
    default:
      return cut(`{${(inner as string[]).slice(0, limit).join(', ')}}`, limit);
  }
}

/** One side of a change: a dash for what is absent, which a text without characters is not. */
export function sideOf(value: Value | undefined, limit: number): string {
  return value ? textOf(value, limit) || '""' : '—';
}

/** The text of a string, number or binary as it is; of the rest its DynamoDB JSON, by lines. */
export function wholeText(value: Value): string {
  const inner = value[typeOf(value)];
  return typeof inner === 'string' ? inner : JSON.stringify(inner, null, 2);
}

/** The time that a number probably is, in seconds or milliseconds since 1970: years 2001 to 2099. */
export function momentOf(value: Value | undefined): string | undefined {
  const digits = String(value?.N ?? '');
  if (!/^[1-4]\d{9}(\d{3})?$/.test(digits)) return undefined;
  const time = new Date(Number(digits) * (digits.length === 10 ? 1000 : 1));
  return time.getUTCFullYear() < 2100 ? `${time.toISOString().replace('T', ' ').slice(0, 19)} UTC` : undefined;
}

/** A partition key as the log and `stator capacity` show it: 2013, "Jürgen", or both for two attributes. */
export function keyText(key: Value, isCut = false): string {
  const values = typeOf(key) === 'L' ? (key.L as Value[]) : [key];
  const texts = values.map((each) =>
    typeOf(each) === 'S' ? JSON.stringify(each.S) : typeOf(each) === 'B' ? `B ${each.B}` : textOf(each),
  );
  const text = texts.join(', ');
  return isCut ? `${text.replace(/"$/, '')}…` : text;
}

function inside(parts: [string, Value][], limit: number): string {
  let text = '';
  for (const [label, each] of parts) {
    if (text.length > limit) break;
    text += (text ? ', ' : '') + label + textOf(each, limit);
  }
  return text;
}

export function cut(text: string, limit: number): string {
  return text.length > limit ? `${text.slice(0, limit)}…` : text;
}

export function same(left: unknown, right: unknown): boolean {
  return JSON.stringify(ordered(left)) === JSON.stringify(ordered(right));
}

/** The attributes but those of the key that differ between two images of an item, before and after, in one line. */
export function differences(was: Item | undefined, is: Item | undefined, key: Item): string {
  const changed = (name: string) => !Object.hasOwn(key, name) && !same(attribute(was, name), attribute(is, name));
  const names = [...new Set([...Object.keys(was ?? {}), ...Object.keys(is ?? {})])].filter(changed);
  return names.map((name) => `${name}: ${sideOf(attribute(was, name), 40)} → ${sideOf(attribute(is, name), 40)}`).join('; ');
}

/** Members in the order of their names, so that equal maps are equal texts. Sets are lists here. */
function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return entries.map(([name, each]) => [
    name,
    name.length === 2 && name.endsWith('S') && Array.isArray(each) ? [...each].sort() : ordered(each),
  ]);
}

/** Why the value has no plain JSON that means the same, by path; undefined if it has. */
export function plainLoss(value: Value, path: string): string | undefined {
  const type = typeOf(value);
  if (type === 'B') return `${path} is binary`;
  if (isSet(type)) return `${path} is a ${TYPE_NAMES[type].toLowerCase()}`;
  if (type === 'N' && String(Number(value.N)) !== value.N) return `${path} is a number that JSON would change`;
  const parts: [string, Value][] =
    type === 'M'
      ? Object.entries(value.M as Item).map(([name, each]) => [`${path}.${name}`, each])
      : type === 'L'
        ? (value.L as Value[]).map((each, index) => [`${path}[${index}]`, each])
        : [];
  for (const [inner, each] of parts) {
    const loss = plainLoss(each, inner);
    if (loss) return loss;
  }
  return undefined;
}

export function toPlain(value: Value): unknown {
  const type = typeOf(value);
  if (type === 'N') return Number(value.N);
  if (type === 'NULL') return null;
  if (type === 'M') return plainItem(value.M as Item);
  if (type === 'L') return (value.L as Value[]).map(toPlain);
  return value[type];
}

export function plainItem(item: Item): Record<string, unknown> {
  return Object.fromEntries(Object.entries(item).map(([name, value]) => [name, toPlain(value)]));
}

export function fromPlain(plain: unknown): Value {
  if (plain === null) return { NULL: true };
  if (typeof plain === 'string') return { S: plain };
  if (typeof plain === 'boolean') return { BOOL: plain };
  if (typeof plain === 'number') return { N: String(plain) };
  if (Array.isArray(plain)) return { L: plain.map(fromPlain) };
  return { M: itemFromPlain(plain as Record<string, unknown>) };
}

export function itemFromPlain(plain: Record<string, unknown>): Item {
  return Object.fromEntries(Object.entries(plain).map(([name, value]) => [name, fromPlain(value)]));
}

/** A number's digits and exponent without what does not count; undefined if the service would refuse it. */
export function canonicalNumber(text: string): string | undefined {
  const found = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/.exec(text.trim());
  if (!found || !(found[2] || found[3])) return undefined;
  const fraction = found[3] ?? '';
  const all = (found[2] + fraction).replace(/^0+/, '');
  const digits = all.replace(/0+$/, '');
  if (!digits) return '0';
  const exponent = Number(found[4] ?? 0) - fraction.length + (all.length - digits.length);
  const magnitude = exponent + digits.length - 1;
  if (digits.length > 38 || magnitude > 125 || magnitude < -130) return undefined;
  return `${found[1] === '-' ? '-' : ''}${digits}e${exponent}`;
}

/** Orders numbers by their value, from their texts. */
export function compareNumbers(left: string, right: string): number {
  const [a, b] = [canonicalNumber(left) ?? '0', canonicalNumber(right) ?? '0'].map((text) => {
    const [digits, exponent] = text.split('e');
    return { digits: BigInt(digits), exponent: Number(exponent ?? 0) };
  });
  const lowest = Math.min(a.exponent, b.exponent);
  const difference =
    a.digits * 10n ** BigInt(a.exponent - lowest) - b.digits * 10n ** BigInt(b.exponent - lowest);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

export function compareValues(left?: Value, right?: Value): number {
  if (!left || !right) return left ? -1 : right ? 1 : 0;
  if (left.N !== undefined && right.N !== undefined) return compareNumbers(String(left.N), String(right.N));
  const [a, b] = [textOf(left), textOf(right)];
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Base64url of the JSON: how keys, which may hold anything, stand in addresses. */
export function packed(value: unknown): string {
  const bytes = new TextEncoder().encode(JSON.stringify(value));
  return btoa(Array.from(bytes, (each) => String.fromCharCode(each)).join(''))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');
}

export function unpacked<T>(text: string | null): T | undefined {
  if (!text) return undefined;
  try {
    const raw = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
    return JSON.parse(new TextDecoder().decode(Uint8Array.from(raw, (each) => each.charCodeAt(0)))) as T;
  } catch {
    return undefined;
  }
}
