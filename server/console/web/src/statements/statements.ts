// Several statements in one text, and the request that sends them together.

import type { Body } from '../wire/wire';

/** The statements between semicolons that stand in no quotes and no comment. */
export function statementsIn(text: string): string[] {
  const parts = text.match(/'(?:[^']|'')*'?|"(?:[^"]|"")*"?|--[^\n]*|;|[^'";-]+|-/g) ?? [];
  const statements = [''];
  for (const part of parts) {
    if (part === ';') statements.push('');
    else if (!part.startsWith('--')) statements[statements.length - 1] += part;
  }
  return statements.map((each) => each.trim()).filter(Boolean);
}

/** `parameters` has a list for each statement, or none at all. */
export function togetherOf(statements: string[], parameters: unknown, isTransaction: boolean): Body {
  const lists = parameters as unknown[][] | undefined;
  const each = statements.map((Statement, at) => ({ Statement, ...(lists?.[at]?.length ? { Parameters: lists[at] } : {}) }));
  return { [isTransaction ? 'TransactStatements' : 'Statements']: each, ReturnConsumedCapacity: 'TOTAL' };
}
