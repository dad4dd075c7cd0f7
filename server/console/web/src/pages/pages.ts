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

export interface Place {
  /** The same function for the same page. */
  load: () => Promise<{ default: Component<any> }>;
  parameters: Record<string, string>;
  section: string;
  /** Another identity is another instance of the page. */
  identity: string;
}

export function pageOf([first, second, third]: string[]): Place {
  const place = (load: Place['load'], section: string, parameters: Record<string, string> = {}, identity = section) => ({
    load,
    section,
    parameters,
    identity,
  });
  if (first === 't' && second) return place(load.table, 'Tables', { name: second, view: third ?? 'items' }, `t/${second}`);
  if (first === 'partiql') return place(load.partiql, 'PartiQL');
  if (first === 'requests') return place(load.request, 'Request');
  if (first === 'log' && second) return place(load.logEntry, 'Log', { id: second }, `log/${second}`);
  if (first === 'log') return place(load.log, 'Log');
  if (first === 'time') return place(load.time, 'Time');
  if (first === 'marks') return place(load.time, 'Time', { mark: second ?? '' });
  if (first === 'transactions') return place(load.transactions, 'Transactions');
  if (first === 'server') return place(load.server, 'Server');
  return place(load.tables, 'Tables');
}
