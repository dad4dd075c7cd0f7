// Which page an address names.

import type { Component } from 'svelte';

// Each page is a file of its own, loaded when it opens.
const load = {
  tables: () => import('./Tables.svelte'),
  table: () => import('./Table.svelte'),
  partiql: () => import('./PartiQL.svelte'),
  request: () => import('./Request.svelte'),
  transactions: () => import('./Transactions.svelte'),
  log: () => import('./Log.svelte'),
  logEntry: () => import('./LogEntry.svelte'),
  time: () => import('./Time.svelte'),
  server: () => import('./Server.svelte'),
  missing: () => import('./Missing.svelte'),
};

export interface Section {
  title: string;
  segments: string[];
  /** The letter after `g`. */
  shortcut: string;
}

export const SECTIONS: Section[] = [
  { title: 'Tables', segments: [], shortcut: 't' },
  { title: 'PartiQL', segments: ['partiql'], shortcut: 'p' },
  { title: 'Request', segments: ['requests', 'new'], shortcut: 'r' },
  { title: 'Log', segments: ['log'], shortcut: 'l' },
  { title: 'Transactions', segments: ['transactions'], shortcut: 'x' },
  { title: 'Time', segments: ['time'], shortcut: 'c' },
  { title: 'Server', segments: ['server'], shortcut: 's' },
];

/** The views of a table. Each is a file of its own, too. */
export const TABLE_VIEWS = {
  items: { title: 'Items', load: () => import('./Items.svelte') },
  settings: { title: 'Settings', load: () => import('./Settings.svelte') },
  capacity: { title: 'Capacity', load: () => import('./Capacity.svelte') },
  stream: { title: 'Stream', load: () => import('./Stream.svelte') },
  ttl: { title: 'Time to live', load: () => import('./TimeToLive.svelte') },
};

export type TableView = keyof typeof TABLE_VIEWS;

export interface Place {
  /** The same function for the same page. */
  load: () => Promise<{ default: Component<any> }>;
  parameters: Record<string, string>;
  /** Empty if no page has the address. */
  section: string;
  /** Of the page's view, if it has such. */
  loadView?: () => Promise<unknown>;
  /** Another identity is another instance of the page. */
  identity: string;
}

export function pageOf(segments: string[], fragment = ''): Place {
  const place = (load: Place['load'], section: string, parameters: Record<string, string> = {}, identity = section) => ({
    load,
    section,
    parameters,
    identity,
  });
  const [first, second, third = 'items'] = segments;
  const isAlone = segments.length === 1;
  const isWithName = segments.length <= 2;
  if (fragment) return place(load.missing, '');
  if (first === undefined) return place(load.tables, 'Tables');
  if (first === 't' && second && Object.hasOwn(TABLE_VIEWS, third) && segments.length <= 3) {
    const { load: loadView } = TABLE_VIEWS[third as TableView];
    return { ...place(load.table, 'Tables', { name: second, view: third }, `t/${second}`), loadView };
  }
  if (first === 'partiql' && isAlone) return place(load.partiql, 'PartiQL');
  if (first === 'requests' && (isAlone || (second === 'new' && isWithName))) return place(load.request, 'Request');
  if (first === 'log' && isAlone) return place(load.log, 'Log');
  if (first === 'log' && isWithName) return place(load.logEntry, 'Log', { id: second }, `log/${second}`);
  if (first === 'time' && isAlone) return place(load.time, 'Time');
  if (first === 'marks' && isWithName) return place(load.time, 'Time', { mark: second ?? '' });
  if (first === 'transactions' && isAlone) return place(load.transactions, 'Transactions');
  if (first === 'server' && isAlone) return place(load.server, 'Server');
  return place(load.missing, '');
}
