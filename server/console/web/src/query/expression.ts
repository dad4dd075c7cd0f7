// Conditions as rows and groups, and the expression that they mean. Every name and value becomes a
// placeholder, so no reserved word and no character of a name can do harm.

import type { Item, Type, Value } from '../wire/wire';
import { canonicalNumber } from '../wire/values';

export const OPERATORS = {
  '=': 1,
  '<>': 1,
  '<': 1,
  '<=': 1,
  '>': 1,
  '>=': 1,
  between: 2,
  in: Infinity,
  'begins with': 1,
  contains: 1,
  'not contains': 1,
  exists: 0,
  'does not exist': 0,
  'is of type': 1,
  'size =': 1,
  'size <>': 1,
  'size <': 1,
  'size <=': 1,
  'size >': 1,
  'size >=': 1,
} as const;
export type Operator = keyof typeof OPERATORS;
/** Those that a key condition may use on a sort key. */
export const SORT_KEY_OPERATORS: Operator[] = ['=', '<', '<=', '>', '>=', 'between', 'begins with'];
/** The types whose values one line can hold. */
export const LINE_TYPES: Type[] = ['S', 'N', 'B', 'BOOL', 'NULL'];

export interface Rule {
  path: string;
  operator: Operator;
  type: Type;
  /** One text for each operand; `in` has a comma-separated list, or one JSON string each. */
  values: string[];
}

export interface Group {
  join: 'AND' | 'OR';
  isNegated: boolean;
  rules: (Rule | Group)[];
}

export function isGroup(rule: Rule | Group): rule is Group {
  return 'rules' in rule;
}

export class Placeholders {
  /** `prefix` separates the placeholders of two expressions of one request; `names` and `values` are those of a text. */
  constructor(
    private readonly prefix = '',
    readonly names: Record<string, string> = {},
    readonly values: Item = {},
  ) {}

  name(attribute: string): string {
    for (const [placeholder, present] of Object.entries(this.names)) {
      if (present === attribute) return placeholder;
    }
    const placeholder = this.free(`#${this.prefix}n`, this.names);
    this.names[placeholder] = attribute;
    return placeholder;
  }

  value(value: Value): string {
    const placeholder = this.free(`:${this.prefix}v`, this.values);
    this.values[placeholder] = value;
    return placeholder;
  }

  private free(start: string, taken: object): string {
    let number = Object.keys(taken).length;
    while (Object.hasOwn(taken, `${start}${number}`)) number++;
    return `${start}${number}`;
  }

  /** `a.b[3]`; a name that has a dot or a bracket stands in backquotes. */
  path(text: string): string {
    const parts = [...text.matchAll(/`([^`]+)`|\[(\d+)\]|([^.[\]`]+)|(\.)/g)];
    if (parts.map((each) => each[0]).join('') !== text || !text) throw new Error(`“${text}” is not a path`);
    return parts.map(([, quoted, index, plain, dot]) => dot ?? (index ? `[${index}]` : this.name(quoted ?? plain))).join('');
  }
}

/** The path of a name as the builder writes it. */
export function pathOf(name: string): string {
  return /[.[\]]/.test(name) ? `\`${name}\`` : name;
}

export function valueFrom(type: Type, text: string): Value {
  if (type === 'N' && canonicalNumber(text) === undefined) throw new Error(`“${text}” is not a number of 38 digits or fewer`);
  if (type === 'BOOL') return { BOOL: text === 'true' };
  if (type === 'NULL') return { NULL: true };
  if (type === 'B') {
    try {
      atob(text);
    } catch {
      throw new Error(`“${text}” is not Base64`);
    }
  }
  return { [type]: type === 'N' ? text.trim() : text };
}

function listOf(type: Type, text: string): Value[] {
  return text.split(',').map((each) => valueFrom(type, each.trim()));
}

export function renderRule(rule: Rule, into: Placeholders): string {
  const path = into.path(rule.path);
  const operand = (at: number, type = rule.type) => into.value(valueFrom(type, rule.values[at] ?? ''));
  switch (rule.operator) {
    case 'between':
      return `${path} BETWEEN ${operand(0)} AND ${operand(1)}`;
    case 'in':
      return `${path} IN (${listOf(rule.type, rule.values[0] ?? '').map((each) => into.value(each)).join(', ')})`;
    case 'begins with':
      return `begins_with(${path}, ${operand(0)})`;
    case 'contains':
      return `contains(${path}, ${operand(0)})`;
    case 'not contains':
      return `NOT contains(${path}, ${operand(0)})`;
    case 'exists':
      return `attribute_exists(${path})`;
    case 'does not exist':
      return `attribute_not_exists(${path})`;
    case 'is of type':
      return `attribute_type(${path}, ${operand(0, 'S')})`;
    default:
      if (rule.operator.startsWith('size ')) return `size(${path}) ${rule.operator.slice(5)} ${operand(0, 'N')}`;
      return `${path} ${rule.operator} ${operand(0)}`;
  }
}

/** Empty for a group without rules. */
export function renderGroup(group: Group, into: Placeholders): string {
  const parts = group.rules
    .map((each) => {
      if (!isGroup(each)) return each.path ? renderRule(each, into) : '';
      const inner = renderGroup(each, into);
      return inner && (each.isNegated ? inner : `(${inner})`);
    })
    .filter(Boolean);
  const text = parts.join(` ${group.join} `);
  return text && group.isNegated ? `NOT (${text})` : text;
}
