// An expression read back into rows and groups. What rows cannot say as it stands has no rows: it stays text.

import type { Body, Type, Value } from '../wire/wire';
import { typeOf } from '../wire/values';
import { LINE_TYPES, pathOf, Placeholders, renderGroup, type Group, type Operator, type Rule } from './expression';

type Token = { kind: 'name' | 'value' | 'sign'; text: string };
const WORDS = ['AND', 'OR', 'NOT', 'BETWEEN', 'IN'];
const FUNCTIONS: Record<string, Operator> = {
  begins_with: 'begins with',
  contains: 'contains',
  attribute_exists: 'exists',
  attribute_not_exists: 'does not exist',
  attribute_type: 'is of type',
};
const COMPARATORS = ['=', '<>', '<', '<=', '>', '>='];

/** Placeholders are resolved, so two texts have the same tokens if they differ only in those and in spaces. */
function tokensOf(text: string, names: Body, values: Body): Token[] {
  const parts = text.match(/[#:]?[A-Za-z0-9_]+|<>|<=|>=|[=<>(),.[\]]|\S/g) ?? [];
  return parts.map((part, at): Token => {
    if (part[0] === '#' && Object.hasOwn(names, part)) return { kind: 'name', text: names[part] };
    if (part[0] === ':' && Object.hasOwn(values, part)) return { kind: 'value', text: JSON.stringify(values[part]) };
    if (/^[#:]|^[^\w=<>(),.[\]]/.test(part)) throw new Error(`“${part}” has no meaning`);
    if (!/^[A-Za-z_]/.test(part)) return { kind: 'sign', text: part };
    if (WORDS.includes(part.toUpperCase())) return { kind: 'sign', text: part.toUpperCase() };
    return { kind: parts[at + 1] === '(' ? 'sign' : 'name', text: part };
  });
}

class Parser {
  private at = 0;

  get isAtEnd(): boolean {
    return this.at >= this.tokens.length;
  }

  constructor(private readonly tokens: Token[]) {}

  whole(): Group {
    const group = this.joined();
    if (!this.isAtEnd) this.fail();
    return group;
  }

  private fail(): never {
    throw new Error(`“${this.tokens[this.at]?.text ?? 'the end'}” fits no row`);
  }

  private sees(text: string, ahead = 0): boolean {
    const token = this.tokens[this.at + ahead];
    return token?.kind === 'sign' && token.text === text;
  }

  private takes(text: string): boolean {
    if (!this.sees(text)) return false;
    this.at++;
    return true;
  }

  private wants(text: string): void {
    if (!this.takes(text)) this.fail();
  }

  /** Parts with one of the two words between them: both without parentheses are no group. */
  private joined(): Group {
    const rules = [this.part()];
    let join: Group['join'] | undefined;
    for (;;) {
      const next = this.sees('AND') ? 'AND' : this.sees('OR') ? 'OR' : undefined;
      if (!next) break;
      if (join && join !== next) this.fail();
      join = next;
      this.at++;
      rules.push(this.part());
    }
    const [only] = rules;
    return rules.length === 1 && 'rules' in only && only.isNegated ? only : { join: join ?? 'AND', isNegated: false, rules };
  }

  private part(): Rule | Group {
    if (this.sees('NOT') && this.sees('contains', 1)) {
      this.at++;
      return { ...this.call('contains'), operator: 'not contains' };
    }
    const isNegated = this.takes('NOT');
    if (isNegated && !this.sees('(')) this.fail();
    if (this.takes('(')) {
      const inner = this.joined();
      this.wants(')');
      return isNegated ? { ...inner, isNegated } : inner;
    }
    const token = this.tokens[this.at];
    if (token?.kind === 'sign' && Object.hasOwn(FUNCTIONS, token.text)) return this.call(token.text);
    if (this.takes('size')) {
      this.wants('(');
      const path = this.path();
      this.wants(')');
      return { path, operator: `size ${this.comparator()}` as Operator, type: 'N', values: [this.operand('N')] };
    }
    return this.comparison(this.path());
  }

  private call(name: string): Rule {
    this.at++;
    this.wants('(');
    const path = this.path();
    const rule: Rule = { path, operator: FUNCTIONS[name], type: 'S', values: [] };
    if (this.takes(',')) {
      const [type, text] = this.value();
      Object.assign(rule, { type, values: [text] });
      if (rule.operator === 'is of type' && type !== 'S') this.fail();
    }
    this.wants(')');
    return rule;
  }

  private comparison(path: string): Rule {
    if (this.takes('BETWEEN')) {
      const [type, low] = this.value();
      this.wants('AND');
      return { path, operator: 'between', type, values: [low, this.operand(type)] };
    }
    if (this.takes('IN')) {
      this.wants('(');
      const [type, first] = this.value();
      const all = [first];
      while (this.takes(',')) all.push(this.operand(type));
      this.wants(')');
      return { path, operator: 'in', type, values: [all.join(', ')] };
    }
    const operator = this.comparator();
    const [type, text] = this.value();
    return { path, operator, type, values: [text] };
  }

  private comparator(): Operator {
    const found = COMPARATORS.find((each) => this.takes(each));
    return (found as Operator) ?? this.fail();
  }

  path(): string {
    let text = '';
    do {
      const token = this.tokens[this.at++];
      if (token?.kind !== 'name') this.fail();
      text += `${text && '.'}${pathOf(token.text)}`;
      while (this.takes('[')) {
        text += `[${this.tokens[this.at++]?.text}]`;
        this.wants(']');
      }
    } while (this.takes('.'));
    return text;
  }

  private value(): [Type, string] {
    const token = this.tokens[this.at++];
    if (token?.kind !== 'value') this.fail();
    const value = JSON.parse(token.text) as Value;
    const type = typeOf(value);
    if (!LINE_TYPES.includes(type)) throw new Error(`a value of type ${type} fits no row`);
    return [type, type === 'NULL' ? '' : String(value[type])];
  }

  private operand(wanted: Type): string {
    const [type, text] = this.value();
    if (type !== wanted) throw new Error('one row has values of one type');
    return text;
  }
}

/** The rows that mean exactly this text. Throws an Error in plain words if there are none. */
export function groupFrom(text: string, names: Body = {}, values: Body = {}): Group {
  const tokens = tokensOf(text, names, values);
  const group = new Parser(tokens).whole();
  const into = new Placeholders();
  const again = tokensOf(renderGroup(group, into), into.names, into.values);
  if (JSON.stringify(again) !== JSON.stringify(tokens)) throw new Error('rows would say it in other words');
  return group;
}

/** A path as the builder writes it, from one of a projection. */
export function pathFrom(text: string, names: Body): string {
  const parser = new Parser(tokensOf(text, names, {}));
  const path = parser.path();
  if (!parser.isAtEnd || path.includes(',')) throw new Error(`“${text.trim()}” has no field here`);
  return path;
}
