// Which Queries find what a Scan with a filter finds.

import type { Path, Table } from '../wire/tables';
import { isGroup, pathOf, SORT_KEY_OPERATORS, type Rule } from './expression';
import type { Settings } from './read';

export interface Advice {
  path: Path;
  settings: Settings;
  /** The index lacks items or attributes that the table has. */
  caution?: string;
}

function isUsable(rule: Rule): boolean {
  return rule.values.length > 0 && rule.values.every((each) => each !== '');
}

/** The Queries whose partition key the filter compares with a value, those that also use a sort key first. */
export function queriesInstead(table: Table, settings: Settings): Advice[] {
  const { filter } = settings;
  if (!settings.isScan || settings.text || filter.isNegated || (filter.join === 'OR' && filter.rules.length > 1)) return [];
  const rules = filter.rules.filter((each): each is Rule => !isGroup(each)).filter(isUsable);
  const found = table.paths.flatMap((path): (Advice & { used: number })[] => {
    const [hash, range] = path.key;
    const equal = rules.find((each) => each.path === pathOf(hash.name) && each.operator === '=' && each.type === hash.type);
    if (!equal) return [];
    const bound = range && rules.find((each) => each !== equal && each.path === pathOf(range.name) && each.type === range.type && SORT_KEY_OPERATORS.includes(each.operator));
    const rest = filter.rules.filter((each) => each !== equal && each !== bound);
    return [
      {
        path,
        used: bound ? 2 : 1,
        settings: {
          ...settings,
          index: path.index,
          isScan: false,
          partition: equal.values[0],
          sort: bound ? { ...bound, path: '' } : { path: '', operator: '=', type: 'S', values: [] },
          filter: { ...filter, rules: rest },
        },
        caution: cautionOf(path, range && !bound ? range.name : undefined),
      },
    ];
  });
  return found.sort((a, b) => b.used - a.used);
}

function cautionOf(path: Path, sortKey?: string): string | undefined {
  if (path.kind === 'table') return undefined;
  const parts = [
    ...(sortKey ? [`items without ${sortKey} are not in this index`] : []),
    ...(path.projection === 'all attributes' ? [] : [`its entries have ${path.projection}`]),
  ];
  return parts.join('; ') || undefined;
}
